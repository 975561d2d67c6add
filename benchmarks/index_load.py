"""One index filled with copies of passages, then asked: figures as one JSON object.

    python -m benchmarks.index_load embedded PASSAGES 100000 --folder FOLDER
    python -m benchmarks.index_load weaviate PASSAGES 100000 --url URL --grpc PORT

A process of its own for each, so that memory is told apart. PASSAGES is a folder that
`benchmarks.tiles` wrote.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel
from rich.console import Console
from rich.progress import track

from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_schema import Names
from benchmarks.figures import KIB_PER_MIB
from benchmarks.tiles import NEAREST, Question, Tiles
from bot.serving.memory import keep_what_is_loaded
from engine.ports import Index, SearchQuery
from engine.records import Scope

PACK = "bench"
CALLERS = 8
ASKED = 400  # questions of each round
FETCHED = 30


class Latencies(BaseModel):
    """Of one round, in milliseconds; `cpu` and `server_cpu` are spent on one search."""

    p50: float
    p95: float
    p99: float
    per_second: float
    cpu: float
    server_cpu: float = 0.0


class Loaded(BaseModel):
    """What was measured of one index of one size.

    `busy` is the machine's load before that.
    """

    index: str
    chunks: int
    tokens: bool
    put_per_second: float
    first_ms: float
    alone: Latencies
    together: Latencies
    fetch_ms: float | None
    recall: float
    memory_mib: float
    server_mib: float = 0.0
    disk_mib: float = 0.0
    busy: float = 0.0


@dataclass(frozen=True, slots=True)
class Load:
    """What an index is filled with."""

    tiles: Tiles
    chunks: int
    size: int
    tokens: bool
    server: int | None = None  # the process of the index's server


async def fill(index: Index, load: Load) -> float:
    """Put every document; chunks a second, without the time to make them."""
    spent = 0.0
    documents = load.tiles.documents(load.chunks, load.size, load.tokens)
    total = -(-load.chunks // load.size)
    console = Console(stderr=True)
    for entries in track(documents, "putting", total, console=console):
        began = time.perf_counter()
        await index.put(PACK, entries[0].chunk.document, entries)
        spent += time.perf_counter() - began
    return load.chunks / spent


async def asked(
    index: Index, questions: Sequence[Question], callers: int
) -> tuple[list[float], list[set[str]]]:
    """Seconds of each search by so many callers at a time, and the nearest it found."""
    waiting: Iterator[int] = iter(range(len(questions)))
    seconds = [0.0] * len(questions)
    found: list[set[str]] = [set()] * len(questions)

    async def call() -> None:
        for at in waiting:
            question = questions[at]
            query = SearchQuery(question.terms, question.vector, Scope(pack=PACK))
            began = time.perf_counter()
            candidates = await index.search(query)
            seconds[at] = time.perf_counter() - began
            near = sorted(candidates, key=lambda one: -(one.cosine or -1.0))[:NEAREST]
            found[at] = {one.chunk.id for one in near}

    await asyncio.gather(*(call() for _ in range(callers)))
    return seconds, found


async def round_of(
    index: Index, questions: Sequence[Question], callers: int, server: int | None
) -> Latencies:
    """The latencies of one round, and the time that processors spent on it."""
    served = _cpu_seconds(server)
    own, began = time.process_time(), time.perf_counter()
    seconds, _ = await asked(index, questions, callers)
    took, own = time.perf_counter() - began, time.process_time() - own
    served = _cpu_seconds(server) - served
    p50, p95, p99 = (float(np.quantile(seconds, q)) * 1e3 for q in (0.5, 0.95, 0.99))
    count = len(seconds)
    return Latencies(
        p50=p50,
        p95=p95,
        p99=p99,
        per_second=count / took,
        cpu=own / count * 1e3,
        server_cpu=served / count * 1e3,
    )


async def measure(index: Index, name: str, load: Load) -> Loaded:
    """Fill an index and ask it."""
    rate = await fill(index, load)
    questions = load.tiles.questions(ASKED)
    first, _ = await asked(index, questions[:1], callers=1)
    keep_what_is_loaded()  # as the bot does that serves
    _, found = await asked(index, questions, callers=1)
    exact = load.tiles.nearest(questions, load.chunks, load.size)
    hits = [len(a & b) / NEAREST for a, b in zip(found, exact, strict=True)]
    alone = await round_of(index, questions, 1, load.server)
    together = await round_of(index, questions, CALLERS, load.server)
    return Loaded(
        index=name,
        chunks=load.chunks,
        tokens=load.tokens,
        put_per_second=rate,
        first_ms=first[0] * 1e3,
        alone=alone,
        together=together,
        fetch_ms=await _fetched(index, found) if load.tokens else None,
        recall=float(np.mean(hits)),
        memory_mib=_own_mib(),
    )


async def _fetched(index: Index, found: Sequence[set[str]]) -> float:
    """Median milliseconds to fetch the token vectors of `FETCHED` chunks."""
    wanted = sorted(set().union(*found))
    seconds = []
    for first in range(0, len(wanted) - FETCHED, FETCHED):
        began = time.perf_counter()
        await index.fetch_tokens(PACK, wanted[first : first + FETCHED])
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds)) * 1e3


def _cpu_seconds(process: int | None) -> float:
    """What a process has spent on processors so far; 0 where there is none."""
    if process is None:
        return 0.0
    said = Path(f"/proc/{process}/stat").read_text("ascii")
    user, system = said.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _own_mib() -> float:
    """Memory of this process without the files that it has mapped."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) / KIB_PER_MIB


def main() -> None:
    """Measure one index and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", choices=["embedded", "weaviate"])
    parser.add_argument("passages", type=Path)
    parser.add_argument("chunks", type=int)
    parser.add_argument("--tokens", action="store_true", help="put token vectors too")
    parser.add_argument("--size", type=int, default=200, help="chunks of a document")
    parser.add_argument("--folder", type=Path, help="of the embedded index")
    parser.add_argument("--url", help="of the Weaviate server")
    parser.add_argument("--grpc", help="its gRPC port")
    parser.add_argument("--server", type=int, help="its process")
    options = parser.parse_args()
    tiles = Tiles.load(options.passages)
    load = Load(
        tiles, options.chunks, options.size, options.tokens, server=options.server
    )
    loaded = asyncio.run(_measured(options, load))
    sys.stdout.write(loaded.model_dump_json() + "\n")


async def _measured(options: argparse.Namespace, load: Load) -> Loaded:
    identity = Identity("bench-1", load.tiles.dimension, load.tiles.reduced, "1")
    index: Index
    if options.index == "embedded":
        index = EmbeddedIndex(options.folder, identity)
    else:
        server = Server(options.url, options.grpc)
        index = WeaviateIndex(server, Names("bench", "bench", identity))
    try:
        return await measure(index, options.index, load)
    finally:
        await index.close()


if __name__ == "__main__":
    main()
