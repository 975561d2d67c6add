"""What metrics say beside pass and fail: classes, places, two-sided counts."""

from dataclasses import replace

import pytest

from evals.forms import Result
from evals.metrics import specimen
from evals.metrics.blame import Blame
from evals.metrics.evidence_dependence import EvidenceDependence
from evals.metrics.metric import Metric, Mutant
from evals.metrics.verbatim import Verbatim
from evals.score import score


def _mutant(metric: Metric, name: str) -> Mutant:
    return next(mutant for mutant in metric.mutants() if mutant.name == name)


def _classes(metric: Metric, name: str) -> list[str]:
    mutant = _mutant(metric, name)
    found = metric.score(mutant.case, mutant.row, mutant.sources, others=mutant.others)
    return [mark["class"] for mark in found.marks]


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
    made = _mutant(Verbatim(), mutant)
    assert why in Verbatim().score(made.case, made.row, made.sources).why


def test_the_share_is_of_quotations_at_their_place_R_O1() -> None:
    """Of two quotations one is moved; a strange line costs no share, and fails."""
    metric, moved = Verbatim(), _mutant(Verbatim(), "moved, of a source")
    half = metric.score(moved.case, moved.row, moved.sources)
    assert (half.value, half.parts) == (0.5, 2)
    added = _mutant(metric, "added: Chew the tablets. [1]")
    whole = metric.score(added.case, added.row, added.sources)
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
    assert _classes(Blame(), mutant) == [kind]


def test_a_changed_case_is_held_against_the_row_of_its_repeat_R_E6() -> None:
    """The second time is compared with the second time."""
    metric = EvidenceDependence()
    mutant = _mutant(metric, "same answer")
    original = mutant.others["original"]
    rows = [
        mutant.row,
        original,
        replace(mutant.row, repeat=1),
        replace(specimen.refusal(), case="original", repeat=1),
    ]
    cases = {"specimen": mutant.case, "original": specimen.case()}
    found = score(cases, rows, mutant.sources, [metric])
    results = {(one.case, one.repeat): one.result for one in found}
    assert results["specimen", 0] == Result.FAIL
    assert results["specimen", 1] == Result.NOT_APPLICABLE
