"""ragas behind one door: its metrics over our rows, and our metrics as its own.

ragas is imported when a metric of it is asked for, and never by anything else (it takes
seconds and 200 MB). Installed with `make ragas` into build/ragas, which is put on
PYTHONPATH. What it says is advice. A row that lacks what a metric needs is
NOT_APPLICABLE, a NaN in spite of it an ERROR, and an abstention never reaches ragas.
"""

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from evals.advice.ragas_sample import Sample, sample
from evals.forms import Case, Result, Row, Score, Source
from evals.metrics.metric import Finding, Metric, abstained, not_asked, scored
from evals.score import STUMBLES

VERSION = "0.4.3"  # that this was written against
HALF = 0.5  # from which a row passes; ragas has no bar of its own
AT_ONCE = 8
_SILENT = "RAGAS_DO_NOT_TRACK"  # ragas sends usage data otherwise


class RagasMissing(Exception):
    """ragas is not there, or not in the version that this was written against."""


class ToolMissing(ValueError):
    """A metric is not known, or lacks the judge or embedder that it needs."""


class Asks(Protocol):
    """A judge, as ragas needs one: a prompt in, an object of a pydantic form out."""

    name: str

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        """The model's answer in the form.

        Raises:
            RuntimeError: there is none, or it is not in the form.
        """
        ...


Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Tools:
    """What some metrics of ragas need: a judge, an embedder."""

    judge: Asks | None = None
    embed: Embed | None = None


@dataclass(frozen=True, slots=True)
class _Metric:
    """One metric of ragas: which parts of a sample it takes, and how it is called."""

    takes: tuple[str, ...]
    call: Callable[["_Ragas", Sample], Awaitable[float]]
    judged: bool = True
    embedded: bool = False


def ragas() -> Any:
    """The package.

    Raises:
        RagasMissing: it is not installed, or another version is.
    """
    os.environ.setdefault(_SILENT, "true")
    try:
        package = import_module("ragas")
    except ImportError as error:
        raise RagasMissing(
            f"ragas cannot be imported ({error}): run `make ragas`, and put "
            "build/ragas on PYTHONPATH"
        ) from error
    if package.__version__ != VERSION:
        raise RagasMissing(f"ragas {package.__version__} is here, {VERSION} is needed")
    return package


async def judge(
    names: Sequence[str],
    cases: Mapping[str, Case],
    rows: Iterable[Row],
    sources: Mapping[str, Source],
    tools: Tools,
) -> list[Score]:
    """Score rows by metrics of ragas: as many scores as rows times metrics.

    Args:
        names: of METRICS.
        cases: by id.
        rows: of a record.
        sources: document versions, by version.
        tools: what the metrics need.

    Raises:
        RagasMissing: see `ragas`.
        ToolMissing: a name is not known, or a metric's tool is missing.
    """
    for name in names:
        if name not in METRICS:
            raise ToolMissing(f"no ragas metric {name}; there are {', '.join(METRICS)}")
        if METRICS[name].judged and tools.judge is None:
            raise ToolMissing(f"{name} needs a judge: configure GROUNDRULE_JUDGE")
        if METRICS[name].embedded and tools.embed is None:
            raise ToolMissing(f"{name} needs an embedder")
    opened, turns = _Ragas(tools), asyncio.Semaphore(AT_ONCE)
    work = [(name, row, cases.get(row.case)) for row in rows for name in names]

    async def one(name: str, row: Row, case: Case | None) -> Score:
        async with turns:
            return scored(name, row, await _found(opened, name, row, case, sources))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*each)) for each in work]
    found = [task.result() for task in tasks]
    if len(found) != len(work):
        raise RuntimeError(f"{len(found)} scores of {len(work)}: judge again")
    return sorted(found, key=lambda score: (score.case, score.repeat, score.metric))


