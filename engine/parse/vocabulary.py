"""From the asker's words to those of the documents: spelling, then glossary.

Both run before the search, and every change is shown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.model.ports import CorpusStatistics
from engine.parse.spelling import correct
from engine.policy.pack import RetrievalRules
from engine.text.english import shorthand
from engine.text.patterns import compile_pattern
from engine.text.words import STOPWORDS, stemmed, stems

_APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
_WORD = rf"[\pL\pN]+(?:[-'{_APOSTROPHE}._/+&][\pL\pN]+)*"
_GAP = re.compile(r"(\s+)")
LONGEST_PHRASE = 4  # words of a glossary entry


@dataclass(frozen=True, slots=True)
class Translated:
    """A question with the documents' words beside its own.

    `changes` are pairs of (written, read).
    """

    text: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    lower: str
    name: bool


def spelt_out(text: str) -> str:
    """Expand general English shorthand: "shld" is "should"."""
    found = []
    for written in _GAP.split(text):
        bare = written.rstrip(".,;:!?)")
        full = shorthand().get(bare, bare)
        found.append(f"{full}{written[len(bare) :]}")
    return "".join(found)


def translate(
    text: str,
    rules: RetrievalRules,
    statistics: CorpusStatistics,
    names: Sequence[str] = (),
    *,
    beside: bool = True,
) -> Translated:
    """Correct typing errors and add the documents' words beside the asker's.

    Beside a phrase of the glossary, or a single word of it that the corpus lacks, the
    first of its meanings that the corpus has is added. The meanings of a known word are
    looked up by the search itself.

    Args:
        text: the question.
        rules: glossary and protected words.
        statistics: which words the corpus has.
        names: more words that may be meant, although no document has them.
        beside: whether the asker's words are kept; else the documents' replace them.
    """
    right, corrected = _apply_changes(
        text, _find_corrections(text, rules, statistics, names)
    )
    meant, explained = _apply_changes(
        right, _find_meanings(right, rules, statistics), beside=beside
    )
    return Translated(meant, tuple(dict.fromkeys((*corrected, *explained))))


def _find_words(text: str) -> list[_Word]:
    """Find the words; one with a capital inside, or after the first word, may be a
    name.
    """
    found = []
    for match in compile_pattern(_WORD).finditer(text):
        start, end = match.span()
        written = text[start:end]
        capital = written[1:] != written[1:].lower()
        inner = start > 0 and written[:1].isupper()
        lower = written.lower().replace(_APOSTROPHE, "'")
        found.append(_Word(start, end, lower, capital or inner))
    return found


_Change = tuple[int, int, str]


def _find_meanings(
    text: str, rules: RetrievalRules, statistics: CorpusStatistics
) -> Iterator[_Change]:
    """Yield a meaning for each longest phrase, unless the text has it already."""
    words, at = _find_words(text), 0
    while at < len(words):
        longest = min(LONGEST_PHRASE, len(words) - at)
        for length in range(longest, 0, -1):
            last = words[at + length - 1]
            phrase = " ".join(word.lower for word in words[at : at + length])
            # Letters joined by "&" have a meaning that neither has alone ("H&C").
            joined = length > 1 or "&" in phrase
            known = not joined and _is_known(phrase, statistics)
            meanings = () if known else rules.glossary.get(phrase, ())
            meaning = next((m for m in meanings if _is_known(m, statistics)), None)
            if meaning is not None:
                if stemmed(meaning) not in stemmed(text):
                    yield words[at].start, last.end, meaning
                at += length - 1
                break
        at += 1


def _is_known(phrase: str, statistics: CorpusStatistics) -> bool:
    """Return whether the corpus has every content word of a phrase."""
    content = [root for root in stems(phrase) if root not in STOPWORDS]
    return all(root in statistics.chunk_frequency for root in content)


def _find_corrections(
    text: str,
    rules: RetrievalRules,
    statistics: CorpusStatistics,
    names: Sequence[str],
) -> Iterator[_Change]:
    plain = [word for word in _find_words(text) if not word.name]
    # Another form of a word in the corpus is no typing error.
    unknown = [w.lower for w in plain if not _is_known(w.lower, statistics)]
    if not unknown:
        return
    counted = statistics.word_frequency or statistics.chunk_frequency
    phrases = (
        *names,
        *rules.glossary,
        *(m for ms in rules.glossary.values() for m in ms),
    )
    spoken = {word.lower() for phrase in phrases for word in phrase.split()}
    vocabulary: Mapping[str, int] = {**dict.fromkeys(spoken, 0), **counted}
    found = correct(unknown, vocabulary, rules.protected)
    for word in plain:
        if word.lower in found:
            yield word.start, word.end, found[word.lower]


def _apply_changes(
    text: str, changes: Iterator[_Change], *, beside: bool = False
) -> tuple[str, list[tuple[str, str]]]:
    """Apply changes to a text, in place of the written words or in brackets behind
    them.
    """
    parts: list[str] = []
    pairs: list[tuple[str, str]] = []
    at = 0
    for start, end, meaning in changes:
        written = text[start:end]
        parts += [text[at:start], f"{written} ({meaning})" if beside else meaning]
        pairs.append((written, meaning))
        at = end
    return "".join([*parts, text[at:]]), pairs
