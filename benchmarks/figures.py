"""A measured figure with its aim, the table of all, and commands run to be measured."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 110  # columns where the output is no terminal
KIB_PER_MIB = 1024


class NotMeasured(Exception):
    """A benchmark could not run; the message says why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; `met` is None where there is no aim of its own."""

    what: str
    figure: str
    aim: str = "none"
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile of some durations, in milliseconds."""

    p50: float
    p95: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.3g} ms, p95 {self.p95:.3g} ms"


def measure_spread(seconds: Sequence[float]) -> Spread:
    """Compute the spread of at least two durations."""
    cuts = quantiles(seconds, n=100, method="inclusive")
    return Spread(1000 * cuts[49], 1000 * cuts[94])


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended well; `peak_mib` is that of its largest process."""

    out: str
    remarks: str
    seconds: float
    peak_mib: float


def run_module(*arguments: str) -> Ran:
    """Run a module of ours (`python -m …`) and measure it.

    Raises:
        NotMeasured: it failed; with its last remark.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as remarks:
        command = [sys.executable, "-m", *arguments]
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=remarks)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said = _read(remarks)
        if process.returncode:
            last = (said.strip().splitlines() or ["it said nothing"])[-1]
            raise NotMeasured(f"python -m {' '.join(arguments)}: {last}")
        peak = usage.ru_maxrss / KIB_PER_MIB
        return Ran(_read(out), said, seconds, peak)


def _read(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def show(figures: Sequence[Figure]) -> None:
    """Print the table on standard output."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    table = Table("what was measured", "figure", "aim", "met", box=box.SIMPLE_HEAD)
    for row in figures:
        met = "" if row.met is None else ("yes" if row.met else "NO")
        table.add_row(row.what, row.figure, row.aim, met)
    console.print(table)
