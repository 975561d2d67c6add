"""Folding of presentation with a way back, and the exact search for quotes.

Folded, because a reader cannot see or does not mean the difference:
- curly, low and modifier quotation marks and apostrophes to straight ones;
- the ligatures U+FB00 to U+FB06 to their letters; hyphens U+2010 and U+2011 to `-`;
- a run of white space, no-break and thin spaces included, to one space;
- soft hyphens (with the line end after them) and zero-width characters: removed;
- letters with accents to their composed form (NFC);
- the minus U+2212 to `-`, only in front of a digit;
- a hyphen at a line end: joined to the word or the compound that the document knows.

Never folded, because meaning may hang on it: words, digits, case, dashes, primes,
superscripts, subscripts, fractions, units, signs, full-width and look-alike letters.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import re2
from numpy.typing import NDArray

from engine.model.frozen import Span

WIDE = (
    r"\t\n\v\f\r\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}"
    r"\x{205f}\x{3000}"
)
UNSEEN = r"\x{ad}\x{200b}-\x{200d}\x{2060}\x{feff}"
SIGNS = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201b": "'",
    "\u02bc": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u201f": '"',
    "\u2010": "-",
    "\u2011": "-",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
    # Canonical singletons: ohm, kelvin and angstrom sign to their letters (NFC).
    "\u2126": "\u03a9",
    "\u212a": "K",
    "\u212b": "\u00c5",
}
# Characters that folding decides on; all others are copied unchanged.
SPECIAL = re2.compile(
    rf"(?P<hyphen>[-\x{{2010}}\x{{ad}}][ \t]*\n[ {WIDE}{UNSEEN}]*)"
    rf"|(?P<space>(?:[{WIDE}]| [ {WIDE}{UNSEEN}])[ {WIDE}{UNSEEN}]*)"
    rf"|(?P<accents>[^\pM {WIDE}{UNSEEN}](?:[{UNSEEN}]*\pM)+)"
    rf"|(?P<unseen>[{UNSEEN}]+)"
    r"|(?P<minus>\x{2212})"
    rf"|(?P<sign>[{''.join(SIGNS)}])"
)
INVISIBLE = re2.compile(rf"[{UNSEEN}]+")
COMPOUND = re2.compile(r"[\pL\pN]+(?:[-\x{2010}\x{2011}'\x{2019}][\pL\pN]+)*")
LONGEST_WORD = 64  # characters that are looked at on either side of a line end


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text. `offsets` has one entry a character and one for the end.

    `offsets[i]` is where the original of character `i` begins; characters that came
    from one original character share its offset.
    """

    text: str
    offsets: NDArray[np.int32]

    def span(self, start: int, end: int) -> Span | None:
        """Return the original of [start, end); None if an edge cuts an original
        character.
        """
        first, last = int(self.offsets[start]), int(self.offsets[end])
        cut_before = start > 0 and int(self.offsets[start - 1]) == first
        cut_after = end > start and int(self.offsets[end - 1]) == last
        return None if cut_before or cut_after else Span(start=first, end=last)

    def part(self, span: Span) -> "Folded":
        """Return the part that came from `span` of the original; its offsets stay
        those.
        """
        start, end = np.searchsorted(self.offsets, (span.start, span.end))
        offsets = self.offsets[start : end + 1].copy()
        offsets[-1] = span.end
        return Folded(self.text[start:end], offsets)


@dataclass(slots=True)
class _Writer:
    """Collects folded text with the offset that each character came from."""

    text: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def copy(self, text: str, start: int, end: int) -> None:
        self.text.append(text[start:end])
        self.offsets.extend(range(start, end))

    def put(self, text: str, offset: int) -> None:
        self.text.append(text)
        self.offsets.extend([offset] * len(text))

    def folded(self, end: int) -> Folded:
        self.offsets.append(end)
        return Folded("".join(self.text), np.array(self.offsets, dtype=np.int32))


def known_words(text: str) -> frozenset[str]:
    """Collect the words and compounds of a document in lower case, for line-end
    hyphens.
    """
    words = (str(word) for word in COMPOUND.findall(text))
    return frozenset(_fold_word(word) for word in words)


def _fold_word(word: str) -> str:
    folded = word.casefold().replace("\u2010", "-").replace("\u2011", "-")
    return folded.replace("\u2019", "'")


