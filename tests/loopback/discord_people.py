"""What people do on a loopback Discord: write, edit, type commands, press buttons."""

import secrets
import time
from collections.abc import Iterator, Mapping

from tests.loopback.discord_gateway import ALWAYS, Gateway
from tests.loopback.discord_messages import Scribe
from tests.loopback.discord_records import (
    ALL_PERMISSIONS,
    COMMAND,
    COMPONENT,
    DM,
    MODAL_SUBMIT,
    Channel,
    Interaction,
    Json,
    Message,
    Role,
    User,
    every,
)
from tests.loopback.discord_world import World

Value = str | int | float | bool
SUBCOMMAND, TEXT_INPUT = 1, 4
CHAT_INPUT, ON_MESSAGE = 1, 3
LONGEST_INPUT = 4_000
# What a value of an option may be, by the type that the command declares.
_VALUES: dict[int, type | tuple[type, ...]] = {
    3: str,
    4: int,
    5: bool,
    10: (int, float),
}
_ANYTHING = {"parse": ["users", "roles", "everyone"], "replied_user": True}


class People:
    """Acts for people; every act reaches the bot as the event it really is."""

    def __init__(self, world: World, gateway: Gateway, scribe: Scribe) -> None:
        self.world = world
        self.gateway = gateway
        self.scribe = scribe

    # -- messages

    def say(
        self,
        text: str,
        *,
        author: User | None = None,
        channel: Channel | None = None,
        reply_to: Message | None = None,
        ping: bool = True,
    ) -> Message:
        """Write a message; by default `alice` in `general`.

        Args:
            text: what it says; the bot reads it only if it is named in it, replied to
                with `ping`, or in a conversation of two.
            reply_to: the message it replies to, whose author is notified by `ping`.
        """
        channel = channel or self.world.general
        payload: Json = {"content": text, "allowed_mentions": dict(_ANYTHING)}
        if reply_to:
            place = {"message_id": reply_to.id, "channel_id": channel.id}
            payload["message_reference"] = place
            payload["allowed_mentions"]["replied_user"] = ping
        author = author or self.world.alice
        return self.scribe.write(payload, channel, "create", author=author)

    def mention(
        self,
        text: str,
        *,
        author: User | None = None,
        channel: Channel | None = None,
        reply_to: Message | None = None,
    ) -> Message:
        """Write a message that names the bot."""
        named = f"{self.world.bot.mention} {text}"
        return self.say(named, author=author, channel=channel, reply_to=reply_to)

    def whisper(self, text: str, *, author: User | None = None) -> Message:
        """Write to the bot alone."""
        channel = self.world.dm(author or self.world.alice)
        return self.say(text, author=author, channel=channel)

    def forward(self, message: Message, *, channel: Channel, text: str = "") -> Message:
        """Send somebody's message on, as `alice`; a client sends no text with it."""
        payload = {"content": text, "allowed_mentions": dict(_ANYTHING)}
        alice = self.world.alice
        return self.scribe.write(
            payload, channel, "create", author=alice, forwarded=message
        )

    def edit(self, message: Message, text: str) -> None:
        """Change what a message says."""
        self.scribe.change(message, {"content": text}, "edit")

    def delete(self, message: Message) -> None:
        """Take a message away."""
        self.scribe.delete(message)

    # -- interactions

    def slash(
        self,
        name: str,
        options: Mapping[str, Value] | None = None,
        *,
        author: User | None = None,
        channel: Channel | None = None,
    ) -> Interaction:
        """Type a command, as `ask` or, with its subcommand, `pack show`.

        Args:
            name: of the command.
            options: their values; of a person, channel or role its id.

        Raises:
            LookupError: the bot has registered no such command or option, or an
                option that it requires is missing.
        """
        channel = channel or self.world.general
        first, *below = name.split()
        command = self._command(first, CHAT_INPUT, channel)
        declared: Json = command
        for part in below:
            declared = _find(declared, part)
        given = list(_options(declared, options or {}))
        resolved = self._resolved(given)
        for part in reversed(below):
            given = [{"name": part, "type": SUBCOMMAND, "options": given}]
        data: Json = {"id": command["id"], "name": first, "type": CHAT_INPUT}
        data |= {"options": given, "resolved": resolved}
        return self._act(COMMAND, author, channel, data)

    def menu(
        self, name: str, message: Message, *, author: User | None = None
    ) -> Interaction:
        """Choose a command in the menu of a message, whose text the bot then reads.

        Raises:
            LookupError: the bot has registered no such command.
        """
        command = self._command(name, ON_MESSAGE, message.channel)
        data = {
            "id": command["id"],
            "name": name,
            "type": ON_MESSAGE,
            "target_id": message.id,
            "resolved": {"messages": {message.id: message.json()}},
        }
        return self._act(COMMAND, author, message.channel, data)

    def press(
        self, message: Message, custom_id: str, *, author: User | None = None
    ) -> Interaction:
        """Press a button of a message.

        Raises:
            LookupError: the message shows no such button, or it is disabled.
        """
        button = message.buttons.get(custom_id)
        if message.deleted or button is None or button.get("disabled"):
            raise LookupError(f"no button {custom_id!r}: {sorted(message.buttons)}")
        data = {"custom_id": custom_id, "component_type": 2, "id": button["id"]}
        return self._act(COMPONENT, author, message.channel, data, message)

    def submit(self, asked: Interaction, values: Mapping[str, str]) -> Interaction:
        """Send the modal that was the response to an interaction.

        Args:
            asked: the interaction that the modal answered.
            values: what was typed, by custom id of the field or by its label.

        Raises:
            LookupError: there is no modal, or no such field in it.
        """
        if asked.response is None or "title" not in asked.response.data:
            raise LookupError("the interaction was not answered by a modal")
        modal = asked.response.data
        typed = {_field(modal["components"], key): v for key, v in values.items()}
        shown = [_submitted(part, typed) for part in modal["components"]]
        data = {"custom_id": modal["custom_id"], "components": shown}
        channel, message = asked.channel, asked.message
        return self._act(MODAL_SUBMIT, asked.user, channel, data, message)

    def _resolved(self, options: list[Json]) -> Json:
        """The people, channels and roles that options name, in full."""
        roles = {role.id: role for g in self.world.guilds.values() for role in g.roles}
        held: dict[int, tuple[str, Mapping[str, User | Channel | Role]]] = {
            6: ("users", self.world.users),
            7: ("channels", self.world.channels),
            8: ("roles", roles),
        }
        found: Json = {}
        for option in options:
            if option["type"] in held:
                kind, things = held[option["type"]]
                shown = things[option["value"]].json()
                if kind == "channels":
                    shown["permissions"] = ALL_PERMISSIONS
                found.setdefault(kind, {})[option["value"]] = shown
        return found

    def _command(self, name: str, kind: int, channel: Channel) -> Json:
        """The command of the guild, or else the one of all places."""
        guild = channel.guild.id if channel.guild else None
        places = [self.world.commands.get(place, {}) for place in (guild, None)]
        for command in (c for place in places for c in place.values()):
            if (command["name"], command["type"]) == (name, kind):
                return command
        known = sorted(c["name"] for place in places for c in place.values())
        raise LookupError(f"no command {name!r}; registered are {known}")

    def _act(
        self,
        kind: int,
        author: User | None,
        channel: Channel,
        data: Json,
        message: Message | None = None,
    ) -> Interaction:
        number = self.world.snowflake()
        asked = Interaction(
            id=number,
            token=secrets.token_urlsafe(24),
            kind=kind,
            user=author or self.world.alice,
            channel=channel,
            data=data,
            born=time.monotonic(),
            message=message,
        )
        self.world.interactions[number] = self.world.tokens[asked.token] = asked
        self.world.record("interaction", interaction=number, type=kind, data=data)
        self.gateway.dispatch("INTERACTION_CREATE", self._event(asked), ALWAYS)
        return asked

    def _event(self, asked: Interaction) -> Json:
        channel, guild = asked.channel, asked.channel.guild
        event: Json = {
            "id": asked.id,
            "application_id": self.world.bot.id,
            "type": asked.kind,
            "token": asked.token,
            "version": 1,
            "data": asked.data,
            "channel_id": channel.id,
            "channel": channel.json() | {"permissions": ALL_PERMISSIONS},
            "locale": "en-US",
            "app_permissions": ALL_PERMISSIONS,
            "entitlements": [],
            "authorizing_integration_owners": {"0": guild.id if guild else "0"},
            "context": 1 if channel.kind == DM else 0,
            "attachment_size_limit": 10_485_760,
        }
        if asked.message:
            event["message"] = asked.message.json()
        if guild is None:
            return event | {"user": asked.user.json()}
        member = guild.member(asked.user) | {"permissions": ALL_PERMISSIONS}
        about = {"id": guild.id, "locale": "en-US", "features": []}
        event |= {"guild_id": guild.id, "guild": about, "guild_locale": "en-US"}
        return event | {"member": member}