async def _found(
    opened: "_Ragas",
    name: str,
    row: Row,
    case: Case | None,
    sources: Mapping[str, Source],
) -> Finding:
    if case is None or row.record is None:
        return _error(row.error or "the row holds no record, or is of no case")
    if row.refused:
        return abstained()
    metric = METRICS[name]
    try:
        held = sample(case, row, sources)
        lacking = [part for part in metric.takes if not getattr(held, part)]
        if lacking:
            return not_asked(f"the case or the answer has no {', '.join(lacking)}")
        value = float(await metric.call(opened, held))
    except opened.stumbles as error:
        return _error(f"{type(error).__name__}: {error}")
    if math.isnan(value):
        return _error("ragas gave NaN, though there was something to judge")
    if not -1e-6 <= value <= 1 + 1e-6:
        return _error(f"ragas gave {value}, which is no share")
    value = min(1.0, max(0.0, value))
    result = Result.PASS if value >= HALF else Result.FAIL
    return Finding(result=result, value=round(value, 4), why=f"ragas says {value:.2f}")


def _error(why: str) -> Finding:
    return Finding(result=Result.ERROR, why=why)


def misattribution(scores: Iterable[Score]) -> float | None:
    """How much less faithful answers are to what they cite than to all that was found.

    The mean over rows that both Faithfulness runs judged; None where there is none.
    """
    held: dict[str, dict[tuple[str, int], float]] = {"": {}, "_cited": {}}
    for score in scores:
        name = score.metric.removeprefix("ragas_faithfulness")
        if name in held and score.value is not None:
            held[name][score.case, score.repeat] = score.value
    both = held[""].keys() & held["_cited"].keys()
    if not both:
        return None
    return sum(held[""][row] - held["_cited"][row] for row in both) / len(both)


# --- ragas' metrics ---------------------------------------------------------------


class _Ragas:
    """ragas opened: its metrics by class, made once, over one judge and embedder."""

    def __init__(self, tools: Tools) -> None:
        ragas()
        errors = import_module("ragas.exceptions").RagasException
        self.stumbles: tuple[type[Exception], ...] = (*STUMBLES, errors)
        self._tools = tools
        self._made: dict[str, Any] = {}

    def judged(self, name: str) -> Any:
        """A metric of ragas.metrics.collections, over the judge."""
        if name not in self._made:
            collected = import_module("ragas.metrics.collections")
            parts: dict[str, Any] = {"llm": _llm(self._tools.judge)}
            if name == "AnswerRelevancy":
                parts["embeddings"] = _embeddings(self._tools.embed)
            self._made[name] = getattr(collected, name)(**parts)
        return self._made[name]

    async def unjudged(self, module: str, name: str, **parts: Any) -> float:
        """A metric of ragas.metrics that asks no model, over one sample."""
        kind = getattr(import_module(f"ragas.metrics.{module}"), name)
        turn = import_module("ragas.dataset_schema").SingleTurnSample(**parts)
        return float(await kind().single_turn_ascore(turn))


async def _faithfulness(opened: _Ragas, held: Sample) -> float:
    return await _faithful(opened, held, held.contexts)


async def _faithfulness_cited(opened: _Ragas, held: Sample) -> float:
    return await _faithful(opened, held, held.cited)


async def _faithful(opened: _Ragas, held: Sample, contexts: Sequence[str]) -> float:
    found = await opened.judged("Faithfulness").ascore(
        user_input=held.question,
        response=held.response,
        retrieved_contexts=list(contexts),
    )
    return float(found.value)


async def _precision(opened: _Ragas, held: Sample) -> float:
    return await _by_reference(opened, "ContextPrecision", held)


async def _recall(opened: _Ragas, held: Sample) -> float:
    return await _by_reference(opened, "ContextRecall", held)


async def _by_reference(opened: _Ragas, name: str, held: Sample) -> float:
    found = await opened.judged(name).ascore(
        user_input=held.question,
        reference=held.reference,
        retrieved_contexts=list(held.contexts),
    )
    return float(found.value)


async def _relevancy(opened: _Ragas, held: Sample) -> float:
    found = await opened.judged("AnswerRelevancy").ascore(
        user_input=held.question, response=held.response
    )
    return max(0.0, float(found.value))  # a cosine


def _ids(module: str, name: str) -> _Metric:
    async def call(opened: _Ragas, held: Sample) -> float:
        return await opened.unjudged(
            module,
            name,
            retrieved_context_ids=list(held.paths),
            reference_context_ids=list(held.reference_paths),
        )

    return _Metric(("paths", "reference_paths"), call, judged=False)


