"""What metrics say beside pass and fail: classes, places, two-sided counts."""

from dataclasses import replace

import pytest

from evals.forms import Result
from evals.score import catalogue, specimen
from evals.score.catalogue import Finding, Metric, Subject
from evals.score.score import score
from evals.score.specimen import Mutant

BLAME, VERBATIM, DEPENDENCE = catalogue.load(
    ["blame", "verbatim", "evidence_dependence"]
)


def _mutant(metric: Metric, name: str) -> Mutant:
    return next(mutant for mutant in metric.mutants() if mutant.name == name)


def _found(metric: Metric, name: str) -> Finding:
    mutant = _mutant(metric, name)
    return metric.judge(Subject(mutant.case, mutant.row, mutant.sources))


@pytest.mark.parametrize(
    ("mutant", "why"),
    [
        ("changed digit", "about 2 hours apart"),
        ("lost", "serves nothing in place of “Veltromab makes"),
        ("moved", "is not what stands in tablets.md at 1"),
        ("of no known version", "is of a version that is not known"),
        ("own words: At least 4 tablets a day.", "neither quoted nor a text of the"),
        ("added: Chew the tablets. [1]", "serves “Chew the tablets. [1]”, which is no"),
    ],
)
def test_what_is_not_verbatim_is_said_in_words_R_V2_R_I7(mutant: str, why: str) -> None:
    """A person sees which quotation or line it is, and what is wrong with it."""
    assert why in _found(VERBATIM, mutant).why


def test_the_share_is_of_quotations_at_their_place_R_O1() -> None:
    """Of two quotations one is moved; a strange line costs no share, and fails."""
    half = _found(VERBATIM, "moved, of a source")
    assert (half.value, half.parts) == (0.5, 2)
    whole = _found(VERBATIM, "added: Chew the tablets. [1]")
    assert (whole.result, whole.value) == (Result.FAIL, 1.0)


@pytest.mark.parametrize(
    ("mutant", "kind"),
    [
        ("retrieval miss", "retrieval_miss"),
        ("ignored evidence", "ignored_evidence"),
        ("own knowledge", "own_knowledge"),
        ("noise", "noise"),
        ("refused", "retrieval_miss"),
    ],
)
def test_blame_names_who_it_was(mutant: str, kind: str) -> None:
    """Search and writer are told apart."""
    assert [mark["class"] for mark in _found(BLAME, mutant).marks] == [kind]


def test_a_changed_case_is_held_against_the_row_of_its_repeat_R_E6() -> None:
    """The second time is compared with the second time."""
    mutant = _mutant(DEPENDENCE, "same answer")
    original = mutant.others["original"]
    rows = [
        mutant.row,
        original,
        replace(mutant.row, repeat=1),
        replace(specimen.refusal(), case="original", repeat=1),
    ]
    cases = {"specimen": mutant.case, "original": specimen.case()}
    found = score(cases, rows, mutant.sources, [DEPENDENCE])
    results = {(one.case, one.repeat): one.result for one in found}
    assert results["specimen", 0] == Result.FAIL
    assert results["specimen", 1] == Result.NOT_APPLICABLE
