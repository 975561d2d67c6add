"""What a sentence cannot lose or gain without changing its meaning, as a row of tokens.

Numbers with their signs and units, dates, identifiers, doses, versions, negations,
modal verbs and the words that narrow a statement ("only", "unless", "at least"). Any
other word is itself without its ending of number or tense. A token that is written
differently is a different token: 10² is not 102, an Arabic-Indic 5 is not 5, a Cyrillic
letter is not a Latin one (R-V3).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

import re2

from engine.lexicon import stem
from engine.validate.wording import SAME, spelled, turned

LONGEST_KEPT = 600  # characters of a text whose tokens are kept
KEPT = 4_096  # texts, some 30 MB at most


class Kind(StrEnum):
    """What a token is: a LINK joins two clauses, an ORDER sets what is on its sides."""

    WORD = "word"
    NUMBER = "number"
    NAME = "identifier"
    NEGATION = "negation"
    MODAL = "modal verb"
    QUALIFIER = "qualifier"
    LINK = "link"
    ORDER = "order"


MARKS = frozenset({Kind.NEGATION, Kind.MODAL, Kind.QUALIFIER})
FIGURES = frozenset({Kind.NUMBER, Kind.NAME})


@dataclass(frozen=True, slots=True)
class Token:
    """One word or figure; two tokens are the same where kind and key are.

    `edge` is the punctuation that stands before it, `lead` the words of grammar that
    do, `word` how it is written.
    """

    kind: Kind
    key: str
    edge: str = field(default="", compare=False)
    lead: tuple[str, ...] = field(default=(), compare=False)
    word: str = field(default="", compare=False)


Row = tuple[Token, ...]


def _kinds(**words: str) -> dict[str, Kind]:
    return {word: Kind[name] for name, row in words.items() for word in row.split()}


# Words that carry grammar only: a claim may use them or leave them out.
_GRAMMAR = """
    a an the is are was were be been being am has have had having do does did of in to
    for on at as it its they their them this that these those which who whose you
    your we our there such also so e.g i.e
"""
_SILENT = frozenset(_GRAMMAR.split())
_KINDS = _kinds(
    NEGATION="""not no never without neither nor none nobody nothing nowhere hardly
        barely scarcely non lack lacks lacking fail fails failed""",
    MODAL="may might can could should must will would shall need needs needed ought",
    QUALIFIER="""only unless except if when whether until more less fewer most least
        up under over than about approximately almost nearly around between within some
        few many several half often sometimes usually generally typically rarely seldom
        rare possibly probably likely unlikely perhaps instead rather myth myths false
        falsely wrong wrongly untrue avoid avoids avoided avoiding stop stops stopped
        too suggest suggests suggested thought believed unclear unknown unproven appear
        appears seem seems""",
    LINK="and but whereas while although though however yet because since",
    ORDER="""or before after during above below all every each any both either always
        first last by from then versus vs per against into with""",
)
# fmt: off
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}
_ONES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9,
}
NUMBERS = _TENS | _ONES | {
    "zero": 0, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}
# Units that are written without a space after their number.
UNITS = (
    "mg|mcg|µg|μg|kg|g|ml|mL|l|L|mm|cm|km|m|nm|Gy|cGy|Sv|mSv|ms|min|h|hr|hrs|s|Hz|kHz|"
    "MHz|GHz|kB|MB|GB|V|A|W|N|Nm|rad|C|F|K|x"
)
# fmt: on
_MODAL_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}
_ENDINGS = frozenset({"", "e", "y", "d", "ed", "ing", "ying", "ied"})
_DOUBLED = frozenset({"ed", "ing"})
_EDGES = frozenset(",;:()[]{}\u2013\u2014")
_BOUNDS = frozenset("<>≤≥±~≈")
_SIGNS = frozenset("[]{}@#&/\\^")
_SYMBOLS = {"%": Token(Kind.WORD, "percent"), ";": Token(Kind.LINK, ";")}

_READ = re2.compile(
    rf"(?i)\b(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_ONES)})\b"  # twenty-five
    r"|[\pL\pN](?:[\pL\pN\pM]|'[\pL\pN]|[.,:/_-][\pL\pN])*"  # a word or figure
    r"|[\p{Sm}\p{Sc}%‰°;-]"  # a symbol
    r"|[][{}@#&/\\^]+"  # a sign that is spoken of, where it stands alone
)
_NUMBER = re2.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re2.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WITH_UNIT = re2.compile(rf"(\d+(?:[.,]\d+)*)({UNITS})")
_PIECE = re2.compile(r"[^-:/_]+")
_SO = frozenset({"so", "So"})
_SO_DEGREE = re2.compile(r"(?i)\s+(?:(that)|as|much|many|far|few|long|little|called)\b")


def tokens(text: str) -> Row:
    """The tokens of a folded text, in order, words of grammar left out.

    Those of a sentence are kept for the next question about it.
    """
    return _kept(text) if len(text) <= LONGEST_KEPT else _read(text)


@lru_cache(maxsize=KEPT)
def _kept(text: str) -> Row:
    return _read(text)


def _read(text: str) -> Row:
    row: list[Token] = []
    lead: tuple[str, ...] = ()
    before = sign = ""
    read, edge = 0, ""
    text = turned(text)
    for match in _READ.finditer(text):
        start, end = match.span()
        run = text[start:end]
        edge += "".join(mark for mark in text[read:start] if mark in _EDGES)
        read = end
        if not run[0].isalnum():
            sign = _sign(text, start, run)
            alone = _stands_alone(text, start, end)
            found = [] if sign else list(_symbol(run, alone=alone))
        elif run in _SO and (joint := _joint(text, end, opens=bool(edge) or not row)):
            found = [Token(Kind.LINK, joint)]
        else:
            found = list(_run(text, start, run, before, sign))
            before, sign = run.lower(), ""
        if found:
            found[0] = replace(found[0], edge=edge, lead=lead, word=run.lower())
            edge, lead = "", ()
        elif run[0].isalnum():
            lead = (*lead, run.lower())
        row += found
    return tuple(row)


def marks(row: Row) -> Counter[Token]:
    """The negations, modal verbs and qualifiers of a row, counted."""
    return Counter(token for token in row if token.kind in MARKS)


def _sign(text: str, at: int, symbol: str) -> str:
    """ "-" where the symbol makes the number after it negative, else nothing."""
    if symbol != "-" or at + 1 >= len(text) or not text[at + 1].isnumeric():
        return ""
    return "-" if at == 0 or not text[at - 1].isalnum() else ""


def _joint(text: str, end: int, *, opens: bool) -> str:
    """What a "so" that ends at `end` joins: a purpose, a consequence, or nothing."""
    degree = _SO_DEGREE.match(text, end)
    if degree is None:
        return "so" if opens else ""
    return "so that" if degree.group(1) else ""


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether white space or code marks stand on both sides."""
    around = text[start - 1 : start] if start else "", text[end : end + 1]
    return all(not mark.strip("`'\" ") for mark in around)


