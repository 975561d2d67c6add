"""Which requirements are shown on real text through the door, and which are not (R-E1).

A case shows what it names where the baseline's answer to it passed. A test shows what
its name ends with, as in `test_…_R_I7`, where it passed and asked through the door
(tests/doors.py notes that). A name alone shows nothing: it is told apart. Where
something needs a pack that is not shipped, the suites kept in the tests show it, once
the tests that ask them passed.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EnvironmentFailed
from evals.cases import suites
from evals.cases.requirement_ids import KNOWN, order
from evals.deciding.finished import ROOT, Finished
from evals.forms import Case, Result, Weight

TESTS = ROOT / "tests"
KEPT = "evals/sensitivity/suites"  # below it: suites that tests record and decide
ASKING = "tests/evals/sensitivity/test_unchanged.py::"  # the tests that do
DOORS = ROOT / "build" / "doors.json"  # tests that passed through the door, by node id
_IN_NAME = re.compile(r"_R_([A-Z])(\d+)(?=_|$)")


@dataclass(frozen=True, slots=True)
class Shown:
    """What shows one requirement: ids of cases and names of tests, which passed.

    Attributes:
        named: cases and tests that name it, and did not pass through the door.
    """

    requirement: str
    cases: tuple[str, ...]
    tests: tuple[str, ...]
    named: tuple[str, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether something passed on real text."""
        return bool(self.cases or self.tests)

    @property
    def bare(self) -> bool:
        """Whether nothing even names it."""
        return not self.shown and not self.named


@dataclass(frozen=True, slots=True)
class Passed:
    """What passed on real text through the door: ids of cases, names of tests."""

    cases: frozenset[str]
    tests: frozenset[str]


def coverage(
    cases: Iterable[Case],
    tests: Iterable[str],
    passed: Passed,
    known: Iterable[str] = KNOWN,
) -> tuple[Shown, ...]:
    """What shows each known requirement, in the order of the ids.

    Args:
        cases: of all packs, and of the suites kept in the tests.
        tests: names of test functions.
        passed: which of both passed.
        known: the requirements there are.
    """
    by_case: dict[str, set[str]] = {}
    for case in cases:
        for requirement in case.shows:
            by_case.setdefault(requirement, set()).add(case.id)
    by_test: dict[str, set[str]] = {}
    for name in tests:
        for requirement in named_in(name):
            by_test.setdefault(requirement, set()).add(name)
    return tuple(
        _shown(each, by_case.get(each, set()), by_test.get(each, set()), passed)
        for each in sorted(known, key=order)
    )


def passing(run: Finished, weights: Mapping[str, Weight]) -> frozenset[str]:
    """The cases of a run that were asked and fail nothing that decides."""
    wrong = {
        score.case
        for scores in run.scores.values()
        for score in scores
        if score.result in (Result.FAIL, Result.ERROR)
        and weights.get(score.metric) != "advice"
    }
    return frozenset(run.rows.keys() - wrong)


def kept(file: Path = DOORS) -> tuple[str, ...]:
    """The node ids of tests that passed through the door; none where none was run."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise EnvironmentFailed(
            f"{file}: cannot be read ({error}): remove it"
        ) from error
    return tuple(str(each) for each in found)


def names_of(nodes: Iterable[str]) -> frozenset[str]:
    """The names of test functions, from node ids."""
    return frozenset(node.partition("[")[0].rpartition("::")[2] for node in nodes)


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


def _shown(requirement: str, cases: set[str], tests: set[str], passed: Passed) -> Shown:
    return Shown(
        requirement,
        tuple(sorted(cases & passed.cases)),
        tuple(sorted(tests & passed.tests)),
        tuple(sorted((cases - passed.cases) | (tests - passed.tests))),
    )
