"""From the asker's words to those of the documents: glossary, then spelling (R-U2).

Both work before either arm of the search, and everything they change is shown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.lexicon import STOPWORDS, stemmed, stems
from engine.patterns import compiled
from engine.policy import RetrievalRules
from engine.ports import CorpusStatistics
from engine.question.spelling import correct

_APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
_WORD = rf"[\pL\pN]+(?:[-'{_APOSTROPHE}._/+][\pL\pN]+)*"
LONGEST_PHRASE = 4  # words of a glossary entry


@dataclass(frozen=True, slots=True)
class Translated:
    """A question in the documents' words, and each change as (written, read)."""

    text: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    lower: str
    name: bool


def translate(
    text: str, rules: RetrievalRules, statistics: CorpusStatistics
) -> Translated:
    """Replace everyday phrases, unknown abbreviations and typing errors.

    A phrase of the glossary, and a single word of it that the corpus does not know, is
    replaced by the first of its meanings that the corpus does know. A known word stays:
    the search looks up its meanings itself.
    """
    words = list(_words(text))
    changes: list[tuple[_Word, _Word, str]] = []
    unchanged: list[_Word] = []
    at = 0
    while at < len(words):
        taken, meaning = _look_up(words[at : at + LONGEST_PHRASE], rules, statistics)
        if meaning is None:
            unchanged.append(words[at])
        else:
            changes.append((words[at], words[at + taken - 1], meaning))
        at += taken
    changes += _corrections(unchanged, rules, statistics)
    return _apply(text, sorted(changes, key=lambda change: change[0].start))


def forms(word: str, rules: RetrievalRules) -> list[str]:
    """A word and its meanings, as `stemmed` texts."""
    meanings = rules.glossary.get(word.lower(), ())
    return [stemmed(text) for text in (word, *meanings)]


def _words(text: str) -> Iterator[_Word]:
    """The words; one with a capital inside, or after the first word, may be a name."""
    for match in compiled(_WORD).finditer(text):
        start, end = match.span()
        written = text[start:end]
        capital = written[1:] != written[1:].lower()
        inner = start > 0 and written[:1].isupper()
        lower = written.lower().replace(_APOSTROPHE, "'")
        yield _Word(start, end, lower, capital or inner)


def _look_up(
    words: list[_Word], rules: RetrievalRules, statistics: CorpusStatistics
) -> tuple[int, str | None]:
    """How many of the words the longest entry takes, and what it means; 1 and None."""
    for length in range(len(words), 0, -1):
        phrase = " ".join(word.lower for word in words[:length])
        meanings = rules.glossary.get(phrase, ())
        if not meanings or (length == 1 and _known(phrase, statistics)):
            continue
        meaning = next((m for m in meanings if _known(m, statistics)), None)
        if meaning is not None:
            return length, meaning
    return 1, None


def _known(phrase: str, statistics: CorpusStatistics) -> bool:
    """Whether the corpus has every content word of a phrase."""
    content = [root for root in stems(phrase) if root not in STOPWORDS]
    return all(root in statistics.chunk_frequency for root in content)


def _corrections(
    words: list[_Word], rules: RetrievalRules, statistics: CorpusStatistics
) -> Iterator[tuple[_Word, _Word, str]]:
    vocabulary: Mapping[str, int] = (
        statistics.word_frequency or statistics.chunk_frequency
    )
    plain = [word for word in words if not word.name]
    spoken = {part for entry in rules.glossary for part in entry.split()}
    # Another form of a word that the corpus has is no typing error.
    asked = (
        word.lower
        for word in plain
        if word.lower not in spoken and not _known(word.lower, statistics)
    )
    found = correct(asked, vocabulary, rules.protected)
    for word in plain:
        if word.lower in found:
            yield word, word, found[word.lower]


def _apply(text: str, changes: list[tuple[_Word, _Word, str]]) -> Translated:
    parts: list[str] = []
    pairs: list[tuple[str, str]] = []
    at = 0
    for first, last, meaning in changes:
        parts += [text[at : first.start], meaning]
        pairs.append((text[first.start : last.end], meaning))
        at = last.end
    return Translated("".join([*parts, text[at:]]), tuple(dict.fromkeys(pairs)))
