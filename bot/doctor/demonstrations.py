"""The check of worked examples: which were not read for long.

An example shows a model what a good answer is. Rules, passages and models change around
it, so a person reads each one again from time to time and says when.
"""

from collections.abc import Iterator

from bot.doctor.check import Check, State
from bot.wiring import Application
from engine.parse.dates import today_in
from engine.prompting.demonstrations import DEMONSTRATIONS, FILE, Demonstration

PART = "examples"
DAYS = 90
MOST = 5  # questions that are named


def check_demonstrations(application: Application) -> Iterator[Check]:
    """Name the examples that were not reviewed for 90 days, or say that all were.

    A review on a day to come is none.
    """
    today = today_in("UTC", application.clock.now())
    found = list(dict.fromkeys(e for every in DEMONSTRATIONS.values() for e in every))
    old = [each for each in found if not 0 <= (today - each.reviewed).days <= DAYS]
    if old:
        yield Check(State.NOTE, PART, _name_old(old))
    else:
        oldest = min(each.reviewed for each in found)
        said = f"all {len(found)} were reviewed within {DAYS} days, the first {oldest}"
        yield Check(State.OK, PART, said)


def _name_old(old: list[Demonstration]) -> str:
    """Name them, and say what to do."""
    named = "; ".join(f'"{each.question}" ({each.reviewed})' for each in old[:MOST])
    more = f" and {len(old) - MOST} more" if len(old) > MOST else ""
    return (
        f"{FILE}: not reviewed for more than {DAYS} days: {named}{more}. Read them, "
        "mend what is no longer right, and set `reviewed` to today"
    )
