"""The cases as pytest items are as red as the command, and only where asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from evals.compare import runs as baseline
from evals.compare.runs import read_run
from evals.forms import Case, Expected, Result, Score
from evals.score import catalogue
from tests.conftest import ROOT
from tests.evals import samples

SUITE = """\
cases:
  - id: dose
    question: How often are the tablets taken?
    expected: {outcome: answer}
  - id: unknown
    question: What does it cost?
    expected: {outcome: refuse}
"""


def case(name: str, question: str, **expected: str) -> Case:
    return Case(
        id=name,
        question=question,
        expected=Expected(**expected),
        suite="basics",
        pack="made_up",
    )


CASES = (
    case("dose", "How often are the tablets taken?", outcome="answer"),
    case("unknown", "What does it cost?", outcome="refuse"),
)


def scored(folder: Path, failing: str = "") -> Path:
    """A run of both cases in which one breaks an invariant, or none."""
    rows = {row.case: row for row in (samples.ROWS[0], samples.ROWS[2])}
    scores = {
        each.id: tuple(
            Score(
                case=each.id,
                repeat=0,
                metric=name,
                result=Result.FAIL
                if each.id == failing and name == "verbatim"
                else Result.PASS,
                why="another quotation is served",
            )
            for name in sorted(catalogue.NAMES)
        )
        for each in CASES
    }
    made = samples.run(rows=rows.values(), scoring={"code": "1"})
    fields = {**vars(made), "cases": {each.id: each for each in CASES}}
    fields |= {"rows": {n: (r,) for n, r in rows.items()}, "scores": scores}
    run = type(made)(**fields)
    return samples.kept(run, folder)


def ran(tmp_path: Path, *arguments: str, failing: str = "") -> tuple[int, str]:
    """The exit code and the output of pytest over one suite with a stored run."""
    suite = tmp_path / "suites" / "made_up" / "basics.yaml"
    suite.parent.mkdir(parents=True)
    suite.write_text(SUITE, encoding="utf-8")
    run = read_run(scored(tmp_path / "runs" / "made_up"))
    baseline.write(tmp_path / "baselines" / "made_up", run)
    scored(tmp_path / "runs" / "made_up", failing)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "evals.plugin", "-q"),
            *("-p", "no:cacheprovider", "--rootdir", str(tmp_path)),
            *("--evals-run", str(tmp_path / "runs")),
            *("--evals-baselines", str(tmp_path / "baselines")),
            *arguments,
            str(tmp_path / "suites"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_cases_are_green_where_the_verdict_is_R_E4(tmp_path: Path) -> None:
    code, said = ran(tmp_path, "--evals")
    assert "3 passed" in said, said
    assert code == 0


def test_a_broken_invariant_is_red_at_its_case_and_in_the_verdict_R_E4(
    tmp_path: Path,
) -> None:
    code, said = ran(tmp_path, "--evals", failing="unknown")
    assert code == 1
    assert "2 failed, 1 passed" in said, said
    assert "invariant verbatim: verbatim: another quotation is served" in said
    assert "Traceback" not in said


def test_one_case_can_be_chosen(tmp_path: Path) -> None:
    code, said = ran(tmp_path, "--evals", "-k", "dose", failing="unknown")
    assert (code, "1 passed" in said) == (0, True), said


def test_without_being_asked_nothing_is_collected(tmp_path: Path) -> None:
    code, said = ran(tmp_path)
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED, said
