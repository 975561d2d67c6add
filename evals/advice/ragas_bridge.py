"""ragas beside the decision: our metrics run as its own, and its own over our rows.

Each of our deciding metrics has to come to the value that decided. Metrics of ragas
that need no judge run on every change, those that need one run where a judge is
configured; all of them advise. The results are in the folder `ragas` of a run.

`make ragas` installs ragas into build/ragas, for PYTHONPATH. No other module imports
it: it takes seconds and 200 MB.
"""

import asyncio
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from evals import store
from evals.advice.judge import Asks
from evals.forms import Json, Result, Row, Score
from evals.reading import cited, claims, evidence_texts, passage, says
from evals.score import catalogue
from evals.score.catalogue import Finding, Metric, Subject, abstained, not_asked
from evals.score.score import STUMBLES, error, judged, made

VERSION = "0.4.3"  # that this was written against
FOLDER = "ragas"  # in the folder of a run
HALF = 0.5  # from which a row passes; ragas has no bar of its own
AT_ONCE = 8


class RagasMissing(Exception):
    """ragas is not there, or not in the version that this was written against."""


def import_ragas() -> None:
    """Import ragas, and keep it from sending usage data.

    Raises:
        RagasMissing: it is not installed, or another version is.
    """
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    try:
        package = import_module("ragas")
    except ImportError as missing:
        raise RagasMissing(
            f"ragas cannot be imported ({missing}): run `make ragas`, and put "
            "build/ragas on PYTHONPATH"
        ) from missing
    if package.__version__ != VERSION:
        raise RagasMissing(f"ragas {package.__version__} is here, {VERSION} is needed")


def wrap(metric: Metric) -> Any:
    """Make a metric of ours one of ragas, over subjects given as `on`."""

    async def ascore(_: Any, on: Subject) -> Any:
        found = judged(metric, on)
        return result(value=value_of(found), reason=f"{found.result}: {found.why}")

    result = import_module("ragas.metrics.result").MetricResult
    base = import_module("ragas.metrics.collections.base").BaseMetric
    return type("Ours", (base,), {"ascore": ascore})(name=f"groundrule_{metric.name}")


def value_of(found: Finding | Score) -> float | None:
    """Return the value of a finding in ragas: None where there was nothing to judge."""
    if found.result not in (Result.PASS, Result.FAIL):
        return None
    return float(found.result is Result.PASS if found.value is None else found.value)


