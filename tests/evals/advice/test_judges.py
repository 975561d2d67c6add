"""What a judge has to show: figures against known values, and a gate that is shut."""

from dataclasses import replace
from random import Random

import pytest

from evals.advice.judge import (
    LEAST,
    Counts,
    Label,
    LabelsWrong,
    check_labels,
    correct_rate,
    count_verdicts,
    decide_permit,
    estimate_kappa,
    estimate_rate,
    find_drifted,
)


def _labels(good: int, bad: int, canaries: int = 2) -> list[Label]:
    return [
        Label(
            id=f"label-{number:03}",
            metric="faithful",
            good=number < good,
            part="sealed",
            by="a nurse",
            why="read it",
            canary=number < canaries,
            claim=f"claim {number}",
        )
        for number in range(good + bad)
    ]


def _right(labels: list[Label]) -> dict[str, bool | None]:
    return {label.id: label.good for label in labels}


# --- labels -----------------------------------------------------------------------


def test_labels_that_prove_nothing_are_refused() -> None:
    """None at all, one twice, one both open and sealed."""
    one, two = _labels(1, 1)
    with pytest.raises(LabelsWrong, match="no labels"):
        check_labels([])
    with pytest.raises(LabelsWrong, match="twice"):
        check_labels([one, one])
    with pytest.raises(LabelsWrong, match="open and sealed"):
        check_labels([one, replace(two, claim=one.claim, part="open")])
    assert check_labels([one, two]) == (one, two)


def test_open_labels_and_lost_verdicts_do_not_flatter() -> None:
    """What the prompt was worded by is not counted; what was not judged is wrong."""
    labels = _labels(3, 2)
    labels[0] = replace(labels[0], part="open")
    verdicts = {**_right(labels), "label-001": None}
    del verdicts["label-004"]
    counts = count_verdicts(labels, verdicts)
    assert counts == Counts(good_kept=1, good_missed=1, bad_caught=1, bad_missed=1)


# --- figures ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_a_rate_has_its_interval_as_published(
    successes: int, trials: int, low: float, high: float
) -> None:
    """The last one is of Newcombe (1998), table I."""
    found = estimate_rate(successes, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_kappa_is_as_published() -> None:
    """Of 50 grants, two readers agree on 20 and on 15: 0.40, standard error 0.128."""
    counts = Counts(good_kept=20, good_missed=5, bad_caught=15, bad_missed=10)
    found = estimate_kappa(counts)
    assert found.value == pytest.approx(0.40)
    assert (found.high - found.value) / 1.96 == pytest.approx(0.128, abs=2e-3)


def test_a_judge_that_always_says_yes_agrees_by_chance_alone() -> None:
    """It is right in nine of ten, and worth nothing."""
    counts = Counts(good_kept=90, good_missed=0, bad_caught=0, bad_missed=10)
    assert estimate_kappa(counts).value == 0.0
    assert correct_rate(95, 100, counts) is None


def test_a_rate_without_both_kinds_is_refused() -> None:
    """A kind that nobody labelled says nothing."""
    with pytest.raises(LabelsWrong, match="both kinds"):
        correct_rate(
            3, 3, Counts(good_kept=3, good_missed=0, bad_caught=0, bad_missed=0)
        )
    with pytest.raises(LabelsWrong):
        correct_rate(0, 0, Counts(1, 1, 1, 1))
    with pytest.raises(LabelsWrong):
        estimate_rate(2, 1)


def test_a_perfect_judge_changes_nothing() -> None:
    """The corrected rate is the rate that it gave."""
    counts = Counts(good_kept=500, good_missed=0, bad_caught=500, bad_missed=0)
    found = correct_rate(90, 100, counts)
    assert found is not None
    assert found.value == pytest.approx(0.9)
    assert found.low < 0.9 < found.high


def test_a_lenient_judge_is_corrected_downwards() -> None:
    """It calls a third of the bad good: 90 of 100 are not 0.9."""
    counts = Counts(good_kept=95, good_missed=5, bad_caught=66, bad_missed=34)
    found = correct_rate(90, 100, counts)
    assert found is not None
    assert found.value == pytest.approx((0.9 + 0.66 - 1) / (0.95 + 0.66 - 1))
    assert found.low < 0.9


@pytest.mark.parametrize(
    ("truth", "sensitivity", "specificity"),
    [(0.9, 0.9, 0.8), (0.98, 0.95, 0.7), (0.5, 0.8, 0.8)],
)
def test_the_interval_holds_the_truth_as_often_as_it_says(
    truth: float, sensitivity: float, specificity: float
) -> None:
    """Over a thousand draws of labels and judgements, at least 94 in a hundred."""
    draw = Random(7)
    held = tries = 0
    for _ in range(1_000):
        kept = sum(draw.random() < sensitivity for _ in range(60))
        caught = sum(draw.random() < specificity for _ in range(60))
        counts = Counts(kept, 60 - kept, caught, 60 - caught)
        says = sum(
            draw.random() < (sensitivity if draw.random() < truth else 1 - specificity)
            for _ in range(200)
        )
        found = correct_rate(says, 200, counts)
        if found is not None:
            tries += 1
            held += found.low <= truth <= found.high
    assert tries > 990
    assert held / tries >= 0.94


# --- the gate ---------------------------------------------------------------------


def test_a_judge_that_showed_it_may_gate() -> None:
    """Enough sealed labels of both kinds, judged rightly, canaries as they were."""
    labels = _labels(40, 40)
    assert decide_permit(labels, _right(labels)).granted


def test_few_labels_are_no_permit() -> None:
    """However right the judge was on them."""
    labels = _labels(LEAST - 1, LEAST)
    found = decide_permit(labels, _right(labels))
    assert not found.granted
    assert found.why == (f"{LEAST - 1} sealed labels of good things, 30 are needed",)


def test_a_judge_that_calls_all_good_is_refused_by_name() -> None:
    """Specificity and kappa say why."""
    labels = _labels(40, 40)
    found = decide_permit(labels, {label.id: True for label in labels})
    assert not found.granted
    assert any(why.startswith("specificity 0.00") for why in found.why)
    assert any(why.startswith("kappa 0.00") for why in found.why)


def test_one_canary_that_is_judged_otherwise_shuts_the_gate() -> None:
    """The judge has changed, whatever its figures are."""
    labels = _labels(60, 60)
    verdicts = {**_right(labels), "label-001": False}
    found = decide_permit(labels, verdicts)
    assert found.why == ("canary label-001 is judged otherwise",)
    assert find_drifted(labels, verdicts) == (labels[1],)


def test_without_canaries_drift_would_not_be_seen() -> None:
    """So that it may not gate."""
    labels = _labels(60, 60, canaries=0)
    assert "canary" in decide_permit(labels, _right(labels)).why[0]
