"""The question as relevance sees it: content words with weights and tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import numpy as np
import re2

from engine.lexicon import STOPWORDS, stems, words
from engine.ports import CorpusStatistics, Encoded

# A word, inner - ' . _ / included; a command-line flag is one too.
_WORD = re2.compile(r"(?:\B--?)?[\pL\pN]+(?:[-'\x{2019}._/][\pL\pN]+)*")
_CONTRACTION = re2.compile(r"(?i)(?:n['\x{2019}]t|['\x{2019}](?:s|re|ve|ll|d|m))$")

# Words that shape a question and say nothing of its subject: they must not open a gate.
_QUESTION_WORDS = """
    many much long often far old shall tell give list show explain describe know mean
    means meaning difference between better best worse good bad way ways thing things
    kind kinds type types use used uses using got need needs needed happen happens work
    works want wants make makes made someone somebody something anything help helps say
    says possible common main example examples exactly actually really still first
    second two could hi hello hey thanks thank ok okay sure able there
"""
QUESTION_WORDS = frozenset(_QUESTION_WORDS.split())
RARE = 0.5  # weight of a word of at most about one passage in a hundred
PROPER = 1.3  # a name, identifier or number weighs this much more than a plain word
SUBJECT = 0.15  # what a word weighs less that every document of a pack speaks of


@dataclass(frozen=True, slots=True)
class Word:
    """One content word of the question.

    `rarity` is how rare it is in English at large, in [0, 1]; `weight` is that, raised
    for names and lowered for what every document of the pack speaks of. `frequency`
    counts the passages of the corpus that hold it. `forms` are the stem sequences that count as this word, its own first,
    then the glossary's; each is spaced (" stem stem "), to be looked for in spaced
    text. `tokens` are the rows of the encoded question that spell it.
    """

    text: str
    weight: float
    rarity: float
    frequency: int
    forms: tuple[str, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question with its content words and its encoding."""

    text: str
    words: tuple[Word, ...]
    encoded: Encoded

    @property
    def rare(self) -> tuple[str, ...]:
        """The words that few passages hold."""
        return tuple(word.text for word in self.words if word.weight >= RARE)


def spaced(found: list[str]) -> str:
    """Stems as one text in which " stem stem " can be looked for."""
    return f" {' '.join(found)} "


def _spans(text: str) -> list[tuple[int, int]]:
    """Spans of the words of a question; "node's" ends before the 's."""
    found = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        ending = _CONTRACTION.search(match.group())
        if ending:
            end = start + ending.start()
        if end > start:
            found.append((start, end))
    return found


def weight_of(frequency: int, chunks: int) -> float:
    """Inverse chunk frequency: 1 for an unknown word, 0 for a word of every chunk."""
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
    """Read the content words of `text`, of which `encoded` is the encoding."""
    found: dict[str, Word] = {}
    lefts, rights = encoded.spans[:, 0], encoded.spans[:, 1]
    for start, end in _spans(text):
        raw = text[start:end]
        own = stems(raw)
        plain = [
            w for w in words(raw) if w not in STOPWORDS and w not in QUESTION_WORDS
        ]
        key = spaced(own)
        if not plain or key in found or (len(raw) == 1 and not raw.isdigit()):
            continue
        meanings = glossary.get(raw.lower(), ())
        frequency = min(statistics.chunk_frequency.get(s, 0) for s in own)
        weight = weight_of(frequency, statistics.chunks)
        rows = np.flatnonzero((lefts < end) & (rights > start)).tolist()
        found[key] = Word(
            text=raw,
            weight=weight * (PROPER if _is_name(raw, start) else 1.0),
            frequency=frequency,
            forms=(key, *(spaced(stems(meaning)) for meaning in meanings)),
            tokens=tuple(rows),
        )
    return QuestionView(text=text, words=tuple(found.values()), encoded=encoded)
