"""The index made from the ledger."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from adapters.embedding import MiniLM
from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from bot.documents.corpus import Corpus
from bot.documents.indexing import BATCH, CHUNKER, Indexer, cut_chunks
from bot.documents.ingest import Steps
from bot.documents.proof import find_differences
from bot.documents.reindex import current_members, measure_anchors, read_stored, reindex
from engine.model.document import Block, BlockKind, Sentence
from engine.model.errors import DocumentError
from engine.model.ports import SearchQuery
from engine.model.question import Scope
from tests.adapters.ledger.samples import document
from tests.bot.conftest import Library


async def test_a_lost_index_is_made_again_from_the_ledger(
    library: Library, tmp_path: Path, embedder: MiniLM
) -> None:
    """Without the files, without a change of the ledger."""
    await library.ingest()
    before = await library.corpus.index.versions("small")
    identity = Identity(embedder.name, embedder.dimension, embedder.reduced, CHUNKER)
    (tmp_path / "new").mkdir()
    index = EmbeddedIndex(tmp_path / "new", identity)
    library.corpus = Corpus(
        library.corpus.pack, library.corpus.documents, index, embedder
    )
    assert await reindex(library.corpus, Steps()) == 2
    assert await index.versions("small") == before
    assert await reindex(library.corpus, Steps()) == 0
    await index.close()


async def test_what_the_ledger_withdrew_leaves_the_index(library: Library) -> None:
    """After a restore the index may hold more than the ledger."""
    await library.ingest()
    member = next(iter((await current_members(library.corpus)).values()))
    await library.corpus.documents.withdraw("small", member.document)
    await reindex(library.corpus, Steps())
    assert await library.agrees()
    assert member.document not in await library.corpus.index.versions("small")


async def test_anchors_are_rebuilt_on_request_R_R7(library: Library) -> None:
    """Named documents go in anew, and the report counts their passages."""
    await library.ingest()
    members = await current_members(library.corpus)
    assert await reindex(library.corpus, Steps(), list(members)) == 2
    report = await measure_anchors(library.corpus)
    assert (report.items, report.share) == (2, 1.0)


async def test_batches_span_documents_and_documents_span_batches(
    library: Library,
) -> None:
    """Each chunk is stored with its own vector, wherever the batches were cut."""
    for number in range(3):
        parts = (f"## Part {n}\n\nFact {n} of {number}." for n in range(BATCH // 2 + 3))
        library.write(f"notes/long{number}.md", "\n\n".join(parts))
    summary = await library.ingest()
    assert summary.chunks == 2 + 3 * (BATCH // 2 + 3)
    assert await library.agrees()
    corpus = library.corpus
    for member in (await current_members(corpus)).values():
        chunks = cut_chunks(corpus.pack, await read_stored(corpus, member))
        tokens = await corpus.index.fetch_tokens("small", [c.id for c in chunks])
        assert all(tokens[c.id].spans.max() == len(c.text) for c in chunks)


async def test_progress_counts_every_chunk_once(library: Library) -> None:
    """What is told adds up to what went in."""
    await library.ingest()
    corpus = library.corpus
    told: list[int] = []
    indexer = Indexer(corpus, told.append)
    for member in (await current_members(corpus)).values():
        document = await read_stored(corpus, member)
        await indexer.add(document.id, cut_chunks(corpus.pack, document))
    await indexer.finish()
    assert sum(told) == 2


async def versions_on(library: Library, day: date | None) -> set[str]:
    """Texts that a search sees on a day."""
    vector = np.zeros(384, dtype=np.float32)
    vector[0] = 1.0
    scope = Scope(pack="small", as_of=day)
    query = SearchQuery(terms=("dose",), vector=vector, scope=scope)
    found = await library.corpus.index.search(query)
    return {c.chunk.text for c in found if "dose" in c.chunk.text}


async def test_earlier_versions_come_back_with_their_force_R_R8_R_F5(
    library: Library,
) -> None:
    """In order, so that each is found on the days on which it held."""
    for year in (2020, 2022, 2024):
        text = f"The dose is {year} units."
        library.write("notes/dose.md", text, in_force_from=f"{year}-01-01")
        await library.ingest()
    days = [date(year, 6, 1) for year in (2021, 2023, 2025)]
    before = [await versions_on(library, day) for day in days]
    assert len(set(map(frozenset, before))) == 3
    for name in await library.corpus.index.versions("small"):
        await library.corpus.index.withdraw("small", name)
    assert await reindex(library.corpus, Steps()) == 3
    assert [await versions_on(library, day) for day in days] == before
    assert await library.agrees()


@pytest.mark.parametrize(
    "text",
    [
        "# Log\n\n```\n" + "0123456789_" * 100_000 + "\n```\n",
        "# Picture\n\n" + "iVBORw0KGgo" * 100_000,
    ],
    ids=["fenced log", "base64"],
)
async def test_a_block_too_long_to_search_is_one_documents_error_R_S2(
    library: Library, text: str
) -> None:
    """Named with its file and the fix before it is recorded; the rest goes in."""
    library.write("notes/aaa.md", text)
    summary = await library.ingest()
    assert (summary.actions["added"], summary.actions["failed"]) == (2, 1)
    (failure,) = summary.failures
    assert "notes/aaa.md" in failure
    assert "cut it up" in failure
    assert len(failure) < 400
    assert await library.agrees()
    assert len(await current_members(library.corpus)) == 2


@pytest.mark.parametrize("between", ["\n", " "], ids=["lines", "words"])
async def test_long_code_that_can_be_cut_is_searched_R_G12(
    library: Library, between: str
) -> None:
    """Between its lines, and a line between its words."""
    log = f"0123456789{between}" * 1_000
    library.write("notes/aaa.md", f"# Log\n\n```\n{log}\n```\n")
    summary = await library.ingest()
    assert (summary.actions["added"], summary.actions["failed"]) == (3, 0)
    assert await library.agrees()


async def test_a_store_that_holds_such_a_block_heals_R_U7(library: Library) -> None:
    """`reindex` names the document, leaves it out, and puts in all that come after."""
    log = "0123456789 " * 100_000
    whole = {"start": 0, "end": len(log), "kind": BlockKind.CODE}
    await library.ingest()
    held = document(
        log,
        "aaa",
        source="notes",
        blocks=(Block(**whole),),
        sentences=(Sentence(**whole),),
    )
    await library.corpus.documents.store_document("small", held)
    for document_id in await library.corpus.index.versions("small"):
        await library.corpus.index.withdraw("small", document_id)
    for _ in range(2):
        with pytest.raises(DocumentError, match=r"clinic/aaa\.md.*left out"):
            await reindex(library.corpus, Steps())
        indexed = await library.corpus.index.versions("small")
        assert len(indexed) == 2
        assert "aaa" not in indexed
    await library.corpus.documents.store_document("small", document("Short.", "aaa"))
    assert await reindex(library.corpus, Steps()) == 1
    assert await library.agrees()


async def test_an_index_that_says_otherwise_is_noticed_R_V7_R_D3(
    library: Library, tmp_path: Path
) -> None:
    """An address, a title, tags or a text that was changed behind the ledger."""
    library.write("notes/near.md", "# Near\n\nNear by.", url="https://example.org/n")
    await library.ingest()
    assert [one async for one in find_differences(library.corpus)] == []
    await library.corpus.index.close()
    (file,) = (tmp_path / "data" / "index").rglob("catalogue.db")
    with closing(sqlite3.connect(file)) as changed, changed:
        changed.execute(
            "UPDATE chunks SET body = replace(body, 'https://example.org/n', "
            "'https://evil.example/')"
        )
        changed.execute(
            "UPDATE chunks SET body = replace(body, 'salt water', 'sea water')"
        )
    identity = library.corpus.index._identity  # type: ignore[attr-defined]
    opened = EmbeddedIndex(file.parent, identity)
    corpus = replace(library.corpus, index=opened)
    told = sorted([one async for one in find_differences(corpus)])
    await opened.close()
    assert told == ["https://example.org/n: url", "notes/notes/salt.md: text"]
