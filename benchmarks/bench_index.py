"""Measure the embedder and the embedded index on passages of real documents.

    python benchmarks/bench_index.py DOCUMENTS --chunks 20000 100000

Larger indexes are tiled from the passages: texts as they are, vectors with a little
noise, so that no two are equal. Figures go to stdout as JSON lines.
"""

import argparse
import asyncio
import hashlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from adapters.embedding import MiniLM
from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from engine.documents.passage import make_entry, passage_text
from engine.model.document import BlockKind, Sentence
from engine.model.passage import Chunk
from engine.model.ports import Encoded, Entry, SearchQuery
from engine.model.question import Scope

EXTENSIONS = {".md", ".rst"}
PASSAGE = 900  # characters, about 200 word pieces
PER_DOCUMENT = 20
PACK = "bench"
IDENTITY = "bench-1"


def report(what: str, **figures: float) -> None:
    """Print one line of JSON, rounded for reading."""
    rounded = {name: round(value, 2) for name, value in figures.items()}
    sys.stdout.write(json.dumps({"what": what, **rounded}) + "\n")
    sys.stdout.flush()


def seconds(work: Callable[[], object]) -> float:
    """Measure the wall time of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def peak_mib() -> float:
    """Return the peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def passages(folder: Path, count: int) -> list[Chunk]:
    """Cut `count` passages, spread evenly over the documents of a folder."""
    found: list[Chunk] = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix in EXTENSIONS):
        text = path.read_text(encoding="utf-8")
        for start in range(0, len(text) - PASSAGE, PASSAGE):
            found.append(chunk(path.stem, len(found), text[start : start + PASSAGE]))
    return found[:: max(1, len(found) // count)][:count]


def chunk(title: str, ordinal: int, text: str) -> Chunk:
    """Make a chunk with sentences of 150 characters, as many as a real one has."""
    ends = range(150, len(text) + 150, 150)
    return Chunk(
        id=f"c{ordinal}",
        document="d",
        version=hashlib.sha256(text.encode()).hexdigest(),
        source="bench",
        title=title,
        section=("One", "Two"),
        ordinal=ordinal,
        start=0,
        end=len(text),
        line_start=1,
        text=text,
        sentences=tuple(
            Sentence(start=end - 150, end=end, kind=BlockKind.PARAGRAPH) for end in ends
        ),
    )


def tiled(
    chunks: Sequence[Chunk], encoded: Sequence[Encoded], count: int
) -> Iterator[list[Entry]]:
    """Yield documents of `PER_DOCUMENT` chunks each, `count` chunks in all."""
    chance = np.random.default_rng(7)
    order = chance.permutation(count) % len(chunks)
    for first in range(0, count, PER_DOCUMENT):
        document = f"d{first}"
        entries = []
        for ordinal, at in enumerate(order[first : first + PER_DOCUMENT]):
            copy = chunks[at].model_copy(
                update={
                    "id": f"{document}:{ordinal}",
                    "document": document,
                    "version": document,
                    "ordinal": ordinal,
                }
            )
            noise = chance.normal(scale=0.005, size=encoded[at].vector.shape)
            vector = (encoded[at].vector + noise).astype(np.float32)
            same = Encoded(vector, encoded[at].tokens, encoded[at].spans)
            entries.append(make_entry(copy, same))
        yield entries


def bench_embedder(chunks: Sequence[Chunk]) -> list[Encoded]:
    """Measure encoding with one and two threads; return the encodings."""
    texts = [passage_text(one) for one in chunks]
    began = time.perf_counter()
    embedder = MiniLM(threads=1)
    embedder.encode_question("warm up")
    report("embedder start", seconds=time.perf_counter() - began)
    for threads in (1, 2):
        embedder = MiniLM(threads=threads)
        embedder.encode_question("warm up")
        sample = texts[:100]
        began = time.perf_counter()
        tokens = sum(len(one.tokens) for one in embedder.encode(sample))
        took = time.perf_counter() - began
        report(
            f"encode, {threads} threads",
            chunks_per_second=len(sample) / took,
            tokens_per_second=tokens / took,
            tokens_per_chunk=tokens / len(sample),
            peak_mib=peak_mib(),
        )
    question = "Why does tiredness after treatment not go away with sleep?"
    times = [seconds(lambda: embedder.encode_question(question)) for _ in range(50)]
    report("encode a question", p50_ms=float(np.median(times)) * 1e3)
    return embedder.encode(texts)


def questions(
    chunks: Sequence[Chunk], encoded: Sequence[Encoded]
) -> list[tuple[tuple[str, ...], Encoded]]:
    """Draw six to twelve running words out of passages, as a person's words would
    be."""
    chance = np.random.default_rng(11)
    made = []
    for _ in range(100):
        at = int(chance.integers(len(chunks)))
        words = chunks[at].text.split()
        start = int(chance.integers(max(1, len(words) - 12)))
        made.append(
            (tuple(words[start : start + int(chance.integers(6, 13))]), encoded[at])
        )
    return made


async def bench_index(
    folder: Path, chunks: Sequence[Chunk], encoded: Sequence[Encoded], count: int
) -> None:
    """Build an index of `count` chunks and search it."""
    identity = Identity(IDENTITY, MiniLM.dimension, encoded[0].tokens.shape[1], "1")
    index = EmbeddedIndex(folder, identity)
    spent = 0.0
    for entries in tiled(chunks, encoded, count):
        began = time.perf_counter()
        await index.put(PACK, entries[0].chunk.document, entries)
        spent += time.perf_counter() - began
    await index.close()
    index = EmbeddedIndex(folder, identity)
    sizes = await index.sizes()
    report(
        f"put, {count} chunks",
        chunks_per_second=count / spent,
        ms_per_document=spent / (count / PER_DOCUMENT) * 1e3,
        bytes_per_chunk=(sizes.bytes or 0) / sizes.chunks,
    )
    times, fetches = [], []
    for terms, question in questions(chunks, encoded):
        query = SearchQuery(terms, question.vector, Scope(pack=PACK))
        began = time.perf_counter()
        found = await index.search(query)
        times.append(time.perf_counter() - began)
        began = time.perf_counter()
        await index.fetch_tokens(PACK, [one.chunk.id for one in found[:30]])
        fetches.append(time.perf_counter() - began)
    report(
        f"search, {count} chunks",
        first_ms=times[0] * 1e3,
        p50_ms=float(np.median(times)) * 1e3,
        p95_ms=float(np.quantile(times[1:], 0.95)) * 1e3,
        fetch_30_p50_ms=float(np.median(fetches)) * 1e3,
        peak_mib=peak_mib(),
    )
    began = time.perf_counter()
    statistics = await index.statistics(Scope(pack=PACK))
    report(
        f"statistics, {count} chunks",
        ms=(time.perf_counter() - began) * 1e3,
        stems=len(statistics.chunk_frequency),
    )
    await index.close()


def main() -> None:
    """Run both benchmarks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--distinct", type=int, default=2_000)
    options = parser.parse_args()
    chunks = passages(options.documents, options.distinct)
    encoded = bench_embedder(chunks)
    for count in options.chunks:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(bench_index(Path(folder), chunks, encoded, count))


if __name__ == "__main__":
    main()
