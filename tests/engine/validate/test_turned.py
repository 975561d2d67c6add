"""Forms that turn what a sentence says: roles, lists, words of grammar (R-V3, R-V4)."""

import pytest

from tests.engine.validate.test_left_out import supported

ATTACKS = [
    ("The drug is given for 2 weeks.", "The drug is given in 2 weeks."),
    ("The drug is given for the first week.", "The drug is given in the first week."),
    ("The dose is reduced to 5 mg.", "The dose is reduced in 5 mg."),
    ("The cancer has spread to the liver.", "The cancer has spread in the liver."),
    ("The server sends data to the client.", "The server sends data of the client."),
    ("Nausea that lasts is dangerous.", "Nausea lasts, that is dangerous."),
    ("People who smoke should stop.", "People smoke, who should stop."),
    ("Cells that divide die.", "Cells divide, die."),
    ("Ask your doctor about the drug.", "Your doctor asks about the drug."),
    (
        "The nurse was asked by the doctor to stop the drug.",
        "The doctor was asked by the nurse to stop the drug.",
    ),
    (
        "The drug that lowers fever raises the pulse.",
        "The drug raises the pulse that lowers fever.",
    ),
    ("Infection causes fever.", "Fever causes infection."),
    (
        "The drug blocks estrogen made in the breast.",
        "In the breast, the drug blocks estrogen made.",
    ),
    (
        "The doctor knows when the drug should be stopped.",
        "When the doctor knows, the drug should be stopped.",
    ),
    (
        "The node waits for messages sent before the start.",
        "Before the start, the node waits for messages sent.",
    ),
    (
        "If the fever stays, and the rash spreads, call a doctor.",
        "If the rash spreads, call a doctor.",
    ),
    (
        "Tell the nurse if you bleed and call the doctor.",
        "Tell the nurse and call the doctor if you bleed.",
    ),
    (
        "Eat small meals because nausea is common, and drink water.",
        "Eat small meals, and drink water because nausea is common.",
    ),
    (
        "Radiation kills cells and chemotherapy kills nerves.",
        "Chemotherapy kills cells and radiation kills nerves.",
    ),
    ("Drug A is stronger than drug B.", "Drug B is stronger than drug A."),
    ("Drug A is as strong as drug B, but it is cheaper.", "Drug B is cheaper."),
    (
        "Some cancers are the result of smoking.",
        "The result of smoking is some cancers.",
    ),
    ("Not all tumors are cancer.", "All tumors are not cancer."),
    ("The drug does not always work.", "The drug always does not work."),
    ("Only adults may take the drug.", "Adults may take only the drug."),
    (
        "Adults may only take the drug at night.",
        "Only adults may take the drug at night.",
    ),
    ("The drug was approved.", "The drug is to be approved."),
    ("Rest helps. Walking harms.", "Rest harms."),
    (
        "Rest helps patients. Walking harms patients.",
        "Rest helps patients and harms patients.",
    ),
    ("The list shows: nausea; not fever.", "The list shows fever; not nausea."),
    ("It is safe.", "You are safe."),
    ("The drug is safe. It is not cheap.", "The drug is not cheap."),
    ("Men need 5 mg and women need 10 mg.", "Women need 5 mg and men need 10 mg."),
    ("Men need 5 mg and women 10 mg.", "Men need 10 mg and women 5 mg."),
    ("Men and women need 5 mg and 10 mg.", "Women and men need 5 mg and 10 mg."),
    ("First take A, then B.", "First take B, then A."),
    ("Take A before B.", "Before A, take B."),
    ("Because A fell, B rose.", "Because B rose, A fell."),
    ("A fell so that B rose.", "B fell so that A rose."),
    ("A fell while B rose.", "B fell while A rose."),
    ("Although A fell, B rose.", "B rose, so A fell."),
    ("A fell although B rose.", "A fell because B rose."),
    ("A fell and B rose.", "A fell, so B rose."),
    ("A fell, B rose.", "A fell because B rose."),
    ("The cells die.\n\nThe cells of the skin grow.", "The cells of the skin die."),
    (
        "Side effects include:\n\n- nausea\n- rash in children\n",
        "Side effects include rash.",
    ),
    (
        "Side effects include:\n\n- nausea\n- rash, in children\n",
        "Side effects include rash.",
    ),
    (
        "Side effects include:\n\n- nausea\n- rash (in children)\n",
        "Side effects include rash.",
    ),
    (
        "Side effects include:\n\n- nausea\n- rash, rarely\n",
        "Side effects include rash.",
    ),
    (
        "Side effects include:\n\n- nausea\n- rash, once the dose is doubled\n",
        "Side effects include rash.",
    ),
    (
        "Side effects include:\n\n- nausea\n- rash, provided that the dose is high\n",
        "Side effects include rash.",
    ),
    ("Side effects may include:\n\n- nausea\n- rash\n", "Side effects include rash."),
    (
        "Common side effects are:\n\n- nausea\n- rash\n",
        "Rash is one of the side effects.",
    ),
    ("Do not eat:\n\n- fish\n- meat\n", "Eat fish."),
    ("Do not eat all of these together:\n\n- fish\n- meat\n", "Do not eat fish."),
    ("One of these helps:\n\n- fish\n- meat\n", "Fish helps."),
    (
        "Side effects in children are:\n\n- nausea\n- rash\n",
        "Side effects are nausea and rash.",
    ),
    (
        "If you have one of these signs, call:\n\n- fever\n- rash\n",
        "If you have rash, call.",
    ),
    ("Take these only together:\n\n- fish\n- meat\n", "Take fish."),
    (
        "Call when all of these occur:\n\n- fever\n- rash\n",
        "Call when all of these occur: fever.",
    ),
    ("You need both:\n\n- fish\n- meat\n", "You need both fish."),
    (
        "All of these must be true:\n\n- fever stays\n- rash spreads\n",
        "All of these must be true: fever stays.",
    ),
    ("The order is:\n\n1. stop\n2. call\n", "The order is: call, stop."),
    (
        "Side effects are:\n\n- nausea of the first days\n- dry mouth\n",
        "Side effects are nausea.",
    ),
    (
        "Side effects are:\n\n- severe heart failure\n- dry mouth\n",
        "Side effects are heart failure.",
    ),
    (
        "The drugs are:\n\n- aspirin\n- warfarin\n\nThe foods are:\n\n- fish\n",
        "The drugs are fish.",
    ),
    ("Fever is caused by infection.", "Infection is caused by fever."),
]
HONEST = [
    ("The drug is given for 2 weeks.", "The drug is given for two weeks."),
    ("Drugs that are given early help.", "Drugs given early help."),
    (
        "You need both:\n\n- fish\n- meat\n",
        "You need both fish and meat.",
    ),
    (
        "Side effects include:\n\n- nausea\n- poor sleep, often because of worry\n",
        "Side effects include poor sleep.",
    ),
]


@pytest.mark.parametrize(("source", "text"), ATTACKS)
def test_what_turns_a_sentence_is_not_supported_R_V3_R_V4(
    source: str, text: str
) -> None:
    """Who does what, for how long, which items of a list, in which order."""
    assert not supported(source, text)


@pytest.mark.parametrize(("source", "text"), HONEST)
def test_what_only_says_it_shorter_is_supported_R_V4(source: str, text: str) -> None:
    """Words of grammar left out, all items of a list, an item without its reason."""
    assert supported(source, text)
