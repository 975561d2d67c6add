"""The decision: what is red, what stays open, and that an unchanged bot is released."""

import random
from dataclasses import replace

import pytest

from engine.model.errors import UsageError
from evals.cases import counterfactual
from evals.compare.decide import SCORING, RunScores, decide
from evals.compare.verdict import Check, Decision, Status, Verdict, parse, tally
from evals.forms import Expected, Result
from tests.evals.compare.scored import (
    FACTS,
    QUOTES,
    STYLE,
    WEIGHTS,
    A,
    E,
    F,
    N,
    P,
    case,
    every,
    held,
    score,
    scored,
)

HUNDRED = [case(number) for number in range(100)]


def decided(run: RunScores, baseline: RunScores | None = None) -> Verdict:
    return decide(run, held(baseline or scored(HUNDRED)), WEIGHTS)


def check(verdict: Verdict, name: str) -> Check:
    return next(each for each in verdict.checks if each.check == name)


def reasons(verdict: Verdict) -> list[str]:
    return [c.check for c in verdict.checks if c.result is not Status.PASS]


# --- released ---------------------------------------------------------------------


def test_an_unchanged_bot_is_released_R_E3() -> None:
    verdict = decided(scored(HUNDRED))
    assert verdict.decision is Decision.RELEASE
    assert verdict.exit_code == 0
    assert reasons(verdict) == []


def test_an_unchanged_bot_run_twenty_times_is_never_red_R_E3() -> None:
    """Whatever it gets wrong, it gets wrong again; suites of many sizes."""
    for seed in range(20):
        drawn = random.Random(seed)
        cases = [
            case(n, documents=drawn.choice((3, 20, 200)), slices=(f"s{n % 5}",))
            for n in range(drawn.randint(1, 300))
        ]
        facts = {n: drawn.choice((P, P, P, F, A, N)) for n in range(len(cases))}
        quotes = {n: drawn.choice((P, A, N)) for n in range(len(cases))}
        run = scored(cases, **{FACTS: facts, QUOTES: quotes})
        assert decided(run, run).decision is Decision.RELEASE, seed


def test_a_pass_prints_what_it_bounds_and_what_it_could_see_R_E3() -> None:
    verdict = decided(scored(HUNDRED))
    quotes, facts = (
        check(verdict, f"invariant {QUOTES}"),
        check(verdict, f"gate {FACTS} in all"),
    )
    assert quotes.bound == pytest.approx(0.0295, abs=1e-4)
    assert "at most 3.0 %" in quotes.why
    assert facts.detects is not None
    assert 0 < facts.detects < 0.1
    assert "of documents fall" in facts.why


def test_denominators_are_all_printed() -> None:
    facts = {0: F, 1: A, 2: N, 3: E}
    run = scored(HUNDRED, **{FACTS: facts})
    counts = check(decided(run), f"gate {FACTS} in all").counts
    assert counts is not None
    assert (counts.total, counts.scored, counts.counted) == (100, 97, 98)
    assert counts.describe() == (
        "96 of 98 passed, 92.9 % to 99.4 % at 95 % (100 in all: 97 scored, "
        "1 abstained, 1 not applicable, 1 errors)"
    )


# --- red --------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [F, E])
def test_one_broken_invariant_is_red_R_E3(broken: Result) -> None:
    """However many pass, and also where the baseline had it broken already."""
    run = scored(HUNDRED, **{QUOTES: {7: broken}})
    for baseline in (scored(HUNDRED), run):
        verdict = decided(run, baseline)
        assert verdict.decision is Decision.REGRESSION
        assert verdict.exit_code == 1
        assert check(verdict, f"invariant {QUOTES}").cases == ("case-0007",)


def test_four_crashing_cases_of_a_hundred_never_read_as_one_R_E3() -> None:
    """Neither as a rate, nor as a verdict."""
    crashed = every(E, 4)
    run = scored(HUNDRED, **{QUOTES: crashed, FACTS: crashed, STYLE: crashed})
    verdict = decided(run)
    rates = [each.counts.rate for each in verdict.checks if each.counts]
    assert verdict.decision is Decision.REGRESSION
    assert rates == [0.96] * len(rates)
    assert check(verdict, "errors").result is Status.FAIL
    assert check(verdict, "errors").cases == tuple(f"case-{n:04}" for n in range(4))


