"""What comes in from a platform and what goes back out, as plain nouns.

A doorbell turns a platform's payload into an `Incoming`; the inbox keeps it until it is
answered. A reply becomes `Part`s: what one call to a platform posts, edits or deletes.
Neither names an SDK, so inbox, outbox and delivery are the same for both platforms.
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
    """What a person asks the bot to do."""

    ASK = "ask"
    EDITED = "edited"  # the question of an earlier ASK was changed (R-U4)
    DELETED = "deleted"  # … or taken away
    STOP = "stop"  # what is being asked in a thread is not wanted any more
    MORE = "more"  # of an answer, what was not shown at once (R-A3)
    SOURCES = "sources"
    WHY = "why"
    ASK_AGAIN = "ask_again"  # in the sources' own words (R-A13)
    CHOOSE = "choose"  # what a refusal offers (R-Q5)
    NONE_OF_THESE = "none_of_these"  # nothing of it was meant
    TELL_ME = "tell_me"  # when what was refused can be answered (R-D6)
    HELPFUL = "helpful"
    NOT_HELPFUL = "not_helpful"
    ASK_PERSON = "ask_person"
    BIND = "bind"  # a pack to a channel; only from an administrator
    PAUSE = "pause"  # R-U5; only from an administrator
    RESUME = "resume"
    MY_DATA = "my_data"  # R-S5
    FORGET = "forget"


# What a full inbox turns away; the last two are pressed, and answered beside a reply.
QUESTIONS = frozenset({Action.ASK, Action.ASK_AGAIN, Action.CHOOSE})
PRESSED_QUESTIONS = QUESTIONS - {Action.ASK}
ABOUT_DATA = frozenset({Action.MY_DATA, Action.FORGET})  # the replies are nobody's

DIRECT = "dm"  # the tenant of direct messages on Discord
DIRECT_CHANNELS = ("D", "U", "W")  # how Slack's begin: by their id, or the person's


class Place(Frozen):
    """Where something was said, and so where the reply goes.

    Attributes:
        tenant: workspace or guild; "dm" for a Discord direct message.
        channel: of the platform.
        thread: of the channel: what the reply is posted into. Slack: a timestamp.
        message: what was said there, to reply to; None for a command.
        private: only the asker will see the reply (a direct message, an ephemeral).
    """

    platform: Platform
    tenant: str
    channel: str
    thread: str | None = None
    message: str | None = None
    private: bool = False

    @property
    def direct(self) -> bool:
        """Whether these are somebody's direct messages with the bot."""
        if self.platform is Platform.DISCORD:
            return self.tenant == DIRECT
        return self.channel.startswith(DIRECT_CHANNELS)


class File(Frozen):
    """A file as a platform names it; `url` is where the platform keeps it."""

    name: str
    size: int
    url: str


