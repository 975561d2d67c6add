"""Statements that belong together: pairs, lists, an "it", citations of one section."""

import pytest

from engine.validate.check import Verified
from engine.validate.material import Material
from tests.engine.validate.drafts import (
    GUIDE,
    SECOND,
    checked,
    chunks_of,
    claim,
    codes,
    room,
    shown,
)


@pytest.fixture(scope="module")
def place() -> Material:
    """Evidence: the first chunks of two guides, numbered 1 and 2."""
    return room((chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0]))


def test_two_sentences_that_split_one_are_judged_together_R_V4() -> None:
    """The second leans on the first, as in the source."""
    text = "Letrozole is old. Fiber can help, but it can make matters worse."
    place = room(chunks_of(f"# Fiber\n\n{text}"))
    verdict = checked(
        place, claim("Fiber can help. However, it can make matters worse.", 1)
    )
    assert shown(verdict) == ["Fiber can help. However, it can make matters worse."]
    assert verdict.findings == ()


def test_a_list_of_lines_is_read_as_one_sentence_R_V4() -> None:
    """The items keep the line that introduces them."""
    chunk = chunks_of(GUIDE)[-1]
    lead = "Do not take tamoxifen together with these medicines:"
    text = f"{lead}\n1. paroxetine\n2. warfarin"
    verdict = checked(room((chunk,)), claim(text, 1))
    assert shown(verdict) == [f"{lead} paroxetine; warfarin."]
    lie = text.replace("Do not take", "Take")
    assert not checked(room((chunk,)), claim(lie, 1)).tally.supported


def test_an_it_that_lost_its_sentence_is_not_shown_R_V4() -> None:
    """Behind a sentence about something else it would speak of that."""
    one = chunks_of("# Letrozole\n\nLetrozole is old. It can cause joint pain.")[0]
    two = chunks_of("# Aspirin\n\nAspirin thins the blood.", "second")[0]
    place = room((one, two))
    leaning = claim("It can cause joint pain.", 1)
    right = checked(place, claim("Letrozole is old.", 1), leaning)
    wrong = checked(place, claim("Aspirin thins the blood.", 2), leaning)
    assert shown(right) == ["Letrozole is old.", "It can cause joint pain."]
    assert shown(wrong) == ["Aspirin thins the blood."]
    assert "leaning" in codes(wrong)
    first = checked(place, leaning, claim("Letrozole is old.", 1), heading="Aspirin")
    assert shown(first) == ["Letrozole is old."]


def test_an_it_at_the_start_stands_for_what_was_asked_R_V4() -> None:
    """The source names it there, and the question did."""
    page = chunks_of("# Drugs\n\nLetrozole can cause joint pain.")
    asked = room(page, question="What is letrozole?")
    said = claim("It can cause joint pain.", 1)
    assert shown(checked(asked, said)) == [said.text]
    other = room(page, question="What is aspirin?")
    assert said.text not in shown(checked(other, said))


def test_a_heading_that_asks_is_no_answer_R_V4() -> None:
    """It stands in the source, and says nothing."""
    asked = "How is fiber taken?"
    place = room(
        chunks_of(f"# Fiber\n\n## {asked}\n\nIt comes as a powder, with salt.")
    )
    assert asked not in shown(checked(place, claim(asked, 1)))


def test_too_many_citations_are_joined_and_nothing_is_lost_R_I3() -> None:
    """Six passages of one chunk become five; every claim stays."""
    chunks = chunks_of(GUIDE)
    sentences = [s for s in chunks[0].sentences if s.quotable][-6:]
    claims = [
        claim(chunks[0].text[s.start : s.end], 1, quotation=True) for s in sentences
    ]
    verdict = checked(room(chunks), *claims)
    assert isinstance(verdict, Verified)
    assert len(verdict.answer.citations) == 5
    assert len(shown(verdict)) == 6
    assert verdict.findings == ()


def test_citations_that_no_joining_brings_down_are_trimmed_R_I3() -> None:
    """Six documents cannot be joined: five are shown; the answer stands."""
    chunks = [
        chunks_of(f"# {name}\n\nThe {name} test was done again.", name)[0]
        for name in ("one", "red", "blue", "green", "white", "black")
    ]
    claims = [
        claim(chunk.text.splitlines()[-1], number, quotation=True)
        for number, chunk in enumerate(chunks, 1)
    ]
    verdict = checked(room(chunks), *claims)
    assert isinstance(verdict, Verified)
    assert len(verdict.answer.citations) == len(shown(verdict)) == 5
    assert "trimmed" in codes(verdict)


def test_words_that_only_introduce_a_quotation_say_nothing_R_V2(
    place: Material,
) -> None:
    """They go, whatever verb they use; any other word is judged."""
    quoted = "Chemotherapy causes cancer cells to die."
    plain = checked(place, claim(f'The page puts it plainly: "{quoted}"', 1))
    assert shown(plain) == [quoted]
    assert plain.findings == ()
    more = checked(place, claim(f'The page has never said: "{quoted}"', 1))
    assert shown(more) == [quoted]
    assert "unsupported" in codes(more)
