"""Which requirements a case or a test shows, and which nothing shows yet (R-E1).

A test shows the requirements that its name ends with, as in `test_…_R_I7`. Where
something needs a pack that is not shipped, the suites kept in the tests show it.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EnvironmentFailed
from evals.cases import suites
from evals.cases.requirement_ids import KNOWN, UNBUILT, order
from evals.deciding.finished import ROOT
from evals.forms import Case

TESTS = ROOT / "tests"
KEPT = "evals/sensitivity/suites"  # below it: suites that tests record and decide
_IN_NAME = re.compile(r"_R_([A-Z])(\d+)(?=_|$)")


@dataclass(frozen=True, slots=True)
class Shown:
    """What shows one requirement: ids of cases and names of tests."""

    requirement: str
    cases: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def bare(self) -> bool:
        """Whether nothing shows it."""
        return not self.cases and not self.tests

    @property
    def unbuilt(self) -> str:
        """What it is that is not built yet; empty where it is."""
        return UNBUILT.get(self.requirement, "")


def coverage(
    cases: Iterable[Case], tests: Iterable[str], known: Iterable[str] = KNOWN
) -> tuple[Shown, ...]:
    """What shows each known requirement, in the order of the ids.

    Args:
        cases: of all packs, and of the suites kept in the tests.
        tests: names of test functions.
        known: the requirements there are.
    """
    by_case: dict[str, list[str]] = {}
    for case in cases:
        for requirement in case.shows:
            by_case.setdefault(requirement, []).append(case.id)
    by_test: dict[str, list[str]] = {}
    for name in tests:
        for requirement in named_in(name):
            by_test.setdefault(requirement, []).append(name)
    return tuple(_shown(each, by_case, by_test) for each in sorted(known, key=order))


def named_in(test: str) -> Iterator[str]:
    """The requirements that a test's name says it shows."""
    return (f"R-{letter}{number}" for letter, number in _IN_NAME.findall(test))


def tests_of(folder: Path = TESTS) -> Iterator[str]:
    """The names of all test functions below a folder, read and not run.

    Raises:
        EnvironmentFailed: a file is no Python or cannot be read.
    """
    for file in sorted(folder.rglob("test_*.py")):
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError) as error:
            raise EnvironmentFailed(f"{file}: cannot be read ({error})") from error
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from [node.name] if node.name.startswith("test") else []


def cases_of_tests(folder: Path = TESTS) -> Iterator[Case]:
    """The cases of the suites that tests record and decide.

    Raises:
        UsageError: a suite is wrong.
    """
    for file in sorted((folder / KEPT).glob("*/*.yaml")):
        yield from suites.read(file).cases


def _shown(
    requirement: str,
    cases: Mapping[str, list[str]],
    tests: Mapping[str, list[str]],
) -> Shown:
    return Shown(
        requirement,
        tuple(sorted(set(cases.get(requirement, ())))),
        tuple(sorted(set(tests.get(requirement, ())))),
    )
