"""Quotations: found in every form, anchored exactly, shown as whole sentences."""

import re

import pytest

from engine.records import Chunk, Quote
from engine.validate.material import folded_chunk
from engine.validate.quotes import Anchored, anchor, quotations, without_marks
from tests.engine.validate.drafts import GUIDE, chunks_of

FORMS = {
    'says "one two" here': ["one two"],
    "says \u201cone two\u201d here": ["one two"],
    "says \u201eone two\u201c here": ["one two"],
    "says \u201done two\u201d here": ["one two"],
    "says \u00abone two\u00bb and \u00bbthree\u00ab": ["one two", "three"],
    "says \u2039one\u203a and \u300ctwo\u300d": ["one", "two"],
    "says \u2018one two\u2019 here": ["one two"],
    "says 'one two' here": ["one two"],
    'says "one\ntwo" here': ["one\ntwo"],
    "says \u201cone \u201ctwo\u201d three\u201d": ["one \u201ctwo\u201d three"],
    "says \u201cone \u2018two\u2019 three\u201d": ["one \u2018two\u2019 three"],
    'says "one "two" three"': ["one ", " three"],
    "> one\n> two\nthree": ["one\ntwo\n"],
    ">> one": ["one"],
    'opens "and never closes': ["and never closes"],
    "the patient's diet isn't the patients' choice": [],
    '\'tis the "one" thing': ["one"],
    'a 5" screen and a 7" one': [],
    'a 5" screen shows "one"': ["one"],
}


@pytest.mark.parametrize("text", FORMS)
def test_every_form_of_quotation_is_found_R_V2(text: str) -> None:
    """Straight, curly, low, angle, corner, nested, over lines, block, unclosed."""
    found = [quotation.inner.rstrip("\n") for quotation in quotations(text)]
    assert found == [inner.rstrip("\n") for inner in FORMS[text]]


def test_marks_are_removed_and_apostrophes_stay() -> None:
    """Only double marks make a quotation by themselves."""
    assert without_marks("it\u2019s \u201cone\u201d") == "it\u2019s one"


@pytest.fixture(scope="module")
def guide() -> tuple[Chunk, ...]:
    return chunks_of(GUIDE)


def anchored(guide: tuple[Chunk, ...], text: str) -> Anchored | None:
    """The quotation in the first chunk that holds it."""
    for chunk in guide:
        found = anchor(text, chunk, folded_chunk(chunk))
        if found is not None:
            return found
    return None


@pytest.mark.parametrize(
    "text",
    [
        "Chemotherapy causes cancer cells to die.",
        "Chemotherapy causes cancer cells to die",
        "Chemotherapy  causes\u00a0cancer\ncells to die.",
        "Chemotherapy causes can\u00adcer cells to die.",
        "Chemotherapy causes **cancer cells** to `die`.",
        "Chemo-\ntherapy causes cancer cells to die.",
    ],
)
def test_presentation_makes_no_difference_R_I7(
    guide: tuple[Chunk, ...], text: str
) -> None:
    """What is shown is the source's own text at its own offsets."""
    found = anchored(guide, text)
    assert found is not None
    assert found.whole
    assert found.quote.text == "Chemotherapy causes cancer cells to die."


CODE = "Set good_habit, -5 and 5*3*2 in __init__.py before the start of the run."


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (CODE, True),
        (CODE.replace("good_habit", "`good_habit`").replace("Set", "**Set**"), True),
        (CODE.replace("good_habit", "goodhabit"), False),
        (CODE.replace("5*3*2", "532"), False),
        (CODE.replace("__init__", "init"), False),
    ],
)
def test_only_marks_around_words_are_taken_off_R_I7(text: str, same: bool) -> None:
    """Signs, options, products and snake case are the source's own."""
    page = chunks_of("# Code\n\n" + re.sub(r"([*_])", r"\\\1", CODE))
    found = anchored(page, text)
    assert (found is not None and found.quote.text == CODE) is same


