"""The response record (R-D1): what `ask --json` prints and what the ledger keeps.

A stored record is hashed, so a field may be added with a default, but none may be
renamed, removed or change its meaning.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Literal

from pydantic import Field

from engine.model.answer import (
    Answer,
    Citation,
    Claim,
    ClaimTally,
    Finding,
    Quote,
    Section,
)
from engine.model.codes import FailureState, Reason, RefusalReason
from engine.model.evidence import Trace
from engine.model.frozen import Frozen, Offset, Probability, Span
from engine.model.gate import GateDecision, Open
from engine.model.outcome import Choice, Nearest, Outcome
from engine.model.prompt import Prompt
from engine.model.question import Basis, ChosenSection, Intent

SECTION_SEPARATOR = " > "
NOT_FOUND = "Not found in the sources: "


class QuoteRecord(Frozen):
    """Text that stands word for word at [start, end) of its source's version."""

    start: Offset
    end: Offset
    text: str


class SourceRecord(Frozen):
    """One numbered source passage, [start, end) of a document version.

    `quotes` holds every quote that the answer takes from it, each with its own offsets,
    in the order of the answer; `quote` is the text of the first, or empty.
    """

    number: int
    chunk_id: str
    score: Probability
    section: str
    document_id: str
    version: str
    source: str
    title: str
    url: str | None
    start: Offset
    end: Offset
    quote: str = ""
    quotes: tuple[QuoteRecord, ...] = ()


class QuotePlace(Span):
    """A quote among those of the source with this number."""

    number: int


class ClaimRecord(Frozen):
    """One quotation of an answer; `more`: it stood behind "Show more" (R-A3)."""

    citations: tuple[int, ...]
    quotes: tuple[QuotePlace, ...]
    more: bool


class SectionRecord(Frozen):
    heading: str
    claims: tuple[ClaimRecord, ...]


class GateRecord(Frozen):
    """The gate's verdict: the rule that opened it, or why it stayed closed."""

    verdict: Literal["open", "closed"]
    rule: str | None = None
    documents: int | None = None
    tier_one: bool | None = None
    minimum_citations: int | None = None
    reason: Reason | None = None
    explanation: str = ""
    numbers: Mapping[str, float] = Field(default_factory=dict)


class AnalysisDate(Frozen):
    """The date that the question was answered for, and where it comes from (R-F5)."""

    basis: Basis
    as_of: date | None


class Record(Frozen):
    """One outcome as it is stored and handed on.

    `answer` is the plain text that a person sees, `sections` the order in which it
    quotes its sources, `choices` what a refusal offered, `chosen_from` the refusal that
    offered this question, `evidence` the section that was chosen there. `previous`,
    `tags`, `tenant` and `selection` are what else was asked with, `verbatim` too;
    `headings` are all that were shown, `routing_compliant` whether they and every
    rejected draft keep the contract (R-A2, R-V4); it is None on records from before
    there was one.
    `audit_id` and `created` are empty until the ledger has taken the record in.
    """

    id: str
    question_id: str
    question: str
    created: datetime | None = None
    audit_id: str | None = None
    answer: str
    was_refusal: bool
    refusal_reason: RefusalReason | None
    reason_code: Reason | None
    explanation: str = ""
    sensitive: bool
    minimum_citations: int
    sources: tuple[SourceRecord, ...]
    nearest: tuple[Nearest, ...]
    pack: str
    pack_version: str
    pack_hash: str
    intent: Intent
    gate: GateRecord | None
    failure_states: tuple[FailureState, ...]
    emergency: str | None
    header: str | None
    notices: tuple[str, ...]
    findings: tuple[Finding, ...]
    claim_verification: ClaimTally
    mode: Literal["deterministic", "llm"] | None
    model: str | None
    prompt_version: str | None
    timings_ms: Mapping[str, float]
    token_use: Mapping[str, int]
    analysis_date: AnalysisDate
    retrieval: Trace | None
    prompts: tuple[Prompt, ...] = ()
    sections: tuple[SectionRecord, ...] = ()
    choices: tuple[Choice, ...] = ()
    chosen_from: str | None = None
    evidence: ChosenSection | None = None
    previous: str = ""
    selection: str = ""
    tags: tuple[str, ...] = ()
    tenant: str = ""
    verbatim: bool = False
    headings: tuple[str, ...] = ()
    first_section: str = ""
    routing_compliant: bool | None = None


