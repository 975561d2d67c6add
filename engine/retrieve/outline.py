"""What of a chunk is needed to measure it, whatever is asked: computed once, kept."""

from dataclasses import dataclass, field
from functools import lru_cache

from engine.closure import selectable
from engine.corpus_records import BlockKind
from engine.lexicon import stems
from engine.records import Chunk
from engine.retrieve.expected import points
from engine.retrieve.quotation import Quotation, quotation, text_of
from engine.retrieve.view import spaced

KEPT = 4_096  # outlines in memory, of about 5 kB; the least recently used go first


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence that may be chosen, with the quotation that it would be.

    `introduced` is its text after its lead-in, `outside` the stems of what it leans on
    in other chunks, `length` the characters of its quotation.
    """

    quotation: Quotation
    introduced: str
    outside: str
    length: int
    code: bool
    pointer: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """A chunk as it is measured: `stems` of each sentence, spaced, as is `above`."""

    texts: tuple[str, ...]
    stems: tuple[str, ...]
    above: str
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class _Key:
    """A chunk id stands for the text.

    What is said above it may differ by shelf, and a selection holds some of it.
    """

    id: str
    above: tuple[str, ...]
    held: tuple[int, ...]
    chunk: Chunk = field(compare=False)


def outline(chunk: Chunk) -> Outline:
    """The outline of a chunk."""
    held = tuple(sentence.start for sentence in chunk.sentences)
    return _outline(_Key(chunk.id, (chunk.title, *chunk.section), held, chunk))


@lru_cache(maxsize=KEPT)
def _outline(key: _Key) -> Outline:
    chunk = key.chunk
    texts = tuple(text_of(chunk, sentence) for sentence in chunk.sentences)
    units = tuple(
        _unit(chunk, at, texts)
        for at, sentence in enumerate(chunk.sentences)
        if selectable(sentence) and texts[at].strip()
    )
    return Outline(
        texts=texts,
        stems=tuple(spaced(stems(text)) for text in texts),
        above=spaced(stems(" ".join(key.above))),
        units=units,
    )


def _unit(chunk: Chunk, at: int, texts: tuple[str, ...]) -> Unit:
    sentence = chunk.sentences[at]
    introduced, lead = texts[at], sentence.lead_in
    if lead is not None and chunk.start <= lead.start:
        led = chunk.text[lead.start - chunk.start : lead.end - chunk.start]
        introduced = f"{led} {introduced}"
    quoted = quotation(chunk, at)
    return Unit(
        quotation=quoted,
        introduced=introduced,
        outside=spaced(stems(quoted.outside)) if quoted.outside else "",
        length=sum(len(texts[row]) for row in quoted.rows),
        code=sentence.kind is BlockKind.CODE,
        pointer=points(introduced),
    )
