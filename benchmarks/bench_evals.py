"""What a run of evaluations costs beside its answers, on one workload for harnesses.

A thousand cases with a constant answer and two metrics, files written and read again;
the same with 50 ms a case at twenty at a time; and ten times as many.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from statistics import median

from benchmarks.figures import ROOT, Figure, NotMeasured, ran

MODULE = "benchmarks.evals_load"
CASES, MANY = 1_000, 10_000
LATENCY_S, CONCURRENCY = 0.05, 20
ROUNDS = 5
IMPORTED = ("recording.runner", "score", "store", "metrics.catalogue")

# Aims of the project (README, "How fast it is").
RUN_S, IMPORT_S, PEAK_MIB = 0.5, 0.15, 60.0
OVER_IDEAL = 1.05
LINEAR = 1.2  # of ten times as long for ten times as many
PASSED = {"contains": 0.95, "quote": 0.9}


def bench_evals() -> Iterator[Figure]:
    """Measure run, import, latency and growth."""
    imported = median(importing() for _ in range(ROUNDS))
    yield Figure(
        "evals: import of runner, scores and metrics",
        f"{imported:.3f} s",
        f"<= {IMPORT_S:g} s",
        imported <= IMPORT_S,
    )
    runs = [run_of(CASES) for _ in range(ROUNDS)]
    took = median(run["seconds"] for run in runs)
    peak = max(run["peak_mib"] for run in runs)
    yield Figure(
        f"evals: {CASES} cases, constant answer, two metrics",
        f"{took:.3f} s, peak {peak:.0f} MiB",
        f"<= {RUN_S:g} s, <= {PEAK_MIB:g} MiB",
        took <= RUN_S and peak <= PEAK_MIB,
    )
    ideal = CASES * LATENCY_S / CONCURRENCY
    waiting = median(run_of(CASES, LATENCY_S)["seconds"] for _ in range(ROUNDS))
    yield Figure(
        f"evals: the same with {1000 * LATENCY_S:.0f} ms a case, {CONCURRENCY} at once",
        f"{waiting:.3f} s, {100 * (waiting / ideal - 1):+.1f} % of {ideal:g} s",
        f"<= {ideal * OVER_IDEAL:g} s",
        waiting <= ideal * OVER_IDEAL,
    )
    many = median(run_of(MANY)["seconds"] for _ in range(ROUNDS))
    times = many / took
    yield Figure(
        f"evals: {MANY} cases",
        f"{many:.2f} s, {times:.1f} times as long",
        f"<= {LINEAR * MANY / CASES:g} times",
        times <= LINEAR * MANY / CASES,
    )


def run_of(cases: int, latency: float = 0.0) -> Mapping[str, float]:
    """One run in a process of its own.

    Raises:
        NotMeasured: it failed, or came to other scores than it should.
    """
    options = ("--latency", str(latency), "--concurrency", str(CONCURRENCY))
    done = ran(MODULE, "--cases", str(cases), *options)
    found: Mapping[str, float] = json.loads(done.out)
    for metric, share in PASSED.items():
        if found[metric] != share * cases:
            raise NotMeasured(f"{metric} passed {found[metric]:g} of {cases} rows")
    return found


def importing() -> float:
    """Seconds that a new process takes to import what a run needs.

    Raises:
        NotMeasured: it cannot.
    """
    modules = ", ".join(f"evals.{name}" for name in IMPORTED)
    code = (
        "import time; began = time.perf_counter(); "
        f"import {modules}; print(time.perf_counter() - began)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise NotMeasured(done.stderr.strip().splitlines()[-1])
    return float(done.stdout)
