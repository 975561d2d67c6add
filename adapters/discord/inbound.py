"""Read what people do on Discord as `Incoming`; None for what is no business of ours.

Without the privileged intent Discord shows a text only where it names the bot, in
direct messages and in what a person chose; so in a channel or thread a question is what
mentions the bot, which a reply to it does. A thread keeps its parent as `channel`,
because that is what packs are bound to. Nothing here waits or sends.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import discord

from adapters.discord import markdown
from adapters.discord.names import (
    ANSWER_TIME,
    APPLICATION,
    ASK_ABOUT,
    BUTTONS,
    INTERACTION,
    NO,
    OPENING,
    PRIVATE,
    QUESTION,
    REASON,
    SELECTION,
    TOKEN,
    YES,
)
from adapters.mail import (
    DIRECT,
    PRESSED_QUESTIONS,
    Action,
    File,
    Incoming,
    Place,
    Platform,
    read_number,
    with_forwarded,
)
from adapters.reply import inert

_SAID = (discord.MessageType.default, discord.MessageType.reply)


@dataclass(frozen=True, slots=True)
class Where:
    """A channel, or a thread with the channel that it belongs to."""

    guild: int | None
    channel: int
    parent: int | None = None

    def place(self, message: int | None = None, *, private: bool = False) -> Place:
        """Name it as the rest of the bot does; direct messages are always private."""
        return Place(
            platform=Platform.DISCORD,
            tenant=DIRECT if self.guild is None else str(self.guild),
            channel=str(self.parent or self.channel),
            thread=str(self.channel) if self.parent else None,
            message=None if message is None else str(message),
            private=private or self.guild is None,
        )


def locate(guild: int | None, channel: int, known: object) -> Where:
    """Locate an event, by what the client knows of the channel."""
    parent = known.parent_id if isinstance(known, discord.Thread) else None
    return Where(guild, channel, parent)


# --- messages ---------------------------------------------------------------------


def is_addressed(message: discord.Message, me: int) -> bool:
    """Tell whether a person said this to the bot."""
    if message.author.bot or message.webhook_id or message.type not in _SAID:
        return False
    return message.guild is None or any(user.id == me for user in message.mentions)


def read_question(
    message: discord.Message, me: int, received: datetime
) -> Incoming | None:
    """Read a mention, a reply to the bot, or a direct message."""
    if not is_addressed(message, me):
        return None
    return _make_question(message, me, received, Action.ASK)


def read_edit(
    update: discord.RawMessageUpdateEvent, me: int, received: datetime
) -> Incoming | None:
    """Read a change of a message to the bot.

    Discord tells of previews and pins in the same way: those have no new text. What
    becomes a question only by the change is asked.
    """
    message, before = update.message, update.cached_message
    if message.edited_at is None or not is_addressed(message, me):
        return None
    if before is None:
        return _make_question(message, me, received, Action.EDITED)
    if not is_addressed(before, me):
        return _make_question(message, me, received, Action.ASK)
    if before.content == message.content:
        return None
    return _make_question(message, me, received, Action.EDITED)


def read_deletion(message: int, there: Where, received: datetime) -> Incoming:
    """Read the deletion of a message.

    Discord says neither whose it was nor what it said: whether it was a question, the
    inbox knows.
    """
    return Incoming(
        event=f"deleted:{message}",
        platform=Platform.DISCORD,
        action=Action.DELETED,
        place=there.place(message),
        person="",
        about=str(message),
        received=received,
    )


def _make_question(
    message: discord.Message, me: int, received: datetime, action: Action
) -> Incoming:
    guild = message.guild.id if message.guild else None
    there = locate(guild, message.channel.id, message.channel)
    event, about = str(message.id), _find_replied(message, me)
    if action is Action.EDITED and message.edited_at:
        event, about = f"edited:{message.id}:{message.edited_at.isoformat()}", event
    snapshots = message.message_snapshots
    shared = "\n".join(s.content for s in snapshots if s.content)
    own = _strip_mention(message.content, me)
    text, selection = with_forwarded(own, inert(shared).strip())
    return Incoming(
        event=event,
        platform=Platform.DISCORD,
        action=action,
        place=there.place(message.id),
        person=str(message.author.id),
        text=text,
        selection=selection,
        files=bool(message.attachments) or any(s.attachments for s in snapshots),
        attached=tuple(
            File(name=a.filename, size=a.size, url=a.url) for a in message.attachments
        ),
        about=about,
        roles=_list_roles(message.author),
        received=received,
    )


def _find_replied(message: discord.Message, me: int) -> str | None:
    """Find the message of the bot that this one replies to."""
    known = message.reference.resolved if message.reference else None
    if isinstance(known, discord.Message) and known.author.id == me:
        return str(known.id)
    return None


def _strip_mention(text: str, me: int) -> str:
    for mention in (f"<@{me}>", f"<@!{me}>"):
        text = text.replace(mention, " ")
    return inert(text).strip()


def _list_roles(person: discord.User | discord.Member) -> tuple[str, ...]:
    held = person.roles if isinstance(person, discord.Member) else ()
    return tuple(str(role.id) for role in held if not role.is_default())


# --- interactions -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """The request of an interaction; fields as in `Incoming`."""

    action: Action
    text: str = ""
    private: bool = True
    selection: str | None = None
    about: str | None = None
    audit_id: str | None = None
    choice: int | None = None
    reason: str | None = None


def read_interaction(
    interaction: discord.Interaction, doing: Request, received: datetime
) -> Incoming:
    """Read a command, a button or a form that was sent off."""
    there = locate(
        interaction.guild_id, interaction.channel_id or 0, interaction.channel
    )
    place = there.place(private=doing.private)
    return Incoming(
        event=str(interaction.id),
        platform=Platform.DISCORD,
        action=doing.action,
        place=place,
        person=str(interaction.user.id),
        text=inert(doing.text).strip(),
        selection=doing.selection,
        about=doing.about,
        audit_id=doing.audit_id,
        choice=doing.choice,
        reason=doing.reason,
        roles=_list_roles(interaction.user),
        admin=there.guild is not None and interaction.permissions.manage_channels,
        callback={
            APPLICATION: str(interaction.application_id),
            INTERACTION: str(interaction.id),
            TOKEN: interaction.token,
            PRIVATE: YES if place.private else NO,
        },
        respond_by=received + ANSWER_TIME,
        received=received,
    )


def read_press(interaction: discord.Interaction) -> Request | None:
    """Read a press of one of our buttons; None for others, or if it opens a form."""
    button = parse_custom_id(interaction)
    if button is None or button.action in OPENING:
        return None
    on = interaction.message
    asks = button.action in PRESSED_QUESTIONS
    return Request(
        action=button.action,
        private=not asks or on is None or on.flags.ephemeral,
        about=str(on.id) if on else None,
        audit_id=button.audit_id,
        choice=button.choice,
    )


def read_form(interaction: discord.Interaction) -> Request | None:
    """Read what was sent off in one of our forms; None where it is none of ours."""
    typed = _read_fields(interaction.data)
    if _read_custom_id(interaction) == ASK_ABOUT:
        selection = inert(typed.get(SELECTION, "")).strip()
        text = typed.get(QUESTION, "")
        return Request(Action.ASK, text=text, selection=selection or None)
    form = parse_custom_id(interaction)
    if form is None or form.action not in OPENING:
        return None
    on = interaction.message
    return Request(
        action=form.action,
        text=typed.get(QUESTION, ""),
        private=form.action is not Action.ASK or on is None or on.flags.ephemeral,
        about=str(on.id) if on else None,
        audit_id=form.audit_id,
        reason=inert(typed.get(REASON, "")).strip() or None,
    )


@dataclass(frozen=True, slots=True)
class CustomId:
    """The custom id of a button, or of the form that it opens."""

    action: Action
    audit_id: str
    choice: int | None = None


def parse_custom_id(interaction: discord.Interaction) -> CustomId | None:
    """Parse the custom id of a button or form; None where it is not ours."""
    name, _, audit_id = _read_custom_id(interaction).partition(":")
    action, choice = read_number(name)
    known = action in BUTTONS and audit_id
    return CustomId(Action(action), audit_id, choice) if known else None


def extract_text(message: discord.Message) -> str:
    """Extract the text of a chosen message, also one that is made of components."""
    shown = [markdown.read(part.content) for part in _find_displays(message.components)]
    return inert("\n".join([message.content, *shown])).strip()


def _read_custom_id(interaction: discord.Interaction) -> str:
    data: Mapping[str, object] = {**(interaction.data or {})}
    return str(data.get("custom_id", ""))


def _read_fields(node: object) -> dict[str, str]:
    """Read what was typed into the fields of a form, by their custom ids."""
    if isinstance(node, list):
        return {
            name: text for part in node for name, text in _read_fields(part).items()
        }
    if not isinstance(node, dict):
        return {}
    if isinstance(node.get("value"), str):
        return {str(node.get("custom_id", "")): node["value"]}
    return _read_fields([node.get("components"), node.get("component")])


def _find_displays(parts: Sequence[object]) -> Iterator[discord.components.TextDisplay]:
    for part in parts:
        if isinstance(part, discord.components.TextDisplay):
            yield part
        elif isinstance(part, discord.components.Container):
            yield from _find_displays(part.children)
