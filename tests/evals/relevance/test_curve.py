"""The curve of thresholds: what it counts, and that a higher one answers no more."""

import pytest

from bot.wiring import Application
from evals.commands.curve import BASELINES
from evals.relevance.curve import THRESHOLDS, Asked, Curve, curve, of_lines, table
from evals.relevance.own import Line
from evals.relevance.recorded import recorded
from tests.demo import Demo

WINDUP = "integralwinduphappenswhenthemotorhasreacheditslimit"


def test_lines_without_their_page_are_left_out_R_E2() -> None:
    """What nothing answers stays in; a quote has to stand in a text that is there."""
    lines = (
        Line(question="a?", page="a.md", quote="Thirty days."),
        Line(question="b?", page="b.md", quote="Ten days."),
        Line(question="c?"),
    )
    asked = of_lines(lines, ["Leave: thirty days. More."])
    assert asked == (Asked("a?", (("thirtydays",),)), Asked("c?"))


def test_a_table_has_a_line_for_each_threshold_R_E2() -> None:
    some, none = (2, 2, 2, 1, 1, 0), (0,) * 6
    made = Curve(4, 3, some, none, (1, 0, 0, 0, 0, 0))
    lines = table(made + made).splitlines()
    assert len(lines) == 1 + len(THRESHOLDS)
    assert lines[1].split() == [
        "0.3",
        "4/8",
        "=",
        "0.50",
        "0/8",
        "=",
        "0.00",
        "2/6",
        "=",
        "0.33",
    ]


@pytest.mark.parametrize("pack", ["oncology", "textbook", "mrd", "immigration"])
def test_the_accepted_runs_have_a_curve_R_G1(pack: str) -> None:
    """It falls with the threshold, and counts nobody twice."""
    found = recorded(BASELINES / pack)
    assert found.answerable >= 30
    assert found.unanswerable >= 30
    for counts in (found.right, found.wrong, found.misled):
        assert list(counts) == sorted(counts, reverse=True)
    assert found.right[0] + found.wrong[0] <= found.answerable


async def test_a_higher_threshold_answers_no_more_R_E2_R_G1(demo: Demo) -> None:
    """Right, of another fact, and of nothing are told apart."""
    asked = (
        Asked("What is integral windup?", ((WINDUP,),)),
        Asked("What is integral windup?", (("nowhere",),)),
        Asked("Is ROS 2 better than ROS 1?"),
    )
    async with Application(demo.settings, embedder=demo.embedder) as application:
        found = await curve(application, application.pack("textbook"), asked)
    assert (found.answerable, found.unanswerable) == (2, 1)
    assert found.right[0] == found.wrong[0] == 1
    for counts in (found.right, found.wrong, found.misled):
        assert list(counts) == sorted(counts, reverse=True)
