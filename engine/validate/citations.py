"""What a draft cites: statements with their evidence numbers, and passages counted.

Markers in prose ([1], [1,2], [1-3], 【1】, and (1) at the end of a sentence) count like
the typed field, whatever model wrote them (R-V9). A marker inside a quotation is part
of what is quoted.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import re2

from engine.documents.sentences import split_sentences
from engine.inspection.places import Place
from engine.policy.records import CodeHost
from engine.records import Chunk, Citation
from engine.validate.quotes import quotations

LONGEST_RANGE = 50  # numbers in one marker; none of them is evidence beyond that
_FAR = 1 << 62

_NUMBERS = r"\d{1,9}(?:\s*(?:,|;|&|and|-|\x{2013}|\x{2014})\s*\d{1,9})*"
_BRACKETED = (
    rf"(?i:[\[\x{{3010}}]\s*\^?\s*(?:sources?|refs?\.?)?\s*:?\s*({_NUMBERS})"
    r"\s*(?:\x{2020}[^\]\x{3011}\n]{0,60})?[\]\x{3011}])"
)
_MARKER = re2.compile(_BRACKETED)
_FINAL = re2.compile(
    r"\((\d{1,2}(?:\s*[,;-]\s*\d{1,2})*)\)([.!?]*[\"'\x{201d}\x{2019})]*\s*)$"
)
_RANGE = re2.compile(r"(\d+)\s*(?:-|\x{2013}|\x{2014})\s*(\d+)|(\d+)")
_AT_END = re2.compile(rf"(?:\s*{_BRACKETED})+\s*$")
_CLOSE_UP = frozenset(".,;:!? \n[\u3010")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a model's prose without its markers.

    `citations` are evidence numbers as given, each once, in order; they may be wrong.
    """

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What a statement rests on: [start, end) of the evidence chunk `number`."""

    number: int
    start: int
    end: int


# --- reading ----------------------------------------------------------------------


def statements(text: str, citations: Sequence[int]) -> tuple[Statement, ...]:
    """A model's prose sentence by sentence.

    The typed citations belong to every sentence, a marker to the sentence it ends.
    """
    found: list[Statement] = []
    for part in _sentences(text):
        leading, rest = _leading(part)
        if leading and found:
            before = found.pop()
            cited = _once((*before.citations, *leading))
            found.append(Statement(before.text, cited))
            part = rest
        said, marked = _unmarked(part)
        if any(character.isalnum() for character in said):
            found.append(Statement(said, _once((*citations, *marked))))
        elif marked and found:
            before = found.pop()
            found.append(Statement(before.text, _once((*before.citations, *marked))))
    return tuple(found)


def _once(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))


def _sentences(text: str) -> Iterator[str]:
    """Sentences line by line; a quotation is never cut, a block stands alone."""
    hidden = list(text)
    for quotation in quotations(text):
        # The last character shows the segmenter whether the quotation ends a sentence.
        for at in range(quotation.start + 1, quotation.end - 2):
            hidden[at] = "X" if not quotation.block or text[at] != "\n" else "\v"
    masked = "".join(hidden)
    start = 0
    for line in masked.split("\n"):
        for span in split_sentences(line) if line.strip() else ():
            yield text[start + span.start : start + span.end]
        start += len(line) + 1


def _leading(text: str) -> tuple[tuple[int, ...], str]:
    """Markers that open a text (they end the sentence before), and its rest."""
    numbers: list[int] = []
    while match := _MARKER.match(text):
        numbers += _listed(match.group(1))
        text = text[match.end() :].lstrip()
    return tuple(numbers), text


def _unmarked(text: str) -> tuple[str, tuple[int, ...]]:
    """The text without its markers outside quotations, and their numbers."""
    quoted = _quoted(text)
    pieces: list[str] = []
    numbers: list[int] = []
    done = 0
    for match in _MARKER.finditer(text):
        if _inside(match.start(), quoted):
            continue
        piece = text[done : match.start()]
        done = match.end()
        closes = done == len(text) or text[done] in _CLOSE_UP
        pieces.append(piece.rstrip() if closes else piece)
        numbers += _listed(match.group(1))
    rest = "".join((*pieces, text[done:])).strip()
    final = _FINAL.search(rest)
    if final and not _inside(final.start(), _quoted(rest)):
        numbers += _listed(final.group(1))
        rest = rest[: final.start()].rstrip() + final.group(2)
    return rest, tuple(numbers)


def _quoted(text: str) -> list[tuple[int, int]]:
    """Where quotations stand; markers that end a block quotation stand outside it."""
    spans: list[tuple[int, int]] = []
    for quotation in quotations(text):
        end = quotation.end
        if quotation.block:
            markers = _AT_END.search(text[quotation.start : end])
            end = quotation.start + markers.start() if markers else end
        spans.append((quotation.start, end))
    return spans


def _inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether `at` lies in one of the spans, which are in order and apart."""
    place = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return place >= 0 and at < spans[place][1]


