"""What the corridor costs on top of a bare call of a language model.

Both go to the same provider on the loopback, one after the other: the bare call sends
the corridor's own prompt with DSPy's client; the corridor makes the order, renders and
sends it, reads the draft and judges it against four passages of about two kilobytes.

Run: python -m benchmarks.bench_model
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from statistics import median

from adapters.language_model import Choice, LanguageModel
from adapters.packs import load
from benchmarks.bench_validate import PACK, passages
from benchmarks.figures import Figure, spread
from engine.answer.modules import ModelWriter
from engine.drafts.drafting import Bench, Models, Trail, answer
from engine.gate import decide
from engine.policy.pack import Pack
from engine.records import Chunk, Evidence, Intent, Open, Question, Trace
from engine.validate.check import Verified
from engine.validate.material import Rules
from tests.engine.drafts.test_drafting import passages as offered
from tests.loopback.model import Json, Said, provider

ROUNDS = 300
CITED = 3  # passages that the draft selects from, of four
AIM_MS = 5.0  # issue 6


def bench_model() -> Iterator[Figure]:
    """Measure both, call by call."""
    yield from asyncio.run(_measured())


async def _measured() -> tuple[Figure, ...]:
    pack = load(PACK)
    chunks = passages(PACK / "corpus", "demo-nci")
    bare, whole = await _rounds(pack, chunks)
    extra = 1000 * median(w - b for w, b in zip(whole, bare, strict=True))
    return (
        Figure("bare call of a model on the loopback", str(spread(bare))),
        Figure("the same through corridor and validators", str(spread(whole))),
        Figure(
            "corridor and validators on top of the call, median of the differences",
            f"{extra:.2f} ms",
            f"<= {AIM_MS:g} ms",
            extra <= AIM_MS,
        ),
    )


async def _rounds(pack: Pack, chunks: list[Chunk]) -> tuple[list[float], list[float]]:
    bare, whole = [], []
    async with provider(lambda body: Said(_draft(body))) as served:
        choice = Choice("openai/bench", url=served.url, prices=(0.0, 0.0))
        model = LanguageModel(choice)
        bench = _bench(pack, ModelWriter(model, ["symptoms"]))
        opened = _opened(pack, chunks, bench.intent)
        prompt = ""
        for _ in range(ROUNDS):
            began = time.perf_counter()
            trail = Trail()
            verdict = await answer(opened, bench, trail)
            whole.append(time.perf_counter() - began)
            if not isinstance(verdict, Verified) or verdict.answer.mode != "llm":
                raise SystemExit(f"the draft was rejected: {verdict.findings}")
            prompt = "\n\n".join(m["content"] for m in trail.prompts[0].messages)
            began = time.perf_counter()
            await model.lm(1_500).acall(prompt)
            bare.append(time.perf_counter() - began)
        await model.close()
    return bare, whole


def _draft(body: Json) -> str:
    """A draft that selects from the first passages, as a model writes it."""
    chosen = [n for each in offered(body)[:CITED] for n in sorted(each)[1:4]]
    return json.dumps({"status": "answered", "sections": [{"sentences": chosen}]})


def _opened(pack: Pack, chunks: list[Chunk], intent: Intent) -> Open:
    evidence = Evidence(
        chunks=tuple(chunks),
        nearest=(),
        answerability=0.9,
        trace=Trace(query_type="symptoms"),
    )
    opened = decide(evidence, intent, pack, pack.register())
    if not isinstance(opened, Open):
        raise SystemExit(f"the gate stayed closed: {opened}")
    return opened


def _bench(pack: Pack, writer: ModelWriter) -> Bench:
    question = Question(id="1", session="s", text="?", pack=pack.id)
    intent = Intent(
        query_type="symptoms", name="INFORMATIONAL_SYMPTOMS", text="?", sensitive=True
    )
    return Bench(
        question=question,
        intent=intent,
        pack=pack,
        rules=Rules.of(pack),
        models=Models(writer=writer),
        left=lambda: 60.0,
    )


def main() -> None:
    """Print the figures."""
    for figure in bench_model():
        sys.stdout.write(f"{figure.what}: {figure.figure} ({figure.aim})\n")


if __name__ == "__main__":
    main()
