"""The limits of a rule, quoted with it: the exceptions in its section.

"An officer shall issue a permit" misleads without the subsection that says to whom that
does not apply. The pack says which sentences limit others (`answer.limits`); here they
are found in the section of a quotation, and end it. Limits that are too long for that
are mentioned in the pack's words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter

import re2

from engine.model.answer import Quote
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.policy.mix import LimitRule
from engine.text.closure import is_selectable
from engine.text.paragraphs import read_labels, trace_labels
from engine.text.patterns import compile_pattern, fold
from engine.text.quotable import join_quotes, render_quotation, text_of
from engine.verify.citations import Passage, number

PART = "part"  # the group of a pattern that holds the labels of parts: "(2) and (3)"
ALL = "all"  # the group of a pattern that limits the whole section
EVERY = "*"
_FROM_TO = re2.compile(r"\((\d+)\) to \((\d+)\)")
MOST_OF_RANGE = 30  # parts that "(1) to (9)" may name


@dataclass(frozen=True, slots=True)
class Part:
    """A quotation that may be shown; `above` are its title and headings.

    `row` marks a field of a record card; one without quotes is a missing field. `after`
    is the pack's text behind it.
    """

    text: str
    passages: tuple[Passage, ...]
    quotes: tuple[Quote, ...]
    sensitive: bool
    above: str
    row: bool = False
    after: str = ""


def add_limits(
    parts: Sequence[Part],
    chunks: Sequence[Chunk],
    rule: LimitRule | None,
    told: Sequence[Quote],
) -> list[Part]:
    """Add the limits of each part of a section of an answer.

    A later part that is then within another is merged into it: its citations are added
    there. Limits that apply only to themselves or were `told` elsewhere are not
    repeated.

    Args:
        parts: in order.
        chunks: the evidence, numbered from 1.
        rule: the pack's; without one nothing limits.
        told: the quotations of other sections.
    """
    if rule is None:
        return list(parts)
    found: list[Part] = []
    for part in parts:
        if part.row or not part.quotes:
            found.append(part)
            continue
        holding = next((p for p in found if _hold_all(p.quotes, part.quotes)), None)
        if holding is not None:
            passages = (*holding.passages, *part.passages)
            found[found.index(holding)] = replace(holding, passages=passages)
            continue
        known = (*told, *(quote for each in found for quote in each.quotes))
        found.append(_add_limits_of(part, chunks, rule, known))
    return found


@dataclass(frozen=True, slots=True)
class _SectionLine:
    """A sentence of a section with its labels.

    `limits` are the labels of what it limits, empty for what it is under itself, EVERY
    for the whole section; None where it limits nothing. `named` are the labels of its
    limits.
    """

    number: int
    chunk: Chunk
    at: int
    path: tuple[str, ...]
    limits: frozenset[str] | None
    named: frozenset[str]

    @property
    def span(self) -> Span:
        sentence = self.chunk.sentences[self.at]
        return Span(start=sentence.start, end=sentence.end)

    @property
    def closed(self) -> bool:
        return is_selectable(self.chunk.sentences[self.at])

    def limits_one_of(self, quoted: Sequence["_SectionLine"]) -> bool:
        """Return whether it limits a quoted line, or is named there as a limit."""
        under = {label for line in quoted for label in line.path}
        if len(self.path) == 1 and any(self.path[0] in line.named for line in quoted):
            return True
        if not self.limits:
            inside = not self.path or self.path[0] in under
            return self.limits is not None and inside
        return EVERY in self.limits or bool(self.limits & under)


def _add_limits_of(
    part: Part, chunks: Sequence[Chunk], rule: LimitRule, known: Sequence[Quote]
) -> Part:
    first = chunks[part.passages[0].number - 1]
    lines = list(_find_lines(first, chunks, rule))
    quoted = [line for line in lines if _holds(part.quotes, line.chunk, line.span)]
    quotes, passages, room, beyond = part.quotes, part.passages, rule.most, False
    for line in lines:
        told = _holds((*known, *quotes), line.chunk, line.span)
        if told or not line.limits_one_of(quoted):
            continue
        made = render_quotation(line.chunk, (line.at,)) if line.closed else None
        if made is None or len(made.text) > room:
            beyond = True
            continue
        room -= len(made.text)
        quotes = tuple(_drop_inner((*quotes, *made.quotes)))
        passages = (*passages, Passage(line.number, made.start, made.end))
    after = rule.beyond.replace("{title}", first.title) if beyond else ""
    text = join_quotes(quotes) if quotes != part.quotes else part.text
    return replace(part, text=text, quotes=quotes, passages=passages, after=after)


def _find_lines(
    first: Chunk, chunks: Sequence[Chunk], rule: LimitRule
) -> Iterator[_SectionLine]:
    """Yield the sentences of the section of a passage, in order."""
    own = [
        (nth, chunk)
        for nth, chunk in enumerate(chunks, start=1)
        if (chunk.document, chunk.version) == (first.document, first.version)
        and chunk.section == first.section
    ]
    for nth, chunk in sorted(own, key=lambda each: each[1].start):
        for at, path in enumerate(trace_labels(chunk)):
            said = fold(text_of(chunk, chunk.sentences[at]))
            limits = [each for p in rule.patterns for each in _find_labels(p, said)]
            named = [each for p in rule.named for each in _find_labels(p, said)]
            yield _SectionLine(
                nth,
                chunk,
                at,
                path,
                frozenset(label for each in limits for label in each)
                if limits
                else None,
                frozenset(label for each in named for label in each),
            )


def _find_labels(pattern: str, said: str) -> Iterator[frozenset[str]]:
    """Yield the labels that each match of a pattern names; empty without a part."""
    for match in compile_pattern(pattern).finditer(said):
        groups = match.groupdict()
        written = groups.get(PART) or ""
        if groups.get(ALL) is not None:
            yield frozenset((EVERY,))
        labels = read_labels(written)
        numbers = [label for label in labels if label[0].isdigit()]
        between = (
            str(n)
            for low, high in _FROM_TO.findall(written)
            for n in range(int(low), min(int(high), int(low) + MOST_OF_RANGE))
        )
        yield frozenset((*(numbers or labels), *between))


def _drop_inner(quotes: Iterable[Quote]) -> Iterator[Quote]:
    """Yield the quotes in their order, none within another."""
    kept: list[Quote] = []
    for quote in sorted(quotes, key=lambda q: (q.start, -q.end)):
        if not _hold_all(kept, (quote,)):
            kept.append(quote)
    yield from kept


def _hold_all(quotes: Sequence[Quote], others: Sequence[Quote]) -> bool:
    """Return whether each of the others is within one of the quotes."""
    return all(
        any(
            (one.document, one.version) == (other.document, other.version)
            and one.start <= other.start
            and other.end <= one.end
            for one in quotes
        )
        for other in others
    )


def _holds(quotes: Sequence[Quote], chunk: Chunk, span: Span) -> bool:
    """Return whether a span of a chunk's document is within one of the quotes."""
    return any(
        (quote.document, quote.version) == (chunk.document, chunk.version)
        and quote.start <= span.start
        and span.end <= quote.end
        for quote in quotes
    )


