"""`make bench`: run every benchmark and print one table, each figure with its aim.

    python -m benchmarks                  # all, about ten minutes on two cores
    python -m benchmarks validate index   # only these

Documents are taken from ../shared/data where that exists, else the packs' demo texts
stand in; the table says which. Nothing else should run meanwhile.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import re2

from benchmarks.bench_corpus import Folder, bench_corpus
from benchmarks.bench_delivery import bench_delivery
from benchmarks.figures import ROOT, Figure, NotMeasured, run_module, show
from engine.model.errors import GroundruleError

SHARED = ROOT.parent / "shared" / "data"
PACKS = ROOT / "config" / "packs"
SIZES = (20_000, 100_000)  # chunks of the indexes that are searched

# Aims of the project (README, "How fast it is").
CHECKED_P50_MS = 1.0
SEARCH_P50_MS = 40.0

_CHECKED = re2.compile(r"^(.+?) +p50 +([\d.]+) +p95 +([\d.]+)")


def list_folders() -> list[Folder]:
    """List the folders to ingest: real documents, else the demo texts."""
    real = [
        Folder(SHARED / "a_cancer", "oncology", "a_cancer (NCI pages)"),
        Folder(SHARED / "e_robotics", "textbook", "e_robotics (Gazebo, ROS 2)"),
    ]
    if all(folder.path.is_dir() for folder in real):
        return real
    return [
        Folder(PACKS / pack / "corpus", pack, f"demo texts of {pack}")
        for pack in ("oncology", "textbook")
    ]


def measure_validation() -> Iterator[Figure]:
    """Measure gate and validators (benchmarks/bench_validate.py)."""
    heading = ""
    for line in run_module("benchmarks.bench_validate").out.splitlines():
        found = _CHECKED.search(line)
        if found is None:
            heading = line
            continue
        what, p50, p95 = found.groups()
        yield Figure(
            f"gate and validators, {heading}: {what}",
            f"p50 {p50} ms, p95 {p95} ms",
            f"p50 <= {CHECKED_P50_MS:g} ms",
            float(p50) <= CHECKED_P50_MS,
        )


def measure_index() -> Iterator[Figure]:
    """Measure embedder and embedded index (benchmarks/bench_index.py)."""
    folder = list_folders()[0]
    sizes = [str(size) for size in SIZES]
    module = "benchmarks.bench_index"
    done = run_module(module, str(folder.path), "--chunks", *sizes)
    for line in done.out.splitlines():
        measured: dict[str, float] = json.loads(line)
        what = str(measured.pop("what"))
        if what.startswith("search"):
            p50 = measured["p50_ms"]
            yield Figure(
                f"{what} tiled from {folder.name}",
                f"p50 {p50:.3g} ms, p95 {measured['p95_ms']:.3g} ms",
                f"p50 <= {SEARCH_P50_MS:g} ms",
                p50 <= SEARCH_P50_MS,
            )
        else:
            names = {name.replace("_", " "): value for name, value in measured.items()}
            yield Figure(
                what, ", ".join(f"{name} {value:g}" for name, value in names.items())
            )


def measure_corpus() -> Iterator[Figure]:
    """Measure ingestion and questions (benchmarks/bench_corpus.py)."""
    with tempfile.TemporaryDirectory() as data:
        yield from bench_corpus(list_folders(), Path(data))


PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "validate": measure_validation,
    "index": measure_index,
    "corpus": measure_corpus,
    "delivery": bench_delivery,
}


def run(parts: Sequence[str]) -> int:
    """Measure and print; return 1 where a part could not be measured."""
    figures: list[Figure] = []
    failed = 0
    for part in parts:
        sys.stderr.write(f"measuring: {part} ...\n")
        try:
            for figure in PARTS[part]():
                figures.append(figure)
                sys.stderr.write(f"  {figure.what}: {figure.figure}\n")
        except (NotMeasured, GroundruleError) as error:
            figures.append(Figure(part, f"not measured: {error}", met=False))
            failed = 1
    show(figures)
    return failed


def main() -> None:
    """Run the benchmarks and exit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parts = parser.parse_args().parts or list(PARTS)
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    sys.exit(run(parts))


if __name__ == "__main__":
    main()
