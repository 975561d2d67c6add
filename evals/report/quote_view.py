"""What a row cites, with each quote marked where it stands in its source's text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from adapters.inert import inert
from bot.pages.elements import element
from evals.forms import Json, Row, Source

AROUND = 240  # characters of the source shown on either side of what is cited
EXCERPT = 200  # of a passage that was offered and not cited


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch [start, end) of a text; `true` where the quote stands there."""

    start: int
    end: int
    true: bool


def citations(row: Row, sources: Mapping[str, Source]) -> Iterator[Element]:
    """Each citation of a row with the passage around it; none of an error."""
    for cited in row.record["sources"] if row.record else ():
        source = sources.get(cited["version"])
        title = f"[{cited['number']}] {cited['title']}"
        where = " · ".join(filter(None, (cited["section"], _place(source))))
        yield element(
            "figure",
            "source",
            element("figcaption", "", inert(title), element("small", "", inert(where))),
            _passage(cited, source),
        )


def offered(row: Row, sources: Mapping[str, Source]) -> Iterator[Element]:
    """Each passage that the gate let through, cut short."""
    for passage in row.evidence:
        source = sources.get(passage["version"])
        text = source.text[passage["start"] : passage["end"]] if source else ""
        short = " ".join(text.split())
        cut = f"{short[:EXCERPT]}…" if len(short) > EXCERPT else short
        title = source.title if source else passage["document"]
        about = f"{passage['relevance']:.2f} {title}: "
        yield element("li", "", element("b", "", inert(about)), inert(cut))


def spans(quotes: Sequence[Json], text: str) -> tuple[Span, ...]:
    """The stretches of quotes in a text, in order; one that begins inside another is
    left out, and one that lies outside the text has no place."""
    found: list[Span] = []
    for quote in sorted(quotes, key=lambda each: (each["start"], each["end"])):
        start, end = quote["start"], quote["end"]
        after = found[-1].end if found else 0
        if after <= start < end <= len(text):
            found.append(Span(start, end, text[start:end] == quote["text"]))
    return tuple(found)


def _passage(cited: Json, source: Source | None) -> Element:
    if source is None:
        said = "This document version is not among the sources of the run."
        return element("p", "lost", said)
    marks = spans(cited["quotes"], source.text)
    first = min([cited["start"], *(span.start for span in marks)])
    last = max([cited["end"], *(span.end for span in marks)])
    start, end = max(0, first - AROUND), min(len(source.text), last + AROUND)
    parts: list[Element | str] = ["…"] if start else []
    at = start
    for span in marks:
        parts.append(inert(source.text[at : span.start]))
        parts.append(_mark(span, source))
        at = span.end
    parts.append(inert(source.text[at:end]))
    parts += ["…"] if end < len(source.text) else []
    return element("blockquote", "", *parts)


def _mark(span: Span, source: Source) -> Element:
    place = f"characters {span.start} to {span.end}"
    title = place if span.true else f"{place}: not what the answer quotes"
    kind = "" if span.true else "wrong"
    return element("mark", kind, inert(source.text[span.start : span.end]), title=title)


def _place(source: Source | None) -> str:
    return f"{source.path} {source.version[:8]}" if source else ""