def _texts(module: str, name: str) -> _Metric:
    async def call(opened: _Ragas, held: Sample) -> float:
        return await opened.unjudged(
            module,
            name,
            retrieved_contexts=list(held.contexts),
            reference_contexts=list(held.reference_contexts),
        )

    return _Metric(("contexts", "reference_contexts"), call, judged=False)


_PRECISION, _RECALL = "_context_precision", "_context_recall"
METRICS: Mapping[str, _Metric] = {
    "ragas_faithfulness": _Metric(("response", "contexts"), _faithfulness),
    "ragas_faithfulness_cited": _Metric(("response", "cited"), _faithfulness_cited),
    "ragas_context_precision": _Metric(("contexts", "reference"), _precision),
    "ragas_context_recall": _Metric(("contexts", "reference"), _recall),
    "ragas_response_relevancy": _Metric(("response",), _relevancy, embedded=True),
    "ragas_id_context_precision": _ids(_PRECISION, "IDBasedContextPrecision"),
    "ragas_id_context_recall": _ids(_RECALL, "IDBasedContextRecall"),
    "ragas_text_context_precision": _texts(
        _PRECISION, "NonLLMContextPrecisionWithReference"
    ),
    "ragas_text_context_recall": _texts(_RECALL, "NonLLMContextRecall"),
}


def _llm(asks: Asks | None) -> Any:
    """A judge as a model of ragas; ragas alone knows the class it must be of."""
    if asks is None:
        raise ToolMissing("ragas needs a judge: configure GROUNDRULE_JUDGE")

    async def agenerate(_: Any, prompt: str, response_model: type[Any]) -> Any:
        return await asks.ask(prompt, response_model)

    def generate(_: Any, prompt: str, response_model: type[Any]) -> Any:
        return asyncio.run(asks.ask(prompt, response_model))

    base = import_module("ragas.llms.base").InstructorBaseRagasLLM
    return type("Judge", (base,), {"agenerate": agenerate, "generate": generate})()


def _embeddings(embed: Embed | None) -> Any:
    if embed is None:
        raise ToolMissing("ragas needs an embedder for response relevancy")

    def embed_text(_: Any, text: str, **__: Any) -> list[float]:
        return [float(value) for value in embed([text])[0]]

    async def aembed_text(_: Any, text: str, **__: Any) -> list[float]:
        return await asyncio.to_thread(embed_text, _, text)

    base = import_module("ragas.embeddings.base").BaseRagasEmbedding
    members = {"embed_text": embed_text, "aembed_text": aembed_text}
    return type("Embedder", (base,), members)()


# --- our metrics as ragas' own ----------------------------------------------


def recorded(metric: Metric) -> Any:
    """A metric of ours as one of ragas, over rows as they were recorded.

    It takes case, row, sources and others, as `Metric.score` does; a row that is an
    error, and one that the metric stumbles over, are errors here too.

    Raises:
        RagasMissing: see `ragas`.
    """

    async def ascore(
        _: Any,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        others: Mapping[str, Row],
    ) -> Any:
        if row.record is None or row.error is not None:
            why = row.error or "the row holds no record"
            return _result(scored(metric.name, row, _error(why)))
        try:
            return _result(metric.score(case, row, sources, others=others))
        except STUMBLES as error:
            why = f"{type(error).__name__}: {error}"
            return _result(scored(metric.name, row, _error(why)))

    return _ours(metric, ascore)


def value_of(score: Score) -> float | None:
    """What a score comes to in ragas: None where there was nothing to judge."""
    if score.result not in (Result.PASS, Result.FAIL):
        return None
    return float(score.result is Result.PASS if score.value is None else score.value)


def _ours(metric: Metric, ascore: Callable[..., Awaitable[Any]]) -> Any:
    ragas()
    base = import_module("ragas.metrics.collections.base").BaseMetric
    return type("Ours", (base,), {"ascore": ascore})(name=f"groundrule_{metric.name}")


def _result(found: Score) -> Any:
    result = import_module("ragas.metrics.result").MetricResult
    return result(value=value_of(found), reason=f"{found.result}: {found.why}")
