"""`score`: what was recorded, judged by the metrics; any old record, without a call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals import store
from evals.forms import Result
from evals.metrics import catalogue
from evals.mutants import mutation
from evals.score import score as judged


@dataclass(frozen=True, slots=True)
class Scored:
    """What a run was scored with, and what came of it: counts by result."""

    rows: int
    metrics: int
    results: dict[str, int]


def score(
    run: Path,
    metrics: Sequence[str] = catalogue.NAMES,
    say: Callable[[str], None] = lambda line: None,
) -> Scored:
    """Score a recorded run and write scores.jsonl beside its answers.

    The manifest is told which metrics scored, the hash of their code, and their
    mutation scores.

    Args:
        run: the folder that `record` wrote.
        metrics: their names.
        say: is told the counts.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
        UnknownMetric: a name is no metric's.
        ScoresLost: rows or metrics stand there twice.
    """
    recorded = store.recorded(run)
    chosen = catalogue.load(metrics)
    found = judged(recorded.cases, recorded.rows, recorded.sources, chosen)
    store.write_scores(run, found)
    scored = {
        "metrics": sorted(metrics),
        "code": catalogue.code(),
        "mutation": {one.metric: round(one.score, 4) for one in mutation(chosen)},
    }
    store.write_manifest(run, {**recorded.manifest, "scoring": scored})
    results = {r.value: sum(one.result is r for one in found) for r in Result}
    say(f"{len(recorded.rows)} rows, {len(chosen)} metrics, {len(found)} scores")
    say(", ".join(f"{count} {result}" for result, count in results.items()))
    return Scored(len(recorded.rows), len(chosen), results)
