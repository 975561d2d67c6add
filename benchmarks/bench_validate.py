"""Measure gate and validators on ten passages of two to three kilobytes, without a
model.

Run: python -m benchmarks.bench_validate

The bound (p50 at most 1 ms) is the project's own; the text is the demo corpus of the
oncology pack.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from adapters.packs import load
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.gate import decide
from engine.model.draft import Draft, DraftClaim, DraftSection, Selected
from engine.model.evidence import Evidence, Trace
from engine.model.gate import Open
from engine.model.passage import Chunk, Pick
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.policy.rules import Rules, gather_material
from engine.text.closure import is_selectable
from engine.verify.check import Verified, check

ROUNDS = 2_000
CHUNKS = 10
CHUNK_TOKENS = 700
SIZE = 2_000  # characters, about
PACK = Path(__file__).resolve().parent.parent / "config" / "packs" / "oncology"


def passages(folder: Path, source: str) -> list[Chunk]:
    """Make ten long chunks, each of another document, which is read without
    headings."""
    chunks: list[Chunk] = []
    for file in sorted(folder.glob("*.md")):
        lines = file.read_text("utf-8").splitlines()
        body = "\n".join(describe for describe in lines if not describe.startswith("#"))
        parsed = markdown.parse(body, file.name, Limits())
        document = build_document(parsed, source)
        longest = max(make_chunks(document, CHUNK_TOKENS), key=lambda c: len(c.text))
        chunks.append(longest.model_copy(update={"relevance": 0.9, "source": source}))
    chunks.sort(key=lambda chunk: abs(len(chunk.text) - SIZE))
    return chunks[:CHUNKS]


def make_draft(chunks: list[Chunk], quotes: int) -> Draft:
    """Make a deterministic draft: two or three sentences of each of some chunks."""
    claims = []
    for number, chunk in enumerate(chunks[:quotes], start=1):
        every = range(len(chunk.sentences))
        run = [at for at in every if is_selectable(chunk.sentences[at])][1:4]
        chosen = tuple(Selected(chunk=number, sentence=at) for at in run)
        claims.append(DraftClaim(sentences=chosen))
    return Draft(sections=(DraftSection(heading="", claims=tuple(claims)),))


def measure(work: Callable[[], object]) -> list[float]:
    """Measure the milliseconds of each round."""
    work()
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        found.append((time.perf_counter() - start) * 1_000)
    return found


def describe(name: str, milliseconds: list[float]) -> str:
    cuts = quantiles(milliseconds, n=100)
    least = min(milliseconds)
    return f"{name:<52} p50 {cuts[49]:6.3f}  p95 {cuts[94]:6.3f}  min {least:6.3f} ms"


def make_selection(draft: Draft) -> Draft:
    """Select the same sentences one by one, as a model does."""
    claims = tuple(
        DraftClaim(sentences=(each,))
        for section in draft.sections
        for claim in section.claims
        for each in claim.sentences[:1]
    )
    section = DraftSection(heading="", claims=claims)
    return Draft(sections=(section,), mode="llm")


def mark_picks(chunks: list[Chunk], draft: Draft) -> list[Chunk]:
    """Mark in the chunks what the draft chose as picked by retrieval."""
    found = list(chunks)
    for claim in draft.sections[0].claims:
        first = claim.sentences[0]
        pick = Pick(sentence=first.sentence, score=9.0, relevance=0.9)
        chunk = found[first.chunk - 1]
        found[first.chunk - 1] = chunk.model_copy(update={"picks": (pick,)})
    return found


def read_sentence(chunks: list[Chunk], selected: Selected) -> str:
    """Return the text of a selected sentence."""
    chunk = chunks[selected.chunk - 1]
    sentence = chunk.sentences[selected.sentence]
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def run(pack: Pack, chunks: list[Chunk]) -> list[str]:
    """Measure all and return the lines of the report."""
    rules, sources = Rules.of(pack), pack.register()
    intent = Intent(
        query_type="symptoms", name="INFORMATIONAL_SYMPTOMS", text="?", sensitive=True
    )
    plain = intent.model_copy(update={"query_type": "resources", "sensitive": False})
    draft = make_draft(chunks, pack.answer.quotes)
    question = read_sentence(chunks, draft.sections[0].claims[0].sentences[0])
    asked = plain.model_copy(update={"text": f"Is it true? {question}"})
    evidence = Evidence(
        chunks=tuple(mark_picks(chunks, draft)),
        nearest=(),
        answerability=0.9,
        trace=Trace(query_type="symptoms"),
    )

    def walk(written: Draft, asked: Intent) -> Callable[[], object]:
        def once() -> object:
            opened = decide(evidence, asked, pack, sources)
            if not isinstance(opened, Open):
                raise SystemExit(f"the gate stayed closed: {opened}")
            verdict = check(written, gather_material(opened, asked, rules))
            if not isinstance(verdict, Verified):
                raise SystemExit(f"the draft was rejected: {verdict}")
            return verdict

        return once

    kilobytes = sum(len(chunk.text) for chunk in chunks) / len(chunks) / 1_000
    return [
        f"{len(chunks)} passages of {kilobytes:.1f} kB, {ROUNDS} rounds",
        describe("selected sentences, sensitive intent", measure(walk(draft, intent))),
        describe("selected sentences, other intent", measure(walk(draft, plain))),
        describe("a model's selection", measure(walk(make_selection(draft), asked))),
    ]


def main() -> None:
    """Print the figures."""
    chunks = passages(PACK / "corpus", "demo-nci")
    sys.stdout.write("\n".join(run(load(PACK), chunks)) + "\n")


if __name__ == "__main__":
    main()
