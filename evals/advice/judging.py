"""A recorded run before a judge: scores beside those that decide, and their worth.

They stand in the folder `judged` of a run, with what the labels show of the judge. A
metric that `believed` gives the weight of a gate is not read by `decide` for that: a
person has to write it into `evals/metrics` (R-E2).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals import store
from evals.advice import judged_support, ragas_bridge
from evals.advice.judged_support import Believed
from evals.advice.judges import Label
from evals.advice.ragas_bridge import ToolMissing, Tools
from evals.forms import Result, Score

FOLDER = "judged"
NAMES = (judged_support.NAME, *ragas_bridge.METRICS)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge made of a run.

    Attributes:
        scores: by case, repeat and metric.
        believed: what its rate is worth; None where `judged_support` was not asked.
        misattribution: see `ragas_bridge.misattribution`.
    """

    scores: tuple[Score, ...]
    believed: Believed | None
    misattribution: float | None

    def count(self, result: Result) -> int:
        """How many scores have a result."""
        return sum(score.result is result for score in self.scores)


async def judge_run(
    run: Path, names: Sequence[str], tools: Tools, labels: Sequence[Label] = ()
) -> Judged:
    """Judge a recorded run and write its folder `judged`.

    Args:
        run: the folder that `record` wrote.
        names: of NAMES.
        tools: the judge, and an embedder where a metric needs one.
        labels: what people said; judged again in each run.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
        RagasMissing: a metric of ragas is asked, and ragas is not there.
        ToolMissing: a name is not known, or a metric's tool is missing.
    """
    recorded = store.recorded(run)
    theirs = [name for name in names if name != judged_support.NAME]
    found: list[Score] = []
    worth: Believed | None = None
    if judged_support.NAME in names:
        if tools.judge is None:
            raise ToolMissing("a judged metric needs a judge: set GROUNDRULE_JUDGE")
        verdicts = await judged_support.assessed(tools.judge, labels)
        found += await judged_support.judge(
            tools.judge, recorded.rows, recorded.sources
        )
        worth = judged_support.believed(found, labels, verdicts)
    if theirs:
        found += await ragas_bridge.judge(
            theirs, recorded.cases, recorded.rows, recorded.sources, tools
        )
    store.write_scores(run / FOLDER, found)
    gap = ragas_bridge.misattribution(found)
    manifest = {
        "judge": tools.judge.name if tools.judge else None,
        "metrics": sorted(names),
        "task": judged_support.version(),
        "ragas": ragas_bridge.VERSION if theirs else None,
        "labels": len(labels),
        "believed": asdict(worth) if worth else None,
        "misattribution": gap,
    }
    store.write_manifest(run / FOLDER, manifest)
    return Judged(tuple(found), worth, gap)