def _listed(numbers: str) -> list[int]:
    """The numbers of a marker; a range that is too long or reversed names its ends."""
    found: list[int] = []
    for match in _RANGE.finditer(numbers):
        if match.group(3):
            found.append(int(match.group(3)))
            continue
        first, last = int(match.group(1)), int(match.group(2))
        short = first <= last < first + LONGEST_RANGE
        found += range(first, last + 1) if short else (first, last)
    return found


# --- counting ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Numbered:
    """The citations of an answer, and the number that each passage was given."""

    citations: tuple[Citation, ...]
    numbers: Mapping[Passage, int]


def number(
    chunks: Sequence[Chunk],
    passages: Iterable[Passage],
    hosts: Mapping[str, CodeHost] = MappingProxyType({}),
) -> Numbered:
    """Number passages from 1 in the order in which they appear.

    Passages of one document version that overlap are one citation, which spans them
    all: they are not distinct (R-I3).

    Args:
        chunks: that passages are of.
        passages: in the order of the answer.
        hosts: by source, where lines of code are linked to.
    """
    ordered = list(dict.fromkeys(passages))
    merged = _merged(chunks, ordered)
    given: dict[tuple[str, str, int], int] = {}
    citations: list[Citation] = []
    numbers: dict[Passage, int] = {}
    for passage in ordered:
        chunk = chunks[passage.number - 1]
        spans = merged[chunk.document, chunk.version]
        start, end = spans[bisect_right(spans, (passage.start, _FAR)) - 1]
        key = (chunk.document, chunk.version, start)
        if key not in given:
            given[key] = len(given) + 1
            cited = _citation(given[key], chunk, start, end)
            within = [
                p
                for p in ordered
                if start <= p.start < end and _version(chunks, p) == key[:2]
            ]
            citations.append(_by_line(cited, chunks, within, hosts))
        numbers[passage] = given[key]
    return Numbered(tuple(citations), numbers)


def _merged(
    chunks: Sequence[Chunk], passages: Iterable[Passage]
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Per document version, the unions of overlapping passages, in order."""
    merged: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for passage in sorted(passages, key=lambda p: (p.start, p.end)):
        chunk = chunks[passage.number - 1]
        spans = merged.setdefault((chunk.document, chunk.version), [])
        if spans and passage.start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], passage.end))
        else:
            spans.append((passage.start, passage.end))
    return merged


def _citation(place: int, chunk: Chunk, start: int, end: int) -> Citation:
    return Citation(
        number=place,
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        source=chunk.source,
        title=chunk.title,
        section=chunk.section,
        start=start,
        end=end,
        relevance=chunk.relevance,
        publisher=chunk.publisher,
        url=chunk.url,
        published=chunk.published,
        retrieved=chunk.retrieved,
        in_force_from=chunk.in_force_from,
        in_force_to=chunk.in_force_to,
        demo=chunk.demo,
    )


def _version(chunks: Sequence[Chunk], passage: Passage) -> tuple[str, str]:
    chunk = chunks[passage.number - 1]
    return chunk.document, chunk.version


def _by_line(
    citation: Citation,
    chunks: Sequence[Chunk],
    passages: Iterable[Passage],
    hosts: Mapping[str, CodeHost],
) -> Citation:
    """A citation of a file of code with `path:line` above its headings (R-G10)."""
    ends: list[int] = []
    path: str | None = None
    for passage in passages:
        chunk = chunks[passage.number - 1]
        path = chunk.file
        if path is None:
            return citation
        ends += (chunk.line_of(passage.start), chunk.line_of(passage.end - 1))
    if path is None:
        return citation
    place, host = Place(path, min(ends), max(ends)), hosts.get(citation.source)
    url = host.url(place.path, place.first, place.last) if host else None
    section = (str(place), *citation.section)
    return citation.model_copy(update={"section": section, "url": url or citation.url})
