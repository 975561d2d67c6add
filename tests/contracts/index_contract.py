"""The contract of `engine.model.ports.Index`, for any implementation.

A test module inherits from `IndexContract` and gives the fixture `index`: an empty
index for vectors of `DIMENSION` and token vectors of `REDUCED` numbers.
"""

import asyncio
from datetime import date

import numpy as np
import pytest

from engine.model.errors import IndexFailed
from engine.model.ports import Entry, Index, SearchQuery, TokenVectors
from engine.model.question import Scope
from tests.contracts.index_entries import (
    DIMENSION,
    PACK,
    chunk,
    direction,
    documents,
    entries,
    entry,
    find,
    texts,
)
from tests.contracts.index_questions import QuestionsContract
from tests.contracts.index_scope import ScopeContract

HOSTILE = [
    '"',
    "'",
    '" OR "1"="1',
    "NEAR(fatigue treatment, 5)",
    "title:fatigue",
    "fatigue*",
    "-fatigue",
    "AND OR NOT",
    "; DROP TABLE chunks; --",
    '{"operator": "Like"}',
    "\x00",
    "%_^()[]{}\\",
]


class IndexContract(ScopeContract, QuestionsContract):
    """Every sentence of the port's docstrings."""

    # --- search -------------------------------------------------------------------

    async def test_an_empty_index_finds_nothing(self, index: Index):
        """An empty tuple means that nothing matched."""
        assert await find(index, "fatigue") == ()

    async def test_a_word_is_found_by_its_stem(self, index: Index):
        """BM25 finds inflected words; a larger score is a better one."""
        put = entries("a", "fatigue fatigue lasts", "fatigue is one of many things")
        await index.put(PACK, "a", put)
        await index.put(PACK, "b", entries("b", "launch the node"))
        scores = {
            candidate.chunk.text: candidate.bm25
            for candidate in await find(index, "fatigued", like="nothing alike")
        }
        assert scores["fatigue fatigue lasts"] > scores[put[1].chunk.text] > 0
        assert scores["launch the node"] is None

    async def test_a_title_is_found(self, index: Index):
        """Words of the title and of the section path count too."""
        put = entries("a", "see below", title="Mouth sores", section=("Rinsing",))
        await index.put(PACK, "a", put)
        for word in ("sores", "rinse"):
            (found,) = await find(index, word)
            assert found.bm25 is not None
            assert found.bm25 > 0

    async def test_a_meaning_is_found_by_its_vector(self, index: Index):
        """The dense arm needs no common word; cosine lies in [-1, 1]."""
        await index.put(PACK, "a", entries("a", "tiredness", "nausea", "rash"))
        found = await find(index, "unheard", like="nausea")
        cosines = {candidate.chunk.text: candidate.cosine for candidate in found}
        assert cosines["nausea"] == pytest.approx(1, abs=1e-3)
        assert cosines["rash"] == pytest.approx(
            float(direction("nausea") @ direction("rash")), abs=1e-3
        )

    async def test_both_arms_bring_their_best(self, index: Index):
        """`limit` is per arm: one each, and no more than that."""
        many = [f"filler number {n}" for n in range(20)]
        await index.put(PACK, "a", entries("a", "fatigue", "nausea", *many))
        found = await find(index, "fatigue", like="nausea", limit=1)
        assert texts(found) == {"fatigue", "nausea"}
        assert len(await find(index, "filler", like="rash", limit=5)) <= 10

    async def test_a_candidate_is_the_chunk_that_was_put(self, index: Index):
        """Every field of a chunk comes back; what retrieval computes is empty."""
        odd = "Na\N{COMBINING DIAERESIS}ive \N{GRINNING FACE} \x07 'quotes' \"\n\tend"
        put = entries(
            "a", odd, tags=("team",), in_force_from=date(2020, 1, 1), demo=True
        )
        await index.put(PACK, "a", put)
        (found,) = await find(index, "quotes", tags=frozenset({"team"}))
        assert found.chunk == put[0].chunk

    @pytest.mark.parametrize("hostile", HOSTILE)
    async def test_terms_are_data(self, index: Index, hostile: str):
        """Operators, quotes and wildcards mean nothing."""
        await index.put(PACK, "a", entries("a", "fatigue after treatment", "rash"))
        found = await find(index, hostile, "rash", like="rash")
        assert "rash" in texts(found)
        assert all(c.bm25 is None for c in await find(index, "fatig*", "tr?atment"))

    async def test_no_terms_leave_the_dense_arm(self, index: Index):
        """A question of stop words alone is still searched by meaning."""
        await index.put(PACK, "a", entries("a", "nausea"))
        (found,) = await find(index, "what", "is", like="nausea")
        assert found.bm25 is None
        assert await find(index, like="nausea")

    async def test_the_same_search_gives_the_same_answer(self, index: Index):
        """Ties are settled, so order does not change from run to run."""
        await index.put(PACK, "a", entries("a", *["same words"] * 9))
        first = await find(index, "words", limit=4)
        assert first == await find(index, "words", limit=4)

    async def test_a_vector_of_another_dimension_is_refused(self, index: Index):
        """A search that cannot run raises IndexFailed."""
        for vector in (np.ones(3, np.float32), np.full(DIMENSION, np.nan, np.float32)):
            with pytest.raises(IndexFailed):
                await index.search(SearchQuery(("a",), vector, Scope(pack=PACK)))

    async def test_a_closed_index_fails(self, index: Index):
        """An unreachable index raises; it never returns empty."""
        await index.put(PACK, "a", entries("a", "fatigue"))
        await index.close()
        with pytest.raises(IndexFailed):
            await find(index, "fatigue")

    # --- put and withdraw ---------------------------------------------------------

    async def test_put_replaces_the_version(self, index: Index):
        """The earlier version, which has no end of force, is dropped from search."""
        await index.put(PACK, "a", entries("a", "fatigue old", "more old"))
        await index.put(PACK, "a", entries("a", "fatigue new", version="v2"))
        assert texts(await find(index, "fatigue", "more")) == {"fatigue new"}
        assert await index.versions(PACK) == {"a": "v2"}
        day = date(2020, 6, 1)
        assert texts(await find(index, "fatigue", as_of=day)) == {"fatigue new"}

    async def test_put_again_changes_nothing(self, index: Index):
        """The same entries twice are found once."""
        for _ in range(2):
            await index.put(PACK, "a", entries("a", "fatigue", "rash"))
        assert len(await find(index, "fatigue")) == 2
        assert (await index.statistics(Scope(pack=PACK))).chunks == 2

    async def test_a_superseded_version_is_found_inside_its_period_R_R8(
        self, index: Index
    ):
        """Only for an analysis date in it, and never as current."""
        old = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2020, 12, 31)}
        new = {"in_force_from": date(2021, 1, 1), "version": "v2"}
        await index.put(PACK, "law", entries("law", "permit old", **old))
        await index.put(PACK, "law", entries("law", "permit new", **new))
        for day, expected in (
            (None, {"permit new"}),
            (date(2020, 6, 1), {"permit old"}),
            (date(2021, 6, 1), {"permit new"}),
            (date(2019, 6, 1), set()),
        ):
            assert texts(await find(index, "permit", as_of=day)) == expected
        assert await index.versions(PACK) == {"law": "v2"}
        statistics = await index.statistics(Scope(pack=PACK))
        assert (statistics.documents, statistics.chunks) == (1, 1)

    async def test_withdrawn_documents_are_gone_R_U1(self, index: Index):
        """All versions; to withdraw what is not there is no error."""
        old = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2020, 12, 31)}
        await index.put(PACK, "a", entries("a", "fatigue", **old))
        await index.put(PACK, "a", entries("a", "fatigue", version="v2"))
        await index.put(PACK, "b", entries("b", "rash"))
        for _ in range(2):
            await index.withdraw(PACK, "a")
        await index.withdraw("nowhere", "a")
        assert documents(await find(index, "fatigue")) == {"b"}
        day = date(2020, 6, 1)
        assert documents(await find(index, "fatigue", as_of=day)) == {"b"}
        assert await index.versions(PACK) == {"b": "v1"}

    async def test_a_document_is_visible_whole_or_not_at_all(self, index: Index):
        """Searches beside a writer see one version with all its chunks."""
        await index.put(PACK, "a", entries("a", *["fatigue 0"] * 12, version="v0"))

        async def write() -> None:
            for n in range(1, 9):
                put = entries("a", *[f"fatigue {n}"] * 12, version=f"v{n}")
                await index.put(PACK, "a", put)

        async def read() -> None:
            while True:
                found = await find(index, "fatigue")
                assert len(found) == 12
                versions = {candidate.chunk.version for candidate in found}
                assert len(versions) == 1
                if versions == {"v8"}:
                    return

        async with asyncio.TaskGroup() as group:
            group.create_task(write())
            for _ in range(2):
                group.create_task(read())

    async def test_bad_entries_change_nothing(self, index: Index):
        """Entries that do not belong together, or have wrong shapes, are refused."""
        await index.put(PACK, "a", entries("a", "fatigue"))
        good = entries("a", "rash", version="v2")[0]
        wrong_vector = Entry(good.chunk, np.ones(3, np.float32), good.tokens)
        no_number = Entry(good.chunk, good.vector * np.float32("nan"), good.tokens)
        wide = TokenVectors(np.ones((1, 9), np.int8), np.zeros((1, 2), np.int32))
        unmarked = TokenVectors(good.tokens.values, np.zeros((7, 2), np.int32))
        for bad in (
            [],
            [good, *entries("b", "other")],
            [good, entry(chunk("a", 1, "x", version="v3"))],
            [good, entry(chunk("a", 1, "x", version="v2", tags=("w",)))],
            [wrong_vector],
            [no_number],
            [Entry(good.chunk, good.vector, wide)],
            [Entry(good.chunk, good.vector, unmarked)],
        ):
            with pytest.raises(IndexFailed):
                await index.put(PACK, "a", bad)
        assert texts(await find(index, "fatigue", "rash")) == {"fatigue"}
        assert await index.versions(PACK) == {"a": "v1"}

    # --- tokens, statistics, neighbours -------------------------------------------

    async def test_token_vectors_come_back_exactly(self, index: Index):
        """By chunk id, in any order, those without a token too."""
        put = entries("a", "fatigue lasts for months", "rash", "")
        await index.put(PACK, "a", put)
        wanted = [one.chunk.id for one in put][::-1]
        found = await index.fetch_tokens(PACK, wanted)
        assert set(found) == set(wanted)
        for one in put:
            stored = found[one.chunk.id]
            assert stored.values.dtype == np.int8
            assert np.array_equal(stored.values, one.tokens.values)
            assert np.array_equal(stored.spans, one.tokens.spans)

    async def test_a_missing_chunk_fails_the_fetch(self, index: Index):
        """One id that is not there, or is in another pack, fails all."""
        put = entries("a", "fatigue")
        await index.put(PACK, "a", put)
        assert await index.fetch_tokens(PACK, []) == {}
        for pack, ids in (
            (PACK, [put[0].chunk.id, "no-such-chunk"]),
            ("textbook", [put[0].chunk.id]),
        ):
            with pytest.raises(IndexFailed):
                await index.fetch_tokens(pack, ids)

    async def test_statistics_count_current_chunks(self, index: Index):
        """A stem counts once a chunk, title and sections included."""
        await index.put(PACK, "a", entries("a", "fatigue fatigues", "rash"))
        await index.put(PACK, "b", entries("b", "Fatigued", title="Rashes"))
        await index.put("textbook", "c", entries("c", "fatigue"))
        statistics = await index.statistics(Scope(pack=PACK))
        assert (statistics.documents, statistics.chunks) == (2, 3)
        stems = statistics.chunk_frequency
        assert (stems["fatigu"], stems["rash"], stems["leaflet"]) == (2, 2, 2)
        assert "node" not in stems
        await index.withdraw(PACK, "a")
        statistics = await index.statistics(Scope(pack=PACK))
        assert (statistics.documents, statistics.chunks) == (1, 1)
        assert statistics.chunk_frequency.get("leaflet", 0) == 0
        empty = await index.statistics(Scope(pack="nowhere"))
        assert (empty.documents, empty.chunks, dict(empty.chunk_frequency)) == (
            0,
            0,
            {},
        )

    async def test_statistics_count_words_as_written_R_U2(self, index: Index):
        """In lower case, once a chunk, and no longer when they are withdrawn."""
        await index.put(PACK, "a", entries("a", "Fatigue: fatigue fatigues", "fatigue"))
        words = (await index.statistics(Scope(pack=PACK))).word_frequency
        assert (words["fatigue"], words["fatigues"], words["leaflet"]) == (2, 1, 2)
        assert "fatigu" not in words
        await index.put(PACK, "a", entries("a", "a rash", version="v2"))
        words = (await index.statistics(Scope(pack=PACK))).word_frequency
        assert words["rash"] == 1
        assert "fatigue" not in words

    async def test_neighbours_stand_around_a_chunk(self, index: Index):
        """Of the same version, in order, without the chunk itself."""
        put = entries("a", "one", "two", "three", "four", "five")
        await index.put(PACK, "a", put[::-1])
        await index.put(PACK, "b", entries("b", "other", "others"))
        chunks = [one.chunk for one in put]
        assert await index.neighbours(PACK, chunks[2]) == (chunks[1], chunks[3])
        assert await index.neighbours(PACK, chunks[0]) == (chunks[1],)
        wide = await index.neighbours(PACK, chunks[3], reach=2)
        assert wide == (chunks[1], chunks[2], chunks[4])
        unknown = chunk("a", 1, "two", version="v9")
        assert await index.neighbours(PACK, unknown) == ()
        assert await index.neighbours("textbook", chunks[2]) == ()
