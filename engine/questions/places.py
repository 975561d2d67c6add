"""The place in a document of the passage that a question belongs to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.document import BlockKind, Document, Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.questions.records import LONGEST

SHORTEST_HEADING = 2  # words of a heading that asks something
_NUMBERED = re2.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[Qq][:.]|[A-Z]\))\s+")


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a document with the headings above it."""

    span: Span
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading(Place):
    """A heading that is a question."""

    text: str = ""


class NoPlace(ValueError):
    """The place does not exist, or more than once; the message names the field."""


def find_question_headings(document: Document) -> Iterator[Heading]:
    """Yield the headings of a document that are questions, without their numbers."""
    for sentence in document.sentences:
        if sentence.kind is not BlockKind.HEADING:
            continue
        text = _NUMBERED.sub("", " ".join(sentence.of(document.text).split()))
        asks = text.endswith("?") and len(text.split()) >= SHORTEST_HEADING
        if asks and len(text) <= LONGEST:
            span = Span(start=sentence.start, end=sentence.end)
            yield Heading(span, sentence.section, text)


def find_place(document: Document, section: str | None, quote: str | None) -> Place:
    """Find the passage of a section, or the one that begins with a quote.

    Args:
        document: where to search.
        section: a heading, or the end of a path: "Treatment > Tablets"; None: anywhere.
        quote: the first words of a sentence or list item; None: the section's first.

    Raises:
        NoPlace: there is none, or more than one.
    """
    said = [s for s in document.sentences if s.kind is not BlockKind.HEADING]
    if section is not None:
        said = [s for s in said if _is_below(section, s.section)]
        if not said:
            raise NoPlace(f"section: {document.id} has none called {section!r}")
    if quote is not None:
        said = [s for s in said if _begins_with(document.text, s, quote)]
        if not said:
            raise NoPlace(
                f"quote: no sentence of {section or document.id} begins with {quote!r}"
            )
        if len(said) > 1:
            raise NoPlace(f"quote: {quote!r} begins several sentences; quote more")
    elif _count_headings(document, said) > 1:
        raise NoPlace(f"section: several are called {section!r}; add a `quote`")
    first = said[0]
    return Place(Span(start=first.start, end=first.end), first.section)


def find_holder(chunks: Sequence[Chunk], span: Span) -> int | None:
    """Return the index of the passage that holds the beginning of a span, or None."""
    for number, chunk in enumerate(chunks):
        if chunk.start <= span.start < chunk.end:
            return number
    return None


def _is_below(named: str, section: Sequence[str]) -> bool:
    wanted = [_normalise(part) for part in named.split(">")]
    return [_normalise(part) for part in section[-len(wanted) :]] == wanted


def _count_headings(document: Document, sentences: Sequence[Sentence]) -> int:
    """Count the headings above these sentences."""
    starts = [s.start for s in document.sentences if s.kind is BlockKind.HEADING]
    return len({sum(start <= s.start for start in starts) for s in sentences})


def _begins_with(text: str, sentence: Sentence, quote: str) -> bool:
    wanted = _normalise(quote)
    beginning = text[sentence.start : sentence.start + 4 * len(quote) + 40]
    return bool(wanted) and _normalise(beginning).startswith(wanted)


def _normalise(text: str) -> str:
    return " ".join(text.split()).casefold()
