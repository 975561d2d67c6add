"""What of a PDF page a reader sees is its text."""

import pytest

from adapters.loaders import pdf
from adapters.loaders.limits import Limits
from adapters.loaders.pdf_seen import LEFT_OUT, RECOGNISED
from engine.model.document import Parsed
from engine.model.errors import DocumentError
from tests.adapters.loaders.pdfs import drawn_pdf_of

SEEN = "Take 5 mg a day."
SHOWN = f"BT /F 12 Tf 72 720 Td ({SEEN}) Tj ET"
DOSE = "(Take 500 mg.) Tj"
BOX = "60 640 400 40 re"  # around the text at 72 650


def parsed(*pages: str, **found: object) -> Parsed:
    return pdf.parse(drawn_pdf_of(*pages, **found), "a.pdf", Limits())


def text_of(content: str, **found: object) -> str:
    return parsed(f"{SHOWN}\n{content}", **found).text


def at(place: str = "72 650", show: str = DOSE, font: str = "/F 12 Tf") -> str:
    return f"BT {font} {place} Td {show} ET"


UNSEEN = {
    "render mode 3": f"BT 3 Tr /F 12 Tf 72 650 Td {DOSE} ET",
    "render mode 7": f"BT 7 Tr /F 12 Tf 72 650 Td {DOSE} ET",
    "white, gray": f"1 g {at()}",
    "white, rgb": f"1 1 1 rg {at()}",
    "nearly white": f".99 .98 .99 rg {at()}",
    "white, cmyk": f"0 0 0 0 k {at()}",
    "white, by space": f"/DeviceRGB cs 1 1 1 sc {at()}",
    "white, stroked": f"1 G BT 1 Tr /F 12 Tf 72 650 Td {DOSE} ET",
    "black on black": f"0 g {BOX} f {at()}",
    "red on red": f"1 0 0 rg {BOX} f {at()}",
    "white on a box that is white": f"0 g {BOX} f 1 g {BOX} f {at()}",
    "a tenth of a point": at(font="/F .1 Tf"),
    "one point": at(font="/F 1 Tf"),
    "small by a matrix": f"BT /F 12 Tf .01 0 0 .01 72 650 Tm {DOSE} ET",
    "small by the page": f"q .01 0 0 .01 72 650 cm {at('0 0')} Q",
    "left of the page": at("-500 650"),
    "right of the page": at("700 650"),
    "above the page": at("72 900"),
    "below the page": at("72 -50"),
    "beyond a clip": f"q 0 0 50 50 re W n {at()} Q",
    "in an empty clip": f"q 0 0 0 0 re W n {at()} Q",
    "transparent": f"/Clear gs {at()}",
    "in a layer that is off": f"/OC /Off BDC {at()} EMC",
    "within another layer": f"/OC /Off BDC /OC /On BDC {at()} EMC EMC",
    "covered in black": f"{at()} 0 g {BOX} f",
    "covered in white": f"{at()} 1 g {BOX} f",
    "covered by a path": f"{at()} 60 640 m 460 640 l 460 680 l 60 680 l h f",
    "covered by a picture": f"{at()} q 400 0 0 40 60 640 cm /Picture Do Q",
    "shown in an array": f"3 Tr {at(show='[(Take) -250 (500 mg.)] TJ')}",
    "shown by a quote": "3 Tr BT /F 12 Tf 14 TL 72 664 Td (Take 500 mg.) ' ET",
    "shown by two quotes": '3 Tr BT /F 12 Tf 14 TL 72 664 Td 0 0 (Take 500 mg.) " ET',
}


@pytest.mark.parametrize("content", UNSEEN.values(), ids=UNSEEN)
def test_letters_that_nobody_sees_are_no_text_R_A15(content: str) -> None:
    """On the page, and in a form that it draws."""
    assert text_of(f"q {content} Q") == SEEN
    assert text_of("/Form Do", form=content) == SEEN
    assert SEEN in text_of(f"q {content} Q {at('72 600', '(The end.) Tj')}")


