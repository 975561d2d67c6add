"""A document's file with something changed in it, for cases that change the corpus.

Texts are found as a reader sees them: over line ends, and through the marks that
Markdown sets around words. What stands above a document (its front matter) stays.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.errors import UsageError
from engine.model.frozen import Span
from engine.text.sentences import split_sentences
from evals.forms import Change

_FRONT = re2.compile(r"(?s)\A---\n.*?\n---\n")
# What may stand between two words of a text without being seen.
_BETWEEN = r"[\s*_`]+"
# Where a new block starts: a list item, a heading, a row, a quotation, a fence.
_MARK = re2.compile(r"[ \t]*(?:[-*+>|]|\d{1,3}[.)]|#{1,6}|```)(?:[ \t]+|$)?")


def changed(text: str, changes: Sequence[Change]) -> str | None:
    """A file's text after some changes; None where it is deleted.

    Args:
        text: of the file.
        changes: of this one file, made in order.

    Raises:
        UsageError: a text that is to be changed does not stand in it.
    """
    front = _FRONT.match(text)
    at = front.end() if front else 0
    head, body = text[:at], text[at:]
    for change in changes:
        if change.delete:
            return None
        body = _one(body, change)
    return head + body


def holds(text: str, wanted: str) -> bool:
    """Whether a text stands in a file's text, as a change would find it."""
    return bool(_places(text, wanted))


def _one(body: str, change: Change) -> str:
    if change.insert is not None:
        return f"{body.rstrip()}\n\n{change.insert}\n"
    if change.replace is not None:
        old, new = change.replace
        return _put(body, _found(body, old, change), new)
    if change.without is not None:
        spans = _found(body, change.without, change)
        return _put(body, _joined(_sentence(body, span) for span in spans), "")
    raise UsageError(f"{change.path}: a change does nothing: see evals/forms.py")


def _found(body: str, wanted: str, change: Change) -> Sequence[Span]:
    """The places of a text, of which there is one at least."""
    places = _places(body, wanted)
    if not places:
        raise UsageError(
            f"{change.path}: does not hold {wanted!r}, which a case changes: correct "
            "the case"
        )
    return places


def _places(body: str, wanted: str) -> Sequence[Span]:
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


def _put(body: str, spans: Iterable[Span], new: str) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [body[at : span.start], new]
        at = span.end
    return "".join((*parts, body[at:]))


def _joined(spans: Iterable[Span]) -> Sequence[Span]:
    """Spans in order, those that overlap as one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if found and span.start <= found[-1].end:
            end = max(found[-1].end, span.end)
            found[-1] = Span(start=found[-1].start, end=end)
        else:
            found.append(span)
    return found


def _sentence(body: str, wanted: Span) -> Span:
    """The sentences that a span reaches into; whole blocks with their marks."""
    touched = [
        block
        for block in _blocks(body)
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


def _blocks(body: str) -> Iterator[_Block]:
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
