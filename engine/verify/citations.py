"""The citations of an answer: its passages, merged and numbered."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.model.answer import Citation
from engine.model.passage import Chunk
from engine.model.places import Place
from engine.policy.records import CodeHost

_FAR = 1 << 62
PAGE = "page"  # stands before the number of a page in a citation


@dataclass(frozen=True, slots=True)
class Passage:
    """The source of a quotation: [start, end) of the evidence chunk `number`."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """The citations of an answer, and the number of each passage."""

    citations: tuple[Citation, ...]
    numbers: Mapping[Passage, int]


def number(
    chunks: Sequence[Chunk],
    passages: Iterable[Passage],
    hosts: Mapping[str, CodeHost] = MappingProxyType({}),
) -> Numbered:
    """Number passages from 1 in the order in which they appear.

    Passages of one document version that overlap are one citation, which spans them
    all: they are not distinct.

    Args:
        chunks: that passages are of.
        passages: in the order of the answer.
        hosts: by source, where lines of code are linked to.
    """
    ordered = list(dict.fromkeys(passages))
    merged = _merge_spans(chunks, ordered)
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
            cited = _make_citation(given[key], chunk, start, end)
            within = [
                p
                for p in ordered
                if start <= p.start < end and _version_of(chunks, p) == key[:2]
            ]
            cited = _by_line(cited, chunks, within, hosts)
            citations.append(_by_page(cited, chunk))
        numbers[passage] = given[key]
    return Numbered(tuple(citations), numbers)


def _merge_spans(
    chunks: Sequence[Chunk], passages: Iterable[Passage]
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return, by document version, the unions of overlapping passages, in order."""
    merged: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for passage in sorted(passages, key=lambda p: (p.start, p.end)):
        chunk = chunks[passage.number - 1]
        spans = merged.setdefault((chunk.document, chunk.version), [])
        if spans and passage.start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], passage.end))
        else:
            spans.append((passage.start, passage.end))
    return merged


def _make_citation(place: int, chunk: Chunk, start: int, end: int) -> Citation:
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


def _version_of(chunks: Sequence[Chunk], passage: Passage) -> tuple[str, str]:
    chunk = chunks[passage.number - 1]
    return chunk.document, chunk.version


def _by_line(
    citation: Citation,
    chunks: Sequence[Chunk],
    passages: Iterable[Passage],
    hosts: Mapping[str, CodeHost],
) -> Citation:
    """Add `path:line` above the headings of a citation of source code."""
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


def _by_page(citation: Citation, chunk: Chunk) -> Citation:
    """Add the page on which a citation begins below its headings, and to its address.

    Browsers open `#page=` of a PDF (RFC 8118, section 3).
    """
    page = chunk.page_of(citation.start)
    if page is None:
        return citation
    url = citation.url
    if url is not None and url.lower().endswith(".pdf"):
        url = f"{url}#page={page}"
    section = (*citation.section, f"{PAGE} {page}")
    return citation.model_copy(update={"section": section, "url": url})
