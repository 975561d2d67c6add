"""What the next question may lean on (R-U14)."""

from typing import Any

import pytest

from engine.conclude.fallback import refuse
from engine.conclude.settle import Progress, settle
from engine.model.codes import Reason
from engine.model.outcome import Outcome
from engine.parse.context import find_context, find_title, join_context, parts
from tests.engine.small_pack import intent, question, small_pack

PACK = small_pack()


def refused(
    reason: Reason = Reason.LOW_SCORE, text: str = "Why?", **read: Any
) -> Outcome:
    walk = Progress(
        question=question(text), intent=intent(text=text, **read), reason=reason
    )
    made = settle(walk, PACK)
    result = refuse(reason, PACK, walk.intent)
    return made.model_copy(update={"result": result})


@pytest.mark.parametrize(
    ("outcome", "leads"),
    [
        (refused(), True),
        (refused(kind="question"), True),
        (refused(Reason.OUT_OF_SCOPE), False),
        (refused(text="1", kind="bare"), False),
        (refused(text="write my lab report on topics", kind="do_work"), True),
        (refused(text="u r a star", kind="thanks"), False),
        (refused(text="I am scared", kind="fear"), False),
        (refused(text="he cannot breathe", kind="breathing", urgent=True), False),
        (refused(follow_up=True), False),
        (
            refused(Reason.INSUFFICIENT_FACTS, follow_up=True, missing_facts=("age",)),
            True,
        ),
    ],
)
def test_talk_notices_and_refused_follow_ups_lead_nowhere_R_U14(
    outcome: Outcome, *, leads: bool
) -> None:
    assert (find_context(outcome) is not None) is leads


def test_after_a_choice_both_are_led_to_R_U14() -> None:
    """What was chosen first: it is what is on the screen."""
    asked = question("182 Restoration", chosen_from="a", previous="May he\nwork?")
    outcome = refused().model_copy(update={"question": asked})
    told = find_context(outcome)
    assert told == join_context("182 Restoration", "May he\nwork?")
    assert parts(told) == ("182 Restoration", "May he\nwork?")
    assert parts("May he\nwork?") == ("May he\nwork?",)
    assert parts(None) == ()


def test_a_refusal_names_no_document_for_the_next_question_R_U14() -> None:
    assert find_title(refused()) == ""
