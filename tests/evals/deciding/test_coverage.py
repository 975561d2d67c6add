"""The coverage list tells what shows a requirement, and what nothing shows."""

from pathlib import Path

import pytest

from engine.errors import EnvironmentFailed
from evals.cases import suites
from evals.cases.requirement_ids import KNOWN, UNBUILT
from evals.commands.release import every_pack
from evals.deciding import coverage as covered
from evals.deciding.coverage import coverage, named_in
from tests.bot.command import Command
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


def test_nothing_is_bare_but_what_is_not_built_R_E1() -> None:
    """A requirement that is built has a case or a test, and leaves the list."""
    loaded = (suite for name in every_pack() for suite in suites.load(name))
    cases = [case for suite in loaded for case in suite.cases]
    found = coverage([*cases, *covered.cases_of_tests()], NAMES)
    assert {each.requirement for each in found if each.bare} == UNBUILT.keys()


def test_the_suites_kept_in_the_tests_show_what_needs_their_packs_R_E1() -> None:
    """No shipped pack has a section contract."""
    cases = [case for case in covered.cases_of_tests() if "R-A2" in case.shows]
    assert [case.id for case in cases] == ["s-draft-beehives"]


def test_the_report_says_why_nothing_shows_a_requirement_R_E1(evals: Command) -> None:
    """And of what is shown, by how much, where it is asked for."""
    told = evals("coverage")
    assert told.code == 0
    assert "R-R6\tnot built yet: a search within constraints" in told.out
    assert "R-I7" not in told.out
    assert f"of the other {len(UNBUILT)}, {len(UNBUILT)} are of parts" in told.err
    assert "R-A2\t1 case\t" in evals("coverage", "--all").out


def test_a_file_that_is_no_python_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test_(:\n")
    with pytest.raises(EnvironmentFailed, match="test_x"):
        list(covered.tests_of(tmp_path))
