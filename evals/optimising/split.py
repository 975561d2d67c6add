"""Which cases a program is compiled on and which it is compared on: never the same.

Groups are divided, not cases: questions about one document have much the same answer,
so one of them seen in training gives the others away; so does a question that stands
before another one.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from hashlib import sha256

import re2

from adapters.inert import many
from evals.forms import Case, Suite

_WORD = re2.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Split:
    """Ids of cases by the side that they are on, and how many groups each has."""

    training: frozenset[str]
    comparison: frozenset[str]
    groups: tuple[int, int]

    def __str__(self) -> str:
        learnt, compared = self.groups
        return (
            f"training: {many(len(self.training), 'case')} in "
            f"{many(learnt, 'group')}; comparison: "
            f"{many(len(self.comparison), 'case')} in "
            f"{many(compared, 'group')}; no document is on both sides"
        )


def split(suites: Iterable[Suite], seed: int) -> Split:
    """Half of the groups for training, the others for comparison.

    Args:
        suites: of one pack.
        seed: another one divides them otherwise.
    """
    every = [case for suite in suites for case in suite.cases]
    cases = {case.id: case for case in every if _about(case) or _answerless(case)}
    groups = _groups(cases)
    drawn = sorted(groups, key=lambda name: sha256(f"{seed}/{name}".encode()).digest())
    learnt = drawn[: len(drawn) // 2]
    training = frozenset[str]().union(*(groups[name] for name in learnt))
    return Split(
        training=training,
        comparison=frozenset(cases) - training,
        groups=(len(learnt), len(drawn) - len(learnt)),
    )


def _groups(cases: Mapping[str, Case]) -> Mapping[str, set[str]]:
    """Cases that share anything go together, by the first of their ids."""
    joined = {name: name for name in cases}

    def first(name: str) -> str:
        while joined[name] != name:
            name = joined[name]
        return name

    holders: dict[str, str] = {}
    before = {spelled(case.previous or "") for case in cases.values()}
    for name, case in sorted(cases.items()):
        for mark in _marks(case, before):
            other = first(holders.setdefault(mark, name))
            mine = first(name)
            joined[max(mine, other)] = min(mine, other)
    groups: dict[str, set[str]] = {}
    for name in cases:
        groups.setdefault(first(name), set()).add(name)
    return groups


def _marks(case: Case, before: Set[str]) -> Iterator[str]:
    """What gives the answer to a case away: its document, and the question before it.

    Args:
        case: which.
        before: what is asked before some case.
    """
    yield f"case {case.original or case.id}"
    if about := _about(case):
        yield f"document {about}"
    for words in sorted(
        {spelled(case.question), spelled(case.previous or "")} & before
    ):
        if words:
            yield f"question {words}"


def spelled(question: str) -> str:
    """The words of a question alone, by which two are the same."""
    return " ".join(_WORD.findall(question.casefold()))


def _about(case: Case) -> str:
    """The document a case is about: of several that may carry it, the first."""
    return case.document or next(iter(case.expected.sources), "")


def _answerless(case: Case) -> bool:
    """Whether nothing is given away by not knowing which document a case is about.

    What has to be answered and names none is on neither side.
    """
    return case.expected.outcome != "answer"