class Incoming(Frozen):
    """One thing a person did, kept in the inbox before it is acknowledged.

    Attributes:
        event: the platform's id of it, unique; with its platform the key of the inbox.
        subject: what it is about, where two events may tell of the same thing (Slack
            sends a mention and a message): a second one with this subject is a repeat.
        person: the platform's id of the person; never logged, pseudonymised beyond.
        text: the question, without the mention of the bot.
        files: whether a picture or another file came with the text (R-U10).
        attached: those that the platform keeps and says where.
        selection: the selected text (R-A6).
        about: the message that a button, edit or deletion belongs to.
        audit_id: of the outcome that a button belongs to.
        choice: which of its choices is meant, from 1.
        reason: why an answer did not help; or the argument of a command.
        addressed: False for what was said in a thread without naming the bot: answered
            only where the thread is the bot's.
        roles: of the person in the guild, for access tags.
        admin: whether the platform says that the person may administer the channel.
        callback: what a reply to an interaction needs (token, URL); a secret.
        respond_by: when that callback ends.
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
        """Leave out what rows of before name: gaps had a board in chat."""
        if not isinstance(given, dict):
            return given
        return {n: v for n, v in given.items() if n not in {"gap", "passage"}}


class Method(StrEnum):
    """How a part is delivered."""

    POST = "post"  # a message in the place, for everybody there
    WHISPER = "whisper"  # only the asker sees it
    RESPOND = "respond"  # through the callback of the interaction
    UPDATE = "update"  # instead of the message `Part.message`
    DELETE = "delete"


class Part(Frozen):
    """One call to the platform.

    `nonce` is the same in every attempt, so that a part is visible once: Discord keeps
    it, Slack finds it in the metadata of the thread.
    """

    nonce: Annotated[str, Field(min_length=1, max_length=NONCE)]
    method: Method
    payload: Payload
    message: str | None = None


def nonce(incoming: Incoming, number: int) -> str:
    """The nonce of the part with this number (from 0) of the reply to an event."""
    named = f"{incoming.platform}|{incoming.event}|{number}".encode()
    return base64.b32encode(hashlib.sha256(named).digest()).decode()[:24]


def numbered(action: Action, number: int) -> str:
    """The name of a button that is one of several: "choose.2"."""
    return f"{action}.{number}"


def read_number(name: str) -> tuple[str, int | None]:
    """The action and the number in the name of a button; no number where it has none.

    What is no number of ours is no button of ours: the name stays as it is.
    """
    action, _, number = name.partition(".")
    if action == Action.CHOOSE and len(number) == 1 and number in "123456789":
        return action, int(number)
    return name, None


class Accepted(StrEnum):
    """What became of an event at the door."""

    NEW = "new"
    REPEAT = "repeat"
    FULL = "full"  # too many questions are waiting: say that the bot is busy


class Outgoing(Frozen):
    """A reply on its way: its parts, and the ids of those that are visible already.

    `attempts` counts this one; from the second on a part may be visible without our
    knowing it.
    """

    id: int
    place: Place
    parts: tuple[Part, ...]
    posted: Mapping[str, str] = Field(default_factory=dict)
    callback: Mapping[str, str] = Field(default_factory=dict)
    respond_by: datetime | None = None
    person: str
    attempts: int


# What Slack and Discord answer where something failed on their side, in the words of
# our posters: "post: internal_error", "post: http_502", "post: 500, code 0".
_FAILED_INSIDE = re.compile(
    r"\b(internal_error|fatal_error|service_unavailable|http_5\d\d|5\d\d, code)\b"
)
_THREAD_GONE = "thread_not_found"
# … and where they do not take the form of a message, whatever it says.
FORM_REFUSED = re.compile(
    r"\b(invalid_blocks(_format)?|msg_blocks_too_long|code 50035)\b"
)


class PostFailed(Exception):
    """The platform did not take a part.

    The message ends with the platform's own word for it.

    Attributes:
        after: seconds to wait before the next attempt; None if there is no point in one
            (the channel is gone, the bot was removed).
    """

    def __init__(self, message: str, after: float | None) -> None:
        super().__init__(message)
        self.after = after

    @property
    def answered(self) -> bool:
        """Whether the platform was reached, and failed over this part.

        Not so where nobody answered, or all was too much: another time may do.
        """
        return _FAILED_INSIDE.search(str(self)) is not None

    @property
    def form_refused(self) -> bool:
        """Whether the platform does not take the layout, but may take the words."""
        return FORM_REFUSED.search(str(self)) is not None

    @property
    def thread_gone(self) -> bool:
        """Whether what the thread began with was taken away."""
        return _THREAD_GONE in str(self)


class Post(Protocol):
    """The platform's side of the outbox."""

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        """Make a part visible exactly once; the id of the message.

        Looks first, from the second attempt on, whether it is visible already.

        Raises:
            PostFailed: it was not taken; when to try again.
        """
        ...


class Door(Protocol):
    """What a doorbell is handed: the inbox, and nothing else of the bot.

    `answering` says whether somebody is there to answer what comes in.
    """

    @property
    def answering(self) -> bool: ...

    async def accept(self, incoming: Incoming) -> Accepted:
        """Commit it. Only then may the platform be told that it arrived.

        Raises:
            LedgerFailed: it could not be committed: do not acknowledge.
        """
        ...


def with_forwarded(own: str, shared: str) -> tuple[str, str | None]:
    """What is asked, and of which text, where a message forwards another (R-U10).

    A forwarded question is what is asked, whatever was said above it ("can you answer
    this?"); another text is what is asked about, or all that was said.
    """
    if not shared:
        return own, None
    if not own or shared.endswith("?") or reads_as_question(shared):
        return shared, None
    return own, shared
