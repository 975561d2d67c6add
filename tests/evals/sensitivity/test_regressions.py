"""Every seeded regression is caught, by the metric that is meant for it (R-E3)."""

from collections.abc import Mapping

import pytest

from evals.compare.runs import Finished
from evals.compare.verdict import Decision, Status
from evals.score import catalogue
from tests.evals.sensitivity import answer_regressions, regressions
from tests.evals.sensitivity.seeding import REGRESSIONS, Regression
from tests.evals.sensitivity.worlds import WORLDS, Bench, World, decided

SEEDED = (regressions, answer_regressions)  # importing them enters them in the table


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_unbroken_all_is_right(world: World, baselines: Mapping[str, Finished]) -> None:
    """No row of a baseline is wrong by any metric, so that whatever is, was broken."""
    made = baselines[world.name]
    wrong = [
        (score.case, score.metric, score.why)
        for score in made.scored.scores
        if score.result in ("fail", "error")
    ]
    assert wrong == []


@pytest.mark.parametrize("seeded", REGRESSIONS.values(), ids=lambda each: each.name)
def test_a_seeded_regression_is_caught_R_E2_R_E3(
    seeded: Regression, bench: Bench, baselines: Mapping[str, Finished]
) -> None:
    """The verdict is a regression, and a check of the metric meant for it failed."""
    with seeded.broken():
        made = bench.run(seeded.world, seeded.name)
    verdict = decided(made, baselines[seeded.world.name])
    failed = {c.metric for c in verdict.checks if c.result is Status.FAIL}
    assert seeded.metric in failed, verdict.why
    assert verdict.decision is Decision.REGRESSION


def test_every_metric_that_decides_is_meant_for_a_regression() -> None:
    """No metric gates that has not been seen to catch something real."""
    meant = {each.metric for each in REGRESSIONS.values()}
    deciding = {n for n, weight in catalogue.WEIGHTS.items() if weight != "advice"}
    assert meant == deciding
