"""The curve of thresholds from a scored run, without asking anything again (R-G1).

An answer counts at every threshold that its best passage reaches, right where its facts
were served. What was refused for want of relevance counts as right from its best page
down where that is one that the case names: it would be quoted there.
"""

from collections.abc import Mapping
from pathlib import Path, PurePath

from engine.codes import Reason
from evals import store
from evals.cases.alone import QUESTIONS, asked_alone
from evals.forms import Case, Result, Row
from evals.relevance.curve import Curve, counted

FACTS = "facts"
_FOR_RELEVANCE = frozenset(
    {Reason.LOW_SCORE, Reason.LOW_DIVERSITY, Reason.INSUFFICIENT_CONTEXT}
)


def recorded(run: Path) -> Curve:
    """The counts of a run; each question once.

    Raises:
        StoreFailed: the run is missing, damaged or not scored.
    """
    rows = {row.case: row for row in store.read_rows(run) if row.repeat == 0}
    served = {
        score.case: score.result is Result.PASS
        for score in store.read_scores(run)
        if score.metric == FACTS
    }
    cases: dict[str, Case] = {}
    for case in store.read_cases(run):
        if case.suite in QUESTIONS and asked_alone(case) and case.id in rows:
            cases.setdefault(case.question.casefold(), case)
    total = Curve.empty()
    for case in cases.values():
        if case.expected.facts or case.expected.outcome == "refuse":
            total += _one(case, rows[case.id], served)
    return total


def _one(case: Case, row: Row, served: Mapping[str, bool]) -> Curve:
    record = row.record or {}
    near = record.get("nearest") or ()
    said = max((float(one["relevance"]) for one in near), default=0.0)
    if row.answered:
        said = max((float(one["relevance"]) for one in row.evidence), default=said)
        right = served.get(case.id, False)
    elif record.get("reason_code") in _FOR_RELEVANCE:
        pages = {PurePath(path).stem for path in case.expected.sources}
        first = PurePath(near[0]["document_id"]).stem if near else ""
        right = bool(near) and (not pages or first in pages)
    else:
        said, right = 0.0, False
    return counted(said, right=right, answerable=bool(case.expected.facts))
