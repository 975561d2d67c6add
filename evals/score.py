"""Rows times metrics is scores: nothing is dropped, what failed to run has failed."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source
from evals.metrics.metric import NO_ROWS, Metric

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


class ScoresLost(Exception):
    """There are not as many scores as rows times metrics, or rows are doubled."""


def score(
    cases: Mapping[str, Case],
    rows: Iterable[Row],
    sources: Mapping[str, Source],
    metrics: Sequence[Metric],
) -> list[Score]:
    """Every row by every metric, sorted by case, repeat and metric.

    A row that is an error, or of no case, and a metric that stumbles, give ERROR.

    Args:
        cases: by id.
        rows: what was recorded, in any order.
        sources: document versions, by version.
        metrics: with different names.

    Raises:
        ScoresLost: nothing to score, or something that would be lost or counted twice.
    """
    held = sorted(rows, key=_place)
    _distinct("row", [_place(row) for row in held])
    _distinct("metric", [metric.name for metric in metrics])
    repeats = _by_repeat(held)
    found = [
        _one(metric, row, cases.get(row.case), sources, repeats[row.repeat])
        for row in held
        for metric in metrics
    ]
    found.sort(key=lambda one: (one.case, one.repeat, one.metric))
    if len(found) != len(held) * len(metrics):
        raise ScoresLost(f"{len(found)} scores of {len(held)} rows: score again")
    return found


def _place(row: Row) -> tuple[str, int]:
    return row.case, row.repeat


def _distinct(what: str, names: Sequence[object]) -> None:
    if not names:
        raise ScoresLost(f"there is no {what} to score: an empty run proves nothing")
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ScoresLost(f"{what} {twice} stands there twice")


def _by_repeat(rows: Iterable[Row]) -> dict[int, dict[str, Row]]:
    found: dict[int, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row.repeat, {})[row.case] = row
    return found


def _one(
    metric: Metric,
    row: Row,
    case: Case | None,
    sources: Mapping[str, Source],
    others: Mapping[str, Row] = NO_ROWS,
) -> Score:
    if row.error is not None or row.record is None:
        return _error(metric, row, row.error or "the row holds no record")
    if case is None:
        return _error(metric, row, "no case of the run has this id")
    try:
        found = metric.score(case, row, sources, others=others)
    except STUMBLES as error:
        return _error(metric, row, f"{type(error).__name__}: {error}")
    why = next(_flaws(found, metric, row), None)
    return found if why is None else _error(metric, row, why)


def _flaws(found: Score, metric: Metric, row: Row) -> Iterator[str]:
    """What is wrong with a score itself: its place, its result, its value."""
    if not isinstance(found, Score) or not isinstance(found.result, Result):
        yield f"{metric.name} gave no score"
        return
    if (found.case, found.repeat, found.metric) != (*_place(row), metric.name):
        yield f"{metric.name} scored another row"
    value = found.value
    if value is not None and not (math.isfinite(value) and 0.0 <= value <= 1.0):
        yield f"{metric.name} gave {value}, which is no share"


def _error(metric: Metric, row: Row, why: str) -> Score:
    return Score(
        case=row.case,
        repeat=row.repeat,
        metric=metric.name,
        result=Result.ERROR,
        why=why,
    )
