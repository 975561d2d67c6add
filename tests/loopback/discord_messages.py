"""How a payload becomes a message of a loopback Discord, and how it changes one."""

import copy
import re
from collections.abc import Callable
from datetime import UTC, datetime

from tests.loopback.discord_errors import Refused, invalid, unknown, wrong
from tests.loopback.discord_gateway import Gateway
from tests.loopback.discord_records import (
    COMPONENTS_V2,
    EPHEMERAL,
    LOADING,
    SUPPRESS_EMBEDS,
    Channel,
    Interaction,
    Json,
    Message,
    User,
    every,
)
from tests.loopback.discord_world import World
from tests.platforms.discord_limits import Call, message_problems

KEPT_FLAGS = SUPPRESS_EMBEDS | COMPONENTS_V2  # what an edit may change
_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYONE = re.compile(r"@(everyone|here)")
# Whom a call notifies that does not say whom it may.
_EVERY_KIND, _USERS = ["users", "roles", "everyone"], ["users"]


class Scribe:
    """Writes, changes and deletes messages, and lets the gateway tell of it."""

    def __init__(self, world: World, gateway: Gateway) -> None:
        self.world = world
        self.gateway = gateway

    def write(
        self,
        payload: Json,
        channel: Channel,
        call: Call,
        *,
        author: User | None = None,
        answers: Interaction | None = None,
        forwarded: Message | None = None,
    ) -> Message:
        """A new message.

        Args:
            payload: what the call carries.
            author: who writes; the bot, if nobody else.
            answers: the interaction that it answers.
            forwarded: the message that it sends on.

        Raises:
            Refused: it breaks a limit, or what it replies to does not exist.
        """
        if forwarded is None:
            check(payload, call)
        author = author or self.world.bot
        reference = self._reference(payload, channel)
        if payload.get("enforce_nonce") and payload.get("nonce") is not None:
            same = self.world.same(author, payload["nonce"])
            if same and same.deleted:
                raise unknown("Message")
            if same:
                return same
        message = Message(
            id=self.world.snowflake(),
            channel=channel,
            author=author,
            content=payload.get("content") or "",
            components=numbered(payload.get("components") or []),
            embeds=payload.get("embeds") or [],
            flags=payload.get("flags") or 0,
            nonce=payload.get("nonce"),
            reference=reference,
            interaction=answers,
            forwarded=forwarded,
            sent=payload,
        )
        self._notify(message, payload, _EVERY_KIND if call == "create" else _USERS)
        self.world.keep(message)
        self.gateway.tell("MESSAGE_CREATE", message)
        return message

    def wait(self, interaction: Interaction, payload: Json) -> Message:
        """A message that says that the bot is thinking."""
        flags = LOADING | ((payload.get("flags") or 0) & EPHEMERAL)
        message = Message(
            id=self.world.snowflake(),
            channel=interaction.channel,
            author=self.world.bot,
            flags=flags,
            interaction=interaction,
            sent=payload,
        )
        self.world.keep(message)
        self.gateway.tell("MESSAGE_CREATE", message)
        return message

    def change(self, message: Message, payload: Json, call: Call) -> Message:
        """Edit a message: what the payload does not name stays as it was.

        Raises:
            Refused: it breaks a limit, mixes old fields with Components V2, or would
                leave the message empty.
        """
        was_v2 = bool(message.flags & COMPONENTS_V2)
        check(payload, call, v2=was_v2)
        flags = payload.get("flags")
        if flags is not None:
            kept = message.flags & ~SUPPRESS_EMBEDS
            flags = kept | (flags & KEPT_FLAGS)
        flags = (message.flags if flags is None else flags) & ~LOADING
        content = payload.get("content", message.content) or ""
        embeds = payload.get("embeds", message.embeds) or []
        components = payload.get("components", message.components) or []
        if flags & COMPONENTS_V2 and (content or embeds):
            field = "content" if content else "embeds"
            text = "cannot be used with Components V2: set it to null first"
            code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
            raise wrong(field, code, text)
        if not (content.strip() or embeds or components):
            raise Refused(400, 50006, "Cannot send an empty message")
        message.edits.append(payload)
        message.content, message.embeds, message.flags = content, embeds, flags
        if "components" in payload:
            message.components = numbered(components)
        message.edited = datetime.now(UTC).isoformat()
        self.world.record("edit", message=message)
        self.gateway.tell("MESSAGE_UPDATE", message)
        return message

    def delete(self, message: Message) -> None:
        """Take a message away."""
        message.deleted = True
        self.world.record("delete", message=message)
        self.gateway.forget(message)

    def _reference(self, payload: Json, channel: Channel) -> Message | None:
        reference = payload.get("message_reference")
        if not isinstance(reference, dict):
            return None
        found = self.world.messages.get(str(reference["message_id"]))
        there = found and not found.deleted and not found.ephemeral
        if found and there and found.channel is channel:
            return found
        if reference.get("fail_if_not_exists", True):
            code, text = "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message"
            raise wrong("message_reference", code, text)
        return None

    def _notify(self, message: Message, payload: Json, default: list[str]) -> None:
        """Whom the message notifies, as its `allowed_mentions` let it."""
        allowed = payload.get("allowed_mentions") or {"parse": default}
        parsed = allowed.get("parse") or []
        named = _allowed(parsed, "users", allowed)
        for number in dict.fromkeys(_USER.findall(message.text)):
            if named(number) and number in self.world.users:
                message.mentions.append(self.world.users[number])
        role = _allowed(parsed, "roles", allowed)
        found = dict.fromkeys(_ROLE.findall(message.text))
        message.roles = [number for number in found if role(number)]
        everyone = bool(_EVERYONE.search(message.text))
        message.everyone = everyone and "everyone" in parsed
        replied = allowed.get("replied_user", "allowed_mentions" not in payload)
        reference = message.reference
        if reference and replied and reference.author not in message.mentions:
            message.mentions.append(reference.author)


def _allowed(parsed: list[str], kind: str, allowed: Json) -> Callable[[str], bool]:
    listed = {str(number) for number in allowed.get(kind) or []}
    return lambda number: kind in parsed or number in listed


def check(payload: Json, call: Call, *, v2: bool = False) -> None:
    """Hold a payload to the documented limits.

    Raises:
        Refused: it breaks one.
    """
    problems = message_problems(payload, call, v2=v2)
    if problems:
        raise invalid(problems)


def numbered(components: list[Json]) -> list[Json]:
    """The components, each with an id, as the platform numbers those without one."""
    made = copy.deepcopy(components)
    taken = {component.get("id") for component in every(made)}
    free = (number for number in range(1, 10_000) if number not in taken)
    for component in every(made):
        component["id"] = component.get("id") or next(free)
    return made
