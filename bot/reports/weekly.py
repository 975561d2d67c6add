"""A week of one pack in counts, with the weeks before it as a trend.

Everything is counted from the record. Nothing that anybody asked is in it, and of
documents only those that all may see are named.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

from adapters.ledger.gaps import Board, Gap, GapState
from adapters.ledger.history import Wanted
from adapters.ledger.mail_places import NOT_HELPFUL
from adapters.ledger.mail_records import NONE_OF_THESE
from bot.health.quality import Quality, Tally
from bot.wiring import Application
from engine.model.document import Membership, VersionState
from engine.model.errors import UsageError
from engine.model.frozen import Frozen
from engine.model.record import Record
from engine.parse.dates import today_in
from engine.policy.pack import Pack

WEEK, TREND = 7, 28  # days
LISTED = 10  # documents of a list


class Day(Frozen):
    """One day of the trend.

    `tapped` are answers to something that a refusal offered, `offered` refusals with
    something to choose from; these and `unhelpful` are counted for the seven days of
    the report alone.
    """

    day: date
    questions: int
    answered: int
    p95_ms: float | None
    cost: float | None
    tapped: int = 0
    offered: int = 0
    unhelpful: int = 0

    @property
    def results(self) -> tuple[int, int, int, int]:
        """Answered as asked, answered after a tap, offered a choice, refused."""
        refused = self.questions - self.answered - self.offered
        return self.answered - self.tapped, self.tapped, self.offered, refused

    @property
    def disliked(self) -> tuple[int]:
        return (self.unhelpful,)

    @property
    def answered_share(self) -> float | None:
        """Answers in per cent of the questions; None where there was none."""
        share = 100 * self.answered / self.questions if self.questions else None
        return None if share is None else round(share, 1)


class Named(Frozen):
    """A document by its name, with a number."""

    document: str
    title: str
    number: int


class Weekly(Frozen):
    """The report of one pack."""

    pack: str
    title: str
    version: str
    since: date
    until: date
    quality: Quality
    offered: int
    chosen: int
    gaps_opened: int
    gaps_closed: int
    gaps_open: int
    most_cited: tuple[Named, ...]
    never_cited: tuple[Named, ...]
    never_cited_of: int
    stale: tuple[Named, ...]
    feedback: Mapping[str, int]
    changes: tuple[str, ...]
    trend: tuple[Day, ...]

    @property
    def days(self) -> tuple[Day, ...]:
        """The seven days of the report."""
        return self.trend[-WEEK:]

    @property
    def questions(self) -> int:
        return self.quality.last_24h.questions

    @property
    def refused_share(self) -> Mapping[str, float]:
        """Refusals by reason, each against all questions."""
        refused = self.quality.last_24h.refused
        return {reason: n / self.questions for reason, n in refused.items()}


class _Count:
    """The counts of a week besides quality."""

    def __init__(self) -> None:
        self.offered = self.chosen = 0
        self.tapped_on, self.offered_on = Counter[date](), Counter[date]()
        self.unhelpful: Mapping[date, int] = {}
        self.cited = Counter[str]()
        self.versions = Counter[str]()

    def add(self, record: Record) -> None:
        self.offered += bool(record.choices)
        self.chosen += record.chosen_from is not None
        if record.created is not None:
            day, refused = record.created.date(), record.was_refusal
            self.tapped_on[day] += record.chosen_from is not None and not refused
            self.offered_on[day] += refused and bool(record.choices)
        self.cited.update({source.document_id for source in record.sources})
        self.versions[record.pack_version] += 1


async def count_week(application: Application, pack: Pack, until: date) -> Weekly:
    """Count the seven days before a day, which is not counted.

    Raises:
        UsageError: the day is one of the first that a calendar has.
        LedgerFailed: the ledger cannot be read.
    """
    if until - date.min <= timedelta(days=TREND):
        raise UsageError(f"{until}: no report is of a time so long ago")
    end = _midnight(until, application)
    since = end - timedelta(days=WEEK)
    tally, count = Tally(pack), _Count()
    days = {until - timedelta(days=n): Tally(pack) for n in range(1, TREND + 1)}
    wanted = Wanted(pack=pack.id, since=end - timedelta(days=TREND), until=end)
    async for stored in application.ledger.outcomes(wanted):
        record = stored.record
        if record.created is None:
            continue
        day = days.get(record.created.date())
        if day is not None:
            day.add(record)
        if record.created >= since:
            tally.add(record)
            count.add(record)
    gaps = await Board(application.ledger).gaps(pack.id)
    opened, closed = _count_moved(gaps, since, end)
    members = await application.ledger.memberships(pack.id)
    current = [m for m in members if m.state is VersionState.CURRENT and not m.tags]
    unused = [m for m in current if m.document not in count.cited]
    today = today_in(pack.time_zone, application.clock.now())
    count.unhelpful = await _count_unhelpful(application, pack, until)
    return Weekly(
        pack=pack.id,
        title=pack.title,
        version=pack.version,
        since=until - timedelta(days=WEEK),
        until=until - timedelta(days=1),
        quality=tally.summarize(),
        offered=count.offered,
        chosen=count.chosen,
        gaps_opened=opened,
        gaps_closed=closed,
        gaps_open=sum(gap.state is GapState.OPEN for gap in gaps),
        most_cited=tuple(_find_most_cited(count.cited, current)),
        never_cited=tuple(_name(m, 0) for m in unused[:LISTED]),
        never_cited_of=len(unused),
        stale=tuple(await _find_stale(application, pack, current, today)),
        feedback=await application.mailbox.verdicts(pack.id, since, end),
        changes=tuple(_list_changes(pack, count.versions, until)),
        trend=tuple(
            _make_day(day, days[day].summarize(), count) for day in sorted(days)
        ),
    )


def _midnight(day: date, application: Application) -> datetime:
    """Return the beginning of a day, as records tell the time (UTC)."""
    zone = application.clock.now().tzinfo
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def _count_moved(
    gaps: Sequence[Gap], since: datetime, end: datetime
) -> tuple[int, int]:
    """Count the gaps that were opened, and those that closed."""
    closed = [gap for gap in gaps if gap.state is GapState.CLOSED]
    return (
        sum(since <= datetime.fromisoformat(gap.created) < end for gap in gaps),
        sum(since <= datetime.fromisoformat(gap.changed) < end for gap in closed),
    )


async def _count_unhelpful(
    application: Application, pack: Pack, until: date
) -> Mapping[date, int]:
    """Count by day how often readers said "not helpful" or "none of these"."""
    found = {}
    for day in (until - timedelta(days=n) for n in range(1, WEEK + 1)):
        begin = _midnight(day, application)
        end = begin + timedelta(days=1)
        said = await application.mailbox.verdicts(pack.id, begin, end)
        found[day] = said[NOT_HELPFUL] + said[NONE_OF_THESE]
    return found


def _make_day(day: date, quality: Quality, count: _Count) -> Day:
    counted = quality.last_24h
    return Day(
        day=day,
        questions=counted.questions,
        answered=counted.answered,
        p95_ms=counted.response_time_ms.p95,
        cost=counted.cost,
        tapped=count.tapped_on[day],
        offered=count.offered_on[day],
        unhelpful=count.unhelpful.get(day, 0),
    )


def _find_most_cited(
    cited: Counter[str], current: Sequence[Membership]
) -> Iterator[Named]:
    """Yield those that are cited most, of documents that all may see."""
    known = {member.document: member for member in current}
    seen = [(known[name], n) for name, n in cited.most_common() if name in known]
    for member, number in seen[:LISTED]:
        yield _name(member, number)


def _name(member: Membership, number: int) -> Named:
    return Named(document=member.document, title=member.title, number=number)


async def _find_stale(
    application: Application, pack: Pack, current: Sequence[Membership], today: date
) -> Sequence[Named]:
    """Find copies of volatile sources past their window, with their age in days."""
    found = []
    register = pack.register()
    for member in current:
        source = register.get(member.source)
        if source is None or not source.window_days or source.volatility == "stable":
            continue
        held = await application.ledger.document(
            member.document, member.version, pack.id
        )
        then = held and (held.published or held.retrieved)
        if then and (today - then).days > source.window_days:
            found.append(_name(member, (today - then).days))
    return sorted(found, key=lambda named: -named.number)


def _list_changes(pack: Pack, used: Counter[str], until: date) -> Iterator[str]:
    """Yield what the changelog says of the week, and which versions answered."""
    since = until - timedelta(days=WEEK)
    for change in pack.changelog:
        if since <= change.date < until:
            yield f"{change.version}: {change.change}"
    if len(used) > 1:
        yield "answered under " + ", ".join(f"{v} ({n})" for v, n in used.items())
