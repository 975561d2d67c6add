"""A new program beside the present one: stricter than a release (R-E8)."""

from dataclasses import replace

import pytest

from engine.drafts import drafting as drafts
from evals.deciding.finished import Finished
from evals.deciding.verdict import Decision
from evals.forms import Case, Row
from evals.optimising.weigh import Judgement, heard, weigh
from tests.evals.scored import FACTS, QUOTES, WEIGHTS, A, E, F, N, P, case, scored

FORTY = [case(number) for number in range(40)]
HALF = {at: F for at in range(20)}


def weighed(now: dict, then: dict, cases: list[Case] = FORTY) -> Judgement:
    """The judgement over results by metric and place."""
    return weigh(scored(cases, **now), scored(cases, **then), WEIGHTS)


def test_better_in_one_gate_and_worse_in_none_is_kept_R_E8() -> None:
    """With the figures of the comparison."""
    found = weighed({FACTS: {at: F for at in range(5)}}, {FACTS: HALF})
    assert found.kept, found.reasons
    assert found.figures[FACTS].startswith("facts: 50.0 % before, 87.5 % now, a change")
    assert found.figures[FACTS].endswith("; 40 cases about 40 documents.")
    assert found.reasons == (found.figures[FACTS],)


def test_the_same_is_not_better_R_E8() -> None:
    """The present program stays."""
    found = weighed({FACTS: HALF}, {FACTS: HALF})
    assert found.decision is Decision.REGRESSION
    assert "No gate metric got better" in found.reasons[0]


@pytest.mark.parametrize(
    ("now", "then", "decision"),
    [
        (HALF, HALF, Decision.RELEASE),
        ({}, HALF, Decision.RELEASE),
        ({39: F}, {}, Decision.REGRESSION),
        (dict.fromkeys(range(40), N), dict.fromkeys(range(40), N), None),
    ],
)
def test_what_a_person_asks_for_need_not_be_better_R_E8_R_E10(
    now, then, decision
) -> None:
    """It may be no worse; where no gate metric judged anything, nobody knows."""
    found = weigh(
        scored(FORTY, **{FACTS: now}),
        scored(FORTY, **{FACTS: then}),
        WEIGHTS,
        gain=False,
    )
    assert found.decision is (decision or Decision.INCONCLUSIVE)
    assert found.reasons


def test_a_drop_that_chance_would_explain_is_a_drop_R_E8() -> None:
    """A case that failed by half fails whole now: no hard failure, a weaker gate."""
    then = scored(FORTY, **{FACTS: {0: F}})
    halves = tuple(
        replace(s, value=0.5) if s.metric == FACTS and s.case == FORTY[0].id else s
        for s in then.scores
    )
    found = weigh(
        scored(FORTY, **{FACTS: {0: F}}), replace(then, scores=halves), WEIGHTS
    )
    assert found.decision is Decision.REGRESSION
    assert found.reasons[0].startswith("facts is weaker, and may not be.")


@pytest.mark.parametrize(
    ("now", "decision", "said"),
    [
        ({QUOTES: {39: F}}, Decision.REGRESSION, "must never fail and failed in"),
        ({FACTS: {39: F}}, Decision.REGRESSION, "passed facts in the baseline and"),
        ({FACTS: {39: E}}, Decision.INCONCLUSIVE, "could not be run or judged"),
    ],
)
def test_one_failure_outweighs_all_that_got_better_R_E8(now, decision, said) -> None:
    """An invariant, a new hard failure, a new error."""
    found = weighed(now, {FACTS: HALF})
    assert found.decision is decision
    assert said in " ".join(found.reasons)


def test_what_could_not_run_on_both_sides_is_not_decided_R_E8() -> None:
    """A release would find no new error; a comparison that did not run refuses."""
    found = weighed({FACTS: {0: E}}, {FACTS: {**HALF, 0: E}})
    assert found.decision is Decision.INCONCLUSIVE
    assert "With the new program, some could not be run" in found.reasons[0]


def test_an_invariant_is_no_better_for_having_been_broken_before_R_E8() -> None:
    """Zero tolerance, whatever the present program does."""
    found = weighed({QUOTES: {0: F}}, {QUOTES: {0: F}, FACTS: HALF})
    assert found.decision is Decision.REGRESSION


def test_cases_that_are_gone_are_not_decided_R_E8() -> None:
    """Both have to be asked the same."""
    now, then = scored(FORTY[1:]), scored(FORTY, **{FACTS: HALF})
    assert weigh(now, then, WEIGHTS).decision is Decision.INCONCLUSIVE


@pytest.mark.parametrize(("documents", "kept"), [(4, False), (5, True)])
def test_few_documents_decide_nothing_R_E8(documents: int, kept: bool) -> None:
    """Five can be significant for one gate metric: 1 in 32 by chance."""
    few = [case(number, documents=documents) for number in range(40)]
    found = weighed({}, {FACTS: HALF}, few)
    assert found.kept is kept
    assert kept or "4 documents, and 5 are the fewest" in found.reasons[-1]


