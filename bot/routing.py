"""Route an event: which pack answers where it came from, and what may be asked there.

A channel is bound to a pack, or has its platform's; a pack may be forbidden on the
platform, limited to some workspaces, or paused. Why none answers is said in words that
name no pack of other places. How much a person and a channel may ask within a minute is
counted here. What comes of an event is a `Step`.

Access tags: everybody in a channel holds those of its binding. Those that a role gives
count only where the asker alone sees the reply; in public they would show a channel
what only some of it may see.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, Protocol

from adapters.ledger.mail_records import Binding, Claimed, Limit, Most
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Incoming, Place, Platform
from adapters.reply import Reply
from bot.messages import wording
from bot.serving.readiness import Readiness
from config import settings as configuration
from config.settings import Settings
from engine.conclude.notices import format_header
from engine.model.errors import LedgerFailed, UsageError
from engine.model.ports import Clock
from engine.model.question import Basis, Question, Scope
from engine.parse.dates import today_in
from engine.policy.pack import Pack

MILLIONTHS = 1_000_000  # of one unit of `budget.cost`
WINDOW = timedelta(minutes=1)  # in which events are counted


# --- what the settings say --------------------------------------------------------


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
        """Tell whether this person runs the bot."""
        place = incoming.place
        home = f"{place.tenant}:" if place.platform is Platform.SLACK else ""
        return f"{place.platform}:{home}{incoming.person}" in self.admins

    def admits(self, pack: str, platform: Platform, tenant: str) -> bool:
        """Tell whether a pack may answer in a workspace or server."""
        limited = self.tenants.get(pack)
        return limited is None or f"{platform}:{tenant}" in limited


def read_rules(settings: Settings, installed: Collection[str]) -> Rules:
    """Read the rules of one process.

    Args:
        settings: the environment's.
        installed: the names of the packs.

    Raises:
        UsageError: a limit names no pack, so that the one that was meant would answer
            everywhere.
    """
    for name in settings.pack_tenants:
        if name not in installed:
            raise UsageError(
                f"{configuration.name('pack_tenants')}: no pack is called {name!r}"
            )
    ceiling = settings.daily_ceiling
    return Rules(
        packs={
            Platform.SLACK: settings.slack_pack,
            Platform.DISCORD: settings.discord_pack,
        },
        admins=frozenset(settings.admins),
        tenants=settings.pack_tenants,
        ceiling=None if ceiling is None else round(ceiling * MILLIONTHS),
        per_person=settings.person_limit,
        per_channel=settings.channel_limit,
        retention_days=settings.retention_days,
    )


class Library(Protocol):
    """The policy packs that are installed."""

    def pack(self, name: str) -> Pack:
        """Return a pack by its id.

        Raises:
            UsageError: there is none of this name, or it is wrong.
        """
        ...

    def pack_names(self) -> Sequence[str]: ...

    def first_questions(self, name: str) -> Sequence[str]:
        """Return questions to begin with, which a pack must answer, if any."""
        ...


# --- steps ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the engine, and answer where the event came from.

    Attributes:
        incoming: the event, private where the channel demands it.
        greeting: what first use has to say.
        replaces: the messages of the earlier answer to an edited question; None
            for a new question.
        remember: whose next question may lean on this one; None: no question.
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
        replaces: the messages of the earlier answer to an edited question.
        people: ids of those whom the text names as mentions.
    """

    incoming: Incoming
    text: str
    aside: bool = False
    replaces: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Show:
    """Show the person the evidence of a reply."""

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
    """Delete the messages about a question that was deleted."""

    incoming: Incoming
    posted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ignore:
    """Do nothing: the bot was not spoken to, or too much too often."""

    incoming: Incoming


@dataclass(frozen=True, slots=True)
class Wait:
    """Hear the event again, so many seconds from now."""

    after_s: float


Step = Ask | Say | Show | PassOn | Remove | Ignore | Wait


