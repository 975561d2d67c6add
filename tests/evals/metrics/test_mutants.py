"""Every metric kills the mutants that it ships, and leaves healthy rows alone."""

from collections.abc import Iterator

import pytest

from evals.forms import Case, Row, Score
from evals.metrics import catalogue
from evals.metrics.metric import Metric, Mutant, counted, scored
from evals.mutants import mutation
from evals.score import score

METRICS = catalogue.load()


def _mutants() -> Iterator[tuple[Metric, Mutant]]:
    return ((metric, mutant) for metric in METRICS for mutant in metric.mutants())


@pytest.mark.parametrize(
    ("metric", "mutant"),
    tuple(_mutants()),
    ids=lambda part: part.name.replace(" ", "_"),
)
def test_mutants_get_the_result_they_must_R_E2(metric: Metric, mutant: Mutant) -> None:
    """A row is failed for what was done to it, and for nothing else."""
    found = metric.score(mutant.case, mutant.row, mutant.sources, others=mutant.others)
    assert found.result == mutant.must, found.why


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_each_metric_has_mutants_and_healthy_rows(metric: Metric) -> None:
    """It fails at least three rows, passes one, and names each of them differently."""
    names = [mutant.name for mutant in metric.mutants()]
    musts = [mutant.must for mutant in metric.mutants()]
    assert len({*names}) == len(names)
    assert musts.count("fail") >= 3
    assert "pass" in musts


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_names_itself_and_its_requirements(metric: Metric) -> None:
    """The catalogue's name is the metric's own, and it shows a requirement."""
    assert catalogue.load([metric.name])[0].name == metric.name
    assert all(shown.startswith("R-") for shown in metric.requirements)
    assert metric.requirements


def test_an_unknown_metric_is_refused_with_those_there_are() -> None:
    """The message helps to choose."""
    with pytest.raises(catalogue.UnknownMetric, match="verbatim"):
        catalogue.load(["quotes"])
    with pytest.raises(catalogue.UnknownMetric, match="twice"):
        catalogue.load(["facts", "facts"])


class _Sleepy:
    """Passes every row."""

    name = "facts"
    weight = "gate"
    requirements = ("R-E1",)

    def __init__(self, metric: Metric, *, fails: bool) -> None:
        self._metric = metric
        self._wrong = ["no"] if fails else []

    def score(self, case: Case, row: Row, sources: object, **kept: object) -> Score:
        return scored(self.name, row, counted(1, 1, self._wrong))

    def mutants(self) -> object:
        return self._metric.mutants()


@pytest.mark.parametrize("fails", [False, True])
def test_a_metric_that_says_one_thing_scores_nothing(fails: bool) -> None:
    """Neither passing nor failing every row is worth a mutation score."""
    (found,) = mutation([_Sleepy(catalogue.load(["facts"])[0], fails=fails)])
    assert found.score == 0.0
    assert found.survivors


def test_every_metric_kills_all_of_its_mutants_R_E2() -> None:
    """The share that a run's manifest holds, and a verdict asks for."""
    assert {one.metric: one.score for one in mutation(METRICS)} == dict.fromkeys(
        catalogue.NAMES, 1.0
    )


def test_a_mutant_is_scored_as_a_run_scores_it() -> None:
    """The shipped rows go through `score` without a stumble."""
    for metric, mutant in _mutants():
        rows = [mutant.row, *mutant.others.values()]
        cases = {row.case: mutant.case for row in rows}
        for found in score(cases, rows, mutant.sources, [metric]):
            assert "Error" not in found.why, (metric.name, mutant.name, found.why)
