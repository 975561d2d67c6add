"""Measure the ingestion of whole folders, and questions over the index made of them.

Documents go in by the command that people use. The index of the first folder is then
tiled to 20,000 chunks: its documents again under other names, vectors with a little
noise, so that no two are equal; the ledger holds the copies too, or no answer could
quote them. The questions are those of the pack's evaluation suite.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import re2

from adapters.index.catalogue import Catalogue, StoredVersion
from adapters.index.segments import Block, Segments, Widths
from adapters.index.upkeep import State
from adapters.ledger.store import SqlLedger
from benchmarks.figures import Figure, NotMeasured, measure_spread, run_module
from bot.assistant import Asked, Assistant, find_fault
from bot.wiring import Application, Search, read_settings
from engine.model.passage import Chunk
from engine.model.ports import Entry, TokenVectors
from engine.policy.pack import Pack
from evals.relevance.cases import load

CHUNKS = 20_000  # of the index that questions are asked over
QUESTIONS = 100
STARTS = 5
PATIENCE_S = 10.0
NOISE = 0.005  # standard deviation of the noise on a copy's vector

# Aims of the project (README, "How fast it is").
INGESTED_PER_SECOND = 30.0
INGESTION_MIB = 1024.0
REPLY_P50_MS, REPLY_P95_MS = 200.0, 500.0
START_S = 2.5

_INGESTED = re2.compile(r"(\d+) chunks? in ")
_FAILED = re2.compile(r"(\d+) failed")


@dataclass(frozen=True, slots=True)
class Folder:
    """Documents, the pack that they go into, and what to call them."""

    path: Path
    pack: str
    name: str


@dataclass(frozen=True, slots=True)
class Replies:
    """Seconds from each question to its reply, over so many chunks."""

    chunks: int
    seconds: Sequence[float]


def bench_corpus(folders: Sequence[Folder], data: Path) -> Iterator[Figure]:
    """Ingest every folder into `data`, then ask over the first one.

    Raises:
        NotMeasured: a command failed.
    """
    for folder in folders:
        yield from _time_ingestion(folder, data)
    yield from _time_questions(folders[0], data)


def _time_ingestion(folder: Folder, data: Path) -> Iterator[Figure]:
    command = ["bot", "--data", str(data), "ingest", str(folder.path)]
    command += ["--pack", folder.pack]
    first = run_module(*command)
    found = _INGESTED.search(first.remarks)
    if found is None:
        raise NotMeasured(f"the ingestion of {folder.path} brought no chunk in")
    rate = int(found.group(1)) / first.seconds
    yield Figure(
        f"ingestion of {folder.name}: {found.group(1)} chunks, start included",
        f"{rate:.1f} chunks/s",
        f">= {INGESTED_PER_SECOND:g} chunks/s",
        rate >= INGESTED_PER_SECOND,
    )
    yield Figure(
        "  its peak memory, largest process",
        f"{first.peak_mib:.0f} MiB",
        f"< {INGESTION_MIB:g} MiB",
        first.peak_mib < INGESTION_MIB,
    )
    yield Figure("  documents", first.out.strip(), "0 failed", _is_whole(first.out))
    again = run_module(*command)
    yield Figure(
        f"  the same again, {again.seconds:.1f} s",
        again.out.strip(),
        "0 added, 0 changed",
        again.out.startswith("0 added, 0 changed") and _is_whole(again.out),
    )


def _is_whole(counts: str) -> bool:
    found = _FAILED.search(counts)
    return found is not None and found.group(1) == "0"


def _time_questions(folder: Folder, data: Path) -> Iterator[Figure]:
    """Time questions to their replies, and the start of `ask`, over the tiled index."""
    cases = [case.question for case in load(folder.pack) if case.half == "test"]
    replies = asyncio.run(_ask_all(folder.pack, data, cases[:QUESTIONS]))
    times = measure_spread(replies.seconds)
    yield Figure(
        f"question to reply, {replies.chunks:,} chunks of {folder.name}, "
        f"{len(replies.seconds)} questions, audit record included",
        str(times),
        f"p50 <= {REPLY_P50_MS:g} ms, p95 <= {REPLY_P95_MS:g} ms",
        times.p50 <= REPLY_P50_MS and times.p95 <= REPLY_P95_MS,
    )
    command = ["bot", "--data", str(data), "ask", cases[0], "--pack", folder.pack]
    start = median(run_module(*command).seconds for _ in range(STARTS))
    yield Figure(
        f"start of `ask` to its reply, the same index, median of {STARTS}",
        f"{start:.2f} s",
        f"<= {START_S:g} s",
        start <= START_S,
    )


async def _ask_all(name: str, data: Path, questions: Sequence[str]) -> Replies:
    """Ask over the tiled index."""
    async with Application(read_settings(data)) as application:
        pack = application.pack(name)
        search = application.search
        await _tile(search, pack, application.ledger, data / "index")
        assistant = Assistant(application, frozenset())
        await assistant.pack(name)
        await assistant.ask(pack, Asked(text=questions[0]))  # maps the files
        seconds = []
        for question in questions:
            began = time.perf_counter()
            outcome = await assistant.ask(pack, Asked(text=question))
            assistant.word(pack, outcome)
            seconds.append(time.perf_counter() - began)
            failed = find_fault(outcome)
            if failed is not None:
                raise NotMeasured(failed.explanation)
        return Replies((await search.index.sizes()).chunks, seconds)


def _find_only(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


async def _tile(search: Search, pack: Pack, ledger: SqlLedger, indexes: Path) -> None:
    """Put copies of the pack's documents in until the index has enough chunks.

    Raises:
        NotMeasured: the ledger lacks a document of the index.
    """
    chunks = (await search.index.sizes()).chunks
    place = _find_only(indexes)
    catalogue = Catalogue(place, search.identity, PATIENCE_S)
    with catalogue.reading():
        head = catalogue.read_head()
        stored = [v for v in catalogue.list_versions() if v.state is State.CURRENT]
    own = [version for version in stored if version.pack == pack.id]
    identity = search.identity
    widths = Widths(identity.dimension, identity.reduced)
    block = Segments(place, head.extent.generation, widths).map(head.extent)
    chance = np.random.default_rng(7)
    copy = 0
    while own and chunks < CHUNKS:
        copy += 1
        for version in own:
            rows = range(version.first_row, version.first_row + version.rows)
            with catalogue.reading():
                bodies = catalogue.read_bodies(rows)
            texts = [bodies[row] for row in rows]
            entries = _make_copies(version, texts, block, f"#{copy}", chance)
            name = entries[0].chunk.document
            original = await ledger.document(version.document, version.version, pack.id)
            if original is None:
                raise NotMeasured(f"{version.document} is not in the ledger")
            same = original.model_copy(update={"id": name})
            await ledger.store_document(pack.id, same)
            await search.index.put(pack.id, name, entries)
            chunks += version.rows
            if chunks >= CHUNKS:
                break
    catalogue.close()


def _make_copies(
    version: StoredVersion,
    bodies: Sequence[str],
    block: Block,
    suffix: str,
    chance: np.random.Generator,
) -> list[Entry]:
    entries = []
    for at, body in enumerate(bodies):
        chunk = Chunk.model_validate_json(body)
        name = {"id": chunk.id + suffix, "document": chunk.document + suffix}
        stored = block.rows(version.first_row + at, 1)
        noise = chance.normal(scale=NOISE, size=stored.vectors[0].shape)
        entries.append(
            Entry(
                chunk.model_copy(update=name),
                (stored.vectors[0] + noise).astype(np.float32),
                TokenVectors(stored.tokens["values"], stored.tokens["span"]),
            )
        )
    return entries
