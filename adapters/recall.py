"""A stored record as a reply again: its sources, its "why", its evidence (R-D5).

Nothing is searched or judged anew. What the reader may not see today is left out, and
so is what was forgotten.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from adapters.reply import Reply, compose
from engine.conclude.fallback import compose as again
from engine.conclude.fallback import refuse
from engine.conclude.notices import tell_disagreement
from engine.model.answer import Answer, Citation, Claim, Quote, Section
from engine.model.codes import Reason, RefusalReason
from engine.model.document import Document
from engine.model.gate import Open
from engine.model.outcome import Nearest, Outcome, Refusal
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.model.record import (
    SECTION_SEPARATOR,
    ClaimRecord,
    QuotePlace,
    Record,
    SectionRecord,
    SourceRecord,
)
from engine.policy.links import permit_link
from engine.policy.pack import Pack
from engine.search.selection import SOURCE as SELECTION
from engine.text.quotable import OMITTED
from engine.text.words import words

CLOSED = "That reply cites no source that you may see."


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a stored reply again.

    Attributes:
        documents: those of the reply that they may see, by id, as they may see them.
        tags: the access tags that they hold.
        today: from which ages are counted.
    """

    documents: Mapping[str, Document]
    tags: Collection[str]
    today: date

    def sees_all(self, record: Record) -> bool:
        """Whether nothing that the asker was shown is hidden from this reader.

        What no document can be named for was made of all that the asker could see.
        """
        shown = {s.document_id for s in record.sources}
        shown |= {near.document_id for near in record.nearest}
        shown |= {choice.document_id for choice in record.choices}
        return shown <= self.documents.keys() and set(record.tags) <= set(self.tags)

    def knows(self, word: str) -> bool:
        """Whether a word stands in a document of the reply that they may see."""
        wanted = words(word)
        return any(
            set(wanted) <= {*words(d.title), *words(d.text)}
            for d in self.documents.values()
        )


def recall(record: Record, reader: Reader, pack: Pack, *, whole: bool = False) -> Reply:
    """The reply to a stored question: sources, why, and of an answer its quotations.

    Where the reader may see less than the asker could, what stood on top or behind is
    made again of what is left, or left out: it may tell of documents that are hidden.

    Args:
        record: as the ledger returns it.
        reader: who reads it.
        pack: of the record.
        whole: see `compose`.
    """
    documents = reader.documents
    near = tuple(
        n.model_copy(update=_told(documents[n.document_id], pack))
        for n in record.nearest
        if n.document_id in documents
    )
    gate, sees_all = record.gate, reader.sees_all(record)
    opened = gate is not None and gate.verdict == "open"
    outcome = Outcome(
        question=Question(
            id=record.question_id,
            session="",
            text=record.question if may_repeat(record, documents) else "",
            pack=record.pack,
            chosen_from=record.chosen_from,
            evidence=record.evidence,
        ),
        intent=_intent(record, reader),
        result=_refusal(record, pack, near, sees_all=sees_all)
        if record.reason_code is not None
        else _answer(record, documents, pack) or _closed(),
        states=record.failure_states,
        emergency=record.emergency,
        header=record.header,
        notices=record.notices,
        nearest=near,
        choices=tuple(c for c in record.choices if c.document_id in documents),
        gate=_opened(record, documents, sees_all=sees_all) if opened else None,
        audit_id=record.audit_id,
    )
    if not sees_all:
        notices = tuple(_notices(record, outcome, pack))
        outcome = outcome.model_copy(update={"notices": notices})
    return compose(outcome, pack.wording, reader.today, whole=whole)


def _intent(record: Record, reader: Reader) -> Intent:
    """How the question was understood, as far as this reader may know (R-C5).

    A spelling was put right to a word of the corpus: it is told where the word stands
    in what the reader sees. What is understood is not told to who sees less.
    """
    intent = record.intent
    kept = tuple(pair for pair in intent.corrections if reader.knows(pair[1]))
    if kept == intent.corrections and reader.sees_all(record):
        return intent
    asked = record.question if may_repeat(record, reader.documents) else ""
    update = {"corrections": kept, "text": asked, "follow_up": False}
    return intent.model_copy(update=update)


def _notices(record: Record, outcome: Outcome, pack: Pack) -> Iterator[str]:
    """The notices for who sees less: fixed texts, and what is left of a disagreement.

    None beside an answer of which nothing may be seen.
    """
    if not (record.was_refusal or outcome.answered):
        return
    fixed = {notice.text for notice in pack.notices.values()}
    yield from (notice for notice in record.notices if notice in fixed)
    if isinstance(outcome.result, Answer):
        by_document = tuple(
            citation.model_copy(update={"chunk": citation.document})
            for citation in outcome.result.citations
        )
        left = outcome.result.model_copy(update={"citations": by_document})
        yield from tell_disagreement(left, outcome.gate, pack)


def may_repeat(record: Record, documents: Collection[str]) -> bool:
    """Whether a question may be told to who sees these documents.

    Words of a person may; a choice is words of a document, and stands in its answer.
    """
    if record.chosen_from is None:
        return True
    cited = {source.document_id for source in record.sources}
    return bool(cited) and all(document in documents for document in cited)


def _told(document: Document, pack: Pack) -> Mapping[str, str | None]:
    """A document's name and address as the reader's own shelf has them (R-S8)."""
    return {"title": document.title, "url": _url(document, pack)}


