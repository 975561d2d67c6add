"""Where a long reply is split, and what gives way when it is longer still."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.reply import Heading, Paragraph, Reply
from adapters.slack.writer import PAGES, WORDS, split_words
from adapters.slack.writer import SLACK as post
from tests.adapters.slack import seen
from tests.adapters.slack.replies import (
    asked,
    long_answer,
    quotation,
    refusal,
    reply,
    source,
)


def quoting(count: int, length: int = 150, sources: int = 3) -> Reply:
    """An answer of so many long quotations, each introduced, and a list of gaps."""
    text = "Rinse with salt water. " * length
    body = [Heading(text="What helps")]
    for number in range(count):
        body.append(Paragraph(text=f"Document {number} says:"))
        body.append(quotation(f"<{number}> {text}", 1))
    gap = Paragraph(text="Not found in the sources: how often")
    listed = tuple(source(n) for n in range(1, sources + 1))
    return reply(*body, gap, sources=listed)


def shown(made: Reply) -> str:
    """All messages of an answer as one text."""
    return "\n".join(seen.lines(post.answer(made, asked())))


def test_a_long_answer_comes_in_several_messages_R_C4() -> None:
    """Nothing is lost, each quotation is whole, the buttons are on the last one."""
    made = long_answer()
    parts = post.answer(made, asked())
    assert len(parts) == PAGES
    texts = [seen.message(part) for part in parts]
    for block in made.body:
        text = block.pieces[0].text if block.kind == "quotation" else block.text
        assert sum(text in message for message in texts) == 1
    assert all("Reference" not in text for text in texts[:-1])
    assert "Reference a-1" in texts[-1]


def test_what_introduces_a_quotation_stays_with_it_R_C4() -> None:
    """No message ends on a heading or on "… says:"."""
    for part in post.answer(long_answer(), asked())[:-1]:
        assert not seen.lines([part])[-1].endswith(":")


def test_first_the_gaps_and_introductions_give_way_R_C3() -> None:
    """While they make room, every quotation and every source stays."""
    gave_way = []
    for count in range(20, 60):
        text = shown(quoting(count, length=30))
        if "Left out for length" in text:
            break
        assert text.count("Rinse with salt water.") == count * 30
        assert "[3] Mouth care 3 (A Hospital)" in text
        gave_way.append(("Not found" not in text, count - text.count(" says:")))
    assert gave_way == sorted(gave_way)
    assert gave_way[0] == (False, 0)
    gaps_gone, introductions_gone = gave_way[-1]
    assert gaps_gone
    assert introductions_gone > 3


@pytest.mark.parametrize("count", [12, 40, 400])
def test_then_whole_later_quotations_give_way_R_C3(count: int) -> None:
    """From the last one on; they are counted, and no source is lost."""
    text = shown(quoting(count))
    kept = [n for n in range(count) if f"<{n}> " in text]
    assert 0 < len(kept) < count
    assert kept == list(range(len(kept)))
    assert text.count("Rinse with salt water.") == len(kept) * 150
    assert f"Left out for length: {count - len(kept)} more passages." in text
    assert "says:" not in text
    assert "Not found" not in text
    assert all(f"[{n}] Mouth care {n} (A Hospital)" in text for n in (1, 2, 3))


def test_citations_give_way_last_R_C3() -> None:
    """Two thousand sources leave no room for anything else of the body."""
    made = quoting(3, sources=2_000)
    text = shown(made)
    assert "Rinse" not in text
    assert "What helps" not in text
    listed = [n for n in range(1, 2_001) if f"[{n}] Mouth care {n} (" in text]
    assert listed == list(range(1, len(listed) + 1))
    assert len(listed) > 50
    assert f"… and {2_000 - len(listed)} more sources." in text
    assert "Reference a-1" in text


def test_a_quotation_that_fits_on_no_message_is_left_out_whole_R_C4() -> None:
    """It is never cut; the others stay, and so do their introductions."""
    body = [
        Paragraph(text="A long document says:"),
        quotation("Rinse with salt water. " * 900, 1),
        Paragraph(text="A short one says:"),
        quotation("Brush gently.", 2),
        Paragraph(text="Not found in the sources: how often"),
    ]
    text = shown(reply(*body))
    assert "Rinse" not in text
    assert "A long document" not in text
    assert "Left out for length: 1 more passage." in text
    for kept in ("A short one says:", "Brush gently. [2]", "Not found", "Mouth care 1"):
        assert kept in text


def test_a_long_refusal_is_cut_at_sentence_ends_R_C4() -> None:
    """Our own words may be split, but not within a sentence."""
    said = " ".join(f"This is sentence number {n}, and it is ours." for n in range(500))
    parts = post.answer(
        refusal().model_copy(update={"body": (Paragraph(text=said),)}), asked()
    )
    lines = [line for line in seen.lines(parts) if line.startswith("This is sentence")]
    assert len(parts) > 1
    assert " ".join(lines) == said
    assert all(line.endswith("ours.") for line in lines)


def test_a_notification_shows_whole_units_R_C4() -> None:
    """What stands in for the blocks is no longer than notifications show."""
    for part in post.answer(long_answer(), asked()):
        text = str(part.payload["text"])
        assert 0 < len(text) <= 2_000
    (part,) = post.answer(reply(quotation("Salt & <water>.", 1)), asked())
    assert str(part.payload["text"]).startswith("Salt &amp; &lt;water&gt;. [1]\n")


@given(st.lists(st.sampled_from(["Rinse it. ", "x", " ", "\n", "salt "]), max_size=9))
def test_words_lose_no_letter_R_C4(drawn: list[str]) -> None:
    """Whatever the text, only blanks at the cuts are gone."""
    text = "".join(drawn) * 400
    made = split_words(text)
    assert all(0 < len(piece) <= WORDS for piece in made)
    assert "".join("".join(made).split()) == "".join(text.split())
