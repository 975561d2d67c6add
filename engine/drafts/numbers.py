"""The numbers of sentences in what a model wrote, in whatever form it wrote (R-V2).

JSON, a bare list, or markers in prose: [1], [1,2], [1-3], 【1】, and (1) at the end of
a sentence, outside quotation marks. A year, a dose or a numbered step is none. All else
is discarded, and only counted. Linear in the length of the text (R-V8).
"""

import json
from collections.abc import Iterator
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
_LIST = re2.compile(
    r"(?i)\s*(?:[-*\x{2022}]\s+)?(?:(?:sentences?|numbers?)\s*[:=])?"
    rf"\s*[\[(]?\s*\d+(?:(?:{_JOIN}|\s+)\d+)*\s*[\])]?\s*[.,;]?\s*"
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
    """The numbers in a model's text; never raises, whatever it wrote.

    What it thought before its answer is not read.
    """
    text = _whole(text[:LONGEST])
    text = text.rpartition(END_THOUGHT)[2].partition(BEGIN_THOUGHT)[0]
    taken = _Taken()
    if not (_from_json(text, taken) and taken.named):
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
            for match in _MARKER.finditer(said):
                start, end = match.span()
                if match.group(1) or _closes(said, start, end):
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
                held = [v for name, v in each.items() if name not in _BESIDE]
                left += reversed(held)
            elif isinstance(each, list):
                left += reversed(each)
            elif isinstance(each, str):
                self.text(_whole(each))
            elif isinstance(each, int) and not isinstance(each, bool):
                known = 0 < each < 10**LONGEST_NUMBER
                self.named[each if known else UNKNOWN] = None


def _from_json(text: str, taken: _Taken) -> bool:
    """Whether a text is JSON, alone or between words, which are counted."""
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
    taken.value(found)
    taken.words += _words(text[:start]) + _words(text[end + 1 :])
    return True


def _whole(text: str) -> str:
    """A text without halves of characters, which JSON can name."""
    return text.encode("utf-8", "replace").decode()


def _closes(line: str, start: int, end: int) -> bool:
    """Whether (1) stands where a sentence ends: before its stop or behind it."""
    if line[start - 2 : start - 1] in _STOPS and line[start - 1 : start] == " ":
        return True
    behind = line[end : end + _NEAR].lstrip(" ")
    after = behind.lstrip(_CLOSERS)
    return not after or (behind[0] in _STOPS and after[0].isspace())


def _words(text: str) -> int:
    """How many words stand in a text: runs between spaces that are no mere marks."""
    return sum(any(c.isalnum() for c in word) for word in text.split())


def _listed(numbers: str) -> Iterator[int]:
    """The numbers of a list; a range that is too long or reversed names its ends."""
    for match in _RANGE.finditer(numbers):
        if match.group(3):
            yield _number(match.group(3))
            continue
        first, last = _number(match.group(1)), _number(match.group(2))
        short = first <= last < first + LONGEST_RANGE
        yield from range(first, last + 1) if short else (first, last)


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= LONGEST_NUMBER else UNKNOWN
