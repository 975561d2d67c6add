"""Selected-text mode: the selection is all the evidence."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import date

from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.documents.passage import encode_chunks
from engine.model.document import (
    Block,
    BlockKind,
    Document,
    Parsed,
    VersionState,
    shelves_of,
)
from engine.model.evidence import Evidence, Trace
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.model.ports import Candidate, CorpusStatistics, Ledger
from engine.model.question import Intent, Question
from engine.policy.access import opens
from engine.policy.pack import Domain, Pack
from engine.rank.view import make_view
from engine.search.described import link_chunk
from engine.search.search import Retrieved, Searcher, find_start
from engine.text.folding import Folded, find_quote, fold_presentation, known_words
from engine.text.instructing import is_withheld
from engine.text.words import stems, words

SOURCE = "selection"
LONGEST = 50_000  # characters of a selection that are read


async def read_selection(
    question: Question, pack: Pack, ledger: Ledger, as_of: date | None = None
) -> tuple[Chunk, ...]:
    """Return the selection as chunks of a stored version, none where it may not be
    used.

    In a medical pack that version is the registered document the selection was taken
    from, found by exact comparison after folding; a selection from elsewhere is no
    evidence, nor is one from a document that a search would not return: hidden, not in
    force on `as_of`, or a demo text beside real ones. In other packs it is an ephemeral
    version made of the selection itself.

    Raises:
        LedgerFailed: the version cannot be read or stored.
    """
    text = (question.selection or "")[:LONGEST].strip()
    if not text:
        return ()
    if pack.domain is Domain.MEDICAL:
        found = await _find_registered(text, question, ledger, as_of)
        register = pack.register()
        return tuple(link_chunk(chunk, register.get(chunk.source)) for chunk in found)
    document = _make_document(text)
    await ledger.store_selection(document)
    return make_chunks(document)


async def _find_registered(
    text: str, question: Question, ledger: Ledger, as_of: date | None
) -> tuple[Chunk, ...]:
    """Return chunks of the first searchable document that holds the text."""
    folded = fold_presentation(text, known_words(text))
    shelves = shelves_of(question.pack, question.tenant)
    places = [
        (*place, shelf)
        for shelf in shelves
        for place in await ledger.find_passages(shelf, folded.text)
    ]
    if not places:
        return ()
    real = any([await _has_real(shelf, ledger) for shelf in shelves])
    for place in places:
        document = await ledger.document(*place)
        if document is None or not _may_see(question, document):
            continue
        if _is_in_force(document, as_of) and not (real and document.demo):
            # In a thread: folding a large document takes a second.
            return await asyncio.to_thread(_cut_selected, document, folded)
    return ()


async def _has_real(shelf: str, ledger: Ledger) -> bool:
    """Return whether a corpus has a current document that is no demo text."""
    return any(
        m.state is VersionState.CURRENT and not m.demo
        for m in await ledger.memberships(shelf)
    )


def _is_in_force(document: Document, as_of: date | None) -> bool:
    """Return whether a document is in force on a day; always without a day."""
    return as_of is None or (
        (find_start(document) or date.min)
        <= as_of
        <= (document.in_force_to or date.max)
    )


def _cut_selected(document: Document, folded: Folded) -> tuple[Chunk, ...]:
    """Return the chunks of a document with the sentences that are in the selection."""
    span = find_quote(
        folded, fold_presentation(document.text, known_words(document.text))
    )
    if span is None:
        return ()
    return tuple(
        chunk
        for chunk in map(lambda c: _keep_inside(c, span), make_chunks(document))
        if chunk is not None
    )


def _may_see(question: Question, document: Document) -> bool:
    """Return whether the asker holds a tag of a document that has tags."""
    return opens(document.tags, question.tags)


def _keep_inside(chunk: Chunk, span: Span) -> Chunk | None:
    """Keep the sentences of a chunk that are in the selection; None where none is."""
    kept = tuple(
        s for s in chunk.sentences if s.start >= span.start and s.end <= span.end
    )
    return chunk.model_copy(update={"sentences": kept}) if kept else None


def _make_document(text: str) -> Document:
    """Make a document of the selection: a block for each line, without metadata."""
    blocks, start = [], 0
    for line in text.split("\n"):
        left = start + len(line) - len(line.lstrip())
        right = start + len(line.rstrip())
        if right > left:
            blocks.append(Block(start=left, end=right, kind=BlockKind.PARAGRAPH))
        start += len(line) + 1
    parsed = Parsed(
        path="selection",
        text=text,
        blocks=tuple(blocks),
        loader="selection-1",
        title="Selected text",
    )
    return build_document(parsed, SOURCE)


def add_known_words(statistics: CorpusStatistics, selection: str) -> CorpusStatistics:
    """Add the words of the selection to the statistics as known ones.

    A word that the asker sees in the text is neither a typing error nor an
    abbreviation.
    """
    selection = selection[:LONGEST]
    chunks, written = dict(statistics.chunk_frequency), dict(statistics.word_frequency)
    for stem in stems(selection):
        chunks.setdefault(stem, 1)
    for word in words(selection) if written else ():
        written.setdefault(word, 1)
    return replace(statistics, chunk_frequency=chunks, word_frequency=written)


def judge_selection(
    searcher: Searcher,
    intent: Intent,
    pack: Pack,
    statistics: CorpusStatistics,
    chunks: tuple[Chunk, ...],
) -> Evidence:
    """Make the evidence of the selection alone: nothing is retrieved."""
    instructing = {chunk.id for chunk in chunks if is_withheld(chunk)}
    chunks = tuple(chunk for chunk in chunks if chunk.id not in instructing)
    trace = Trace(
        query_type=intent.query_type,
        candidates=len(chunks),
        instructing=tuple(sorted(instructing)),
        removed_filtered=len(instructing),
        profile=searcher.embedder.name,
    )
    if not chunks:
        return Evidence(chunks=(), nearest=(), answerability=0.0, trace=trace)
    encoded = searcher.embedder.encode_question(intent.text)
    entries = encode_chunks(searcher.embedder, chunks)
    candidates = tuple(
        Candidate(e.chunk, None, float(e.vector @ encoded.vector)) for e in entries
    )
    found = Retrieved(
        pack=pack,
        view=make_view(intent, encoded, statistics, pack.retrieval),
        candidates=candidates,
        tokens={e.chunk.id: e.tokens for e in entries},
        trace=trace,
    )
    judged = found.measure(searcher.reading.calibration, selected=True)
    final, register = judged[: pack.retrieval.final], pack.register()
    types = Counter(
        register[c.source].type if c.source in register else SOURCE for c in final
    )
    trace = trace.model_copy(update={"sources_by_type": dict(types)})
    return Evidence(
        chunks=tuple(final),
        nearest=(),
        answerability=max((c.relevance for c in judged), default=0.0),
        trace=trace,
    )
