"""What repeats, what disagrees, and what is only said of something else (R-R11)."""

import pytest

from engine.policy.disagreement import covers_figures, disagree

FEVER = "A temperature of 38.0 °C or higher counts as a fever."
HIGHER = "A temperature of 38.3 °C or higher counts as a fever."

DIFFERING = (
    (FEVER, HIGHER),
    ("Take 20 mg once a day.", "Take 8 mg once a day."),
    ("Take 20 mg once a day.", "Take 20 g once a day."),
    ("Take 20 to 40 mg a day with food.", "Take 20 to 60 mg a day with food."),
    ("Ginger may be taken with warfarin.", "Ginger may not be taken with warfarin."),
    (
        "ctDNA testing is not routinely recommended for surveillance.",
        "ctDNA testing is recommended for surveillance.",
    ),
    (
        "Treatment failed to improve survival in stage III cancer.",
        "Treatment improved survival in stage III cancer.",
    ),
    (
        "Wear gloves whether or not the skin is dry, for 48 hours after a dose.",
        "Wear gloves whether or not the skin is dry, for 72 hours after a dose.",
    ),
    ("The default depth is 10.", "The default depth is 5."),
    ("An HPV test is due every 5 to 10 years.", "An HPV test is due every 3 years."),
    (
        "Body fluids contain the drug for 48 hours after a dose.",
        "Body fluids contain the drug for 72 hours after a dose, so gloves are worn.",
    ),
)
ELSEWHERE = (
    ("Stage 2 cancer has spread nearby.", "Stage 3 cancer has spread nearby."),
    ("fever of 38 °C (100.4 °F) or higher", "fever of 100.5 °F (38 °C) or higher"),
    ("Adults take 20 mg of aspirin.", "Small children with fever never take 8 mg."),
    ("Rinse for 30 seconds after meals.", "Rinse after meals."),
    (
        "Median survival was 18.7 months with adjuvant chemotherapy, 6.7 without.",
        "Median survival was 18.7 months with adjuvant chemotherapy, 6.7 under watch.",
    ),
    (
        "Radiation is used to treat Hodgkin lymphoma.",
        "Radiation is used to treat non-Hodgkin lymphoma.",
    ),
    (
        "Avoid drinking a lot before bedtime.",
        "Don't drink or eat a lot before bedtime.",
    ),
    (
        "(5) The record must be received within the time limit of the Regulations.",
        "(4) The notice must be received within the time limit of the Regulations.",
    ),
    (
        "The trial asks whether durvalumab helps where ctDNA is found after surgery.",
        "The trial found that durvalumab does not help where ctDNA is found after "
        "surgery.",
    ),
    (
        "In 178 patients with stage II cancer who were not treated, ctDNA was found "
        "after surgery.",
        "In patients with stage II cancer, ctDNA was found after surgery.",
    ),
    (
        "In 168 patients with stage III cancer, a positive result after surgery went "
        "with a hazard ratio of 7.0, and after adjuvant chemotherapy of about 50.",
        "A positive result after adjuvant chemotherapy went with a hazard ratio of "
        "17.5.",
    ),
    (
        "The application for leave must be served and filed within 15 days after the "
        "applicant was notified of a decision made in Canada, and within 60 days for a "
        "decision made outside Canada.",
        "The application for leave must be filed and served within 30 days after the "
        "applicant was notified of the decision.",
    ),
    (FEVER, FEVER),
)
# Figures that measure nothing, or not the same (R-A16).
NOT_THE_SAME = (
    (
        "2. Raise Kp until the joint reacts quickly and just begins to overshoot.",
        "Start with Ki and Kd at zero and raise Kp until the joint just begins to "
        "overshoot.",
    ),
    ("2. Rinse the mouth with salt water.", "4. Rinse the mouth with salt water."),
    ("2) Rinse the mouth with salt water.", "b) Rinse the mouth with salt water."),
    ("Step 2: rinse the mouth with water.", "Step 4: rinse the mouth with water."),
    ("3.2 Keys are returned at the desk.", "4.1 Keys are returned at the desk."),
    ("12 Keys are returned at the desk.", "14 Keys are returned at the desk."),
    ("Keys are returned [3] at the desk.", "Keys are returned [12] at the desk."),
    (
        "Do this: 1. Rinse the mouth with water.",
        "Do this: 3. Rinse the mouth with water.",
    ),
    ("Table 3 shows the dose for adults.", "Table 5 shows the dose for adults."),
    ("Figure 2 lists the parts of the saw.", "Figure 7 lists the parts of the saw."),
    ("See section 4 for the fees of guests.", "See section 9 for the fees of guests."),
    (
        "This page was last updated on 3 March 2024.",
        "This page was last updated on 12 May 2023.",
    ),
    (
        "The price list was reviewed in March 2024.",
        "The price list was reviewed in May 2023.",
    ),
    (
        "The spring term starts at the school on 3 March.",
        "The autumn term starts at the school on 12 September.",
    ),
    ("The 2023 course on saws is full.", "The 2024 course on saws is full and closed."),
    (
        "Version 3.1 uses the port of the gateway.",
        "Version 3.10 uses the port of the gateway.",
    ),
    ("Ask for form 1295 at the desk.", "Ask for form 5708 at the desk."),
    ("The case number is 1234567 for keys.", "The case number is 7654321 for keys."),
    (
        "The course takes 3 hours and is free.",
        "The course takes 5 people and is free.",
    ),
    (
        "The laser cutter may be used by members for 30 hours a month.",
        "The CNC mill may be used by members for 5 hours a month.",
    ),
    (
        "Take 20 mg of the tablets once a day with food.",
        "Take 10 mg of the tablets once a day with food if the kidneys are weak.",
    ),
    (
        "One of the members locks the door at night.",
        "Two of the members lock the door at night.",
    ),
)
SAME_QUANTITY = (
    ("The membership costs $515 a year.", "The membership costs $575 a year."),
    ("The membership costs 515 euros.", "The membership costs 575 euros."),
    (
        "The deadline of the first lab is 3 March 2025.",
        "The deadline of the first lab is 5 April 2025.",
    ),
    ("The course takes 3 hours.", "The course takes 3 days."),
    ("1. Rinse the mouth for 30 seconds.", "2. Rinse the mouth for 60 seconds."),
    ("Of the members 12 percent came.", "Of the members 21 percent came."),
)


