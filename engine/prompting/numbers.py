"""The numbers of sentences in what a model wrote, in whatever form it wrote.

JSON, a bare list, a line such as "Sentence 3 and sentence 5." or "Answer: 4", or
markers in prose: [1], [1,2], [1-3], 【1】, and (1) at the end of a sentence, outside
quotation marks. A year, a dose or a numbered step is none. Where JSON has a key for
sentences or numbers, nothing else of it names any. All else is discarded, and only
counted. Linear in the length of the text.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import re2

LONGEST = 20_000  # characters that are read; a draft has a few thousand
MOST_BRACKETS = 500  # in JSON: what reads it goes down one by one
LONGEST_NUMBER = 9  # digits; no sentence has a longer one
LONGEST_RANGE = 50  # numbers in [1-9]; a longer or a reversed one names its ends
UNKNOWN = 0  # stands for a number that no sentence can have
BEGIN_THOUGHT, END_THOUGHT = "<think>", "</think>"  # before the answer of some models

# Keys of JSON under which no sentence is named.
_BESIDE = frozenset({"heading", "not_found", "status", "texts"})
# Keys under which alone they are named, where there is one; of each pair, the first.
_MANY, _ONE = frozenset({"sentences", "numbers"}), frozenset({"sentence", "number"})

_JOIN = r"\s*(?:,|;|&|and\b|-|\x{2013}|\x{2014})\s*"
_NUMBERS = rf"\d{{1,{LONGEST_NUMBER}}}(?:{_JOIN}\d{{1,{LONGEST_NUMBER}}})*"
# [1], [^1], [Source 1], 【1†source】; or (1), which counts where a sentence ends.
_MARKER = re2.compile(
    rf"(?i)[\[\x{{3010}}]\s*\^?\s*(?:sources?|sentences?|refs?\.?)?\s*:?\s*({_NUMBERS})"
    r"\s*(?:\x{2020}[^\]\x{3011}\n]{0,60})?[\]\x{3011}]"
    r"|\((\d{1,3}(?:\s*[,;-]\s*\d{1,3})*)\)"
)
_STOPS = frozenset(".!?")
_CLOSERS = ".!?\"'\u201d\u2019)"
_NEAR = 20  # characters behind (1) that are looked at
_NAME = r"(?:(?:sentences?|numbers?)\s*[:=]?\s*)?"
_LIST = re2.compile(
    r"(?i)\s*(?:[-*\x{2022}]\s+)?"
    r"[*_]*(?:(?:the\s+)?(?:final\s+)?answers?\s*(?:[:=]|\s(?:is|are)\b\s*:?)[*_]*)?"
    rf"\s*{_NAME}[\[(]?\s*\d+(?:(?:{_JOIN}|\s+){_NAME}\d+)*\s*[\])]?\s*[.,;]?\s*"
)
_RANGE = re2.compile(r"(\d+)\s*[-\x{2013}\x{2014}]\s*(\d+)|(\d+)")
_QUOTED = re2.compile(
    r"(^|[\s(])(?:\"[^\"\n]*\"|\x{201c}[^\x{201d}\n]*\x{201d}|\x{ab}[^\x{bb}\n]*\x{bb}"
    r"|\x{201e}[^\x{201c}\x{201d}\n]*[\x{201c}\x{201d}])"
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers named, each once and in order, and how many words stand beside them.

    They are as the model gave them: whether one was offered is the caller's to ask.
    """

    named: tuple[int, ...]
    discarded: int


def read(text: str) -> Numbers:
    """Return the numbers in a model's text; never raises, whatever it wrote.

    What it thought before its answer is not read.
    """
    text = _whole(text[:LONGEST])
    text = text.rpartition(END_THOUGHT)[2].partition(BEGIN_THOUGHT)[0]
    taken = _Taken()
    if not _from_json(text, taken):
        taken = _Taken()
        taken.text(text)
    return Numbers(tuple(taken.named), taken.words)