@pytest.mark.parametrize(
    "text",
    [
        "Chemotherapy causes cancer cells to dye.",
        "chemotherapy causes cancer cells to die.",
        "Chemotherapy causes cancer cells to die!",
        "Chemotherapy causes canc\u0435r cells to die.",
        "Chemotherapy causes can\u200bcer cells to die.",
        "Chemotherapy causes cancer cel",
        "2.5 mg/m2",
        "5 mg/m\u00b2",
        "0123456",
        ".",
        "",
    ],
)
def test_anything_else_is_not_in_the_source_R_I7(
    guide: tuple[Chunk, ...], text: str
) -> None:
    """Case, digits, look-alike letters, invisible characters, parts of words."""
    assert anchored(guide, text) is None


def test_a_part_of_a_sentence_is_widened_to_the_whole_R_I7(
    guide: tuple[Chunk, ...],
) -> None:
    """The qualifier at the end cannot be cut off, nor the negation in front."""
    found = anchored(guide, "take tamoxifen during pregnancy")
    assert found is not None
    assert not found.whole
    assert found.quote.text == (
        "Do not take tamoxifen during pregnancy, because it may harm the baby."
    )


def test_a_list_item_brings_its_introduction_R_I7(guide: tuple[Chunk, ...]) -> None:
    """A medicine of a "do not take" list is not quoted as if it were advice."""
    found = anchored(guide, "warfarin")
    assert found is not None
    assert found.quote.text.startswith("Do not take tamoxifen together")
    assert found.quote.text.endswith("warfarin")


def quoted(chunk: Chunk, first: int, last: int) -> Quote:
    """Sentences of a chunk as they are shown."""
    start, end = chunk.sentences[first].start, chunk.sentences[last].end
    return Quote(
        text=chunk.text[start - chunk.start : end - chunk.start],
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=start,
        end=end,
    )


def test_an_introduction_quoted_right_before_is_not_repeated_R_A14(
    guide: tuple[Chunk, ...],
) -> None:
    """An item stands alone only where the list goes on from what is shown before it."""
    chunk = next(c for c in guide if "warfarin" in c.text)
    last = len(chunk.sentences) - 1
    lead, item = quoted(chunk, last - 2, last - 2), quoted(chunk, last - 1, last - 1)
    other = quoted(guide[0], 0, 1)
    for shown, alone in (
        ([quoted(chunk, last - 2, last - 1)], True),
        ([lead, item], True),
        ([lead], False),
        ([lead, item, other], False),
        ([lead.model_copy(update={"document": "other"}), item], False),
        ([item], False),
    ):
        found = anchor("warfarin", chunk, folded_chunk(chunk), shown)
        assert found is not None
        assert (found.quote.text == "warfarin") is alone


def test_an_item_whose_introduction_is_elsewhere_is_not_quoted_R_A14(
    guide: tuple[Chunk, ...],
) -> None:
    """Where the list was cut, the chunk does not hold what is said of its items."""
    chunk = next(c for c in guide if "warfarin" in c.text)
    last = chunk.sentences[-1]
    rest = chunk.model_copy(
        update={
            "sentences": (last,),
            "start": last.start,
            "text": chunk.text[last.start - chunk.start :],
        }
    )
    assert anchor("warfarin", chunk, folded_chunk(chunk)) is not None
    assert anchor("warfarin", rest, folded_chunk(rest)) is None


def test_several_sentences_and_items_are_one_quotation(
    guide: tuple[Chunk, ...],
) -> None:
    """A run of sentences keeps its line breaks."""
    found = anchored(guide, "Side effects include:\nnausea hair loss, which can be")
    assert found is not None
    assert "\n" in found.quote.text
    assert found.quote.text.endswith("hair loss, which can be complete")


def test_what_may_not_be_quoted_is_never_quoted(guide: tuple[Chunk, ...]) -> None:
    """A sentence too long to quote stays evidence only (INTERFACES, Quotability)."""
    chunk = guide[0]
    closed = chunk.model_copy(
        update={
            "sentences": tuple(
                s.model_copy(update={"quotable": False}) for s in chunk.sentences
            )
        }
    )
    text = "Tamoxifen is a hormone therapy for breast cancer."
    assert anchor(text, chunk, folded_chunk(chunk)) is not None
    assert anchor(text, closed, folded_chunk(closed)) is None
