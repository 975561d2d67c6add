"""What a verdict holds against single cases, and where those stand, for reports."""

from collections.abc import Iterator
from dataclasses import dataclass

from evals.decide import WRONG
from evals.deciding.finished import Finished
from evals.deciding.verdict import Check, Verdict


@dataclass(frozen=True, slots=True)
class Problem:
    """One check's complaint about one case.

    Attributes:
        check: the check.
        case: its id; empty where the check is about the run itself.
        file, line: where the case stands; empty for one that was generated.
        why: the metrics' reasons, or the check's own.
    """

    check: Check
    case: str
    file: str
    line: int
    why: str


def problems(verdict: Verdict, run: Finished) -> Iterator[Problem]:
    """Every complaint, in the order of the checks; a check without cases has one."""
    for check in verdict.checks:
        if not check.holds_back:
            continue
        for name in check.cases:
            yield _of_case(check, name, run)
        if not check.cases:
            yield Problem(check, "", "", 0, check.why)


def _of_case(check: Check, name: str, run: Finished) -> Problem:
    case = run.cases.get(name)
    said = [
        f"{score.metric}: {score.why}"
        for score in run.scores.get(name, ())
        if score.result in WRONG and check.metric in ("", score.metric)
    ]
    return Problem(
        check=check,
        case=name,
        file=case.file if case else "",
        line=case.line if case else 0,
        why="; ".join(dict.fromkeys(said)) or check.why,
    )
