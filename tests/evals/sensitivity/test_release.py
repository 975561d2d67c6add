"""Three seeded regressions through the release itself: its lines, reports and code."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from evals.broken import PAGE
from evals.commands import release
from evals.compare import runs as baseline
from evals.compare.runs import Finished
from evals.compare.trend import TREND
from tests.bot.command import Command
from tests.evals.first_lines import firsts
from tests.evals.sensitivity.breaking import Broken, gate, instead, openings
from tests.evals.sensitivity.worlds import BYLAWS, ONCOLOGY, Bench, World

Release = Callable[[World], tuple[int, list[str], set[str]]]


@pytest.fixture
def released(
    bench: Bench,
    baselines: Mapping[str, Finished],
    evals: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Release:
    """Release a world: the exit code, the lines on standard output, and report firsts.

    All is as `make evals` has it, but for the suite, which is a small one.
    """

    def run(world: World) -> tuple[int, list[str], set[str]]:
        baseline.write(tmp_path / "committed" / world.pack, baselines[world.name])
        monkeypatch.setattr(
            release, "ask_pack", lambda pack, folder: bench.record(world, folder)
        )
        monkeypatch.setattr(release, "list_packs", lambda: [world.pack])
        places = ("--out", tmp_path, "--baselines", tmp_path / "committed")
        told = evals("release", "--pack", world.pack, *places)
        folder = tmp_path / world.pack
        reports = firsts(folder) if (folder / PAGE).exists() else set()
        return told.code, told.out.splitlines(), reports

    return run


@contextmanager
def a_threshold_is_lowered() -> Iterator[None]:
    low = {"best": 0.0, "used": 0.0, "answerability": 0.0}
    with gate(**low), openings(relevance=0.0):
        yield


def a_validator_is_off() -> Broken:
    return instead({"engine.verify.selections.DraftChecker.find_lack": lambda *_: None})


def test_an_unbroken_system_is_released_in_one_voice_R_E2(released: Release) -> None:
    code, lines, reports = released(BYLAWS)
    assert lines[0].startswith("May be released: bylaws: all ")
    assert (code, {lines[0], lines[-1]}) == (0, reports)


@pytest.mark.parametrize(
    ("broken", "world", "said"),
    [
        (a_threshold_is_lowered, ONCOLOGY, "hard failures abstention"),
        (a_validator_is_off, BYLAWS, "stored drafts"),
    ],
)
def test_a_seeded_regression_is_red_in_one_voice_R_E2_R_E3(
    released: Release, broken: Callable[[], Broken], world: World, said: str
) -> None:
    """Exit code, first line, last line and the first line of every report."""
    with broken():
        code, lines, reports = released(world)
    assert lines[0].startswith(f"Must not be released: {world.pack}: ")
    assert said in lines[0]
    assert (code, {lines[0], lines[-1]}) == (1, reports)


def test_a_release_that_cannot_be_reported_is_none_R_E2(
    released: Release, tmp_path: Path
) -> None:
    """A damaged trend is met when the reports are written: nothing is said before."""
    trend = tmp_path / "committed" / BYLAWS.pack / TREND
    trend.parent.mkdir(parents=True)
    trend.write_text("{", encoding="utf-8")
    code, lines, reports = released(BYLAWS)
    (only,) = lines
    assert only.startswith("Cannot be decided, so it must not be released: ")
    assert TREND in only
    assert (code, reports) == (4, set())


def test_a_folder_that_is_a_file_is_a_matter_of_the_machine_R_E2(
    evals: Command, tmp_path: Path
) -> None:
    (tmp_path / "oncology").write_text("", encoding="utf-8")
    told = evals("release", "--pack", "oncology", "--out", tmp_path)
    (only,) = told.out.splitlines()
    assert only.startswith("Cannot be decided, so it must not be released: ")
    assert told.code == 4


# `None` in the place of a module is what a wrong name of an import comes to.
BAD_IMPORT = "import sys; sys.modules[{module!r}] = None"


@pytest.mark.parametrize("module", ["engine.verify.check", "engine.model.errors"])
def test_a_bad_import_is_red_in_its_last_line_R_E2(module: str, tmp_path: Path) -> None:
    """Wherever it stands: nothing starts, nothing is reported, and it is said."""
    (tmp_path / "sitecustomize.py").write_text(BAD_IMPORT.format(module=module))
    root = Path(__file__).resolve().parents[3]
    paths = os.pathsep.join((str(tmp_path), str(root)))
    told = subprocess.run(
        [sys.executable, "-m", "evals", "release", "--out", tmp_path / "runs"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    (only,) = told.stdout.splitlines()
    assert only.startswith("Must not be released: it broke, ModuleNotFoundError: ")
    assert module in only
    assert told.returncode == 1
    assert not list(tmp_path.glob("runs/*"))
