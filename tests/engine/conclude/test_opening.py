"""What of an answer is shown at once, and what behind "Show more" (R-A3)."""

import pytest

from engine.conclude.opening import mark_more
from engine.model.answer import Answer, Citation, Claim, Section


def claim(words: int, *numbers: int, sensitive: bool = False) -> Claim:
    """A quotation of so many words; without numbers a fixed text."""
    return Claim(
        text=" ".join(["word"] * words), citations=numbers, sensitive=sensitive
    )


def answer(*claims: Claim, minimum: int = 1, documents: str = "abcdef") -> Answer:
    """Claims in one section; the n-th citation is of the n-th document."""
    citations = tuple(
        Citation(
            number=number,
            chunk="c",
            document=document,
            version="v",
            source="s",
            title="t",
            section=(),
            start=0,
            end=1,
            relevance=0.9,
        )
        for number, document in enumerate(documents, 1)
    )
    section = Section(heading="", claims=claims)
    return Answer(sections=(section,), citations=citations, minimum_citations=minimum)


def more(answered: Answer) -> list[bool]:
    """Which claims stand behind "Show more"."""
    return [claim.more for section in answered.sections for claim in section.claims]


@pytest.mark.parametrize(
    ("words", "behind"),
    [
        ((400, 40), [False, True]),  # the first claim is never cut
        ((50, 50, 60), [False, False, True]),
        ((50, 90, 40), [False, False, True]),  # 140 is nearer to 120 than 50
        ((50, 200, 40), [False, True, True]),
        ((60, 60, 29), [False, False, False]),  # not worth a press
        ((60, 20), [False, False]),
    ],
)
def test_about_120_words_are_shown_at_once_R_A3(
    words: tuple[int, ...], behind: list[bool]
) -> None:
    """Whole claims in their order; a short rest is shown, too."""
    made = answer(*(claim(count, n) for n, count in enumerate(words, 1)))
    assert more(mark_more(made, 1)) == behind


def test_the_citations_that_an_answer_needs_are_shown_at_once_R_A3_R_I3() -> None:
    """As many distinct ones as its minimum, however long they are."""
    claims = (claim(200, 1), claim(100, 1), claim(50, 2), claim(50, 3))
    made = answer(*claims, minimum=2)
    assert more(mark_more(made, 1)) == [False, False, False, True]


def test_the_documents_of_a_sensitive_answer_are_shown_at_once_R_A3_R_I3() -> None:
    """From as many documents as its gate asked for."""
    sensitive = [claim(100, n, sensitive=True) for n in (1, 2, 3, 4)]
    made = answer(*sensitive, minimum=2, documents="aabb")
    assert more(mark_more(made, 2)) == [False, False, False, True]
    assert more(mark_more(made, 1)) == [False, False, True, True]


def test_sources_that_disagree_are_not_parted_R_A3_R_R11() -> None:
    """Nobody reads one side of it alone."""
    made = answer(*(claim(100, n) for n in (1, 2, 3, 4)))
    assert more(mark_more(made, 1, {1, 3})) == [False, False, False, True]


def test_a_fixed_text_is_shown_at_once_R_A3() -> None:
    """It cites nothing, and stands behind all claims."""
    made = answer(claim(120, 1), claim(50, 2), claim(60))
    assert more(mark_more(made, 1)) == [False, True, False]


def test_a_block_of_fields_is_never_parted_R_A2() -> None:
    """Nor is the line that one of them is missing; what follows is behind."""
    rows = (claim(90, 1), claim(5), claim(90, 2))
    block = [row.model_copy(update={"row": True}) for row in rows]
    made = answer(*block, claim(90, 3), claim(90, 4))
    assert more(mark_more(made, 1)) == [False, False, False, True, True]
    assert more(mark_more(answer(*block), 1)) == [False, False, False]
