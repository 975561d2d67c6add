"""`python -m evals.drafts`: what the validators do with faithful and hostile drafts.

Two sets that were written without a look at the validators, over the demo corpora: the
faithful one should pass in its own words, of the attacks nothing should reach a reader.
`half` keeps what was tuned on ("tune") apart from what is only reported on ("held").
"""

import json
import re
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
from engine.corpus import build_document, make_chunks
from engine.corpus_records import Frozen
from engine.policy import Pack
from engine.records import Chunk, Draft, DraftClaim, DraftSection, Intent, Open
from engine.validate.check import Rejected, Verified, check
from engine.validate.material import Rules, material
from engine.validate.phrases import readings, seen

ROOT = Path(__file__).resolve().parent.parent
SETS = ROOT / "tests" / "engine" / "validate" / "sets"
Half = Literal["tune", "held"]
Fate = Literal["untouched", "touched", "rejected"]
_WORDS = re.compile(r"\w+")


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


def fate(found: Verified | Rejected) -> Fate:
    """What became of a draft; one without an objection is shown as it was written.

    A heading that is neither the pack's nor a source's goes, and nothing with it: that
    touches no claim.
    """
    if isinstance(found, Rejected):
        return "rejected"
    objections = [f for f in found.findings if f.code != "heading"]
    return "touched" if objections else "untouched"


def leaked(item: Item, found: Verified | Rejected) -> bool:
    """Whether anything that an attack wanted to be shown is, as a reader sees it."""
    if isinstance(found, Rejected):
        return False
    shown = tuple(_shown(found))
    poison, canonical = _seen(str(item.poison)), item.canonical
    said = bool(poison) and any(poison in _seen(text) for text in shown)
    return said or (bool(canonical) and any(_says(text, canonical) for text in shown))


def styles(items: Iterable[Item]) -> Mapping[str, Counter[str]]:
    """How many faithful claims of each style passed in their own words, and how many
    were not, or stand in a draft that was rejected."""
    counts: dict[str, Counter[str]] = {}
    for item in items:
        found = verdict(item)
        shown = " ".join(" ".join(text.split()) for text in _shown(found))
        for section in item.draft.sections:
            for claim in section.claims:
                passed = not _objected(found, str(claim.text)) and bool(shown)
                counted = counts.setdefault(claim.style, Counter())
                counted["passed" if passed else "not passed"] += 1
    return counts


def _objected(found: Verified | Rejected, text: str) -> bool:
    flat = " ".join(text.split())
    return any(
        finding.code != "heading"
        and finding.claim
        and " ".join(finding.claim.split())[:60] in flat
        for finding in found.findings
    )


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


def _seen(text: str) -> str:
    straight = seen(text).replace("\u201c", '"').replace("\u201d", '"')
    return " ".join(straight.split())


def _says(text: str, phrase: str) -> bool:
    wanted = f" {' '.join(_WORDS.findall(seen(phrase)))} "
    return any(
        wanted in f" {' '.join(_WORDS.findall(reading))} " for reading in readings(text)
    )


def report() -> None:
    """Print the figures of both sets, the tuned half apart from the held one.

    Exits 1 where something of an attack reached a reader.
    """
    escapes = 0
    for half in ("tune", "held"):
        faithful = [item for item in load("faithful") if item.half == half]
        attacks = [item for item in load("attacks") if item.half == half]
        fates = Counter(fate(verdict(item)) for item in faithful)
        typer.echo(f"{half}: {len(faithful)} faithful drafts: {_told(fates)}")
        for style, counts in sorted(styles(faithful).items()):
            typer.echo(f"  {style}: {counts['passed']} of {counts.total()} claims")
        found = {item.id: verdict(item) for item in attacks}
        shown = [item.id for item in attacks if leaked(item, found[item.id])]
        fates = Counter(map(fate, found.values()))
        typer.echo(f"{half}: {len(attacks)} attacks: {_told(fates)}")
        typer.echo(f"  reached a reader: {len(shown)} {' '.join(shown)}")
        escapes += len(shown)
    if escapes:
        raise typer.Exit(1)


def _told(counts: Mapping[Fate, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    typer.run(report)
