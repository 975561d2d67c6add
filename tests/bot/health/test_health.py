"""Health from the record: a plain count, and it outlives the process (R-O1, R-O4)."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
import re2
import yaml
from prometheus_client import CollectorRegistry, generate_latest

from adapters.ledger.history import Wanted
from adapters.mail import Action, Platform, PostFailed
from bot.health.families import HealthFamilies
from bot.health.quality import ROUTING, SUPPORTED, UNANCHORED, Tally, measure_latency
from bot.health.serving import HealthSite, serve_health
from bot.health.state import Health, read_health
from config.settings import Settings
from engine.model.answer import ClaimTally
from engine.model.evidence import Trace
from engine.model.record import Record, record_of
from engine.policy.pack import Pack
from engine.policy.records import FigureRule, HealthRules
from tests.adapters.ledger.samples import answered, document, refused
from tests.bot.chat import BEN, Chat
from tests.bot.small import SmallApplication
from tests.conftest import ROOT
from tests.engine.small_pack import small_pack
from tests.fakes import FixedClock

CANARY = "heron-4711"
RULES = HealthRules(
    retrieval=(
        FigureRule(
            name="avg_nccn_share_trial_queries",
            query_types=("clinical_trials",),
            measure="share",
            types=("nccn",),
            below=0.30,
        ),
        FigureRule(
            name="avg_trial_sources_trial_queries",
            query_types=("clinical_trials",),
            measure="number",
            types=("clinicaltrials", "pubmed"),
            least=3,
        ),
    )
)


def watched(**changes: object) -> Pack:
    return small_pack(**changes).model_copy(update={"health": RULES})


def record(kind: str, held: dict[str, int], **changes: object) -> Record:
    """An answer whose evidence came from these types of source."""
    made = record_of(answered(document()))
    intent = made.intent.model_copy(update={"query_type": kind})
    trace = Trace(query_type=kind, sources_by_type=held)
    update = {"intent": intent, "retrieval": trace, **changes}
    return made.model_copy(update=update)


def test_figures_are_a_plain_count_over_the_records_R_O1() -> None:
    """Names, targets and shape of the seed; other types of question do not count."""
    tally = Tally(watched())
    good = ClaimTally(supported=19, unsupported=1)
    tally.add(record("clinical_trials", {"nccn": 1, "clinicaltrials": 3, "pubmed": 1}))
    tally.add(
        record(
            "clinical_trials",
            {"nccn": 2, "clinicaltrials": 2},
            claim_verification=good,
        )
    )
    tally.add(record("general", {"nccn": 9}))
    found = tally.summarize()
    retrieval = found.retrieval_quality
    assert retrieval["avg_nccn_share_trial_queries"] == pytest.approx((0.2 + 0.5) / 2)
    assert retrieval["avg_trial_sources_trial_queries"] == 3.0
    assert found.targets["avg_nccn_share_trial_queries"].met is False
    assert found.targets["avg_trial_sources_trial_queries"].met is True
    assert found.grounding_quality[SUPPORTED] == 0.95
    assert found.grounding_quality[UNANCHORED] == 0.0
    assert found.grounding_quality["citations_per_response"] == 2.0
    assert retrieval[ROUTING] == 1.0
    assert dict(found.last_24h.queries_by_type) == {"clinical_trials": 2, "general": 1}
    assert found.missed == ("avg_nccn_share_trial_queries",)


def test_nothing_counted_is_no_figure_and_misses_nothing_R_O1() -> None:
    found = Tally(watched()).summarize()
    assert set(found.retrieval_quality.values()) == {None}
    assert {target.met for target in found.targets.values()} == {None}
    assert found.missed == ()


def test_refusals_are_counted_by_reason_with_their_denominator_R_O4() -> None:
    """And drafts that were turned down, whatever came after them."""
    tally = Tally(watched())
    for _ in range(3):
        tally.add(record_of(refused()))
    tally.add(record("general", {}))
    day = tally.summarize().last_24h
    assert (day.questions, day.answered) == (4, 1)
    assert dict(day.refused) == {"LOW_SCORE": 3}
    assert day.citation_enforcement_failed == 3


def test_latency_is_told_as_median_and_tail() -> None:
    found = measure_latency([float(n) for n in range(1, 101)])
    assert (found.p50, found.p95, found.most) == (50.5, 95.0, 100.0)
    assert measure_latency([]).p50 is None
    assert measure_latency([7.0]).p95 == 7.0


# --- an installation --------------------------------------------------------------


@pytest.fixture
async def other(tmp_path: Path, chat: Chat) -> AsyncIterator[SmallApplication]:
    """Another process on the same data, after some questions in chat."""
    settings = Settings(data=tmp_path / "data", daily_ceiling=2.0)
    async with SmallApplication(settings, clock=chat.clock) as opened:
        yield opened


async def test_another_process_tells_the_same_R_O1(
    chat: Chat, other: SmallApplication
) -> None:
    """Counts of the record equal a plain count; nothing that was asked is in them."""
    for number in range(5):
        await chat.says(f"What about {CANARY} {number}?", person=f"U{number}")
    await chat.rings("One that waits.", person=BEN)
    found = await read_health(other)
    counted = Counter[str]()
    async for stored in chat.application.ledger.outcomes(Wanted(pack="small")):
        counted[stored.record.intent.query_type] += 1
    assert dict(found.packs["small"].last_24h.queries_by_type) == dict(counted)
    assert sum(counted.values()) == 5
    assert found.queue is not None
    assert found.queue.waiting == 1
    assert found.spending["small"].ceiling == 2.0
    assert CANARY not in found.model_dump_json()


async def test_what_is_older_than_a_day_does_not_count_R_O1(
    chat: Chat, other: SmallApplication
) -> None:
    assert isinstance(other.clock, FixedClock)
    await chat.says()
    other.clock.moment += timedelta(hours=25)
    found = await read_health(other)
    assert found.packs["small"].last_24h.questions == 0


async def test_what_is_wrong_is_named_R_O1(chat: Chat, other: SmallApplication) -> None:
    """A platform that does not hear, a reply that was given up, an old question."""
    chat.wall.failing = [PostFailed("gone", None)]
    await chat.says()
    await chat.rings(action=Action.ASK, person=BEN)
    assert isinstance(other.clock, FixedClock)
    other.clock.moment += timedelta(minutes=5)
    found = await read_health(other, {Platform.SLACK: True, Platform.DISCORD: False})
    assert not found.ok
    assert "discord does not hear" in found.problems
    assert "something waits for more than two minutes" in found.problems
    assert found.queue is not None
    assert found.queue.buried_24h == 1
    assert found.queue.oldest_s == 300.0


async def test_it_is_served_beside_any_platform_R_O1(other: SmallApplication) -> None:
    """/health says 200 or 503, /metrics the same figures; one look serves both."""
    looks = 0

    async def look() -> Health:
        nonlocal looks
        looks += 1
        return await read_health(other, {Platform.DISCORD: False})

    site = HealthSite(look, other.observer)
    async with (
        serve_health(site, "127.0.0.1", 0) as port,
        aiohttp.ClientSession() as client,
    ):
        async with client.get(f"http://127.0.0.1:{port}/health") as answer:
            told = await answer.json()
            assert answer.status == 503
        async with client.get(f"http://127.0.0.1:{port}/metrics") as answer:
            text = await answer.text()
    assert {"retrieval_quality", "grounding_quality", "last_24h"} <= set(
        told["packs"]["small"]
    )
    assert 'groundrule_connected{platform="discord"} 0.0' in text
    assert looks == 1


# --- files for Prometheus and Grafana ---------------------------------------------

NAME = re2.compile(r"groundrule_[a-z0-9_]+")


async def shown(other: SmallApplication) -> set[str]:
    """The names of all gauges."""
    found = await read_health(other, {Platform.SLACK: True})
    registry = CollectorRegistry()
    registry.register(HealthFamilies(found))
    text = generate_latest(registry).decode()
    return {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}


async def test_alert_rules_name_what_is_shown_R_O4(other: SmallApplication) -> None:
    """Well-formed, with one on any draft that was turned down."""
    file = ROOT / "deploy" / "prometheus" / "alerts.yaml"
    [group] = yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]
    rules = {rule["alert"]: rule for rule in group["rules"]}
    known = await shown(other)
    for rule in rules.values():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"]
        named = set(NAME.findall(rule["expr"]))
        assert named and named <= known, rule["expr"]
    on = rules["GroundruleCitationEnforcementFailed"]["expr"]
    assert on == "groundrule_citation_enforcement_failed_24h > 0"


async def test_the_dashboard_names_what_is_shown_R_O1(other: SmallApplication) -> None:
    """Every panel has a title, a place of its own and metrics that there are."""
    file = ROOT / "deploy" / "grafana" / "groundrule.json"
    board = json.loads(file.read_text(encoding="utf-8"))
    known = await shown(other)
    places = set()
    for panel in board["panels"]:
        assert panel["title"]
        places.add((panel["gridPos"]["x"], panel["gridPos"]["y"]))
        for target in panel["targets"]:
            named = set(NAME.findall(target["expr"]))
            assert named and named <= known, target["expr"]
    assert len(places) == len(board["panels"])
