"""Dates in questions: the day for which an answer has to hold (R-F5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from engine.patterns import compiled, fold
from engine.question.grammar import form, words
from engine.records import Basis

_Groups = Mapping[str, str | None]

_AS_OF = ("as_of_1", "as_of_2", "as_of_3")
# Only where every reply names the day: elsewhere a date is what a question is about.
_APPLIED_THEN = ("as_of_4", "as_of_5", "as_of_6", "as_of_7", "as_of_8")
_BARE = ("as_of_9",)  # where nothing else says a day
_APPLIED = ("applied_1", "applied_2")
_ANY_VERB = ("as_of_6", "as_of_9")
_VERBAL = ("ask", "be", "do", "modal", "have", "order", "person")


@dataclass(frozen=True, slots=True)
class AnalysisDate:
    """The day, where it comes from, and the question without the words that say it.

    `rest` is the text as given where no words were understood as a date. `year`: a
    year alone says the day. `other`: `rest` holds a date that says no day. `unread`: it
    holds one that no calendar has, or that can be read in two ways.
    """

    basis: Basis
    day: date
    rest: str
    year: bool = False
    other: bool = False
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """Which words of a question may say its day, for a pack.

    `applications`: dates of application, and those on which something applied; `years`:
    a year alone, for its last day or today.
    """

    applications: bool = True
    years: bool = False


@dataclass(frozen=True, slots=True)
class _Said:
    """A day, and the span of a folded text that says it."""

    day: date
    start: int
    end: int
    year: bool

    def overlaps(self, other: "_Said") -> bool:
        return max(self.start, other.start) < min(self.end, other.end)


def read(
    text: str, today: date, given: date | None = None, reading: Reading = Reading()
) -> AnalysisDate:
    """The analysis date of a question, and what else it asks.

    A date given beside the question, or "as of 1 March 2024" in it, beats "I applied on
    …", which beats today. A date that no calendar has, or that can be read in two ways,
    is none. A month without a day means its first; a year means its last day, or today
    where that is still to come, and a year to come means none.

    Args:
        text: the question.
        today: the current day in the pack's time zone.
        given: a date that the caller set beside the question.
        reading: what counts as a date.
    """
    folded = fold(text)
    reader = _Reader(folded, today, reading)
    forms = (*_AS_OF, *(_APPLIED_THEN if reading.applications else ()))
    explicit = reader.first(forms)
    applied = reader.first(_APPLIED) if reading.applications else None
    if explicit is None and applied is None and reading.applications:
        explicit = reader.first(_BARE)
    if explicit and applied and applied.overlaps(explicit):
        applied = None
    said = [found for found in (explicit, applied) if found is not None]
    rest = _without(said, folded) if said else text
    left = _Reader(fold(rest), today, reading)
    other, unread = left.holds_date(), left.holds_no_day()
    read_as = explicit or applied
    if given is not None:
        return AnalysisDate(Basis.EXPLICIT, given, rest)
    if read_as is None:
        return AnalysisDate(Basis.TODAY, today, rest, other=other, unread=unread)
    basis = Basis.EXPLICIT if explicit else Basis.APPLICATION_DATE
    return AnalysisDate(basis, read_as.day, rest, read_as.year, other, unread)


def today_in(time_zone: str, now: datetime) -> date:
    """The day of `now` (with time zone) where the pack lives."""
    return local(time_zone, now).date()


def local(time_zone: str, now: datetime) -> datetime:
    """`now` by the clocks where the pack lives."""
    return now.astimezone(UTC if time_zone == "UTC" else ZoneInfo(time_zone))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds what says a day in a folded text."""

    text: str
    today: date
    reading: Reading

    def first(self, forms: Sequence[str]) -> _Said | None:
        """The first day that one of the forms says, in their order."""
        for name in forms:
            pattern = compiled(form(name))
            when = pattern.groupindex["when"]
            for match in pattern.finditer(self.text):
                groups = match.groupdict()
                day = self._day(groups, match.end(when))
                then = name not in _ANY_VERB or self._is_then(groups, match.start(when))
                if day is not None and then:
                    year = groups["y4"] is not None
                    return _Said(day, match.start(when), match.end(when), year)
        return None

    def holds_date(self) -> bool:
        """Whether a date stands in the text; a year only behind a word of time."""
        return any(
            self._day(groups, match.end()) is not None
            and (groups["y4"] is None or self._is_year(groups, match.end()))
            for match in compiled(form("other_date")).finditer(self.text)
            for groups in (match.groupdict(),)
        )

    def holds_no_day(self) -> bool:
        """Whether something is written as a day that is none, or one of two."""
        if compiled(form("unread_date")).search(self.text) is not None:
            return True
        return any(
            groups["y4"] is None and self._day(groups, match.end()) is None
            for match in compiled(form("other_date")).finditer(self.text)
            for groups in (match.groupdict(),)
        )

    def _is_year(self, groups: _Groups, end: int) -> bool:
        """Not a count: "for 2000 hours"."""
        last = not self.text[end : end + 2].strip(" ?.!,;:)")
        return groups["at"] is not None and (last or groups["at"] == "the")

    def _is_then(self, groups: _Groups, start: int) -> bool:
        """Whether a date says when something applied, and not when it happened."""
        if groups.get("said") is not None:
            verbal = set(str(groups["said"]).lower().split()) & words(*_VERBAL)
            if verbal or (groups["y4"] is not None and groups["at"] is None):
                return False
        told = self.text[:start].lower().split()
        clauses = [at for at, word in enumerate(told) if at and word in words("clause")]
        happening = words("happening", "participle")
        return not any(
            (word.endswith("ed") or word in happening) and word not in words("applying")
            for word in told[clauses[-1] if clauses else -1 :]
        )

    def _day(self, groups: _Groups, end: int) -> date | None:
        """The day of a match; of a year alone its last, and today in this year."""
        if groups["y4"] is None:
            return _day(groups)
        year = int(groups["y4"])
        whole = not self.text[end : end + 1].strip(" ?.!,;:)")
        if not (self.reading.years and whole and year <= self.today.year):
            return None
        return min(date(year, 12, 31), self.today)


def _without(said: Sequence[_Said], folded: str) -> str:
    """The text without what says the dates, and without what that leaves behind."""
    rest = folded
    for found in sorted(said, key=lambda found: -found.start):
        rest = rest[: found.start] + rest[found.end :]
    if any(found.start == 0 for found in said):
        rest = str(compiled(form("left_open")).sub("", rest))
    rest = str(compiled(form("left_empty")).sub(" ", rest))
    return " ".join(str(compiled(form("left_marks")).sub(r"\1", rest)).split())


def _day(groups: _Groups) -> date | None:
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
