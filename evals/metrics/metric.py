"""What a metric is, and the mutants by which it is tested itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evals.forms import Case, Json, Result, Row, Score, Source, Weight

NO_ROWS: Mapping[str, Row] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A row that a metric must see through; one that must PASS is a healthy specimen.

    Without healthy specimens a metric that fails everything would kill every mutant.
    """

    name: str
    case: Case
    row: Row
    must: Result
    sources: Mapping[str, Source] = field(default_factory=dict)
    others: Mapping[str, Row] = field(default_factory=dict)


class Metric(Protocol):
    """Judges one row at a time, alone by what it is handed.

    Attributes:
        name: as it stands in scores.jsonl.
        weight: "invariant": zero tolerance; "gate": compared with the baseline;
            "advice": told, never decided on.
        requirements: the requirement ids that it shows.
    """

    @property
    def name(self) -> str: ...

    @property
    def weight(self) -> Weight: ...

    @property
    def requirements(self) -> tuple[str, ...]: ...

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """Judge a row that is no error; `evals/score.py` keeps those away.

        Args:
            case: what was asked and is expected.
            row: what came of it.
            sources: document versions, by version.
            others: the rows of the same repeat, by case; for a case that changes
                another one.
        """
        ...

    def mutants(self) -> Sequence[Mutant]:
        """The rows that it is tested with."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a metric found, before it is a score of a row."""

    result: Result
    why: str = ""
    value: float | None = None
    marks: tuple[Json, ...] = ()
    parts: int | None = None


def scored(metric: str, row: Row, found: Finding) -> Score:
    """The score of a row."""
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


def not_asked(why: str) -> Finding:
    """The case asks nothing that the metric judges."""
    return Finding(result=Result.NOT_APPLICABLE, why=why)


def abstained() -> Finding:
    """The bot refused, so that there is no answer to judge."""
    return Finding(result=Result.ABSTAINED, why="refused: there is no answer to judge")


def counted(
    good: int, total: int, wrong: Sequence[str], marks: Sequence[Json] = ()
) -> Finding:
    """PASS where nothing is wrong; the value is the share of parts that are right."""
    share = good / total if total else None
    result = Result.FAIL if wrong else Result.PASS
    why = "; ".join(wrong) if wrong else f"{good} of {total}"
    return Finding(result=result, why=why, value=share, marks=tuple(marks), parts=total)
