"""A pytest plugin that collects the cases of the suites: as red as the command.

    python -m pytest -p evals.plugin --evals evals/suites config/packs

A case fails where a failed check names it, and each pack has a test of its verdict, so
that nothing is green that `python -m evals release` would keep back. The pack is asked
when its first test runs; `--evals-run DIR` takes runs that were scored before.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.broken import RUNS
from evals.cases import suites
from evals.cases.suites import FIXTURES
from evals.commands.record import record
from evals.commands.score import score
from evals.compare.explain import problems
from evals.compare.runs import BASELINES
from evals.compare.settle import Settled, settle
from evals.compare.verdict import Decision, Status
from evals.forms import Case

SUITES = "suites"


class Judged:
    """The verdict of each pack, made when it is first asked for.

    Args:
        runs: a folder with a run of each pack; None: runs are made now.
        baselines: the folder of all packs' baselines.
    """

    def __init__(self, runs: Path | None, baselines: Path) -> None:
        self._runs = runs
        self._baselines = baselines
        self._made: dict[str, Settled] = {}

    def settle(self, name: str) -> Settled:
        """Return the verdict of a pack."""
        if name not in self._made:
            folder = (self._runs or RUNS) / name
            if self._runs is None:
                record(pack=name, out=folder)
                score(run=folder)
            self._made[name] = settle(folder, self._baselines)
        return self._made[name]


JUDGED = pytest.StashKey[Judged]()


class SuiteFile(pytest.File):
    """One file of cases, and a test of its pack's verdict."""

    def collect(self) -> Iterator["CaseItem"]:
        """Yield the cases of the file, in its order."""
        for case in _read_cases(self.path):
            yield CaseItem.from_parent(self, name=case.id, case=case)


class _Item(pytest.Item):
    """A test that fails with what the checks say, without a stack."""

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """Show what the checks say, or the stack of any other error."""
        if isinstance(excinfo.value, NotReleasable):
            return str(excinfo.value)
        return str(self._repr_failure_py(excinfo))


class CaseItem(_Item):
    """One case."""

    def __init__(self, *, case: Case, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]  # pytest's own arguments
        self.case = case
        self.add_marker("evals")

    def runtest(self) -> None:
        """Fail where a failed check of the pack names the case."""
        made = self.config.stash[JUDGED].settle(self.case.pack)
        said = [
            f"{problem.check.check}: {problem.why}"
            for problem in problems(made.verdict, made.run)
            if problem.case == self.case.id and problem.check.result is Status.FAIL
        ]
        if self.case.id not in made.run.cases:
            said.append(f"the run of {self.case.pack} does not hold it: record again")
        if said:
            raise NotReleasable("\n".join([self.case.question, *said]))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the case by the line of its data."""
        return self.path, self.case.line - 1, self.name


class VerdictItem(_Item):
    """The verdict of one pack."""

    def __init__(self, *, pack: str, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]  # pytest's own arguments
        self.pack = pack
        self.add_marker("evals")

    def runtest(self) -> None:
        """Fail unless the pack may be released."""
        verdict = self.config.stash[JUDGED].settle(self.pack).verdict
        if verdict.decision is not Decision.RELEASE:
            wrong = [check for check in verdict.checks if check.holds_back]
            lines = [f"{check.check}: {check.result}. {check.why}" for check in wrong]
            raise NotReleasable("\n".join([verdict.why, *lines]))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the pack."""
        return self.path, 0, self.name


class NotReleasable(Exception):
    """A case or a pack that must not go out."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("evals", "cases of the evaluation suites")
    group.addoption("--evals", action="store_true", help="collect the suites' cases")
    group.addoption("--evals-run", type=Path, help="scored runs, a folder a pack")
    group.addoption("--evals-baselines", type=Path, default=BASELINES)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; nothing is asked yet."""
    config.addinivalue_line("markers", "evals: a case of the evaluation suites")
    runs, baselines = (
        config.getoption(name) for name in ("--evals-run", "--evals-baselines")
    )
    config.stash[JUDGED] = Judged(runs, baselines)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect files of suites and of packs' fixtures, where `--evals` asks for them."""
    wanted = parent.config.getoption("--evals") and file_path.suffix == ".yaml"
    if wanted and (_is_suite(file_path) or _is_fixture(file_path)):
        return SuiteFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(
    session: pytest.Session, items: list[pytest.Item]
) -> None:
    """Add a verdict for each pack of which a case was collected."""
    packs = {item.case.pack for item in items if isinstance(item, CaseItem)}
    items += [
        VerdictItem.from_parent(session, name=f"verdict of {pack}", pack=pack)
        for pack in sorted(packs)
    ]


def _is_suite(file: Path) -> bool:
    return file.parent.parent.name == SUITES


def _is_fixture(file: Path) -> bool:
    return file.parent.name == FIXTURES


def _read_cases(file: Path) -> tuple[Case, ...]:
    if _is_suite(file):
        return suites.read(file).cases
    found = suites.read_fixtures(file.parent.parent)
    return next((s.cases for s in found if s.name == f"{file.stem}_{FIXTURES}"), ())
