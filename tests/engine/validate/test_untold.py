"""What a source only asks, reports, denies or says of a list is no support (R-V4)."""

import pytest

from tests.engine.validate.test_left_out import supported

ATTACKS = [
    (
        "These statements are wrong:\n\n- Sugar feeds every cancer.\n- Aspirin "
        "cures all cancer.\n",
        "Aspirin cures all cancer.",
    ),
    (
        "Do not do this:\n\n- Take aspirin before surgery.\n- Drink alcohol "
        "after surgery.\n",
        "Take aspirin before surgery.",
    ),
    (
        "Never:\n\n- take aspirin before the surgery\n- drink alcohol after "
        "the surgery\n",
        "Take aspirin before the surgery.",
    ),
    (
        "# Myths about cancer\n\n- Aspirin cures all cancer.\n- Sugar feeds "
        "every cancer.\n",
        "Aspirin cures all cancer.",
    ),
    (
        "# Myths about cancer\n\nAspirin cures all cancer. This is wrong.\n",
        "Aspirin cures all cancer.",
    ),
    ("# Myth: aspirin cures all cancer\n\nIt does not.\n", "Aspirin cures all cancer."),
    ("## Does aspirin cure cancer?\n\nNo.\n", "Aspirin cures cancer."),
    (
        "Aspirin cures all cancer. That is what some people say.",
        "Aspirin cures all cancer.",
    ),
    (
        "If you are pregnant:\n\n- Stop taking the tablets at once.\n- Call "
        "the clinic on the same day.\n",
        "Stop taking the tablets at once.",
    ),
    (
        "Side effects of the old drug were:\n\n- nausea lasting some days\n- "
        "dry mouth\n",
        "Nausea lasting some days.",
    ),
    (
        "People who think that aspirin cures cancer are mistaken.",
        "Aspirin cures cancer.",
    ),
    ("Does aspirin cure cancer?", "Aspirin cures cancer."),
    ("Aspirin cures cancer?", "Aspirin cures cancer."),
    ("Could aspirin cure cancer? Tests show no effect.", "Aspirin could cure cancer."),
    ("Tell the nurse that aspirin helps.", "Aspirin helps."),
    ("If aspirin helps, continue.", "Aspirin helps, continue."),
    ("Suppose aspirin cures cancer.", "Aspirin cures cancer."),
    ('"Aspirin cures all cancer." So said a healer.', "Aspirin cures all cancer."),
    ('A healer said: "Aspirin cures all cancer."', "Aspirin cures all cancer."),
    ("True or false: aspirin cures all cancer.", "Aspirin cures all cancer."),
    (
        "| Claim | Truth |\n|---|---|\n| Aspirin cures all cancer | false |\n",
        "Aspirin cures all cancer.",
    ),
    (
        "Never do this:\n\n- Take these drugs:\n\n  - aspirin with beer\n  - "
        "warfarin\n",
        "Take these drugs: aspirin with beer.",
    ),
    (
        "These doses are for children:\n\n- The dose of aspirin is 5 mg a day.\n",
        "The dose of aspirin is 5 mg a day.",
    ),
    ("The drug treats pain and lowers fever in adults.", "The drug treats pain."),
    ("The drug treats pain and lowers fever if taken early.", "The drug treats pain."),
    ("The drug treats no pain and lowers fever.", "The drug treats no pain."),
    (
        "The healers believe the drug treats pain and lowers fever.",
        "The healers believe the drug treats pain.",
    ),
    (
        "The drug needs one of these aids:\n\n- fresh water\n- solid food\n",
        "The drug needs fresh water.",
    ),
    ("Eat none of these foods:\n\n- raw fish\n- raw meat\n", "Eat raw fish."),
    (
        "# Aspirin\n\nAspirin thins the blood.",
        "According to the page on taking warfarin, aspirin thins the blood.",
    ),
]
HONEST = [
    (
        "A useful bag contains these topics:\n\n- The scans, for example of "
        "walls.\n- The commands.\n",
        "A useful bag contains the scans and the commands.",
    ),
    ("The drug treats pain and lowers fever.", "The drug treats pain."),
    (
        "# Taking aspirin\n\nAspirin thins the blood.",
        "According to the page on taking aspirin, aspirin thins the blood.",
    ),
    (
        "The following terms are used:\n\n- The policy chooses an action.\n",
        "The policy chooses an action.",
    ),
]


@pytest.mark.parametrize(("source", "text"), ATTACKS)
def test_what_the_source_does_not_stand_by_is_no_support_R_V4(
    source: str, text: str
) -> None:
    """Questions, quotations, myths, what is taken back, items without their lead-in."""
    assert not supported(source, text)


@pytest.mark.parametrize(("source", "text"), HONEST)
def test_what_the_source_says_in_a_list_may_be_said_R_V4(
    source: str, text: str
) -> None:
    """Items without examples, an item that is a sentence, half of what is said."""
    assert supported(source, text)
