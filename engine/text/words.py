"""Words and their stems: the one way in which text becomes terms.

The index, its statistics and the relevance features all use it, so a term means the
same in all of them. There is no pattern here: folding goes character by character, in
time linear in the text.
"""

import threading
import unicodedata
from functools import cache, lru_cache

from snowballstemmer import stemmer

from engine.text.english import words as listed
from engine.text.legible import legible

VERSION = "snowball-english-2"  # an index holds stems: change it when they change
LONGEST_WORD = 64  # characters; the rest of a longer one (base64, URLs) is dropped

REPEATED = 0.7  # share of words from which a passage repeats another

STOPWORDS = listed("stop")

_DROPPED = "'\N{RIGHT SINGLE QUOTATION MARK}"


class _Folding(dict[int, str | None]):
    """Code points with their fold: itself, nothing, or a space; filled on first use."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        if character.isalnum() or character == ".":
            folded: str | None = character
        elif character in _DROPPED or unicodedata.category(character) in {"Mn", "Cf"}:
            folded = None  # don't -> dont, naïve -> naive, no soft hyphens
        else:
            folded = " "
        self[code] = folded
        return folded


_FOLDING = _Folding()


def words(text: str) -> list[str]:
    """Return the words of a text, in order, in lower case and without accents.

    Letters and digits make a word; an apostrophe within one is dropped; a full stop
    stays only between digits ("22.04"). Everything else separates.
    """
    decomposed = unicodedata.normalize("NFD", legible(text).casefold())
    found: list[str] = []
    for run in decomposed.translate(_FOLDING).split():
        if "." not in run:
            found.append(run[:LONGEST_WORD])
            continue
        parts = run.strip(".").split(".")
        if all(part.isdecimal() for part in parts):
            found.append(".".join(parts)[:LONGEST_WORD])
        else:
            found += [part[:LONGEST_WORD] for part in parts if part]
    return found


@cache
def _english() -> stemmer:
    return stemmer("english")


# The stemmer keeps the word it works on in itself; searches run in several threads.
_STEMMING = threading.Lock()


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Stem one word of `words` (Snowball, English); a number is its own stem."""
    with _STEMMING:
        return str(_english().stemWord(word))


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text, in order, stop words included."""
    return [stem(word) for word in words(text)]


def stemmed(text: str) -> str:
    """Join the stems of a text with spaces around each, so that it can be searched for
    phrases.
    """
    return f" {' '.join(stems(text))} "


def repeats(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two passages have mostly the same words."""
    fewer = min(len(one), len(other))
    return fewer > 0 and len(one & other) >= REPEATED * fewer
