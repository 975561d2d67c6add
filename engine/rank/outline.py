"""The measures of a chunk that do not depend on the question: computed once, cached."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import re2

from engine.model.document import BlockKind
from engine.model.passage import Chunk
from engine.rank.view import join_stems
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
KEPT = 4_096  # cached outlines, of about 5 kB each


@dataclass(frozen=True, slots=True)
class Unit:
    """A selectable sentence with its quotation.

    `introduced` is its text after its lead-in, `outside` the stems of its dependencies
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
    """A chunk in the form to measure: `stems` of each sentence, spaced, and those
    `above`.

    `stated` is the text of each; in a row of a table the head of a cell follows it.
    """

    texts: tuple[str, ...]
    stated: tuple[str, ...]
    stems: tuple[str, ...]
    above: str
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class _Key:
    """The cache key of a chunk: its id, headings and sentences.

    A corpus may have its own title for it, and a selection holds a part of it.
    """

    id: str
    above: tuple[str, ...]
    held: tuple[int, ...]
    chunk: Chunk = field(compare=False)


def make_outline(chunk: Chunk) -> Outline:
    """Return the outline of a chunk."""
    held = tuple(sentence.start for sentence in chunk.sentences)
    return _make_outline(_Key(chunk.id, (chunk.title, *chunk.section), held, chunk))


@lru_cache(maxsize=KEPT)
def _make_outline(key: _Key) -> Outline:
    chunk = key.chunk
    texts = tuple(text_of(chunk, sentence) for sentence in chunk.sentences)
    said = tuple(legible(render_sentence(chunk, each)) for each in chunk.sentences)
    units = tuple(
        _make_unit(chunk, at, said)
        for at, sentence in enumerate(chunk.sentences)
        if is_selectable(sentence) and texts[at].strip()
    )
    return Outline(
        texts=texts,
        stated=said,
        stems=tuple(join_stems(stems(text)) for text in said),
        above=join_stems(stems(" ".join(key.above))),
        units=units,
    )


def _make_unit(chunk: Chunk, at: int, said: Sequence[str]) -> Unit:
    sentence = chunk.sentences[at]
    introduced, lead = said[at], sentence.lead_in
    if lead is not None and chunk.start <= lead.start:
        led = chunk.text[lead.start - chunk.start : lead.end - chunk.start]
        introduced = f"{legible(led)} {introduced}"
    quoted = preview_quotation(chunk, at)
    return Unit(
        quotation=quoted,
        introduced=introduced,
        outside=join_stems(stems(quoted.outside)) if quoted.outside else "",
        length=sum(len(text_of(chunk, chunk.sentences[n])) for n in quoted.rows),
        code=sentence.kind is BlockKind.CODE,
        pointer=_is_pointer(introduced),
    )


def _is_pointer(text: str) -> bool:
    """Return whether a text refers to another place instead of making a statement."""
    return _POINTER.search(text) is not None
