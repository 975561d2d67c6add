"""What a claim has to write as its source does, character by character (R-V3, R-V8).

Tokens leave out what carries no word: signs, case, marks between words. A reader sees
them, so whatever is not plain text has to stand in the source itself: letters in
circles and flags, emoji, `-R` for `-r`, `/cmd/vel` for `/cmd_vel`, "Mg" for "mg", "7 of
14" for "7 to 14", "No, it helps" for "No help".
"""

import unicodedata
from collections.abc import Iterator

import re2

from engine.validate.figures import NUMBERS, UNITS

_PLAIN = frozenset(" .,:;'\"()-\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2022\n*`")
_QUOTES = frozenset("'\"`\u2018\u2019\u201c\u201d")  # a claim may leave them out
_LEFT, _RIGHT = "`'\"([{<\u201c\u2018*", ".,;:!?)]}>\u2026'\"`\u201d\u2019*"
_WORD = re2.compile(r"\S+")
# A word of code: with a sign in it, before it, or capitals inside.
_CODE = re2.compile(
    r"[_/\\=~@#$<>{}|&^+\[\]]|^--?[\pL]|[\p{Ll}][\p{Lu}]|[\pL\pN][.:][\pL\pN]|::"
)
_NUMBER = re2.compile(r"[\d.,:]+[%\x{2030}]?")
_INITIALS = re2.compile(r"(?:[\pL]\.)+[\pL]?")
_A_NUMBER = rf"(?:\d[\d.,]*|{'|'.join(NUMBERS)})"
_BETWEEN = re2.compile(
    rf"(?i)\b({_A_NUMBER})\s*(to|until|through|-|\x{{2013}}|of|in|by|per|x|\x{{d7}})\s*"
    rf"({_A_NUMBER})\b"
)
_RANGE = frozenset({"to", "until", "through", "-", "\u2013"})
_MEASURED = re2.compile(rf"(?i)\d\s?({UNITS})\b")
_STOPPED = re2.compile(
    r"(?i)\b(no|not|never|none|nor|yes)\s*([,;:.!?\x{2013}\x{2014}]|-\s)"
)


def differs(said: str, sentences: str, above: str) -> str:
    """What of a claim its source writes otherwise, in words; "" where nothing.

    Args:
        said: the claim, folded.
        sentences: those of its source that support it, folded.
        above: title and headings, whose names a claim may use.
    """
    around = f"{above}\n{sentences}"
    words = frozenset(_stripped(around))
    for what, found, held in (
        ("the sign", _signs(said), set(around)),
        ("the mark", "?" * ("?" in said), set(sentences)),
        ("the term", _terms(said), words),
        ("the option", _bare(said, words), ()),
        ("the figures", _pairs(said), {*_pairs(sentences)}),
        ("the unit", _units(said), {*_units(around)}),
        ("the words", _stops(said), {*_stops(sentences)}),
    ):
        for one in found:
            if one not in held:
                return f"writes {what} {one!r} otherwise than its source"
    return ""


def _signs(text: str) -> Iterator[str]:
    """What is neither a plain letter or digit nor everyday punctuation."""
    for character in text:
        if character in _PLAIN or (character.isascii() and character.isalnum()):
            continue
        if character in "!?" or character.isspace():
            continue
        kind = unicodedata.category(character)
        folded = unicodedata.normalize("NFKC", character)
        if not (kind in ("Lu", "Ll", "Lo") and folded == character):
            yield character


def _stripped(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = str(match.group()).lstrip(_LEFT).rstrip(_RIGHT)
        yield "".join(character for character in word if character not in _QUOTES)


def _terms(text: str) -> Iterator[str]:
    """The words of code, as they are written."""
    for word in _stripped(text):
        plain = _NUMBER.fullmatch(word) or _INITIALS.fullmatch(word)
        if _CODE.search(word) and not plain:
            yield word


def _bare(text: str, words: frozenset[str]) -> Iterator[str]:
    """The options of a command that have lost their dashes."""
    for word in _stripped(text):
        if word not in words and not words.isdisjoint({f"-{word}", f"--{word}"}):
            yield word


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    """Two figures with what stands between them; all ranges are written alike."""
    at = 0
    while match := _BETWEEN.search(text, at):
        at = match.start(3)  # which may be the first of the next two
        one, joint, two = (str(part).lower() for part in match.groups())
        yield one.rstrip(".,"), "to" if joint in _RANGE else joint, two.rstrip(".,")


def _units(text: str) -> Iterator[str]:
    return (str(match.group(1)) for match in _MEASURED.finditer(text))


def _stops(text: str) -> Iterator[tuple[str, str]]:
    """A "no" or "not" after which the sentence stops."""
    for match in _STOPPED.finditer(text):
        yield str(match.group(1)).lower(), str(match.group(2)).strip()
