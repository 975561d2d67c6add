"""Honest ways to write a sentence otherwise: presentation, no words."""

import re
from random import Random

from tests.engine.validate.mutants import _one, _put


def curly(text: str, random: Random) -> str:
    """Typographic quotation marks and apostrophes."""
    text = re.sub(r"'", "\u2019", text)
    return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text)


def straight(text: str, random: Random) -> str:
    """Typewriter quotation marks and apostrophes."""
    return re.sub("[\u201c\u201d]", '"', re.sub("[\u2018\u2019]", "'", text))


def ligatures(text: str, random: Random) -> str:
    """Printer's ligatures."""
    for letters, sign in (("ffi", "\ufb03"), ("fi", "\ufb01"), ("fl", "\ufb02")):
        text = text.replace(letters, sign)
    return text


def spaces(text: str, random: Random) -> str:
    """No-break, thin and double spaces, tabs and line ends."""
    others = ["\u00a0", "  ", "\n", "\t", "\u2009", " \n "]
    return re.sub(" ", lambda _: random.choice(others), text)


def soft_hyphens(text: str, random: Random) -> str:
    """Soft hyphens inside long words."""
    return re.sub(r"\b([A-Za-z]{4})([A-Za-z]{3,})\b", "\\1\u00ad\\2", text)


def emphasis(text: str, random: Random) -> str:
    """Markdown emphasis around a word."""
    match = _one(r"(?<=\s)[A-Za-z]{4,}(?=\s)", text, random)
    marks = [mark for mark in ("*", "**", "`", "_") if mark not in text]
    if match is None or not marks:
        return text
    mark = random.choice(marks)
    return _put(text, match, f"{mark}{match.group()}{mark}")


def broken_word(text: str, random: Random) -> str:
    """A long word broken at a line end."""
    match = _one(r"(?<![\w-])[a-z]{8,}(?![\w-])", text, random)
    word = match.group() if match else ""
    return _put(text, match, f"{word[:4]}-\n{word[4:]}") if match else text


HONEST = (curly, straight, ligatures, spaces, soft_hyphens, emphasis, broken_word)
