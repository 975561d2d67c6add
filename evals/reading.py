"""The parts of a row that metrics judge: citations, claims, what is served, wordings.

Reads the JSON of a row; a row that lacks a part raises KeyError, which scores as ERROR.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evals.forms import Json, Row, Source

SEPARATOR = " > "  # between the headings of a place
OMITTED = "[\u2026]"  # stands where a quotation leaves something of its source out

_BAR = re.compile(r"[ \t]{0,3}[>\u2502\u2503\u258f|](?: |$)")  # in front of each line
_BULLET = re.compile(r"\u2022 ")
_NUMBERS = re.compile(r"[ \t\n]*\[(\d{1,3}(?:, \d{1,3})*)\]\s*\Z")
_NUMBER = re.compile(r"\d+")


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


def evidence_texts(row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """The texts of the passages that the gate let through."""
    for chunk in row.evidence:
        source = sources.get(chunk["version"])
        if source is not None:
            yield source.text[chunk["start"] : chunk["end"]]


# --- what is served ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """One quotation as it is served: its words, and the numbers behind it."""

    words: str
    numbers: tuple[int, ...]


def shown(served: str) -> tuple[tuple[Shown, ...], tuple[str, ...]]:
    """The quotations of a served text, each a run of lines behind a bar; the others.

    Every line of the others is one, without those that are empty.
    """
    quoted: list[list[str]] = []
    rest: list[str] = []
    inside = False
    for line in served.splitlines():
        barred = _BAR.match(line)
        if barred and inside:
            quoted[-1].append(line[barred.end() :])
        elif barred:
            quoted.append([line[barred.end() :]])
        elif line.strip():
            rest.append(line)
        inside = barred is not None
    return tuple(map(_shown, quoted)), tuple(rest)


def _shown(lines: Sequence[str]) -> Shown:
    text = "\n".join(_BULLET.sub("", line, 1) for line in lines)
    behind = _NUMBERS.search(text)
    if behind is None:
        return Shown(visible(text), ())
    numbers = tuple(int(number) for number in _NUMBER.findall(behind.group(1)))
    return Shown(visible(text[: behind.start()]), numbers)


def visible(text: str) -> str:
    """A text as a reader sees it: runs of white space are one, what has no width none.

    Everything else stands as it is, every letter, sign and mark.
    """
    kept = (c for c in text if unicodedata.category(c) != "Cf")
    return " ".join("".join(kept).split())


# --- words ------------------------------------------------------------------------

_FOLDS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)
_SPECIAL = re.compile(r"\u00ad[ \t]*(?:\n\s*)?|\u2212(?=\d)")
_INSIDE = frozenset("-'.,:/@&+\u00b7\u2013\u2044")
_BEFORE_FIGURE = frozenset("-\u2212+\u00b1<>\u2264\u2265~\u2248=$\u20ac\u00a3#")
_BEHIND_FIGURE = frozenset("%\u2030\u00b0")


@lru_cache(maxsize=8_192)
def fold(text: str) -> str:
    """A text without what a reader cannot see: marks, white space, composition (R-I7).

    Words, digits, case, dashes, superscripts and look-alike letters stay as they are.
    """
    text = _SPECIAL.sub(lambda found: "-" if found[0] == "\u2212" else "", text)
    return " ".join(unicodedata.normalize("NFC", text).translate(_FOLDS).split())


def unbarred(text: str) -> str:
    """The text without the bars, and the bullets behind them, of quotations."""
    return "".join(_bare(line) for line in text.splitlines(keepends=True))


def _bare(line: str) -> str:
    bar = _BAR.match(line)
    return _BULLET.sub("", line[bar.end() :], count=1) if bar else line


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """A served text as wordings are looked for in it: no bars, folded, one case."""
    return fold(unbarred(text)).casefold()


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


def is_edge(text: str, at: int) -> bool:
    """Whether no word and no figure reaches over `at`."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before.isalnum() and (after.isalnum() or unicodedata.combining(after)):
        return False
    if before.isnumeric() and after in _BEHIND_FIGURE:
        return False
    if after.isnumeric() and before in _BEFORE_FIGURE:
        return False
    if before.isalnum() and after in _INSIDE:
        return not text[at + 1 : at + 2].isalnum()
    if after.isalnum() and before in _INSIDE:
        return not (at > 1 and text[at - 2].isalnum())
    return True


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
