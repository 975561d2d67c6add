"""The verbs over stored runs: what they print, write and exit with."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.model.errors import UsageError
from evals import store
from evals.broken import JUNIT, PAGE, SUMMARY
from evals.commands import decide, release, report, why
from evals.compare import accepted
from evals.compare import runs as rows
from evals.compare.runs import Finished
from evals.compare.trend import TREND
from evals.compare.verdict import Check, Status, Verdict, Whole
from evals.forms import Result, Row, Score
from evals.score import catalogue
from tests.bot.command import Command
from tests.evals import samples
from tests.evals.first_lines import firsts

Run = Callable[..., str]
CLEAN = {"git": {"commit": "abc", "dirty": False}, "scoring": {"code": "1"}}


def judged(made: Finished, failing: tuple[str, str] | None = None) -> Finished:
    """A made-up run, scored by the metrics there are."""
    scores = {
        name: tuple(
            Score(
                case=name,
                repeat=0,
                metric=metric,
                result=Result.FAIL if (name, metric) == failing else Result.PASS,
                why="two readers disagree",
            )
            for metric in sorted(catalogue.NAMES)
        )
        for name in made.cases
    }
    return Finished(**{**vars(made), "scores": scores})


def store_rows(folder: Path, made: Finished) -> None:
    """Make a run the baseline of its pack."""
    rows.write(folder / "committed" / "made_up", made)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a red run, a green one and a baseline."""
    changed = (samples.refusal("dose"), *samples.ROWS[1:])
    red = judged(samples.run(rows=changed, **CLEAN), ("dose", "facts"))
    samples.kept(red, tmp_path / "red")
    samples.kept(judged(samples.run(**CLEAN)), tmp_path / "green")
    store_rows(tmp_path, judged(samples.run(**CLEAN)))
    return tmp_path


@pytest.fixture
def verb(folder: Path) -> Run:
    """Call a verb in the folder; what it printed, where it exited as expected."""

    def called(module: object, *arguments: str, code: int = 0) -> str:
        app = module.app  # type: ignore[attr-defined]
        committed = ["--baselines", str(folder / "committed")]
        told = [str(folder / a[1:]) if a.startswith("@") else a for a in arguments]
        result = CliRunner().invoke(app, [*told, *committed])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.stderr + result.stdout

    return called


RED = "Must not be released: red: hard failures facts failed."


def test_a_red_run_from_its_decision_to_its_report_R_P2(
    verb: Run, folder: Path
) -> None:
    said = verb(decide, "@red", code=1)
    assert said.splitlines()[-1] == RED
    assert "dose (evals/suites/made_up/basics.yaml:12)" in verb(why, "@red")
    said = verb(report, "@red", "--annotate", code=1)
    assert "::error file=evals/suites/made_up/basics.yaml,line=12" in said
    assert said.splitlines()[-1] == RED
    assert firsts(folder / "red") == {RED}
    names = {file.name for file in (folder / "red").iterdir()}
    assert {PAGE, SUMMARY, JUNIT, TREND, store.VERDICT} <= names


def test_a_green_run_exits_with_nothing_R_P2(verb: Run, folder: Path) -> None:
    said = verb(decide, "@green", code=0)
    assert said.splitlines()[-1].startswith("May be released: green: all ")
    first = (folder / "green" / store.VERDICT).read_bytes()
    verb(decide, "@green", code=0)
    assert (folder / "green" / store.VERDICT).read_bytes() == first


def test_answers_that_changed_want_the_baseline_renewed_R_E3(
    verb: Run, folder: Path
) -> None:
    """Though no metric objects: a footer that everybody sees is a change, too. The
    verdict names the command, and the renewed baseline is green."""
    said_more = [
        replace(row, served=f"{row.served}\n\nAsk again.") for row in samples.ROWS
    ]
    changed = judged(samples.run(rows=tuple(said_more), **CLEAN))
    samples.kept(changed, folder / "changed")
    said = verb(decide, "@changed", code=3)
    assert "3 cases came otherwise than the baseline holds (words 3)" in said
    assert "python -m evals oracle --pin" in said
    store_rows(folder, changed)
    verb(decide, "@changed", code=0)


