"""A sentence as a row of tokens: its words, its figures and its negations.

A word is itself without its ending of number or tense, in American spelling. A token
that is written differently is a different token: 10² is not 102, an Arabic-Indic 5 is
not 5, a Cyrillic letter is not a Latin one. Words of grammar, possibility, bound or
condition are left out; the next token is `apart` then.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

import re2

from engine.text.english import words as listed
from engine.text.words import stem


class Kind(StrEnum):
    """The kind of a token; a NAME is an identifier or a single letter."""

    WORD = "word"
    NUMBER = "number"
    NAME = "identifier"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Token:
    """One word or figure; two tokens are the same where kind and key are.

    `apart` is True after punctuation or a word of grammar, `word` is the written form.
    """

    kind: Kind
    key: str
    apart: bool = field(default=False, compare=False)
    word: str = field(default="", compare=False)


Row = tuple[Token, ...]

# Words that say the same; the first of a row is the key of all. No two of different
# strength are among them: "often" is not "usually".
_ROWS = """
    people person persons patient patients someone somebody anyone anybody individuals
    begin begins began begun beginning start starts started starting
    find finds found finding
    give gives gave given giving
    grow grows grew grown growing
    keep keeps kept keeping
    know knows knew known knowing
    make makes made making
    send sends sent sending
    show shows showed shown showing
    take takes took taken taking
