"""Conversion of a stored record back to a reply: its sources, its "why", its evidence.

Nothing is searched or judged again. Documents that the reader may not see today are
left out, and so are forgotten fields.
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
    """The reader of a stored reply.

    Attributes:
        documents: the documents of the reply that they may see, by id.
        tags: their access tags.
        today: the day from which ages are counted.
    """

    documents: Mapping[str, Document]
    tags: Collection[str]
    today: date

    def sees_all(self, record: Record) -> bool:
        """Tell whether this reader may see everything that the asker was shown.

        Texts without a document depend on all that the asker could see, so the reader
        needs the asker's tags too.
        """
        shown = {s.document_id for s in record.sources}
        shown |= {near.document_id for near in record.nearest}
        shown |= {choice.document_id for choice in record.choices}
        return shown <= self.documents.keys() and set(record.tags) <= set(self.tags)

    def knows(self, word: str) -> bool:
        """Tell whether a word occurs in a visible document of the reply."""
        wanted = words(word)
        return any(
            set(wanted) <= {*words(d.title), *words(d.text)}
            for d in self.documents.values()
        )


def recall(record: Record, reader: Reader, pack: Pack, *, whole: bool = False) -> Reply:
    """Make the reply of a record: sources, why, and the quotations of an answer.

    Where the reader may see less than the asker, banners and explanations are made from
    the visible part or left out, because they may reveal hidden documents.

    Args:
        record: the record, as the ledger returns it.
        reader: the reader.
        pack: the pack of the record.
        whole: see `compose`.
    """
    documents = reader.documents
    near = tuple(
        n.model_copy(update=_describe_document(documents[n.document_id], pack))
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
        intent=_limit_intent(record, reader),
        result=_make_refusal(record, pack, near, sees_all=sees_all)
        if record.reason_code is not None
        else _make_answer(record, documents, pack) or _make_closed_refusal(),
        states=record.failure_states,
        emergency=record.emergency,
        header=record.header,
        notices=record.notices,
        nearest=near,
        choices=tuple(c for c in record.choices if c.document_id in documents),
        gate=_make_open_gate(record, documents, sees_all=sees_all) if opened else None,
        audit_id=record.audit_id,
    )
    if not sees_all:
        notices = tuple(_limit_notices(record, outcome, pack))
        outcome = outcome.model_copy(update={"notices": notices})
    return compose(outcome, pack.wording, reader.today, whole=whole)


def _limit_intent(record: Record, reader: Reader) -> Intent:
    """Limit the parsed question to what this reader may know.

    Corrections of spelling are words of the corpus, so they are kept where a visible
    document has the word. A reader who sees less does not get the understood text.
    """
    intent = record.intent
    kept = tuple(pair for pair in intent.corrections if reader.knows(pair[1]))
    if kept == intent.corrections and reader.sees_all(record):
        return intent
    asked = record.question if may_repeat(record, reader.documents) else ""
    update = {"corrections": kept, "text": asked, "follow_up": False}
    return intent.model_copy(update=update)


def _limit_notices(record: Record, outcome: Outcome, pack: Pack) -> Iterator[str]:
    """List the notices for a reader who sees less: fixed texts and disagreements.

    None with an answer that is hidden completely.
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
    """Tell whether a question may be repeated to a reader of these documents.

    A person's words may; a choice has words of documents, so these must be visible.
    """
    if record.chosen_from is None:
        return True
    cited = {source.document_id for source in record.sources}
    return bool(cited) and all(document in documents for document in cited)


def _describe_document(document: Document, pack: Pack) -> Mapping[str, str | None]:
    """Return a document's title and address as the reader's shelf has them."""
    return {"title": document.title, "url": _find_url(document, pack)}


def _find_url(document: Document, pack: Pack) -> str | None:
    """Return a document's address where its source permits the link."""
    return permit_link(document.url, pack.register().get(document.source))


def _make_open_gate(
    record: Record, documents: Mapping[str, Document], *, sees_all: bool
) -> Open:
    """Make the gate's decision, counting visible documents only."""
    gate = record.gate
    left = len({s.document_id for s in record.sources} & documents.keys())
    return Open(
        rule=(gate and gate.rule) or "",
        chunks=tuple(_make_chunk(document) for document in documents.values()),
        documents=(gate and gate.documents) or 0 if sees_all else left,
        tier_one=bool(gate and gate.tier_one) and sees_all,
        minimum_citations=(gate and gate.minimum_citations) or 0,
        numbers=gate.numbers if gate and sees_all else {},
    )


def _make_chunk(document: Document) -> Chunk:
    """Make a document one chunk, from which quotes get their forms."""
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


def _make_refusal(
    record: Record, pack: Pack, near: Sequence[Nearest], *, sees_all: bool
) -> Refusal:
    """Make the refusal; a reader who sees less gets it without numbers and pages."""
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


def _make_closed_refusal() -> Refusal:
    """Make the refusal that replaces an answer hidden completely."""
    return Refusal(
        reason=Reason.FILTERED_OUT,
        shown_reason=RefusalReason.EMPTY_RETRIEVAL,
        explanation=CLOSED,
        fallback=CLOSED,
    )


def _make_answer(
    record: Record, documents: Mapping[str, Document], pack: Pack
) -> Answer | None:
    """Make the answer of visible quotations; return None where there are none."""
    seen = {s.number: s for s in record.sources if s.document_id in documents}
    sections = (
        Section(heading=section.heading, claims=tuple(_list_claims(section, seen)))
        for section in record.sections or _list_by_source(record)
    )
    kept = tuple(section for section in sections if section.claims)
    if not kept:
        return None
    chosen = all(source.source == SELECTION for source in seen.values())
    words = pack.answer
    return Answer(
        sections=kept,
        citations=tuple(
            _make_citation(s, documents[s.document_id], pack) for s in seen.values()
        ),
        minimum_citations=0,
        attribution=words.selection_attribution if chosen else words.attribution,
    )


def _list_by_source(record: Record) -> Sequence[SectionRecord]:
    """List the quotes by source, for a record without the sections of its answer."""
    claims = tuple(
        ClaimRecord(
            citations=(source.number,),
            quotes=tuple(_list_separate(source)),
            more=False,
        )
        for source in record.sources
    )
    return (SectionRecord(heading="", claims=claims),)


def _list_separate(source: SourceRecord) -> Iterator[QuotePlace]:
    """List the quotes of a source in the order of its text, none inside another."""
    end = -1
    for quote in sorted(source.quotes, key=lambda q: (q.start, -q.end)):
        if quote.end > end:
            end = quote.end
            yield QuotePlace(number=source.number, start=quote.start, end=end)


def _list_claims(
    section: SectionRecord, seen: Mapping[int, SourceRecord]
) -> Iterator[Claim]:
    """List the quotations of a section that are completely visible."""
    for claim in section.claims:
        quotes = [_find_quote(place, seen) for place in claim.quotes]
        known = [quote for quote in quotes if quote is not None]
        if known and len(known) == len(quotes) and seen.keys() >= {*claim.citations}:
            yield Claim(
                text=f"\n{OMITTED}\n".join(quote.text for quote in known),
                citations=claim.citations,
                quotes=tuple(known),
                quotation=True,
                more=claim.more,
            )


def _find_quote(place: QuotePlace, seen: Mapping[int, SourceRecord]) -> Quote | None:
    """Find a quote by its place; return None where it is hidden or forgotten."""
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


def _make_citation(source: SourceRecord, document: Document, pack: Pack) -> Citation:
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
