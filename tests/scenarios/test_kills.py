"""The bot is killed at any moment; each accepted question has one outcome (R-C3).

People ask in every way, and press, edit, take away and ask to be forgotten. What they
see in the end is held against what is on record (tests/scenarios/truth.py).
"""

import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from adapters.ledger.history import Wanted
from adapters.mail import QUESTIONS, Action, Platform
from tests.demo import ANSWERABLE, Demo
from tests.scenarios.live import WEAK
from tests.scenarios.stage import FORGETTING, Bot, Stage, staged, until
from tests.scenarios.truth import Findings, Truth

LONGEST_LIFE_S = 2.0  # after it hears
STARTING_S, SETTLING_S = 300.0, 600.0  # on a busy machine
ANSWERING = 0.7  # of the lives that hear go on until somebody is there to answer
# People wait where so much is in work, or was said while nobody heard; so a bot that is
# behind on a busy machine stays behind by as much.
MOST_OPEN, MOST_UNHEARD = 60, 15
PEOPLE = 4  # who do something at the same time
ACTING = 0.2  # how much of what people do is done with what they see
ACTS = 4  # and so often in each life besides
RARE = 25  # in one of so many lives somebody wants to be forgotten
ENDING_S = 25.0
SEEDS, KILLS, ENOUGH = 10, 50, 15_000  # of half the proof, at least; questions


@asynccontextmanager
async def busy(stage: Stage, chance: random.Random, rate: float) -> AsyncIterator[None]:
    """People do so much a second, unless nothing comes of it."""

    async def go() -> None:
        unheard = 0
        while True:
            heard = await stage.heard()
            unheard = 0 if heard else unheard + 1
            if stage.open() >= MOST_OPEN if heard else unheard > MOST_UNHEARD:
                pass
            elif chance.random() < ACTING:
                await stage.act(chance)
            else:
                await stage.ask(chance)
            await asyncio.sleep(chance.expovariate(rate / PEOPLE))

    people = [asyncio.create_task(go()) for _ in range(PEOPLE)]
    try:
        yield
    finally:
        for task in people:
            task.cancel()
        for task in people:
            with suppress(asyncio.CancelledError):
                await task


async def live_and_die(
    stage: Stage, bot: Bot, chance: random.Random, *, forgetting: bool
) -> None:
    """One life of the bot: killed while it starts, or some time after it hears."""
    await bot.start()
    if chance.random() < 0.1:
        await asyncio.sleep(chance.uniform(0, 2.0))
    else:
        await until(stage.heard, STARTING_S, "the bot hears")
        if chance.random() < ANSWERING:
            await until(bot.ready, STARTING_S, "it answers")
        for _ in range(ACTS):  # who presses a button does it while the bot is there
            await stage.act(chance)
        for act in FORGETTING if forgetting else ():
            await stage.act(chance, act)
        if chance.random() < 0.3:
            await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))
            bot.kill_worker(chance)
        await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))
    await bot.kill()


async def killed(
    stage: Stage, kills: int, rate: float, seed: int, bot: Bot | None = None
) -> None:
    """Kill it so often, then let it end what it has accepted."""
    chance = random.Random(seed)
    bot = bot or stage.bot()
    async with busy(stage, chance, rate):
        for number in range(kills):
            forgetting = number % RARE == 1
            await live_and_die(stage, bot, chance, forgetting=forgetting)
    await settled(stage, bot)


async def settled(stage: Stage, bot: Bot) -> None:
    """Let it hear and end everything."""
    await bot.start()
    await until(stage.heard, STARTING_S, "the bot hears")
    await until(stage.said, SETTLING_S, "all is said")
    await until(lambda: not stage.open(), SETTLING_S, "all is done")
    assert await bot.end() == 0


async def on_record(stage: Stage) -> int:
    """How many outcomes its ledger holds."""
    ledger = stage.ledger()
    recorded = await ledger.count(Wanted())
    await ledger.close()
    return recorded


