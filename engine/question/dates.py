"""Dates in questions: the day for which an answer has to hold (R-F5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from engine.patterns import compiled, fold
from engine.records import Basis

_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_FIRST_LETTERS = "jan feb mar apr may jun jul aug sep oct nov dec"
# A day, written so that it can be read in one way only; 03/04/2024 cannot.
_DATE = (
    r"(?:(?P<iso>\d{4}-\d{2}-\d{2})\b|"
    rf"(?P<d1>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\.?,? (?P<y1>\d{{4}})\b|"
    rf"(?P<m2>{_MONTH})\.? (?P<d2>\d\d?)(?:st|nd|rd|th)?,? (?P<y2>\d{{4}})\b|"
    rf"(?P<m3>{_MONTH})\.?,? (?P<y3>\d{{4}})\b)"
)
# Each pattern ends with what says the date and nothing else, the group "when". What
# stands before it ("the law", "applied for a permit") is asked about and stays.
_AS_OF = (
    rf"\b(?P<when>as (?:of|at|on|it stood on) (?:the )?{_DATE})",
    rf"\bin force (?P<when>(?:on|at|as of|in) (?:the )?{_DATE})",
    rf"\b(?:law|rules?|version) (?P<when>(?:on|of|in) (?:the )?{_DATE})",
)
_APPLIED = (
    r"\b(?P<when>(?:(?:if|since|as|because|when|given that) )?(?:"
    r"(?:i|we)(?:'ve| have| had)? (?:applied|filed)|"
    r"(?:my|our|the) application (?:was|has been) (?:submitted|filed|lodged|made)|"
    r"(?:(?:my|our|the) )?(?:application date|date of application)(?: is| was|:)"
    rf")(?: on| in)? {_DATE})",
    r"\b(?:applied|apply|application|submitted|filed|lodged)\b[^.?!]{0,60}?[ :]"
    rf"(?P<when>(?:(?:on|in) )?(?:the )?{_DATE})",
)
# What taking a date out leaves behind: where it opened the question a mark or a
# conjunction, elsewhere empty brackets, two marks in a row, a space before a mark.
_OPENING = r"^[ ,;:.-]*(?:(?:and|but|so)\b[ ,]*)?"
_LEFT = ((r"\( ?\)", " "), (r"[ ,;:]+([,;:.?!])", r"\1"))


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
    explicit = _first(_AS_OF, folded)
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
    zone = UTC if time_zone == "UTC" else ZoneInfo(time_zone)
    return now.astimezone(zone).date()


def _first(patterns: Sequence[str], folded: str) -> _Said | None:
    for pattern in patterns:
        for match in compiled(pattern).finditer(folded):
            day = _day(match.groupdict())
            if day is not None:
                end = match.end()
                return _Said(day, end - len(match.group("when")), end)
    return None


def _without(said: Sequence[_Said], folded: str) -> str:
    """The text without what says the dates, and without what that leaves behind."""
    kept = [
        character
        for at, character in enumerate(folded)
        if not any(found.start <= at < found.end for found in said)
    ]
    rest = "".join(kept)
    if any(found.start == 0 for found in said):
        rest = str(compiled(_OPENING).sub("", rest))
    for pattern, instead in _LEFT:
        rest = str(compiled(pattern).sub(instead, rest))
    return " ".join(rest.split())


def _day(groups: dict[str, str | None]) -> date | None:
    try:
        if groups["iso"] is not None:
            return date.fromisoformat(groups["iso"])
        for form in "123":
            month, year = groups[f"m{form}"], groups[f"y{form}"]
            if month is not None and year is not None:
                first = groups.get(f"d{form}")
                return date(int(year), _number(month), int(first or 1))
    except ValueError:
        return None
    return None


def _number(month: str) -> int:
    return _FIRST_LETTERS.split().index(month[:3].lower()) + 1
