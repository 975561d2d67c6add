"""`doctor` names the worked examples that nobody has read for 90 days (R-E10)."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from shutil import copytree

import pytest

from adapters import programs
from bot.doctor.check import Check, State
from bot.doctor.demonstrations import DAYS, demonstrations
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine.answer.demonstrations import DEMONSTRATIONS, FILE
from evals.recording.stand_ins import FixedClock
from tests.engine.small_program import REVIEWED, program

WRITTEN = max(
    each.reviewed
    for every in DEMONSTRATIONS.values()
    for each in every
    if each.reviewed is not None
)


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    """The oncology pack without its documents, alone in a folder."""
    copy = tmp_path / "packs" / "oncology"
    copytree(PACKS / "oncology", copy, ignore=lambda *_: ["corpus"])
    return copy.parent


async def looked(packs: Path, today: date) -> list[Check]:
    """What is said on a day."""
    settings = Settings.model_validate({"data": packs.parent / "data", "packs": packs})
    async with Application(settings, clock=FixedClock(today)) as application:
        return list(demonstrations(application))


def test_every_built_in_example_says_when_it_was_reviewed_R_E10() -> None:
    """On a day that has been."""
    for examples in DEMONSTRATIONS.values():
        for each in examples:
            assert each.reviewed is not None
            assert date(2026, 11, 22) <= each.reviewed <= datetime.now(UTC).date()


async def test_doctor_warns_after_90_days_R_E10(packs: Path) -> None:
    """Not on the ninetieth; then with file, question, day and what to do."""
    [fine] = await looked(packs, WRITTEN + timedelta(days=DAYS))
    assert fine.state is State.OK
    [old] = await looked(packs, WRITTEN + timedelta(days=DAYS + 1))
    assert (old.state, old.part) == (State.NOTE, "examples")
    assert old.found.startswith(f"{FILE}: not reviewed for more than 90 days: ")
    assert f'"Can children take Brevonil?" ({WRITTEN})' in old.found
    assert "more. Read them, mend what is no longer right" in old.found


async def test_the_examples_of_a_packs_program_grow_old_too_R_E10(packs: Path) -> None:
    """In a line of their own, for their own file."""
    folder = packs / "oncology" / programs.FOLDER
    file = programs.write(program("support"), folder)
    checks = await looked(packs, REVIEWED + timedelta(days=DAYS + 1))
    [old] = [check for check in checks if check.found.startswith(f"{file}: ")]
    assert f"the program itself ({REVIEWED})" in old.found
    assert (
        f'"What colour is the lamp, and what does it cost?" ({REVIEWED})' in old.found
    )


async def test_what_nobody_ever_read_is_named_at_once_R_E10(packs: Path) -> None:
    """A program as an optimiser writes it."""
    folder = packs / "oncology" / programs.FOLDER
    file = programs.write(program("support", reviewed=None), folder)
    checks = await looked(packs, REVIEWED)
    [new] = [check for check in checks if check.found.startswith(f"{file}: ")]
    assert "the program itself (never). Read" in new.found


async def test_a_review_on_a_day_to_come_is_none_R_E10(packs: Path) -> None:
    """It would keep `doctor` silent for as long as somebody likes."""
    [early] = await looked(packs, WRITTEN - timedelta(days=1))
    assert early.state is State.NOTE
    assert early.found.startswith(f"{FILE}: ")


async def test_a_wrong_pack_does_not_keep_the_others_from_being_looked_at_R_E10(
    packs: Path,
) -> None:
    """Its own line of `doctor` says what is wrong."""
    (packs / "oncology" / "pack.yaml").write_text("a: &x")
    [fine] = await looked(packs, WRITTEN)
    assert fine.state is State.OK