def fold_presentation(text: str, words: frozenset[str] = frozenset()) -> Folded:
    """Fold the presentation of `text`, in linear time.

    Args:
        text: a canonical text, a chunk of it or a quotation.
        words: `known_words` of the document; without them no line-end hyphen is joined.
    """
    out = _Writer()
    done = 0
    for match in SPECIAL.finditer(text):
        start, end = match.span()
        out.copy(text, done, start)
        done = end
        kind = match.lastgroup
        if kind == "hyphen":
            _fold_hyphen(out, text, Span(start=start, end=end), words)
        elif kind == "space":
            out.put(" ", start)
        elif kind == "accents":
            seen = str(INVISIBLE.sub("", text[start:end]))
            out.put(unicodedata.normalize("NFC", seen), start)
        elif kind == "minus":
            out.put("-" if text[end : end + 1].isdecimal() else "\u2212", start)
        elif kind == "sign":
            out.put(SIGNS[text[start]], start)
    out.copy(text, done, len(text))
    return out.folded(len(text))


def _fold_hyphen(out: _Writer, text: str, at: Span, words: frozenset[str]) -> None:
    """Write a line-end hyphen: dropped, kept without the line end, or with a space.

    It is joined where the document knows exactly one of both forms; a soft hyphen is
    always the printer's.
    """
    if text[at.start] == "\u00ad":
        return
    joined = compound = False
    if words and text[at.start - 1 : at.start].isalnum():
        before = COMPOUND.findall(text[_find_word_start(text, at.start) : at.start])
        after = COMPOUND.match(text[at.end : at.end + LONGEST_WORD])
        left = _fold_word(str(before[-1])) if before else ""
        right = _fold_word(str(after.group(0))) if after else ""
        joined = (left[-1:] + right[:1]).isalpha() and left + right in words
        compound = f"{left}-{right}" in words
    if joined == compound:
        out.put("-", at.start)
        out.put(" ", at.start + 1)
    elif compound:
        out.put("-", at.start)


def _find_word_start(text: str, end: int) -> int:
    """Return the earliest start of the word that ends at `end`: after white space."""
    start = max(0, end - LONGEST_WORD)
    piece = text[start:end]
    return start + max(piece.rfind(" "), piece.rfind("\n")) + 1


# --- finding quotes -----------------------------------------------------------------

JOINERS = frozenset("-'.,:/@&+\u00b7\u2013\u2044\u2212")
# Right in front they belong to a word or number: sign, bound, currency, option.
LEADING = frozenset("-\u2212\u2013+\u00b1~\u2248<>\u2264\u2265=$\u20ac\u00a3\u00a5#@^")
TRAILING = frozenset("%\u2030\u00b0")


def is_edge(text: str, at: int) -> bool:
    """Return whether a quotation may begin or end at `at`: outside every word and
    number.

    A number includes its sign, bound, decimals, range, per cent and unit after a slash;
    a word its compound ("non-small") and its apostrophe.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _is_word(before):
        if _is_word(after) or (after in TRAILING and before.isnumeric()):
            return False
        return not (after in JOINERS and _is_word(text[at + 1 : at + 2]))
    if not _is_word(after):
        return True
    joined = before in JOINERS and _is_word(text[at - 2 : at - 1] if at > 1 else "")
    return not joined and not _is_leading(before, after)


def _is_leading(before: str, after: str) -> bool:
    return before in LEADING and (after.isnumeric() or before in "-\u2212")


def _is_word(character: str) -> bool:
    if not character or character.isalnum() or character == "_":
        return bool(character)
    return unicodedata.category(character).startswith("M")


def find_quotes(needle: Folded | str, haystack: Folded) -> Iterator[Span]:
    """Yield every place where `needle` occurs word for word, as spans of the original.

    Exact after folding. Nothing where the needle holds no letter or digit, or where it
    would begin or end inside a word or number.
    """
    wanted = (
        needle.text if isinstance(needle, Folded) else fold_presentation(needle).text
    )
    wanted = wanted.strip()
    if not any(character.isalnum() for character in wanted):
        return
    text = haystack.text
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if is_edge(text, at) and is_edge(text, end):
            span = haystack.span(at, end)
            if span is not None:
                yield span
                at = end - 1
        at = text.find(wanted, at + 1)


def find_quote(needle: Folded | str, haystack: Folded) -> Span | None:
    """Return the first of `find_quotes`, or None."""
    return next(find_quotes(needle, haystack), None)


def normalise(text: str) -> str:
    """Normalise a text for the comparison of headings."""
    return fold_presentation(text).text.strip().casefold()
