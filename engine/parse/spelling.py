"""Typing errors: an unknown word is put right to one that the corpus knows.

Careful on purpose. A word that is English, or that may be a name, stays: if one name
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
    """Corrections of the words that need one, by word.

    Of the words within reach the nearest wins, then one of which letters were only
    left out, doubled or swapped, as people do in a hurry, then the more frequent. Only
    a word with the same first letter is within reach: people rarely mistype that one.
    What a hurry makes of one word of grammar alone is that word: "wiht" is "with".
    Before what has another letter, or one too many, comes a word cut short: one that
    begins the words of one stem alone.

    Args:
        words: words of a question, in lower case.
        vocabulary: how often each word, or stem, occurs in the corpus.
        protected: patterns of words that are never changed.
    """
    unknown = [w for w in dict.fromkeys(words) if _unknown(w, vocabulary, protected)]
    corrections: dict[str, str] = {}
    for word in unknown[:MOST]:
        best = _nearest(word, vocabulary)
        if best is None or not _in_a_hurry(word, best):
            best = _of_grammar(word) or best
        if best is not None:
            corrections[word] = best
    return corrections


def _unknown(
    word: str, vocabulary: Mapping[str, int], protected: Sequence[str]
) -> bool:
    """Letters only, so identifiers, numbers and versions are never touched."""
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


def is_english(word: str) -> bool:
    """Return whether general English knows a word of four letters or more, or a
    shorthand.
    """
    return english.is_known(word) or word in shorthand()


def _of_grammar(word: str) -> str | None:
    """Return the one word of grammar that a hurry made this of, one edit away, or
    None.
    """
    grammar = (known for known in STOPWORDS if len(known) >= SHORTEST)
    meant = [k for k in grammar if k[0] == word[0] and _in_a_hurry(word, k)]
    return meant[0] if len(meant) == 1 else None


def _nearest(word: str, vocabulary: Mapping[str, int]) -> str | None:
    reach = 2 if len(word) >= TWO_EDITS_FROM else 1
    best: tuple[int, bool, int, str] | None = None
    for known, times in vocabulary.items():
        if known[:1] != word[0] or abs(len(known) - len(word)) > reach:
            continue
        edits = distance(word, known, reach)
        hurried = edits <= reach and _hurried(word, known)
        if edits <= reach and (hurried or len(word) >= ANY_EDIT_FROM):
            found = (edits, not hurried, -times, known)
            best = found if best is None else min(best, found)
    whole = _cut_short(word, vocabulary) if best is None or best[1] else None
    return whole or (best[3] if best is not None else None)


def _in_a_hurry(typed: str, known: str) -> bool:
    return distance(typed, known, 1) == 1 and _hurried(typed, known)


def _hurried(typed: str, known: str) -> bool:
    """Return whether letters of a word were only left out, doubled or swapped."""
    if len(typed) == len(known):
        return sorted(typed) == sorted(known)
    single = "".join(letter for letter, _ in groupby(typed))
    letters = iter(known)
    return all(letter in letters for letter in typed) or (
        len(typed) > len(known)
        and single == "".join(letter for letter, _ in groupby(known))
    )


def _cut_short(word: str, vocabulary: Mapping[str, int]) -> str | None:
    """Return the most frequent word that begins so, where all of them have one stem."""
    longer = [known for known in vocabulary if known.startswith(word)]
    if len(word) < CUT_SHORT_FROM or len({stem(known) for known in longer}) != 1:
        return None
    return max(longer, key=lambda known: (vocabulary[known], known))


def distance(one: str, other: str, limit: int) -> int:
    """Edits between two words: insert, delete, replace, swap neighbours.

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
