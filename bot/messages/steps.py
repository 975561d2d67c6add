"""What can be done about an event, and what deciding it needs to know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from adapters.mail import Incoming, Place, Platform
from adapters.reply import Reply
from engine.model.question import Question, Scope
from engine.policy.pack import Pack


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings say about conversations.

    `packs` holds the pack of what is bound to none; `admins` who runs the bot, as
    "slack:TEAM:USER" or "discord:USER"; `tenants` where alone a pack may answer, as
    "platform:tenant"; `ceiling` what a pack may spend a day, in millionths; the limits
    are questions a minute.
    """

    packs: Mapping[Platform, str | None]
    admins: frozenset[str] = frozenset()
    tenants: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ceiling: int | None = None
    per_person: int = 10
    per_channel: int = 60
    others: int = 30
    retention_days: int = 90

    def runs(self, incoming: Incoming) -> bool:
        """Whether this person runs the bot."""
        place = incoming.place
        home = f"{place.tenant}:" if place.platform is Platform.SLACK else ""
        return f"{place.platform}:{home}{incoming.person}" in self.admins

    def admits(self, pack: str, platform: Platform, tenant: str) -> bool:
        """Whether a pack may answer in a workspace or server."""
        limited = self.tenants.get(pack)
        return limited is None or f"{platform}:{tenant}" in limited


class Library(Protocol):
    """The policy packs that are installed."""

    def pack(self, name: str) -> Pack:
        """A pack by its id.

        Raises:
            UsageError: there is none of this name, or it is wrong.
        """
        ...

    def pack_names(self) -> Sequence[str]: ...

    def first_questions(self, name: str) -> Sequence[str]:
        """Questions to begin with, which a pack must answer; it may have none."""
        ...


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the engine, and answer where the event came from.

    Attributes:
        incoming: the event, private where the channel demands it.
        greeting: what first use has to say (R-U6).
        replaces: the messages of the earlier answer to an edited question (R-U4); None
            for a new question.
        remember: whose next question may lean on this one; None for nobody's.
        people: whether there are people whom the question can be passed on to.
    """

    incoming: Incoming
    question: Question
    pack: Pack
    greeting: str | None = None
    replaces: tuple[str, ...] | None = None
    remember: Place | None = None
    people: bool = False


@dataclass(frozen=True, slots=True)
class Say:
    """Say a fixed text.

    Attributes:
        aside: to the person alone.
        replaces: the messages of the earlier answer to an edited question (R-U4).
        people: ids of those whom the text names as mentions.
    """

    incoming: Incoming
    text: str
    aside: bool = False
    replaces: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Show:
    """Show the person what stands behind a reply."""

    incoming: Incoming
    what: Literal["more", "sources", "why"]
    reply: Reply


@dataclass(frozen=True, slots=True)
class PassOn:
    """Send a question with its evidence to people, and tell the asker so."""

    incoming: Incoming
    people: tuple[str, ...]
    question: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Remove:
    """Take the messages of a question away that was taken away (R-U4)."""

    incoming: Incoming
    posted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ignore:
    """Let it be, without a word: nobody spoke to the bot, or too much too often."""

    incoming: Incoming


@dataclass(frozen=True, slots=True)
class Wait:
    """Hear the event again, so many seconds from now."""

    after_s: float


Step = Ask | Say | Show | PassOn | Remove | Ignore | Wait


@dataclass(frozen=True, slots=True)
class Room:
    """What holds where an event came from.

    `incoming` is private where the channel demands it; `tags` are those of the person,
    `shared` those that everybody in the channel holds.
    """

    incoming: Incoming
    pack: Pack
    tags: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    people: tuple[str, ...] = ()

    @property
    def tenant(self) -> str:
        """The workspace or server, as a question names it."""
        return f"{self.incoming.place.platform}:{self.incoming.place.tenant}"

    def scope(self, tags: frozenset[str]) -> Scope:
        """What somebody here sees of the pack who holds these tags."""
        return Scope(pack=self.pack.id, tenant=self.tenant, tags=tags)
