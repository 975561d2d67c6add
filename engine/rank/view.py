"""The question in the form to measure: content words with weights and tokens."""

from dataclasses import dataclass

import numpy as np
import re2

from engine.model.ports import CorpusStatistics, Encoded
from engine.model.question import Intent
from engine.policy.records import RetrievalRules
from engine.text import english
from engine.text.background import weigh
from engine.text.words import stems, words

# A word, inner - ' . _ / & included; a command-line flag is one too.
_WORD = re2.compile(r"(?:\B--?)?[\pL\pN]+(?:[-'\x{2019}._/&][\pL\pN]+)*")
_CONTRACTION = re2.compile(r"(?i)(?:n['\x{2019}]t|['\x{2019}](?:s|re|ve|ll|d|m))$")

PROPER = 1.3  # a name, identifier or number weighs this much more than a plain word
SUBJECT = 0.15  # the factor of a word that every document of a pack has


@dataclass(frozen=True, slots=True)
class Word:
    """One content word of the question.

    `rarity` is its rarity in English at large, in [0, 1]; `weight` is that, raised for
    names and lowered for a `subject`, which every document of the pack is about.
    `frequency` counts the passages of the corpus that hold it. `forms` are the stem
    sequences that count as this word, its own first, then the glossary's; each is
    spaced (" stem stem "), to be looked for in spaced text. `tokens` are the rows of
    the encoded question that spell it.
    """

    text: str
    weight: float
    rarity: float
    subject: bool
    frequency: int
    forms: tuple[str, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question with its content words and its encoding."""

    text: str
    words: tuple[Word, ...]
    encoded: Encoded


def join_stems(found: list[str]) -> str:
    """Join stems to a text in which " stem stem " can be looked for."""
    return f" {' '.join(found)} "


def _find_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words of a question; "node's" ends before the 's."""
    found = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        ending = _CONTRACTION.search(match.group())
        if ending:
            end = start + ending.start()
        if end > start:
            found.append((start, end))
    return found


def _is_name(word: str, start: int) -> bool:
    """Return whether a word of a question looks like a name, identifier, flag or
    number.
    """
    if any(c.isdigit() or c in "_/-" for c in word):
        return True
    return word[1:] != word[1:].lower() or (start > 0 and word[0].isupper())


def make_view(
    intent: Intent,
    encoded: Encoded,
    statistics: CorpusStatistics,
    rules: RetrievalRules,
) -> QuestionView:
    """Read the content words of a question, of which `encoded` is the encoding.

    A meaning that the glossary put beside an everyday word is another form of it.
    """
    text = intent.text
    found: dict[str, Word] = {}
    lefts, rights = encoded.spans[:, 0], encoded.spans[:, 1]
    empty = english.words("stop", "shaping")
    subject = {stem for word in rules.subject for stem in stems(word)}
    glosses = _find_glosses(intent)
    for start, end in _find_spans(text):
        raw = text[start:end]
        own = stems(raw)
        plain = [w for w in words(raw) if w not in empty]
        key = join_stems(own)
        if not plain or key in found or (len(raw) == 1 and not raw.isdigit()):
            continue
        if any(gloss.start < start < gloss.end for gloss in glosses):
            continue
        meanings = [
            *rules.glossary.get(raw.lower(), ()),
            *(g.meaning for g in glosses if g.of <= start and end <= g.start),
        ]
        rarity = max(weigh(stem) for stem in own)
        factor = PROPER if _is_name(raw, start) else 1.0
        rows = np.flatnonzero((lefts < end) & (rights > start)).tolist()
        found[key] = Word(
            text=raw,
            weight=rarity * (SUBJECT if subject.issuperset(own) else factor),
            rarity=rarity,
            subject=subject.issuperset(own),
            frequency=min(statistics.chunk_frequency.get(s, 0) for s in own),
            forms=tuple(
                dict.fromkeys((key, *(join_stems(stems(m)) for m in meanings)))
            ),
            tokens=tuple(rows),
        )
    return QuestionView(text=text, words=tuple(found.values()), encoded=encoded)


@dataclass(frozen=True, slots=True)
class _Gloss:
    """The meaning that was put into a question, from `start` to `end`, beside `of`."""

    of: int
    start: int
    end: int
    meaning: str


def _find_glosses(intent: Intent) -> list[_Gloss]:
    """Return the meanings in brackets behind the asker's own words."""
    found = []
    for written, meaning in intent.corrections:
        bracketed = f"{written} ({meaning})"
        at = intent.text.find(bracketed)
        if at >= 0:
            start = at + len(written)
            found.append(_Gloss(at, start, at + len(bracketed), meaning))
    return found
