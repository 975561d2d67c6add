"""A recorded run scored by every metric, its failures told as ours."""

from pathlib import Path

from engine.errors import EnvironmentFailed, UsageError
from evals.commands.score import score
from evals.metrics.catalogue import UnknownMetric
from evals.score import ScoresLost
from evals.store import StoreFailed


def judge(run: Path) -> None:
    """Write the scores of a run beside its answers.

    Raises:
        UsageError: the run holds nothing to score, or something twice.
        EnvironmentFailed: a file of it is missing, damaged or cannot be written.
    """
    try:
        score(run)
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    except (ScoresLost, UnknownMetric) as error:
        raise UsageError(f"{run}: {error}") from error
