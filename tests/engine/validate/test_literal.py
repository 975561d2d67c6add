"""What a claim writes otherwise than its source: signs, code, figures (R-V3, R-V8)."""

import pytest

from engine.validate.literal import differs
from engine.validate.material import Material
from tests.engine.validate.drafts import checked, chunks_of, claim, room, shown

PAGE = """# Robots and tablets

The dose of tamoxifen is 20 mg a day for 7 to 14 days, and it is safe.
The team should be called about fever. No diet has been shown to cure cancer.
A cell that is too old is replaced. Transforms that never change are sent once.
Run `gz sim -r my_world.sdf` and publish on `/turtle1/cmd_vel` with the type 'ball'.
It is taken for at least 5 years after surgery. It counts 1 in 8 women.
"""


@pytest.fixture
def page() -> Material:
    """One page as evidence."""
    return room(chunks_of(PAGE))


HONEST = [
    "The dose of tamoxifen is 20 mg a day for 7 to 14 days, and it is safe.",
    "The dose of tamoxifen is 20 mg a day for 7\u201314 days, and it is safe!",
    "The team should be called about fever.",
    "No diet has been shown to cure cancer.",
    "Run gz sim -r my_world.sdf and publish on /turtle1/cmd_vel with the type ball.",
    "A cell that is too old is replaced.",
    "Transforms that never change are sent once.",
]
FALSE = [
    # letters that are signs
    "The dose of tamoxifen is \u24dd\u24de\u24e3 20 mg a day for 7 to 14 days, and it "
    "is safe.",
    "The dose of tamoxifen is 20 mg a day for 7 to 14 days, and it is \U0001f1f3 "
    "\U0001f1f4 \U0001f1f9 safe.",
    "The dose of tamoxifen is \u281d\u2815\u281e 20 mg a day for 7 to 14 days, and it "
    "is safe.",
    "\u274c The team should be called about fever. \U0001f6ab",
    "The team should be called about f\u20e0ever.",
    "The dose of tamoxifen is 20\u2020 mg a day for 7 to 14 days, and it is safe.",
    # figures and units
    "The dose of tamoxifen is 20 Mg a day for 7 to 14 days, and it is safe.",
    "The dose of tamoxifen is 20 mg a day for 7 of 14 days, and it is safe.",
    "The dose of tamoxifen is 20 mg a day for 7/14 days, and it is safe.",
    # words that tokens leave out
    "The team should call about fever.",
    "No, diet has been shown to cure cancer.",
    "No diet has shown to cure cancer.",
    "A cell that is old is replaced.",
    "Transforms never change are sent once.",
    "The team should be called about fever?!",
    # code
    "Run gz sim -R my_world.sdf and publish on /turtle1/cmd_vel with the type ball.",
    "Run gz sim -r MY_WORLD.sdf and publish on /turtle1/cmd_vel with the type ball.",
    "Run gz sim r my_world.sdf and publish on /turtle1/cmd_vel with the type ball.",
    "Run gz sim -r my/world.sdf and publish on /turtle1/cmd_vel with the type ball.",
    "Run gz sim -r my_world.sdf and publish on turtle1/cmd_vel with the type ball.",
    "Run gz sim -r my_world.sdf and publish on /turtle1/cmd/vel with the type ball.",
]


@pytest.mark.parametrize("text", HONEST)
def test_what_is_written_as_the_source_writes_it_stays_R_V4(
    page: Material, text: str
) -> None:
    """Quotation marks may go, a range may be written with a dash."""
    assert shown(checked(page, claim(text, 1))) == [text]


@pytest.mark.parametrize("text", FALSE)
def test_what_a_reader_sees_and_tokens_leave_out_R_V3_R_V8(
    page: Material, text: str
) -> None:
    """It never stands as it was written."""
    said = " ".join(shown(checked(page, claim(text, 1))))
    assert text not in said


@pytest.mark.parametrize("frame", ["NCI", "the second page", "the other guideline"])
def test_a_frame_names_the_source_that_supports_R_V4(frame: str) -> None:
    """Two are cited, and one of them says it: the other one's name is no opening."""
    one = chunks_of(PAGE, "one", publisher="NCI")
    two = chunks_of("# Doses\n\nThe dose is 5 mg a day.\n", "two", publisher="WHO")
    text = f"According to {frame}, the dose is 5 mg a day."
    place = room((one[0], two[0]))
    assert text not in shown(checked(place, claim(text, 1, 2)))
    honest = text.replace(frame, "WHO")
    assert shown(checked(place, claim(honest, 1, 2))) == [honest]


def test_the_reason_names_what_differs() -> None:
    """For feedback to the model, and for "why"."""
    source = "Run gz sim -r now."
    assert differs("Run gz sim -r now.", source, "") == ""
    assert "'-R'" in differs("Run gz sim -R now.", source, "")
    three = "It takes 5 to 7 of 14 days."
    assert differs(three, three, "") == ""
    assert "'of'" in differs(three, "It takes 5 to 7 to 14 days.", "")
