"""Foreign texts without characters that have an effect.

Removed characters could move a cursor, forge a link, hide a warning or reverse text. No
visible character is removed, so an escape sequence leaves its harmless letters behind
and cannot hide what follows it.
"""

from typing import Annotated

from pydantic import AfterValidator

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_TAGS = range(0xE0000, 0xE0080)
_LINE_ENDS = ("\n", "\v", "\f", "\r", "\x85", "\u2028", "\u2029")
_INERT = str.maketrans(
    {chr(code): "\ufffd" for code in _CONTROLS}
    | {chr(code): None for code in (*_DIRECTIONS, *_TAGS)}
    | {end: "\n" for end in _LINE_ENDS}
    | {"\t": "\t"}
)


def inert(text: str) -> str:
    """Remove control characters; keep tabs and line ends."""
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return encodable.replace("\r\n", "\n").translate(_INERT)


def one_line(text: str) -> str:
    """Make the inert text one line, with runs of white space as one space."""
    return " ".join(inert(text).split())


Inert = Annotated[str, AfterValidator(inert)]
Line = Annotated[str, AfterValidator(one_line)]


def many(number: int, noun: str) -> str:
    """Write a number with its noun: "1 answer", "2 answers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