class _Taken:
    """The numbers taken so far, and the words left."""

    def __init__(self) -> None:
        self.named: dict[int, None] = {}
        self.words = 0

    def text(self, text: str) -> None:
        """Take the numbers of prose, line by line."""
        for line in text.splitlines():
            if _LIST.fullmatch(line):
                self.named.update(dict.fromkeys(_listed(line)))
                continue
            said = str(_QUOTED.sub(r"\1 ", line))
            self.words += _words(line) - _words(said)
            done = 0
            for match in _closing(said):
                start, end = match.span()
                listed = _listed(match.group(1) or match.group(2))
                self.named.update(dict.fromkeys(listed))
                self.words += _words(said[done:start])
                done = end
            self.words += _words(said[done:])

    def value(self, value: object) -> None:
        """Take the whole numbers of JSON, and those of its texts."""
        left = [value]
        while left:
            each = left.pop()
            if isinstance(each, dict):
                named = _keyed(each, _ONE) or _keyed(each, each.keys())
                left += reversed(named)
            elif isinstance(each, list):
                left += reversed(each)
            elif isinstance(each, str):
                self.text(_whole(each))
            elif isinstance(each, int) and not isinstance(each, bool):
                known = 0 < each < 10**LONGEST_NUMBER
                self.named[each if known else UNKNOWN] = None


def _from_json(text: str, taken: _Taken) -> bool:
    """Return whether JSON, alone or between words, says which sentences are named.

    The words of its texts are counted, and those around it.
    """
    whole = text.strip()
    listed = whole.startswith("[") and whole.endswith("]")
    start, end = text.find("["), text.rfind("]")
    if not listed:
        start, end = text.find("{"), text.rfind("}")
    brackets = sum(text.count(bracket) for bracket in "[{")
    if not 0 <= start < end or brackets > MOST_BRACKETS:
        return False
    try:
        found = json.loads(text[start : end + 1], strict=False)
    except ValueError:
        return False
    whole_, picked = _Taken(), _under(found, _MANY) or _under(found, _ONE)
    whole_.value(found)
    taken.value(picked or found)
    taken.words = whole_.words + _words(text[:start]) + _words(text[end + 1 :])
    return bool(picked or taken.named)


def _under(value: object, names: Collection[str]) -> list[object]:
    """Return what stands under keys of these names, wherever in JSON, in its order."""
    found: list[object] = []
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            named = _keyed(each, names)
            found += named
            left += [] if named else reversed(_keyed(each, each.keys()))
        elif isinstance(each, list):
            left += reversed(each)
    return found


def _keyed(held: dict[str, object], names: Collection[str]) -> list[object]:
    """Return the values of an object under keys of these names, where sentences may
    be.
    """
    wanted = {name.casefold() for name in names} - _BESIDE
    return [value for name, value in held.items() if name.casefold() in wanted]


def _whole(text: str) -> str:
    """Return a text without halves of characters, which JSON can name."""
    return text.encode("utf-8", "replace").decode()


def _closing(line: str) -> list[re2._Match]:
    """Return the markers of a line that name sentences: [1], and (1) where a sentence
    ends.
    """
    found: list[re2._Match] = []
    run: list[re2._Match] = []  # of "(1)(2)" each counts where any of them does
    for match in _MARKER.finditer(line):
        squared = match.group(1) is not None
        if squared or (run and line[run[-1].end() : match.start()].strip()):
            found += run if _ends(line, run) else []
            run = []
        (found if squared else run).append(match)
    return [*found, *(run if _ends(line, run) else [])]


def _ends(line: str, run: Sequence[re2._Match]) -> bool:
    return any(_closes(line, *match.span()) for match in run)


def _closes(line: str, start: int, end: int) -> bool:
    """Return whether (1) stands where a sentence ends: before its stop or behind it."""
    if line[start - 2 : start - 1] in _STOPS and line[start - 1 : start] == " ":
        return True
    behind = line[end : end + _NEAR].lstrip(" ")
    after = behind.lstrip(_CLOSERS)
    return not after or (behind[0] in _STOPS and after[0].isspace())


def _words(text: str) -> int:
    """Return how many words stand in a text: runs between spaces that are no mere
    marks.
    """
    return sum(any(c.isalnum() for c in word) for word in text.split())


def _listed(numbers: str) -> Iterator[int]:
    """Yield the numbers of a list; a range that is too long or reversed names its
    ends.
    """
    for match in _RANGE.finditer(numbers):
        if match.group(3):
            yield _number(match.group(3))
            continue
        first, last = _number(match.group(1)), _number(match.group(2))
        short = first <= last < first + LONGEST_RANGE
        yield from range(first, last + 1) if short else (first, last)


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= LONGEST_NUMBER else UNKNOWN
