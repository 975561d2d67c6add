"""Chunks: runs of whole sentences of one section, about as long as an embedder reads.

A heading goes with the text below it and what introduces a list with its first item.
Every character of a document that is not white space is in exactly one chunk.
"""

import uuid
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

import re2

from engine.anchors import with_anchors
from engine.corpus_records import BlockKind, Document, Sentence
from engine.records import Chunk

NAMESPACE = uuid.UUID("6f0d6a52-3a41-5c0b-9d0e-6b8f6d1c7f10")
TOKENS = 200
TOKENS_PER_WORD = 1.35
WORD = re2.compile(r"\w+")
MARK = re2.compile(r"[^\w\s]")


@dataclass(slots=True)
class _Run:
    """Sentences below one heading path, headings included."""

    section: tuple[str, ...]
    sentences: list[Sentence] = field(default_factory=list)

    @property
    def only_headings(self) -> bool:
        return all(s.kind is BlockKind.HEADING for s in self.sentences)


def estimate_tokens(text: str) -> int:
    """About how many MiniLM tokens `text` has."""
    words = sum(TOKENS_PER_WORD for _ in WORD.finditer(text))
    return ceil(words) + sum(1 for _ in MARK.finditer(text))


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
        anchors: anchors per chunk (R-R7).
        guideline: the source is a guideline; chunks anchor a recommendation.
    """
    lines = [i for i, character in enumerate(document.text) if character == "\n"]
    chunks: list[Chunk] = []
    for run in _runs(document):
        for piece in _cut(document.text, run.sentences, tokens):
            marked = with_anchors(document.text, piece, anchors, guideline)
            chunks.append(_chunk(document, run.section, marked, lines))
    return tuple(
        chunk.model_copy(update={"ordinal": ordinal})
        for ordinal, chunk in enumerate(chunks)
    )


def _runs(document: Document) -> list[_Run]:
    """The document by sections; a heading without own text joins what follows it."""
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
    if len(runs) > 1 and runs[-1].only_headings:
        runs[-2].sentences += runs.pop().sentences
    return runs


def _cut(
    text: str, sentences: Sequence[Sentence], most: int
) -> Iterator[list[Sentence]]:
    """Pieces of nearly equal length, none longer than `most` unless one sentence is."""
    sizes = [estimate_tokens(sentence.of(text)) for sentence in sentences]
    goal = sum(sizes) / max(1, ceil(sum(sizes) / most))
    piece: list[Sentence] = []
    size = 0
    for sentence, length in zip(sentences, sizes, strict=True):
        if piece and (size + length > most or size >= goal):
            kept = _opening(text, piece)
            if kept:
                yield piece[: len(piece) - len(kept)]
                piece = kept
                size = sum(estimate_tokens(s.of(text)) for s in kept)
            elif not _opens(text, piece[-1]):
                yield piece
                piece, size = [], 0
        piece.append(sentence)
        size += length
    yield piece


def _opens(text: str, sentence: Sentence) -> bool:
    """Whether a sentence only makes sense before the next: a heading or a lead-in."""
    lead_in = sentence.of(text).endswith(":") and sentence.kind is not BlockKind.CODE
    return sentence.kind is BlockKind.HEADING or lead_in


def _opening(text: str, piece: Sequence[Sentence]) -> list[Sentence]:
    """The last sentences of `piece` that must move on; empty if that would be all."""
    index = len(piece)
    while index and _opens(text, piece[index - 1]):
        index -= 1
    return list(piece[index:]) if index else []


def _chunk(
    document: Document,
    section: tuple[str, ...],
    sentences: tuple[Sentence, ...],
    lines: Sequence[int],
) -> Chunk:
    start, end = sentences[0].start, sentences[-1].end
    name = f"{document.id}\n{document.version}\n{start}-{end}"
    return Chunk(
        id=str(uuid.uuid5(NAMESPACE, name)),
        document=document.id,
        version=document.version,
        source=document.source,
        title=document.title,
        section=section,
        ordinal=0,
        start=start,
        end=end,
        line_start=bisect_right(lines, start - 1) + 1,
        line_end=bisect_right(lines, end - 1) + 1,
        text=document.text[start:end],
        sentences=sentences,
        url=document.url,
        publisher=document.publisher,
        published=document.published,
        retrieved=document.retrieved,
        in_force_from=document.in_force_from,
        in_force_to=document.in_force_to,
        tags=document.tags,
        demo=document.demo,
    )