def test_a_new_hard_failure_is_named_and_red_R_E3() -> None:
    """One case of a hundred: no statistics sees that."""
    verdict = decided(scored(HUNDRED, **{FACTS: {41: F}}))
    assert reasons(verdict) == [f"hard failures {FACTS}"]
    assert "case-0041" in check(verdict, f"hard failures {FACTS}").why
    assert verdict.decision is Decision.REGRESSION


def test_what_failed_already_is_no_new_failure() -> None:
    failing = scored(HUNDRED, **{FACTS: {41: F}})
    assert decided(failing, failing).decision is Decision.RELEASE


def test_a_case_that_is_repeated_has_to_fail_every_time() -> None:
    """A flip of one repeat is no hard failure; the paired test has it."""
    baseline = scored(HUNDRED, repeats=3)
    flipped = tuple(
        replace(s, result=F) if (s.case, s.repeat, s.metric) == flip else s
        for flip in [("case-0003", 1, FACTS)]
        for s in baseline.scores
    )
    verdict = decided(replace(baseline, scores=flipped), baseline)
    assert verdict.decision is Decision.RELEASE
    delta = check(verdict, f"gate {FACTS} in all").delta
    assert delta == pytest.approx(-1 / 300)


def test_repeats_are_told_with_what_passed_every_time_and_what_flipped() -> None:
    """pass^k: one failure of three is a case that does not hold."""
    steady = scored(HUNDRED, repeats=3, **{FACTS: {9: F}})
    scores = tuple(
        replace(s, result=F) if (s.case, s.repeat, s.metric) == flip else s
        for flip in [("case-0003", 1, FACTS)]
        for s in steady.scores
    )
    verdict = decided(replace(steady, scores=scores), steady)
    assert check(verdict, "repeats").why == (
        "Each case was asked 3 times: 98 of 100 passed every metric every time "
        "(pass^3), 1 case came out differently: case-0003."
    )
    assert not [c for c in decided(scored(HUNDRED)).checks if c.check == "repeats"]


def test_a_broad_drop_is_significant_and_a_single_document_is_not_R_E3() -> None:
    """Twelve failures: of twelve documents, or all of one."""
    apart = decided(scored(HUNDRED, **{FACTS: every(F, 12)}))
    assert f"gate {FACTS} in all" in reasons(apart)
    fallen = check(apart, f"gate {FACTS} in all")
    assert fallen.holm is not None
    assert fallen.holm < 0.001
    assert fallen.interval is not None
    assert fallen.interval[1] < 0
    cases = [case(n, documents=8) for n in range(96)]
    together = {n: F for n in range(96) if n % 8 == 0}
    verdict = decided(scored(cases, **{FACTS: together}), scored(cases))
    assert reasons(verdict) == [f"hard failures {FACTS}"]


def test_partial_drops_count_by_their_value() -> None:
    """Answers that said half of what they should and now say a quarter."""
    half = scored(HUNDRED, **{FACTS: every(F, 30)})

    def with_value(value: float) -> RunScores:
        scores = tuple(
            replace(s, value=value) if s.result is F else s for s in half.scores
        )
        return replace(half, scores=scores)

    verdict = decided(with_value(0.25), with_value(0.5))
    assert reasons(verdict) == [f"gate {FACTS} in all"]


def test_a_drop_in_one_slice_is_seen_there() -> None:
    """The rest rises by as much, so that the whole stands still."""
    cases = [
        case(n, slices=("near_miss",) if n < 20 else ("plain",)) for n in range(100)
    ]
    then = scored(cases, **{FACTS: {n: F for n in range(80, 95)}})
    now = scored(cases, **{FACTS: every(F, 15)})
    verdict = decided(now, then)
    assert f"gate {FACTS} in near_miss" in reasons(verdict)
    assert f"gate {FACTS} in all" not in reasons(verdict)


