"""Dates in questions: the day for which an answer has to hold (R-F5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from engine.patterns import compiled, fold
from engine.question.grammar import form
from engine.records import Basis

_AS_OF = ("as_of_1", "as_of_2", "as_of_3")
# Only where every reply names the day: elsewhere a date is what a question is about.
_APPLIED_THEN = ("as_of_4", "as_of_5", "as_of_6")
_APPLIED = ("applied_1", "applied_2")


@dataclass(frozen=True, slots=True)
class AnalysisDate:
    """The day, where it comes from, and the question without the words that say it.

    `rest` is the text as given where no words were understood as a date.
    """

    basis: Basis
    day: date
    rest: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A day, and the span of a folded text that says it."""

    day: date
    start: int
    end: int


def read(
    text: str, today: date, given: date | None = None, *, applications: bool = True
) -> AnalysisDate:
    """The analysis date of a question, and what else it asks.

    A date given beside the question, or "as of 1 March 2024" in it, beats "I applied on
    …", which beats today. A date that no calendar has, or that can be read in two ways,
    is none. A month without a day means its first.

    Args:
        text: the question.
        today: the current day in the pack's time zone.
        given: a date that the caller set beside the question.
        applications: whether dates of application count.
    """
    folded = fold(text)
    explicit = _first((*_AS_OF, *(_APPLIED_THEN if applications else ())), folded)
    applied = _first(_APPLIED, folded) if applications else None
    said = [found for found in (explicit, applied) if found is not None]
    rest = _without(said, folded) if said else text
    if given is not None:
        return AnalysisDate(Basis.EXPLICIT, given, rest)
    if explicit is not None:
        return AnalysisDate(Basis.EXPLICIT, explicit.day, rest)
    if applied is not None:
        return AnalysisDate(Basis.APPLICATION_DATE, applied.day, rest)
    return AnalysisDate(Basis.TODAY, today, rest)


def today_in(time_zone: str, now: datetime) -> date:
    """The day of `now` (with time zone) where the pack lives."""
    return local(time_zone, now).date()


def local(time_zone: str, now: datetime) -> datetime:
    """`now` by the clocks where the pack lives."""
    return now.astimezone(UTC if time_zone == "UTC" else ZoneInfo(time_zone))


def _first(forms: Sequence[str], folded: str) -> _Said | None:
    for name in forms:
        pattern = compiled(form(name))
        when = pattern.groupindex["when"]
        for match in pattern.finditer(folded):
            day = _day(match.groupdict())
            if day is not None:
                return _Said(day, match.start(when), match.end(when))
    return None


def _without(said: Sequence[_Said], folded: str) -> str:
    """The text without what says the dates, and without what that leaves behind."""
    rest = folded
    for found in sorted(said, key=lambda found: -found.start):
        rest = rest[: found.start] + rest[found.end :]
    if any(found.start == 0 for found in said):
        rest = str(compiled(form("left_open")).sub("", rest))
    rest = str(compiled(form("left_empty")).sub(" ", rest))
    return " ".join(str(compiled(form("left_marks")).sub(r"\1", rest)).split())


def _day(groups: dict[str, str | None]) -> date | None:
    try:
        if groups["iso"] is not None:
            return date.fromisoformat(groups["iso"])
        for at in "123":
            month, year = groups[f"m{at}"], groups[f"y{at}"]
            if month is not None and year is not None:
                day = int(groups.get(f"d{at}") or 1)
                return date(int(year), _number(month), day)
    except ValueError:
        return None
    return None


def _number(month: str) -> int:
    return "janfebmaraprmayjunjulaugsepoctnovdec".index(month[:3].lower()) // 3 + 1
