"""The index on a real Weaviate server: the contract, and what a server adds to it."""

import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from adapters.index import weaviate_shelf
from adapters.index.embedded import EmbeddedIndex
from adapters.index.upkeep import SHARED
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_shelf import (
    Quantizer,
    create_collection,
    list_collections,
    make_tenant_name,
)
from engine.model.errors import IndexFailed
from engine.model.ports import Index, SearchQuery
from engine.model.question import Scope
from tests.adapters.index.on_server import IDENTITY, Open, index, make
from tests.contracts.index_contract import IndexContract
from tests.contracts.index_entries import (
    PACK,
    direction,
    documents,
    entries,
    find,
    texts,
)

__all__ = ["index", "make"]  # fixtures
from tests.contracts.index_questions import many

pytestmark = pytest.mark.servers

WORDS = [
    "fatigue",
    "rash",
    "nausea",
    "node",
    "bridge",
    "permit",
    "dose",
    "sleep",
    "water",
    "salt",
]
LIFE = date(2020, 1, 1), date(2020, 12, 31)


class TestContract(IndexContract):
    """All of tests/contracts/index_contract.py."""


# --- the same answers as the embedded index ---------------------------------------


async def fill(into: Index) -> None:
    """Documents of all kinds: restricted, superseded, withdrawn, demo, two sources."""
    chance = random.Random(5)

    def pages(count: int) -> list[str]:
        return [" ".join(chance.choices(WORDS, k=12)) for _ in range(count)]

    for number in range(6):
        source = "nci" if number % 2 else "who"
        name = f"open {number}"
        await into.put(PACK, name, entries(name, *pages(9), source=source))
    await into.put(PACK, "ward", entries("ward", *pages(9), tags=("w",)))
    await into.put(PACK, "demo", entries("demo", *pages(3), demo=True))
    old = {"in_force_from": LIFE[0], "in_force_to": LIFE[1]}
    await into.put(PACK, "law", entries("law", *pages(4), **old))
    await into.put(PACK, "law", entries("law", *pages(4), version="v2"))
    await into.put(PACK, "asked", many("asked", "why so tired?"))
    await into.put(PACK, "quiet", many("quiet", "why so quiet?", tags=("w",)))
    await into.put(PACK, "gone", entries("gone", *pages(4)))
    await into.withdraw(PACK, "gone")
    await into.put(PACK, "open 1", entries("open 1", *pages(7), version="v2"))


def asked() -> list[SearchQuery]:
    """Questions of several scopes and limits."""
    chance = random.Random(6)
    made = []
    for number in range(40):
        terms = tuple(chance.sample(WORDS, chance.randint(1, 4)))
        scope = Scope(
            pack=PACK,
            tags=frozenset({"w"} if number % 3 == 0 else ()),
            as_of=date(2020, 6, 1) if number % 5 == 0 else None,
        )
        sources = frozenset({"nci"}) if number % 4 == 0 else None
        vector = direction(f"question {number}")
        made.append(SearchQuery(terms, vector, scope, chance.choice((3, 30)), sources))
    return made


async def test_both_indexes_give_the_same_answers_R_R1(
    index: WeaviateIndex, tmp_path: Path
):
    """The same passages in the same order with the same scores, in every scope.

    So few passages are compared one by one; over more than 40,000 the server searches
    its graph, and docs/index-benchmark.md has what that misses.
    """
    embedded = EmbeddedIndex(tmp_path / "index", IDENTITY)
    for into in (embedded, index):
        await fill(into)
    for query in asked():
        expected, found = await embedded.search(query), await index.search(query)
        assert [c.chunk for c in found] == [c.chunk for c in expected]
        for one, other in zip(found, expected, strict=True):
            assert one.cosine == pytest.approx(other.cosine, abs=1e-6)
            assert (one.bm25 or 0) == pytest.approx(other.bm25 or 0, rel=1e-5)
            assert (one.question or 9) == pytest.approx(other.question or 9, abs=1e-6)
            assert one.asked == other.asked
        statistics = await index.statistics(query.scope)
        assert statistics == await embedded.statistics(query.scope)
    assert index.refused == 0  # the server's filters left out what is not to be seen
    await embedded.close()


