"""What identifies a person is masked before it is logged (R-S6)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.masking import PREVIEW, mask, preview
from tests.growth import linear

KEPT = ("born", "number", "date", "birth")  # words of ours around an identifier
DIGITS = st.text("0123456789", min_size=10, max_size=10)


@pytest.mark.parametrize(
    "secret",
    [
        "ann.o'brien+ward@mail.example.co.uk",
        "\uff21\uff2e\uff2e\uff20mail\uff0ecom",
        "ann\u200b@mail\u200d.com",
        "jürgen@krankenhaus-nürnberg.de",
        "+44 (0)20 7946 0958",
        "1-800-422-6237",
        "(555) 123-4567",
        "0911/123 45 67",
        "555\u2011123\u20114567",
        "MRN 00123456",
        "mrn: A-12345",
        "member id ABC-123456789",
        "policy no. 12-34-567",
        "insurance number is XK 99887766",
        "record #4711",
        "patient id 90210",
        "123-45-6789",
        "943 476 5919",
        "A123456789",
        "QQ 12 34 56 C",
        "1EG4-TE5-MK73",
        "<@U123ABC>",
        "<@!998877665544>",
        "<#C024BE91L>",
        "@maria_k",
        "Date of birth: 12 March 1956",
        "dob 3/4/56",
        "D.O.B. 1956-03-12",
        "born March 12, 1956",
        "born in 1956",
        "12.03.1956",
        "14-Mar-1971",
        "14/März/71",
        "1971-Mar-14",
        "14MAR1971",
        "born 14-Mar-1971",
        "U024BE7LH",
        "W012A3CDE",
        "T0123ABC",
        "C024BE91L",
        "UABCDEFG1H2",
        "398812345678901234",
        "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
        "xapp-1-A012-345-abcdef",
        "sk-proj-abc123def456ghi789",
        "sk-ant-api03-AbC_1-2",
        "DE89 3704 0044 0532 0130 00",
        "de89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "FR14 2004 1010 0505 0001 3M02 606",
        "KZ86 125K ZT50 0410 0100",
        "RO49 AAAA 1B31 0075 9384 0000",
        "NL91ABNA0417164300",
    ],
)
def test_identifiers_are_masked_R_S6(secret: str) -> None:
    """Nothing of them is left, wherever they stand."""
    for text in (secret, f"Hello, {secret}, and thanks.", f"x\n({secret})"):
        masked = mask(text)
        assert "[" in masked
        left = "".join(c for c in masked if c.isdigit())
        assert not left, masked
        assert "mail" not in masked.lower().replace("[e-mail]", "")
        assert "maria" not in masked
        said = ("hello", "and", "thanks", "x")
        words = re.sub(r"\[[\w -]+\]", " ", masked.lower())
        assert not [w for w in re.findall(r"\w{4,}", words) if w not in (*said, *KEPT)]


@pytest.mark.parametrize(
    "text",
    [
        "Is NCT04120701 a phase 3 trial?",
        "5-FU 400 mg/m2 every 2 to 4 weeks, 10.5 ng/mL",
        "platelets below 150000, 21.4% after 14 years",
        "Use ROS 2 Jazzy on Ubuntu 24.04 with 3 nodes",
        "call 911 or 988",
        "a group of 300 patients, stage 2, case 3",
        "Take CYP2C19 and CEACAM5, TMPRSS2 or COVID19 into account",
        "mg20 take with food, an8 hour day",
        "ask-the-doctor, risk-adapted or disk_image_file",
        "ros2 topic pub --once /cmd_vel geometry_msgs/msg/Twist",
    ],
)
def test_ordinary_figures_stay(text: str) -> None:
    assert mask(text) == text


def test_masked_first_then_cut_R_S6() -> None:
    """An identifier across the cut leaves no half behind."""
    text = "x" * (PREVIEW - 8) + " jo.doe@example.org is my address"
    assert preview(text) == ("x" * (PREVIEW - 8) + " [e-mail]")[:PREVIEW]
    assert len(preview("y" * 1_000)) == PREVIEW
    assert preview("abc", 2) == "ab"


@given(st.text())
def test_masking_never_raises_R_S6(text: str) -> None:
    assert isinstance(mask(text), str)


def test_half_surrogates_are_no_error_R_S6() -> None:
    assert mask("a \ud800 b") == "a ? b"


@given(DIGITS, st.sampled_from([" ", "-", ".", "/", ""]))
def test_no_ten_digits_get_through_R_S6(digits: str, separator: str) -> None:
    """However they are grouped."""
    number = separator.join([digits[:3], digits[3:6], digits[6:]])
    assert digits[-4:] not in mask(f"my number is {number} thanks")


@pytest.mark.parametrize(
    "unit", ["1", "a@", "a.", "born ", "1 ", "record ", "<@", "policy a", "@a ", "1-"]
)
def test_hostile_input_takes_linear_time_R_S6(unit: str) -> None:
    """Four times the text costs no more than about four times the time."""
    assert linear(lambda n: mask(unit * n), 100_000)