# --- which pack answers -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """The pack of a place, and the binding that says more about it."""

    pack: Pack
    binding: Binding | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """The pack that an event leads to, and what applies there.

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
        """Return the part of the pack that a person with these tags sees here."""
        return Scope(pack=self.pack.id, tenant=self.tenant, tags=tags)


class Router:
    """Finds the pack that an event leads to.

    Every method that waits raises LedgerFailed where the database does not answer.

    Args:
        mailbox: bindings, pauses, what was spent.
        library: the packs.
        rules: what the settings say.
        clock: tells the date that a pack wants on every reply, and whose day it is.
        readiness: knows which packs can answer.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        library: Library,
        rules: Rules,
        clock: Clock,
        readiness: Readiness,
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._rules = rules
        self._clock = clock
        self._readiness = readiness

    async def route_question(self, claimed: Claimed) -> Route | Say:
        """Route a question, or say why it is not answered at present."""
        held = await self.find_pack(claimed.incoming.place)
        if isinstance(held, str):
            return Say(claimed.incoming, held)
        route = _make_route(held, claimed.incoming)
        closed = await self.explain_closed(held)
        if closed is None and not await self._readiness.ready(route.pack):
            closed = wording.preparing(route.pack.title)
        return route if closed is None else self.word(route, closed)

    async def route(self, claimed: Claimed) -> Route | Say:
        """Route an event, also where no question is answered at present."""
        held = await self.find_pack(claimed.incoming.place)
        if isinstance(held, str):
            return Say(claimed.incoming, held)
        return _make_route(held, claimed.incoming)

    async def find_pack(self, place: Place) -> Held | str:
        """Find the pack of a place, or say why it has none."""
        binding = await self._mailbox.binding(place)
        name = (binding and binding.pack) or self._rules.packs.get(place.platform)
        if name is None or not self._rules.admits(name, place.platform, place.tenant):
            return wording.no_pack(place.platform, direct=place.direct)
        try:
            pack = self._library.pack(name)
        except UsageError:
            return wording.pack_missing(name)
        if place.platform.value in pack.platforms_forbidden:
            return wording.forbidden(pack.title, place.platform)
        return Held(pack, binding)

    async def explain_closed(self, held: Held) -> str | None:
        """Say why a pack answers no question at present; None where it does."""
        pack = held.pack
        paused = held.binding is not None and held.binding.paused
        if paused or await self._mailbox.paused(pack.id):
            return pack.wording.paused
        if self._rules.ceiling is None:
            return None
        today = today_in(pack.time_zone, self._clock.now())
        spent = await self._mailbox.spent(today, pack.id)
        return wording.SPENT if spent >= self._rules.ceiling else None

    def list_packs(self, place: Place) -> list[str]:
        """List the packs that may be bound at a place."""
        return [name for name in self._library.pack_names() if self._fits(name, place)]

    def word(self, route: Route, text: str) -> Say:
        """Say a notice under the header that the pack wants on every reply."""
        today = today_in(route.pack.time_zone, self._clock.now())
        top = format_header(route.pack, Basis.TODAY, today)
        return Say(route.incoming, f"{top}\n\n{text}" if top else text)

    def _fits(self, name: str, place: Place) -> bool:
        if not self._rules.admits(name, place.platform, place.tenant):
            return False
        try:
            forbidden = self._library.pack(name).platforms_forbidden
        except UsageError:
            return False
        return place.platform.value not in forbidden


def _make_route(held: Held, incoming: Incoming) -> Route:
    """Make the route of an event, private where its binding demands it."""
    binding = held.binding
    if binding is None:
        return Route(incoming, held.pack)
    if binding.private and not incoming.place.private:
        alone = incoming.place.model_copy(update={"private": True})
        incoming = incoming.model_copy(update={"place": alone})
    tags = binding.tags
    if incoming.place.private:
        given = (binding.role_tags.get(role, frozenset()) for role in incoming.roles)
        tags = tags.union(*given)
    return Route(incoming, held.pack, tags, binding.tags, binding.people)


# --- how much may be asked --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Excess:
    """The notice about too much, and whether it is to be said now."""

    notice: str
    due: bool


class Limits:
    """Counts what came to something.

    That it was too much is said once a minute, so that a flood of messages makes no
    flood of notices. On Discord who typed a command or pressed a button waits for a
    reply that only they see, and is always told.

    Args:
        mailbox: knows what was done.
        rules: how much may be.
        clock: tells the time.
    """

    def __init__(self, mailbox: Mailbox, rules: Rules, clock: Clock) -> None:
        self._mailbox = mailbox
        self._rules = rules
        self._clock = clock

    async def of_questions(self, claimed: Claimed) -> Excess | None:
        """Count a question; beyond the limits return what is said instead.

        What cannot be counted is let through: it cannot be recorded either, and the
        text that says so, and an emergency's notice, are shown all the same.
        """
        since = self._clock.now() - WINDOW
        most = Most(person=self._rules.per_person, channel=self._rules.per_channel)
        try:
            limit = await self._mailbox.admit(claimed, since, most)
        except LedgerFailed:
            return None
        match limit:
            case Limit.PERSON:
                return await self._warn(claimed, wording.TOO_MANY_OF_PERSON)
            case Limit.CHANNEL:
                whole = wording.TOO_MANY_IN_CHANNEL
                return await self._warn(claimed, whole, whole_channel=True)
            case None:
                return None

    async def of_others(self, claimed: Claimed) -> Excess | None:
        """Count what is no question: buttons, greetings, notices."""
        recent = await self._mailbox.recent(claimed, self._clock.now() - WINDOW)
        if recent.others < self._rules.others:
            return None
        return await self._warn(claimed, wording.TOO_MUCH_ELSE)

    async def _warn(
        self, claimed: Claimed, notice: str, *, whole_channel: bool = False
    ) -> Excess:
        incoming = claimed.incoming
        if incoming.callback and incoming.platform is Platform.DISCORD:
            return Excess(notice, due=True)
        since = self._clock.now() - WINDOW
        due = await self._mailbox.warn(claimed, since, whole_channel=whole_channel)
        return Excess(notice, due)