def record_of(outcome: Outcome, created: datetime | None = None) -> Record:
    """The record of an outcome.

    Args:
        outcome: what the engine came to.
        created: when it was stored; None for a record that was not.

    Raises:
        ValueError: a quote lies in no cited document version.
    """
    answer = outcome.result if isinstance(outcome.result, Answer) else None
    refusal = None if isinstance(outcome.result, Answer) else outcome.result
    question, intent = outcome.question, outcome.intent
    return Record(
        id=question.id,
        question_id=question.id,
        question=question.text,
        created=created,
        audit_id=outcome.audit_id,
        answer=plain_text(outcome),
        was_refusal=not (outcome.answered or outcome.spoken),
        refusal_reason=None if outcome.spoken or not refusal else refusal.shown_reason,
        reason_code=outcome.reason,
        explanation=refusal.explanation if refusal else "",
        sensitive=intent.sensitive or any(c.sensitive for c in _claims(answer)),
        minimum_citations=answer.minimum_citations if answer else 0,
        sources=_sources(answer) if answer else (),
        nearest=outcome.nearest,
        pack=question.pack,
        pack_version=outcome.pack_version,
        pack_hash=outcome.pack_hash,
        intent=intent,
        gate=_gate(outcome.gate),
        failure_states=outcome.states,
        emergency=outcome.emergency,
        header=outcome.header,
        notices=outcome.notices,
        findings=outcome.findings,
        claim_verification=outcome.tally,
        mode=answer.mode if answer else None,
        model=outcome.model,
        prompt_version=outcome.prompt_version,
        timings_ms=outcome.milliseconds,
        token_use=outcome.tokens,
        analysis_date=AnalysisDate(basis=intent.basis, as_of=intent.as_of),
        retrieval=outcome.trace,
        prompts=outcome.prompts,
        sections=tuple(_ordered(answer)) if answer else (),
        choices=outcome.choices,
        chosen_from=question.chosen_from,
        evidence=question.evidence,
        previous=question.previous or "",
        selection=question.selection or "",
        tags=tuple(sorted(question.tags)),
        tenant=question.tenant,
        verbatim=question.verbatim,
        headings=tuple(s.heading for s in answer.sections) if answer else (),
        first_section=answer.sections[0].heading if answer else "",
        routing_compliant=outcome.routing_compliant,
    )


def plain_text(outcome: Outcome) -> str:
    """The body of an outcome as text: sections, quotes, numbers, what is missing.

    Emergency notice, header and notices stand above the body and are not part of it.
    A refusal's body is its fallback text, and the gaps that were named (R-A5).
    """
    result = outcome.result
    if not isinstance(result, Answer):
        lacking = NOT_FOUND + "; ".join(result.gaps) if result.gaps else ""
        return "\n\n".join(filter(None, (result.fallback, lacking)))
    blocks = [
        block for section in result.sections for block in _section(section, result)
    ]
    if result.not_found:
        blocks.append(NOT_FOUND + "; ".join(result.not_found))
    return "\n\n".join(blocks)


def record_schema() -> str:
    """The JSON Schema of a record, as committed in docs/record.schema.json."""
    schema = Record.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def _claims(answer: Answer | None) -> Iterable[Claim]:
    sections = answer.sections if answer else ()
    return (claim for section in sections for claim in section.claims)


