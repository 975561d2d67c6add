"""The coverage list tells what shows a requirement, and what nothing shows."""

from pathlib import Path

import pytest

from engine import Engine
from engine.errors import EnvironmentFailed
from evals.cases import suites
from evals.cases.requirement_ids import KNOWN
from evals.commands.release import every_pack
from evals.deciding import coverage as covered
from evals.deciding.coverage import (
    Passed,
    coverage,
    kept,
    named_in,
    names_of,
    passing,
)
from tests.bot.command import Command
from tests.demo import Room
from tests.doors import Doors, keep
from tests.evals import samples
from tests.evals.test_commands import judged

NAMES = tuple(covered.tests_of())


NOTHING = Passed(frozenset(), frozenset())


def test_cases_and_tests_that_passed_show_requirements_R_E1() -> None:
    """A name alone shows nothing; it is told apart."""
    cases = [
        samples.case("dose", shows=("R-E3", "R-I7")),
        samples.case("wrong", shows=("R-E3", "R-E4")),
    ]
    passed = Passed(frozenset({"dose"}), frozenset({"test_quotes_R_I7_R_V2"}))
    tests = ["test_quotes_R_I7_R_V2", "test_parts_R_I7_R_V3", "test_it"]
    known = ["R-I7", "R-E3", "R-E4", "R-V1", "R-V3"]
    found = coverage(cases, tests, passed, known)
    assert [(each.requirement, len(each.cases), len(each.tests)) for each in found] == [
        ("R-E3", 1, 0),
        ("R-E4", 0, 0),
        ("R-I7", 1, 1),
        ("R-V1", 0, 0),
        ("R-V3", 0, 0),
    ]
    assert [each.requirement for each in found if each.bare] == ["R-V1"]
    named = {each.requirement: each.named for each in found if not each.shown}
    assert named == {
        "R-E4": ("wrong",),
        "R-V1": (),
        "R-V3": ("test_parts_R_I7_R_V3",),
    }


def test_a_case_counts_where_the_baseline_passed_it_R_E1() -> None:
    """One failure in what decides is enough; advice is not."""
    made = judged(samples.run(), ("dose", "facts"))
    assert "dose" not in passing(made, {"facts": "gate"})
    assert "dose" in passing(made, {"facts": "advice"})


def test_a_test_counts_where_it_passed_and_asked_R_E1(tmp_path: Path) -> None:
    """A later run takes out what fails or asks nothing now, and leaves the rest."""
    file = tmp_path / "build" / "doors.json"
    assert kept(file) == ()
    keep(file, {"t.py::test_a[x]": True, "t.py::test_b": True, "t.py::test_c": False})
    keep(file, {"t.py::test_b": False})
    assert kept(file) == ("t.py::test_a[x]",)
    assert names_of(kept(file)) == {"test_a"}
    file.write_text("{")
    with pytest.raises(EnvironmentFailed, match=r"doors\.json"):
        kept(file)


async def test_the_door_is_noted_as_a_question_goes_through_R_E1(room: Room) -> None:
    """Made-up packs are none, and what is asked is asked all the same."""
    doors = Doors()
    before = Engine.ask
    try:
        doors.watch()
        assert (await room.ask("textbook", "What is integral windup?")).answered
        assert doors.used
        doors.used = False
        other = room.packs["textbook"].model_copy(update={"id": "made_up"})
        await room.but({"made_up": other}).ask("made_up", "What is integral windup?")
        assert not doors.used
    finally:
        Engine.ask = before  # type: ignore[method-assign]


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


def test_every_requirement_has_a_case_or_a_test_R_E1() -> None:
    """One that names it at least."""
    loaded = (suite for name in every_pack() for suite in suites.load(name))
    cases = [case for suite in loaded for case in suite.cases]
    found = coverage([*cases, *covered.cases_of_tests()], NAMES, NOTHING)
    assert {each.requirement for each in found if each.bare} == set()


def test_the_suites_kept_in_the_tests_show_what_needs_their_packs_R_E1() -> None:
    """A contract that a test's own pack breaks."""
    cases = [case for case in covered.cases_of_tests() if "R-A2" in case.shows]
    assert [case.id for case in cases] == ["s-draft-beehives"]


def test_the_report_says_why_nothing_shows_a_requirement_R_E1(evals: Command) -> None:
    """And of what is shown, by how much, where it is asked for."""
    told = evals("coverage")
    assert told.code == 0
    assert "R-P1\tonly named, by " in told.out
    assert "R-I6\t" not in told.out  # cases of the packs pass it
    assert "requirements are shown by what passed on real text" in told.err
    assert "R-I6\t" in evals("coverage", "--all").out


def test_a_file_that_is_no_python_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test_(:\n")
    with pytest.raises(EnvironmentFailed, match="test_x"):
        list(covered.tests_of(tmp_path))
