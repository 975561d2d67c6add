"""The parts of a row that metrics judge: citations, claims, passages, wordings.

Reads the JSON of a row; a row that lacks a part raises KeyError, which scores as ERROR.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from evals.forms import Json, Row, Source
from evals.served.quotes import fold, is_edge, unbarred


@dataclass(frozen=True, slots=True)
class Cited:
    """One numbered citation: [start, end) of a document version."""

    number: int
    document: str
    version: str
    start: int
    end: int
    source: str
    title: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """A stretch that a claim takes from a document version."""

    text: str
    document: str
    version: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Said:
    """One claim of an answer, with the heading that it stands under.

    `fixed`: it is one of the pack's own sentences, which need no citation (R-M2).
    """

    heading: str
    text: str
    citations: tuple[int, ...]
    quotation: bool
    sensitive: bool
    quotes: tuple[Quoted, ...]
    fixed: bool = False


def record(row: Row) -> Json:
    """The record of a row.

    Raises:
        ValueError: the row is an error and has none.
    """
    if row.record is None:
        raise ValueError(f"case {row.case} has no record: {row.error}")
    return row.record


def cited(row: Row) -> tuple[Cited, ...]:
    """The citations of a row, in its order."""
    return tuple(
        Cited(
            number=source["number"],
            document=source["document_id"],
            version=source["version"],
            start=source["start"],
            end=source["end"],
            source=source["source"],
            title=source["title"],
        )
        for source in record(row)["sources"]
    )


def claims(row: Row) -> tuple[Said, ...]:
    """Every claim of every section, in order."""
    return tuple(
        Said(
            heading=section["heading"],
            text=claim["text"],
            citations=tuple(claim["citations"]),
            quotation=claim["quotation"],
            sensitive=claim["sensitive"],
            quotes=tuple(_quoted(quote) for quote in claim["quotes"]),
            fixed=claim.get("fixed", False),
        )
        for section in row.sections
        for claim in section["claims"]
    )


def _quoted(quote: Json) -> Quoted:
    return Quoted(
        text=quote["text"],
        document=quote["document"],
        version=quote["version"],
        start=quote["start"],
        end=quote["end"],
    )


def passage(part: Cited | Quoted, sources: Mapping[str, Source]) -> str:
    """The text of [start, end); empty where the version is unknown."""
    source = sources.get(part.version)
    return source.text[part.start : part.end] if source else ""


def passages(
    claim: Said, row: Row, sources: Mapping[str, Source]
) -> tuple[tuple[Cited, str], ...]:
    """The passages that a claim cites, with their texts.

    What else it quotes of the same version, since the passage leans on it (R-A14), is
    a part of the text.
    """
    return tuple(
        (part, _with_quotes(part, claim, sources))
        for part in cited(row)
        if part.number in claim.citations
    )


def _with_quotes(part: Cited, claim: Said, sources: Mapping[str, Source]) -> str:
    beside = (
        passage(quote, sources)
        for quote in claim.quotes
        if quote.version == part.version
        and not part.start <= quote.start < quote.end <= part.end
    )
    return "\n".join((passage(part, sources), *beside))


def versions(row: Row, sources: Mapping[str, Source]) -> tuple[str, ...]:
    """The texts of the document versions that a row cites, each once, whole."""
    every = dict.fromkeys(part.version for part in cited(row))
    return tuple(sources[version].text for version in every if version in sources)


def evidence_texts(row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """The texts of the passages that the gate let through."""
    for chunk in row.evidence:
        source = sources.get(chunk["version"])
        if source is not None:
            yield source.text[chunk["start"] : chunk["end"]]


# --- words ------------------------------------------------------------------------


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """A served text as wordings are looked for in it: no bars, folded, one case."""
    return " ".join(fold(unbarred(text)).text.casefold().split())


def says(text: str, wording: str) -> bool:
    """Whether a wording stands in a text, case and white space folded, as whole words.

    "5 mg" is not said by "15 mg".
    """
    return any(True for _ in places(plain(text), plain(wording)))


def places(held: str, wanted: str) -> Iterator[int]:
    """Where a folded wording stands in a folded text, outside words and figures."""
    at = held.find(wanted) if wanted else -1
    while at >= 0:
        if is_edge(held, at) and is_edge(held, at + len(wanted)):
            yield at
        at = held.find(wanted, at + 1)


_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u0432"
    "\u043a\u043c\u0442\u043d\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5"
    "\u03c7\u0131\u0142\u00f8\u0251",
    "aeopcyxijsdhbkmthaeikvoptuxiloa",
)


def seen(text: str) -> str:
    """A text as a reader's eye takes it: to find what must not stand there.

    Accents, width, look-alike letters and invisible characters are folded too; never
    used to accept anything.
    """
    letters = unicodedata.normalize("NFKD", unbarred(text).casefold())
    kept = (c for c in letters if unicodedata.category(c) not in ("Mn", "Me", "Cf"))
    return " ".join("".join(kept).translate(_LOOKALIKES).split())
