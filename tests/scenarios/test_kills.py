"""The bot is killed at any moment; each accepted question has one outcome (R-C3)."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from adapters.mail import Platform
from tests.scenarios.stage import Bot, Stage, first_part, staged, until

LONGEST_LIFE_S = 2.0  # after it hears
STARTING_S, SETTLING_S = 60.0, 120.0


@asynccontextmanager
async def asking(
    stage: Stage, chance: random.Random, rate: float
) -> AsyncIterator[None]:
    """People ask all the while, so many questions a second."""

    async def ask() -> None:
        while True:
            await stage.ask(chance)
            await asyncio.sleep(chance.expovariate(rate))

    task = asyncio.create_task(ask())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def live_and_die(stage: Stage, bot: Bot, chance: random.Random) -> None:
    """One life of the bot: killed while it starts, or some time after it hears."""
    await bot.start()
    if chance.random() < 0.1:
        await asyncio.sleep(chance.uniform(0, 2.0))
    else:
        await until(stage.heard, STARTING_S, "the bot hears")
        if chance.random() < 0.3:
            await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))
            bot.kill_worker(chance)
        await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))
    await bot.kill()


async def killed(stage: Stage, kills: int, rate: float, seed: int) -> None:
    """Kill it so often, then let it end what it has accepted."""
    chance = random.Random(seed)
    bot = stage.bot()
    async with asking(stage, chance, rate):
        for _ in range(kills):
            await live_and_die(stage, bot, chance)
    await bot.start()
    await until(stage.heard, STARTING_S, "the bot hears")
    await until(lambda: not stage.open(), SETTLING_S, "all is done")
    assert await bot.end() == 0


async def check(stage: Stage, twice_on_slack: float) -> Counter[Platform]:
    """Hold what was accepted against what is visible; how much was accepted."""
    visible, twice = await stage.visible(), Counter[Platform]()
    for platform, event in stage.events():
        shown = visible[first_part(platform, event)]
        assert shown, f"nobody saw an answer to {platform} {event}"
        twice[platform] += shown > 1
    accepted = stage.accepted()
    assert twice[Platform.DISCORD] == 0
    assert twice[Platform.SLACK] <= twice_on_slack * accepted[Platform.SLACK]
    assert visible.total() == len(stage.events()) + twice.total()
    slack = await stage.state("slack")
    assert slack["problems"] == []
    assert all(delivery["over"] for delivery in slack["deliveries"])
    ledger = SqlLedger(sqlite_url(stage.data / "ledger.db"))
    assert (await ledger.verify_all()).ok
    await ledger.close()
    return accepted


async def test_a_few_kills_lose_and_repeat_nothing_R_C3(tmp_path: Path) -> None:
    """Over both platforms, under load."""
    async with staged(tmp_path) as stage:
        await killed(stage, kills=5, rate=8.0, seed=4)
        accepted = await check(stage, twice_on_slack=0.0)
    assert min(accepted[platform] for platform in Platform) >= 20


@pytest.mark.prove
async def test_a_thousand_kills_lose_nothing_R_C3(tmp_path: Path) -> None:
    """At most one answer in 10,000 twice on Slack, none on Discord."""
    total = Counter[Platform]()
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        async with staged(folder) as stage:
            await killed(stage, kills=50, rate=12.0, seed=seed)
            total += await check(stage, twice_on_slack=1 / 10_000)
    assert total.total() >= 30_000