def _symbol(symbol: str, *, alone: bool) -> Iterator[Token]:
    if symbol[0] in _SIGNS:
        if alone:
            yield Token(Kind.NAME, symbol)
    elif symbol in _SYMBOLS:
        yield _SYMBOLS[symbol]
    elif symbol in _BOUNDS:
        yield Token(Kind.QUALIFIER, symbol)
    elif symbol not in "-|":
        yield Token(Kind.WORD, symbol)


def _run(text: str, at: int, run: str, before: str, sign: str) -> Iterator[Token]:
    """The tokens of a run of letters and digits; `before` is the run before it."""
    if len(run) == 1 and _is_label(text, at):
        yield Token(Kind.NAME, run.casefold())
    elif any(character.isnumeric() for character in run):
        yield from _figure(run, sign)
    elif (composed := _composed(run)) is not None:
        yield composed
    else:
        yield from _words(run, before)


def _composed(run: str) -> Token | None:
    tens, _, ones = run.lower().replace(" ", "-").partition("-")
    if tens not in _TENS or ones not in _ONES:
        return None
    return Token(Kind.NUMBER, str(_TENS[tens] + _ONES[ones]))


def _is_label(text: str, at: int) -> bool:
    """Whether one letter names something: (a), hepatitis A, vitamin C; no article."""
    if not text[at].isalpha():
        return False
    article = text[at] in "aA" and (at == 0 or text[at] == "a")
    return not article or (at > 0 and text[at - 1] == "(")


def _figure(run: str, sign: str) -> Iterator[Token]:
    """A run that holds a digit, in its pieces: 5-FU, 10mg, 2024-03-01, mg/m²."""
    for match in _PIECE.finditer(run):
        for part in _between_commas(match.group()):
            measured = _WITH_UNIT.fullmatch(part)
            if _NUMBER.fullmatch(part):
                yield Token(Kind.NUMBER, sign + _plain(part))
            elif measured:
                yield Token(Kind.NUMBER, sign + _plain(measured.group(1)))
                yield from _word(measured.group(2).casefold())
            elif any(character.isnumeric() for character in part):
                yield Token(Kind.NAME, sign + part.casefold())
            else:
                yield from _words(part, "")
            sign = ""


def _between_commas(part: str) -> list[str]:
    """The piece itself where its commas belong to a number, else what they separate."""
    return [part] if "," not in part or _NUMBER.match(part) else part.split(",")


def _plain(number: str) -> str:
    """The number without thousands separators, where these are beyond doubt."""
    return number.replace(",", "") if _GROUPED.fullmatch(number) else number


def _words(run: str, before: str) -> Iterator[Token]:
    low = run.casefold()
    if low == "to" and before in {"have", "has", "had"}:
        yield Token(Kind.MODAL, "have to")
        return
    if low in _SILENT:
        if run.isupper() and len(run) > 1:  # WHO is not "who"
            yield Token(Kind.WORD, low)
        return
    if low.isalpha():
        yield from _word(low)
        return
    for match in _PIECE.finditer(low):
        for word in match.group().replace(",", ".").split("."):
            if word:
                yield from _word(word)


def _word(word: str) -> Iterator[Token]:
    if word.endswith("n't"):
        yield from _word(_MODAL_BEFORE_NOT.get(word[:-3], word[:-3]))
        yield Token(Kind.NEGATION, "not")
    elif word == "cannot":
        yield from (Token(Kind.MODAL, "can"), Token(Kind.NEGATION, "not"))
    elif word in NUMBERS:
        yield Token(Kind.NUMBER, str(NUMBERS[word]))
    elif word in _KINDS:
        yield Token(_KINDS[word], SAME.get(word, word))
    elif len(word) == 1:
        yield Token(Kind.NAME, word)
    elif word not in _SILENT:
        word = spelled(word.removesuffix("'s"))
        yield Token(Kind.WORD, _inflected(SAME.get(word, word)))


@lru_cache(maxsize=16_384)
def _inflected(word: str) -> str:
    """What the forms of one word share: its stem, but not that of related words.

    The stemmer takes "hepatitis" and "hepatic" for one word; only endings of number
    and tense are trusted to leave the meaning alone.
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