"""
_SILENT = listed("silent")
_NEGATIONS = listed("no", "against")
_SAME = {word: row.split()[0] for row in _ROWS.splitlines() for word in row.split()}
# British and American spelling; each side is a stem.
_SPELLINGS = {
    "tumour": "tumor",
    "colour": "color",
    "behaviour": "behavior",
    "diarrhoea": "diarrhea",
    "anaemi": "anemi",
    "leukaemi": "leukemi",
    "oedema": "edema",
    "fibre": "fiber",
    "centre": "center",
    "oestrogen": "estrogen",
    "counsell": "counsel",
    "labelled": "labeled",
    "modell": "model",
    "haem": "hem",
    "paediatric": "pediatric",
    "oesophag": "esophag",
}
_BRITISH = re2.compile("|".join(_SPELLINGS))
# fmt: off
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}
_ONES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9,
}
_NUMBERS = _TENS | _ONES | {
    "zero": 0, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}
# fmt: on
# Units that are written without a space after their number.
UNITS = (
    "mg|mcg|µg|μg|kg|g|ml|mL|l|L|mm|cm|km|m|nm|Gy|cGy|Sv|mSv|ms|min|h|hr|hrs|s|Hz|kHz|"
    "MHz|GHz|kB|MB|GB|V|A|W|N|Nm|rad|C|F|K|x"
)
_ENDINGS = frozenset({"", "e", "y", "d", "ed", "ing", "ying", "ied"})
_DOUBLED = frozenset({"ed", "ing"})
_EDGES = frozenset(",;:()[]{}@#&/\\^<>≤≥±~≈\u2013\u2014")

_READ = re2.compile(
    rf"(?i)\b(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_ONES)})\b"  # twenty-five
    r"|[\pL\pN](?:[\pL\pN\pM]|'[\pL\pN]|[.,:/_-][\pL\pN])*"  # a word or figure
    r"|[\p{Sm}\p{Sc}%‰°-]"  # a symbol
)
_NUMBER = re2.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re2.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WITH_UNIT = re2.compile(rf"(\d+(?:[.,]\d+)*)({UNITS})")
_PIECE = re2.compile(r"[^-:/_]+")


def tokenize(text: str) -> Row:
    """Return the tokens of a folded text, in order."""
    row: list[Token] = []
    apart, sign, read = False, "", 0
    for match in _READ.finditer(text):
        start, end = match.span()
        run = text[start:end]
        apart |= not _EDGES.isdisjoint(text[read:end])
        read = end
        if run == "-":
            sign = _read_sign(text, start)
            continue
        found = _tokenize_run(run, sign)
        sign = ""
        if found:
            row.append(Token(found[0].kind, found[0].key, apart, run.lower()))
            row += found[1:]
        apart = not found
    return tuple(row)


def _read_sign(text: str, at: int) -> str:
    """Return "-" where the hyphen makes the number after it negative, else nothing."""
    number = text[at + 1 : at + 2].isnumeric()
    return "-" if number and (at == 0 or not text[at - 1].isalnum()) else ""


@lru_cache(maxsize=16_384)
def _tokenize_run(run: str, sign: str) -> Row:
    """Return the tokens of a symbol, or of a run of letters and digits."""
    return tuple(_split_run(run, sign))


def _split_run(run: str, sign: str) -> Iterator[Token]:
    if not run[0].isalnum():
        if run not in _EDGES:
            yield Token(Kind.WORD, "percent" if run == "%" else run)
        return
    if any(character.isnumeric() for character in run):
        yield from _split_figure(run, sign)
        return
    tens, _, ones = run.lower().replace(" ", "-").partition("-")
    if tens in _TENS and ones in _ONES:
        yield Token(Kind.NUMBER, str(_TENS[tens] + _ONES[ones]))
    else:
        yield from _split_words(run)


def _split_figure(run: str, sign: str) -> Iterator[Token]:
    """Yield the tokens of a run that holds a digit: 5-FU, 10mg, 2024-03-01, mg/m²."""
    for match in _PIECE.finditer(run):
        for part in _split_commas(match.group()):
            measured = _WITH_UNIT.fullmatch(part)
            if _NUMBER.fullmatch(part):
                yield Token(Kind.NUMBER, sign + _drop_separators(part))
            elif measured:
                yield Token(Kind.NUMBER, sign + _drop_separators(measured.group(1)))
                yield from _tokenize_word(measured.group(2).casefold())
            elif any(character.isnumeric() for character in part):
                yield Token(Kind.NAME, sign + part.casefold())
            else:
                yield from _split_words(part)
            sign = ""


def _split_commas(part: str) -> list[str]:
    """Split a piece at its commas, unless they belong to a number."""
    return [part] if "," not in part or _NUMBER.match(part) else part.split(",")


def _drop_separators(number: str) -> str:
    """Drop thousands separators, where these are beyond doubt."""
    return number.replace(",", "") if _GROUPED.fullmatch(number) else number


def _split_words(run: str) -> Iterator[Token]:
    low = run.casefold()
    if low in _SILENT:
        if run.isupper() and len(run) > 1:  # WHO is not "who"
            yield Token(Kind.WORD, low)
        return
    for match in _PIECE.finditer(low):
        for word in match.group().replace(",", ".").split("."):
            yield from _tokenize_word(word)


def _tokenize_word(word: str) -> Iterator[Token]:
    if word in _NEGATIONS or word.endswith("n't"):
        yield Token(Kind.NEGATION, word)
    elif word in _NUMBERS:
        yield Token(Kind.NUMBER, str(_NUMBERS[word]))
    elif len(word) == 1:
        yield Token(Kind.NAME, word)
    elif word and word not in _SILENT:
        word = _BRITISH.sub(
            lambda found: _SPELLINGS[found.group()], word.removesuffix("'s"), count=1
        )
        yield Token(Kind.WORD, _strip_inflection(_SAME.get(word, word)))


@lru_cache(maxsize=16_384)
def _strip_inflection(word: str) -> str:
    """Strip the inflection of a word, but keep it distinct from related words.

    The stemmer takes "hepatitis" and "hepatic" for one word; only endings of number and
    tense are trusted to leave the meaning alone.
    """
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    root = stem(word)
    shared = 0
    while shared < min(len(root), len(word)) and root[shared] == word[shared]:
        shared += 1
    ending = word[shared:]
    if ending[:1] == root[-1:] and ending[1:] in _DOUBLED:
        return root
    return root if ending in _ENDINGS else word
