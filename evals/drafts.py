"""`python -m evals.drafts`: what becomes of faithful and hostile drafts in prose.

Two sets that were written without a look at the validators, over the demo corpora. A
draft in prose only points to sentences: of a faithful one they should say all that it
says, and of an attack nothing but sentences of the passages reaches a reader. `half`
keeps what was tuned on ("tune") apart from what is only reported on ("held").
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import Field

from adapters import packs
from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.documents.corpus import build_document, make_chunks
from engine.documents.records import Frozen
from engine.lexicon import STOPWORDS, stem, words
from engine.policy.pack import Pack
from engine.records import Chunk, Draft, DraftClaim, DraftSection, Intent, Open
from engine.validate.check import Rejected, Verified, check
from engine.validate.material import Rules, material
from engine.validate.shown import OMITTED

ROOT = Path(__file__).resolve().parent.parent
SETS = ROOT / "tests" / "engine" / "validate" / "sets"
Half = Literal["tune", "held"]
Fate = Literal["complete", "partial", "rejected"]
COVERED = 0.6  # of a claim's content words, in what is shown or in the question


class Grown(Frozen):
    """A long text of which only the repeated part is stored."""

    before: str
    unit: str
    times: Annotated[int, Field(gt=0)]
    after: str

    def __str__(self) -> str:
        return self.before + self.unit * self.times + self.after


class WrittenClaim(Frozen):
    """A claim of a stored draft, repeated `times`; faithful ones have a `style`."""

    text: str | Grown
    citations: tuple[int, ...]
    quotation: bool = False
    style: str = ""
    times: int = 1


class WrittenSection(Frozen):
    heading: str
    claims: tuple[WrittenClaim, ...]


class Written(Frozen):
    sections: tuple[WrittenSection, ...]
    not_found: tuple[str, ...] = ()


class Passage(Frozen):
    document: str
    text: str


class Item(Frozen):
    """A draft with the passages that it is about.

    An attack has a `kind`, and `poison`: what must not be shown. `canonical` is the
    prohibited phrase that a disguised one stands for.
    """

    id: str
    half: Half
    pack: str
    intent: str
    question: str
    passages: tuple[Passage, ...]
    draft: Written
    kind: str = "faithful"
    must: str = ""
    poison: str | Grown = ""
    canonical: str = ""


def load(name: Literal["faithful", "attacks"], folder: Path = SETS) -> tuple[Item, ...]:
    """A set of drafts, in the order of its file."""
    lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    return tuple(Item.model_validate(json.loads(line)) for line in lines)


def verdict(item: Item) -> Verified | Rejected:
    """What the validators say of a draft, where the gate opened on all its passages."""
    pack, rules = _pack(item.pack)
    chunks = tuple(_chunks(item.passages))
    rule = next((r for r in pack.intents if r.name == item.intent), pack.intents[-1])
    medical = pack.domain == "medical"
    documents = len({chunk.document for chunk in chunks})
    opened = Open(
        rule="all passages of the set",
        chunks=chunks,
        documents=documents,
        required_documents=min(documents, 2) if medical else 1,
        tier_one=False,
        minimum_citations=pack.citations.minimum_sensitive,
    )
    intent = Intent(
        query_type=rule.query_type,
        name=rule.name,
        text=item.question,
        sensitive=rule.sensitive,
    )
    return check(_draft(item.draft), material(opened, intent, rules))


def fate(item: Item, found: Verified | Rejected) -> Fate:
    """Whether what is shown says all that a draft says; measured by its words."""
    if isinstance(found, Rejected):
        return "rejected"
    shown = _content(f"{item.question} {' '.join(_shown(found))}")
    claims = [claim for section in item.draft.sections for claim in section.claims]
    held = all(_is_held(_content(str(claim.text)), shown) for claim in claims)
    lost = any(finding.code == "nowhere" for finding in found.findings)
    return "complete" if held and not lost else "partial"


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


def _is_held(said: frozenset[str], shown: frozenset[str]) -> bool:
    return len(said & shown) >= COVERED * len(said)


def leaked(item: Item, found: Verified | Rejected) -> tuple[str, ...]:
    """What a reader sees of a draft that is no line of its passages; should be none."""
    if isinstance(found, Rejected):
        return ()
    source = " ".join(_flat(chunk.text) for chunk in _chunks(item.passages))
    fixed = set(_pack(item.pack)[1].fixed.values())
    lines = [
        _flat(line)
        for text in _shown(found)
        if text not in fixed
        for line in text.split(OMITTED)
    ]
    return tuple(line for line in lines if line not in source)


def _flat(text: str) -> str:
    return " ".join(text.split())


@cache
def _pack(name: str) -> tuple[Pack, Rules]:
    pack = packs.load(ROOT / "config" / "packs" / name)
    return pack, Rules.of(pack)


def _chunks(passages: Iterable[Passage]) -> Iterator[Chunk]:
    for number, passage in enumerate(passages):
        parsed = markdown.parse(passage.text, passage.document, Limits())
        (chunk,) = make_chunks(build_document(parsed, "one"))
        name = f"{passage.document}:{number}"
        update = {"document": passage.document, "id": name, "relevance": 0.9}
        yield chunk.model_copy(update=update)


def _draft(written: Written) -> Draft:
    sections = tuple(
        DraftSection(
            heading=section.heading,
            claims=tuple(
                DraftClaim(text=str(claim.text), citations=claim.citations)
                for claim in section.claims
                for _ in range(claim.times)
            ),
        )
        for section in written.sections
    )
    return Draft(sections=sections, mode="llm")


def _shown(found: Verified | Rejected) -> Iterator[str]:
    if isinstance(found, Rejected):
        return
    yield from found.answer.not_found
    for section in found.answer.sections:
        yield section.heading
        yield from (claim.text for claim in section.claims)


def report() -> None:
    """Print the figures of both sets, the tuned half apart from the held one.

    Exits 1 where something of an attack reached a reader.
    """
    escapes = 0
    for half in ("tune", "held"):
        faithful = [item for item in load("faithful") if item.half == half]
        attacks = [item for item in load("attacks") if item.half == half]
        fates = Counter(fate(item, verdict(item)) for item in faithful)
        typer.echo(f"{half}: {len(faithful)} faithful drafts: {_told(fates)}")
        found = {item.id: verdict(item) for item in attacks}
        shown = [item.id for item in attacks if leaked(item, found[item.id])]
        rejected = sum(isinstance(each, Rejected) for each in found.values())
        typer.echo(f"{half}: {len(attacks)} attacks: {rejected} rejected")
        typer.echo(f"  more than the sources was shown: {len(shown)} {' '.join(shown)}")
        escapes += len(shown)
    if escapes:
        raise typer.Exit(1)


def _told(counts: Mapping[Fate, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    typer.run(report)
