"""Events from a platform and replies to it, as plain records.

A platform's listener converts a payload to an `Incoming`; the inbox keeps it until it
is answered. A reply becomes `Part`s: each is one call to a platform, which posts, edits
or deletes a message. They are independent of SDKs, so inbox, outbox and delivery are
the same for both platforms.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Protocol

from pydantic import Field, JsonValue, model_validator

from engine.model.frozen import Frozen
from engine.text.talk import reads_as_question

NONCE = 25  # characters, at most: Discord's limit
Payload = Mapping[str, JsonValue]


class Platform(StrEnum):
    SLACK = "slack"
    DISCORD = "discord"


class Action(StrEnum):
    """The kind of a person's request to the bot."""

    ASK = "ask"
    EDITED = "edited"  # the question of an earlier ASK was changed
    DELETED = "deleted"  # … or deleted
    STOP = "stop"  # what is being asked in a thread is not wanted any more
    MORE = "more"  # the rest of an answer
    SOURCES = "sources"
    WHY = "why"
    ASK_AGAIN = "ask_again"  # in the sources' own words
    CHOOSE = "choose"  # one of the choices of a refusal
    NONE_OF_THESE = "none_of_these"  # none of the choices
    TELL_ME = "tell_me"  # when a refused question can be answered
    HELPFUL = "helpful"
    NOT_HELPFUL = "not_helpful"
    ASK_PERSON = "ask_person"
    BIND = "bind"  # a pack to a channel; only from an administrator
    PAUSE = "pause"  # only from an administrator
    RESUME = "resume"
    MY_DATA = "my_data"
    FORGET = "forget"


# Turned away by a full inbox; the last two are buttons, answered beside a reply.
QUESTIONS = frozenset({Action.ASK, Action.ASK_AGAIN, Action.CHOOSE})
PRESSED_QUESTIONS = QUESTIONS - {Action.ASK}
ABOUT_DATA = frozenset({Action.MY_DATA, Action.FORGET})  # replies without an owner

DIRECT = "dm"  # the tenant of direct messages on Discord
DIRECT_CHANNELS = ("D", "U", "W")  # prefixes of Slack's: of their ids or the person's


class Place(Frozen):
    """The place of an event, to which the reply goes.

    Attributes:
        tenant: workspace or guild; "dm" for a Discord direct message.
        channel: of the platform.
        thread: the thread of the channel to post into. On Slack a timestamp.
        message: the message to reply to; None for a command.
        private: whether only the asker will see the reply (direct or ephemeral).
    """

    platform: Platform
    tenant: str
    channel: str
    thread: str | None = None
    message: str | None = None
    private: bool = False

    @property
    def direct(self) -> bool:
        """Tell whether the place is somebody's direct messages with the bot."""
        if self.platform is Platform.DISCORD:
            return self.tenant == DIRECT
        return self.channel.startswith(DIRECT_CHANNELS)


class File(Frozen):
    """A file as a platform names it; `url` is where the platform keeps it."""

    name: str
    size: int
    url: str


class Incoming(Frozen):
    """One event of a person, stored in the inbox before it is acknowledged.

    Attributes:
        event: the platform's unique id of it; with its platform the key of the inbox.
        subject: the message, where two events may be about the same one (Slack sends a
            mention and a message); a second event with a subject is a repeat.
        person: the platform's id of the person; never logged, pseudonymised later.
        text: the question, without the mention of the bot.
        files: whether a picture or another file came with the text.
        attached: the files that the platform stores, with their addresses.
        selection: the selected text.
        about: the message that a button, edit or deletion belongs to.
        audit_id: audit id of the outcome that a button belongs to.
        choice: number of the choice, from 1.
        reason: why an answer did not help; or the argument of a command.
        addressed: False for a message in a thread without a mention of the bot, which
            is answered only where the thread is the bot's.
        roles: roles of the person in the guild, for access tags.
        admin: whether the person may administer the channel, by the platform.
        callback: the secrets for a reply to an interaction (token, URL).
        respond_by: the time at which that callback ends.
    """

    event: str
    platform: Platform
    action: Action
    place: Place
    person: str
    text: str = ""
    files: bool = False
    attached: tuple[File, ...] = ()
    subject: str | None = None
    selection: str | None = None
    about: str | None = None
    audit_id: str | None = None
    choice: int | None = None
    reason: str | None = None
    addressed: bool = True
    roles: tuple[str, ...] = ()
    admin: bool = False
    callback: Mapping[str, str] = Field(default_factory=dict)
    respond_by: datetime | None = None
    received: datetime

    @model_validator(mode="before")
    @classmethod
    def _without_gap(cls, given: object) -> object:
        """Drop fields of older rows, which had a gap board in chat."""
        if not isinstance(given, dict):
            return given
        return {n: v for n, v in given.items() if n not in {"gap", "passage"}}


