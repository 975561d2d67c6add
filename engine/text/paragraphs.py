"""The part of an entity that a question names: "(1)(c)" of a section.

A part is named by the labels that open its lines, outermost first. A line is under the
labels of the sentences that it depends on, so that stored sentences are all that is
read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import re2

from engine.model.document import Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk, Pick
from engine.text.closure import is_selectable
from engine.text.quotable import text_of

Labels = tuple[str, ...]  # "1", "c", outermost first

_LABEL = re2.compile(r"\(([\pL\pN.]+)\)")
_OPENS = re2.compile(r"^\(([\pL\pN.]+)\)")


def read_labels(written: str) -> Labels:
    """Read the labels of a written name: "(1)(c)" has "1" and "c"."""
    return tuple(str(label).lower() for label in _LABEL.findall(written))


def pick_parts(
    chunks: Iterable[Chunk], parts: Mapping[str, set[Labels]]
) -> list[Chunk]:
    """Return the chunks that hold the parts, with these alone to be quoted.

    None of a document in which no such part is found.
    """
    own: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        own.setdefault(chunk.document, []).append(chunk)
    return [
        chunk.model_copy(update={"picks": picks})
        for document, wanted in parts.items()
        for chunk, picks in _pick_sentences(own.get(document, []), wanted)
    ]


def _pick_sentences(
    chunks: Sequence[Chunk], wanted: Iterable[Labels]
) -> Iterator[tuple[Chunk, tuple[Pick, ...]]]:
    """Yield the chunks that hold one of these parts, with sentences to quote."""
    under = {chunk.id: trace_labels(chunk) for chunk in chunks}
    known = {label for each in under.values() for path in each for label in path}
    asked = [_adapt_labels(labels, known) for labels in wanted]
    for chunk in chunks:
        places = [
            at
            for labels in asked
            if labels
            for at in _find_part(chunk, under[chunk.id], labels)
        ]
        if places:
            yield chunk, tuple(_pick(chunk, at) for at in sorted(set(places)))


def _adapt_labels(labels: Labels, known: set[str]) -> Labels:
    """Adapt labels to a document: without "(1)" in it they begin with "(a)".

    Empty where the document lacks one of them.
    """
    numbered = any(label[0].isdigit() for label in known)
    if labels and labels[0][0].isdigit() and not numbered:
        labels = labels[1:]
    return labels if known.issuperset(labels) else ()


def _find_part(chunk: Chunk, under: Sequence[Labels], labels: Labels) -> list[int]:
    """Return the sentence of the part; where it is too long to be quoted, those under
    it.
    """
    inside = [
        at
        for at, path in enumerate(under)
        if path[: len(labels)] == labels and is_selectable(chunk.sentences[at])
    ]
    return [at for at in inside if under[at] == labels] or inside


def trace_labels(chunk: Chunk) -> list[Labels]:
    """Return the labels that each sentence is under, its own last.

    A number restarts the path: subsection (2) may depend on (1), and is none of its
    parts.
    """
    found: list[Labels] = []
    for sentence in chunk.sentences:
        above = [
            _read_opening_label(_find_text(chunk, span)) for span in sentence.leans_on
        ]
        path: Labels = ()
        for label in filter(None, (*above, _find_own_label(chunk, sentence))):
            path = (label,) if label[0].isdigit() else (*path, label)
        found.append(path)
    return found


def _find_own_label(chunk: Chunk, sentence: Sentence) -> str:
    """Return the label that opens the block of a sentence."""
    first = next(s for s in chunk.sentences if s.block == sentence.block)
    return _read_opening_label(text_of(chunk, first))


def _find_text(chunk: Chunk, span: Span) -> str:
    """Return the text of a span that a sentence depends on."""
    if chunk.start <= span.start and span.end <= chunk.end:
        return chunk.text[span.start - chunk.start : span.end - chunk.start]
    here = (e.text for e in chunk.context if e.start == span.start)
    return next(here, "")


def _read_opening_label(text: str) -> str:
    label = _OPENS.search(text)
    return str(label.group(1)).lower() if label else ""


def _pick(chunk: Chunk, at: int) -> Pick:
    """Pick a sentence, quoted with all its dependencies and all it announces, and no
    more.
    """
    announced = chunk.sentences[at].announces
    last = at
    while (
        announced
        and last + 1 < len(chunk.sentences)
        and chunk.sentences[last + 1].end <= announced.end
    ):
        last += 1
    return Pick(sentence=at, score=1.0, relevance=1.0, last=last)
