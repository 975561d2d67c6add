"""What of a chunk is needed to measure it, whatever is asked: computed once, kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import re2

from engine.model.document import BlockKind
from engine.model.passage import Chunk
from engine.rank.view import spaced
from engine.text.cells import render_sentence
from engine.text.closure import is_selectable
from engine.text.legible import legible
from engine.text.quotable import Quotation, preview_quotation, text_of
from engine.text.words import stems

_POINTER = re2.compile(
    r"(?i)\b(?:(?:learn|read|find out|see) more\b|more information (?:about|on)\b|"
    r"for (?:more|further|additional|detailed) (?:information|details|help)|"
    r"information (?:on|about) \w+ -|summary of (?:important |the )?information|"
    r"collection of links|links? to (?:more|other|further)|see (?:the|our|this|also)\b|"
    r"(?:is|are) (?:described|explained|covered|listed|documented) (?:in|on|at|here|"
    r"elsewhere)|this (?:page|section|tutorial|guide|document|summary) (?:contains|"
    r"describes|covers|explains|provides|shows|lists|will|is about|gives)|"
    r"refer to (?:the|our|this)|visit (?:the|our)\b|check out (?:the|our|this)|"
    r"take a look at|this is an? (?:\w+ )?(?:summary|overview|translation|extract) "
    r"(?:\w+ ){0,3}of\b|itself is the authority)"
)
KEPT = 4_096  # outlines in memory, of about 5 kB; the least recently used go first


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence that may be chosen, with the quotation that it would be.

    `introduced` is what it states, after its lead-in, `outside` the stems of what it
    leans on in other chunks, `length` the characters of its quotation.
    """

    quotation: Quotation
    introduced: str
    outside: str
    length: int
    code: bool
    pointer: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """A chunk as it is measured: `stems` of each sentence, spaced, as is `above`.

    `stated` is the text of each; in a row of a table what heads a cell follows it.
    """

    texts: tuple[str, ...]
    stated: tuple[str, ...]
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
    """Return the outline of a chunk."""
    held = tuple(sentence.start for sentence in chunk.sentences)
    return _outline(_Key(chunk.id, (chunk.title, *chunk.section), held, chunk))


@lru_cache(maxsize=KEPT)
def _outline(key: _Key) -> Outline:
    chunk = key.chunk
    texts = tuple(text_of(chunk, sentence) for sentence in chunk.sentences)
    said = tuple(legible(render_sentence(chunk, each)) for each in chunk.sentences)
    units = tuple(
        _unit(chunk, at, said)
        for at, sentence in enumerate(chunk.sentences)
        if is_selectable(sentence) and texts[at].strip()
    )
    return Outline(
        texts=texts,
        stated=said,
        stems=tuple(spaced(stems(text)) for text in said),
        above=spaced(stems(" ".join(key.above))),
        units=units,
    )


def _unit(chunk: Chunk, at: int, said: Sequence[str]) -> Unit:
    sentence = chunk.sentences[at]
    introduced, lead = said[at], sentence.lead_in
    if lead is not None and chunk.start <= lead.start:
        led = chunk.text[lead.start - chunk.start : lead.end - chunk.start]
        introduced = f"{legible(led)} {introduced}"
    quoted = preview_quotation(chunk, at)
    return Unit(
        quotation=quoted,
        introduced=introduced,
        outside=spaced(stems(quoted.outside)) if quoted.outside else "",
        length=sum(len(text_of(chunk, chunk.sentences[n])) for n in quoted.rows),
        code=sentence.kind is BlockKind.CODE,
        pointer=_points(introduced),
    )


def _points(text: str) -> bool:
    """Return whether a text says where something stands instead of saying it."""
    return _POINTER.search(text) is not None
