"""Copies under other names are one document; other texts are others (R-G1)."""

import pytest

from engine.documents.corpus import build_document
from engine.model.document import Block, BlockKind, Document, Parsed
from engine.search.copies import Fingerprint, are_same, find_originals

LEAFLET = (
    "Ginger tea may be drunk up to 3 cups a day while the pump is running.",
    "The tea is made of fresh roots and boiling water, and it is left for 10 minutes.",
    "Nobody has to drink it, and whoever feels sick after it stops.",
    "Ask the team before other herbs are taken together with the medicine.",
    "A diary of what was drunk helps the team to see what did good.",
)
OTHER = (
    "Ginger tea may be drunk up to 3 cups a day while the pump is running.",
    "Patients of this ward are given a can of tea in the morning.",
    "The kitchen knows the herbs that may not be used.",
    "Visitors ask the nurse before they bring something to drink.",
    "The pump is carried in a bag and may not become wet.",
)


def document(*sentences: str, name: str = "a", heading: str = "") -> Document:
    """A document with a paragraph for each sentence."""
    said = ((heading,) if heading else ()) + sentences
    text, blocks, start = "\n\n".join(said), [], 0
    for one in said:
        kind = BlockKind.HEADING if one is heading else BlockKind.PARAGRAPH
        level = int(kind is BlockKind.HEADING)
        blocks.append(Block(start=start, end=start + len(one), kind=kind, level=level))
        start += len(one) + 2
    parsed = Parsed(
        path=f"{name}.md", text=text, blocks=tuple(blocks), loader="test/1", title=name
    )
    return build_document(parsed, "handbook")


def printed(*sentences: str, **told: str) -> Fingerprint:
    return Fingerprint.of(document(*sentences, **told))


SAME = {
    "renamed": LEAFLET,
    "another order": LEAFLET[::-1],
    "one word changed": (LEAFLET[0].replace("3 cups", "4 cups"), *LEAFLET[1:]),
    "a word changed in each": tuple(
        s.replace("team", "ward").replace("fresh", "old").replace("Nobody", "No one")
        for s in LEAFLET
    ),
    "a part of it": LEAFLET[1:4],
    "with more around it": (*OTHER[1:], *LEAFLET, "It was printed in May."),
    "one sentence left out, one put in": (*LEAFLET[:4], "It was printed in May."),
    "sentences that end elsewhere": (
        f"{LEAFLET[0][:-1]}; {LEAFLET[1]}",
        *LEAFLET[2:],
    ),
    "one sentence of it": LEAFLET[:1],
    "other case and marks": tuple(s.upper().replace(",", " -") for s in LEAFLET),
}


@pytest.mark.parametrize("other", SAME.values(), ids=SAME)
def test_a_copy_is_no_second_document_R_G1(other: tuple[str, ...]) -> None:
    """Whichever of them is the smaller one, and whatever stands above it."""
    assert are_same(printed(*LEAFLET), printed(*other, heading="Another title"))
    assert are_same(printed(*other), printed(*LEAFLET))


def test_another_text_on_the_same_is_one_R_G1() -> None:
    """Even where a sentence of it is the same."""
    assert not are_same(printed(*LEAFLET), printed(*OTHER))
    assert not are_same(
        printed(*LEAFLET), printed("The ward opens at 8.", "It is small.")
    )


def test_copies_of_copies_are_one_R_G1() -> None:
    """The first one stands for all of them."""
    prints = {
        "a": printed(*LEAFLET),
        "b": printed(*OTHER),
        "c": printed(*LEAFLET[:4]),
        "d": printed(*OTHER[::-1]),
    }
    assert find_originals(prints) == {"a": "a", "b": "b", "c": "a", "d": "b"}


def test_long_documents_are_compared_in_a_moment() -> None:
    """Each sentence is looked up by its rarest words, not beside every other one."""
    long = tuple(
        f"Room {n} of the long house holds the chair {n * 7}." for n in range(4000)
    )
    changed = tuple(s.replace("long", "old").replace("chair", "table") for s in long)
    assert not are_same(printed(*long), printed(*changed))
