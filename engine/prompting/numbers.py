"""The numbers of sentences in a model's reply, in whatever form it wrote.

JSON, a bare list, a line such as "Sentence 3 and sentence 5." or "Answer: 4", or
markers in prose: [1], [1,2], [1-3], 【1】, and (1) at the end of a sentence, outside
quotation marks. A year, a dose or a numbered step is none. Where JSON has a key for
sentences or numbers, only numbers under it count. All else is discarded, and only
counted. Linear in the length of the text.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import re2

LONGEST = 20_000  # characters that are read; a draft has a few thousand
MOST_BRACKETS = 500  # in JSON: the parser is recursive
LONGEST_NUMBER = 9  # digits; no sentence has a longer one
LONGEST_RANGE = 50  # numbers in [1-9]; a longer or a reversed one names its ends
UNKNOWN = 0  # replaces a number that no sentence can have
BEGIN_THOUGHT, END_THOUGHT = "<think>", "</think>"  # before the answer of some models

# Keys of JSON without numbers of sentences.
_BESIDE = frozenset({"heading", "not_found", "status", "texts"})
# Where there is one of these keys, only numbers under it count; the plural precedes.
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
    """The numbers named, each once and in order, and the count of words beside them.

    They are as the model gave them: the caller checks whether one was offered.
    """

    named: tuple[int, ...]
    discarded: int


def read_numbers(text: str) -> Numbers:
    """Read the numbers in a model's text; never raises.

    Reasoning before the answer is not read.
    """
    text = _replace_surrogates(text[:LONGEST])
    text = text.rpartition(END_THOUGHT)[2].partition(BEGIN_THOUGHT)[0]
    taken = _Taken()
    if not _take_json(text, taken):
        taken = _Taken()
        taken.take_text(text)
    return Numbers(tuple(taken.named), taken.words)


class _Taken:
    """The numbers taken so far, and the count of the words left."""

    def __init__(self) -> None:
        self.named: dict[int, None] = {}
        self.words = 0

    def take_text(self, text: str) -> None:
        """Take the numbers of prose, line by line."""
        for line in text.splitlines():
            if _LIST.fullmatch(line):
                self.named.update(dict.fromkeys(_expand_list(line)))
                continue
            said = str(_QUOTED.sub(r"\1 ", line))
            self.words += _count_words(line) - _count_words(said)
            done = 0
            for match in _find_markers(said):
                start, end = match.span()
                listed = _expand_list(match.group(1) or match.group(2))
                self.named.update(dict.fromkeys(listed))
                self.words += _count_words(said[done:start])
                done = end
            self.words += _count_words(said[done:])

    def take_value(self, value: object) -> None:
        """Take the whole numbers of JSON, and those of its texts."""
        left = [value]
        while left:
            each = left.pop()
            if isinstance(each, dict):
                named = _select_values(each, _ONE) or _select_values(each, each.keys())
                left += reversed(named)
            elif isinstance(each, list):
                left += reversed(each)
            elif isinstance(each, str):
                self.take_text(_replace_surrogates(each))
            elif isinstance(each, int) and not isinstance(each, bool):
                known = 0 < each < 10**LONGEST_NUMBER
                self.named[each if known else UNKNOWN] = None


def _take_json(text: str, taken: _Taken) -> bool:
    """Take the numbers of JSON, alone or between words; return whether there are any.

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
    whole_, picked = _Taken(), _find_values(found, _MANY) or _find_values(found, _ONE)
    whole_.take_value(found)
    taken.take_value(picked or found)
    taken.words = (
        whole_.words + _count_words(text[:start]) + _count_words(text[end + 1 :])
    )
    return bool(picked or taken.named)


def _find_values(value: object, names: Collection[str]) -> list[object]:
    """Return the values under keys of these names, wherever in JSON, in its order."""
    found: list[object] = []
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            named = _select_values(each, names)
            found += named
            left += [] if named else reversed(_select_values(each, each.keys()))
        elif isinstance(each, list):
            left += reversed(each)
    return found


def _select_values(held: dict[str, object], names: Collection[str]) -> list[object]:
    """Return the values of an object under keys of these names."""
    wanted = {name.casefold() for name in names} - _BESIDE
    return [value for name, value in held.items() if name.casefold() in wanted]


def _replace_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can contain."""
    return text.encode("utf-8", "replace").decode()


def _find_markers(line: str) -> list[re2._Match]:
    """Return the markers of a line that name sentences: [1], and (1) at a sentence's
    end.
    """
    found: list[re2._Match] = []
    run: list[re2._Match] = []  # of "(1)(2)" each counts where any of them does
    for match in _MARKER.finditer(line):
        squared = match.group(1) is not None
        if squared or (run and line[run[-1].end() : match.start()].strip()):
            found += run if _is_at_end(line, run) else []
            run = []
        (found if squared else run).append(match)
    return [*found, *(run if _is_at_end(line, run) else [])]


def _is_at_end(line: str, run: Sequence[re2._Match]) -> bool:
    return any(_ends_sentence(line, *match.span()) for match in run)


def _ends_sentence(line: str, start: int, end: int) -> bool:
    """Return whether (1) is at the end of a sentence: before its stop or behind it."""
    if line[start - 2 : start - 1] in _STOPS and line[start - 1 : start] == " ":
        return True
    behind = line[end : end + _NEAR].lstrip(" ")
    after = behind.lstrip(_CLOSERS)
    return not after or (behind[0] in _STOPS and after[0].isspace())


def _count_words(text: str) -> int:
    """Count the words of a text: runs between spaces with a letter or digit."""
    return sum(any(c.isalnum() for c in word) for word in text.split())


def _expand_list(numbers: str) -> Iterator[int]:
    """Yield the numbers of a list; of a long or reversed range only its ends."""
    for match in _RANGE.finditer(numbers):
        if match.group(3):
            yield _parse_number(match.group(3))
            continue
        first, last = _parse_number(match.group(1)), _parse_number(match.group(2))
        short = first <= last < first + LONGEST_RANGE
        yield from range(first, last + 1) if short else (first, last)


def _parse_number(digits: str) -> int:
    return int(digits) if len(digits) <= LONGEST_NUMBER else UNKNOWN