def merge_citations(
    parts: list[Part], chunks: Sequence[Chunk], most: int
) -> list[Part]:
    """Merge neighbouring citations of one passage while a section has too many.

    Nothing is lost: the citation is longer, and still holds what it supports.
    """
    while len(number(chunks, collect_passages(parts)).citations) > most:
        near = min(
            _measure_gaps(collect_passages(parts)), key=itemgetter(0), default=None
        )
        if near is None:
            return parts
        _, one, two = near
        whole = Passage(one.number, one.start, max(one.end, two.end))
        parts = [
            replace(part, passages=tuple(_widen(p, whole) for p in part.passages))
            for part in parts
        ]
    return parts


def collect_passages(parts: Sequence[Part]) -> list[Passage]:
    return [passage for part in parts for passage in part.passages]


def _measure_gaps(
    passages: Sequence[Passage],
) -> Iterator[tuple[int, Passage, Passage]]:
    """Yield the distance of neighbours in one chunk that do not overlap yet."""
    ordered = sorted(set(passages), key=lambda p: (p.number, p.start, p.end))
    for one, two in pairwise(ordered):
        if one.number == two.number and two.start >= one.end:
            yield two.start - one.end, one, two


def _widen(passage: Passage, whole: Passage) -> Passage:
    inside = whole.start <= passage.start and passage.end <= whole.end
    return whole if inside and passage.number == whole.number else passage