def _section(section: Section, answer: Answer) -> Iterable[str]:
    """Heading and claims; a line names each place before what it says (R-V10)."""
    if section.heading:
        yield section.heading
    for each in introduced(section, answer):
        if isinstance(each, str):
            yield each
            continue
        marks = "".join(f"[{number}]" for number in each.citations)
        text = f"“{each.text}”" if each.quotation else each.text
        yield f"{text} {marks}".rstrip()


def introduced(section: Section, answer: Answer) -> Iterator[str | Claim]:
    """The claims of a section, each place named by a line before what it says."""
    cited = {citation.number: citation for citation in answer.citations}
    named = None
    for claim in section.claims:
        source = cited[claim.citations[0]] if claim.citations else None
        if answer.attribution and source:
            if (source.document, place(source)) != named:
                yield introduction(answer.attribution, source)
            named = (source.document, place(source))
        yield claim


def introduction(attribution: str, source: Citation) -> str:
    """The pack's line for a place; placeholders are replaced as plain text."""
    publisher = source.publisher or source.source
    parts = attribution.split("{title}")
    return place(source).join(p.replace("{publisher}", publisher) for p in parts)


def place(source: Citation) -> str:
    """The title and the headings that quotations of a source stand under (R-A14)."""
    title = source.title.casefold()
    path = [part for part in source.section if part.casefold() != title]
    if path and path[0].startswith(f"{source.title}:"):  # the file, with its lines
        return SECTION_SEPARATOR.join(path)
    return SECTION_SEPARATOR.join((source.title, *path))


def _sources(answer: Answer) -> tuple[SourceRecord, ...]:
    quotes: dict[int, list[QuoteRecord]] = {c.number: [] for c in answer.citations}
    for claim in _claims(answer):
        for quote in claim.quotes:
            taken = QuoteRecord(start=quote.start, end=quote.end, text=quote.text)
            held = quotes[_home(quote, answer.citations).number]
            if taken not in held:
                held.append(taken)
    return tuple(
        SourceRecord(
            number=citation.number,
            chunk_id=citation.chunk,
            score=citation.relevance,
            section=SECTION_SEPARATOR.join(citation.section),
            document_id=citation.document,
            version=citation.version,
            source=citation.source,
            title=citation.title,
            url=citation.url,
            start=citation.start,
            end=citation.end,
            quote=next((quote.text for quote in quotes[citation.number]), ""),
            quotes=tuple(quotes[citation.number]),
        )
        for citation in answer.citations
    )


def _ordered(answer: Answer) -> Iterable[SectionRecord]:
    """The quotations of an answer in its order, each by its places alone."""
    for section in answer.sections:
        claims = tuple(
            ClaimRecord(
                citations=claim.citations,
                quotes=tuple(
                    QuotePlace(
                        number=_home(quote, answer.citations).number,
                        start=quote.start,
                        end=quote.end,
                    )
                    for quote in claim.quotes
                ),
                more=claim.more,
            )
            for claim in section.claims
            if claim.quotes
        )
        if claims:
            yield SectionRecord(heading=section.heading, claims=claims)


def _home(quote: Quote, citations: Iterable[Citation]) -> Citation:
    """The citation that a quote belongs to: the one of its version it overlaps most."""
    same = [
        citation
        for citation in citations
        if (citation.document, citation.version) == (quote.document, quote.version)
    ]
    if not same:
        raise ValueError(f"a quote of {quote.document} lies in no cited document")
    return max(same, key=lambda citation: _overlap(quote, citation))


def _overlap(quote: Quote, citation: Citation) -> int:
    return min(quote.end, citation.end) - max(quote.start, citation.start)


def _gate(gate: GateDecision | None) -> GateRecord | None:
    if gate is None:
        return None
    if isinstance(gate, Open):
        return GateRecord(
            verdict="open",
            rule=gate.rule,
            documents=gate.documents,
            tier_one=gate.tier_one,
            minimum_citations=gate.minimum_citations,
            numbers=gate.numbers,
        )
    return GateRecord(
        verdict="closed",
        reason=gate.reason,
        explanation=gate.explanation,
        numbers=gate.numbers,
    )
