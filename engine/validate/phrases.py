"""Phrases that never reach a reader outside a quotation (R-V5), whatever hides them.

Text is folded as an eye takes it (R-V8): case, width, look-alike letters, accents and
invisible characters are gone. Emphasis marks, tags and comments are read both as
nothing and as a space, and between the words of a phrase anything may stand that is
neither letter nor digit.
"""

from collections.abc import Iterable, Sequence
from html import unescape

import re2

from engine.validate.text import fold_for_phrases

MEMORY = 64 << 20  # bytes; a pack of 20 phrases takes 10 MB at most
_WORD = re2.compile(r"[\pL\pN]+")
_BETWEEN = r"[^\pL\pN]+"
_TAG = re2.compile(r"(?s)<!--.*?-->|<[^<>\n]{0,200}>")
_REFERENCE = re2.compile(r"&#?[0-9A-Za-z]{1,10};?")
# Letters without a form: they look like a space. Control characters look like nothing.
_FORMLESS = dict.fromkeys((0x115F, 0x1160, 0x3164, 0xFFA0), " ")
_CONTROLS = dict.fromkeys((*range(9), *range(14, 28), 127))
# Look-alikes beyond those of engine/validate/text.py.
_LOOKALIKES = str.maketrans(
    "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢոսհցյօӏһҽүᎪᏟᎬᎻᎫᎠᎡᎳᏞᎷᏢᎢ",
    "abcdeghijklmnoprtuvwyznuhgjolheyacehjdrwlmpi",
)
_EMPHASIS = frozenset("*_`~|\\")
_JOINED = str.maketrans(_FORMLESS | _CONTROLS | dict.fromkeys(_EMPHASIS))
_APART = str.maketrans(_FORMLESS | _CONTROLS | dict.fromkeys(_EMPHASIS, " "))


def seen(text: str) -> str:
    """The text as a reader's eye takes it, for matching only."""
    return _folded(_understood(text).translate(_APART))


def readings(text: str) -> frozenset[str]:
    """Every way in which marks inside the text may be taken."""
    plain = _understood(text)
    if _EMPHASIS.isdisjoint(plain) and "<" not in plain:
        return frozenset({_folded(plain.translate(_APART))})
    found = {_folded(plain.translate(_APART)), _folded(plain.translate(_JOINED))}
    if "<" in plain:
        found.add(_folded(str(_TAG.sub("", plain)).translate(_JOINED)))
        found.add(_folded(str(_TAG.sub(" ", plain)).translate(_APART)))
    return frozenset(found)


def _understood(text: str) -> str:
    """The text with character references (&#73;) resolved."""
    return unescape(str(_REFERENCE.sub(_closed, text))) if "&" in text else text


def _closed(match: re2._Match) -> str:
    """A reference with its semicolon, without which few are understood."""
    return str(match.group()).rstrip(";") + ";"


def _folded(text: str) -> str:
    if text.isascii():
        return " ".join(text.lower().split())
    plain = text.translate(_LOOKALIKES).casefold()
    return " ".join(fold_for_phrases(plain).text.split())


def _options() -> re2.Options:
    """Memory for every phrase of a pack: with less RE2 is slow, and says so."""
    options = re2.Options()
    options.max_mem = MEMORY
    return options


class Phrases:
    """A pack's prohibited phrases, compiled once."""

    def __init__(self, phrases: Iterable[str]) -> None:
        words = [_WORD.findall(seen(phrase)) for phrase in phrases]
        alternatives = [_BETWEEN.join(found) for found in words if found]
        whole = rf"\b(?:{'|'.join(alternatives)})\b"
        self._pattern = re2.compile(whole, _options()) if alternatives else None

    def found(self, prose: str, quoted: Sequence[str] = ()) -> bool:
        """Whether a phrase stands in `prose` outside what it quotes.

        Args:
            prose: the text as it would be shown, anchored quotations included.
            quoted: those quotations.
        """
        if self._pattern is None:
            return False
        allowed = sum(self._count(seen(text)) for text in quoted)
        return any(self._count(reading) > allowed for reading in readings(prose))

    def _count(self, folded: str) -> int:
        return sum(1 for _ in self._pattern.finditer(folded)) if self._pattern else 0
