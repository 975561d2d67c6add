"""A recorded run to its scores: any old record is scored again without a call."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals import store
from evals.forms import Result, Score
from evals.metrics import catalogue
from evals.mutants import Mutation, mutation
from evals.score import score as judged


@dataclass(frozen=True, slots=True)
class Scored:
    """What a run came to.

    Attributes:
        rows: how many were scored.
        scores: by case, repeat and metric.
        mutations: what each metric made of its own mutants.
    """

    rows: int
    scores: tuple[Score, ...]
    mutations: tuple[Mutation, ...]

    def count(self, result: Result) -> int:
        """How many scores have a result."""
        return sum(score.result is result for score in self.scores)


def score_run(run: Path, metrics: Sequence[str] = catalogue.NAMES) -> Scored:
    """Score a recorded run and write scores.jsonl beside its answers.

    The manifest is told which metrics scored, the hash of their code, and their
    mutation scores.

    Args:
        run: the folder that `record` wrote.
        metrics: their names.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
        UnknownMetric: a name is no metric's.
        ScoresLost: a row or a metric stands there twice.
    """
    recorded = store.recorded(run)
    chosen = catalogue.load(metrics)
    found = judged(recorded.cases, recorded.rows, recorded.sources, chosen)
    mutations = mutation(chosen)
    store.write_scores(run, found)
    scoring = {
        "metrics": sorted(metrics),
        "code": catalogue.code(),
        "mutation": {one.metric: round(one.score, 4) for one in mutations},
    }
    store.write_manifest(run, {**recorded.manifest, "scoring": scoring})
    return Scored(len(recorded.rows), tuple(found), mutations)
