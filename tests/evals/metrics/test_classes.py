"""What metrics say beside pass and fail: classes, places, two-sided counts."""

from dataclasses import replace

import pytest

from evals.forms import Result
from evals.metrics import specimen
from evals.metrics.blame import Blame
from evals.metrics.evidence_dependence import EvidenceDependence
from evals.metrics.metric import Metric, Mutant
from evals.metrics.quote_anchor import QuoteAnchor
from evals.score import score


def _mutant(metric: Metric, name: str) -> Mutant:
    return next(mutant for mutant in metric.mutants() if mutant.name == name)


def _classes(metric: Metric, name: str) -> list[str]:
    mutant = _mutant(metric, name)
    found = metric.score(mutant.case, mutant.row, mutant.sources, others=mutant.others)
    return [mark["class"] for mark in found.marks]


@pytest.mark.parametrize(
    ("mutant", "kind"),
    [
        ("changed digit", "altered"),
        ("dropped not", "altered"),
        ("homoglyph", "altered"),
        ("swapped source", "wrong_source"),
        ("outside its passage", "wrong_source"),
        ("stitched", "stitched"),
        ("ellipsis", "ellipsis"),
        ("apostrophe trick", "not_found"),
        ("two words", "not_found"),
        ("spaces", "folded"),
        ("as it is", "exact"),
    ],
)
def test_a_quotation_has_its_class_R_I7(mutant: str, kind: str) -> None:
    """The report names what was done to a quotation."""
    kinds = [*_classes(QuoteAnchor(), mutant), "exact"]
    assert next((k for k in kinds if k != "exact"), "exact") == kind


def test_an_anchored_quotation_has_its_place_R_I7() -> None:
    """The offsets of a mark lead to the words in the document version."""
    metric = QuoteAnchor()
    mutant = _mutant(metric, "bars")
    found = metric.score(mutant.case, mutant.row, mutant.sources)
    mark = found.marks[0]
    held = mutant.sources[mark["version"]].text
    assert held[mark["start"] : mark["end"]] == specimen.DOSE


def test_an_altered_quotation_says_what_was_changed() -> None:
    """A person sees the word that the source has."""
    metric = QuoteAnchor()
    mutant = _mutant(metric, "dropped not")
    found = metric.score(mutant.case, mutant.row, mutant.sources)
    assert "where the source says “not”" in found.why


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
