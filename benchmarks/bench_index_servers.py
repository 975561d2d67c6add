"""Both indexes at the same sizes on the same machine: a table and a picture for docs/.

    python -m benchmarks.bench_index_servers --chunks 100000 1000000 --out docs
    python -m benchmarks.bench_index_servers --chunks 1000000 --indexes weaviate \\
      --kept build/bench.jsonl --scratch /mnt/large

Up to 100,000 chunks are put with their token vectors, larger ones without. Passages are
taken from ../shared/data where that exists, else from the packs' demo texts. The server
is one of this machine's own (`make weaviate`), with nothing else in it. What was
measured is kept in a file where one is named: a run that was cut off goes on with the
rest, and one index can be measured by itself. An index is deleted when it is measured.
"""

import argparse
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import re2

from adapters.embedding import MiniLM
from benchmarks.bars import Bar, Panel, draw
from benchmarks.bench_index import passages
from benchmarks.figures import ROOT, NotMeasured, ran
from benchmarks.index_load import CALLERS, Loaded
from benchmarks.tiles import NEAREST, Tiles
from engine.documents.passage import entries_of

REAL = ROOT.parent / "shared" / "data" / "a_cancer"
DEMO = ROOT / "config" / "packs"
TEXTS = "NCI pages"
DISTINCT = 2_000
TOKENS_UP_TO = 100_000  # chunks; more are dense vectors only
MIB = 2**20
TABLE, PICTURE = "index-benchmark.md", "images/index-benchmark.svg"
INDEXES = ("embedded", "weaviate")

# Aims of the project, at 100,000 chunks (README, "A Weaviate server").
RECALL, P95_MS = 0.98, 50.0

_SETTING = re2.compile(r"export (\w+)=(\S+)")
_STATUS = re2.compile(r"process (\d+), (\d+) MiB")


@dataclass(frozen=True, slots=True)
class Started:
    """A server of this machine."""

    folder: Path
    url: str
    grpc: str

    def status(self) -> tuple[str, float]:
        """Its process and the memory of that."""
        remarks = ran(*_server(self.folder, "status")).remarks
        found = _STATUS.search(remarks)
        if found is None:
            raise NotMeasured(f"the server's memory: {remarks.strip()}")
        return found.group(1), float(found.group(2))


@contextmanager
def started(folder: Path) -> Iterator[Started]:
    """An empty server for the block."""
    said = ran(*_server(folder, "start"), "--anonymous").out
    try:
        settings = dict(found.groups() for found in _SETTING.finditer(said))
        yield Started(
            folder, settings["WEAVIATE_URL"], settings["GROUNDRULE_WEAVIATE_GRPC"]
        )
    finally:
        ran(*_server(folder, "stop"))


