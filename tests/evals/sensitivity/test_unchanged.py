"""A system that has not changed: the same bytes, and never a red run."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import pytest

from evals import store
from evals.compare.decide import RunScores
from evals.compare.runs import Finished
from evals.compare.verdict import Decision
from evals.forms import Score
from tests.evals.sensitivity.worlds import (
    BYLAWS,
    DRAFTED,
    WORLDS,
    Bench,
    World,
    decided,
)

CANONICAL = (store.ANSWERS, store.SCORES, store.VERDICT, store.SOURCES, store.CASES)
REPEATS = 5  # of which every choice is a run of its own: 31
TIMES = 20


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_two_runs_of_the_same_code_are_the_same_bytes_R_E3_R_E5(
    world: World, bench: Bench, baselines: Mapping[str, Finished]
) -> None:
    """Answers, scores and verdict, however many cases are asked at the same time."""
    then = baselines[world.name]
    again = bench.run(world, f"again-{world.name}", concurrency=1)
    for made in (then, again):
        decided(made, then, keep=bench.runs / made.name)
    for name in CANONICAL:
        one, two = (bench.runs / made.name / name for made in (then, again))
        assert one.read_bytes() == two.read_bytes(), name


@pytest.mark.parametrize("world", [BYLAWS, DRAFTED], ids=lambda world: world.name)
def test_an_unchanged_system_is_never_red_R_E3(
    world: World, bench: Bench, baselines: Mapping[str, Finished]
) -> None:
    """Every choice of recorded repeats is decided beside the baseline, and released."""
    then = baselines[world.name]
    made = bench.run(world, f"repeats-{world.name}", repeats=REPEATS)
    decisions = [
        decided(chosen, then).decision for chosen in choices(made, range(REPEATS))
    ]
    assert len(decisions) >= TIMES
    assert set(decisions) == {Decision.RELEASE}


@pytest.mark.prove
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_twenty_real_runs_are_never_red_R_E3(
    world: World, bench: Bench, baselines: Mapping[str, Finished]
) -> None:
    """Asked, scored and decided anew, twenty times."""
    then = baselines[world.name]
    decisions = [
        decided(bench.run(world, f"run-{at}-{world.name}"), then).decision
        for at in range(TIMES)
    ]
    assert decisions == [Decision.RELEASE] * TIMES


def choices(made: Finished, repeats: range) -> Iterator[RunScores]:
    """The run as it would be with some of its repeats alone."""
    for of in range(1, len(repeats) + 1):
        for chosen in combinations(repeats, of):
            place = {repeat: at for at, repeat in enumerate(chosen)}
            scores = tuple(_numbered(made.scored.scores, place))
            yield replace(made.scored, scores=scores)


def _numbered(scores: tuple[Score, ...], place: Mapping[int, int]) -> Iterator[Score]:
    for score in scores:
        if score.repeat in place:
            yield replace(score, repeat=place[score.repeat])
