"""What is committed of each pack: a row a case, and what the rows were made from.

`python -m evals oracle --pin` makes it of a run in which everything could be asked and
judged; what it gets wrong, it may get wrong, so long as that is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engine.model.errors import EnvironmentFailed, UsageError
from evals import kept, store
from evals.decide import GENERATED, SCORING, Held
from evals.deciding.finished import ROOT, Finished
from evals.deciding.sentences import named
from evals.forms import Json, Result
from evals.kept import Kept, Moved
from evals.store import StoreFailed

BASELINES = ROOT / "evals" / "baselines"
METRICS, CODE = "metrics", "code"  # below the manifest's field on scoring
# What of a manifest says from what a run was made; the rest is about the run itself.
INPUTS = ("code", "corpora", "embedder", "model", "policy", "suites")


@dataclass(frozen=True)
class Baseline:
    """The stored rows of a pack by case, in the order of repeats."""

    name: str
    rows: Mapping[str, tuple[Kept, ...]]
    manifest: Json

    @cached_property
    def held(self) -> Held:
        """What a decision looks at."""
        every = [row for rows in self.rows.values() for row in rows]
        metrics = self.manifest.get(SCORING, {}).get(METRICS, ())
        return Held(
            asked={row.case: row.asked for row in every},
            made=frozenset(r.case for r in every if r.suite.startswith(GENERATED)),
            scores=tuple(score for row in every for score in row.scores(metrics)),
            manifest=self.manifest,
        )


def load(pack: str, baselines: Path = BASELINES) -> Baseline | None:
    """The baseline of a pack; None where none was committed yet.

    Raises:
        EnvironmentFailed: a file of it is missing or damaged.
    """
    folder = baselines / pack
    if not (folder / kept.ROWS).is_file():
        return None
    try:
        rows, manifest = kept.read(folder / kept.ROWS), store.read_manifest(folder)
        made = Baseline(f"baseline of {pack}", _by_case(rows), manifest)
        _ = made.held  # so that rows which no metric fits are found here
    except (StoreFailed, ValueError) as error:
        raise EnvironmentFailed(f"{folder}: {store.of_baseline(error)}") from error
    return made


def of(run: Finished) -> Baseline:
    """What is stored of a run."""
    rows = [
        kept.keep(row, run.cases[name], (s for s in scores if s.repeat == row.repeat))
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
    return Baseline(run.name, _by_case(rows), manifest)


def write(folder: Path, run: Finished) -> Baseline:
    """Store a run's rows in place of what stands in a folder.

    Raises:
        UsageError: something could not be asked or judged.
        EnvironmentFailed: a file cannot be written.
    """
    check(run)
    made = of(run)
    try:
        kept.write(folder / kept.ROWS, (r for rows in made.rows.values() for r in rows))
        store.write_manifest(folder, made.manifest)
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    return made


def check(run: Finished) -> None:
    """Refuse a run that says too little to be stored, or to be accepted.

    Raises:
        UsageError: something could not be asked or judged.
    """
    every = (score for held in run.scores.values() for score in held)
    wrong = {score.case for score in every if score.result is Result.ERROR}
    errors = wrong | run.rows.keys() - run.scores.keys() | unheard_or_failed(run)
    if errors:
        raise UsageError(
            f"{run.name} holds errors, in {named(errors)}: repair them and ask again"
        )


def unheard_or_failed(run: Finished) -> set[str]:
    """The cases that could not be asked, or whose model was not heard."""
    failed = {n for n, rows in run.rows.items() if any(r.error for r in rows)}
    return failed.union(run.scored.unheard)


def moved(run: Finished, baseline: Baseline) -> Mapping[str, Sequence[Moved]]:
    """What is not as it is stored, by case; the first row of each counts."""
    now = [rows[0] for rows in of(run).rows.values()]
    then = [rows[0] for rows in baseline.rows.values()]
    found: dict[str, list[Moved]] = {}
    for each in kept.moved(then, now):
        found.setdefault(each.case, []).append(each)
    return found


def _by_case(rows: Sequence[Kept]) -> Mapping[str, tuple[Kept, ...]]:
    found: dict[str, tuple[Kept, ...]] = {}
    for row in sorted(rows, key=lambda row: (row.case, row.repeat)):
        found[row.case] = (*found.get(row.case, ()), row)
    return found
