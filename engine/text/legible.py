"""Text as it is read: the same in questions, in the word index and in vectors.

No invisible characters, no letters in disguise, no word that a line end divides. Stored
and quoted text stays as on the page; quotations are compared by another folding
(engine/text/folding.py), which knows the words of their document.
"""

import unicodedata
from dataclasses import dataclass

import numpy as np
import re2
from numpy.typing import NDArray

from engine.text import english
from engine.text.english import words as listed
from engine.text.patterns import encodable

# Compatibility forms with a meaning: "mg/m²" is not "mg/m2".
MEANT = ("<super>", "<sub>", "<fraction>")
LONGEST_FORM = 6  # characters for one; a sign for a whole phrase is kept
HYPHENS = {"\u2010": "-", "\u2011": "-"}

# A hyphen that ends a line, of the same paragraph; a page may end with the line.
_LINE_END = re2.compile(r"([-\x{2010}\x{2011}\x{ad}])[ \t]*\n\f?[ \t]*")
_RUN = r"[\pL\pN\pM\x{ad}\x{200b}-\x{200d}]+"
_BEFORE, _AFTER = re2.compile(f"{_RUN}$"), re2.compile(f"^{_RUN}")
# Letters that look like Latin ones.
ALIKE = str.maketrans(
    "аɑαвсԁеєɡһіїιјкκӏмոпοорρгѕтτսυνѵѡԝхχуγ",
    "aaabcdeeghiiijkklmnnoopprsttuuvvwwxxyy",
)
_CAPITALS = str.maketrans(
    # Cyrillic A, VE, IE, EN, DZE, I, JE, KA, EM, O, ER, ES, TE, HA; then Greek ones.
    "\u0410\u0412\u0415\u041d\u0405\u0406\u0408"
    "\u041a\u041c\u041e\u0420\u0421\u0422\u0425"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a"
    "\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "ABEHSIJKMOPCTXABEZHIKMNOPTYX",
)
_WORD = re2.compile(r"[\pL\pM]+")
# A word has letters of one alphabet; a Greek letter may name a kind: TNF-alpha.
_MIXED = (
    re2.compile(r"\p{Latin}"),
    re2.compile(
        r"[\p{Cyrillic}\p{Armenian}\p{Cherokee}"
        r"\x{391}\x{392}\x{395}-\x{397}\x{399}\x{39a}\x{39c}\x{39d}\x{39f}"
        r"\x{3a1}\x{3a4}\x{3a5}\x{3a7}\x{3b9}\x{3ba}\x{3bd}\x{3bf}\x{3c1}"
        r"\x{3c4}\x{3c5}\x{3c7}]"
    ),
)
_JOINERS = "\u200c\u200d"  # of letters and pictures beyond ASCII
_STRANGE = re2.compile(r"[^\x00-\x7f]+")
LONGEST_WORD = 64  # characters that are looked at on either side of a line end
SHORTEST = 4  # letters of a word that the list of English words holds
WHOLE = 5  # letters of a known word that no unknown one is parted before
PARTICLES = frozenset({"by", "down", "in", "off", "on", "out", "over", "up"})
SUSPENDED = frozenset({"and", "or", "to"})  # "long- and short-term"


