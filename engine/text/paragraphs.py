"""Which part of a thing a question names: "(1)(c)" of a section (R-R2).

A part is named by the labels that its lines open with, outermost first. A line stands
under the labels of what it leans on, so that nothing beyond stored sentences is read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import re2

from engine.model.document import Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk, Pick
from engine.text.closure import selectable
from engine.text.quotable import text_of

Labels = tuple[str, ...]  # "1", "c", outermost first

_LABEL = re2.compile(r"\(([\pL\pN.]+)\)")
_OPENS = re2.compile(r"^\(([\pL\pN.]+)\)")


def labels_in(written: str) -> Labels:
    """The labels that a name is written with: "(1)(c)" are "1" and "c"."""
    return tuple(str(label).lower() for label in _LABEL.findall(written))


def parts_of(chunks: Iterable[Chunk], parts: Mapping[str, set[Labels]]) -> list[Chunk]:
    """The chunks that hold the parts, with these alone to be quoted.

    Of a document in which no such part is found there are none.
    """
    own: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        own.setdefault(chunk.document, []).append(chunk)
    return [
        chunk.model_copy(update={"picks": picks})
        for document, wanted in parts.items()
        for chunk, picks in _picked(own.get(document, []), wanted)
    ]


def _picked(
    chunks: Sequence[Chunk], wanted: Iterable[Labels]
) -> Iterator[tuple[Chunk, tuple[Pick, ...]]]:
    """The chunks that hold one of these parts, with what is to be quoted of them."""
    under = {chunk.id: paths(chunk) for chunk in chunks}
    known = {label for each in under.values() for path in each for label in path}
    asked = [_as_here(labels, known) for labels in wanted]
    for chunk in chunks:
        places = [
            at
            for labels in asked
            if labels
            for at in _places(chunk, under[chunk.id], labels)
        ]
        if places:
            yield chunk, tuple(_pick(chunk, at) for at in sorted(set(places)))


def _as_here(labels: Labels, known: set[str]) -> Labels:
    """The labels as a document has them: one without "(1)" begins with "(a)"."""
    numbered = any(label[0].isdigit() for label in known)
    if labels and labels[0][0].isdigit() and not numbered:
        labels = labels[1:]
    return labels if known.issuperset(labels) else ()


def _places(chunk: Chunk, under: Sequence[Labels], labels: Labels) -> list[int]:
    """The part itself; where it is too long to be quoted, what stands under it."""
    inside = [
        at
        for at, path in enumerate(under)
        if path[: len(labels)] == labels and selectable(chunk.sentences[at])
    ]
    return [at for at in inside if under[at] == labels] or inside


def paths(chunk: Chunk) -> list[Labels]:
    """The labels that each sentence stands under, its own last.

    A number begins anew: subsection (2) may lean on (1), and is none of its parts.
    """
    found: list[Labels] = []
    for sentence in chunk.sentences:
        above = [_opening(_said(chunk, span)) for span in sentence.leans_on]
        path: Labels = ()
        for label in filter(None, (*above, _own(chunk, sentence))):
            path = (label,) if label[0].isdigit() else (*path, label)
        found.append(path)
    return found


def _own(chunk: Chunk, sentence: Sentence) -> str:
    """The label that the block of a sentence opens with."""
    first = next(s for s in chunk.sentences if s.block == sentence.block)
    return _opening(text_of(chunk, first))


def _said(chunk: Chunk, span: Span) -> str:
    """The text of what a sentence leans on, in its chunk or beside it."""
    if chunk.start <= span.start and span.end <= chunk.end:
        return chunk.text[span.start - chunk.start : span.end - chunk.start]
    here = (e.text for e in chunk.context if e.start == span.start)
    return next(here, "")


def _opening(text: str) -> str:
    label = _OPENS.search(text)
    return str(label.group(1)).lower() if label else ""


def _pick(chunk: Chunk, at: int) -> Pick:
    """A sentence, quoted with all that it leans on and announces, and no more."""
    announced = chunk.sentences[at].announces
    last = at
    while (
        announced
        and last + 1 < len(chunk.sentences)
        and chunk.sentences[last + 1].end <= announced.end
    ):
        last += 1
    return Pick(sentence=at, score=1.0, relevance=1.0, last=last)
