"""Quotations of a served text, read a second time: independent of engine/validate.

A product and its evaluation that share a bug agree on it. So this reads quotation marks
with a parser of its own, folds presentation by itself (R-I7) and finds quotations in
passages without a line of the engine. Standard library alone.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# What a mark opens, and the marks that may close it.
PAIRS = {
    '"': '"',
    "\uff02": "\uff02",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u201f": "\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u203a": "\u2039",
    "\u300a": "\u300b",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u301d": "\u301e\u301f",
    "\u275d": "\u275e",
}
SINGLE = {
    "'": "'\u2019",
    "\u2018": "\u2019'",
    "\u201a": "\u2018\u2019",
    "\u275b": "\u275c",
}
_EVERY = frozenset("".join((*PAIRS, *PAIRS.values(), *SINGLE, *SINGLE.values())))
_SINGLE_CLOSERS = frozenset("".join(SINGLE.values()))
_BAR = re.compile(r"[ \t]{0,3}(?:[>\u2502\u2503\u258f] ?|\| )+")
_BULLET = re.compile(r"[ \t]*[\u2022\u25e6\u25aa] ")
_NUMBERS = re.compile(r"[ \t]*[.,;:]?[ \t]*((?:\[\d{1,3}(?:, \d{1,3})*\][ \t]*)+)")
_TRAILING = re.compile(r"[ \t]*((?:\[\d{1,3}(?:, \d{1,3})*\][ \t]*)+)\s*\Z")
_NUMBER = re.compile(r"\d+")
# Between runs of one quotation: its document says more there (R-A14).
OMITTED = "[\u2026]"
LONGEST = 4_000  # characters that a quotation in single marks may have
DEEPEST = 20  # quotations within quotations


@dataclass(frozen=True, slots=True)
class Quotation:
    """An outermost quotation at [start, end) of a served text.

    `inner` is what it quotes, without marks, bars and bullets; `numbers` are the
    citation numbers that stand right behind it.
    """

    start: int
    end: int
    inner: str
    numbers: tuple[int, ...] = ()
    block: bool = False


def runs(quotation: str) -> tuple[str, ...]:
    """The verbatim runs of a quotation: what stands between its marks `OMITTED`."""
    parts = (part.strip() for part in quotation.split(OMITTED))
    return tuple(part for part in parts if part)


# --- reading ----------------------------------------------------------------------


def quotations(text: str) -> tuple[Quotation, ...]:
    """The outermost quotations of a text, in order.

    Every pair of PAIRS and SINGLE, nested and over several lines, and runs of lines
    that begin with a bar or ">". A double mark that nothing closes quotes up to the
    end of its text: fail closed. An apostrophe opens nothing.
    """
    found: list[Quotation] = []
    for start, end, block in _runs(text):
        if block:
            found.append(_block(text, start, end))
        else:
            found += _marked(text, start, end)
    return tuple(found)


def _runs(text: str) -> Iterator[tuple[int, int, bool]]:
    """Stretches of whole lines that are, or are not, a block quotation."""
    start, at, kind = 0, 0, False
    for line in text.splitlines(keepends=True):
        barred = _BAR.match(line) is not None
        if barred is not kind:
            if at > start:
                yield start, at, kind
            start, kind = at, barred
        at += len(line)
    if at > start:
        yield start, at, kind


def _block(text: str, start: int, end: int) -> Quotation:
    inner = unbarred(text[start:end]).strip()
    behind = _TRAILING.search(inner)
    if behind is None:
        return Quotation(start, end, inner, block=True)
    return Quotation(start, end, inner[: behind.start()], _read(behind), block=True)


def unbarred(text: str) -> str:
    """The text without the bars, and the bullets behind them, of block quotations."""
    return "".join(_bare(line) for line in text.splitlines(keepends=True))


def _bare(line: str) -> str:
    bar = _BAR.match(line)
    if bar is None:
        return line
    line = line[bar.end() :]
    bullet = _BULLET.match(line)
    return line[bullet.end() :] if bullet else line


def _marked(text: str, start: int, end: int) -> Iterator[Quotation]:
    """One pass with a stack; what stays open at its end is a single mark or a quote."""
    at = start
    while at < end:
        mark = text[at]
        if mark in _EVERY and _opens(text, at):
            close = _closing(text, at, end)
            if close is not None:
                behind = _NUMBERS.match(text, close + 1, end)
                inner = text[at + 1 : close]
                yield Quotation(at, close + 1, inner, _read(behind))
                at = close
            elif mark in PAIRS:
                yield Quotation(at, end, text[at + 1 : end])
                return
        at += 1


def _read(behind: re.Match[str] | None) -> tuple[int, ...]:
    if behind is None:
        return ()
    return tuple(int(number) for number in _NUMBER.findall(behind.group(1)))


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] in SINGLE:
        return not before.isalnum() and bool(after) and not after.isspace()
    inch = text[at] == '"' and before.isdecimal() and not after.isalnum()
    return text[at] in PAIRS and not inch


def _closing(text: str, opened: int, end: int) -> int | None:
    """Where the quotation that opens at `opened` closes, balanced; None: nowhere.

    A plural's apostrophe ("the patients' pain") looks like a closing single mark: the
    quotation goes on to the next one where nothing opens in between.
    """
    if text[opened] in SINGLE:
        stop = text.find("\n\n", opened, end)
        stop = end if stop < 0 else stop
        return _closing_single(text, opened, min(stop, opened + LONGEST))
    stack = [PAIRS[text[opened]]]
    for at in range(opened + 1, end):
        mark = text[at]
        if mark not in _EVERY or mark in SINGLE or mark in _SINGLE_CLOSERS:
            continue
        depth = next((d for d in reversed(range(len(stack))) if mark in stack[d]), None)
        if depth is not None:
            del stack[depth:]
            if not stack:
                return at
        elif len(stack) < DEEPEST and _opens(text, at):
            stack.append(PAIRS[mark])
    return None


def _closing_single(text: str, opened: int, end: int) -> int | None:
    closers, found = SINGLE[text[opened]], None
    for at in range(opened + 1, end):
        mark = text[at]
        if mark not in _EVERY:
            continue
        if mark in closers and _shuts(text, at):
            found = at
            if text[at - 1] not in "sS":
                return found
        elif found is not None and _opens(text, at):
            return found
    return found


def _shuts(text: str, at: int) -> bool:
    after = text[at + 1 : at + 2]
    return not text[at - 1].isspace() and not after.isalnum()


# --- folding ----------------------------------------------------------------------

_FOLDS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict(zip("\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06",
               ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
}  # fmt: skip
_SPECIAL = re.compile(
    r"\u00ad[ \t]*(?:\n\s*)?"  # a soft hyphen, with the line end behind it
    r"|[ ]?[^\S ][\s\u200b-\u200d\u2060\ufeff]*|[ ]{2,}\s*"  # white space
    r"|\u2212(?=\d)"  # a minus sign
    rf"|[{''.join(_FOLDS)}]"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with its presentation folded, and the way back to its offsets."""

    text: str
    _folded: tuple[int, ...]
    _original: tuple[int, ...]

    def origin(self, at: int) -> int:
        """The offset in the original text that the character at `at` came from."""
        run = bisect_right(self._folded, at) - 1
        return self._original[run] + at - self._folded[run]