class _Table(dict[int, str]):
    """Code points with their plain form, filled on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = shown = _to_plain(chr(code))
        return shown


def _to_plain(character: str) -> str:
    """Return the plain form of a character; superscripts and the like stay."""
    if unicodedata.category(character) == "Cf":
        return ""
    form = unicodedata.decomposition(character)
    if not form.startswith("<") or form.startswith(MEANT):
        return HYPHENS.get(character, character)
    plain = unicodedata.normalize("NFKC", character)
    plain = HYPHENS.get(plain, plain)
    return plain if len(plain) <= LONGEST_FORM else character


_PLAIN = _Table()


def legible(text: str) -> str:
    """Return a text as it is read.

    Soft hyphens, zero-width and direction marks are removed; full-width and styled
    letters, ligatures and fixed spaces become plain ones; a word that a line end
    divides is joined. Superscripts, quotes and dashes stay.
    """
    text = text if text.isascii() else encodable(text)
    if "\n" in text:
        text = _join_lines(text)
    return text if text.isascii() else text.translate(_PLAIN)


def strip_disguise(text: str) -> str:
    """Replace letters in disguise by the ones they look like."""
    return text.translate(_PLAIN).translate(ALIKE).translate(_CAPITALS)


def find_disguise(name: str) -> str | None:
    """Return why a name differs from its looks, as words behind it, or None."""
    if name.isascii():
        return None
    for at, character in enumerate(name):
        around = name[max(0, at - 1) : at] + name[at + 1 : at + 2]
        kind = unicodedata.category(character)
        if kind == "Cf" and (character not in _JOINERS or around.isascii()):
            return "holds a character that nobody sees"
        plain = _PLAIN[ord(character)]
        alone = kind[0] == "Z" or character in HYPHENS
        if plain != character and (kind[0] in "LN" or (alone and around.isascii())):
            return f"holds {character!r}, which is read as {plain!r}"
    for word in _WORD.findall(name):
        if all(part.search(word) for part in _MIXED):
            return f"mixes letters of two alphabets that look alike in {word!r}"
    return None


def _join_lines(text: str) -> str:
    parts: list[str] = []
    done = 0
    for match in _LINE_END.finditer(text):
        joint = _decide_joint(text, match)
        if joint is not None:
            parts += (text[done : match.start()], joint)
            done = match.end()
    return "".join((*parts, text[done:]))


@dataclass(frozen=True, slots=True)
class Legible:
    """A text as it is read, with the way back.

    `offsets` holds where each of its characters begins in the original, and last where
    the original ends.
    """

    text: str
    offsets: NDArray[np.int32]


def map_legible(text: str) -> Legible:
    """Return the text of `legible` with offsets into the original."""
    text = encodable(text)
    parts: list[str] = []
    offsets: list[int] = []
    done = 0

    def copy(end: int) -> None:
        parts.append(text[done:end])
        offsets.extend(range(done, end))

    joints = {m.start(): m for m in _LINE_END.finditer(text)} if "\n" in text else {}
    places = sorted({*joints, *_find_strange(text)})
    for start in places:
        if start < done:
            continue
        joint = _decide_joint(text, joints[start]) if start in joints else None
        shown = _PLAIN[ord(text[start])] if joint is None else joint
        copy(start)
        parts.append(shown)
        offsets.extend([start] * len(shown))
        done = start + 1 if joint is None else joints[start].end()
    copy(len(text))
    return Legible("".join(parts), np.array([*offsets, len(text)], dtype=np.int32))


def _find_strange(text: str) -> list[int]:
    """Return the positions of characters that are read differently than written."""
    return [
        at
        for run in _STRANGE.finditer(text)
        for at in range(*run.span())
        if _PLAIN[ord(text[at])] != text[at]
    ]


def _decide_joint(text: str, hyphen: re2._Match) -> str | None:
    """Return the replacement of a hyphen at a line end; None leaves both as they are.

    The English word list decides whether the whole or both parts are words; a printer
    divides a word where neither half is one.
    """
    start, end = hyphen.span()
    before = _BEFORE.search(text[max(0, start - LONGEST_WORD) : start])
    after = _AFTER.search(text[end : end + LONGEST_WORD])
    if not before or not after or str(after.group()) in SUSPENDED:
        return None
    if hyphen.group(1) == "\u00ad":
        return ""
    chained = text[max(0, start - len(before.group()) - 1)] in "-\u2010\u2011"
    left, right = (str(run.group()).translate(_PLAIN) for run in (before, after))
    letters = (left + right).isalpha() and len(left) > 1
    if chained or not letters or _is_name(left, right):
        return "-"  # state-of-the-art, 5-FU, T-cell, ctDNA-negative, non-Hodgkin
    left = left.lower()
    if english.is_known(left + right):
        return ""
    first = english.is_known(left) or left in listed("stop")
    if right in PARTICLES:
        return "-" if first else ""
    whole = len(right) >= WHOLE or (first and len(right) >= SHORTEST)
    return "-" if whole and english.is_known(right) else ""


def _is_name(left: str, right: str) -> bool:
    """Return whether capitals are in places where a divided word has none."""
    return left[1:] != left[1:].lower() or right != right.lower()
