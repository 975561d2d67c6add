"""Chunks: runs of whole sentences of one section, about as long as an embedder reads.

A heading is kept with the text below it, a lead-in with its first item. A table that is
too long for one chunk is cut into its rows, each read with its heads. Every character
of a document that is not white space is in exactly one chunk.
"""

import uuid
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil

from engine.documents.anchors import mark_anchors
from engine.model.document import BlockKind, Document, Excerpt, Sentence
from engine.model.passage import Chunk
from engine.text.cells import render_row

NAMESPACE = uuid.UUID("6f0d6a52-3a41-5c0b-9d0e-6b8f6d1c7f10")
TOKENS = 200
OPENERS = 5  # headings and lead-ins that are moved to the next chunk together, at most
# Least squares over 6,842 blocks of real pages against MiniLM's tokenizer: 0.99 +- 0.10
# of the true number for blocks of more than 20 tokens.
PER_WORD, PER_CHARACTER, PER_MARK = 0.454, 0.129, 1.258


@dataclass(slots=True)
class _Run:
    """Sentences below one heading path, headings included."""

    section: tuple[str, ...]
    sentences: list[Sentence] = field(default_factory=list)
    only_headings: bool = True


def estimate_tokens(text: str) -> int:
    """Estimate how many MiniLM tokens `text` has."""
    words = text.split()
    characters = sum(map(len, words))
    marks = characters - sum(map(str.isalnum, text))
    return ceil(PER_WORD * len(words) + PER_CHARACTER * characters + PER_MARK * marks)


def make_chunks(
    document: Document,
    tokens: int = TOKENS,
    anchors: int = 3,
    guideline: bool = False,
) -> tuple[Chunk, ...]:
    """Cut a document into chunks with their anchors; empty only without sentences.

    Args:
        document: a version with its sentences.
        tokens: how long a chunk may grow; a single longer sentence stays whole.
        anchors: anchors per chunk.
        guideline: the source is a guideline; chunks anchor a recommendation.
    """
    lines = [i for i, character in enumerate(document.text) if character == "\n"]
    pieces = (
        _Run(run.section, mark_anchors(document.text, piece, anchors, guideline))
        for run in _split_sections(document)
        for part in _split_long_tables(document, run.sentences, tokens)
        for piece in _cut(document.text, part, tokens)
    )
    return tuple(
        _make_chunk(document, piece, ordinal, lines)
        for ordinal, piece in enumerate(pieces)
    )


def _split_sections(document: Document) -> list[_Run]:
    """Split a document by sections; a heading without own text joins the next one."""
    runs: list[_Run] = []
    for sentence in document.sentences:
        section = sentence.section
        if sentence.kind is BlockKind.HEADING:
            section = (*section, " ".join(sentence.of(document.text).split()))
        if runs and (runs[-1].section == section or runs[-1].only_headings):
            runs[-1].section = section
        else:
            runs.append(_Run(section))
        runs[-1].sentences.append(sentence)
        runs[-1].only_headings &= sentence.kind is BlockKind.HEADING
    if len(runs) > 1 and runs[-1].only_headings:
        runs[-2].sentences += runs.pop().sentences
    return runs


def _split_long_tables(
    document: Document, sentences: Sequence[Sentence], most: int
) -> Iterator[Sequence[Sentence]]:
    """Yield the sentences of a run, with each row of a long table apart.

    Its head rows are kept with its lead-in, a line across it with the row below.
    """
    start = 0
    for first, end in _find_tables(document, sentences):
        table = sentences[first:end]
        if sum(_estimate_sentence(document.text, row) for row in table) <= most:
            continue
        heads = [_is_head(document, row) for row in table]
        opening = heads.index(False) if False in heads else len(heads)
        cuts = [opening, *(at + 1 for at, head in enumerate(heads) if not head)]
        for cut in (first + at for at in (*cuts, len(heads))):
            if cut > start:
                yield sentences[start:cut]
                start = cut
    if start < len(sentences):
        yield sentences[start:]


