"""Decide a scored run against the baseline of its pack, and keep the verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from adapters.clock import SystemClock
from engine.model.errors import EnvironmentFailed, UsageError
from evals.compare import accepted
from evals.compare import runs as baselines
from evals.compare.decide import decide
from evals.compare.drafts import check_stored_drafts
from evals.compare.runs import (
    BASELINES,
    Baseline,
    Finished,
    check_renewed,
    read_run,
    read_verdict,
    write_verdict,
)
from evals.compare.verdict import Check, Verdict, Whole
from evals.score import catalogue
from evals.score.score import ScoresLost, Scoring, score_run
from evals.store import StoreFailed


@dataclass(frozen=True, slots=True)
class Settled:
    """A run, what it was compared with, and what came of it."""

    run: Finished
    baseline: Baseline | None
    verdict: Verdict


def score(run: Path, metrics: Sequence[str] = catalogue.NAMES) -> Scoring:
    """Score a recorded run and write its scores.

    Raises:
        UsageError: a name is no metric's, or a row comes twice.
        EnvironmentFailed: a file cannot be read or written.
    """
    try:
        return score_run(run, metrics)
    except (catalogue.UnknownMetric, ScoresLost) as error:
        raise UsageError(str(error)) from error
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error


def settle(
    folder: Path,
    committed: Path = BASELINES,
    today: date | None = None,
    drafts: Check | None = None,
) -> Settled:
    """Decide a run and write its verdict beside it.

    Args:
        folder: of a run that was recorded and scored.
        committed: the folder of all packs' baselines.
        today: the day for which accepted wrong answers are; the present one if None.
        drafts: what came of the stored drafts; they are replayed if None.

    Raises:
        UsageError: the run or the baseline is not whole; see `decide`.
        EnvironmentFailed: a file cannot be read or written.
    """
    run = read_run(folder)
    baseline = baselines.load(pack_of(run), committed)
    then = baseline.held if baseline else None
    weights = catalogue.WEIGHTS
    verdict = decide(run.scored, then, weights)
    entries = accepted.read(committed).get(pack_of(run), ())
    found = accepted.find_reasons(run, weights)
    owned = accepted.check_owners(found, entries, today or present_day())
    same = [check_renewed(run, baseline)] if baseline else []
    verdict = Verdict((*verdict.checks, *same, *owned, drafts or check_stored_drafts()))
    write_verdict(folder, verdict)
    return Settled(run, baseline, verdict)


def read_settled(folder: Path, committed: Path = BASELINES) -> Settled:
    """Read back a run that was decided before, with its verdict.

    Raises:
        UsageError: it was not recorded, scored or decided.
        EnvironmentFailed: a file cannot be read.
    """
    run = read_run(folder)
    baseline = baselines.load(pack_of(run), committed)
    return Settled(run, baseline, read_verdict(folder))


def join_verdicts(made: Iterable[Settled]) -> Whole:
    """Join the verdicts on several runs."""
    return Whole({each.run.name: each.verdict for each in made})


def present_day() -> date:
    """Return the day of every pack's dates, by UTC."""
    return SystemClock().now().date()


def pack_of(run: Finished) -> str:
    """Return the pack that a run asked, or its folder's name where the manifest has
    none."""
    return str(run.manifest.get("pack") or run.name)
