"""A run that is over, read back from its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engine.model.errors import EnvironmentFailed, UsageError
from evals import store
from evals.decide import Scored
from evals.deciding.verdict import Verdict, parse
from evals.forms import Case, Json, Row, Score, Source
from evals.recording.hearing import heard
from evals.store import StoreFailed

ROOT = Path(__file__).resolve().parents[2]


_VERDICTS = ("supported", "partial", "unsupported")


@dataclass(frozen=True)
class Finished:
    """Everything that a run left behind.

    Attributes:
        name: what reports call it.
        rows: by case, in the order of repeats.
        scores: by case.
    """

    name: str
    cases: Mapping[str, Case]
    rows: Mapping[str, tuple[Row, ...]]
    sources: Mapping[str, Source]
    scores: Mapping[str, tuple[Score, ...]]
    manifest: Json

    @cached_property
    def scored(self) -> Scored:
        """What a decision looks at."""
        return Scored(
            cases=self.cases,
            scores=tuple(score for each in self.scores.values() for score in each),
            manifest=self.manifest,
            unheard=tuple(
                row.case
                for each in self.rows.values()
                for row in each
                if not heard(row)
            ),
            claims=self._claims(),
        )

    def _claims(self) -> tuple[int, int]:
        """Supported and all sentences of every draft, as the records count them."""
        tallies = [
            (row.record or {}).get("claim_verification", {})
            for rows in self.rows.values()
            for row in rows
        ]
        counts = [sum(t.get(name, 0) for t in tallies) for name in _VERDICTS]
        return counts[0], sum(counts)

    def row(self, case: str) -> Row | None:
        """A case's first row."""
        return next(iter(self.rows.get(case, ())), None)


def finished(folder: Path, name: str = "") -> Finished:
    """Read a run back.

    Raises:
        UsageError: there is none, or it was not scored.
        EnvironmentFailed: a file of it is damaged or cannot be read.
    """
    for file, verb in ((store.ANSWERS, "record"), (store.SCORES, "score")):
        if not (folder / file).is_file():
            raise UsageError(f"{folder} holds no {file}: python -m evals {verb}")
    try:
        record = store.recorded(folder)
        scores = store.read_scores(folder)
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    rows: dict[str, tuple[Row, ...]] = {}
    for row in sorted(record.rows, key=lambda row: (row.case, row.repeat)):
        rows[row.case] = (*rows.get(row.case, ()), row)
    by_case: dict[str, tuple[Score, ...]] = {}
    for score in scores:
        by_case[score.case] = (*by_case.get(score.case, ()), score)
    return Finished(
        name=name or folder.name,
        cases=record.cases,
        rows=rows,
        sources=record.sources,
        scores=by_case,
        manifest=record.manifest,
    )


def verdict_of(folder: Path) -> Verdict:
    """The verdict of a run.

    Raises:
        UsageError: it was not decided yet.
        EnvironmentFailed: the file is damaged or cannot be read.
    """
    if not (folder / store.VERDICT).is_file():
        raise UsageError(f"{folder} holds no {store.VERDICT}: python -m evals decide")
    try:
        return parse(store.read_verdict(folder))
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    except ValueError as error:
        raise EnvironmentFailed(
            f"{folder / store.VERDICT}: {error}: python -m evals decide"
        ) from error


def write_verdict(folder: Path, verdict: Verdict) -> None:
    """Keep a verdict beside its scores.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    try:
        store.write_verdict(folder, verdict.lines())
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
