"""Four crashing cases of a hundred never read as 1.0 and are never released (R-E2)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest
import yaml

from adapters.embedding import MiniLM
from adapters.index.embedded import EmbeddedIndex
from engine.model.errors import IndexAway
from evals.compare.decide import decide
from evals.compare.gates import ALL
from evals.compare.runs import Finished, make_baseline
from evals.compare.verdict import Check, Decision
from evals.forms import Result
from evals.record.rows import make_row
from evals.score import catalogue
from tests.evals.sensitivity.breaking import Broken, instead
from tests.evals.sensitivity.worlds import Bench, World

HUNDRED, CRASHING = 100, 4
WORLD = World("bylaws", "hundred")
FEE = "What is the yearly fee of an allotment garden?"
BEES = "How many beehives may stand in an allotment garden?"


@pytest.fixture(scope="module")
def hundred(bench: Bench) -> Bench:
    """The bench with a suite of a hundred questions, four of them about bees."""
    folder = bench.folder / "hundred"
    (folder / "bylaws").mkdir(parents=True)
    suite = {"cases": [*map(_case, range(HUNDRED))]}
    file = folder / "bylaws" / "hundred.yaml"
    file.write_text(yaml.safe_dump(suite), encoding="utf-8")
    return bench.with_suites(folder)


def _case(at: int) -> Mapping[str, object]:
    bees = at < CRASHING
    facts, document = ("At most 3 beehives", "bees") if bees else ("45 crowns", "fees")
    return {
        "id": f"case-{at:03}",
        "question": BEES if bees else FEE,
        "as_of": date(2023, 1, 1) + timedelta(days=at),
        "expected": {"outcome": "answer", "facts": [[facts]]},
        "document": document,
    }


@pytest.fixture(scope="module")
def whole(hundred: Bench) -> Finished:
    """The hundred, none of which crashes."""
    return hundred.run(WORLD, "hundred")


# --- who crashes ------------------------------------------------------------------


@contextmanager
def embedder() -> Iterator[None]:
    """The embedder fails on questions about bees: the engine contains it."""
    real = MiniLM.encode_question

    def encode(self: MiniLM, text: str) -> object:
        if "beehives" in text:
            raise RuntimeError("the model is gone")
        return real(self, text)

    with instead({"adapters.embedding.MiniLM.encode_question": encode}):
        yield


@contextmanager
def index() -> Iterator[None]:
    """The index cannot be reached when it is asked for bees."""
    real = EmbeddedIndex.search

    async def search(self: EmbeddedIndex, query: Any) -> object:
        if "beehives" in query.terms:
            raise IndexAway("nobody answers")
        return await real(self, query)

    with instead({"adapters.index.embedded.EmbeddedIndex.search": search}):
        yield


@contextmanager
def recorder() -> Iterator[None]:
    """What stands around the engine breaks: nothing of ours contains that."""

    def row(item: Any, *rest: Any) -> object:
        if item.case.question == BEES:
            raise LookupError("no such row")
        return make_row(item, *rest)

    with instead({"evals.record.asking.make_row": row}):
        yield


CRASHES: tuple[Callable[[], Broken], ...] = (embedder, index, recorder)


@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash.__name__)
def test_four_crashes_of_a_hundred_are_neither_one_nor_released_R_E2(
    crash: Callable[[], Broken], hundred: Bench, whole: Finished
) -> None:
    """They stay in every denominator, and no baseline makes up for them."""
    with crash():
        made = hundred.run(WORLD, f"crashed-{crash.__name__}")
    assert sum(rows[0].error is not None for rows in made.rows.values()) == CRASHING
    assert made.manifest["errors"] == CRASHING
    errors = [s for s in made.scored.scores if s.result is Result.ERROR]
    assert len(errors) == CRASHING * len(catalogue.NAMES)

    beside = decide(made.scored, make_baseline(whole).held, catalogue.WEIGHTS)
    assert beside.decision is Decision.REGRESSION
    for name in catalogue.NAMES:
        for check in _of(name, beside.checks):
            assert check.counts is not None
            assert check.counts.errors == CRASHING, check.check
            assert (check.counts.rate or 0.0) <= 1 - CRASHING / HUNDRED, check.check
    # A baseline that crashed as well excuses nothing, and none at all releases nothing.
    for then in (make_baseline(made).held, None):
        verdict = decide(made.scored, then, catalogue.WEIGHTS)
        assert verdict.decision is Decision.REGRESSION


def _of(metric: str, checks: tuple[Check, ...]) -> list[Check]:
    """The checks of a metric over all cases that count rows or parts."""
    return [c for c in checks if c.metric == metric and c.slice == ALL and c.counts]


def test_the_hundred_are_right_where_nothing_crashes(whole: Finished) -> None:
    """So that it is the crashes that keep them back."""
    verdict = decide(whole.scored, make_baseline(whole).held, catalogue.WEIGHTS)
    assert verdict.decision is Decision.RELEASE, verdict.why