SHOWING = {
    "gray": f".5 g {at()}",
    "white on a dark box": f".2 .2 .6 rg {BOX} f 1 g {at()}",
    "white on a dark path": f"0 g 60 640 m 460 640 l 460 680 l 60 680 l h f 1 g {at()}",
    "white on a round shape": f"0 g 60 640 m 60 700 460 700 460 640 c f 1 g {at()}",
    "white on a picture": f"q 400 0 0 40 60 640 cm /Picture Do Q 1 g {at()}",
    "white before, black now": f"1 g {BOX} f 0 g {at()}",
    "in a layer that is on": f"/OC /On BDC {at()} EMC",
    "behind a layer that is off": f"/OC /Off BDC EMC {at()}",
    "beside a box": f"{at()} 0 g 60 500 400 40 re f",
    "under a marker": f"{at()} /Multiply gs 1 1 0 rg {BOX} f",
    "under a mask": f"{at()} q 400 0 0 40 60 640 cm /Masked Do Q",
    "within a frame": f"{at()} {BOX} S",
    "under a box that is clipped away": f"{at()} q 0 0 9 9 re W n 0 g {BOX} f Q",
    "within a clip": f"q {BOX} W n {at()} Q",
    "underlined": f"{at()} 72 648 100 .6 re f",
    "in a mode that fills and draws": f"BT 2 Tr /F 12 Tf 72 650 Td {DOSE} ET",
    "after a state was put back": f"q 3 Tr 1 g Q {at()}",
    "with an unknown colour": f"/Pattern cs /P scn {at()}",
    "with broken operators": f"1 rg (x) Tf Q Q EMC re W n {at()}",
}


@pytest.mark.parametrize("content", SHOWING.values(), ids=SHOWING)
def test_letters_that_a_reader_sees_are_text_R_A15(content: str) -> None:
    assert "Take 500 mg." in text_of(f"q {content} Q")
    assert "Take 500 mg." in text_of("/Form Do", form=content)


def test_a_form_is_seen_or_not_where_it_is_drawn_R_A15() -> None:
    """One page may hide what another shows."""
    shown = f"{SHOWN} /Form Do"
    pages = (f"{SHOWN} q 3 Tr /Form Do Q", shown, f"{SHOWN} /Hidden Do", shown)
    text = parsed(*pages, form=f"BT /F 12 Tf 72 650 Td {DOSE} ET").text
    assert [page.count("500 mg") for page in text.split("\f")] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "content",
    [
        f"q 612 0 0 792 0 0 cm /Picture Do Q BT 3 Tr /F 12 Tf 72 650 Td {DOSE} ET",
        f"BT /F 12 Tf 72 650 Td {DOSE} ET q 612 0 0 792 0 0 cm /Picture Do Q",
    ],
)
def test_the_text_of_a_scan_is_what_was_recognised_R_A15(content: str) -> None:
    """It is all there is, and is told to be that."""
    found = parsed(content)
    assert found.text == "Take 500 mg."
    assert found.remarks == (RECOGNISED,)
    with pytest.raises(DocumentError, match="without a text layer"):
        parsed(f"BT 3 Tr /F 12 Tf 72 650 Td {DOSE} ET")


STRUCK = {
    "a line": "72 654 m 150 654 l S",
    "a thin box": "72 653.5 80 .8 re f",
    "a line of another colour": "1 0 0 RG 72 654 m 150 654 l S",
}


@pytest.mark.parametrize("line", STRUCK.values(), ids=STRUCK)
def test_what_a_line_strikes_out_is_left_out_R_A15(line: str) -> None:
    """And told; what is shown apart from it stays."""
    found = parsed(f"{SHOWN} {at()} {line} {at('72 630', '(Take 5 mg.) Tj')}")
    assert "500" not in found.text
    assert "Take 5 mg." in found.text
    assert found.remarks == (LEFT_OUT,)


def test_what_a_reader_of_the_file_struck_out_is_left_out_R_A15() -> None:
    found = parsed(f"{SHOWN} {at()}", struck=[(70, 648, 160, 662)])
    assert (found.text, found.remarks) == (SEEN, (LEFT_OUT,))
    kept = parsed(f"{SHOWN} {at()}", struck=[(70, 500, 160, 514)])
    assert "500 mg" in kept.text and not kept.remarks


def test_lines_of_a_table_strike_nothing_out_R_A15() -> None:
    rows = ""
    for number in range(4):
        text = at(f"72 {650 - 20 * number}", f"(Row {number}) Tj")
        below = 646 - 20 * number
        rows += f"{text} 60 {below} m 400 {below} l S "
    found = parsed(f"{SHOWN} {rows}")
    assert all(f"Row {n}" in found.text for n in range(4)) and not found.remarks
