"""The coverage list tells what shows a requirement, and what nothing shows."""

from pathlib import Path

import pytest

from engine.errors import EnvironmentFailed
from evals import coverage as covered
from evals.coverage import coverage, named_in
from evals.requirement_ids import KNOWN
from tests.evals import samples

NAMES = tuple(covered.tests_of())


def test_cases_and_tests_show_requirements_R_E1() -> None:
    cases = [samples.case("dose", shows=("R-E3", "R-I7"))]
    found = coverage(
        cases, ["test_quotes_R_I7_R_V2", "test_it"], ["R-I7", "R-E3", "R-V1"]
    )
    assert [(each.requirement, len(each.cases), len(each.tests)) for each in found] == [
        ("R-E3", 1, 0),
        ("R-I7", 1, 1),
        ("R-V1", 0, 0),
    ]
    assert [each.requirement for each in found if each.bare] == ["R-V1"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("test_a_R_I7", ["R-I7"]),
        ("test_a_R_I12_R_S4_and_more", ["R-I12", "R-S4"]),
        ("test_OR_I7x", []),
        ("test_a", []),
    ],
)
def test_ids_are_read_from_names(name: str, shown: list[str]) -> None:
    assert list(named_in(name)) == shown


def test_tests_of_this_checkout_name_only_known_requirements() -> None:
    """A test that shows what does not exist is a typing error."""
    assert len(NAMES) > 500
    assert {each for name in NAMES for each in named_in(name)} <= KNOWN


def test_a_file_that_is_no_python_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test_(:\n")
    with pytest.raises(EnvironmentFailed, match="test_x"):
        list(covered.tests_of(tmp_path))
