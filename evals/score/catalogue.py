"""Metrics by name: what each is handed, what it finds, how much it weighs.

A metric is a function of a subject, in a module of its own name below
`evals/score/metrics/`, beside the function `mutants` that makes the rows that it is
tested with. A module is imported when its metric is asked for.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from evals.forms import Case, Json, Result, Row, Source, Weight
from evals.score.specimen import Mutant

# "invariant": zero tolerance; "gate": compared with the baseline; "advice": reported,
# never decided on.
WEIGHTS: Mapping[str, Weight] = {
    "verbatim": "invariant",
    "citation": "invariant",
    "refusal_kind": "gate",
    "banners": "invariant",
    "markup": "invariant",
    "abstention": "gate",
    "facts": "gate",
    "absent": "gate",
    "routing": "gate",
    "sections": "gate",
    "source_mix": "gate",
    "not_found": "gate",
    "missing_facts": "gate",
    "states": "gate",
    "evidence_dependence": "gate",
    "blame": "advice",
}
NAMES = tuple(WEIGHTS)

_HERE = Path(__file__).resolve().parent
_EVALS = _HERE.parent


@dataclass(frozen=True, slots=True)
class Subject:
    """A row that is judged, with all that a metric may look at.

    Attributes:
        case: what was asked and is expected.
        row: what came of it; never an error, `evals/score/score.py` keeps those away.
        sources: document versions, by version.
        others: the rows of the same repeat by case, for a case that changes another.
    """

    case: Case
    row: Row
    sources: Mapping[str, Source] = field(default_factory=dict)
    others: Mapping[str, Row] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a metric found in a row; see `Score` for its fields."""

    result: Result
    why: str = ""
    value: float | None = None
    marks: tuple[Json, ...] = ()
    parts: int | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with its name, its weight, and the rows that it is tested with."""

    name: str
    weight: Weight
    judge: Callable[[Subject], Finding]
    mutants: Callable[[], Iterable[Mutant]]


class UnknownMetric(ValueError):
    """No metric has this name; the message lists those that there are."""


def load(names: Iterable[str] = NAMES) -> tuple[Metric, ...]:
    """Import the metrics of some names, in the order given.

    Raises:
        UnknownMetric: one is not there, or named twice.
    """
    chosen = tuple(names)
    for name in chosen:
        if name not in WEIGHTS:
            known = ", ".join(NAMES)
            raise UnknownMetric(f"no metric is called {name}; there are {known}")
        if chosen.count(name) > 1:
            raise UnknownMetric(f"metric {name} is named twice")
    return tuple(map(_imported, chosen))


def _imported(name: str) -> Metric:
    module = import_module(f"evals.score.metrics.{name}")
    return Metric(name, WEIGHTS[name], getattr(module, name), module.mutants)


def code() -> str:
    """Hash all code that judges (SHA-256): other code may score otherwise."""
    beside = (_EVALS / "forms.py", _EVALS / "reading.py")
    hashed = sha256()
    for file in sorted((*_HERE.rglob("*.py"), *beside)):
        hashed.update(file.relative_to(_EVALS).as_posix().encode() + b"\0")
        hashed.update(file.read_bytes() + b"\0")
    return hashed.hexdigest()


# --- findings ---------------------------------------------------------------------


def not_asked(why: str) -> Finding:
    """Say that the case asks nothing that the metric judges."""
    return Finding(result=Result.NOT_APPLICABLE, why=why)


def abstained() -> Finding:
    """Say that the bot refused, so that there is no answer to judge."""
    return Finding(result=Result.ABSTAINED, why="refused: there is no answer to judge")


def judged(right: bool, why: str, marks: Sequence[Json] = ()) -> Finding:
    """Pass or fail a row as a whole."""
    result = Result.PASS if right else Result.FAIL
    return Finding(result=result, why=why, value=float(right), marks=tuple(marks))


def counted(
    good: int, total: int, wrong: Sequence[str], marks: Sequence[Json] = ()
) -> Finding:
    """Pass where nothing is wrong; the value is the share of parts that are right."""
    share = good / total if total else None
    result = Result.FAIL if wrong else Result.PASS
    why = "; ".join(wrong) if wrong else f"{good} of {total}"
    return Finding(result=result, why=why, value=share, marks=tuple(marks), parts=total)
