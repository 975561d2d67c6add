"""What `doctor` says of worked examples that nobody has read for long (R-E10).

An example shows a model what a good answer is. Rules, passages and models change
around it, so a person reads each one again from time to time and says when.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from adapters import packs
from adapters.programs import FOLDER, SUFFIX
from bot.doctor.check import Check, State
from bot.wiring import Application
from engine.answer.demonstrations import DEMONSTRATIONS, FILE
from engine.errors import PolicyError
from engine.question.dates import today_in

PART = "examples"
DAYS = 90  # R-E10
MOST = 5  # questions of one file that are named


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What is to be read again, where it stands and when it was read; None: never."""

    what: str
    file: str
    on: date | None

    def old(self, today: date) -> bool:
        """Whether it has waited for too long; a day to come is none of a review."""
        return self.on is None or not 0 <= (today - self.on).days <= DAYS


def demonstrations(application: Application) -> Iterator[Check]:
    """A line a file that holds something not reviewed for 90 days; else one line."""
    today = today_in("UTC", application.clock.now())
    found = [*_built_in(), *_own(application)]
    old = [each for each in found if each.old(today)]
    for file in dict.fromkeys(each.file for each in old):
        yield Check(State.NOTE, PART, _said(file, [e for e in old if e.file == file]))
    if not old:
        oldest = min(each.on for each in found if each.on)
        said = f"all {len(found)} were reviewed within {DAYS} days, the first {oldest}"
        yield Check(State.OK, PART, said)


def _said(file: str, old: list[Reviewed]) -> str:
    """Which they are, and what to do."""
    named = "; ".join(f"{each.what} ({each.on or 'never'})" for each in old[:MOST])
    more = f" and {len(old) - MOST} more" if len(old) > MOST else ""
    return (
        f"{file}: not reviewed for more than {DAYS} days: {named}{more}. Read them, "
        "mend what is no longer right, and set `reviewed` to today"
    )


def _built_in() -> Iterator[Reviewed]:
    """Each once, however many signatures show it."""
    for each in Counter(e for every in DEMONSTRATIONS.values() for e in every):
        yield Reviewed(f'"{each.question}"', FILE, each.reviewed)


def _own(application: Application) -> Iterator[Reviewed]:
    """Those of the packs' own programs, and the programs themselves."""
    folder = application.settings.packs
    for name in application.pack_names():
        try:
            pack = packs.check(folder / name).pack
        except PolicyError:
            continue  # its own line says what is wrong with it
        for signature, program in pack.programs.items() if pack else ():
            file = str(folder / name / FOLDER / f"{signature}{SUFFIX}")
            yield Reviewed("the program itself", file, program.reviewed)
            for each in program.demonstrations:
                yield Reviewed(f'"{each.question}"', file, each.reviewed)
