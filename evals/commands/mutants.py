"""`mutants`: whether each metric sees through the mutants that it ships."""

from collections.abc import Callable, Sequence

from evals.metrics import catalogue
from evals.mutants import mutation, table


def mutants(
    metrics: Sequence[str] = catalogue.NAMES,
    say: Callable[[str], None] = lambda line: None,
) -> bool:
    """Whether every mutant is killed and every healthy row kept.

    Args:
        metrics: their names.
        say: is told the score of each.

    Raises:
        UnknownMetric: a name is no metric's.
    """
    found = mutation(catalogue.load(metrics))
    say(table(found))
    return all(one.score == 1.0 for one in found)