class Method(StrEnum):
    """The way in which a part is delivered."""

    POST = "post"  # a message in the place, for everybody there
    WHISPER = "whisper"  # an ephemeral message, visible to the asker alone
    RESPOND = "respond"  # through the callback of the interaction
    UPDATE = "update"  # replaces the message `Part.message`
    DELETE = "delete"


class Part(Frozen):
    """One call to the platform.

    `nonce` is the same in every attempt, so that a part becomes visible once: Discord
    checks it, and on Slack it is found in the metadata of the thread.
    """

    nonce: Annotated[str, Field(min_length=1, max_length=NONCE)]
    method: Method
    payload: Payload
    message: str | None = None


def nonce(incoming: Incoming, number: int) -> str:
    """Make the nonce of a part of the reply to an event, by its number from 0."""
    named = f"{incoming.platform}|{incoming.event}|{number}".encode()
    return base64.b32encode(hashlib.sha256(named).digest()).decode()[:24]


def numbered(action: Action, number: int) -> str:
    """Make the name of a button that is one of several: "choose.2"."""
    return f"{action}.{number}"


def read_number(name: str) -> tuple[str, int | None]:
    """Split the name of a button into action and number; None without a number.

    A name with another number is not a button of ours and stays as it is.
    """
    action, _, number = name.partition(".")
    if action == Action.CHOOSE and len(number) == 1 and number in "123456789":
        return action, int(number)
    return name, None


class Accepted(StrEnum):
    """The result of accepting an event."""

    NEW = "new"
    REPEAT = "repeat"
    FULL = "full"  # too many questions are waiting: say that the bot is busy


class Outgoing(Frozen):
    """A reply that is being posted: its parts, and the ids of those already visible.

    `attempts` includes this one; from the second on a part may be visible without a
    record of it.
    """

    id: int
    place: Place
    parts: tuple[Part, ...]
    posted: Mapping[str, str] = Field(default_factory=dict)
    callback: Mapping[str, str] = Field(default_factory=dict)
    respond_by: datetime | None = None
    person: str
    attempts: int


# Errors on the side of Slack and Discord, in the words of our posters: "post:
# internal_error", "post: http_502", "post: 500, code 0".
_FAILED_INSIDE = re.compile(
    r"\b(internal_error|fatal_error|service_unavailable|http_5\d\d|5\d\d, code)\b"
)
_THREAD_GONE = "thread_not_found"
# … and where they do not take the form of a message, whatever it says.
FORM_REFUSED = re.compile(
    r"\b(invalid_blocks(_format)?|msg_blocks_too_long|code 50035)\b"
)


class PostFailed(Exception):
    """The platform did not accept a part.

    The message ends with the platform's code for it.

    Attributes:
        after: seconds to wait before the next attempt; None where one is pointless (the
            channel is gone, the bot was removed).
    """

    def __init__(self, message: str, after: float | None) -> None:
        super().__init__(message)
        self.after = after

    @property
    def answered(self) -> bool:
        """Tell whether the platform was reached and failed on this part.

        It is False where the platform did not answer or limits the rate.
        """
        return _FAILED_INSIDE.search(str(self)) is not None

    @property
    def form_refused(self) -> bool:
        """Tell whether the platform refuses the layout, but may accept the words."""
        return FORM_REFUSED.search(str(self)) is not None

    @property
    def thread_gone(self) -> bool:
        """Tell whether the first message of the thread was deleted."""
        return _THREAD_GONE in str(self)


class Post(Protocol):
    """The platform's side of the outbox."""

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        """Make a part visible exactly once and return the id of the message.

        From the second attempt on, check first whether it is visible already.

        Raises:
            PostFailed: it was not accepted; with the time of the next attempt.
        """
        ...


class Door(Protocol):
    """The part of the inbox that a platform's listener gets.

    `answering` says whether a worker is running to answer events.
    """

    @property
    def answering(self) -> bool: ...

    async def accept(self, incoming: Incoming) -> Accepted:
        """Commit an event; only then may its arrival be acknowledged.

        Raises:
            LedgerFailed: it could not be committed: do not acknowledge it.
        """
        ...


def with_forwarded(own: str, shared: str) -> tuple[str, str | None]:
    """Return the question and the selected text of a message that forwards another.

    A forwarded question is the question, whatever text is above it ("can you answer
    this?"). Another forwarded text is the selection, or the question where it is
    alone.
    """
    if not shared:
        return own, None
    if not own or shared.endswith("?") or reads_as_question(shared):
        return shared, None
    return own, shared
