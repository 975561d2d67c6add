"""Dates in questions: the day for which an answer has to hold (R-F5)."""

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
_AS_OF = (
    r"\b(?:as (?:of|at|on|it stood on)|in force (?:on|at|as of|in)|"
    r"(?:law|rules?|version) (?:on|of|in)) (?:the )?"
)
_APPLIED = (
    r"\b(?:applied|apply|application|submitted|filed|lodged)\b[^.?!]{0,60}?[ :]"
    r"(?:the )?"
)


@dataclass(frozen=True, slots=True)
class AnalysisDate:
    """The day, and where it comes from."""

    basis: Basis
    day: date


def read(
    text: str, today: date, given: date | None = None, *, applications: bool = True
) -> AnalysisDate:
    """The analysis date of a question.

    A date given beside the question, or "as of 1 March 2024" in it, beats "I applied on
    …", which beats today. A date that no calendar has, or that can be read in two ways,
    is none. A month without a day means its first.

    Args:
        text: the question.
        today: the current day in the pack's time zone.
        given: a date that the caller set beside the question.
        applications: whether dates of application count.
    """
    if given is not None:
        return AnalysisDate(Basis.EXPLICIT, given)
    folded = fold(text)
    explicit = _first(_AS_OF, folded)
    if explicit is not None:
        return AnalysisDate(Basis.EXPLICIT, explicit)
    applied = _first(_APPLIED, folded) if applications else None
    if applied is not None:
        return AnalysisDate(Basis.APPLICATION_DATE, applied)
    return AnalysisDate(Basis.TODAY, today)


def today_in(time_zone: str, now: datetime) -> date:
    """The day of `now` (with time zone) where the pack lives."""
    zone = UTC if time_zone == "UTC" else ZoneInfo(time_zone)
    return now.astimezone(zone).date()


def _first(introduction: str, folded: str) -> date | None:
    for match in compiled(introduction + _DATE).finditer(folded):
        day = _day(match.groupdict())
        if day is not None:
            return day
    return None


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
