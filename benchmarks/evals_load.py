"""Cases with a constant answer through runner, store and scores: a process measured.

    python -m benchmarks.evals_load --cases 1000 --latency 0.05 --concurrency 20

Prints what the run took, and how many rows each of two metrics passed, as JSON: 95 and
90 of 100. Nothing is imported beside what a run without a bot needs.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from evals import store
from evals.forms import Case, Expected, Result, Row, Score, Source, Weight
from evals.metrics.metric import NO_ROWS, Mutant
from evals.recording.runner import Answered, Item, repeated, run
from evals.score import score

KIB_PER_MIB = 1024
CONTEXT = "The lamp on the desk is green, and the one by the door is red. " * 34
QUOTE = "the one by the door is red"
SOURCE = Source(version="v", document="desk", path="desk.md", text=CONTEXT)


class _Holds:
    """Whether a text of the record stands in a text of the source.

    Args:
        name: of the metric.
        field: of the record.
    """

    weight: Weight = "gate"
    requirements: tuple[str, ...] = ()

    def __init__(self, name: str, field: str) -> None:
        self.name = name
        self._field = field

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """Judge one row."""
        said = row.record[self._field] if row.record else ""
        held = said in sources["v"].text
        result = Result.PASS if held else Result.FAIL
        return Score(case=row.case, repeat=row.repeat, metric=self.name, result=result)

    def mutants(self) -> Sequence[Mutant]:
        """None: this one only costs time."""
        return ()


METRICS = (_Holds("contains", "answer"), _Holds("quote", "quote"))


def cases(number: int) -> list[Case]:
    """So many questions."""
    expected = Expected(outcome="answer")
    return [
        Case(id=f"case-{at:06}", question=f"Question {at}?", expected=expected)
        for at in range(number)
    ]


async def answer(item: Item, latency: float) -> Answered:
    """The same answer; one in twenty says, and one in ten quotes, something else."""
    if latency:
        await asyncio.sleep(latency)
    at = int(item.case.id[-6:])
    record = {
        "was_refusal": False,
        "answer": "blue" if at % 20 == 0 else "green",
        "quote": "red is the one" if at % 10 == 0 else QUOTE,
    }
    return Answered(Row(case=item.case.id, record=record), (SOURCE,))


def measure(number: int, latency: float, concurrency: int) -> Mapping[str, float]:
    """Seconds of a run with its files, and the rows that each metric passed."""
    items = list(repeated(cases(number), 1))

    async def ask(item: Item) -> Answered:
        return await answer(item, latency)

    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        began = time.perf_counter()
        answered = asyncio.run(run(items, ask, concurrency=concurrency))
        rows = [each.row for each in answered]
        store.write_cases(out, [item.case for item in items])
        store.write_rows(out, rows)
        store.write_sources(out, [SOURCE])
        store.write_manifest(out, {})
        held = store.recorded(out)
        scores = score(held.cases, held.rows, held.sources, METRICS)
        store.write_scores(out, scores)
        seconds = time.perf_counter() - began
    passed = [each.metric for each in scores if each.result is Result.PASS]
    counts = {metric.name: float(passed.count(metric.name)) for metric in METRICS}
    return {"seconds": seconds, "peak_mib": _peak(), **counts}


def _peak() -> float:
    """MiB that this program took at most; what started it may have taken more."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(found.split()[1]) / KIB_PER_MIB


def main() -> None:
    """Print one measurement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--concurrency", type=int, default=20)
    given = parser.parse_args()
    found = measure(given.cases, given.latency, given.concurrency)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
