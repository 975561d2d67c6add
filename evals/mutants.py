"""The mutation score: how many of its mutants each metric sees through."""

from collections.abc import Iterable
from dataclasses import dataclass

from evals.forms import Result
from evals.metrics.metric import Metric, Mutant
from evals.score import score

ILL = frozenset({Result.FAIL, Result.ERROR})


@dataclass(frozen=True, slots=True)
class Mutation:
    """What a metric made of its mutants.

    Attributes:
        metric: its name.
        killed, mutants: how many rows were failed, of those that must FAIL (or ERROR).
        kept, healthy: how many of the others got the result they must.
        survivors: names of those that got another result.
    """

    metric: str
    killed: int
    mutants: int
    kept: int
    healthy: int
    survivors: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The share of mutants killed; 0.0 where a healthy row was failed, or none is.

        A metric that fails everything kills every mutant and is worth nothing.
        """
        sound = self.healthy > 0 and self.kept == self.healthy
        return self.killed / self.mutants if sound and self.mutants else 0.0


def mutation(metrics: Iterable[Metric]) -> tuple[Mutation, ...]:
    """Score every metric on its own mutants."""
    return tuple(_mutation(metric) for metric in metrics)


def _mutation(metric: Metric) -> Mutation:
    mutants = metric.mutants()
    wrong = [mutant for mutant in mutants if _result(metric, mutant) != mutant.must]
    ill = [mutant for mutant in mutants if mutant.must in ILL]
    missed = sum(mutant.must in ILL for mutant in wrong)
    healthy = len(mutants) - len(ill)
    return Mutation(
        metric=metric.name,
        killed=len(ill) - missed,
        mutants=len(ill),
        kept=healthy - (len(wrong) - missed),
        healthy=healthy,
        survivors=tuple(mutant.name for mutant in wrong),
    )


def _result(metric: Metric, mutant: Mutant) -> Result:
    """As a run scores it: a metric that stumbles gives ERROR."""
    rows = [mutant.row, *mutant.others.values()]
    cases = {row.case: mutant.case for row in rows}
    found = score(cases, rows, mutant.sources, [metric])
    return next(one.result for one in found if one.case == mutant.row.case)