@lru_cache(maxsize=8_192)
def fold(text: str) -> Folded:
    """Fold what a reader cannot see (R-I7): marks, white space, ligatures, composition.

    Words, digits, case, dashes, superscripts and look-alike letters stay as they are.
    """
    if not unicodedata.is_normalized("NFC", text):
        return _composed(text)
    pieces: list[str] = []
    folded, original = [0], [0]
    done = length = 0
    for match in _SPECIAL.finditer(text):
        start, end = match.span()
        put = _put(match.group())
        pieces += (text[done:start], put)
        length += start - done
        folded += (length, length + len(put))
        original += (start, end)
        length += len(put)
        done = end
    pieces.append(text[done:])
    return Folded("".join(pieces), tuple(folded), tuple(original))


def _put(special: str) -> str:
    if special[0].isspace():
        return " "
    if special[0] == "\u00ad":
        return ""
    return "-" if special == "\u2212" else _FOLDS[special]


def _composed(text: str) -> Folded:
    """The rare text with letters that are not composed: letter by letter."""
    starts = [at for at, c in enumerate(text) if not at or not unicodedata.combining(c)]
    pieces: list[str] = []
    back: list[int] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        letter = unicodedata.normalize("NFC", text[start:end])
        pieces.append(letter)
        back += [start] * len(letter)
    inner = fold("".join(pieces))
    back.append(len(text))
    points = [inner.origin(at) for at in range(len(inner.text) + 1)]
    whole = tuple(range(len(inner.text) + 1))
    return Folded(inner.text, whole, tuple(back[min(p, len(text))] for p in points))


# --- finding ----------------------------------------------------------------------

_INSIDE = frozenset("-'.,:/@&+\u00b7\u2013\u2044")
_BEFORE_FIGURE = frozenset("-\u2212+\u00b1<>\u2264\u2265~\u2248=$\u20ac\u00a3#")
_BEHIND_FIGURE = frozenset("%\u2030\u00b0")


def find(quotation: str, text: str) -> tuple[int, int] | None:
    """The first of `finds`; None where there is none."""
    return next(finds(quotation, text), None)


def finds(quotation: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a quotation stands in a text, word for word after folding.

    It may begin and end only outside words and figures: "5 mg" does not stand in
    "15 mg", nor "do" in "don't".

    Yields:
        Offsets into `text` as it is, the end exclusive.
    """
    wanted, held = fold(quotation).text.strip(), fold(text)
    if not any(character.isalnum() for character in wanted):
        return
    at = held.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if is_edge(held.text, at) and is_edge(held.text, end):
            yield held.origin(at), held.origin(end - 1) + 1
        at = held.text.find(wanted, at + 1)


def stands(quotation: str, text: str) -> bool:
    """Whether a quotation stands in a text, also over a hyphen at a line end."""
    if find(quotation, text) is not None:
        return True
    return any(
        find(_joined(quotation, mark), _joined(text, mark)) is not None
        for mark in ("", "-")
        if "-\n" in text or "-\n" in quotation
    )


def _joined(text: str, mark: str) -> str:
    return re.sub(r"[-\u2010][ \t]*\n\s*", mark, text)


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
