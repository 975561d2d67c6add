"""The measured targets of R-O1 and the rate of evidence dependence."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evals.compare.decide import check_targets
from evals.compare.verdict import Check, Status
from evals.forms import Result, Score
from tests.evals import samples


def _scores(metric: str, *judged: tuple[Result, float | None, int]) -> Sequence[Score]:
    return [
        Score(
            case=f"case-{at}",
            repeat=0,
            metric=metric,
            result=result,
            value=value,
            parts=parts or None,
        )
        for at, (result, value, parts) in enumerate(judged)
    ]


def _check(
    name: str, claims: tuple[int, int] = (0, 0), **scores: Sequence[Score]
) -> Check:
    return next(check for check in check_targets(scores, claims) if check.check == name)


P, F, A, E = Result.PASS, Result.FAIL, Result.ABSTAINED, Result.ERROR


def test_without_a_denominator_there_is_no_check_R_O1() -> None:
    """Refusals alone, or nothing that was asked for, measure nothing."""
    refused = _scores("verbatim", (A, None, 0))
    assert [*check_targets({})] == []
    found = [*check_targets({"verbatim": refused, "citation": refused})]
    assert [check.check for check in found] == ["measured rows"]
    assert "citation 0, verbatim 0." in found[0].why


@pytest.mark.parametrize(
    ("right", "status"), [(19, Status.PASS), (18, Status.FAIL)], ids=("met", "missed")
)
def test_drafted_sentences_are_counted_and_not_answers_R_O1_R_V4(
    right: int, status: Status
) -> None:
    """19 of 20 is the target itself; what was drafted and dropped is among the 20."""
    check = _check("target supported_claim_rate", claims=(right, 20))
    assert check.result is status
    assert check.counts is not None
    assert (check.counts.passed, check.counts.counted) == (right, 20)
    assert f"{right} of 20 drafted sentences" in check.why


def test_sentences_of_rejected_drafts_are_counted_from_the_records_R_V4() -> None:
    """Of answers and refusals alike."""
    tallies = {
        "dose": {"supported": 3, "partial": 0, "unsupported": 1},
        "unknown": {"supported": 0, "partial": 0, "unsupported": 2},
    }
    rows = [
        replace(row, record=row.record | {"claim_verification": tallies[row.case]})
        if row.record and row.case in tallies
        else row
        for row in samples.ROWS
    ]
    assert samples.run(rows=rows).scored.claims == (3, 6)


def test_unanchored_quotes_have_to_stay_below_their_target_R_O1() -> None:
    """1 of 20 is 5 %, which is not below 5 %."""
    for of, status in ((20, Status.FAIL), (21, Status.PASS)):
        scores = _scores("verbatim", (F, (of - 1) / of, of))
        check = _check("target unanchored_quote_rate", verbatim=scores)
        assert check.result is status
        assert f"1 of {of} quotations" in check.why


def test_an_error_is_nothing_right_R_E2() -> None:
    """What could not be judged stays in the denominator, and is told."""
    quotes = _scores("verbatim", (P, 1.0, 10), (E, None, 0))
    check = _check("target unanchored_quote_rate", verbatim=quotes)
    assert check.counts is not None
    assert check.counts.rate == pytest.approx(10 / 11)
    assert check.result is Status.FAIL
    assert "1 of them errors" in check.why
    routing = _scores("routing", *[(P, 1.0, 0)] * 9, (E, None, 0))
    check = _check("target routing_compliance_rate", routing=routing)
    assert check.result is Status.PASS
    assert "9 of 10 rows, 1 of them errors" in check.why


def test_citations_of_a_response_are_told_R_O1() -> None:
    """A mean without a target, over answers."""
    scores = _scores("citation", (P, 1.0, 3), (P, 1.0, 2), (A, None, 0))
    check = _check("measured citations_per_response", citation=scores)
    assert check.why == "It is 2.50: 5 citations in 2 answers."


def test_evidence_dependence_comes_with_its_interval_R_E6() -> None:
    """91 of 91 is not certainty."""
    scores = _scores("evidence_dependence", *[(P, 1.0, 0)] * 91)
    name = "measured evidence_dependence_rate"
    check = _check(name, evidence_dependence=scores)
    assert check.interval == (pytest.approx(0.9595, abs=1e-4), 1.0)
    assert "91 of 91 rows follow their evidence: between 95.9 % and" in check.why
