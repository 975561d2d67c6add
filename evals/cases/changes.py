"""Change the file of a document, for cases that change the corpus.

Texts are found as a reader sees them: over line ends, and through the marks that
Markdown sets around words. What is above a document, its front matter, stays.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.errors import UsageError
from engine.model.frozen import Span
from engine.text.sentences import split_sentences
from evals.forms import Change

_FRONT = re2.compile(r"(?s)\A---\n.*?\n---\n")
# What a reader does not see between two words of a text.
_BETWEEN = r"[\s*_`]+"
# Where a new block starts: a list item, a heading, a row, a quotation, a fence.
_MARK = re2.compile(r"[ \t]*(?:[-*+>|]|\d{1,3}[.)]|#{1,6}|```)(?:[ \t]+|$)?")


def apply_changes(text: str, changes: Sequence[Change]) -> str | None:
    """Return a file's text after some changes; None where it is deleted.

    Args:
        text: of the file.
        changes: of this one file, made in order.

    Raises:
        UsageError: it does not hold a text that is to be changed.
    """
    front = _FRONT.match(text)
    at = front.end() if front else 0
    head, body = text[:at], text[at:]
    for change in changes:
        if change.delete:
            return None
        body = _make_change(body, change)
    return head + body


def holds(text: str, wanted: str) -> bool:
    """Tell whether a change would find a text in a file's text."""
    return bool(_find_places(text, wanted))


def _make_change(body: str, change: Change) -> str:
    if change.insert is not None:
        return f"{body.rstrip()}\n\n{change.insert}\n"
    if change.replace is not None:
        old, new = change.replace
        return _replace_spans(body, _find_text(body, old, change), new)
    if change.without is not None:
        spans = _find_text(body, change.without, change)
        return _replace_spans(
            body, _join_spans(_extend_to_sentences(body, span) for span in spans), ""
        )
    raise UsageError(f"{change.path}: a change does nothing: see evals/forms.py")


def _find_text(body: str, wanted: str, change: Change) -> Sequence[Span]:
    """Find the places of a text, of which there is one at least."""
    places = _find_places(body, wanted)
    if not places:
        raise UsageError(
            f"{change.path}: does not hold {wanted!r}, which a case changes: correct "
            "the case"
        )
    return places


def _find_places(body: str, wanted: str) -> Sequence[Span]:
    words = wanted.split()
    if not words:
        return ()
    pattern = _BETWEEN.join(re2.escape(word) for word in words)
    # "5 mg" is no part of "15 mg".
    first = r"\b" if words[0][0].isalnum() else ""
    last = r"\b" if words[-1][-1].isalnum() else ""
    pattern = f"{first}{pattern}{last}"
    found = re2.finditer(pattern, body)
    return tuple(Span(start=match.start(), end=match.end()) for match in found)


def _replace_spans(body: str, spans: Iterable[Span], new: str) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [body[at : span.start], new]
        at = span.end
    return "".join((*parts, body[at:]))


def _join_spans(spans: Iterable[Span]) -> Sequence[Span]:
    """Sort spans and join those that overlap."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if found and span.start <= found[-1].end:
            end = max(found[-1].end, span.end)
            found[-1] = Span(start=found[-1].start, end=end)
        else:
            found.append(span)
    return found


def _extend_to_sentences(body: str, wanted: Span) -> Span:
    """Find the sentences that a span reaches into; whole blocks with their marks."""
    touched = [
        block
        for block in _split_blocks(body)
        if block.whole.start < wanted.end and block.whole.end > wanted.start
    ]
    start, end = wanted.start, wanted.end
    for block in touched:
        spoken = body[block.start : block.whole.end]
        spans = [
            Span(start=block.start + span.start, end=block.start + span.end)
            for span in split_sentences(spoken)
        ]
        hit = [s for s in spans if s.start < wanted.end and s.end > wanted.start]
        if len(hit) == len(spans):
            start = min(start, block.whole.start)
            end = max(end, block.whole.end)
        elif hit:
            start, end = min(start, hit[0].start), max(end, hit[-1].end)
    return Span(start=start, end=end)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together; `start` is where their text begins."""

    whole: Span
    start: int


def _split_blocks(body: str) -> Iterator[_Block]:
    begun: tuple[int, int] | None = None
    at = 0
    for line in body.splitlines(keepends=True):
        mark = _MARK.match(line)
        if begun is not None and (mark or not line.strip()):
            yield _Block(Span(start=begun[0], end=at), begun[1])
            begun = None
        if line.strip() and begun is None:
            begun = (at, at + (mark.end() if mark else 0))
        at += len(line)
    if begun is not None:
        yield _Block(Span(start=begun[0], end=at), begun[1])
