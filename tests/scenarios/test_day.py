"""A day in which people ask much: every figure equals a plain count of the records.

The shipped bot with two workers answers a recorded mix of questions on both platforms;
what it tells of itself then is held against what a few lines count in the ledger.
"""

import random
import re
import socket
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import URL

from adapters.ledger.history import Wanted
from adapters.ledger.mail_records import Binding
from adapters.mail import Platform
from bot.documents.demo import take_in_demo
from bot.reports.weekly import count_week
from bot.wiring import Application
from config.settings import Settings
from engine.model.record import Record
from tests.demo import Demo
from tests.scenarios.mix import drawn, recorded
from tests.scenarios.stage import Bot, Stage, staged, until
from tests.scenarios.test_kills import SETTLING_S

SLACK, DISCORD = "oncology", "textbook"  # where no channel says otherwise
BOUND = {"C14": "mrd", "C15": "mrd", "C16": "immigration", "C17": "immigration"}
FEW, MANY = 16, 3_000
WORKERS = 2  # of `serve`, where nothing else is said
AHEAD = 30  # questions that wait at most
SEED = 18
LOOKS = 60  # at what is in memory
GROWN = 1.10  # of what a process held in the first third of the day, in its last


@dataclass
class Day:
    """What is asked where; bytes that each of the bot's processes held meanwhile."""

    number: int
    bound: Mapping[str, str] = field(default_factory=dict)
    held: list[Mapping[int, int]] = field(default_factory=list)

    @property
    def packs(self) -> set[str]:
        return {SLACK, DISCORD, *self.bound.values()}