def _find_tables(
    document: Document, sentences: Sequence[Sentence]
) -> Iterator[tuple[int, int]]:
    """Yield the first and the end index of each table among sentences."""
    begun: int | None = None
    for at, sentence in enumerate(sentences):
        row = document.blocks[sentence.block].row
        if begun is not None and (row is None or not row.at):
            yield begun, at
            begun = None
        if row is not None and begun is None:
            begun = at
    if begun is not None:
        yield begun, len(sentences)


def _is_head(document: Document, sentence: Sentence) -> bool:
    row = document.blocks[sentence.block].row
    return row is not None and row.head


def _cut(
    text: str, sentences: Sequence[Sentence], most: int
) -> Iterator[Sequence[Sentence]]:
    """Yield pieces of nearly equal length, none over `most` unless one sentence is."""
    sizes = [_estimate_sentence(text, sentence) for sentence in sentences]
    goal = sum(sizes) / max(1, ceil(sum(sizes) / most))
    start = size = 0
    for index, length in enumerate(sizes):
        if index > start and (size + length > most or size >= goal):
            cut = index
            while cut > max(start, index - OPENERS) and _opens_next(
                text, sentences, cut - 1
            ):
                cut -= 1
            if cut > start:
                yield sentences[start:cut]
                start, size = cut, sum(sizes[cut:index])
        size += length
    yield sentences[start:]


def _estimate_sentence(text: str, sentence: Sentence) -> int:
    """Estimate the tokens of a sentence as it is read: a row with its heads."""
    own = sentence.of(text)
    heads = [span.of(text) for span in sentence.heads]
    return estimate_tokens(render_row(own, heads) if heads else own)


def _opens_next(text: str, sentences: Sequence[Sentence], index: int) -> bool:
    """Return whether a sentence belongs with the next: a heading, a lead-in, a colon.

    The next exists: a piece is only cut before one.
    """
    sentence, following = sentences[index], sentences[index + 1]
    if sentence.kind in {BlockKind.HEADING, BlockKind.CODE}:
        return sentence.kind is BlockKind.HEADING
    introduced = following.lead_in
    leads = introduced is not None and introduced.start == sentence.start
    return leads or text[sentence.end - 1] == ":"


def _make_chunk(
    document: Document, piece: _Run, ordinal: int, lines: Sequence[int]
) -> Chunk:
    start, end = piece.sentences[0].start, piece.sentences[-1].end
    things = tuple(t for t in document.things if t.start < end and start < t.end)
    name = f"{document.id}\n{document.version}\n{start}-{end}"
    return Chunk(
        id=str(uuid.uuid5(NAMESPACE, name)),
        document=document.id,
        version=document.version,
        source=document.source,
        title=document.title,
        section=piece.section,
        ordinal=ordinal,
        start=start,
        end=end,
        line_start=bisect_right(lines, start - 1) + 1,
        text=document.text[start:end],
        sentences=tuple(piece.sentences),
        url=document.url,
        publisher=document.publisher,
        published=document.published,
        retrieved=document.retrieved,
        in_force_from=document.in_force_from,
        in_force_to=document.in_force_to,
        tags=document.tags,
        demo=document.demo,
        context=tuple(_find_context(document, piece.sentences, lines)),
        things=things,
        file=document.file,
        page=_find_page(document.text, start),
    )


def _find_page(text: str, start: int) -> int | None:
    return 1 + text.count("\f", 0, start) if "\f" in text else None


def _find_context(
    document: Document, sentences: Sequence[Sentence], lines: Sequence[int]
) -> Iterator[Excerpt]:
    """Yield the spans, in order, that a chunk needs and does not hold.

    Its sentences depend on them, or they are attributes of the chunk's entities.
    """
    start, end = sentences[0].start, sentences[-1].end
    leant = (
        span
        for sentence in sentences
        if sentence.closed
        for span in (*sentence.leans_on, *filter(None, (sentence.announces,)))
    )
    said = (
        attribute
        for thing in document.things
        if thing.start < end and start < thing.end
        for attribute in thing.attributes
    )
    needed = {
        (span.start, span.end)
        for span in chain(leant, said)
        if span.start < start or end < span.end
    }
    for first, last in sorted(needed):
        yield Excerpt(
            start=first,
            end=last,
            text=document.text[first:last],
            line=bisect_right(lines, first - 1) + 1,
        )
