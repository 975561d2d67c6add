"""Stored drafts through the validators: none may be judged otherwise than it is stored.

A stored draft is a pack, passages by document and section, a draft in the form of
`engine.model.outcome`, and what has to come of it. What wrote it plays no part here.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from adapters import packs, strict_yaml
from adapters.inert import many
from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from config.settings import PACKS
from engine.documents.chunks import TOKENS, make_chunks
from engine.documents.corpus import build_document
from engine.model.codes import Reason
from engine.model.draft import Draft
from engine.model.errors import UsageError
from engine.model.frozen import Frozen
from engine.model.gate import Open
from engine.model.passage import Chunk, Pick
from engine.model.question import Intent
from engine.policy.contract import check_first_section
from engine.policy.pack import Pack, SectionRule
from engine.policy.rules import Material, Rules, gather_material
from engine.text.patterns import Pattern
from engine.verify.check import Rejected, Verified, check
from evals.compare.verdict import Check, Status

STORED = Path(__file__).resolve().parents[1] / "suites" / "stored_drafts.yaml"


class Passage(Frozen):
    """A chunk of a demo document, or of a page written for a draft.

    `document` is the name of a file in the pack's corpus; with `text` it is only a
    name. `part` counts the chunks of the section, cut at `tokens`. `nearest` is the
    sentence of it that the gate opened for.
    """

    document: str
    section: str = ""
    text: str = ""
    part: Annotated[int, Field(ge=1)] = 1
    tokens: Annotated[int, Field(ge=1)] = TOKENS
    nearest: Annotated[int, Field(ge=0)] | None = None


class Expected(Frozen):
    """The expected verdict on a draft; nothing is `shown` of a rejected one.

    `shown` are the texts of all claims, `headings` those above them. `findings` are
    codes that have to be among those of the validators.
    """

    rejected: Reason | None = None
    shown: tuple[str, ...] = ()
    headings: tuple[str, ...] | None = None
    not_found: tuple[str, ...] = ()
    citations: int | None = None
    findings: tuple[str, ...] = ()


class Grown(Frozen):
    """Extreme parts of a draft, which no file should hold.

    `claims` is how often the claims of each section are repeated; `half` names a fixed
    text by half of a character.
    """

    claims: Annotated[int, Field(ge=1)] = 1
    half: bool = False

    def grow(self, draft: Draft) -> Draft:
        """Return the draft, grown."""
        sections = tuple(
            section.model_copy(update={"claims": section.claims * self.claims})
            for section in draft.sections
        )
        texts = (*draft.texts, *(["\ud800"] if self.half else ()))
        return draft.model_copy(update={"sections": sections, "texts": texts})


class StoredDraft(Frozen):
    """One draft, with what the stages before it found.

    `tier_one` says that the gate opened on one guideline, else it wants two documents
    of a medical pack where there are two. `contract`, `prohibited`, `populations` and
    `kinds` replace the pack's where they are given, `missing` are the parts that the
    gate stayed closed for, `doubted` the quotations that a judge took away.
    """

    id: str
    pack: str
    question: str
    passages: Annotated[tuple[Passage, ...], Field(min_length=1)]
    draft: Draft
    expected: Expected
    why: str
    tier_one: bool = False
    contract: tuple[SectionRule, ...] = ()
    prohibited: tuple[Pattern, ...] = ()
    populations: tuple[tuple[str, ...], ...] = ()
    kinds: tuple[tuple[str, ...], ...] = ()
    missing: tuple[str, ...] = ()
    doubted: frozenset[str] = frozenset()
    grown: Grown = Grown()

    @property
    def written(self) -> Draft:
        """Return the draft as it was handed in."""
        return self.grown.grow(self.draft)


def load(file: Path = STORED) -> tuple[StoredDraft, ...]:
    """Read the stored drafts, in the order of their file.

    Raises:
        UsageError: the file is missing, a field is wrong, or an id comes twice.
        PolicyError: it is no plain YAML.
    """
    if not file.is_file():
        raise UsageError(f"{file}: is missing; take it back from git")
    given = strict_yaml.read(file).data.get("drafts")
    try:
        stored = TypeAdapter(tuple[StoredDraft, ...]).validate_python(given)
    except ValidationError as error:
        raise UsageError(f"{file}: {error}") from error
    ids = [draft.id for draft in stored]
    twice = {name for name in ids if ids.count(name) > 1}
    if twice or not stored:
        raise UsageError(f"{file}: drafts: {sorted(twice)} twice, or there is none")
    return stored


def find_faults(one: StoredDraft) -> Iterator[str]:
    """Describe what is wrong with the verdict on a draft, or that it has none."""
    try:
        got, wanted = describe_verdict(judge_draft(one), one.expected), one.expected
    except (LookupError, ValueError) as error:
        yield f"{one.id}: makes no answer ({error!r})"
        return
    for field in type(wanted).model_fields:
        said, due = getattr(got, field), getattr(wanted, field)
        lacks = set(due) - set(said) if field == "findings" else said != due
        if lacks:
            yield f"{one.id}: {field}: {said!r} instead of {due!r} ({one.why})"


def judge_draft(one: StoredDraft) -> Verified | Rejected:
    """Judge a stored draft as the engine does."""
    place = _gather_material(one)
    wrong = check_first_section(one.written, place)
    if wrong is not None:
        reason = Reason.INSUFFICIENT_CITATIONS
        nothing = check(Draft(sections=()), place)
        return Rejected(reason, (wrong,), nothing.tally, 0, "")
    return check(one.written, place, one.doubted)


def describe_verdict(found: Verified | Rejected, like: Expected) -> Expected:
    """Put a verdict into the form of an expectation, with the fields that `like`
    names."""
    codes = tuple(finding.code for finding in found.findings)
    if isinstance(found, Rejected):
        return Expected(
            rejected=found.reason,
            headings=None if like.headings is None else (),
            citations=None if like.citations is None else found.citations,
            findings=codes,
        )
    answer = found.answer
    headings = tuple(section.heading for section in answer.sections)
    return Expected(
        shown=tuple(c.text for section in answer.sections for c in section.claims),
        headings=None if like.headings is None else headings,
        not_found=answer.not_found,
        citations=None if like.citations is None else len(answer.citations),
        findings=codes,
    )


# --- what a draft was written from ------------------------------------------------


def _gather_material(one: StoredDraft) -> Material:
    pack, rules = _load_pack(one.pack)
    rules = replace(
        rules,
        populations=one.populations or rules.populations,
        kinds=one.kinds or rules.kinds,
    )
    chunks = tuple(_make_chunk(one.pack, passage) for passage in one.passages)
    documents = len({chunk.document for chunk in chunks})
    medical = pack.citations.minimum_sensitive > 1 and not one.tier_one
    opened = Open(
        rule="stored",
        chunks=chunks,
        documents=documents,
        required_documents=min(documents, 2) if medical else 1,
        tier_one=one.tier_one,
        minimum_citations=pack.citations.minimum_sensitive,
        missing=one.missing,
    )
    rule = pack.intents[-1]
    intent = Intent(
        query_type=rule.query_type,
        name=rule.name,
        text=one.question,
        sensitive=False,
    )
    place = gather_material(opened, intent, rules)
    return replace(
        place,
        contract=one.contract or place.contract,
        prohibited=one.prohibited or place.prohibited,
    )


@cache
def _load_pack(name: str) -> tuple[Pack, Rules]:
    pack = packs.load(PACKS / name)
    return pack, Rules.of(pack)


@cache
def _make_chunk(pack: str, passage: Passage) -> Chunk:
    """Make the chunk that a passage names.

    Raises:
        UsageError: the document has no such section, or it has fewer parts.
    """
    file = PACKS / pack / "corpus" / passage.document
    text = passage.text or file.read_text("utf-8")
    parsed = markdown.parse(text, passage.document, Limits())
    chunks = make_chunks(build_document(parsed, "stored"), passage.tokens)
    wanted = passage.section
    found = [c for c in chunks if not wanted or wanted in (c.section or ("",))[-1]]
    if len(found) < passage.part:
        raise UsageError(f"{passage.document}: {wanted!r} has {len(found)} parts")
    update: dict[str, object] = {"document": passage.document, "relevance": 0.9}
    if passage.nearest is not None:
        pick = Pick(sentence=passage.nearest, score=1.0, relevance=0.9)
        update["picks"] = (pick,)
    return found[passage.part - 1].model_copy(update=update)


# --- a check of every verdict -----------------------------------------------------

CHECK = "stored drafts"
MOST = 5  # faults that are listed


def check_stored_drafts() -> Check:
    """Replay all stored drafts.

    Raises:
        UsageError: the file of stored drafts is wrong.
    """
    stored = load()
    wrong = [fault for one in stored for fault in find_faults(one)]
    if not wrong:
        why = f"All {len(stored)} stored drafts are judged as they are stored."
        return Check(check=CHECK, result=Status.PASS, why=why)
    more = f"; and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
    why = f"{many(len(wrong), 'fault')} in {len(stored)} stored drafts: "
    why += "; ".join(wrong[:MOST]) + f"{more}."
    return Check(check=CHECK, result=Status.FAIL, why=why)