def _find(declared: Json, name: str) -> Json:
    for option in declared.get("options", []):
        if option["name"] == name:
            found: Json = option
            return found
    raise LookupError(f"{declared['name']} declares no {name!r}")


def _options(declared: Json, given: Mapping[str, Value]) -> Iterator[Json]:
    """The options as they are sent, held against what the command declares."""
    for option in declared.get("options", []):
        if option.get("required") and option["name"] not in given:
            raise LookupError(f"{declared['name']} requires {option['name']!r}")
    for name, value in given.items():
        kind = _find(declared, name)["type"]
        if not isinstance(value, _VALUES.get(kind, str)):
            raise LookupError(f"{name} is of type {kind}, not {value!r}")
        yield {"name": name, "type": kind, "value": value}


def _typed(component: Json) -> bool:
    return bool(component["type"] == TEXT_INPUT)


def _field(components: list[Json], key: str) -> str:
    """The custom id of a field that is named by it or by its label."""
    for part in components:
        inside = [c for c in every([part]) if _typed(c)]
        for field in inside:
            if key in (field["custom_id"], field.get("label"), part.get("label")):
                return str(field["custom_id"])
    raise LookupError(f"the modal has no field {key!r}")


def _submitted(part: Json, typed: Mapping[str, str]) -> Json:
    """A part of a modal as it comes back."""
    shown = {"type": part["type"], "id": part.get("id", 1)}
    if part["type"] == TEXT_INPUT:
        value = typed.get(part["custom_id"], part.get("value", ""))
        least = part.get("min_length") or int(part.get("required", True))
        most = part.get("max_length") or LONGEST_INPUT
        if not least <= len(value) <= most:
            raise LookupError(f"{part['custom_id']} takes {least} to {most} characters")
        return shown | {"custom_id": part["custom_id"], "value": value}
    if "component" in part:
        inside = _submitted(part["component"], typed)
        return shown | {"component": inside}
    if "components" in part:
        below = [_submitted(c, typed) for c in part["components"]]
        return shown | {"components": below}
    return shown
