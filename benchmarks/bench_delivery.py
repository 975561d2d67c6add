"""Measure a burst of questions: the time to acknowledge each, and to answer all.

The bot is the one that `serve` starts, over the demo texts of one pack; Slack and
Discord are those that tests use, on the loopback. Ten times the normal load comes in
for a minute, half of it on each: answering it all takes longer, acknowledging must not.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import quantiles

from benchmarks.figures import Figure
from tests.demo import ANSWERABLE, make
from tests.scenarios.small_bot import HATCHERY, MODULE
from tests.scenarios.stage import Bot, Stage, staged, until

PACK = "textbook"
PER_SECOND, SECONDS = 20.0, 60.0
STARTING_S, DRAINING_S = 120.0, 600.0

# Aims of the project (README, "How fast it is").
ACK_P99_MS, ACK_MOST_MS = 50.0, 3_000.0


def bench_delivery() -> Iterator[Figure]:
    """Measure one burst."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "data")
        yield from asyncio.run(_run_burst(Path(folder)))


async def _run_burst(folder: Path) -> Sequence[Figure]:
    async with staged(folder) as stage:
        bot = _make_bot(stage)
        await bot.start()
        await until(stage.heard, STARTING_S, "the bot hears")
        await until(
            lambda: bot.log.read_text().count("ready") == 2, STARTING_S, "ready"
        )
        began = time.monotonic()
        asked = await _ask(stage)
        await until(
            lambda: stage.accepted().total() >= asked, DRAINING_S, "all is heard"
        )
        await until(lambda: not stage.open(), DRAINING_S, "all is answered")
        drained = time.monotonic() - began - SECONDS
        state = await stage.state("slack")
        there, waited = await stage.state("discord"), await stage.latencies()
        ended = time.monotonic()
        await bot.end()
        ended = time.monotonic() - ended
    texts = [post["text"] for post in (*state["posts"], *there["posts"])]
    busy = sum("Too many" in text for text in texts)
    return (
        _describe_latency("Slack", [one["latency"] for one in state["deliveries"]]),
        _describe_latency("Discord, commands", waited),
        Figure(
            f"replies to {asked} questions",
            f"{len(texts)}, {busy} of them that it is busy, "
            f"the last {max(drained, 0.0):.0f} s after the last question",
            "one each",
            len(texts) == asked,
        ),
        Figure("end of the service", f"{ended:.1f} s", "<= 25 s", ended <= 25.0),
    )


def _describe_latency(where: str, seconds: Sequence[float]) -> Figure:
    """Describe how soon events of a platform were acknowledged."""
    latencies = [1000 * latency for latency in seconds]
    cuts = quantiles(latencies, n=100, method="inclusive")
    return Figure(
        f"acknowledgement on {where}, {PER_SECOND:g} a second over both",
        f"{len(latencies)}: p50 {cuts[49]:.3g} ms, p99 {cuts[98]:.3g} ms, "
        f"most {max(latencies):.3g}",
        f"p99 <= {ACK_P99_MS:g} ms, most <= {ACK_MOST_MS:g} ms",
        cuts[98] <= ACK_P99_MS and max(latencies) <= ACK_MOST_MS,
    )


def _make_bot(stage: Stage) -> Bot:
    """Make the bot as people start it."""
    small = stage.bot(
        GROUNDRULE_SLACK_PACK=PACK,
        GROUNDRULE_DISCORD_PACK=PACK,
        GROUNDRULE_WAITING_LIMIT="200",
        GROUNDRULE_THREADS="1",
    )
    environment = {k: v for k, v in small.environment.items() if k != HATCHERY}
    line = [sys.executable, "-m", MODULE, str(stage.data), "real"]
    return Bot(line, environment, small.log)


async def _ask(stage: Stage) -> int:
    """Ask at an even pace, on one platform after the other; return the number asked."""
    chance, loop = random.Random(1), asyncio.get_running_loop()
    began = loop.time()
    number = round(PER_SECOND * SECONDS)
    async with asyncio.TaskGroup() as group:
        for n in range(number):
            await asyncio.sleep(max(0.0, began + n / PER_SECOND - loop.time()))
            text = chance.choice(ANSWERABLE[PACK])
            asks = stage.mention_there if n % 2 else stage.mention
            group.create_task(asks(chance, text))
    return number
