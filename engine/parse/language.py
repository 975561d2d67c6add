"""The language of a question: enough to refuse in it, English in all doubt."""

import re
from collections.abc import Callable
from functools import cache
from threading import Lock

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from engine.parse.spelling import is_english
from engine.text.english import words

LONGEST = 2_000  # characters looked at
LEAST = 2  # words that a language is told from
FOREIGN = 1 / 3  # share of words that no English text has, at least
# Confidence times the share of foreign words; more of it where they may all be names.
CLEAR, CLEARER = 0.3, 0.5
SHORT = 5  # letters
_WORD = re.compile(r"[\w'\u2019./:_-]+")
_CODE = re.compile(r"[\d_/:.-]|[a-z][A-Z]")
_SPOKEN = Lock()


def detect(text: str, known: Callable[[str], bool] = lambda _: False) -> str:
    """Return the language as an ISO 639 code; "en" wherever nothing speaks clearly
    against it.

    A drug name, a command or a line of code is English: what `known` knows, English
    words, names, numbers and code speak for nothing else.

    Args:
        text: the question.
        known: whether a word, in lower case, is one of the pack's or its documents'.
    """
    said = [w.strip("'\u2019./:-") for w in _WORD.findall(text[:LONGEST])]
    said = [w for w in said if w and not _CODE.search(w)]
    foreign = [w for w in said if not (_is_at_home(w.lower()) or known(w.lower()))]
    if _is_script(text):
        return _identified(text[:LONGEST])[0]
    if len(said) < LEAST or len(foreign) < FOREIGN * len(said):
        return "en"
    language, confidence = _identified(" ".join(said).lower())
    enough = CLEAR if any(map(_is_telling, foreign)) else CLEARER
    return language if confidence * len(foreign) / len(said) >= enough else "en"


def _is_script(text: str) -> bool:
    """Return whether most letters are of a script that English is not written in."""
    letters = [ord(c) for c in text[:LONGEST] if c.isalpha()]
    return sum(c > 0x24F for c in letters) > len(letters) / 2


def _is_telling(word: str) -> bool:
    """Return whether a foreign word is short, as function words are, or written as
    foreign.
    """
    return not word.isascii() or (len(word) <= SHORT and word.islower())


def _is_at_home(word: str) -> bool:
    plain = word.replace("'", "").replace("\u2019", "")
    short = plain in words("stop") or plain in words("latin")
    return short or is_english(plain)


def _identified(text: str) -> tuple[str, float]:
    """Return the language and how sure that is."""
    with _SPOKEN:
        language, confidence = _identifier().classify(text)
    return str(language), float(confidence)


def load() -> None:
    """Load the model, for which the first question in another language would wait."""
    _identifier()


@cache
def _identifier() -> LanguageIdentifier:
    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(words("languages"))
    return found
