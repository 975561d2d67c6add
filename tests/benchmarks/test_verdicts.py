"""The questions with known answers, by rules; and how a verdict is judged."""

from pathlib import Path

import pytest

from adapters.question_packs import load
from benchmarks.bench_verdicts import PLACE, UNTUNED, judged, known, verdicts


@pytest.mark.parametrize("place", [PLACE, UNTUNED], ids=lambda place: place.name)
def test_half_of_the_questions_are_not_answered_by_the_files_R_P6(place: Path) -> None:
    """Every question is known, over three repositories."""
    every = known(place)
    told = [word for held in every.values() for word in held["known"].values()]  # type: ignore[union-attr]
    assert len(told) == 40
    assert told.count("NOT FOUND") == 20
    for name, held in every.items():
        pack = load(place / f"{name}.yaml").pack
        assert [each.id for each in pack.questions] == list(held["known"])


@pytest.mark.parametrize("name", known())
def test_rules_give_the_known_verdicts_R_P4(name: str) -> None:
    """And NOT FOUND where the files say nothing, however near they come."""
    held = known()[name]
    came = verdicts(PLACE / f"{name}.yaml", str(held["repository"]), "deterministic")
    assert came == held["known"]


@pytest.mark.parametrize(
    ("verdict", "wanted", "end"),
    [
        ("YES", "YES", "right"),
        ("NO", "YES", "wrong"),
        ("YES", "NOT FOUND", "wrong"),
        ("INSUFFICIENT EVIDENCE", "NOT FOUND", "right"),
        ("NOT FOUND", "YES", "NOT FOUND"),
        (None, "NOT FOUND", "no verdict"),
    ],
)
def test_what_a_verdict_is_against_what_is_known(
    verdict: str | None, wanted: str, end: str
) -> None:
    assert judged(verdict, wanted) == end
