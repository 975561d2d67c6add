"""A stored record as a reply again: its sources, its "why", its evidence (R-D5).

Nothing is searched or judged anew. What the reader may not see today is left out, and
so is what was forgotten.
"""

from collections.abc import Iterable, Mapping
from datetime import date

from adapters.reply import Reply, compose
from engine.audit import SECTION_SEPARATOR, Record, SourceRecord
from engine.corpus_records import Document
from engine.policy import Wording
from engine.records import (
    Answer,
    Citation,
    Claim,
    Open,
    Outcome,
    Question,
    Quote,
    Reason,
    Refusal,
    RefusalReason,
    Section,
)

ATTRIBUTION = "{title}:"
HIDDEN = "None of the sources of that reply is one that you may see."


def recall(
    record: Record,
    documents: Mapping[str, Document],
    wording: Wording,
    today: date,
) -> Reply:
    """The reply to a stored question: sources, why, and of an answer its quotations.

    Args:
        record: as the ledger returns it.
        documents: those that the reader may see, by id, as they may see them; every
            other one is left out.
        wording: of the record's pack.
        today: from which ages are counted.
    """
    seen = tuple(s for s in record.sources if s.document_id in documents)
    near = tuple(
        n.model_copy(update=_told(documents[n.document_id]))
        for n in record.nearest
        if n.document_id in documents
    )
    gate = record.gate
    opened = gate is not None and gate.verdict == "open"
    outcome = Outcome(
        question=Question(
            id=record.question_id, session="", text=record.question, pack=record.pack
        ),
        intent=record.intent,
        result=_refusal(record) if record.was_refusal else _shown(seen, documents),
        states=record.failure_states,
        emergency=record.emergency,
        header=record.header,
        notices=record.notices,
        nearest=near,
        gate=_opened(record) if opened else None,
        audit_id=record.audit_id,
    )
    return compose(outcome, wording, today)


def _told(document: Document) -> Mapping[str, str | None]:
    """A document's name and address as the reader's own shelf has them (R-S8)."""
    return {"title": document.title, "url": document.url}


def _opened(record: Record) -> Open:
    gate = record.gate
    return Open(
        rule=(gate and gate.rule) or "",
        chunks=(),
        documents=(gate and gate.documents) or 0,
        tier_one=bool(gate and gate.tier_one),
        minimum_citations=(gate and gate.minimum_citations) or 0,
        numbers=gate.numbers if gate else {},
    )


def _refusal(record: Record) -> Refusal:
    if record.reason_code is None:
        raise ValueError("a refusal without a reason is on record")
    return Refusal(
        reason=record.reason_code,
        shown_reason=record.refusal_reason or RefusalReason.INSUFFICIENT_CONTEXT,
        explanation=record.explanation,
        fallback=record.answer,
        numbers=record.gate.numbers if record.gate else {},
    )


def _shown(
    sources: tuple[SourceRecord, ...], documents: Mapping[str, Document]
) -> Answer | Refusal:
    """What may be seen of an answer; where that is nothing, there is none to show."""
    if any(source.quotes for source in sources):
        return _answer(sources, documents)
    return Refusal(
        reason=Reason.FILTERED_OUT,
        shown_reason=RefusalReason.INSUFFICIENT_CONTEXT,
        explanation=HIDDEN,
        fallback=HIDDEN,
    )


def _answer(
    sources: Iterable[SourceRecord], documents: Mapping[str, Document]
) -> Answer:
    found = tuple(sources)
    return Answer(
        sections=(
            Section(heading="", claims=tuple(c for s in found for c in _claims(s))),
        ),
        citations=tuple(_citation(s, documents[s.document_id]) for s in found),
        minimum_citations=0,
        attribution=ATTRIBUTION,
    )


def _claims(source: SourceRecord) -> Iterable[Claim]:
    """What was quoted of a source, as one quotation in the order of its text."""
    quotes: list[Quote] = []
    for quote in sorted(source.quotes, key=lambda q: (q.start, -q.end)):
        if quotes and quote.end <= quotes[-1].end:
            continue
        anchored = Quote(
            text=quote.text,
            chunk=source.chunk_id,
            document=source.document_id,
            version=source.version,
            start=quote.start,
            end=quote.end,
        )
        quotes.append(anchored)
    if quotes:
        yield Claim(
            text="\n".join(quote.text for quote in quotes),
            citations=(source.number,),
            quotes=tuple(quotes),
            quotation=True,
        )


def _citation(source: SourceRecord, document: Document) -> Citation:
    return Citation(
        number=source.number,
        chunk=source.chunk_id,
        document=source.document_id,
        version=source.version,
        source=document.source,
        title=document.title,
        section=tuple(source.section.split(SECTION_SEPARATOR)),
        start=source.start,
        end=source.end,
        relevance=source.score,
        publisher=document.publisher,
        url=document.url,
        published=document.published,
        retrieved=document.retrieved,
        demo=document.demo,
    )