def test_a_metric_that_judges_nothing_any_more_is_not_decided_R_E8() -> None:
    """A program that abstains from everything fails no gate by it."""
    found = weighed({FACTS: dict.fromkeys(range(40), A)}, {FACTS: HALF})
    assert found.decision is Decision.INCONCLUSIVE


# What a gate metric judges with one program alone is in no figure; five rises are.
RISEN = {FACTS: {at: F for at in range(5)}}
LOST = "facts judged 1 case with one program alone, which may hide a fall: case-0039."


@pytest.mark.parametrize(
    ("now", "then", "kept"),
    [
        (A, P, False),  # it answered well, and is refused now
        (N, P, False),
        (A, F, True),  # it answered wrong, and is refused now
        (F, A, False),  # it was refused, and answers wrong now
        (P, A, True),
        (A, A, True),
    ],
)
def test_what_is_no_pair_hides_no_fall_R_E8(now, then, kept) -> None:
    """A case that is judged with one program alone, and was not worth less for it."""
    found = weighed({FACTS: {**RISEN[FACTS], 39: now}}, {FACTS: {**HALF, 39: then}})
    assert found.kept is kept, found.reasons
    assert kept or (found.decision, found.reasons) == (Decision.INCONCLUSIVE, (LOST,))


def test_a_repeat_that_is_not_judged_any_more_hides_no_fall_R_E8() -> None:
    """Of a case asked three times, one refusal is as good as three."""
    now, then = (
        scored(FORTY, repeats=3, **results) for results in (RISEN, {FACTS: HALF})
    )
    once = tuple(
        replace(s, result=A)
        if (s.case, s.repeat, s.metric) == (FORTY[39].id, 1, FACTS)
        else s
        for s in now.scores
    )
    assert weigh(now, then, WEIGHTS).kept
    found = weigh(replace(now, scores=once), then, WEIGHTS)
    assert (found.decision, found.reasons) == (Decision.INCONCLUSIVE, (LOST,))


def test_a_drop_in_one_slice_is_a_drop_R_E8() -> None:
    """Though the metric rises over all; no case of it fails whole."""
    cases = [case(at, slices=("rare",) if at >= 38 else ()) for at in range(40)]
    then = scored(cases, **{FACTS: {**HALF, 38: F}})
    halves = tuple(
        replace(s, value=0.5) if s.metric == FACTS and s.case == cases[38].id else s
        for s in then.scores
    )
    now = scored(cases, **{FACTS: {**RISEN[FACTS], 38: F}})
    found = weigh(now, replace(then, scores=halves), WEIGHTS)
    assert found.decision is Decision.REGRESSION
    assert found.reasons == (
        "facts is weaker, and may not be. facts in rare: 75.0 % before, 50.0 % now; "
        "2 cases about 2 documents.",
    )


def test_a_doubt_is_told_once_and_asks_for_no_new_baseline_R_E8() -> None:
    """A metric that judges nothing any more is not too small as well."""
    cases = [case(at, slices=("even",) if at % 2 else ()) for at in range(40)]
    gone = dict.fromkeys(range(40), A)
    nothing, alone = weighed({FACTS: gone}, {FACTS: HALF}, cases).reasons
    assert nothing.startswith("facts judged no case both now and in the baseline")
    assert nothing.endswith("0 errors)).")
    assert alone.startswith("facts judged 20 cases with one program alone")


def run_of(*records: dict) -> Finished:
    """A run of one row a case."""
    rows = {
        f"c{at}": (Row(case=f"c{at}", repeat=0, key="k", record=record),)
        for at, record in enumerate(records)
    }
    return Finished("run", {}, rows, {}, {}, {})


WORDED = {"mode": "llm", "prompts": [{"failure": None}]}
QUOTED = {"mode": "deterministic", "prompts": [{"failure": "unreadable"}]}
SILENT = {"mode": "deterministic", "prompts": [{"failure": "timeout"}]}
LATE = {"mode": "deterministic", "prompts": [], "findings": [{"code": drafts.LATE}]}


@pytest.mark.parametrize(
    ("now", "then", "decision"),
    [
        ((WORDED, QUOTED), (WORDED, QUOTED), None),
        ((WORDED, WORDED), (WORDED, QUOTED), None),
        ((WORDED, QUOTED), (WORDED, WORDED), Decision.REGRESSION),
        ((WORDED, SILENT), (WORDED, QUOTED), Decision.INCONCLUSIVE),
        ((WORDED, WORDED), (WORDED, SILENT), Decision.INCONCLUSIVE),
        ((WORDED, WORDED), (WORDED, LATE), Decision.INCONCLUSIVE),
    ],
)
def test_quotations_are_no_success_of_a_program_R_E8(now, then, decision) -> None:
    """Where a model is not heard, or its draft rejected, the sources are quoted."""
    found = heard(run_of(*now), run_of(*then))
    assert (found and found.decision) is decision
