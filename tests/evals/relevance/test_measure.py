"""Counting what came of a suite, from a question to a table."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.wiring import Application
from config.settings import Settings
from evals.commands.calibrate import app as program
from evals.relevance import cases
from evals.relevance.cases import Case, Gold
from evals.relevance.collect import collect, keep_letters
from evals.relevance.measure import Scored, holds, list_missed, measure, write_table
from tests.demo import Demo

STRONG = "What is integral windup?"
WEAK = "Is ROS 2 better than ROS 1?"
PAGE = "demo/pid-control"
ANSWER = "Integral windup happens when the motor has reached its limit"


def scored(kind: str, wording: str | None, *, answered: bool, right: bool) -> Scored:
    case = Case.model_validate(
        {"id": "x", "question": "?", "kind": kind, "wording": wording, "half": "test"}
    )
    return Scored(case, answered, right, 0.5, right, 1.0)


def test_letters_compare_what_is_said_not_how() -> None:
    assert keep_letters("Ctrl+C, then “x 10²”!") == "ctrlcthenx10²"
    assert keep_letters("") == ""


def test_the_table_counts_right_and_wrong_apart_R_E2() -> None:
    """An answer without the gold is wrong; an answered near miss is wrong too."""
    lines = write_table(
        [
            scored("answerable", "plain", answered=True, right=True),
            scored("answerable", "plain", answered=True, right=False),
            scored("answerable", "plain", answered=False, right=False),
            scored("answerable", "everyday", answered=True, right=False),
            scored("answerable", "paraphrased", answered=True, right=True),
            scored("near_miss", None, answered=True, right=False),
            scored("off_corpus", None, answered=False, right=False),
        ]
    ).splitlines()
    assert lines[1].split()[-4:] == ["3", "2", "1", "1"]
    assert lines[2].split()[-4:] == ["1", "1", "0", "1"]
    assert lines[3].split()[-4:] == ["1", "1", "1", "0"]
    assert lines[4].split()[-4:] == ["1", "1", "0", "1"]
    assert lines[5].split()[-4:] == ["1", "0", "0", "0"]
    assert "1/3 = 0.333; wrong of plain + unanswerable: 2/5 = 0.400" in lines[6]


def test_gold_is_not_matched_across_quotations_R_E2() -> None:
    """Unless the alternative lists several places."""
    assert holds(["onetwo", "three"], [["two", "three"]])
    assert not holds(["onetwo", "three"], [["twothree"]])
    assert not holds([], [["one"]])
    assert not holds(["one"], [])


def test_aims_that_were_missed_are_named_R_E2() -> None:
    """One wrong of thirty and one near miss of ten are too many."""
    good = [scored("answerable", "plain", answered=True, right=True)] * 90
    near = [scored("near_miss", None, answered=False, right=False)] * 14
    assert list_missed([*good, *near]) == []
    bad = scored("near_miss", None, answered=True, right=False)
    assert list_missed([*good, *near, bad]) == []
    (only,) = list_missed([*good, *near[:9], bad])
    assert only.startswith("near misses answered: 1/10")
    assert len(list_missed([*near[:9], bad])) == 2
    assert list_missed([]) == []


def test_the_curve_is_over_what_was_said_R_E2() -> None:
    """All were answered at 0.5, so a higher bar leaves none."""
    right = scored("answerable", "plain", answered=True, right=True)
    lines = write_table([right]).splitlines()[-6:]
    assert [line.split()[0] for line in lines] == [
        "0.50",
        "0.60",
        "0.70",
        "0.75",
        "0.80",
        "0.90",
    ]
    assert lines[0].split()[1] == "1/1"
    assert lines[1].split()[1] == "0/1"


def test_an_empty_suite_is_no_division() -> None:
    assert write_table([]).count("none asked") >= 3


async def test_a_case_is_measured_and_asked_over_real_text_R_E1(demo: Demo) -> None:
    """The gold is read from the ledger; what is quoted is compared with it."""
    settings = Settings(data=demo.data)
    async with Application(settings, embedder=demo.embedder) as application:
        pack, ledger = application.pack("textbook"), application.ledger
        version = (await ledger.current_versions("textbook"))[PAGE]
        document = await ledger.document(PAGE, version, "textbook")
        assert document is not None
        start = document.text.index(ANSWER)
        gold = Gold(path=PAGE, version=version, start=start, end=start + len(ANSWER))
        cases = [
            Case(
                id="a",
                question=STRONG,
                kind="answerable",
                wording="plain",
                half="test",
                gold=((gold,),),
            ),
            Case(id="b", question=WEAK, kind="near_miss", wording=None, half="test"),
        ]
        right, refused = await measure(application, pack, cases)
        collected = await collect(application, pack, cases)
    assert right.answered and right.right and right.pointed
    assert not refused.answered
    assert collected[0].labels.any()
    assert not collected[1].labels.any()
    assert collected[0].features.shape[0] == len(collected[0].measured)


@pytest.fixture
def suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One suite of one question that the demo texts do not answer."""
    case = Case(id="a", question=WEAK, kind="near_miss", wording=None, half="test")
    (tmp_path / "textbook").mkdir()
    file = tmp_path / "textbook" / "development.jsonl"
    file.write_text(case.model_dump_json(), encoding="utf-8")
    monkeypatch.setattr(cases, "SUITES", tmp_path)


@pytest.mark.usefixtures("suites")
def test_a_suite_is_measured_and_its_table_printed_R_E1(demo: Demo) -> None:
    """Nothing is fitted, and the exit code says whether every aim was met."""
    arguments = ["measure", "--pack", "textbook", "--data", str(demo.data)]
    measured = CliRunner().invoke(program, arguments)
    assert measured.exit_code == 0, measured.output
    assert measured.stdout.startswith("textbook, development, half test\n")
    assert "0/1 = 0.000" in measured.stdout
