"""Passages counted and numbered."""

from engine.verify.citations import Passage, number
from tests.engine.verify.drafts import GUIDE, SECOND, chunks_of

ONE, TWO = chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0]


def test_passages_are_numbered_in_order_of_appearance() -> None:
    """The same passage keeps its number; offsets are those of the passage."""
    later, first, other = Passage(1, 60, 80), Passage(2, 0, 30), Passage(1, 0, 30)
    found = number((ONE, TWO), [later, first, other, later])
    assert [c.number for c in found.citations] == [1, 2, 3]
    assert [(c.chunk, c.start) for c in found.citations] == [
        (ONE.id, 60),
        (TWO.id, 0),
        (ONE.id, 0),
    ]
    assert found.numbers == {later: 1, first: 2, other: 3}


def test_passages_that_overlap_are_one_citation_R_I3() -> None:
    """Distinct means that no character is in two of them."""
    parts = [Passage(1, 0, 30), Passage(1, 50, 70), Passage(1, 20, 55)]
    found = number((ONE,), parts)
    assert [(c.start, c.end) for c in found.citations] == [(0, 70)]
    assert set(found.numbers.values()) == {1}


def test_passages_that_touch_are_two_R_I3() -> None:
    """One sentence after the other may be cited apart."""
    found = number((ONE,), [Passage(1, 0, 30), Passage(1, 30, 60)])
    assert len(found.citations) == 2


def test_equal_offsets_in_other_documents_are_other_passages() -> None:
    """A passage belongs to a document version."""
    found = number((ONE, TWO), [Passage(1, 0, 30), Passage(2, 0, 30)])
    assert len({(c.document, c.start) for c in found.citations}) == 2


def test_a_citation_names_the_page_and_its_address_opens_it_R_U12_R_U16() -> None:
    """The page of its first sentence, below the headings; other addresses stay."""
    text = ONE.text[:40] + "\f" + ONE.text[41:]
    for url, opened in (
        ("https://a.example/guide.PDF", "https://a.example/guide.PDF#page=4"),
        ("https://a.example/guide", "https://a.example/guide"),
        (None, None),
    ):
        chunk = ONE.model_copy(update={"text": text, "page": 3, "url": url})
        begins = Passage(1, chunk.start + 60, chunk.start + 80)
        (cited,) = number((chunk,), [begins]).citations
        assert cited.section == (*ONE.section, "page 4")
        assert cited.url == opened
