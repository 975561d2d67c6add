"""The search: scope, words, trust, over the real index."""

from datetime import date

import pytest

from engine.errors import IndexFailed
from engine.records import Basis
from engine.retrieve.search import Places, look, scope, terms
from tests.demo import Room, question
from tests.engine.small_pack import intent
from tests.fakes import Breaking

DAY = date(2024, 3, 1)


def test_the_scope_is_the_askers_R_C5() -> None:
    """Pack, tenant and tags of the question; the date only where one was asked for."""
    asked = question("textbook", "x", tenant="acme", tags=frozenset({"staff"}))
    today = scope(asked, intent(as_of=DAY))
    assert (today.pack, today.tenant, today.tags) == ("textbook", "acme", {"staff"})
    assert today.as_of is None
    assert scope(asked, intent(as_of=DAY, basis=Basis.EXPLICIT)).as_of == DAY


def test_terms_are_content_words_with_their_meanings_R_U2() -> None:
    """Each once, the glossary's behind; stop words are left out."""
    glossary = {"chemo": ("chemotherapy", "drug treatment")}
    assert terms("Is the chemo, chemo safe?", glossary) == (
        "chemo",
        "safe",
        "chemotherapy",
        "drug",
        "treatment",
    )
    assert terms("", glossary) == ()


async def test_an_index_out_of_reach_never_looks_empty_R_I8(room: Room) -> None:
    """It raises, whatever was asked."""
    broken = Breaking(room.ports.index, "search", IndexFailed("gone"))
    places = Places(broken, room.ports.embedder)
    statistics = await room.ports.index.statistics("textbook")
    pack = room.packs["textbook"]
    with pytest.raises(IndexFailed):
        await look(places, question("textbook", "x"), intent(), pack, statistics)


async def test_both_arms_bring_candidates_with_their_tokens_R_R1(room: Room) -> None:
    """At most 30 of each arm, every one with its stored token vectors."""
    places = Places(room.ports.index, room.ports.embedder)
    statistics = await room.ports.index.statistics("textbook")
    pack, asked = room.packs["textbook"], intent(text="What is tf2?")
    found = await look(places, question("textbook", "x"), asked, pack, statistics)
    assert 0 < found.trace.bm25_candidates <= 30
    assert found.trace.dense_candidates > 0
    assert len(found.candidates) <= 60
    assert {c.chunk.id for c in found.candidates} == set(found.tokens)
    assert found.trace.removed_untrusted == 0
    assert found.wide is None