async def findings(stage: Stage, before: int = 0) -> Findings:
    """Hold what was accepted against what is visible and what is on record.

    `before` is how many outcomes were on record before anybody asked.
    """
    slack = await stage.state("slack")
    assert slack["problems"] == []
    events = [d for d in slack["deliveries"] if d["kind"] == "events_api"]
    assert all(delivery["over"] for delivery in events)
    ledger = stage.ledger()
    truth = Truth(stage.heard_events(), await stage.seen(), ledger, before)
    found = await truth.told()
    await ledger.close()
    assert not found.wrong, "\n".join(found.wrong[:8])
    return found


def asked(found: Findings) -> int:
    """How many questions were accepted."""
    return sum(found.acts[action] for action in QUESTIONS)


def bounded(found: Findings, twice_on_slack: float) -> None:
    """Almost everything was an outcome; hardly anything is seen twice."""
    questions = asked(found)
    failed = found.failures
    assert found.twice[Platform.DISCORD] == 0
    assert found.twice[Platform.SLACK] <= twice_on_slack * questions
    assert failed["not recorded"] == failed["busy"] == failed["not taken"] == 0
    assert failed["given up"] + failed["late"] <= questions / 1_000
    assert found.again <= max(1, questions / 50)
    assert found.exempt <= questions / 2


async def test_a_few_kills_lose_and_repeat_nothing_R_C3(tmp_path: Path) -> None:
    """Over both platforms, under load."""
    async with staged(tmp_path) as stage:
        await killed(stage, kills=4, rate=10.0, seed=4)
        found = await findings(stage)
    bounded(found, twice_on_slack=0.0)
    assert all(found.accepted[platform] for platform in Platform)


async def test_it_ends_in_time_under_load_R_C3(tmp_path: Path) -> None:
    """Told to while there is much to do; the rest waits for the next start."""
    chance = random.Random(1)
    async with staged(tmp_path) as stage:
        bot = stage.bot()
        await bot.start()
        await until(stage.heard, STARTING_S, "the bot hears")
        async with busy(stage, chance, rate=60.0):
            await until(lambda: stage.open() > 5, STARTING_S, "it is behind")
            began = time.monotonic()
            assert await bot.end() == 0
            assert time.monotonic() - began <= ENDING_S
        await settled(stage, bot)
        bounded(await findings(stage), twice_on_slack=0.0)


@pytest.mark.prove
async def test_kills_of_a_bot_that_answers_lose_nothing_R_C3(
    tmp_path: Path, demo: Demo
) -> None:
    """The shipped bot over the demo texts: its answers take several messages."""
    demo.copy(tmp_path / "data")
    async with staged(tmp_path) as stage:
        stage.questions = [*ANSWERABLE["textbook"], WEAK]
        before = await on_record(stage)
        await killed(stage, 60, 6.0, seed=6, bot=stage.answering("textbook"))
        found = await findings(stage, before)
        messages = (await stage.seen()).messages
    sys.stderr.write(f"{asked(found)} questions, {found}\n")
    bounded(found, twice_on_slack=1 / 10_000)
    assert sum("Sources" in one.text for one in messages) > asked(found) / 3


@pytest.mark.prove
@pytest.mark.parametrize("half", [1, 2])
async def test_a_thousand_kills_lose_nothing_R_C3(tmp_path: Path, half: int) -> None:
    """At most one answer in 10,000 twice on Slack, none on Discord."""
    total = Findings()
    for number in count(1):
        if number > SEEDS and asked(total) >= ENOUGH:
            break
        seed = 1_000 * half + number
        folder = tmp_path / str(seed)
        folder.mkdir()
        async with staged(folder) as stage:
            await killed(stage, kills=KILLS, rate=60.0, seed=seed)
            total += await findings(stage)
        done = f"{half}: {number * KILLS} kills, {asked(total)} questions"
        sys.stderr.write(f"{done}, {total}\n")
    bounded(total, twice_on_slack=1 / 10_000)
    assert total.acts[Action.FORGET] >= SEEDS
    for action in (Action.EDITED, Action.DELETED, Action.WHY):
        assert total.acts[action] >= 100