def _url(document: Document, pack: Pack) -> str | None:
    """A document's address where its source may be linked so (R-V7)."""
    return permit_link(document.url, pack.register().get(document.source))


def _opened(
    record: Record, documents: Mapping[str, Document], *, sees_all: bool
) -> Open:
    """The gate's decision; of what is hidden it counts nothing."""
    gate = record.gate
    left = len({s.document_id for s in record.sources} & documents.keys())
    return Open(
        rule=(gate and gate.rule) or "",
        chunks=tuple(_laid_out(document) for document in documents.values()),
        documents=(gate and gate.documents) or 0 if sees_all else left,
        tier_one=bool(gate and gate.tier_one) and sees_all,
        minimum_citations=(gate and gate.minimum_citations) or 0,
        numbers=gate.numbers if gate and sees_all else {},
    )


def _laid_out(document: Document) -> Chunk:
    """A document as one chunk, which knows the forms of what is quoted of it."""
    return Chunk(
        id=document.id,
        document=document.id,
        version=document.version,
        source=document.source,
        title=document.title,
        section=(),
        ordinal=0,
        start=0,
        end=len(document.text),
        line_start=1,
        text=document.text,
        sentences=document.sentences,
    )


def _refusal(
    record: Record, pack: Pack, near: Sequence[Nearest], *, sees_all: bool
) -> Refusal:
    """A refusal; to who sees less it is worded again, without a number or a page."""
    if record.reason_code is None:
        raise ValueError("a refusal without a reason is on record")
    if not sees_all:
        bare = record.intent.model_copy(update={"text": ""})
        refused = refuse(record.reason_code, pack, bare)
        text = again(record.reason_code, pack, bare, near=bool(near))
        return refused.model_copy(update={"fallback": text})
    return Refusal(
        reason=record.reason_code,
        shown_reason=record.refusal_reason or RefusalReason.INSUFFICIENT_CONTEXT,
        explanation=record.explanation,
        fallback=record.answer,
        numbers=record.gate.numbers if record.gate else {},
    )


def _closed() -> Refusal:
    """In place of an answer of which the reader may see nothing."""
    return Refusal(
        reason=Reason.FILTERED_OUT,
        shown_reason=RefusalReason.EMPTY_RETRIEVAL,
        explanation=CLOSED,
        fallback=CLOSED,
    )


def _answer(
    record: Record, documents: Mapping[str, Document], pack: Pack
) -> Answer | None:
    """The quotations of documents that may be seen; None where there are none."""
    seen = {s.number: s for s in record.sources if s.document_id in documents}
    sections = (
        Section(heading=section.heading, claims=tuple(_claims(section, seen)))
        for section in record.sections or _by_source(record)
    )
    kept = tuple(section for section in sections if section.claims)
    if not kept:
        return None
    chosen = all(source.source == SELECTION for source in seen.values())
    words = pack.answer
    return Answer(
        sections=kept,
        citations=tuple(
            _citation(s, documents[s.document_id], pack) for s in seen.values()
        ),
        minimum_citations=0,
        attribution=words.selection_attribution if chosen else words.attribution,
    )


def _by_source(record: Record) -> Sequence[SectionRecord]:
    """The order of the sources, for a record that does not hold that of its answer."""
    claims = tuple(
        ClaimRecord(
            citations=(source.number,),
            quotes=tuple(_apart(source)),
            more=False,
        )
        for source in record.sources
    )
    return (SectionRecord(heading="", claims=claims),)


def _apart(source: SourceRecord) -> Iterator[QuotePlace]:
    """The quotes of a source in the order of its text, none inside another."""
    end = -1
    for quote in sorted(source.quotes, key=lambda q: (q.start, -q.end)):
        if quote.end > end:
            end = quote.end
            yield QuotePlace(number=source.number, start=quote.start, end=end)


def _claims(
    section: SectionRecord, seen: Mapping[int, SourceRecord]
) -> Iterator[Claim]:
    """Those quotations of a section of which everything may be seen."""
    for claim in section.claims:
        quotes = [_quote(place, seen) for place in claim.quotes]
        known = [quote for quote in quotes if quote is not None]
        if known and len(known) == len(quotes) and seen.keys() >= {*claim.citations}:
            yield Claim(
                text=f"\n{OMITTED}\n".join(quote.text for quote in known),
                citations=claim.citations,
                quotes=tuple(known),
                quotation=True,
                more=claim.more,
            )


def _quote(place: QuotePlace, seen: Mapping[int, SourceRecord]) -> Quote | None:
    """A quote by its place; None where it may not be seen, or was forgotten."""
    source = seen.get(place.number)
    for quote in source.quotes if source else ():
        if source and (quote.start, quote.end) == (place.start, place.end):
            return Quote(
                text=quote.text,
                chunk=source.document_id,
                document=source.document_id,
                version=source.version,
                start=quote.start,
                end=quote.end,
            )
    return None


def _citation(source: SourceRecord, document: Document, pack: Pack) -> Citation:
    source_of = pack.register().get(document.source)
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
        publisher=source_of.publisher if source_of else None,
        url=permit_link(document.url, source_of),
        published=document.published,
        retrieved=document.retrieved,
        in_force_from=document.in_force_from,
        in_force_to=document.in_force_to,
        demo=document.demo,
    )
