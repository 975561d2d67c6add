"""The committed runs that later ones are compared with: one a pack, made on purpose.

A baseline is made by a command with a reason, and that stands in its manifest. It is a
whole run of a clean tree in which everything could be run and judged; what it gets
wrong, it may get wrong, so long as that is known.
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.errors import EnvironmentFailed, UsageError
from evals import store
from evals.commands.score import score
from evals.deciding.finished import ROOT, Finished, finished, verdict_of
from evals.deciding.sentences import named
from evals.forms import Result
from evals.report.trend import TREND, append, point
from evals.store import StoreFailed

BASELINES = ROOT / "evals" / "baselines"
REASON = "baseline"  # the manifest's field on why it was made
FILES = (store.CASES, store.ANSWERS, store.SOURCES, store.SCORES)


def load(pack: str, baselines: Path = BASELINES) -> Finished | None:
    """The baseline of a pack; None where none was committed yet.

    Raises:
        EnvironmentFailed: a file of it is damaged.
        UsageError: a file of it is missing.
    """
    folder = baselines / pack
    if not folder.is_dir():
        return None
    return finished(folder, f"baseline of {pack}")


def renew(run: Path, to: Path, wanted: Iterable[str], reason: str) -> Finished:
    """Make a run the baseline of its pack.

    Args:
        run: the folder of a run that was scored and decided.
        to: the folder of the baseline; what stands there is replaced.
        wanted: the ids of all cases of the pack's suites.
        reason: why, for whoever reads the change.

    Raises:
        UsageError: there is no reason, or the run must not be a baseline.
        EnvironmentFailed: a file cannot be read or written.
    """
    made, verdict = finished(run), verdict_of(run)
    _refuse(made, wanted, reason)
    try:
        to.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copyfile(run / name, to / name)
        store.write_manifest(to, {**made.manifest, REASON: _line(reason)})
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    except OSError as error:
        raise EnvironmentFailed(f"{to}: cannot be written ({error})") from error
    append(to / TREND, point(made, verdict))
    return finished(to)


def rescore(folder: Path, reason: str) -> Finished:
    """Judge the answers of a baseline with today's metrics.

    Raises:
        UsageError: there is no baseline or no reason, or a metric cannot judge it; it
            is left as it was then.
        EnvironmentFailed: a file cannot be read or written.
    """
    _reason(reason)
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no baseline to score: renew it first")
    with tempfile.TemporaryDirectory() as drafts:
        draft = Path(drafts) / folder.name
        try:
            shutil.copytree(folder, draft)
            score(run=draft)
            made = finished(draft)
            _refuse_errors(made)
            store.write_scores(folder, made.scored.scores)
            store.write_manifest(folder, {**made.manifest, REASON: _line(reason)})
        except StoreFailed as error:
            raise EnvironmentFailed(str(error)) from error
        except OSError as error:
            raise EnvironmentFailed(f"{folder}: cannot be written ({error})") from error
    return finished(folder)


def _refuse(made: Finished, wanted: Iterable[str], reason: str) -> None:
    _reason(reason)
    dirty = made.manifest.get("git", {}).get("dirty")
    if dirty is not False:
        why = "differs from its commit" if dirty else "is no git checkout"
        raise UsageError(
            f"the tree that was run {why}, so nobody could run it again: commit, "
            "record and score it, and renew the baseline then"
        )
    lost = set(wanted) - made.cases.keys()
    if lost:
        raise UsageError(f"the run is not whole, it lacks {named(lost)}: record all")
    silent = made.scored.unheard
    if silent:
        raise UsageError(
            f"the model was not heard in {named(silent)}: record again when the "
            "provider answers"
        )
    _refuse_errors(made)


def _refuse_errors(made: Finished) -> None:
    """Nothing that could not be run or judged becomes what others are compared with."""
    errors = set(_errors(made))
    if errors:
        raise UsageError(
            f"{made.name} holds errors, in {named(errors)}: repair them and run again"
        )


def _errors(made: Finished) -> Iterator[str]:
    for name, rows in made.rows.items():
        scores = made.scores.get(name, ())
        wrong = any(score.result is Result.ERROR for score in scores)
        if wrong or not scores or any(row.error is not None for row in rows):
            yield name


def _reason(reason: str) -> None:
    if not reason.strip():
        raise UsageError("a baseline needs a reason: --reason 'what changed, and why'")


def _line(reason: str) -> str:
    return " ".join(reason.split())
