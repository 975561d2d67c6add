"""The search: scope, words, trust, over the real index."""

from datetime import date

import pytest

from engine.model.errors import IndexFailed
from engine.model.question import Basis, Scope
from engine.search.search import SearchBackend, find_candidates, make_scope, make_terms
from tests.demo import Room, question
from tests.engine.small_pack import intent
from tests.fakes import Breaking

DAY = date(2024, 3, 1)


def test_the_scope_is_the_askers_R_C5() -> None:
    """Pack, tenant and tags of the question."""
    asked = question("textbook", "x", tenant="acme", tags=frozenset({"staff"}))
    today = make_scope(asked, intent(as_of=DAY))
    assert (today.pack, today.tenant, today.tags) == ("textbook", "acme", {"staff"})


@pytest.mark.parametrize("basis", Basis)
def test_what_is_not_in_force_is_not_searched_R_F5(basis: Basis) -> None:
    """The analysis date is set for a plain question of today too."""
    asked = question("textbook", "x")
    assert make_scope(asked, intent(as_of=DAY, basis=basis)).as_of == DAY


def test_terms_are_content_words_with_their_meanings_R_U2() -> None:
    """Each once, the glossary's behind; stop words are left out."""
    glossary = {"chemo": ("chemotherapy", "drug treatment")}
    assert make_terms("Is the chemo, chemo safe?", glossary) == (
        "chemo",
        "safe",
        "chemotherapy",
        "drug",
        "treatment",
    )
    assert make_terms("", glossary) == ()


async def test_an_index_out_of_reach_never_looks_empty_R_I8(room: Room) -> None:
    """It raises, whatever was asked."""
    broken = Breaking(room.ports.index, "search", IndexFailed("gone"))
    places = SearchBackend(broken, room.ports.embedder)
    statistics = await room.ports.index.statistics(Scope(pack="textbook"))
    pack = room.packs["textbook"]
    with pytest.raises(IndexFailed):
        await find_candidates(
            places, question("textbook", "x"), intent(), pack, statistics
        )


async def test_both_arms_bring_candidates_with_their_tokens_R_R1(room: Room) -> None:
    """At most 30 of each arm, of questions too, all with stored token vectors."""
    places = SearchBackend(room.ports.index, room.ports.embedder)
    statistics = await room.ports.index.statistics(Scope(pack="textbook"))
    pack, asked = room.packs["textbook"], intent(text="What is tf2?")
    found = await find_candidates(
        places, question("textbook", "x"), asked, pack, statistics
    )
    assert 0 < found.trace.bm25_candidates <= 30
    assert found.trace.dense_candidates > 0
    assert len(found.candidates) <= 90
    assert {c.chunk.id for c in found.candidates} == set(found.tokens)
    assert found.trace.removed_untrusted == 0


async def test_untrusted_passages_are_counted_where_nothing_else_is_found_R_G9(
    room: Room,
) -> None:
    """So low trust is told apart from no results; none is a candidate."""
    places = SearchBackend(room.ports.index, room.ports.embedder)
    statistics = await room.ports.index.statistics(Scope(pack="textbook"))
    pack = room.packs["textbook"]
    sources = tuple(s.model_copy(update={"trusted": False}) for s in pack.sources)
    doubtful = pack.model_copy(update={"sources": sources})
    asked = intent(text="What is tf2?")
    found = await find_candidates(
        places, question("textbook", "x"), asked, doubtful, statistics
    )
    assert found.candidates == ()
    assert found.trace.removed_untrusted == found.trace.candidates > 0
