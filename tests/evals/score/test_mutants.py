"""Every metric kills the mutants that it ships, and leaves healthy rows alone."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from evals.score import catalogue
from evals.score.catalogue import Metric, Subject, counted
from evals.score.score import mutation
from evals.score.specimen import Mutant

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
    on = Subject(mutant.case, mutant.row, mutant.sources, mutant.others)
    found = metric.judge(on)
    assert found.result == mutant.must, found.why


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_each_metric_has_mutants_and_healthy_rows(metric: Metric) -> None:
    """It fails at least three rows, passes one, and names each of them differently."""
    names = [mutant.name for mutant in metric.mutants()]
    musts = [mutant.must for mutant in metric.mutants()]
    assert len({*names}) == len(names)
    assert musts.count("fail") >= 3
    assert "pass" in musts


def test_an_unknown_metric_is_refused_with_those_there_are() -> None:
    """The message helps to choose."""
    with pytest.raises(catalogue.UnknownMetric, match="verbatim"):
        catalogue.load(["quotes"])
    with pytest.raises(catalogue.UnknownMetric, match="twice"):
        catalogue.load(["facts", "facts"])


@pytest.mark.parametrize("wrong", [(), ("no",)])
def test_a_metric_that_says_one_thing_scores_nothing(wrong: tuple[str, ...]) -> None:
    """Neither passing nor failing every row is worth a mutation score."""
    (facts,) = catalogue.load(["facts"])
    found = mutation(replace(facts, judge=lambda on: counted(1, 1, wrong)))
    assert found.score == 0.0
    assert found.survivors


def test_every_metric_kills_all_of_its_mutants_R_E2() -> None:
    """The share that a run's manifest holds, and a verdict asks for."""
    assert {one.metric: one.score for one in map(mutation, METRICS)} == dict.fromkeys(
        catalogue.NAMES, 1.0
    )