# --- tenants ----------------------------------------------------------------------


async def test_tenants_keep_documents_of_their_own(index: WeaviateIndex):
    """Seen by their own askers and nobody else; the shared ones by all."""
    await index.put(PACK, "all", entries("all", "fatigue for all"))
    await index.put(PACK, "one", entries("one", "fatigue of one"), "team-1")
    assert documents(await find(index, "fatigue", tenant="team-1")) == {"all", "one"}
    for other in ("team-2", "shared", "TEAM-1", "team-1 ", make_tenant_name("team-1")):
        assert documents(await find(index, "fatigue", tenant=other)) == {"all"}
    assert await index.versions(PACK) == {"all": "v1"}
    assert await index.versions(PACK, "team-1") == {"one": "v1"}
    await index.withdraw(PACK, "one")
    assert await index.versions(PACK, "team-1") == {"one": "v1"}


# --- writers ----------------------------------------------------------------------


async def test_a_reader_sees_what_another_process_wrote(
    make: Open, index: WeaviateIndex
):
    """At its next search, without being told."""
    reader = make()
    await index.put(PACK, "a", entries("a", "fatigue one"))
    assert texts(await find(reader, "fatigue")) == {"fatigue one"}
    await index.put(PACK, "a", entries("a", "fatigue two", version="v2"))
    assert texts(await find(reader, "fatigue")) == {"fatigue two"}
    await index.withdraw(PACK, "a")
    assert await find(reader, "fatigue") == ()


async def test_what_was_dropped_is_deleted_after_a_while(index: WeaviateIndex):
    """Not at once: a search that runs meanwhile may still read it."""
    await index.put(PACK, "a", entries("a", "fatigue", "rash"))
    await index.put(PACK, "a", entries("a", "nausea", version="v2"))
    assert (await index.sizes()).dropped_chunks == 2
    assert await index.compact() == 0
    assert await index.compact(grace=0) == 2
    sizes = await index.sizes()
    assert (sizes.documents, sizes.chunks, sizes.dropped_chunks) == (1, 1, 0)
    assert texts(await find(index, "fatigue", like="nausea")) == {"nausea"}


async def test_what_was_dropped_is_deleted_for_every_tenant(index: WeaviateIndex):
    """A workspace that nobody writes to any more keeps nothing of what was dropped."""
    for tenant in (SHARED, "team-1", "team-2"):
        await index.put(PACK, "a", entries("a", "fatigue", "rash"), tenant)
        await index.put(PACK, "a", entries("a", "nausea", version="v2"), tenant)
    assert await index.compact() == 0
    assert await index.compact(grace=0) == 6
    assert await index.compact(grace=0) == 0
    for tenant in ("team-1", "team-2"):
        assert await index.versions(PACK, tenant) == {"a": "v2"}
        found = await find(index, "nausea", tenant=tenant)
        assert [candidate.chunk.version for candidate in found] == ["v2", "v2"]


async def test_a_reader_that_missed_a_deletion_counts_as_others_do_R_C5(
    make: Open, index: WeaviateIndex
):
    """A bot that nobody asked while documents were replaced and then deleted."""
    idle, busy = make(), make()
    await index.put(PACK, "demo", entries("demo", "rash demo", demo=True))
    await index.put(PACK, "real", entries("real", "rash real"))
    await index.put(PACK, "other", entries("other", "rash"), "team-1")
    scopes = [Scope(pack=PACK), Scope(pack=PACK, tenant="team-1")]
    for reader in (idle, busy):
        for scope in scopes:
            assert (await reader.statistics(scope)).documents
    await index.put(PACK, "real", entries("real", "fatigue", version="v2"))
    await index.withdraw(PACK, "real")
    assert texts(await find(busy, "rash")) == {"rash demo"}
    assert await index.compact(grace=0) == 2
    for scope in scopes:
        counted = await make().statistics(scope)
        assert await idle.statistics(scope) == counted
        assert await busy.statistics(scope) == counted
    assert await idle.versions(PACK) == {"demo": "v1"}
    assert texts(await find(idle, "rash")) == {"rash demo"}
    await index.put(PACK, "real", entries("real", "node"))
    assert texts(await find(idle, "node")) == {"node"}


