"""Prose of a weaker model as a pointer: what it points to, and how that is counted."""

import pytest

from engine.validate.check import Rejected, Verified
from engine.validate.material import Material
from tests.engine.validate.drafts import (
    checked,
    chunks_of,
    claim,
    medical_pack,
    room,
    shown,
)

COOLING = """# Scalp cooling

Scalp cooling is a treatment that keeps the hair.
It narrows the blood vessels of the scalp.
A cap is not worn for leukemia. Most caps are rented for some weeks.
"""
LIST = """# Food

The main rules for safe food are:

- cook meat and eggs thoroughly
- keep raw meat away from salads
- do not leave rice in a warm kitchen
- keep the refrigerator below 5 °C
"""
FIRST = "# Pain\n\nA laxative is started together with morphine. Walking helps.\n"
OTHER = "# Relief\n\nMorphine is started with a laxative, as a rule. Rest helps.\n"


def medical(*texts: str, documents: int = 1) -> Material:
    """Evidence of one document for each text, where two citations are needed."""
    chunks = [
        chunk for at, text in enumerate(texts) for chunk in chunks_of(text, f"d{at}")
    ]
    more = {"required_documents": documents, "sensitive": True}
    return room(chunks, medical_pack(), "Why?", **more)


def test_each_sentence_that_prose_points_to_is_cited_R_I3() -> None:
    """Two sentences of one passage are two citations, like two numbers of a model."""
    said = "Caps are rented for weeks, and no cap is worn for leukemia."
    verdict = checked(medical(COOLING), claim(said, 1))
    assert isinstance(verdict, Verified)
    assert len(verdict.answer.citations) == 2


def test_what_another_brought_along_is_cited_when_it_is_chosen_R_I3() -> None:
    """It stands there already, and rests on a passage of its own."""
    verdict = checked(
        medical(COOLING),
        claim("Blood vessels become narrow.", 1),
        claim("Scalp cooling is a treatment for hair.", 1),
    )
    (told,) = shown(verdict)
    assert told.startswith("Scalp cooling is a treatment that keeps the hair.")
    assert isinstance(verdict, Verified)
    assert [c.citations for c in verdict.answer.sections[0].claims] == [(1, 2)]


def test_a_sentence_chosen_twice_is_one_citation_R_I3() -> None:
    """Naming it again adds nothing."""
    again = claim("No cap is worn for leukemia.", 1)
    assert isinstance(checked(medical(COOLING), again, again), Rejected)


def test_a_list_is_told_only_with_all_its_items_R_A14() -> None:
    """Its lead-in stands above the first items; the rest was not said yet."""
    verdict = checked(
        room(chunks_of(LIST), question="Why?"),
        claim("Cook meat and eggs thoroughly.", 1),
        claim("Main rules for safe food:", 1),
    )
    assert "refrigerator" in "".join(shown(verdict))


def test_prose_about_two_items_does_not_point_to_the_whole_list_R_V2() -> None:
    """What it leaves out was not meant."""
    said = "Leave no rice in the kitchen, and keep the refrigerator below 5 °C."
    told = "".join(
        shown(checked(room(chunks_of(LIST), question="Why?"), claim(said, 1)))
    )
    assert "rice" in told
    assert "refrigerator" in told
    assert "eggs" not in told


def test_prose_that_cites_two_documents_points_into_both_R_I3() -> None:
    """Where both say so, the second stands there for the first."""
    said = "Morphine is started together with a laxative."
    place = medical(FIRST, OTHER, documents=2)
    assert isinstance(checked(place, claim(said, 1)), Rejected)
    assert len(shown(checked(place, claim(said, 1, 2)))) == 2


def test_a_document_that_does_not_say_so_is_not_shown_R_V2() -> None:
    """Citing it is not enough."""
    said = "Morphine is started together with a laxative."
    place = room(
        (*chunks_of(FIRST, "one"), *chunks_of(COOLING, "two")), question="Why?"
    )
    assert len(shown(checked(place, claim(said, 1, 2)))) == 1


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (
            "As a rule you begin both drugs at the same moment, morphine too.",
            "laxative",
        ),
        ("Go for short strolls: walking is fine.", "Walking"),
    ],
)
def test_free_wording_points_to_what_it_is_closest_to_R_V2(
    said: str, meant: str
) -> None:
    """One of its words in five is enough: a true sentence is all that is shown."""
    place = room(chunks_of(FIRST), question="Why?")
    assert meant in "".join(shown(checked(place, claim(said, 1))))
