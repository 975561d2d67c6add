"""The gate on follow-ups: passages that lack what was added do not answer (R-A11)."""

from typing import Any

import pytest

from engine.gate import decide
from engine.model.codes import Reason
from engine.model.document import BlockKind, Sentence
from engine.model.gate import Closed, GateDecision, Open
from engine.model.passage import Chunk, Pick
from tests.engine.small_pack import chunk, evidence, intent, small_pack

PACK = small_pack(retrieval={"glossary": {"children": ["child", "pediatric"]}})


def said(text: str, document: str = "d1", **changes: Any) -> Chunk:
    """A chunk of a tier-1 guideline that says `text`, one sentence a line."""
    spans, start = [], 0
    for line in text.split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    sentences = tuple(
        Sentence(start=a, end=b, kind=BlockKind.PARAGRAPH, block=at)
        for at, (a, b) in enumerate(spans)
    )
    shape = {"text": text, "end": len(text), "sentences": sentences, "source": "one"}
    return chunk(0.9, document, **(shape | changes))


def gate(*chunks: Chunk, named: tuple[str, ...] = ("children",)) -> GateDecision:
    asked = intent(named=named, follow_up=True)
    return decide(evidence(chunks), asked, PACK, PACK.register())


@pytest.mark.parametrize(
    "found",
    [
        said("It is given to children."),
        said("It is given to a child."),
        said("It is given.", title="Pediatric care"),
        said("It is given.", section=("Care", "Children")),
    ],
)
def test_passages_titles_and_headings_may_speak_of_it_R_A11(found: Chunk) -> None:
    """In its own word or in one of the glossary's."""
    assert isinstance(gate(found), Open)


def test_a_text_about_somebody_else_does_not_answer_R_A11() -> None:
    """Whatever its relevance; the reason is that the evidence does not answer."""
    closed = gate(said("It is given to adults."))
    assert isinstance(closed, Closed)
    assert closed.reason is Reason.INSUFFICIENT_CONTEXT
    assert closed.numbers == {"passages": 1, "passages_with_it": 0}


def test_every_word_of_what_was_added_counts_R_A11() -> None:
    """ "Women" is not "pregnant women"."""
    women, pregnant = said("It is for women."), said("Pregnant women take it.")
    named = ("pregnant", "women")
    assert isinstance(gate(women, named=named), Closed)
    assert isinstance(gate(pregnant, named=named), Open)


def test_only_documents_that_speak_of_it_are_handed_on_R_A11() -> None:
    """The words may stand in another passage of the same document."""
    first = said("It is given to adults.", "adults")
    second = said("It is given to children.", "children")
    third = said("It is given daily.", "children", ordinal=1)
    opened = gate(first, second, third)
    assert isinstance(opened, Open)
    assert opened.chunks == (second, third)
    assert opened.documents == 1


def test_only_what_would_be_quoted_counts_R_A11() -> None:
    """A chunk that holds the word far from its picked passage does not speak of it."""
    text = "\n".join(("It is given.", *["So it goes on. " * 20] * 3, "For children."))
    picked = said(text, picks=(Pick(sentence=0, score=1.0, relevance=0.9),))
    assert isinstance(gate(picked), Closed)
    assert isinstance(gate(said(text)), Open)


def test_a_question_that_adds_nothing_is_judged_as_before_R_A11() -> None:
    assert isinstance(gate(said("It is given to adults."), named=()), Open)


def test_a_selection_has_to_speak_of_it_too_R_A11_R_A6() -> None:
    """Outside medical packs, where the asker's choice stands in for the rest."""
    pack = small_pack(domain="technical")
    for text, kind in (("It runs on Linux.", Closed), ("It runs on Windows.", Open)):
        found = evidence([said(text, source="selection")])
        asked = intent(named=("Windows",))
        assert isinstance(decide(found, asked, pack, {}, selection=True), kind)
