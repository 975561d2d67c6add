"""The cases of a pack's suites that its demo texts answer or not, each asked alone."""

import hashlib

from evals.cases.suites import DEMO, load
from evals.forms import Case

# Suites that were written as questions; the others change documents, select texts or
# look at one rule of an answer.
QUESTIONS = frozenset(
    {
        "must_answer",
        "must_answer_fixtures",
        "must_cite",
        "must_refuse",
        "must_refuse_fixtures",
    }
)


def alone(pack: str) -> tuple[Case, ...]:
    """Questions whose outcome is known, none twice, by their suites' names."""
    found: dict[str, Case] = {}
    for suite in load(pack):
        if suite.corpus != DEMO or suite.name not in QUESTIONS:
            continue
        for case in suite.cases:
            if asked_alone(case):
                found.setdefault(case.question.casefold(), case)
    return tuple(found.values())


def drawn(pack: str, number: int | None = None, seed: int = 1) -> tuple[Case, ...]:
    """So many of them, or all; the seed says in which order they are drawn."""
    return tuple(
        sorted(alone(pack), key=lambda case: _lot(f"{seed} {case.id}"))[:number]
    )


def asked_alone(case: Case) -> bool:
    """Whether nothing goes with a case but its question, and its outcome is known."""
    given = (case.previous, case.selection, case.as_of, case.original)
    bare = all(one is None for one in given) and not (case.tags or case.changes)
    return bare and case.expected.outcome in ("answer", "refuse")


def _lot(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