def test_another_models_words_are_not_compared_R_E3(verb: Run, folder: Path) -> None:
    """What it says is judged by the metrics."""
    said = [replace(row, served=f"{row.served} So.") for row in samples.ROWS]
    made = judged(samples.run(rows=tuple(said), model="openai/test", **CLEAN))
    samples.kept(made, folder / "changed")
    verb(decide, "@changed", code=0)


def test_a_wrong_answer_without_an_owner_is_red_R_E3(verb: Run, folder: Path) -> None:
    """Though the baseline holds it; the file of accepted ones says whose it is."""
    wrong = judged(samples.run(**CLEAN), ("dose", "facts"))
    samples.kept(wrong, folder / "wrong")
    store_rows(folder, wrong)
    assert "without an owner: dose" in verb(decide, "@wrong", code=1)
    entry = "- {case: dose, owner: Team, until: %s, why: too old}\n"
    file = folder / "committed" / accepted.FILE
    file.write_text("made_up:\n" + entry % "2999-01-01")
    verb(decide, "@wrong", code=0)
    file.write_text("made_up:\n" + entry % "2026-01-01")
    assert "dose (Team, 2026-01-01)" in verb(decide, "@wrong", code=1)


def test_a_run_without_a_baseline_is_open_R_P2(verb: Run, folder: Path) -> None:
    (folder / "committed").rename(folder / "elsewhere")
    assert "There is no baseline" in verb(decide, "@green", code=3)


def test_a_run_that_is_not_there_is_a_usage_error_R_P2(verb: Run) -> None:
    with pytest.raises(UsageError, match=r"evals record"):
        verb(decide, "@nothing")


def test_one_case_is_explained_with_what_changed(verb: Run) -> None:
    verb(decide, "@red", code=1)
    said = verb(why, "@red", "dose")
    assert "refused (NO_RESULTS)" in verb(why, "@red")
    assert "facts: fail" in said
    assert "moved, outcome: answer → refusal" in said


PASSED = Verdict((Check(check="a", result=Status.PASS, why="."),))
FAILED = Verdict((Check(check="b", result=Status.FAIL, why="."),))
OPEN = Verdict((Check(check="c", result=Status.INCONCLUSIVE, why="."),))


@pytest.mark.parametrize(
    ("packs", "code", "said"),
    [
        ([PASSED, PASSED], 0, "May be released: all 2 packs passed every check."),
        ([PASSED], 0, "May be released: 0: all 1 checks passed."),
        ([PASSED, FAILED, OPEN], 1, "Must not be released: 1: b failed."),
        (
            [PASSED, OPEN],
            3,
            "Cannot be decided, so it must not be released: 1: c is open.",
        ),
        (
            [],
            3,
            "Cannot be decided, so it must not be released: no pack was asked.",
        ),
    ],
)
def test_the_worst_pack_decides_R_P2_R_E2(
    packs: list[Verdict], code: int, said: str
) -> None:
    """The exit code and the words are made of one object."""
    whole = Whole({str(at): verdict for at, verdict in enumerate(packs)})
    assert (whole.exit_code, whole.why) == (code, said)


def test_every_pack_is_released_and_none_is_no_release(tmp_path: Path) -> None:
    assert {"oncology", "textbook"} <= set(release.list_packs())
    with pytest.raises(UsageError, match="no pack"):
        release.list_packs(tmp_path)
    with pytest.raises(UsageError, match="no pack is called nope; there are code_"):
        release.choose_packs(["oncology", "nope"])


def test_a_run_is_accepted_as_the_help_says_R_E3(evals: Command) -> None:
    """The verb below the verb is one, and the run is looked into."""
    told = evals("baseline", "accept", "build/nothing", "--until", "2026-12-21")
    assert (told.code, told.out) == (2, "")
    assert "build/nothing holds no answers.jsonl" in told.err


def test_a_run_with_errors_accepts_nothing_R_E3(evals: Command, folder: Path) -> None:
    """What it could not ask is not mended, and its entries stay."""
    lost = (Row(case="dose", error="away"), *samples.ROWS[1:])
    samples.kept(judged(samples.run(rows=lost, **CLEAN)), folder / "lost")
    places = ("--until", "2026-12-21", "--baselines", folder / "committed")
    told = evals("baseline", "accept", folder / "lost", *places)
    assert told.code == 2
    assert "lost holds errors, in dose" in told.err
    assert not (folder / "committed" / accepted.FILE).exists()