@dataclass(frozen=True, slots=True)
class Theirs:
    """A metric of ragas: its class in a module, and the fields of a sample it takes."""

    module: str
    kind: str
    takes: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Tell whether it asks a judge."""
        return self.module == _ASKING


_PRECISION, _RECALL, _ASKING = "_context_precision", "_context_recall", "collections"
_CITED = "retrieved_contexts of what is cited"  # in place of all that was let through
_IDS = ("retrieved_context_ids", "reference_context_ids")
_TEXTS = ("retrieved_contexts", "reference_contexts")
_SAID = ("user_input", "response")
_KNOWN = ("user_input", "reference", "retrieved_contexts")
METRICS: Mapping[str, Theirs] = {
    "ragas_id_context_precision": Theirs(_PRECISION, "IDBasedContextPrecision", _IDS),
    "ragas_id_context_recall": Theirs(_RECALL, "IDBasedContextRecall", _IDS),
    "ragas_text_context_precision": Theirs(
        _PRECISION, "NonLLMContextPrecisionWithReference", _TEXTS
    ),
    "ragas_text_context_recall": Theirs(_RECALL, "NonLLMContextRecall", _TEXTS),
    "ragas_faithfulness": Theirs(_ASKING, "Faithfulness", (*_SAID, _TEXTS[0])),
    "ragas_faithfulness_cited": Theirs(_ASKING, "Faithfulness", (*_SAID, _CITED)),
    "ragas_context_precision": Theirs(_ASKING, "ContextPrecision", _KNOWN),
    "ragas_context_recall": Theirs(_ASKING, "ContextRecall", _KNOWN),
}


def make_sample(on: Subject) -> Json:
    """Make the sample of an answered row, by the names that ragas has for its fields.

    The response is the claims without numbers and banners. Contexts are the passages
    that the gate let through, the reference is the facts of the case, and reference
    contexts are the paragraphs that hold a fact, in documents that may carry it.
    """
    asked, sources = on.case.expected, on.sources
    offered = (sources.get(chunk["version"]) for chunk in on.row.evidence)
    facts = [wording for fact in asked.facts for wording in fact]
    return {
        "user_input": on.case.question,
        "response": "\n".join(claim.text for claim in claims(on.row)),
        "retrieved_contexts": list(evidence_texts(on.row, sources)),
        _CITED: list(filter(None, (passage(c, sources) for c in cited(on.row)))),
        "retrieved_context_ids": list(dict.fromkeys(s.path for s in offered if s)),
        "reference": "\n".join(fact[0] for fact in asked.facts),
        "reference_context_ids": list(asked.sources),
        "reference_contexts": [
            part
            for source in sources.values()
            for part in source.text.split("\n\n")
            if source.path in asked.sources and any(says(part, w) for w in facts)
        ],
    }


async def ask_ragas(name: str, on: Subject, judge: Asks | None = None) -> Finding:
    """Judge a row by a metric of ragas; any failure is an ERROR.

    A row that lacks what the metric needs is NOT_APPLICABLE, a NaN in spite of it an
    ERROR, and an abstention never reaches ragas.
    """
    if on.row.record is None:
        return error(on.row.error or "the row holds no record")
    if on.row.refused:
        return abstained()
    failures = import_module("ragas.exceptions").RagasException
    metric = METRICS[name]
    try:
        held = make_sample(on)
        lacking = [name for name in metric.takes if not held[name]]
        if lacking:
            return not_asked(f"the case or the answer has no {', '.join(lacking)}")
        given = {name.split()[0]: held[name] for name in metric.takes}
        kind = getattr(import_module(f"ragas.metrics.{metric.module}"), metric.kind)
        if metric.asks:
            value = float((await kind(llm=_wrap_judge(judge)).ascore(**given)).value)
        else:
            turn = import_module("ragas.dataset_schema").SingleTurnSample(**given)
            value = float(await kind().single_turn_ascore(turn))
    except (*STUMBLES, failures) as stumble:
        return error(f"{type(stumble).__name__}: {stumble}")
    if math.isnan(value) or not -1e-6 <= value <= 1 + 1e-6:
        return error(f"ragas gave {value}, which is no share (NaN: nothing was judged)")
    value = round(min(1.0, max(0.0, value)), 4)
    result = Result.PASS if value >= HALF else Result.FAIL
    return Finding(result=result, value=value, why=f"ragas says {value:.2f}")


def _wrap_judge(judge: Asks | None) -> Any:
    """Make a judge a model of ragas, of a class that ragas alone knows."""
    if judge is None:
        raise LookupError("it needs a judge: configure GROUNDRULE_JUDGE")

    async def agenerate(_: Any, prompt: str, response_model: type[Any]) -> Any:
        return await judge.ask(prompt, response_model)

    base = import_module("ragas.llms.base").InstructorBaseRagasLLM
    return type(
        "Judge", (base,), {"agenerate": agenerate, "generate": None}
    )()  # not called


@dataclass(frozen=True, slots=True)
class Ran:
    """The results of ragas on a run.

    `ours` scores were compared; `differing` says where ragas and the decision disagree.
    """

    ours: int
    differing: tuple[str, ...]
    theirs: tuple[Score, ...]

    @property
    def broken(self) -> tuple[str, ...]:
        """List what failed: differences, and metrics without a judge that did not
        run."""
        errors = (
            f"{one.case}: {one.metric} did not run: {one.why}"
            for one in self.theirs
            if one.result is Result.ERROR and not METRICS[one.metric].asks
        )
        return (*self.differing, *errors)


async def run_ragas(run: Path, judge: Asks | None = None) -> Ran:
    """Score a recorded and scored run by ragas, and write its folder `ragas`.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
        RagasMissing: see `import_ragas`.
    """
    import_ragas()
    recorded, kept = store.recorded(run), store.read_scores(run)
    repeats: dict[int, dict[str, Row]] = {}
    for row in recorded.rows:
        repeats.setdefault(row.repeat, {})[row.case] = row
    subjects = [
        Subject(recorded.cases[r.case], r, recorded.sources, repeats[r.repeat])
        for r in recorded.rows
    ]
    found: dict[tuple[str, int, str], tuple[str, float | None]] = {}
    for metric in catalogue.load():
        if metric.weight != "advice":
            results = await wrap(metric).abatch_score([{"on": on} for on in subjects])
            for row, result in zip(recorded.rows, results, strict=True):
                word = result.reason.partition(":")[0]
                found[row.case, row.repeat, metric.name] = word, result.value
    deciding = [s for s in kept if catalogue.WEIGHTS.get(s.metric) != "advice"]
    theirs = await _score_by_ragas(subjects, judge)
    ran = Ran(len(deciding), tuple(_find_differences(deciding, found)), theirs)
    store.write_scores(run / FOLDER, theirs)
    manifest = {
        "of": _hash_run(run),
        "ragas": VERSION,
        "judge": judge.name if judge else None,
        "ours": ran.ours,
        "differing": list(ran.differing),
        "theirs": [
            _sum_up(name, theirs) for name in sorted({s.metric for s in theirs})
        ],
    }
    store.write_manifest(run / FOLDER, manifest)
    return ran


async def _score_by_ragas(
    subjects: Sequence[Subject], judge: Asks | None
) -> tuple[Score, ...]:
    """Score every subject by the metrics of ragas, sorted by case, repeat and
    metric."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(name: str, on: Subject) -> Score:
        async with turns:
            return made(on.row, name, await ask_ragas(name, on, judge))

    names = [name for name, metric in METRICS.items() if judge or not metric.asks]
    found = await asyncio.gather(*(one(n, on) for on in subjects for n in names))
    return tuple(sorted(found, key=lambda s: (s.case, s.repeat, s.metric)))