def test_a_rise_is_told_so_that_somebody_looks() -> None:
    verdict = decided(scored(HUNDRED), scored(HUNDRED, **{FACTS: every(F, 30)}))
    assert verdict.decision is Decision.RELEASE
    assert "look whether" in check(verdict, f"gate {FACTS} in all").why


def test_advice_decides_nothing() -> None:
    verdict = decided(scored(HUNDRED, **{STYLE: every(F, 90)}))
    assert verdict.decision is Decision.RELEASE
    assert "10 of 100 passed" in check(verdict, f"advice {STYLE}").why


# --- open: never green --------------------------------------------------------------


def test_without_a_baseline_nothing_is_released_R_E3() -> None:
    verdict = decide(scored(HUNDRED), None, WEIGHTS)
    assert reasons(verdict) == ["comparable"]
    assert verdict.exit_code == 3


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        (HUNDRED[:99], HUNDRED, "that were not run: case-0099"),
        (HUNDRED, HUNDRED[:98], "does not have: case-0098, case-0099"),
        (
            HUNDRED,
            [replace(HUNDRED[0], expected=Expected(outcome="refuse")), *HUNDRED[1:]],
            "edited since the baseline: case-0000",
        ),
    ],
    ids=["lost", "new", "edited"],
)
def test_cases_that_cannot_be_compared_keep_it_open_R_E3(now, then, said) -> None:
    verdict = decided(scored(now), scored(then))
    assert verdict.exit_code == 3
    assert said in check(verdict, "comparable").why


def test_other_metric_code_keeps_it_open_R_E3() -> None:
    """Also where it says the same of every row: a weight stands in no score."""
    verdict = decided(scored(HUNDRED, code="2"), scored(HUNDRED, code="1"))
    assert verdict.exit_code == 3
    assert "oracle --pin" in check(verdict, "comparable").why
    assert not [c for c in verdict.checks if c.check.startswith("gate")]


def test_metric_code_that_is_not_known_is_not_taken_for_the_same() -> None:
    unknown = replace(scored(HUNDRED), manifest={})
    assert decided(unknown, unknown).exit_code == 3


def test_a_metric_that_a_wrong_answer_passes_keeps_it_open() -> None:
    """Its mutation score is part of the run."""
    run = scored(HUNDRED)
    blind = {"code": "1", "mutation": {FACTS: 0.9, QUOTES: 1.0}}
    verdict = decided(replace(run, manifest={SCORING: blind}))
    assert verdict.exit_code == 3
    assert FACTS in check(verdict, "mutants").why


@pytest.mark.parametrize("apart", ["", "_leaflets", "_2026-06-20"])
def test_cases_made_from_answers_come_and_go_with_them_R_E6(apart: str) -> None:
    """Only one that fails and was not there before keeps it open; of any corpus and
    day."""
    made = [case(n, suite=f"{counterfactual.NAME}{apart}") for n in range(100, 110)]
    other = [replace(each, question=f"{each.question}?") for each in made]
    then = scored([*HUNDRED, *made[:8]])
    assert decided(scored([*HUNDRED, *other[2:]]), then).decision is Decision.RELEASE
    now = scored([*HUNDRED, *other], **{FACTS: {109: F}})
    assert decided(now, then).exit_code == 3
    now = scored([*HUNDRED, *other], **{FACTS: {101: F}})
    assert reasons(decided(now, then)) == [f"hard failures {FACTS}"]


def test_a_model_that_was_not_heard_keeps_it_open_R_E3() -> None:
    """Quotations of the sources score well; a failed provider is no good model."""
    silent = tuple(f"case-{number:04}" for number in (*range(10), 3))
    run = replace(scored(HUNDRED, repeats=2), unheard=silent)
    verdict = decided(run, scored(HUNDRED, repeats=2))
    assert (verdict.exit_code, reasons(verdict)) == (3, ["heard"])
    assert check(verdict, "heard").why == (
        "The model was not heard on 11 of 200 rows: case-0000, case-0001, "
        "case-0002, case-0003, case-0004 and 5 more. Record again when the provider "
        "answers: python -m evals record."
    )


