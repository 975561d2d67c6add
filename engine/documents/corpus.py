"""From what a loader read to a stored version: identity, sentences, chunks, anchors."""

import hashlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from unicodedata import normalize

import re2

from engine.model.document import Block, BlockKind, Document, Parsed, Sentence
from engine.model.errors import DocumentError
from engine.model.frozen import Span
from engine.text.clauses import MOST, MOST_OPENING, split_clauses
from engine.text.closure import LONGEST_CLOSED, close
from engine.text.sentences import split_sentences

UNSHOWN = "\ufffd"  # replaces characters that cannot be shown
TURNS = "\u202e"  # the page shows the text behind it in another order
WHOLE = frozenset({BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE_ROW})
ENDING = frozenset({BlockKind.HEADING, BlockKind.CODE})  # their level ends sections
# A heading that makes a statement: closed like a sentence, or with a finite verb.
STATEMENT = re2.compile(
    r"[.?!][\"')\]]*$|\w\s+(is|are|was|were|can|cannot|may|might|will|should|must|has|"
    r"have|does|includes|helps|affects|depends|happens|begins|forms|spreads)\s+\w"
)


def hash_text(text: str) -> str:
    """Return the version of a canonical text: its SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def build_document(
    parsed: Parsed,
    source: str,
    *,
    publisher: str | None = None,
    tags: tuple[str, ...] = (),
    demo: bool = False,
) -> Document:
    """Build one version of a document, with its sentences.

    Its id is what the file says, else its URL, else `source/relative path`; an accent
    is a part of its letter, however it was typed, so that no two ids look alike.

    Args:
        parsed: what the loader returned.
        source: id of the registered source it belongs to.
        publisher: the register's; a file names none of its own.
        tags: access tags of the source, added to the file's own.
        demo: the source is a demo; a file may also say so itself.

    Raises:
        DocumentError: the document holds no text.
    """
    sentences = close(parsed.text, parsed.blocks, tuple(_split_blocks(parsed)))
    if not sentences:
        raise DocumentError(f"{parsed.path}: holds no text; remove it or add its text")
    return Document(
        id=normalize("NFC", parsed.id or parsed.url or f"{source}/{parsed.path}"),
        version=hash_text(parsed.text),
        source=source,
        path=parsed.path,
        title=parsed.title or _find_title(parsed),
        text=parsed.text,
        blocks=parsed.blocks,
        sentences=sentences,
        loader=parsed.loader,
        url=parsed.url,
        publisher=publisher,
        published=parsed.published,
        retrieved=parsed.retrieved,
        in_force_from=parsed.in_force_from,
        in_force_to=parsed.in_force_to,
        tags=tuple(sorted({*parsed.tags, *tags})),
        demo=parsed.demo or demo,
        things=parsed.things,
    )


def _find_title(parsed: Parsed) -> str:
    """Return the first heading that can be shown, else the file's name."""
    for block in parsed.blocks:
        said = block.of(parsed.text) if block.kind is BlockKind.HEADING else UNSHOWN
        if UNSHOWN not in said:
            return " ".join(said.split())
    return PurePosixPath(parsed.path).stem


def _split_blocks(parsed: Parsed) -> Iterator[Sentence]:
    """Yield every block as sentences, each with its headings and its lead-in."""
    headings: list[Block] = []
    last: dict[int, Span] = {}
    for index, block in enumerate(parsed.blocks):
        if block.level and block.kind in ENDING:
            while headings and headings[-1].level >= block.level:
                headings.pop()
        section = tuple(" ".join(h.of(parsed.text).split()) for h in headings)
        for span in _find_spans(parsed.text, block):
            last[index] = span
            whole = Sentence(
                start=span.start,
                end=span.end,
                kind=block.kind,
                section=section,
                lead_in=last.get(block.lead_in) if block.lead_in is not None else None,
                block=index,
                quotable=_is_quotable(parsed.text, block, span),
            )
            heads = block.row is not None and block.row.head
            yield from _split_long(parsed.text, whole, heads=heads)
        if block.kind is BlockKind.HEADING:
            headings.append(block)


def _split_long(text: str, sentence: Sentence, *, heads: bool) -> Iterator[Sentence]:
    """Yield a sentence, or the parts of one that is too long to be quoted whole.

    A part that begins inside a clause, or that cannot be shown with the first words of
    its sentence, is never quoted; it is kept so that it is found. A sentence that
    `heads` others is not divided, lest a value appear under half of a head. Text
    without a blank for longer than a part is no sentence, and is kept as it is.
    """
    said = sentence.of(text)
    written = sentence.kind is not BlockKind.HEADING and not heads
    written &= max(map(len, said.split())) <= MOST
    if not written or len(said) <= LONGEST_CLOSED:
        yield sentence
        return
    found = split_clauses(said, sentence.kind)
    spans = [
        Span(start=sentence.start + p.span.start, end=sentence.start + p.span.end)
        for p in found
    ]
    short = spans[0].end - spans[0].start <= MOST_OPENING
    for at, (part, span) in enumerate(zip(found, spans, strict=True)):
        quotable = sentence.quotable and part.whole and (short or not at)
        yield sentence.model_copy(
            update={
                "start": span.start,
                "end": span.end,
                "quotable": quotable,
                "opening": spans[0] if at else None,
                "cut": at + 1 < len(spans),
            }
        )


def _find_spans(text: str, block: Block) -> Iterator[Span]:
    if block.kind in WHOLE:
        yield Span(start=block.start, end=block.end)
        return
    for span in split_sentences(block.of(text)):
        yield Span(start=block.start + span.start, end=block.start + span.end)


def _is_quotable(text: str, block: Block, span: Span) -> bool:
    if not block.quotable:
        return False
    if any(sign in span.of(text) for sign in (UNSHOWN, TURNS)):
        return False
    if block.kind is not BlockKind.HEADING:
        return True
    return bool(STATEMENT.search(span.of(text)))
