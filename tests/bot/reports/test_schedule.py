"""The weekly report on a schedule: once a week, wherever and whenever served (R-O3)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from adapters.ledger.operations import Operations
from adapters.mail import Platform
from bot.reports.schedule import find_last_due, locate_page, read_channels, report_due
from config.settings import Settings
from engine.model.errors import UsageError
from tests.adapters.ledger.samples import refused
from tests.bot.chat import Chat
from tests.bot.small import SmallApplication
from tests.fakes import FixedClock

BOTH = "small=slack:T1:C7|discord:7:8"
MONDAY = datetime(2026, 11, 23, 8, tzinfo=UTC)
CANARY = "heron-4711"


def opened(folder: Path, clock: FixedClock, weekly: str = BOTH) -> SmallApplication:
    """A process on the data of this test."""
    given = {"data": folder / "data", "slack_pack": "small", "weekly": weekly}
    return SmallApplication(Settings.model_validate(given), clock=clock)


@pytest.fixture
async def chat(tmp_path: Path) -> AsyncIterator[Chat]:
    async with opened(tmp_path, FixedClock(MONDAY - timedelta(days=1))) as application:
        yield Chat(application)


def test_a_report_is_due_from_its_hour_on_where_the_pack_lives_R_O3() -> None:
    settings = Settings(weekly_day="monday", weekly_hour=8)
    this, before = MONDAY.date(), date(2026, 11, 16)
    assert find_last_due(settings, "UTC", MONDAY) == this
    assert find_last_due(settings, "UTC", MONDAY - timedelta(seconds=1)) == before
    assert find_last_due(settings, "UTC", MONDAY + timedelta(days=6)) == this
    assert find_last_due(settings, "America/Toronto", MONDAY) == before
    assert find_last_due(settings, "Asia/Tokyo", MONDAY - timedelta(hours=9)) == this
    late = Settings(weekly_day="sunday", weekly_hour=23)
    assert find_last_due(late, "UTC", MONDAY) == date(2026, 11, 22)


async def test_a_week_is_posted_once_on_both_platforms_R_O3(
    chat: Chat, tmp_path: Path
) -> None:
    """Also after a restart in between, and where two processes look at once; the page
    is kept beside the posts, and tells nothing that was asked."""
    clock = chat.clock
    assert isinstance(clock, FixedClock)
    await chat.application.ledger.record(refused(id="r1", pack="small", text=CANARY))
    clock.moment = MONDAY
    async with opened(tmp_path, clock) as second:
        done = await asyncio.gather(report_due(chat.application), report_due(second))
    assert sorted(done) == [(), ("small",)]
    async with opened(tmp_path, clock) as restarted:
        assert await report_due(restarted) == ()
    clock.moment = MONDAY + timedelta(days=6, hours=23)
    assert await report_due(chat.application) == ()
    await chat.works()
    places = {(o.place.platform, o.place.channel) for o, _ in chat.wall.shown}
    assert places == {(Platform.SLACK, "C7"), (Platform.DISCORD, "8")}
    assert len(chat.wall.shown) == 2
    for _, part in chat.wall.shown:
        assert "2026-11-16 to 2026-11-22: 1 question, 0 answered" in str(part.payload)
        told = str(part.payload).replace("\\", "")
        assert "Why it said no, of 1 question: nothing close enough 1 (100 %)" in told
    file = locate_page(tmp_path / "data", "small", MONDAY.date())
    drawn = file.read_text(encoding="utf-8")
    assert "nothing close enough" in drawn
    assert CANARY not in drawn
    assert file.parent.stat().st_mode & 0o077 == 0
    clock.moment = MONDAY + timedelta(days=7)
    assert await report_due(chat.application) == ("small",)


async def test_a_report_stands_in_the_audit_chain_R_D3(chat: Chat) -> None:
    """With its posts, in one transaction; the chain verifies."""
    until = find_last_due(chat.application.settings, "UTC", chat.clock.now())
    operations = Operations(chat.application.ledger)
    assert not await operations.reported("small", until)
    assert await report_due(chat.application) == ("small",)
    assert await operations.reported("small", until)
    assert not await operations.reported("other", until)
    assert not await operations.report("small", until, ())
    report = await chat.application.ledger.verify_all()
    assert report.failures == ()


async def test_off_by_default_and_wrong_settings_are_named(tmp_path: Path) -> None:
    clock = FixedClock(MONDAY)
    async with opened(tmp_path, clock, "") as silent:
        assert await report_due(silent) == ()
    async with opened(tmp_path, clock, "nowhere=slack:T1:C1") as wrong:
        with pytest.raises(UsageError, match="GROUNDRULE_WEEKLY: no pack is called"):
            read_channels(wrong)
    given = {"weekly": BOTH, "pack_tenants": "small=slack:T1", "data": tmp_path}
    async with SmallApplication(Settings.model_validate(given)) as limited:
        with pytest.raises(UsageError, match="small may not answer in discord:7"):
            read_channels(limited)
    for typed in ("small", "small=C1", "small=slack:T1", "small=discord:7"):
        with pytest.raises(ValueError, match="is not understood"):
            Settings.model_validate({"weekly": typed})
