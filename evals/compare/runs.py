"""Finished runs, read back from their folders, and the committed baseline of each pack.

A baseline holds a row for each case, and what the rows were made from. `python -m evals
oracle --pin` makes it of a run in which everything could be asked and judged. It may
hold wrong answers, as long as they are known.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engine.model.errors import EnvironmentFailed, UsageError
from evals import store
from evals.compare.decide import GENERATED, SCORING, BaselineScores, RunScores
from evals.compare.gates import RENEW
from evals.compare.stored import (
    ROWS,
    Kind,
    Moved,
    StoredRow,
    find_moved,
    read_stored,
    store_row,
    write_stored,
)
from evals.compare.verdict import (
    Check,
    Status,
    Verdict,
    count_cases,
    list_names,
    parse,
    sort_unique,
)
from evals.forms import Case, Json, Result, Row, Score, Source
from evals.record.answers import model_answered
from evals.store import StoreFailed

ROOT = Path(__file__).resolve().parents[2]
BASELINES = ROOT / "evals" / "baselines"
METRICS, CODE = "metrics", "code"  # below the manifest's field on scoring
MODEL = "model"  # the manifest's field on what drafted
# Fields of a manifest that say what a run was made from; the others describe the run.
INPUTS = ("code", "corpora", "embedder", MODEL, "policy", "suites")
RENEWED = "baseline renewed"  # a check
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
    def scored(self) -> RunScores:
        """Return what a decision looks at."""
        return RunScores(
            cases=self.cases,
            scores=tuple(score for each in self.scores.values() for score in each),
            manifest=self.manifest,
            unheard=tuple(
                row.case
                for each in self.rows.values()
                for row in each
                if not model_answered(row)
            ),
            claims=self._count_claims(),
        )

    def _count_claims(self) -> tuple[int, int]:
        """Count the supported and all the sentences of the drafts, by the records."""
        tallies = [
            (row.record or {}).get("claim_verification", {})
            for rows in self.rows.values()
            for row in rows
        ]
        counts = [sum(t.get(name, 0) for t in tallies) for name in _VERDICTS]
        return counts[0], sum(counts)

    def row(self, case: str) -> Row | None:
        """Return the first row of a case."""
        return next(iter(self.rows.get(case, ())), None)


def read_run(folder: Path, name: str = "") -> Finished:
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


def read_verdict(folder: Path) -> Verdict:
    """Read the verdict of a run.

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


@dataclass(frozen=True)
class Baseline:
    """The stored rows of a pack by case, in the order of repeats."""

    name: str
    rows: Mapping[str, tuple[StoredRow, ...]]
    manifest: Json

    @cached_property
    def held(self) -> BaselineScores:
        """Return what a decision looks at."""
        every = [row for rows in self.rows.values() for row in rows]
        metrics = self.manifest.get(SCORING, {}).get(METRICS, ())
        return BaselineScores(
            asked={row.case: row.asked for row in every},
            made=frozenset(r.case for r in every if r.suite.startswith(GENERATED)),
            scores=tuple(score for row in every for score in row.scores(metrics)),
            manifest=self.manifest,
        )


def load(pack: str, baselines: Path = BASELINES) -> Baseline | None:
    """Read the baseline of a pack; None where none was committed yet.

    Raises:
        EnvironmentFailed: a file of it is missing or damaged.
    """
    folder = baselines / pack
    if not (folder / ROWS).is_file():
        return None
    try:
        rows, manifest = read_stored(folder / ROWS), store.read_manifest(folder)
        made = Baseline(f"baseline of {pack}", _group_by_case(rows), manifest)
        _ = made.held  # finds rows that no metric fits
    except (StoreFailed, ValueError) as error:
        raise EnvironmentFailed(f"{folder}: {store.of_baseline(error)}") from error
    return made


def make_baseline(run: Finished) -> Baseline:
    """Make the baseline that is stored of a run."""
    rows = [
        store_row(row, run.cases[name], (s for s in scores if s.repeat == row.repeat))
        for name, held in run.rows.items()
        for row in held
        for scores in (run.scores.get(name, ()),)
    ]
    scoring = run.manifest.get(SCORING, {})
    manifest = {name: run.manifest.get(name) for name in (*INPUTS, "pack")}
    manifest[SCORING] = {
        METRICS: sorted({s.metric for s in run.scored.scores}),
        CODE: scoring.get(CODE),
    }
    return Baseline(run.name, _group_by_case(rows), manifest)


def write(folder: Path, run: Finished) -> Baseline:
    """Store a run's rows in place of those in a folder.

    Raises:
        UsageError: something could not be asked or judged.
        EnvironmentFailed: a file cannot be written.
    """
    refuse_errors(run)
    made = make_baseline(run)
    try:
        write_stored(folder / ROWS, (r for rows in made.rows.values() for r in rows))
        store.write_manifest(folder, made.manifest)
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    return made


def refuse_errors(run: Finished) -> None:
    """Refuse a run that says too little to be stored, or to be accepted.

    Raises:
        UsageError: something could not be asked or judged.
    """
    every = (score for held in run.scores.values() for score in held)
    wrong = {score.case for score in every if score.result is Result.ERROR}
    errors = wrong | run.rows.keys() - run.scores.keys() | find_failed(run)
    if errors:
        raise UsageError(
            f"{run.name} holds errors, in {list_names(errors)}: "
            "repair them and ask again"
        )


def find_failed(run: Finished) -> set[str]:
    """Find the cases that could not be asked, or whose model was not heard."""
    failed = {n for n, rows in run.rows.items() if any(r.error for r in rows)}
    return failed.union(run.scored.unheard)


def find_moved_cases(
    run: Finished, baseline: Baseline
) -> Mapping[str, Sequence[Moved]]:
    """Find what is not as it is stored, by case; the first row of each counts."""
    now = [rows[0] for rows in make_baseline(run).rows.values()]
    then = [rows[0] for rows in baseline.rows.values()]
    found: dict[str, list[Moved]] = {}
    for each in find_moved(then, now):
        found.setdefault(each.case, []).append(each)
    return found


def _group_by_case(rows: Sequence[StoredRow]) -> Mapping[str, tuple[StoredRow, ...]]:
    found: dict[str, tuple[StoredRow, ...]] = {}
    for row in sorted(rows, key=lambda row: (row.case, row.repeat)):
        found[row.case] = (*found.get(row.case, ()), row)
    return found


def check_renewed(run: Finished, baseline: Baseline) -> Check:
    """Check that the baseline holds what came; open where something moved.

    Answers of another model have other words, so these are compared by what metrics
    say of them alone.
    """
    if run.manifest.get(MODEL) != baseline.manifest.get(MODEL):
        why = "Another model drafts than in the baseline, so rows are not compared."
        return Check(check=RENEWED, result=Status.PASS, why=why)
    found = find_moved_cases(run, baseline)
    if not found:
        why = f"What comes is what the baseline holds, in {count_cases(run.rows)}."
        return Check(check=RENEWED, result=Status.PASS, why=why)
    kinds = Counter(each.kind for held in found.values() for each in held)
    counts = ", ".join(f"{kind} {kinds[kind]}" for kind in Kind if kinds[kind])
    why = f"{count_cases(found)} came otherwise than the baseline holds ({counts}): "
    why += (
        f"{list_names(found)}. Look at them (python -m evals why RUN CASE). {RENEW}, "
    )
    why += "and say in the commit what moved and why."
    return Check(
        check=RENEWED, result=Status.INCONCLUSIVE, why=why, cases=sort_unique(found)
    )