def test_a_lost_score_keeps_it_open() -> None:
    run = scored(HUNDRED)
    assert decided(replace(run, scores=run.scores[1:])).exit_code == 3
    one_repeat_short = scored(HUNDRED, repeats=2).scores[:-1]
    assert decided(replace(run, scores=one_repeat_short)).exit_code == 3


@pytest.mark.parametrize("metric", [QUOTES, FACTS])
def test_a_metric_that_no_longer_judges_anything_keeps_it_open(metric: str) -> None:
    verdict = decided(scored(HUNDRED, **{metric: every(N, 100)}))
    assert verdict.exit_code == 3
    assert "judged no" in " ".join(each.why for each in verdict.checks)


def test_an_invariant_that_judged_nothing_is_not_shown_R_E2() -> None:
    """Nor was it in the baseline: that is no reason to call it passed."""
    run = scored(HUNDRED, **{QUOTES: every(N, 100)})
    verdict = decided(run, run)
    unshown = check(verdict, f"invariant {QUOTES}")
    assert (unshown.result, unshown.bound) == (Status.NOT_SHOWN, None)
    assert verdict.exit_code == 3
    assert verdict.why == (
        f"Cannot be decided, so it must not be released: invariant {QUOTES} is not "
        "shown."
    )
    assert parse(verdict.lines()).lines() == verdict.lines()


def test_a_gate_that_no_case_asks_for_is_named_and_holds_nothing_back_R_E2() -> None:
    """A pack without dates has no case about stale law."""
    run = scored(HUNDRED, **{FACTS: every(N, 100)})
    verdict = decided(run, run)
    assert check(verdict, f"gate {FACTS}").result is Status.NOT_SHOWN
    assert verdict.exit_code == 0
    assert verdict.why.startswith("May be released: all ")
    assert verdict.why.endswith(f"checks passed, and gate {FACTS} is not shown.")


def test_every_metric_says_how_many_rows_it_judged_R_E2() -> None:
    run = scored(HUNDRED, **{FACTS: every(N, 97)})
    rows = check(decided(run, run), "measured rows").why
    assert f"{FACTS} 3, " in rows
    assert f"{QUOTES} 100" in rows


def test_a_failure_is_red_also_where_something_is_open() -> None:
    run = scored(HUNDRED[:99], **{QUOTES: {0: F}})
    assert decided(run).exit_code == 1


# --- refused ------------------------------------------------------------------------


def test_empty_and_double_scores_are_refused_R_E3() -> None:
    run = scored(HUNDRED)
    twice = replace(run, scores=(*run.scores, run.scores[0]))
    foreign = replace(run, scores=(*run.scores, score("x", FACTS, P)))
    empty = RunScores({}, (), {})
    for wrong, said in ((twice, "twice"), (foreign, "none of"), (empty, "no case")):
        with pytest.raises(UsageError, match=said):
            decided(wrong)
        with pytest.raises(UsageError, match=f"baseline.*{said}"):
            decide(run, held(wrong), WEIGHTS)
    with pytest.raises(UsageError, match="no metric"):
        decide(run, held(run), {})


# --- the file -----------------------------------------------------------------------


def test_a_verdict_is_read_as_it_was_written() -> None:
    verdict = decided(scored(HUNDRED, **{FACTS: every(F, 12)}))
    lines = verdict.lines()
    assert lines[-1]["result"] == "regression"
    assert parse(lines).lines() == lines


def test_a_verdict_that_was_edited_is_refused() -> None:
    lines = decided(scored(HUNDRED, **{FACTS: every(F, 12)})).lines()
    green = [*lines[:-1], {**lines[-1], "result": "release"}]
    for wrong in (green, lines[:-1], [], [{"check": "x"}, lines[-1]]):
        with pytest.raises(ValueError, match=r"verdict|check"):
            parse(wrong)


def test_no_check_at_all_is_no_release() -> None:
    assert Verdict(()).exit_code == 3


def test_a_tally_of_nothing_has_no_rate() -> None:
    assert tally([]).rate is None
