"""The part of the contract of `engine.model.ports.Index` that says who may see what."""

from datetime import date

import numpy as np
import pytest

from adapters.index.upkeep import KeptIndex
from engine.model.errors import IndexFailed
from engine.model.ports import Index
from engine.model.question import Scope
from tests.contracts.index_entries import PACK, documents, entries, find, texts


class ScopeContract:
    """Packs, tags, tenants, demo documents, dates and sources; see `IndexContract`."""

    async def test_packs_are_apart(self, index: Index):
        """The same document may stand in two packs; each sees its own."""
        await index.put(PACK, "a", entries("a", "fatigue"))
        await index.put("textbook", "a", entries("a", "fatigue node", version="v2"))
        await index.put("textbook", "b", entries("b", "fatigue bridge"))
        assert texts(await find(index, "fatigue")) == {"fatigue"}
        assert len(await find(index, "fatigue", pack="textbook")) == 2
        assert await find(index, "fatigue", pack="nowhere") == ()
        await index.withdraw("textbook", "a")
        assert await index.versions(PACK) == {"a": "v1"}

    async def test_access_tags_are_enforced_R_U1(self, index: Index):
        """A document with tags is found only by somebody who holds one of them."""
        await index.put(PACK, "open", entries("open", "fatigue"))
        await index.put(PACK, "ward", entries("ward", "fatigue w", tags=("w", "v")))
        assert documents(await find(index, "fatigue")) == {"open"}
        for held in ({"w"}, {"v", "other"}):
            found = await find(index, "fatigue", tags=frozenset(held))
            assert documents(found) == {"open", "ward"}
        found = await find(index, "fatigue", tags=frozenset({"other"}))
        assert documents(found) == {"open"}

    async def test_a_tag_is_one_tag_whatever_it_holds_R_S8(self, index: Index):
        """An empty one opens to nobody, and half of one with a line break neither."""
        await index.put(PACK, "empty", entries("empty", "fatigue", tags=("",)))
        await index.put(PACK, "two", entries("two", "fatigue w", tags=("w\nother",)))
        for held in (frozenset(), {"w"}, {"other"}):
            assert await find(index, "fatigue", tags=frozenset(held)) == ()
        found = await find(index, "fatigue", tags=frozenset({"w\nother"}))
        assert documents(found) == {"two"}

    async def test_hidden_documents_do_not_shift_scores_R_C5(self, index: Index):
        """What an asker may not see changes nothing for him."""
        await index.put(PACK, "open", entries("open", "fatigue lasts", "rash"))
        before = await find(index, "fatigue")
        await index.put(PACK, "w", entries("w", *["fatigue " * 9] * 9, tags=("w",)))
        after = await find(index, "fatigue")
        assert [(c.chunk.id, c.bm25) for c in before] == [
            (c.chunk.id, c.bm25) for c in after
        ]

    async def test_tenants_see_their_own_and_shared(self, index: Index):
        """A document put without tenant is shared: every tenant finds it."""
        await index.put(PACK, "a", entries("a", "fatigue"))
        assert await find(index, "fatigue", tenant="team-1")
        assert await find(index, "fatigue")

    async def test_ids_of_another_tenants_chunks_give_nothing_R_C5(
        self, index: KeptIndex
    ):
        """Nor do they once a search has shown them to somebody who may see them."""
        await index.put(PACK, "all", entries("all", "fatigue"))
        own = entries("one", "fatigue", "rash")
        await index.put(PACK, "one", own, "team-1")
        name = own[0].chunk.id
        for _ in range(2):
            for tenant in ("shared", "team-2", "TEAM-1", "", "*"):
                with pytest.raises(IndexFailed, match="no chunk"):
                    await index.fetch_tokens(PACK, ["all:v1:0", name], tenant)
                assert await index.neighbours(PACK, own[0].chunk, 1, tenant) == ()
            found = await index.fetch_tokens(PACK, ["all:v1:0", name], "team-1")
            assert set(found) == {"all:v1:0", name}
            around = await index.neighbours(PACK, own[0].chunk, 1, "team-1")
            assert around == (own[1].chunk,)
            assert await find(index, "fatigue", tenant="team-1")

    async def test_an_index_says_which_tags_it_goes_by_R_S8(self, index: KeptIndex):
        """Of current versions, of one tenant at a time."""
        assert await index.tags(PACK) == {}
        await index.put(PACK, "a", entries("a", "fatigue", tags=("x",)))
        await index.put(PACK, "a", entries("a", "rash", version="v2", tags=("x", "y")))
        await index.put(PACK, "b", entries("b", "fatigue"))
        await index.put(PACK, "c", entries("c", "fatigue", tags=("z",)), "team-1")
        await index.put(PACK, "d", entries("d", "fatigue", tags=("z",)))
        await index.withdraw(PACK, "d")
        assert await index.tags(PACK) == {"a": {"x", "y"}, "b": frozenset()}
        assert await index.tags(PACK, "team-1") == {"c": {"z"}}

    async def test_the_same_id_in_two_tenants_gives_each_its_own_R_C5(
        self, index: KeptIndex
    ):
        """Whoever of them was shown his last; a tenant's own wins over the shared."""
        said = {"team-1": "fatigue one a", "team-2": "fatigue two", "shared": "fatigue"}
        put = {tenant: entries("a", text, text) for tenant, text in said.items()}
        for tenant, both in put.items():
            await index.put(PACK, "a", both, tenant)
        for shown in ("team-1", "team-2", "shared", "team-3"):
            await find(index, "fatigue", tenant=shown)
            for tenant, both in put.items():
                own = await index.fetch_tokens(PACK, ["a:v1:0"], tenant)
                assert np.array_equal(own["a:v1:0"].spans, both[0].tokens.spans)
                [other] = await index.neighbours(PACK, both[0].chunk, 1, tenant)
                assert other.text == said[tenant]

    async def test_demo_documents_step_back_for_a_real_one(self, index: Index):
        """They are found while alone, and again when the real one is withdrawn."""
        await index.put(PACK, "demo", entries("demo", "fatigue demo", demo=True))
        assert documents(await find(index, "fatigue")) == {"demo"}
        await index.put("textbook", "real", entries("real", "fatigue node"))
        assert documents(await find(index, "fatigue")) == {"demo"}
        await index.put(PACK, "real", entries("real", "rash", tags=("w",)))
        assert await find(index, "fatigue") == ()
        assert (await index.statistics(Scope(pack=PACK))).documents == 0
        await index.withdraw(PACK, "real")
        assert documents(await find(index, "fatigue")) == {"demo"}

    async def test_the_analysis_date_is_a_filter_R_F5(self, index: Index):
        """Both ends of a period of force are inside it; None means current."""
        put = entries(
            "law",
            "permit",
            in_force_from=date(2020, 1, 1),
            in_force_to=date(2020, 12, 31),
        )
        await index.put(PACK, "law", put)
        await index.put(PACK, "page", entries("page", "permit page"))
        for day, expected in (
            (None, {"law", "page"}),
            (date(2020, 1, 1), {"law", "page"}),
            (date(2020, 12, 31), {"law", "page"}),
            (date(2019, 12, 31), {"page"}),
            (date(2021, 1, 1), {"page"}),
        ):
            assert documents(await find(index, "permit", as_of=day)) == expected

    async def test_a_day_has_one_version_in_force_R_F5(self, index: Index):
        """A version replaced before its end yields to the new one from then on."""
        old = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2030, 12, 31)}
        new = {"version": "v2", "retrieved": date(2025, 3, 4)}
        await index.put(PACK, "law", entries("law", "permit old", **old))
        await index.put(PACK, "law", entries("law", "permit new", **new))
        found = await find(index, "permit", as_of=date(2026, 1, 1))
        assert texts(found) == {"permit new"}

    async def test_statistics_tell_nothing_of_hidden_documents_R_C5_R_U1(
        self, index: Index
    ):
        """Whoever lacks the tag gets the same as if they did not exist."""
        await index.put(PACK, "open", entries("open", "fatigue"))
        before = await index.statistics(Scope(pack=PACK))
        await index.put(PACK, "w", entries("w", "fatigue zyxomab", tags=("w", "v")))
        for held in (frozenset[str](), frozenset({"other"})):
            assert await index.statistics(Scope(pack=PACK, tags=held)) == before
        for held in (frozenset({"w"}), frozenset({"v", "other"})):
            seen = await index.statistics(Scope(pack=PACK, tags=held))
            assert (seen.documents, seen.chunks) == (2, 2)
            assert (seen.chunk_frequency["fatigu"], seen.word_frequency["zyxomab"]) == (
                2,
                1,
            )

    async def test_other_sources_crowd_nothing_out_R_G9(self, index: Index):
        """Only the sources asked for are ranked; others do not shift a score."""
        await index.put(PACK, "a", entries("a", "fatigue lasts", "rash"))
        only = {"limit": 1, "sources": frozenset({"nci"})}
        before = await find(index, "fatigue", **only)
        loud = entries("b", *["fatigue " * 9] * 9, source="blog")
        await index.put(PACK, "b", loud)
        assert await find(index, "fatigue", **only) == before
        assert documents(await find(index, "fatigue")) == {"a", "b"}
        assert await find(index, "fatigue", sources=frozenset()) == ()

    async def test_one_document_is_searched_alone_R_Q5(self, index: Index):
        """All of it, as far as the asker may see it, and nothing of others."""
        await index.put(PACK, "a", entries("a", "fatigue lasts", "rash"))
        await index.put(PACK, "b", entries("b", "fatigue", "nausea", tags=("w",)))
        only = await find(index, "fatigue", document="a")
        assert texts(only) == {"fatigue lasts", "rash"}
        assert await find(index, "fatigue", document="b") == ()
        seen = await find(index, "x", document="b", tags=frozenset({"w"}))
        assert texts(seen) == {"fatigue", "nausea"}
        assert await find(index, "fatigue", document="nowhere") == ()
