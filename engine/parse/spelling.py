"""Spelling correction: an unknown word becomes one that the corpus knows.

Cautious on purpose. A word that is English, or that may be a name, is kept: if one name
turned into another, the documents of the other would answer.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from engine.text import english
from engine.text.english import shorthand
from engine.text.patterns import matches_whole
from engine.text.words import STOPWORDS, stem

SHORTEST = 4  # letters of a word that is corrected at all
ANY_EDIT_FROM = 5  # letters from which one may be another letter, or one too many
CUT_SHORT_FROM = 6  # letters of a word that may be the beginning of one of the corpus
TWO_EDITS_FROM = 8  # letters from which two edits are allowed
LONGEST = 40  # letters
MOST = 8  # words of a question that are corrected

_ROMAN = re.compile("[ivx]{2,}[a-d]?")  # a stage or a class: "iiia" is no "iii"


def correct(
    words: Iterable[str],
    vocabulary: Mapping[str, int],
    protected: Sequence[str] = (),
) -> dict[str, str]:
    """Correct the words that need it; return the corrections by word.

    Of the words within reach the nearest wins, then one of which letters were only left
    out, doubled or swapped, as people do in a hurry, then the more frequent. Only a
    word with the same first letter is within reach: people rarely mistype that one. A
    word that is a hurried form of exactly one word of grammar becomes that: "wiht" is
    "with". A truncated word precedes one with another letter, or one too many: it
    begins the words of one stem alone. A British word is the American one that the
    corpus has, and the other way round.

    Args:
        words: words of a question, in lower case.
        vocabulary: how often each word, or stem, occurs in the corpus.
        protected: patterns of words that are never changed.
    """
    words = list(dict.fromkeys(words))
    corrections = _respell(words, vocabulary, protected)
    unknown = [
        word
        for word in words
        if word not in corrections and _is_correctable(word, vocabulary, protected)
    ]
    for word in unknown[:MOST]:
        best = _find_nearest(word, vocabulary)
        if best is None or not _is_hurried_edit(word, best):
            best = _find_grammar_word(word) or best
        if best is not None:
            corrections[word] = best
    return corrections


def _is_correctable(
    word: str, vocabulary: Mapping[str, int], protected: Sequence[str]
) -> bool:
    """Return whether a word may be corrected: letters alone, unknown and unprotected.

    Identifiers, numbers and versions are never touched.
    """
    return (
        SHORTEST <= len(word) <= LONGEST
        and word.isascii()
        and word.isalpha()
        and word not in vocabulary
        and stem(word) not in vocabulary
        and not is_english(word)
        and not _ROMAN.fullmatch(word)
        and not matches_whole(protected, word)
    )


def _respell(
    words: Sequence[str], vocabulary: Mapping[str, int], protected: Sequence[str]
) -> dict[str, str]:
    """Return the corpus's spelling of words that it spells otherwise."""
    spelt = {}
    for word in words:
        letters = SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha()
        if not letters or word in vocabulary or matches_whole(protected, word):
            continue
        other = next(filter(vocabulary.__contains__, english.spellings(word)), None)
        if other is not None:
            spelt[word] = other
    return spelt


def is_english(word: str) -> bool:
    """Return whether a word of four letters or more is English, or a shorthand."""
    return english.is_known(word) or word in shorthand()


def _find_grammar_word(word: str) -> str | None:
    """Return the only word of grammar that is one hurried edit away, or None."""
    grammar = (known for known in STOPWORDS if len(known) >= SHORTEST)
    meant = [k for k in grammar if k[0] == word[0] and _is_hurried_edit(word, k)]
    return meant[0] if len(meant) == 1 else None


def _find_nearest(word: str, vocabulary: Mapping[str, int]) -> str | None:
    reach = 2 if len(word) >= TWO_EDITS_FROM else 1
    best: tuple[int, bool, int, str] | None = None
    for known, times in vocabulary.items():
        if known[:1] != word[0] or abs(len(known) - len(word)) > reach:
            continue
        edits = count_edits(word, known, reach)
        hurried = edits <= reach and _is_hurried(word, known)
        if edits <= reach and (hurried or len(word) >= ANY_EDIT_FROM):
            found = (edits, not hurried, -times, known)
            best = found if best is None else min(best, found)
    whole = _complete_word(word, vocabulary) if best is None or best[1] else None
    return whole or (best[3] if best is not None else None)


def _is_hurried_edit(typed: str, known: str) -> bool:
    return count_edits(typed, known, 1) == 1 and _is_hurried(typed, known)


def _is_hurried(typed: str, known: str) -> bool:
    """Return whether letters of a word were only left out, doubled or swapped."""
    if len(typed) == len(known):
        return sorted(typed) == sorted(known)
    single = "".join(letter for letter, _ in groupby(typed))
    letters = iter(known)
    return all(letter in letters for letter in typed) or (
        len(typed) > len(known)
        and single == "".join(letter for letter, _ in groupby(known))
    )


def _complete_word(word: str, vocabulary: Mapping[str, int]) -> str | None:
    """Return the most frequent word that begins so, where all of them have one stem."""
    longer = [known for known in vocabulary if known.startswith(word)]
    if len(word) < CUT_SHORT_FROM or len({stem(known) for known in longer}) != 1:
        return None
    return max(longer, key=lambda known: (vocabulary[known], known))


def count_edits(one: str, other: str, limit: int) -> int:
    """Count the edits between two words: insert, delete, replace, swap neighbours.

    Anything above `limit` is `limit` + 1; time is bounded by length times length.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        last, before, row = before, row, [i]
        for j, right in enumerate(other, start=1):
            edits = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            swapped = i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right
            row.append(min(edits, last[j - 2] + 1) if swapped else edits)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
