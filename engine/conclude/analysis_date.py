"""What a reply says of the day that it is for (R-F5): its header, and what to mind."""

from collections.abc import Iterator
from datetime import date

from engine.model.question import Basis, Intent
from engine.policy.pack import Pack

# What the program words of a header mean, for people.
DAYS = {
    Basis.EXPLICIT: "This is for {date}, the day that you named.",
    Basis.APPLICATION_DATE: "This is for {date}, the day of the application.",
}


def header(pack: Pack, basis: Basis, as_of: date | None) -> str | None:
    """The analysis-date line (R-F5), None where the pack does not ask for one.

    A basis other than today always shows: nothing moves the date in silence.
    """
    if as_of is None or not (pack.analysis_date_header or basis is not Basis.TODAY):
        return None
    return f"Analysis date basis: {as_of.isoformat()} ({basis})"


def told_of_day(intent: Intent, pack: Pack) -> Iterator[str]:
    """What to mind of the day: that it is to come, was a year, or was not said (R-F5).

    Nothing is said to what is out of scope, in another language or urgent.
    """
    wording, day = pack.wording, intent.as_of
    served = intent.in_scope and intent.language in pack.languages
    if day is None or intent.urgent or not served:
        return
    worded = intent.whole_year and wording.whole_year
    if intent.basis in DAYS and not (worded or intent.day_phrase or intent.to_come):
        yield DAYS[intent.basis].replace("{date}", day.isoformat())
    if intent.to_come:
        yield wording.to_come.replace("{date}", day.isoformat())
    if intent.whole_year and wording.whole_year:
        yield wording.whole_year.replace("{date}", day.isoformat())
    if intent.day_phrase:
        told = wording.day_meant.replace("{date}", day.isoformat())
        yield told.replace("{phrase}", intent.day_phrase)
    if intent.other_date and wording.other_date:
        yield wording.other_date.replace("{date}", day.isoformat())
