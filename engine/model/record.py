"""The response record: what `ask --json` prints and what the ledger keeps.

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
    """The text at [start, end) of its source's version, word for word."""

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
    """One quotation of an answer; `more` is True where "Show more" revealed it."""

    citations: tuple[int, ...]
    quotes: tuple[QuotePlace, ...]
    more: bool


class SectionRecord(Frozen):
    heading: str
    claims: tuple[ClaimRecord, ...]


class GateRecord(Frozen):
    """The gate's verdict: the rule that opened it, or the reason why it closed."""

    verdict: Literal["open", "closed"]
    rule: str | None = None
    documents: int | None = None
    tier_one: bool | None = None
    minimum_citations: int | None = None
    reason: Reason | None = None
    explanation: str = ""
    numbers: Mapping[str, float] = Field(default_factory=dict)


class AnalysisDate(Frozen):
    """The date that the question was answered for, and its origin."""

    basis: Basis
    as_of: date | None


class Record(Frozen):
    """One outcome as it is stored and handed on.

    `answer` is the plain text that a person sees, `sections` the order in which it
    quotes its sources, `choices` what a refusal offered, `chosen_from` the refusal that
    offered this question, `evidence` the section that was chosen there. `previous`,
    `about`, `tags`, `tenant`, `selection` and `verbatim` are the question's other
    inputs; `headings` are all that were shown; `routing_compliant` is True where they
    and every rejected draft keep the contract, None on older records. `audit_id` and
    `created` are empty until the ledger has stored the record.
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
    about: str = ""
    selection: str = ""
    tags: tuple[str, ...] = ()
    tenant: str = ""
    verbatim: bool = False
    headings: tuple[str, ...] = ()
    first_section: str = ""
    routing_compliant: bool | None = None


def record_of(outcome: Outcome, created: datetime | None = None) -> Record:
    """Make the record of an outcome.

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
        sensitive=intent.sensitive or any(c.sensitive for c in _iterate_claims(answer)),
        minimum_citations=answer.minimum_citations if answer else 0,
        sources=_record_sources(answer) if answer else (),
        nearest=outcome.nearest,
        pack=question.pack,
        pack_version=outcome.pack_version,
        pack_hash=outcome.pack_hash,
        intent=intent,
        gate=_record_gate(outcome.gate),
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
        sections=tuple(_record_sections(answer)) if answer else (),
        choices=outcome.choices,
        chosen_from=question.chosen_from,
        evidence=question.evidence,
        previous=question.previous or "",
        about=question.about,
        selection=question.selection or "",
        tags=tuple(sorted(question.tags)),
        tenant=question.tenant,
        verbatim=question.verbatim,
        headings=tuple(s.heading for s in answer.sections) if answer else (),
        first_section=answer.sections[0].heading if answer else "",
        routing_compliant=outcome.routing_compliant,
    )


def plain_text(outcome: Outcome) -> str:
    """Render the body of an outcome as text: sections, quotes, numbers, what is
    missing.

    Emergency notice, header and notices are above the body and not part of it. A
    refusal's body is its fallback text, and the gaps that were named.
    """
    result = outcome.result
    if not isinstance(result, Answer):
        lacking = NOT_FOUND + "; ".join(result.gaps) if result.gaps else ""
        return "\n\n".join(filter(None, (result.fallback, lacking)))
    blocks = [
        block
        for section in result.sections
        for block in _render_section(section, result)
    ]
    if result.not_found:
        blocks.append(NOT_FOUND + "; ".join(result.not_found))
    return "\n\n".join(blocks)


def record_schema() -> str:
    """Return the JSON Schema of a record, as committed in docs/record.schema.json."""
    schema = Record.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def _iterate_claims(answer: Answer | None) -> Iterable[Claim]:
    sections = answer.sections if answer else ()
    return (claim for section in sections for claim in section.claims)


def _render_section(section: Section, answer: Answer) -> Iterable[str]:
    """Yield a heading and its claims, with a line that names each place before its
    claims.
    """
    if section.heading:
        yield section.heading
    for each in introduce_places(section, answer):
        if isinstance(each, str):
            yield each
            continue
        marks = "".join(f"[{number}]" for number in each.citations)
        text = f"“{each.text}”" if each.quotation else each.text
        yield f"{text} {marks}".rstrip()


def introduce_places(section: Section, answer: Answer) -> Iterator[str | Claim]:
    """Yield the claims of a section, with a line that names each new place.

    Not where the heading names it: a page in short names itself once.
    """
    cited = {citation.number: citation for citation in answer.citations}
    begun = section.heading != answer.sections[0].heading
    named = None
    for claim in section.claims:
        source = cited[claim.citations[0]] if claim.citations else None
        if answer.attribution and source:
            own = begun and source.section[-1:] == (section.heading,)
            if not own and (source.document, format_place(source)) != named:
                yield format_attribution(answer.attribution, source)
            named = (source.document, format_place(source))
        yield claim


def format_attribution(attribution: str, source: Citation) -> str:
    """Fill in the pack's attribution line for a place; placeholders are plain text."""
    publisher = source.publisher or source.source
    parts = attribution.split("{title}")
    return format_place(source).join(p.replace("{publisher}", publisher) for p in parts)


def format_place(source: Citation) -> str:
    """Join title and headings of a source to one line."""
    title = source.title.casefold()
    path = [part for part in source.section if part.casefold() != title]
    if path and path[0].startswith(f"{source.title}:"):  # the file, with its lines
        return SECTION_SEPARATOR.join(path)
    return SECTION_SEPARATOR.join((source.title, *path))


def _record_sources(answer: Answer) -> tuple[SourceRecord, ...]:
    quotes: dict[int, list[QuoteRecord]] = {c.number: [] for c in answer.citations}
    for claim in _iterate_claims(answer):
        for quote in claim.quotes:
            taken = QuoteRecord(start=quote.start, end=quote.end, text=quote.text)
            held = quotes[_find_citation(quote, answer.citations).number]
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


def _record_sections(answer: Answer) -> Iterable[SectionRecord]:
    """Yield the quotations of an answer in its order, by their places alone."""
    for section in answer.sections:
        claims = tuple(
            ClaimRecord(
                citations=claim.citations,
                quotes=tuple(
                    QuotePlace(
                        number=_find_citation(quote, answer.citations).number,
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


def _find_citation(quote: Quote, citations: Iterable[Citation]) -> Citation:
    """Return the citation of the quote's version that overlaps it most.

    Raises:
        ValueError: no citation is of that version.
    """
    same = [
        citation
        for citation in citations
        if (citation.document, citation.version) == (quote.document, quote.version)
    ]
    if not same:
        raise ValueError(f"a quote of {quote.document} lies in no cited document")
    return max(same, key=lambda citation: _count_overlap(quote, citation))


def _count_overlap(quote: Quote, citation: Citation) -> int:
    return min(quote.end, citation.end) - max(quote.start, citation.start)


def _record_gate(gate: GateDecision | None) -> GateRecord | None:
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