def _find_differences(
    kept: Sequence[Score],
    found: Mapping[tuple[str, int, str], tuple[str, float | None]],
) -> Iterator[str]:
    if len(kept) != len(found):
        yield f"ragas scored {len(found)} times, the decision has {len(kept)} scores"
    for score in kept:
        ours = (score.result.value, value_of(score))
        theirs = found.get((score.case, score.repeat, score.metric), ("nothing", None))
        if ours != theirs:
            sides = "{0} ({1}) in the decision and {2} ({3}) by ragas"
            said = sides.format(*ours, *theirs)
            yield f"{score.case}: {score.metric} is {said}"


def read_ragas(run: Path) -> Json | None:
    """Read the results of ragas; None where it has not seen these answers."""
    if not (run / FOLDER / store.MANIFEST).is_file():
        return None
    manifest = store.read_manifest(run / FOLDER)
    return manifest if manifest.get("of") == _hash_run(run) else None


def _sum_up(name: str, scores: Sequence[Score]) -> Json:
    """Sum up one metric of ragas with its denominators; `mean` is over what it
    judged."""
    own = [score for score in scores if score.metric == name]
    values = [score.value for score in own if score.value is not None]
    return {
        "metric": name,
        "mean": round(fmean(values), 4) if values else None,
        "judged": len(values),
        "errors": sum(score.result is Result.ERROR for score in own),
        "rows": len(own),
    }


def _hash_run(run: Path) -> str:
    """Hash the answers and what decided about them."""
    texts = [(run / name).read_bytes() for name in (store.ANSWERS, store.SCORES)]
    return sha256(b"\0".join(texts)).hexdigest()
