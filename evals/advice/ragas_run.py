"""A recorded run through ragas: our deciding metrics there, and its own beside them.

Our metrics are made metrics of ragas and run over the recorded answers by its own batch
call; each has to come to the value that decided, so that whoever works with ragas and
whoever reads our verdict read the same. Its metrics that need no judge run on every
change, those that need one where a judge is configured; all of them advise. What was
found stands in the folder `ragas` of the run.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from evals import store
from evals.advice import ragas_bridge
from evals.advice.ragas_bridge import METRICS, Tools
from evals.forms import Json, Result, Row, Score
from evals.metrics import catalogue
from evals.metrics.metric import Metric

FOLDER = "ragas"
SAME = 1e-9
ADVISING = tuple(name for name, metric in METRICS.items() if not metric.judged)
ASKING = (  # a judge; relevancy is left out: it is no property of what is quoted
    "ragas_faithfulness",
    "ragas_faithfulness_cited",
    "ragas_context_precision",
    "ragas_context_recall",
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What ragas made of a run.

    Attributes:
        ours: how many scores of ours were compared.
        differing: where ragas and the decision disagree, or could not be compared.
        theirs: scores by metrics of ragas.
    """

    ours: int
    differing: tuple[str, ...]
    theirs: tuple[Score, ...]

    @property
    def broken(self) -> tuple[str, ...]:
        """What failed: a difference, and a metric without a judge that did not run."""
        errors = [
            f"{one.case}: {one.metric} did not run: {one.why}"
            for one in self.theirs
            if one.result is Result.ERROR and one.metric in ADVISING
        ]
        return (*self.differing, *errors)


async def run_through(run: Path, tools: Tools) -> Ran:
    """Score a recorded and scored run by ragas, and write its folder `ragas`.

    Args:
        run: the folder that `score` wrote.
        tools: a judge, where one is configured.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
        RagasMissing: see `ragas_bridge.ragas`.
    """
    recorded, kept = store.recorded(run), store.read_scores(run)
    metrics = [one for one in catalogue.load() if one.weight != "advice"]
    found: dict[tuple[str, int, str], Any] = {}
    for metric in metrics:
        results = await _by_ragas(metric, recorded)
        for row, result in zip(recorded.rows, results, strict=True):
            found[row.case, row.repeat, metric.name] = result
    names = {metric.name for metric in metrics}
    deciding = [score for score in kept if score.metric in names]
    asked = (*ADVISING, *(ASKING if tools.judge else ()))
    theirs = await ragas_bridge.judge(
        asked, recorded.cases, recorded.rows, recorded.sources, tools
    )
    ran = Ran(len(deciding), tuple(_differing(deciding, found)), tuple(theirs))
    store.write_scores(run / FOLDER, theirs)
    store.write_manifest(run / FOLDER, _manifest(run, ran, tools))
    return ran


def told(run: Path) -> Json | None:
    """What ragas made of a run; None where it has not seen these answers."""
    if not (run / FOLDER / store.MANIFEST).is_file():
        return None
    manifest = store.read_manifest(run / FOLDER)
    return manifest if manifest.get("of") == _hash(run) else None


async def _by_ragas(metric: Metric, recorded: store.Recorded) -> Sequence[Any]:
    """The results of ragas for each row, in their order."""
    repeats: dict[int, dict[str, Row]] = {}
    for row in recorded.rows:
        repeats.setdefault(row.repeat, {})[row.case] = row
    inputs = [
        {
            "case": recorded.cases[row.case],
            "row": row,
            "sources": recorded.sources,
            "others": repeats[row.repeat],
        }
        for row in recorded.rows
    ]
    results: Sequence[Any] = await ragas_bridge.recorded(metric).abatch_score(inputs)
    return results


def _differing(
    kept: Sequence[Score], found: Mapping[tuple[str, int, str], Any]
) -> Iterator[str]:
    if len(kept) != len(found):
        yield f"ragas scored {len(found)} times, the decision has {len(kept)} scores"
    for score in kept:
        other = found.get((score.case, score.repeat, score.metric))
        ours, theirs, said = ragas_bridge.value_of(score), None, "nothing"
        if other is not None:  # whose truth is that of its value
            theirs, said = other.value, other.reason.partition(":")[0]
        if said != score.result or not _same(ours, theirs):
            yield (
                f"{score.case}: {score.metric} is {score.result} ({ours}) in the "
                f"decision and {said} ({theirs}) by ragas"
            )


def _same(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= SAME


def _manifest(run: Path, ran: Ran, tools: Tools) -> Json:
    return {
        "of": _hash(run),
        "ragas": ragas_bridge.VERSION,
        "judge": tools.judge.name if tools.judge else None,
        "ours": ran.ours,
        "differing": list(ran.differing),
        "theirs": [_line(name, ran.theirs) for name in _names(ran.theirs)],
    }


def _names(scores: Sequence[Score]) -> list[str]:
    return sorted({score.metric for score in scores})


def _line(name: str, scores: Sequence[Score]) -> Json:
    """One metric of ragas with its denominators; `mean` is over what it judged."""
    own = [score for score in scores if score.metric == name]
    values = [score.value for score in own if score.value is not None]
    counts = Counter(score.result for score in own)
    return {
        "metric": name,
        "mean": round(sum(values) / len(values), 4) if values else None,
        "judged": len(values),
        "errors": counts[Result.ERROR],
        "rows": len(own),
    }


def _hash(run: Path) -> str:
    """Of the answers and what decided about them."""
    texts = [(run / name).read_bytes() for name in (store.ANSWERS, store.SCORES)]
    return sha256(b"\0".join(texts)).hexdigest()
