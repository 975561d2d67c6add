"""Dates in questions: the day for which an answer has to hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import re2

from engine.model.question import Basis
from engine.text.english import form, words
from engine.text.patterns import compile_pattern, fold

_Groups = Mapping[str, str | None]

_AS_OF = ("as_of_1", "as_of_2", "as_of_3")
# Only where every reply names the day: elsewhere a date is the subject of a question.
_APPLIED_THEN = ("as_of_4", "as_of_5", "as_of_6", "as_of_7", "as_of_8")
_BARE = ("as_of_9",)  # where no other form matches
_APPLIED = ("applied_1", "applied_2")
_ANY_VERB = ("as_of_6", "as_of_9")
_DAY = timedelta(days=1)
_UNSAID = "around then"  # replaces words that name no day
_NUMBERS = {
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7},
    **{"eight": 8, "nine": 9, "ten": 10, "twelve": 12},
}
_VERBAL = ("ask", "be", "do", "modal", "have", "order", "person")


@dataclass(frozen=True, slots=True)
class AnalysisDate:
    """The day, its origin, and the question without the words that name it.

    `rest` is the text as given where no words were understood as a date. `year`: a year
    alone names the day. `other`: `rest` holds a date that is not the day. `unread`: it
    holds one that no calendar has, that can be read in two ways, or a time that means
    no one day. `phrase`: the words that shift the day from the one they name ("before 1
    August 2014").
    """

    basis: Basis
    day: date
    rest: str
    year: bool = False
    other: bool = False
    unread: bool = False
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a question that may name its day, for a pack.

    `applications`: dates of application, and those on which something applied; `years`:
    a year alone, for its last day or today, and days relative to one that is named, as
    where the law of a day is asked for.
    """

    applications: bool = True
    years: bool = False


@dataclass(frozen=True, slots=True)
class _Said:
    """A day, and the span of a folded text that names it."""

    day: date
    start: int
    end: int
    year: bool

    def overlaps(self, other: "_Said") -> bool:
        return max(self.start, other.start) < min(self.end, other.end)


def read(
    text: str, today: date, given: date | None = None, reading: Reading = Reading()
) -> AnalysisDate:
    """Read the analysis date of a question, and the rest of its text.

    A date given beside the question, or "as of 1 March 2024" in it, beats "I applied on
    …", which beats today. A date that no calendar has, or that can be read in two ways,
    is none. A month without a day means its first; a year means its last day, or today
    where that is in the future, and a future year means none. "Before" and "until" a
    day mean the day before it, "after" the day after, "since" that day.

    Args:
        text: the question.
        today: the current day in the pack's time zone.
        given: a date that the caller set beside the question.
        reading: which words count as a date.
    """
    alone = compile_pattern(form("a_day_alone")).fullmatch(fold(text))
    if reading.applications and alone is not None:
        text = f"as of {alone['day']}"  # the answer to "which day?"
    around = (
        _replace_relative(fold(text), today, reading) if reading.applications else None
    )
    if around is None or given is not None:
        return _read(text, today, given, reading)
    meant = _read(around.text, today, None, reading)
    taken = meant.basis is not Basis.TODAY and around.put not in meant.rest
    rest = meant.rest.replace(around.put, around.phrase, 1)
    if not taken:
        dated = any(character.isdigit() for character in around.phrase)
        rest = text if meant.rest == around.text else rest
        return replace(meant, rest=rest, other=meant.other or dated)
    if around.day is None:
        return AnalysisDate(Basis.TODAY, today, text, unread=True)
    phrase = "" if meant.year else around.phrase
    return replace(meant, phrase=phrase)


def _read(text: str, today: date, given: date | None, reading: Reading) -> AnalysisDate:
    """Read a question in which every date is meant as it is written."""
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
    rest = _remove_dates(said, folded) if said else text
    left = _Reader(fold(rest), today, reading)
    other, unread = left.holds_date(), left.holds_no_day()
    read_as = explicit or applied
    if reading.years and read_as is None and given is None:
        other |= compile_pattern(form("next")).search(folded) is not None
        unread |= compile_pattern(form("former")).search(folded) is not None
    if given is not None:
        return AnalysisDate(Basis.EXPLICIT, given, rest)
    if read_as is None:
        return AnalysisDate(Basis.TODAY, today, rest, other=other, unread=unread)
    basis = Basis.EXPLICIT if explicit else Basis.APPLICATION_DATE
    return AnalysisDate(basis, read_as.day, rest, read_as.year, other, unread)


@dataclass(frozen=True, slots=True)
class _Around:
    """A question with another day in place of the words that mean it.

    `day` is None where no one day is meant.
    """

    text: str
    put: str
    phrase: str
    day: date | None


def _replace_relative(folded: str, today: date, reading: Reading) -> _Around | None:
    """Replace words that mean a day relative to another; None without such words."""
    found = compile_pattern(form("stretch")).search(folded)
    if found is not None:
        years = re2.findall(r"\b(?:19|20)\d\d", found["when"])
        whole = found["date"] or ""
        put = f"on {whole}" if len(whole) > 4 else f"in {(years or ['1999'])[-1]}"
        return _put_in(folded, found, put, None)
    found = compile_pattern(form("relation")).search(folded)
    if found is not None:
        day = _shift_day(found.groupdict(), reading)
        put = _UNSAID if day is None else f"on {day.isoformat()}"
        return _put_in(folded, found, put, day)
    found = compile_pattern(form("ago")).search(folded) if reading.years else None
    if found is not None:
        day, put = _subtract(found.groupdict(), today)
        return _put_in(folded, found, put, day)
    return None


def _put_in(folded: str, found: re2._Match, put: str, day: date | None) -> _Around:
    start, end = found.span(found.re.groupindex["when"])
    text = f"{folded[:start]}{put}{folded[end:]}"
    return _Around(text, put, str(found["when"]), day)


def _shift_day(groups: _Groups, reading: Reading) -> date | None:
    """Return the day that a match means, before, after or from its date."""
    year = groups["y4"] is not None
    early, late = groups["early"] is not None, groups["late"] is not None
    if year:
        # "Since 2014" is any day of years: it says none.
        first = date(int(str(groups["y4"])), 1, 1)
        return first - _DAY if early and reading.years else None
    day = _parse_day(groups)
    if day is None or not (early or reading.years):
        return None
    if early:
        return day - _DAY
    if not late:
        return day
    month = not any(groups[name] for name in ("iso", "d1", "d2"))
    return _month_after(day) if month else day + _DAY


def _month_after(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def _subtract(groups: _Groups, today: date) -> tuple[date, str]:
    """Return the day of "two years ago" or "last year", and its written form."""
    if groups["of"] == "year":
        return date(today.year - 1, 12, 31), f"in {today.year - 1}"
    number = _NUMBERS.get(str(groups["number"]), 1) if groups["number"] else 1
    if str(groups["number"] or "").isdigit():
        number = int(str(groups["number"]))
    unit = groups["of"] or groups["unit"] or "day"
    if unit in ("month", "year"):
        months = (
            12 * today.year + today.month - 1 - number * (12 if unit == "year" else 1)
        )
        first = date(months // 12, months % 12 + 1, 1)
        last = (_month_after(first) - _DAY).day
        day = first.replace(day=min(today.day, last))
    else:
        day = today - timedelta(days=number * (7 if unit == "week" else 1))
    return day, f"on {day.isoformat()}"


def today_in(time_zone: str, now: datetime) -> date:
    """Return the date of `now` (with time zone) in the pack's time zone."""
    return to_local(time_zone, now).date()


def to_local(time_zone: str, now: datetime) -> datetime:
    """Convert `now` to the pack's time zone."""
    return now.astimezone(UTC if time_zone == "UTC" else ZoneInfo(time_zone))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds days in a folded text."""

    text: str
    today: date
    reading: Reading

    def first(self, forms: Sequence[str]) -> _Said | None:
        """Return the first day that one of the forms matches, in their order."""
        for name in forms:
            pattern = compile_pattern(form(name))
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
        """Return whether the text holds a date; a year only behind a word of time."""
        return any(
            self._day(groups, match.end()) is not None
            and (groups["y4"] is None or self._is_year(groups, match.end()))
            for match in compile_pattern(form("other_date")).finditer(self.text)
            for groups in (match.groupdict(),)
        )

    def holds_no_day(self) -> bool:
        """Return whether the text holds a date that is impossible or ambiguous."""
        if compile_pattern(form("unread_date")).search(self.text) is not None:
            return True
        return any(
            groups["y4"] is None and self._day(groups, match.end()) is None
            for match in compile_pattern(form("other_date")).finditer(self.text)
            for groups in (match.groupdict(),)
        )

    def _is_year(self, groups: _Groups, end: int) -> bool:
        """Return whether a number is a year, and not a count: "for 2000 hours"."""
        last = not self.text[end : end + 2].strip(" ?.!,;:)")
        return groups["at"] is not None and (last or groups["at"] == "the")

    def _is_then(self, groups: _Groups, start: int) -> bool:
        """Return whether a date says when something applied, not when it happened."""
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
        """Return the day of a match; for a year its last, today for this year."""
        if groups["y4"] is None:
            return _parse_day(groups)
        year = int(groups["y4"])
        whole = not self.text[end : end + 1].strip(" ?.!,;:)")
        if not (self.reading.years and whole and year <= self.today.year):
            return None
        return min(date(year, 12, 31), self.today)


def _remove_dates(said: Sequence[_Said], folded: str) -> str:
    """Remove the words that name dates, and the connecting words they leave."""
    rest = folded
    for found in sorted(said, key=lambda found: -found.start):
        rest = rest[: found.start] + rest[found.end :]
    if any(found.start == 0 for found in said):
        rest = str(compile_pattern(form("left_open")).sub("", rest))
    rest = str(compile_pattern(form("left_empty")).sub(" ", rest))
    return " ".join(str(compile_pattern(form("left_marks")).sub(r"\1", rest)).split())


def _parse_day(groups: _Groups) -> date | None:
    try:
        if groups["iso"] is not None:
            return date.fromisoformat(groups["iso"])
        for at in "123":
            month, year = groups[f"m{at}"], groups[f"y{at}"]
            if month is not None and year is not None:
                day = int(groups.get(f"d{at}") or 1)
                return date(int(year), _parse_month(month), day)
    except ValueError:
        return None
    return None


def _parse_month(month: str) -> int:
    return "janfebmaraprmayjunjulaugsepoctnovdec".index(month[:3].lower()) // 3 + 1