async def test_more_tenants_than_are_kept_in_memory_are_answered(
    make: Open, index: WeaviateIndex
):
    """Of what is kept, that goes first which was not used for longest."""
    await index.put(PACK, "all", entries("all", "fatigue for all"))
    tenants = [f"team-{number}" for number in range(20)]
    for tenant in tenants[::4]:
        await index.put(PACK, "own", entries("own", f"fatigue {tenant}"), tenant)
    reader = make()
    for _ in range(2):
        for tenant in tenants:
            own = {f"fatigue {tenant}"} if tenant in tenants[::4] else set()
            found = texts(await find(reader, "fatigue", tenant=tenant))
            assert found == {"fatigue for all"} | own


# --- making an index anew ---------------------------------------------------------


async def test_without_an_index_a_search_fails_and_says_what_to_do(make: Open):
    """Nothing was ever put in: that is no "nothing found"."""
    empty = make()
    assert await empty.versions(PACK) == {}
    with pytest.raises(IndexFailed, match="reindex"):
        await find(empty, "fatigue")


async def test_an_index_is_made_anew_beside_the_one_that_is_read(
    make: Open, index: WeaviateIndex
):
    """Readers see the old one until the new one is complete, then that."""
    reader = make()
    await index.put(PACK, "a", entries("a", "fatigue old"))
    assert texts(await find(reader, "fatigue")) == {"fatigue old"}
    strange = await find(reader, "fatigue", tenant="team-7")  # nothing is theirs
    assert texts(strange) == {"fatigue old"}
    await index.begin(fresh=True)
    await index.put(PACK, "a", entries("a", "fatigue new"))
    assert texts(await find(index, "fatigue")) == {"fatigue new"}
    assert texts(await find(reader, "fatigue")) == {"fatigue old"}
    await index.take_over()
    assert await index.begin() == 0  # mends what is read now
    for one in (reader, make()):
        for tenant in ("team-7", SHARED):
            found = await find(one, "fatigue", tenant=tenant)
            assert texts(found) == {"fatigue new"}


async def test_what_was_begun_may_be_left_for_what_is_read(index: WeaviateIndex):
    """`reindex` after a `reindex --fresh` in one process mends the old index."""
    await index.put(PACK, "a", entries("a", "fatigue old"))
    await index.begin(fresh=True)
    await index.put(PACK, "a", entries("a", "fatigue new"))
    assert await index.begin() == 1
    assert texts(await find(index, "fatigue")) == {"fatigue old"}


async def test_an_index_of_another_embedder_is_never_nothing_found_R_I10(
    make: Open, index: WeaviateIndex
):
    """Neither a question nor a write goes past it; `reindex` takes its place."""
    await index.put(PACK, "a", entries("a", "fatigue old"))
    later = replace(IDENTITY, chunker="2")
    new, reader = make(later), make(later)
    with pytest.raises(IndexFailed, match="reindex"):
        await find(new, "fatigue")
    with pytest.raises(IndexFailed, match="reindex"):
        await new.versions(PACK)
    with pytest.raises(IndexFailed, match="reindex"):
        await new.put(PACK, "b", entries("b", "node"))
    await new.begin()
    await new.put(PACK, "a", entries("a", "fatigue new"))
    assert texts(await find(make(), "fatigue")) == {"fatigue old"}
    with pytest.raises(IndexFailed, match="reindex"):  # it is not complete
        await find(reader, "fatigue")
    await new.take_over()
    assert texts(await find(reader, "fatigue")) == {"fatigue new"}


