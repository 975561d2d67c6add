"""A clause that is said alone loses nothing that it may depend on (R-V4)."""

import pytest

from tests.engine.validate.test_left_out import supported

ATTACKS = [
    (
        "If fever occurs, call the nurse and the nurse gives a drug.",
        "The nurse gives a drug.",
    ),
    (
        "When the fever is high, the nurse calls, and the doctor comes.",
        "The doctor comes.",
    ),
    (
        "The nurse calls, and the doctor comes when the fever is high.",
        "The nurse calls, and the doctor comes.",
    ),
    ("In a trial, drug A lowers fever, and drug B raises it.", "Drug B raises it."),
    ("In mice the drug works, and the dose is low.", "The dose is low."),
    (
        "Either the pump is on, or the light is red, and the alarm sounds.",
        "The alarm sounds.",
    ),
    (
        "The drug neither lowers fever nor treats pain and the drug is cheap.",
        "The drug is cheap.",
    ),
    ("The pump stops and sends an alarm unless it is muted.", "The pump stops."),
    ("The node fails and sends an alarm.", "The node sends an alarm."),
    ("The node never stops and sends data.", "The node sends data."),
    ("Some nodes read data and write logs.", "Nodes read data."),
    ("The tests that the team runs and writes down matter.", "The team runs."),
    (
        "The drug, which lowers fever, and warfarin is dangerous.",
        "Warfarin is dangerous.",
    ),
    ("Mixing aspirin and warfarin is dangerous.", "Warfarin is dangerous."),
    (
        "Mixing aspirin, and taking warfarin is dangerous.",
        "Taking warfarin is dangerous.",
    ),
    ("The risk of stroke, and death is low.", "Death is low."),
    ("Drug A and drug B is safe.", "Drug B is safe."),
    ("Taking A before B, and C is safe.", "C is safe."),
    (
        "Without surgery, the tumor grows, and the pain is severe.",
        "The pain is severe.",
    ),
    (
        "The doctor asks whether the pain is mild, and the nurse writes it.",
        "The pain is mild.",
    ),
    ("The drug is given so that pain falls, and sleep is better.", "Sleep is better."),
    ("Unless treated, A grows; B is severe.", "B is severe."),
    ("Untreated, the tumor grows, and the pain is severe.", "The pain is severe."),
    ("Suppose a robot falls; the robot is damaged.", "The robot is damaged."),
    ("Imagine a robot that falls, and the robot is damaged.", "The robot is damaged."),
    ("Let us say the robot falls, and the robot is damaged.", "The robot is damaged."),
    (
        "Assuming no friction, the robot slides, and the speed is constant.",
        "The speed is constant.",
    ),
    (
        "Given no friction, the speed is constant, and the force is zero.",
        "The force is zero.",
    ),
    (
        "Once the robot is off, the arm falls, and the brake is needed.",
        "The brake is needed.",
    ),
    (
        "As long as the robot is on, the arm moves, and the brake is open.",
        "The brake is open.",
    ),
    (
        "The old rule was that aspirin is safe, and warfarin is safe.",
        "Warfarin is safe.",
    ),
    (
        "Women who had a mastectomy before menopause need scans.",
        "Before menopause, women who had a mastectomy need scans.",
    ),
    (
        "The robot that walks in the lab carries a camera.",
        "In the lab, the robot that walks carries a camera.",
    ),
    (
        "Do not stop the drug because of nausea.",
        "Because of nausea, do not stop the drug.",
    ),
    (
        "These drugs should not be combined:\n\n- aspirin\n- warfarin\n",
        "Aspirin should be combined.",
    ),
    (
        "These drugs should not be combined:\n\n- aspirin tablets\n- warfarin "
        "tablets\n",
        "Aspirin tablets should not be combined.",
    ),
    (
        "One of these drugs should be taken:\n\n- aspirin tablets\n- warfarin "
        "tablets\n",
        "Aspirin tablets should be taken.",
    ),
    (
        "Some of these signs should be reported in children:\n\n- high "
        "fever\n- bad rash\n",
        "High fever should be reported.",
    ),
    (
        "Few of these signs must be treated:\n\n- high fever\n- bad rash\n",
        "High fever must be treated.",
    ),
    (
        "Signs that should not be ignored are:\n\n- high fever\n- bad rash\n",
        "High fever is one of the signs that should be ignored.",
    ),
    (
        "Rare side effects include:\n\n- high fever\n- bad rash\n",
        "Side effects include high fever.",
    ),
    (
        "Side effects with drug A include:\n\n- high fever\n- bad rash\n",
        "Side effects with drug B include high fever.",
    ),
]


@pytest.mark.parametrize(("source", "text"), ATTACKS)
def test_a_clause_that_may_depend_on_another_is_not_said_alone_R_V4(
    source: str, text: str
) -> None:
    """Fronted conditions, shared subjects and ends, collective and counted items."""
    assert not supported(source, text)
