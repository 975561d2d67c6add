"""Figures of a text with bound, unit and sign, as a second reader takes them.

Independent of engine/tokens.py, standard library alone.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: value for value, word in enumerate(_ONES)}
_WORDS |= {word: 10 * (at + 2) for at, word in enumerate(_TENS)}
_WORDS |= {"once": 1, "twice": 2, "thrice": 3}
_BOUNDS = {
    "<": "<", "less than": "<", "fewer than": "<", "under": "<", "below": "<",
    ">": ">", "more than": ">", "over": ">", "above": ">", "greater than": ">",
    "\u2264": "<=", "<=": "<=", "at most": "<=", "up to": "<=", "no more than": "<=",
    "not more than": "<=", "maximum": "<=",
    "\u2265": ">=", ">=": ">=", "at least": ">=", "no less than": ">=", "minimum": ">=",
}  # fmt: skip
# How units are written; the first word of a row is the one compared.
_UNITS = (
    "mg milligram milligrams",
    "g gram grams",
    "kg kilogram kilograms",
    "mcg \u00b5g \u03bcg ug microgram micrograms",
    "ml milliliter milliliters millilitre millilitres",
    "l liter liters litre litres",
    "% percent",
    "\u00b0c degrees-celsius",
    "h hour hours hr hrs",
    "min minute minutes mins",
    "s second seconds sec",
    "day days",
    "week weeks",
    "month months",
    "year years",
    "time times",
    "ms millisecond milliseconds",
    "hz hertz",
    "mm millimeter millimeters",
    "cm centimeter centimeters",
    "m meter meters metre metres",
    "km kilometer kilometers",
    "tablet tablets",
    "dose doses",
    "pill pills",
    "capsule capsules",
    "cycle cycles",
)
_UNIT = {word: row.split()[0] for row in _UNITS for word in row.split()}
_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)*)"
    r"|(?P<sign><=|>=|[^\w\s])"
)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_RANGE = frozenset({"to", "or", "and", "through", "-", "\u2013"})
_MINUS = frozenset("-\u2212")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its bound (such as ">=") and unit; both may be empty."""

    value: str
    unit: str = ""
    bound: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.bound, self.value, self.unit)))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def figures(text: str) -> tuple[Figure, ...]:
    """The figures of a text, in order; citation marks such as [1] are none.

    A number in a name ("5-FU", "B12", "10\u00b2") is a figure with what it hangs on as
    its unit, so that no other number stands for it.
    """
    read = _tokens(re.sub(r"\[\d{1,3}(?:, \d{1,3})*\]", " ", text))
    return tuple(_figures(read))


def _tokens(text: str) -> list[_Token]:
    read: list[_Token] = []
    for match in _TOKEN.finditer(text):
        token = _Token(str(match.lastgroup), match.group().casefold(), *match.span())
        read.append(token)
        number = _compound(read[-3:])
        if number is not None:
            read[-3:] = [_Token("number", number, read[-3].start, token.end)]
    return read


def _compound(last: Sequence[_Token]) -> str | None:
    """The number of "twenty-five", or None."""
    words = [token.text for token in last]
    if len(words) < 3 or words[1] not in "-\u2010\u2011" or words[0] not in _TENS:
        return None
    ones = _WORDS.get(words[2], 0)
    return str(_WORDS[words[0]] + ones) if 0 < ones < 10 else None


def _figures(read: Sequence[_Token]) -> Iterator[Figure]:
    for at, token in enumerate(read):
        value = _value(token)
        if value is None or (token.text == "one" and not _unit(read, at)):
            continue
        name = _name(read, at)
        if name:
            yield Figure(name + value)
        else:
            yield Figure(_sign(read, at) + value, _unit(read, at), _bound(read, at))


def _value(token: _Token) -> str | None:
    if token.kind == "word":
        number = _WORDS.get(token.text)
        return None if number is None else str(number)
    if token.kind != "number":
        return None
    text = token.text
    if not text.isascii():
        return f"{unicodedata.name(text[0], 'digit').casefold()} {text}"
    return text.replace(",", "") if _GROUPED.fullmatch(text) else text


def _name(read: Sequence[_Token], at: int) -> str:
    """The letters that the number hangs on: B12."""
    before = read[at - 1] if at else None
    glued = before and before.kind == "word" and before.end == read[at].start
    return before.text if before and glued else ""


def _sign(read: Sequence[_Token], at: int) -> str:
    """A minus that touches the number and no word or number before it."""
    if not at or read[at - 1].text not in _MINUS or read[at - 1].end != read[at].start:
        return ""
    before = read[at - 2] if at > 1 else None
    return "" if before and before.end == read[at - 1].start else "-"


def _unit(read: Sequence[_Token], at: int) -> str:
    """What is counted: a known unit behind the number, or behind its range."""
    if read[at].text in ("once", "twice", "thrice"):
        return "time"
    behind = at + 1
    if behind + 1 < len(read) and read[behind].text in _RANGE:
        touching = read[behind].text in "-\u2013"
        if _value(read[behind + 1]) is not None:
            behind += 2
        elif touching and read[behind].start == read[at].end:
            return f"-{read[behind + 1].text}"  # a name: 5-FU
    if behind >= len(read):
        return ""
    token = read[behind]
    if token.text == "\u00b0" and behind + 1 < len(read):
        return _UNIT.get(f"\u00b0{read[behind + 1].text}", "\u00b0")
    glued = token.kind == "word" and token.start == read[behind - 1].end
    unit = _UNIT.get(token.text, token.text if glued else "")
    return unit + _per(read, behind)


def _per(read: Sequence[_Token], unit: int) -> str:
    """The rest of a unit such as mg/kg."""
    if unit + 2 < len(read) and read[unit + 1].text == "/":
        return f"/{read[unit + 2].text}"
    return ""


def _bound(read: Sequence[_Token], at: int) -> str:
    for width in (3, 2, 1):
        said = " ".join(token.text for token in read[max(0, at - width) : at])
        if said in _BOUNDS:
            return _BOUNDS[said]
    return ""