async def test_an_index_of_another_schema_is_replaced_beside_it_R_I10(
    make: Open, monkeypatch: pytest.MonkeyPatch
):
    """Never read or written, and never nothing found; older programs read it on."""
    before = weaviate_shelf.SCHEMA - 1
    with monkeypatch.context() as earlier:
        earlier.setattr(weaviate_shelf, "SCHEMA", before)
        await make().put(PACK, "a", entries("a", "fatigue old"))
    new = make()
    for failing in (
        find(new, "fatigue"),
        new.versions(PACK),
        new.statistics(Scope(pack=PACK)),
        new.put(PACK, "b", entries("b", "node")),
        new.withdraw(PACK, "a"),
        new.describe(),
    ):
        with pytest.raises(IndexFailed, match=r"another schema.*groundrule reindex"):
            await failing
    assert await new.begin() == 0
    await new.put(PACK, "a", entries("a", "fatigue new"))
    with monkeypatch.context() as earlier:
        earlier.setattr(weaviate_shelf, "SCHEMA", before)
        assert texts(await find(make(), "fatigue")) == {"fatigue old"}
    with pytest.raises(IndexFailed, match="another schema"):  # it is not complete
        await find(make(), "fatigue")
    await new.take_over()
    assert texts(await find(make(), "fatigue")) == {"fatigue new"}


async def test_an_index_that_the_ledger_never_knew_is_replaced_by_reindex_R_I10(
    make: Open, monkeypatch: pytest.MonkeyPatch
):
    """A write would make a nearly empty one beside what an earlier program made."""
    new = make()
    with monkeypatch.context() as earlier:
        earlier.setattr(weaviate_shelf, "SCHEMA", weaviate_shelf.SCHEMA - 1)
        await create_collection(new._calls, new._shelf.names, Quantizer.NONE)
    with pytest.raises(IndexFailed, match=r"earlier program made it.*reindex"):
        await new.put(PACK, "a", entries("a", "node"))
    assert await new.begin() == 0
    await new.put(PACK, "a", entries("a", "fatigue new"))
    await new.take_over()
    assert texts(await find(make(), "fatigue")) == {"fatigue new"}
    assert len(await list_collections(new._calls, new._shelf.names)) == 1


async def test_an_index_that_was_begun_and_not_ended_is_deleted_by_the_next(
    make: Open, index: WeaviateIndex
):
    """What is read meanwhile stays."""
    await index.put(PACK, "a", entries("a", "fatigue old"))
    later = replace(IDENTITY, chunker="2")
    other, cut, keeper = make(later), make(), make()
    assert await other.begin() == 0
    await other.put(PACK, "a", entries("a", "fatigue other"))
    assert await cut.begin(fresh=True) == 1
    await cut.put(PACK, "a", entries("a", "fatigue cut"))
    assert await keeper.begin(fresh=True) == 1
    assert texts(await find(make(), "fatigue")) == {"fatigue old"}
    assert len(await list_collections(keeper._calls, keeper._shelf.names)) == 2
    with pytest.raises(IndexFailed, match="let one of them run alone"):
        await cut.versions(PACK)
    with pytest.raises(IndexFailed):  # and it does not go on in the one that is read
        await cut.put(PACK, "b", entries("b", "fatigue"))
    await keeper.put(PACK, "a", entries("a", "fatigue new"))
    await keeper.take_over()
    assert texts(await find(make(), "fatigue")) == {"fatigue new"}
    assert await list_collections(keeper._calls, keeper._shelf.names) == [
        (await keeper._shelf.needed()).name
    ]


@pytest.mark.prove
async def test_a_passage_that_stands_in_every_document_refuses_none(
    index: WeaviateIndex,
):
    """A licence, say: equal vectors lead the graph of a server nowhere else."""
    chance = np.random.default_rng(1)
    licence = entries("licence", "the licence")[0].vector
    for number in range(400):
        name = f"d{number}"
        own = chance.normal(size=(5, licence.size)).astype(np.float32)
        put = entries(name, *(f"{name} {at}" for at in range(5)), "the licence")
        vectors = [*own / np.linalg.norm(own, axis=1, keepdims=True), licence]
        await index.put(
            PACK,
            name,
            [replace(one, vector=v) for one, v in zip(put, vectors, strict=True)],
        )


async def test_an_index_that_is_there_is_kept(index: WeaviateIndex):
    """`reindex` without --fresh goes on with what the server holds."""
    await index.put(PACK, "a", entries("a", "fatigue"))
    await index.begin()
    await index.take_over()
    assert texts(await find(index, "fatigue")) == {"fatigue"}
    assert await index.doubts() is None
