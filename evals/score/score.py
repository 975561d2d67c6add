"""Rows times metrics is scores: nothing is dropped, and what failed to run has failed.

A metric is tested in each run with mutants, rows that it must fail and rows that it
must not: the share that it sees is its mutation score.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals import store
from evals.forms import Case, Result, Row, Score, Source
from evals.score.catalogue import NAMES, Finding, Metric, Subject, code, load
from evals.score.specimen import Mutant

# What a metric may stumble over in a row; anything else ends the run, unscored.
STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
ILL = frozenset({Result.FAIL, Result.ERROR})


class ScoresLost(Exception):
    """There are not as many scores as rows times metrics, or rows are doubled."""


def score(
    cases: Mapping[str, Case],
    rows: Iterable[Row],
    sources: Mapping[str, Source],
    metrics: Sequence[Metric],
) -> list[Score]:
    """Score every row by every metric, sorted by case, repeat and metric.

    A row that is an error, or of no case, and a metric that stumbles, give ERROR.

    Args:
        cases: by id.
        rows: what was recorded, in any order.
        sources: document versions, by version.
        metrics: with different names.

    Raises:
        ScoresLost: nothing to score, or something that would be lost or counted twice.
    """
    held = sorted(rows, key=lambda row: (row.case, row.repeat))
    _distinct("row", [(row.case, row.repeat) for row in held])
    _distinct("metric", [metric.name for metric in metrics])
    repeats: dict[int, dict[str, Row]] = {}
    for row in held:
        repeats.setdefault(row.repeat, {})[row.case] = row
    found = [
        made(row, metric.name, _found(metric, row, case, (sources, others)))
        for row in held
        for case, others in ((cases.get(row.case), repeats[row.repeat]),)
        for metric in metrics
    ]
    found.sort(key=lambda one: (one.case, one.repeat, one.metric))
    if len(found) != len(held) * len(metrics):
        raise ScoresLost(f"{len(found)} scores of {len(held)} rows: score again")
    return found


def made(row: Row, metric: str, found: Finding) -> Score:
    """Make what a metric found the score of a row."""
    return Score(
        case=row.case,
        repeat=row.repeat,
        metric=metric,
        result=found.result,
        value=found.value,
        why=found.why,
        marks=found.marks,
        parts=found.parts,
    )


def _distinct(what: str, names: Sequence[object]) -> None:
    if not names:
        raise ScoresLost(f"there is no {what} to score: an empty run proves nothing")
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ScoresLost(f"{what} {twice} stands there twice")


def _found(
    metric: Metric,
    row: Row,
    case: Case | None,
    beside: tuple[Mapping[str, Source], Mapping[str, Row]],
) -> Finding:
    if case is None:
        return error("no case of the run has this id")
    return judged(metric, Subject(case, row, *beside))


def judged(metric: Metric, on: Subject) -> Finding:
    """Judge a row by one metric; whatever goes wrong is an ERROR."""
    if on.row.error is not None or on.row.record is None:
        return error(on.row.error or "the row holds no record")
    try:
        found = metric.judge(on)
    except STUMBLES as stumble:
        return error(f"{type(stumble).__name__}: {stumble}")
    why = next(_flaws(found, metric), None)
    return found if why is None else error(why)


def error(why: str) -> Finding:
    """Say that a row could not be judged."""
    return Finding(result=Result.ERROR, why=why)


def _flaws(found: Finding, metric: Metric) -> Iterator[str]:
    """What is wrong with a finding itself: its result, its value."""
    if not isinstance(found, Finding) or not isinstance(found.result, Result):
        yield f"{metric.name} gave no finding"
        return
    value = found.value
    if value is not None and not (math.isfinite(value) and 0.0 <= value <= 1.0):
        yield f"{metric.name} gave {value}, which is no share"


# --- mutants ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutation:
    """What a metric made of its mutants.

    Attributes:
        metric: its name.
        killed, mutants: how many rows were failed, of those that must FAIL (or ERROR).
        kept, healthy: how many of the others got the result they must.
        survivors: names of those that got another result.
    """

    metric: str
    killed: int
    mutants: int
    kept: int
    healthy: int
    survivors: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The share of mutants killed; 0.0 where a healthy row was failed, or none is.

        A metric that fails everything kills every mutant and is worth nothing.
        """
        sound = self.healthy > 0 and self.kept == self.healthy
        return self.killed / self.mutants if sound and self.mutants else 0.0


def mutation(metric: Metric) -> Mutation:
    """Score a metric on its own mutants."""
    mutants = tuple(metric.mutants())
    wrong = [each for each in mutants if _result(metric, each) != each.must]
    ill = sum(each.must in ILL for each in mutants)
    missed = sum(each.must in ILL for each in wrong)
    healthy = len(mutants) - ill
    return Mutation(
        metric=metric.name,
        killed=ill - missed,
        mutants=ill,
        kept=healthy - (len(wrong) - missed),
        healthy=healthy,
        survivors=tuple(each.name for each in wrong),
    )


def _result(metric: Metric, each: Mutant) -> Result:
    """As a run scores it: a metric that stumbles gives ERROR."""
    return judged(
        metric, Subject(each.case, each.row, each.sources, each.others)
    ).result


# --- a run ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scoring:
    """What scoring a run came to.

    Attributes:
        rows: how many were scored.
        scores: by case, repeat and metric.
        mutations: what each metric made of its own mutants.
    """

    rows: int
    scores: tuple[Score, ...]
    mutations: tuple[Mutation, ...]

    def count(self, result: Result) -> int:
        """Count the scores that have a result."""
        return sum(score.result is result for score in self.scores)


def score_run(run: Path, names: Sequence[str] = NAMES) -> Scoring:
    """Score a recorded run, without a call, and write scores.jsonl beside its answers.

    The manifest gets the metrics' names, the hash of their code, and their mutation
    scores.

    Args:
        run: the folder that `record` wrote.
        names: of the metrics.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
        UnknownMetric: a name is no metric's.
        ScoresLost: a row or a metric stands there twice.
    """
    recorded = store.recorded(run)
    chosen = load(names)
    found = score(recorded.cases, recorded.rows, recorded.sources, chosen)
    mutations = tuple(map(mutation, chosen))
    store.write_scores(run, found)
    scoring = {
        "metrics": sorted(names),
        "code": code(),
        "mutation": {one.metric: round(one.score, 4) for one in mutations},
    }
    store.write_manifest(run, {**recorded.manifest, "scoring": scoring})
    return Scoring(len(recorded.rows), tuple(found), mutations)