@pytest.mark.parametrize(("one", "other"), DIFFERING)
def test_another_figure_unit_or_not_is_a_disagreement_R_R11(
    one: str, other: str
) -> None:
    """In either order; and neither is a repetition of the other."""
    for first, second in ((one, other), (other, one)):
        assert disagree([first], [second])
        assert not covers_figures([first], [second])


@pytest.mark.parametrize(("one", "other"), ELSEWHERE)
def test_what_speaks_of_something_else_is_no_disagreement_R_R11(
    one: str, other: str
) -> None:
    """Another stage or disease, the same figure converted, fewer details."""
    assert not disagree([one], [other])
    assert not disagree([other], [one])


@pytest.mark.parametrize(("one", "other"), NOT_THE_SAME)
def test_figures_that_do_not_measure_the_same_are_no_disagreement_R_A16(
    one: str, other: str
) -> None:
    assert not disagree([one], [other])
    assert not disagree([other], [one])


@pytest.mark.parametrize(("one", "other"), SAME_QUANTITY)
def test_the_same_quantity_stated_differently_is_one_R_R11(
    one: str, other: str
) -> None:
    assert disagree([one], [other])
    assert disagree([other], [one])


def test_only_what_is_said_already_is_a_repetition_R_R11() -> None:
    """Fewer details are; a figure or a "not" that the other lacks is none."""
    assert covers_figures([FEVER, "Call the team."], [FEVER])
    assert covers_figures(["Rinse for 30 seconds."], ["Rinse."])
    assert not covers_figures(["Rinse."], ["Rinse for 30 seconds."])
    assert not covers_figures(["Stage 2 has spread."], ["Stage 3 has spread."])
    assert not covers_figures([FEVER], [FEVER, "Do not wait."])
