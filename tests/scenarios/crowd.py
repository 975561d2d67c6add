"""What people do with what they see: press, edit, take away, ask to be forgotten."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adapters.discord.names import OPENING
from adapters.mail import Action
from adapters.slack.names import FEEDBACK
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_records import Message as DiscordMessage
from tests.loopback.slack import SlackServer
from tests.loopback.slack_events import found
from tests.loopback.slack_state import Json, Message, Private

PRESSED = (Action.SOURCES, Action.WHY, Action.ASK_AGAIN)
SHOWN_ROWS = ("actions", "context_actions")


class Crowd:
    """Everybody on both platforms; each act says whether there was something to do.

    `gone` is what people took away: platform, channel and message.
    """

    def __init__(self, slack: SlackServer, discord: DiscordServer) -> None:
        self._slack = slack
        self._discord = discord
        self.gone: list[tuple[str, str, str]] = []
        self.acts: Mapping[str, Callable[[random.Random], bool]] = {
            "slack_command": self._command,
            "slack_press": self._press,
            "slack_thumb": self._thumb,
            "slack_edit": self._edit,
            "slack_delete": self._delete,
            "slack_forget": self._forget,
            "discord_press": self._press_there,
            "discord_edit": self._edit_there,
            "discord_delete": self._delete_there,
            "discord_forget": self._forget_there,
        }

    # --- Slack ------------------------------------------------------------------------

    def _command(self, chance: random.Random) -> bool:
        channel, person = self._somewhere(chance)
        self._slack.people.command(channel, person, f"/ask {question(chance)}")
        return True

    def _forget(self, chance: random.Random) -> bool:
        channel, person = self._somewhere(chance)
        self._slack.people.command(channel, person, "/ask-admin forget me")
        return True

    def _press(self, chance: random.Random) -> bool:
        shown = _any(chance, self._replies())
        if shown is None:
            return False
        offered = [a for a in PRESSED if _offers(shown, a)]
        if not offered:
            return False
        self._slack.people.click(self._person(chance), shown, chance.choice(offered))
        return True

    def _thumb(self, chance: random.Random) -> bool:
        shown = _any(chance, self._replies())
        if shown is None or not _offers(shown, FEEDBACK):
            return False
        _, element = found(list(shown.blocks), FEEDBACK)
        value = element["positive_button"]["value"]
        self._slack.people.click(self._person(chance), shown, FEEDBACK, value)
        return True

    def _edit(self, chance: random.Random) -> bool:
        asked = _any(chance, self._asked())
        if asked is None:
            return False
        bot = self._slack.workspace.teams[asked.team].bot_user
        text = f"<@{bot}> {question(chance)}"
        self._slack.people.edit(asked.channel, asked.ts, text)
        return True

    def _delete(self, chance: random.Random) -> bool:
        asked = _any(chance, self._asked())
        if asked is None:
            return False
        self._slack.people.delete(asked.channel, asked.ts)
        self.gone.append(("slack", asked.channel, asked.ts))
        return True

    def _somewhere(self, chance: random.Random) -> tuple[str, str]:
        rooms = [c for c in self._slack.workspace.channels if c.startswith("C")]
        return chance.choice(sorted(set(rooms) - {"C1"})), self._person(chance)

    def _person(self, chance: random.Random) -> str:
        people = set(self._slack.workspace.people) - {"U1", "U2"}
        return chance.choice(sorted(p for p in people if p.startswith("U1")))

    def _replies(self) -> list[Message]:
        return [post for post in self._slack.workspace.posts if not post.deleted]

    def _asked(self) -> list[Message]:
        """What people said to the bot in channels."""
        return [
            message
            for channel in self._slack.workspace.channels.values()
            if channel.kind == "channel"
            for message in channel.messages.values()
            if message.bot is None and not message.deleted and message.subtype is None
        ]

    # --- Discord ----------------------------------------------------------------------

    def _press_there(self, chance: random.Random) -> bool:
        shown = _any(chance, [p for p in self._discord.posts if not p.ephemeral])
        opening = {action.value for action in OPENING}
        offered = [
            name
            for name in (shown.buttons if shown else {})
            if name.partition(":")[0] not in opening
        ]
        if shown is None or not offered:
            return False
        author = chance.choice(self._people())
        self._discord.people.press(shown, chance.choice(offered), author=author)
        return True

    def _edit_there(self, chance: random.Random) -> bool:
        asked = _any(chance, self._asked_there())
        if asked is None:
            return False
        bot = self._discord.world.bot.mention
        self._discord.people.edit(asked, f"{bot} {question(chance)}")
        return True

    def _delete_there(self, chance: random.Random) -> bool:
        asked = _any(chance, self._asked_there())
        if asked is None:
            return False
        self._discord.people.delete(asked)
        self.gone.append(("discord", asked.channel.id, asked.id))
        return True

    def _forget_there(self, chance: random.Random) -> bool:
        world = self._discord.world
        if not world.commands[None]:
            return False
        room = next(c for c in world.channels.values() if c.name.startswith("room-"))
        author = chance.choice(self._people())
        self._discord.people.slash("forget", author=author, channel=room)
        return True

    def _people(self) -> list[Any]:
        users = self._discord.world.users.values()
        return [user for user in users if user.name.startswith("person-")]

    def _asked_there(self) -> list[DiscordMessage]:
        world = self._discord.world
        rooms = {c.id for c in world.channels.values() if c.name.startswith("room-")}
        return [
            message
            for message in world.messages.values()
            if message.author is not world.bot
            and message.channel.id in rooms
            and not message.deleted
        ]

    # --- what they see ----------------------------------------------------------------

    def shown(self) -> list[Json]:
        """Every message of the bot that somebody sees now."""
        workspace = self._slack.workspace
        private = [p for p in workspace.privates if not p.gone and p.way != "ack"]
        return [
            *(_on_slack(post) for post in self._replies()),
            *(_on_slack(whisper) for whisper in private),
            *(_on_discord(post) for post in self._discord.posts),
        ]


def question(chance: random.Random) -> str:
    """One that nobody asked before."""
    return f"How is it treated {chance.randrange(10**9)}?"


def _any(chance: random.Random, of: list[Any]) -> Any:
    return chance.choice(of) if of else None


def _offers(shown: Message, action: str) -> bool:
    try:
        return bool(found(list(shown.blocks), action))
    except LookupError:
        return False


def _on_slack(shown: Message | Private) -> Json:
    blocks = list(shown.blocks)
    rows = [block for block in blocks if block["type"] in SHOWN_ROWS]
    values = [value for value in _every(rows, "value") if ":" not in value]
    named = getattr(shown, "metadata", None) or {}
    return {
        "platform": "slack",
        "id": shown.ts,
        "nonce": named.get("event_payload", {}).get("nonce"),
        "event": None,
        "private": isinstance(shown, Private),
        "text": "\n".join(_every(blocks, "text")) or shown.text,
        "audit_id": values[0] if values else None,
    }


def _on_discord(shown: DiscordMessage) -> Json:
    ids = [name.partition(":")[2] for name in shown.buttons]
    return {
        "platform": "discord",
        "id": shown.id,
        "nonce": shown.nonce,
        "event": shown.interaction.id if shown.interaction else None,
        "private": shown.ephemeral,
        "text": shown.text,
        "audit_id": ids[0] if ids else None,
    }


def _every(node: object, name: str) -> Iterator[str]:
    """Every string under this name, however deep."""
    if isinstance(node, list):
        for below in node:
            yield from _every(below, name)
    elif isinstance(node, dict):
        for key, below in node.items():
            if key == name and isinstance(below, str):
                yield below
            else:
                yield from _every(below, name)
