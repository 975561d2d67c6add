"""`doctor` names the worked examples that nobody has read for 90 days (R-E10)."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from bot.doctor.check import Check, State
from bot.doctor.checkup import EXAMPLE_DAYS, check_demonstrations
from bot.wiring import Application
from config.settings import Settings
from engine.prompting.demonstrations import DEMONSTRATIONS, FILE
from evals.record.corpora import FixedClock

WRITTEN = max(each.reviewed for every in DEMONSTRATIONS.values() for each in every)


async def looked(data: Path, today: date) -> list[Check]:
    """What is said on a day."""
    settings = Settings(data=data)
    async with Application(settings, clock=FixedClock(today)) as application:
        return list(check_demonstrations(application))


def test_every_built_in_example_says_when_it_was_reviewed_R_E10() -> None:
    """On a day that has been."""
    for examples in DEMONSTRATIONS.values():
        for each in examples:
            assert date(2026, 11, 22) <= each.reviewed <= datetime.now(UTC).date()


async def test_doctor_warns_after_90_days_R_E10(tmp_path: Path) -> None:
    """Not on the ninetieth; then with file, question, day and what to do."""
    [fine] = await looked(tmp_path, WRITTEN + timedelta(days=EXAMPLE_DAYS))
    assert fine.state is State.OK
    [old] = await looked(tmp_path, WRITTEN + timedelta(days=EXAMPLE_DAYS + 1))
    assert (old.state, old.part) == (State.NOTE, "examples")
    assert old.found.startswith(f"{FILE}: not reviewed for more than 90 days: ")
    assert f'"Can children take Brevonil?" ({WRITTEN})' in old.found
    assert "more. Read them, mend what is no longer right" in old.found


async def test_a_review_on_a_day_to_come_is_none_R_E10(tmp_path: Path) -> None:
    """It would keep `doctor` silent for as long as somebody likes."""
    [early] = await looked(tmp_path, WRITTEN - timedelta(days=1))
    assert early.state is State.NOTE
    assert early.found.startswith(f"{FILE}: ")
