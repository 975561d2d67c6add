"""What the benchmark of both indexes compares with, and how it is drawn."""

from argparse import Namespace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from adapters.index.embedded import EmbeddedIndex
from benchmarks.bars import Bar, Panel, draw
from benchmarks.bench_index_servers import INDEXES, measured, table
from benchmarks.index_load import Latencies, Load, Loaded, measure
from benchmarks.tiles import NEAREST, Tiles
from tests.adapters.index.crash_writer import IDENTITY
from tests.contracts.index_entries import entries

CHUNKS, SIZE = 90, 20


@pytest.fixture
def tiles() -> Tiles:
    """Seven passages."""
    texts = [f"passage number {n} speaks of pump {n} and valve {n}" for n in range(7)]
    return Tiles(tuple(entries("a", *texts)))


def test_copies_are_the_same_in_every_process(tiles: Tiles, tmp_path: Path) -> None:
    """Also where they were read from files, and whatever is asked for first."""
    tiles.save(tmp_path)
    again = Tiles.load(tmp_path)
    made = [one for d in tiles.documents(CHUNKS, SIZE, tokens=True) for one in d]
    same = [one for d in again.documents(CHUNKS, SIZE, tokens=True) for one in d]
    assert len(made) == len({one.chunk.id for one in made}) == CHUNKS
    for one, other in zip(made, same, strict=True):
        assert one.chunk == other.chunk
        assert np.array_equal(one.vector, other.vector)
        assert np.array_equal(one.tokens.values, other.tokens.values)


def test_the_nearest_are_those_of_a_full_comparison(tiles: Tiles) -> None:
    """Recall is measured against this."""
    made = [one for d in tiles.documents(CHUNKS, SIZE, tokens=False) for one in d]
    questions = tiles.questions(5)
    for question, found in zip(
        questions, tiles.nearest(questions, CHUNKS, SIZE), strict=True
    ):
        ranked = sorted(made, key=lambda one: -float(one.vector @ question.vector))
        assert found == {one.chunk.id for one in ranked[:NEAREST]}


async def test_an_exact_index_finds_all_of_them(tiles: Tiles, tmp_path: Path) -> None:
    """The embedded index compares every vector."""
    index = EmbeddedIndex(tmp_path, IDENTITY)
    load = Load(tiles, CHUNKS, SIZE, tokens=True)
    loaded = await measure(index, "embedded", load)
    await index.close()
    assert loaded.recall == 1.0
    assert loaded.alone.p50 <= loaded.alone.p95 <= loaded.alone.p99
    assert loaded.fetch_ms is not None


def test_the_picture_is_sound() -> None:
    """A bar for each figure, and names are text however they look."""
    bars = [Bar("<one> & only", 0, 2.0, "2 ms"), Bar("other", 1, 4.0, "4 ms")]
    picture = ElementTree.fromstring(draw("both", [Panel("search", bars, aim=3.0)]))
    shapes = [one.tag.rpartition("}")[2] for one in picture.iter()]
    assert shapes.count("rect") == 1 + len(bars)
    assert shapes.count("line") == 1
    assert "<one> & only" in [one.text for one in picture.iter()]


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    """A run that was cut off goes on; the table has the lines of both runs."""
    quick = Latencies(p50=1, p95=2, p99=3, per_second=4, cpu=5)
    rows = [
        Loaded(
            index=name,
            chunks=size,
            tokens=False,
            put_per_second=1_000,
            first_ms=1,
            alone=quick,
            together=quick,
            fetch_ms=None,
            recall=1,
            memory_mib=1,
            busy=0.5,
        )
        for size in (1_000_000, 100_000)
        for name in INDEXES
    ]
    file = tmp_path / "kept.jsonl"
    file.write_text("".join(f"{row.model_dump_json()}\n" for row in rows))
    options = Namespace(
        chunks=[100_000, 1_000_000], indexes=INDEXES, kept=file, scratch=tmp_path
    )
    found = measured(options)
    assert [(row.chunks, row.index) for row in found] == [
        (size, name) for size in (100_000, 1_000_000) for name in INDEXES
    ]
    page = table(found, "texts")
    assert "| 1,000,000 | weaviate | 1,000 |" in page
    assert "0.5, 0.5, 0.5, 0.5" in page
    assert [*tmp_path.iterdir()] == [file]
