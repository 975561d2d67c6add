"""The embedded index: the contract, and what a directory on a disk adds to it."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from adapters.index.catalogue import FILE, Identity
from adapters.index.embedded import EmbeddedIndex
from engine.model.errors import IndexFailed
from engine.model.question import Scope
from engine.text.words import VERSION
from tests.contracts.index_contract import IndexContract
from tests.contracts.index_entries import (
    DIMENSION,
    PACK,
    REDUCED,
    direction,
    documents,
    entries,
    find,
    texts,
)

IDENTITY = Identity("hand-made", DIMENSION, REDUCED, chunker="1")


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[EmbeddedIndex]:
    """An empty index in a folder of its own."""
    made = EmbeddedIndex(tmp_path / "index", IDENTITY)
    yield made
    await made.close()


async def filled(folder: Path) -> EmbeddedIndex:
    """An index with two documents."""
    made = EmbeddedIndex(folder, IDENTITY)
    await made.put(PACK, "a", entries("a", "fatigue lasts", "rash"))
    await made.put(PACK, "b", entries("b", "nausea"))
    return made


class TestContract(IndexContract):
    """All of tests/contracts/index_contract.py."""


# --- what an index is bound to ----------------------------------------------------


async def test_an_index_survives_its_process(tmp_path: Path):
    """What was put is found after the folder is opened again."""
    await (await filled(tmp_path)).close()
    again = EmbeddedIndex(tmp_path, IDENTITY)
    assert documents(await find(again, "fatigue")) == {"a", "b"}
    assert (await again.statistics(Scope(pack=PACK))).chunk_frequency["fatigu"] == 1
    await again.close()


@pytest.mark.parametrize(
    "change",
    [
        {"embedder": "other"},
        {"dimension": 17},
        {"reduced": 5},
        {"chunker": "2"},
    ],
)
async def test_another_embedder_reducer_or_chunker_is_refused(tmp_path: Path, change):
    """The message names the field, both values, and the way out."""
    await (await filled(tmp_path)).close()
    (field, value) = next(iter(change.items()))
    with pytest.raises(IndexFailed, match=rf"{field} .*{value}.*reindex"):
        EmbeddedIndex(tmp_path, replace(IDENTITY, **change))


@pytest.mark.parametrize("schema", [3, 99])
async def test_an_index_of_another_schema_is_refused(tmp_path: Path, schema: int):
    """One of another program is left alone, and the message says what to do."""
    await (await filled(tmp_path)).close()
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute(f"PRAGMA user_version = {schema}")
    database.close()
    with pytest.raises(IndexFailed, match=rf"schema {schema}.*reindex --fresh"):
        EmbeddedIndex(tmp_path, IDENTITY)


async def test_another_stemmer_is_refused(tmp_path: Path):
    """Stored stems are only good for the lexicon that made them."""
    await (await filled(tmp_path)).close()
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE identity SET value = 'x' WHERE value = ?", (VERSION,))
    database.close()
    with pytest.raises(IndexFailed, match="lexicon x"):
        EmbeddedIndex(tmp_path, IDENTITY)


# --- several processes ------------------------------------------------------------


async def test_a_reader_sees_what_another_writes(tmp_path: Path):
    """A second connection takes a new snapshot when the revision has changed."""
    writer = await filled(tmp_path)
    reader = EmbeddedIndex(tmp_path, IDENTITY)
    assert documents(await find(reader, "fatigue")) == {"a", "b"}
    await writer.put(PACK, "c", entries("c", "fatigue too"))
    assert documents(await find(reader, "fatigue")) == {"a", "b", "c"}
    await writer.withdraw(PACK, "a")
    assert documents(await find(reader, "fatigue")) == {"b", "c"}
    await writer.close()
    await reader.close()


async def test_a_second_writer_gets_a_clear_error(tmp_path: Path):
    """While a write is under way another one waits its patience, then says why."""
    await (await filled(tmp_path)).close()
    busy = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    second = EmbeddedIndex(tmp_path, IDENTITY, patience=0.01)
    with pytest.raises(IndexFailed, match="another process is writing"):
        await second.put(PACK, "c", entries("c", "more"))
    assert documents(await find(second, "fatigue")) == {"a", "b"}
    busy.execute("ROLLBACK")
    busy.close()
    await second.put(PACK, "c", entries("c", "more"))
    assert set(await second.versions(PACK)) == {"a", "b", "c"}
    await second.close()


# --- damage -----------------------------------------------------------------------


def tear(folder: Path) -> None:
    """Leave bytes behind the end of every array, as a crash does."""
    for path in folder.glob("*.1"):
        with path.open("ab") as file:
            file.write(b"\xff" * 1_001)


async def test_a_torn_tail_is_ignored(tmp_path: Path):
    """Bytes behind the committed extent are unseen, and replaced by the next write."""
    await (await filled(tmp_path)).close()
    tear(tmp_path)
    again = EmbeddedIndex(tmp_path, IDENTITY)
    assert documents(await find(again, "fatigue")) == {"a", "b"}
    put = entries("c", "fatigue in the tail")
    await again.put(PACK, "c", put)
    name = put[0].chunk.id
    tokens = await again.fetch_tokens(PACK, [name])
    assert np.array_equal(tokens[name].values, put[0].tokens.values)
    assert documents(await find(again, "tail")) == {"a", "b", "c"}
    await again.close()


@pytest.mark.parametrize("name", ["vectors", "tokens", "terms", "records"])
async def test_a_file_that_lost_bytes_is_reported(tmp_path: Path, name: str):
    """Never an empty result: reading and writing both fail, with the way out."""
    await (await filled(tmp_path)).close()
    path = tmp_path / f"{name}.1"
    path.write_bytes(path.read_bytes()[:-1])
    again = EmbeddedIndex(tmp_path, IDENTITY)
    with pytest.raises(IndexFailed, match=r"damaged.*ingest again"):
        await find(again, "fatigue")
    with pytest.raises(IndexFailed, match="damaged"):
        await again.put(PACK, "c", entries("c", "more"))
    path.unlink()
    with pytest.raises(IndexFailed, match="missing"):
        await find(again, "fatigue")
    await again.close()


async def test_a_file_that_is_no_database_is_reported(tmp_path: Path):
    """The message names the folder."""
    (tmp_path / FILE).write_bytes(b"no database at all" * 100)
    with pytest.raises(IndexFailed, match="not a database"):
        EmbeddedIndex(tmp_path, IDENTITY)


async def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path):
    """A file stands in the way."""
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexFailed, match="file"):
        EmbeddedIndex(tmp_path / "file" / "index", IDENTITY)


# --- what the port leaves open ----------------------------------------------------


async def test_tenants_keep_documents_of_their_own(index: EmbeddedIndex):
    """A document of a tenant is for its members alone, beside the shared ones."""
    await index.put(PACK, "a", entries("a", "fatigue"))
    await index.put(PACK, "a", entries("a", "fatigue own"), tenant="team-1")
    await index.put(PACK, "b", entries("b", "fatigue b"), tenant="team-2")
    assert texts(await find(index, "fatigue")) == {"fatigue"}
    own = await find(index, "fatigue", tenant="team-1")
    assert texts(own) == {"fatigue", "fatigue own"}
    assert await index.versions(PACK, tenant="team-2") == {"b": "v1"}
    seen = await index.statistics(Scope(pack=PACK, tenant="team-2"))
    assert (seen.documents, seen.word_frequency.get("own")) == (2, None)
    await index.withdraw(PACK, "b")
    assert documents(await find(index, "fatigue", tenant="team-2")) == {"a", "b"}
    await index.withdraw(PACK, "b", tenant="team-2")
    assert documents(await find(index, "fatigue", tenant="team-2")) == {"a"}


async def test_a_real_document_of_a_tenant_hides_no_demo_from_others(
    index: EmbeddedIndex,
):
    """Demo documents step back only where the real one can be seen."""
    await index.put(PACK, "demo", entries("demo", "fatigue", demo=True))
    await index.put(PACK, "real", entries("real", "rash"), tenant="team-1")
    assert documents(await find(index, "fatigue")) == {"demo"}
    assert documents(await find(index, "fatigue", tenant="team-1")) == {"real"}


async def test_a_new_version_ends_the_force_of_an_open_one_R_F5(index: EmbeddedIndex):
    """Laws come without an end: the next version sets it, the day before its own."""
    for year in (2003, 2010, 2020):
        put = entries(
            "law", f"permit {year}", version=f"v{year}", in_force_from=date(year, 5, 1)
        )
        await index.put(PACK, "law", put)
    for day, expected in (
        (date(2010, 4, 30), {"permit 2003"}),
        (date(2010, 5, 1), {"permit 2010"}),
        (date(2020, 4, 30), {"permit 2010"}),
        (date(2020, 5, 1), {"permit 2020"}),
        (None, {"permit 2020"}),
    ):
        assert texts(await find(index, "permit", as_of=day)) == expected


async def test_the_dense_arm_is_exact(index: EmbeddedIndex):
    """The same order and scores as a plain product over all vectors."""
    put = entries("a", *[f"word{n}" for n in range(200)])
    await index.put(PACK, "a", put)
    found = await find(index, like="word7", limit=50)
    products = np.stack([one.vector for one in put]) @ direction("word7")
    best = np.argsort(-products)[:50]
    assert [c.chunk.ordinal for c in found] == best.tolist()
    assert [c.cosine for c in found] == pytest.approx(products[best].tolist(), abs=1e-6)


# --- compaction -------------------------------------------------------------------


async def test_compaction_gives_space_back_and_changes_nothing_else(tmp_path: Path):
    """Also for a reader that has the old files open, and for superseded versions."""
    index = await filled(tmp_path)
    await index.put(PACK, "law", entries("law", "permit", in_force_to=date(2020, 1, 1)))
    await index.put(PACK, "law", entries("law", "permit new", version="v2"))
    await index.put(PACK, "a", entries("a", "fatigue", "rash", "rest", version="v2"))
    reader = EmbeddedIndex(tmp_path, IDENTITY)
    searches = (
        {"terms": ("fatigue", "permit")},
        {"terms": ("permit",), "as_of": date(2019, 1, 1)},
    )

    async def answers(of: EmbeddedIndex) -> list[object]:
        found = [await find(of, *s["terms"], as_of=s.get("as_of")) for s in searches]
        ids = [candidate.chunk.id for candidate in found[0]]
        tokens = await of.fetch_tokens(PACK, ids)
        return [
            {c.chunk.id: c for c in found[0]},
            {c.chunk.id: c for c in found[1]},
            {name: one.values.tolist() for name, one in tokens.items()},
            await of.versions(PACK),
            await of.statistics(Scope(pack=PACK)),
        ]

    before = await answers(reader)
    (tmp_path / "vectors.2").write_bytes(b"left by a compaction that was killed")
    (tmp_path / "vectors.3").write_bytes(b"of another process, just being written")
    held = (await index.sizes()).dropped_chunks
    assert held == 2
    assert await index.compact() == held
    sizes = await index.sizes()
    assert (sizes.documents, sizes.chunks, sizes.dropped_chunks) == (3, 5, 0)
    assert not (tmp_path / "vectors.1").exists()
    assert (tmp_path / "vectors.3").exists()
    for one in (index, reader):
        assert await answers(one) == before
    await index.put(PACK, "c", entries("c", "fatigue c"))
    assert documents(await find(reader, "fatigue")) == {"a", "b", "c", "law"}
    await index.close()
    await reader.close()


async def test_an_empty_index_can_be_compacted(index: EmbeddedIndex):
    """Everything withdrawn, everything gone, and it can be filled again."""
    await index.put(PACK, "a", entries("a", "fatigue"))
    await index.withdraw(PACK, "a")
    assert await index.compact() == 1
    assert await find(index, "fatigue") == ()
    await index.put(PACK, "a", entries("a", "fatigue"))
    assert documents(await find(index, "fatigue")) == {"a"}