def load(index: str, tiles: Path, chunks: int, scratch: Path) -> Loaded:
    """Measure one index of one size.

    Raises:
        NotMeasured: it failed.
    """
    folder, busy = scratch / f"{index}-{chunks}", os.getloadavg()[0]
    try:
        loaded = _measured(index, tiles, chunks, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return loaded.model_copy(update={"busy": busy})


def _measured(index: str, tiles: Path, chunks: int, folder: Path) -> Loaded:
    asked = ["benchmarks.index_load", index, str(tiles), str(chunks)]
    asked += ["--tokens"] if chunks <= TOKENS_UP_TO else []
    if index == "embedded":
        done = ran(*asked, "--folder", str(folder))
        loaded = Loaded.model_validate_json(done.out)
        return loaded.model_copy(update={"disk_mib": _disk_mib(folder)})
    with started(folder) as server:
        process, _ = server.status()
        asked += ["--url", server.url, "--grpc", server.grpc, "--server", process]
        loaded = Loaded.model_validate_json(ran(*asked).out)
        _, memory = server.status()
        sizes = {"server_mib": memory, "disk_mib": _disk_mib(folder / "data")}
    return loaded.model_copy(update=sizes)


def table(rows: Sequence[Loaded], texts: str) -> str:
    """The page with the table."""
    head = (
        "# Both indexes at the same size\n\n"
        "Made by `make bench-index` "
        f"on {os.cpu_count()} cores ({platform.machine()}), from copies of "
        f"{DISTINCT:,} passages of {texts} with noise in their vectors.\n"
        "A search is both arms, 30 candidates each, through the port; "
        f"recall is of the {NEAREST} nearest against comparing all.\n"
        "Memory is that of the process that searches and of the server, without the "
        "files that they map and the system may drop; processor time likewise.\n"
        f"{_busy(rows)}\n\n"
        f"![The same as bars]({PICTURE})\n\n"
        "| chunks | index | put, chunks/s | first search | one caller, p50 / p95 / p99 "
        f"| {CALLERS} callers, p50 / p95 / p99 | searches/s | CPU a search "
        f"| 30 token vectors | recall@{NEAREST} | memory | on disk |\n"
        + "|---" * 12
        + "|\n"
    )
    return head + "".join(_row(row) for row in rows)


def _busy(rows: Sequence[Loaded]) -> str:
    """What else the machine did, in words."""
    loads = ", ".join(f"{row.busy:.1f}" for row in rows)
    return f"The load of the machine before each line was {loads}."


def _row(row: Loaded) -> str:
    fetch = "none put" if row.fetch_ms is None else f"{row.fetch_ms:.0f} ms"
    alone, together = row.alone, row.together
    server = f" + {row.server_mib:,.0f}" if row.server_mib else ""
    served = f" + {together.server_cpu:.0f}" if row.server_mib else ""
    cells = (
        f"{row.chunks:,}",
        row.index,
        f"{row.put_per_second:,.0f}",
        f"{row.first_ms:,.0f} ms",
        f"{alone.p50:.0f} / {alone.p95:.0f} / {alone.p99:.0f} ms",
        f"{together.p50:.0f} / {together.p95:.0f} / {together.p99:.0f} ms",
        f"{together.per_second:.0f}",
        f"{together.cpu:.0f}{served} ms",
        fetch,
        f"{row.recall:.3f}",
        f"{row.memory_mib:,.0f}{server} MiB",
        f"{row.disk_mib:,.0f} MiB",
    )
    return "| " + " | ".join(cells) + " |\n"


def picture(rows: Sequence[Loaded]) -> str:
    """The figures that one chooses by, as bars."""

    def bars(values: Sequence[float], unit: str) -> list[Bar]:
        return [
            Bar(
                f"{row.index}, {row.chunks:,}",
                INDEXES.index(row.index),
                value,
                f"{value:,.0f} {unit}",
            )
            for row, value in zip(rows, values, strict=True)
        ]

    return draw(
        "Embedded index and Weaviate server at the same sizes",
        [
            Panel(
                f"search, p95 with {CALLERS} callers (line: aim at 100,000 chunks)",
                bars([row.together.p95 for row in rows], "ms"),
                aim=P95_MS,
            ),
            Panel(
                "search, p95 with one caller",
                bars([row.alone.p95 for row in rows], "ms"),
            ),
            Panel("put", bars([row.put_per_second for row in rows], "chunks/s")),
            Panel(
                "memory of the searching process and the server",
                bars([row.memory_mib + row.server_mib for row in rows], "MiB"),
            ),
        ],
    )


def misses(rows: Sequence[Loaded]) -> list[str]:
    """Which aims were not met."""
    said = []
    for row in rows:
        if row.recall < RECALL:
            said.append(f"{row.index}, {row.chunks:,}: recall {row.recall:.3f}")
        if row.chunks <= TOKENS_UP_TO and row.together.p95 > P95_MS:
            said.append(f"{row.index}, {row.chunks:,}: p95 {row.together.p95:.0f} ms")
    return said


def _server(folder: Path, command: str) -> tuple[str, ...]:
    return ("scripts.weaviate_server", "--folder", str(folder), command)


def _disk_mib(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(512 * path.stat().st_blocks for path in files) / MIB


def _tiles(folder: Path) -> None:
    """Encode the passages into a folder."""
    embedder = MiniLM(threads=len(os.sched_getaffinity(0)))
    chunks = passages(REAL if REAL.is_dir() else DEMO, DISTINCT)
    Tiles(tuple(entries_of(embedder, chunks))).save(folder)


def kept(file: Path | None) -> list[Loaded]:
    """What earlier runs measured."""
    if file is None or not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return [Loaded.model_validate_json(line) for line in lines]


def measured(options: argparse.Namespace) -> list[Loaded]:
    """What is asked for, those of earlier runs among them, by size and index."""
    rows = kept(options.kept)
    done = {(row.chunks, row.index) for row in rows}
    asked = [(chunks, index) for chunks in options.chunks for index in options.indexes]
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        tiles = Path(scratch) / "passages"
        for chunks, index in asked:
            if (chunks, index) in done:
                continue
            if not tiles.exists():
                tiles.mkdir()
                _tiles(tiles)
            sys.stderr.write(f"measuring: {index}, {chunks:,} chunks ...\n")
            rows.append(load(index, tiles, chunks, Path(scratch)))
            line = rows[-1].model_dump_json()
            sys.stderr.write(f"  {line}\n")
            if options.kept is not None:
                options.kept.parent.mkdir(parents=True, exist_ok=True)
                with options.kept.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
    return sorted(rows, key=lambda row: (row.chunks, row.index))


def main() -> None:
    """Measure, print the table, write it and the picture where that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chunks", type=int, nargs="+", default=[100_000])
    parser.add_argument("--indexes", nargs="+", choices=INDEXES, default=INDEXES)
    parser.add_argument("--out", type=Path, help="folder for the table and the picture")
    parser.add_argument("--kept", type=Path, help="file of figures, read and added to")
    parser.add_argument("--scratch", type=Path, help="folder for the indexes")
    options = parser.parse_args()
    rows = measured(options)
    page = table(rows, TEXTS if REAL.is_dir() else "the demo texts")
    sys.stdout.write(page)
    for line in misses(rows):
        sys.stdout.write(f"aim not met: {line}\n")
    if options.out is not None:
        (options.out / TABLE).write_text(page, encoding="utf-8")
        (options.out / PICTURE).write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
