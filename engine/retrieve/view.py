"""The question as relevance sees it: its content words with weights, and what kind of answer it expects."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import re2

from engine.lexicon import STOPWORDS, stem
from engine.ports import CorpusStatistics, Encoded

# A word, inner - ' . _ / included; a command-line flag is one too.
_WORD = re2.compile(r"(?:\B--?)?[\pL\pN]+(?:[-'’._/][\pL\pN]+)*")
_CONTRACTION = re2.compile(r"(?i)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$")

# Words that shape a question and say nothing of its subject: they must not open a gate.
QUESTION_WORDS = frozenset(
    """what which who whom whose when where why how many much long often far old is are
    was were do does did can could should would will may might must shall have has had
    there tell me please about explain describe give list name know mean means meaning
    difference between better best worse good bad way ways thing things kind kinds type
    types use used using get getting got need needs happen happens work works want make
    makes someone somebody something anything help helps say says possible common main
    example examples exactly actually really still ever also just like reason reasons
    first second one two""".split()
)

PROPER = 1.3  # a name, identifier or number weighs this much more than a plain word


@dataclass(frozen=True, slots=True)
class Word:
    """One content word of the question.

    `weight` is its inverse chunk frequency in the corpus, scaled to [0, 1]. `forms` are
    the stems that count as the same word (its own and the glossary's). `tokens` are the
    rows of the encoded question that spell it.
    """

    text: str
    stem: str
    weight: float
    frequency: int
    forms: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuestionView:
    text: str
    words: tuple[Word, ...]
    encoded: Encoded


def word_spans(text: str) -> list[tuple[int, int]]:
    """Code-point spans of the words of a text, in order; "node's" ends before the 's."""
    spans = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        if "'" in match.group() or "’" in match.group():
            ending = _CONTRACTION.search(match.group())
            if ending:
                end = start + ending.start()
        if end > start:
            spans.append((start, end))
    return spans


def _weight(frequency: int, chunks: int) -> float:
    """Inverse chunk frequency, 1 for a word of one chunk, 0 for a word of all."""
    if chunks <= 1:
        return 1.0
    return max(0.0, log((chunks + 1) / (frequency + 1)) / log(chunks + 1))


def _is_name(word: str, start: int) -> bool:
    """Whether a word of a question looks like a name, identifier, flag or number."""
    if any(c.isdigit() or c in "_/-" for c in word):
        return True
    return word[1:] != word[1:].lower() or (start > 0 and word[0].isupper())


def view(
    text: str,
    encoded: Encoded,
    statistics: CorpusStatistics,
    glossary: Mapping[str, tuple[str, ...]],
) -> QuestionView:
    """Read the content words of `text`; `encoded` must be the encoding of the same text."""
    words: list[Word] = []
    seen: set[str] = set()
    for start, end in word_spans(text):
        raw = text[start:end]
        low = raw.lower()
        root = stem(low)
        if low in STOPWORDS or low in QUESTION_WORDS or root in seen:
            continue
        if len(low) == 1 and not low.isdigit():
            continue
        seen.add(root)
        expansions = glossary.get(low, ())
        phrases = [tuple(stem(part) for part in e.lower().split()) for e in expansions]
        frequency = statistics.chunk_frequency.get(root, 0)
        words.append(
            Word(
                text=raw,
                stem=root,
                weight=_weight(frequency, statistics.chunks)
                * (PROPER if _is_name(raw, start) else 1.0),
                frequency=frequency,
                forms=frozenset({root, *(p[0] for p in phrases if len(p) == 1)}),
                phrases=tuple(p for p in phrases if len(p) > 1),
                tokens=tuple(
                    row
                    for row, (left, right) in enumerate(encoded.spans)
                    if left < end and right > start
                ),
            )
        )
    return QuestionView(text=text, words=tuple(words), encoded=encoded)