async def test_some_questions_are_counted_as_they_are_on_record_R_O1(
    tmp_path: Path, demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two packs, over SQLite and the index in a folder."""
    demo.copy(tmp_path / "data")
    watched = watch(monkeypatch)
    async with staged(tmp_path) as stage:
        await lived(stage, Day(FEW), watched)


@pytest.mark.prove
@pytest.mark.usefixtures("bots_on_weaviate")
@pytest.mark.parametrize("number", [500, MANY])
async def test_a_day_is_counted_as_it_is_on_record_R_O1(
    tmp_path: Path,
    empty_postgresql: URL,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    """Of four packs, over PostgreSQL and a Weaviate server; memory stays flat."""
    watched = watch(monkeypatch)
    day = Day(number, BOUND)
    async with staged(tmp_path, empty_postgresql) as stage:
        await filled(stage, day)
        await lived(stage, day, watched)
    flat(day.held)


def watch(monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the bot will tell of its health."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("GROUNDRULE_HEALTH", f"127.0.0.1:{port}")
    return f"http://127.0.0.1:{port}"


def opened(stage: Stage) -> Application:
    """What the bot has, in this process."""
    return Application(Settings.model_validate({"data": stage.data, **stage.settings}))


async def filled(stage: Stage, day: Day) -> None:
    """Take in the demo texts of every pack, and bind channels to some."""
    async with opened(stage) as application:
        for name in sorted(day.packs):
            corpus = application.corpus(application.pack(name))
            await take_in_demo(corpus, application.settings.packs, application.data)
        for channel, pack in day.bound.items():
            bound = Binding(
                platform=Platform.SLACK, tenant="T1", channel=channel, pack=pack
            )
            await application.mailbox.bind(bound)


async def lived(stage: Stage, day: Day, watched: str) -> None:
    """Ask everything, let it be answered, and hold what is told against the record."""
    bot = stage.shipped({Platform.SLACK: SLACK, Platform.DISCORD: DISCORD})
    await bot.start()
    await until(bot.ready, SETTLING_S, "it answers")
    await people(stage, day, bot)
    await until(stage.said, SETTLING_S, "all is said")
    await until(lambda: not stage.open(), SETTLING_S, "all is done")
    day.held.append(held(bot))
    async with aiohttp.ClientSession() as http:
        async with http.get(f"{watched}/health") as reply:
            said = await reply.json()
        async with http.get(f"{watched}/metrics") as reply:
            metrics = await reply.text()
    async with opened(stage) as application:
        for name in sorted(day.packs):
            plain = Plain(await records(application, name))
            told(f"{name}: {plain.questions} questions, {plain.answered} answered")
            assert plain.questions
            plain.agrees(said["packs"][name])
            plain.is_in(metrics, name)
            await plain.is_reported(application, name)
        assert set(said["packs"]) >= day.packs
    assert said["queue"]["waiting"] == said["queue"]["outgoing"] == 0
    assert await bot.end() == 0
    await each_has_one(stage, day)


async def each_has_one(stage: Stage, day: Day) -> None:
    """Every question has one outcome, which is on record and is seen once."""
    assert (await stage.state("slack"))["problems"] == []
    heard = stage.heard_events()
    assert len(heard) == day.number
    outcomes = [reply.audit_id for event in heard for reply in event.replies]
    assert [len(event.replies) for event in heard] == [1] * day.number
    assert None not in outcomes
    assert len(set(outcomes)) == day.number
    seen = Counter(one.audit_id for one in (await stage.seen()).messages)
    assert [seen[one] for one in outcomes] == [1] * day.number
    async with opened(stage) as application:
        for one in outcomes:
            assert (await application.ledger.read(one or "")).audit_id == one


async def people(stage: Stage, day: Day, bot: Bot) -> None:
    """Ask what is on file for the pack of the channel, as fast as it is answered."""
    chance, began = random.Random(SEED), time.monotonic()
    mixes = {
        name: drawn(recorded(name), day.number, SEED) for name in sorted(day.packs)
    }
    for number in range(1, day.number + 1):
        if number % 2:
            channel = chance.choice(stage.told["slack_channels"])
            pack = day.bound.get(channel, SLACK)
            await stage.mention(chance, next(mixes[pack]), channel)
        else:
            await stage.say_there(chance, next(mixes[DISCORD]))
        await until(lambda: stage.open() < AHEAD, SETTLING_S, "it keeps up")
        if number % max(day.number // LOOKS, 1) == 0:
            day.held.append(held(bot))
            told(f"{number} asked, {time.monotonic() - began:.0f} s")


def held(bot: Bot) -> Mapping[int, int]:
    """Bytes that the serving process and each of its children holds for itself."""
    assert bot.process is not None
    first = bot.process.pid
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    found = {}
    for number in (first, *map(int, children)):
        status = Path(f"/proc/{number}/status").read_text()
        found[number] = int(re.findall(r"RssAnon:\s+(\d+) kB", status)[0]) * 1024
    return found


def flat(looks: Sequence[Mapping[int, int]]) -> None:
    """Neither server nor a worker holds more in the last third than in the first."""
    third = len(looks) // 3
    lasting = frozenset.intersection(*map(frozenset, looks))
    assert len(lasting) > WORKERS
    for process in sorted(lasting):
        early, late = (
            statistics.median(look[process] for look in part)
            for part in (looks[:third], looks[-third:])
        )
        told(f"process {process}: {early / 1e6:.0f} MB, then {late / 1e6:.0f} MB")
        assert late <= GROWN * early


async def records(application: Application, pack: str) -> list[Record]:
    """Of the last 24 hours."""
    since = application.clock.now() - timedelta(hours=24)
    wanted = Wanted(pack=pack, since=since)
    return [one.record async for one in application.ledger.outcomes(wanted)]


class Plain:
    """Some records, counted in the plainest way."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.all = records
        self.questions = len(records)
        self.given = [r for r in records if r.reason_code is None]
        self.answered = len(self.given)
        self.types = Counter(r.intent.query_type for r in records)
        self.refused = Counter(
            str(r.reason_code.value) for r in records if r.reason_code
        )
        self.turned_down = sum(
            any(f.severity == "reject" for f in r.findings) for r in records
        )
        self.took = sorted(r.timings_ms["total"] for r in records)

    def agrees(self, told: Mapping[str, Any]) -> None:
        """Every figure of /health is the one that is counted here."""
        day, grounding = told["last_24h"], told["grounding_quality"]
        assert day["questions"] == self.questions
        assert day["answered"] == self.answered
        assert day["queries_by_type"] == self.types
        assert day["refused"] == self.refused
        assert day["citation_enforcement_failed"] == self.turned_down
        assert day["tokens"] == 0
        assert day["response_time_ms"]["most"] == round(self.took[-1], 1)
        assert day["response_time_ms"]["p50"] == round(statistics.median(self.took), 1)
        tallies = [r.claim_verification for r in self.all]
        right = sum(t.supported for t in tallies)
        judged = right + sum(t.partial + t.unsupported for t in tallies)
        quotes = sum(len(s.quotes) for r in self.all for s in r.sources)
        false = sum(t.fabricated_quotes for t in tallies)
        cited = sum(len(r.sources) for r in self.given)
        kept = sum(bool(r.routing_compliant) for r in self.all)
        assert grounding == {
            "supported_claim_rate": share(right, judged),
            "unanchored_quote_rate": share(false, quotes + false),
            "citations_per_response": share(cited, self.answered),
        }
        routing = told["retrieval_quality"]["routing_compliance_rate"]
        assert routing == share(kept, self.questions)

    def is_in(self, metrics: str, pack: str) -> None:
        """The gauges of /metrics say the same."""
        lines = [line for line in metrics.splitlines() if f'pack="{pack}"' in line]

        def gauge(name: str, label: str) -> dict[str, float]:
            form = re.compile(rf'groundrule_{name}\{{.*{label}="([^"]+)".*\}} (\S+)')
            found = (form.match(line) for line in lines)
            return {hit[1]: float(hit[2]) for hit in found if hit}

        assert gauge("questions_24h", "query_type") == self.types
        assert gauge("refused_24h", "reason") == self.refused
        [turned_down] = gauge("citation_enforcement_failed_24h", "pack").values()
        assert turned_down == self.turned_down

    async def is_reported(self, application: Application, name: str) -> None:
        """The report of a week that ends today says the same."""
        today = application.clock.now().date()
        week = await count_week(
            application, application.pack(name), today + timedelta(days=1)
        )
        assert week.questions == self.questions
        assert week.quality.last_24h.refused == self.refused
        assert week.refused_share == {
            reason: n / self.questions for reason, n in self.refused.items()
        }
        assert week.offered == sum(bool(r.choices) for r in self.all)
        assert sum(d.questions for d in week.trend[-2:]) == self.questions
        cited = Counter(d for r in self.all for d in {s.document_id for s in r.sources})
        assert [n.number for n in week.most_cited] == [
            n for _, n in cited.most_common(len(week.most_cited))
        ]
        assert {n.document: n.number for n in week.most_cited}.items() <= cited.items()
        assert not {n.document for n in week.never_cited} & set(cited)


def share(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def told(line: str) -> None:
    sys.stderr.write(f"{line}\n")
