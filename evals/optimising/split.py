"""Which cases a program is compiled on and which it is compared on: never the same.

Documents are divided, not cases: questions about one document have much the same
answer, so one of them seen in training gives the others away.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from adapters.inert import many
from evals.deciding.pairing import cluster
from evals.forms import Case, Suite


@dataclass(frozen=True, slots=True)
class Split:
    """Ids of cases by the side that they are on, and how many documents each has."""

    training: frozenset[str]
    comparison: frozenset[str]
    documents: tuple[int, int]

    def __str__(self) -> str:
        learnt, compared = self.documents
        return (
            f"training: {many(len(self.training), 'case')} about "
            f"{many(learnt, 'document')}; comparison: "
            f"{many(len(self.comparison), 'case')} about "
            f"{many(compared, 'document')}; no document is on both sides"
        )


def split(suites: Iterable[Suite], seed: int) -> Split:
    """Half of the documents for training, the others for comparison.

    Args:
        suites: of one pack.
        seed: another one divides them otherwise.
    """
    cases = {case.id: case for suite in suites for case in suite.cases}
    groups: dict[str, set[str]] = {}
    for case in cases.values():
        groups.setdefault(_group(case, cases), set()).add(case.id)
    drawn = sorted(groups, key=lambda name: sha256(f"{seed}/{name}".encode()).digest())
    learnt = drawn[: len(drawn) // 2]
    training = frozenset[str]().union(*(groups[name] for name in learnt))
    return Split(
        training=training,
        comparison=frozenset(cases) - training,
        documents=(len(learnt), len(drawn) - len(learnt)),
    )


def _group(case: Case, cases: Mapping[str, Case]) -> str:
    """The cluster of a case, or of the one that it changes: they go together."""
    first = cases.get(case.original or "")
    return cluster(first or case)
