"""`judge`: put what was recorded before a model, and say what its word is worth."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from bot.console import tell
from bot.documents.embedders import open_embedder
from bot.options import group
from bot.wiring import read_settings
from config.settings import Settings
from engine.model.errors import EnvironmentFailed, UsageError
from evals.advice import judged_support
from evals.advice.judge_labels import COMMITTED, read_labels
from evals.advice.judges import LabelsWrong
from evals.advice.judging import NAMES, Judged, judge_run
from evals.advice.ragas_bridge import (
    METRICS,
    Asks,
    Embed,
    RagasMissing,
    ToolMissing,
    Tools,
)
from evals.forms import Result
from evals.options import Played, Taped
from evals.recording.models import SharedModels
from evals.recording.tape import Tape
from evals.store import StoreFailed

HELP = f"""Put what was recorded before a model, and say what its word is worth.

\b
  python -m evals judge build/evals/oncology
  python -m evals judge build/evals/oncology --play tapes/judge.jsonl
  PYTHONPATH=build/ragas python -m evals judge build/evals/oncology \\
      --metric ragas_faithfulness --metric ragas_faithfulness_cited

Judged metrics advise; `decide` does not read them. GROUNDRULE_JUDGE names the model.
The labels of the project are judged with each run, unless --labels names others.
Metrics: {", ".join(NAMES)}.
"""

app = group()


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is judged, by which labels, and the cassette of the judge's calls."""

    run: Path
    names: Sequence[str]
    labels: Path | None
    tape: Tape


@app.command(help=HELP)
def judge(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the run.")],
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these metrics.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other labels of claims.")
    ] = None,
    play: Played = None,
    tape: Taped = None,
) -> None:
    names = tuple(metric or [judged_support.NAME])
    asked = _Asked(run, names, labels, Tape.of(play, tape))
    _show(asyncio.run(_judged(asked)))


async def _judged(asked: _Asked) -> Judged:
    settings = read_settings()
    models = asked.tape.models(settings) or SharedModels(settings)
    try:
        tools = Tools(_judge(models, asked.names), _embed(settings, asked.names))
        labels = read_labels(asked.labels or COMMITTED)
        return await judge_run(asked.run, asked.names, tools, labels)
    except (RagasMissing, StoreFailed) as error:
        raise EnvironmentFailed(str(error)) from error
    except (LabelsWrong, ToolMissing) as error:
        raise UsageError(str(error)) from error
    finally:
        await models.end()


def _judge(models: SharedModels, names: Sequence[str]) -> Asks | None:
    """The judge, where one of the metrics asks it."""
    asks = [name for name in names if name not in METRICS or METRICS[name].judged]
    return judge_of(models) if asks else None


def judge_of(models: SharedModels) -> Asks | None:
    """The judge that is configured, or on a cassette; DSPy comes with it."""
    model = models.judge
    if model is None:
        return None
    made: Asks = import_module("evals.advice.judge_model").ModelJudge(model)
    return made


def _embed(settings: Settings, names: Sequence[str]) -> Embed | None:
    """The embedder's vectors, where one of the metrics asks for them."""
    if not any(name in METRICS and METRICS[name].embedded for name in names):
        return None
    embedder = open_embedder(settings)

    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [encoded.vector.tolist() for encoded in embedder.encode(texts)]

    return embed


def _show(judged: Judged) -> None:
    counts = ", ".join(f"{judged.count(r)} {r.replace('_', ' ')}" for r in Result)
    tell(f"{len(judged.scores)} scores: {counts}")
    if judged.misattribution is not None:
        tell(f"misattributed: {judged.misattribution:.1%} of what answers say")
    worth = judged.believed
    if worth is None:
        return
    tell(f"the judge calls {worth.judged_good} of {worth.judged} claims carried")
    if worth.rate is not None:
        rate = worth.rate
        tell(f"corrected: {rate.value:.1%}, from {rate.low:.1%} to {rate.high:.1%}")
    if worth.permit.granted:
        tell("it has earned a place among the metrics that decide")
    for why in worth.permit.why:
        tell(f"it may not gate: {why}")
