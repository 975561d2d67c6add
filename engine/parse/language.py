"""The language of a question: enough to refuse in it; English in doubt."""

import re
from collections.abc import Callable
from functools import cache
from threading import Lock

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from engine.parse.spelling import is_english
from engine.text.english import words

LONGEST = 2_000  # characters looked at
LEAST = 2  # words that a language is detected from
FOREIGN = 1 / 3  # least share of words that no English text has
# Confidence times the share of foreign words; more of it where they may all be names.
CLEAR, CLEARER = 0.3, 0.5
SHORT = 5  # letters
_WORD = re.compile(r"[\w'\u2019./:_-]+")
_CODE = re.compile(r"[\d_/:.-]|[a-z][A-Z]")
_SPOKEN = Lock()


def detect(text: str, known: Callable[[str], bool] = lambda _: False) -> str:
    """Detect the language as an ISO 639 code; "en" unless another one is clear.

    A drug name, a command or a line of code is English: words that `known` accepts,
    English words, names, numbers and code are no evidence of another language.

    Args:
        text: the question.
        known: whether a word, in lower case, is one of the pack's or its documents'.
    """
    said = [w.strip("'\u2019./:-") for w in _WORD.findall(text[:LONGEST])]
    said = [w for w in said if w and not _CODE.search(w)]
    foreign = [w for w in said if not (_is_english_word(w.lower()) or known(w.lower()))]
    if _is_foreign_script(text):
        return _identify(text[:LONGEST])[0]
    if len(said) < LEAST or len(foreign) < FOREIGN * len(said):
        return "en"
    language, confidence = _identify(" ".join(said).lower())
    enough = CLEAR if any(map(_is_telling, foreign)) else CLEARER
    return language if confidence * len(foreign) / len(said) >= enough else "en"


def _is_foreign_script(text: str) -> bool:
    """Return whether most letters are of another script than Latin."""
    letters = [ord(c) for c in text[:LONGEST] if c.isalpha()]
    return sum(c > 0x24F for c in letters) > len(letters) / 2


def _is_telling(word: str) -> bool:
    """Return whether a foreign word is short, as function words are, or has foreign
    letters.
    """
    return not word.isascii() or (len(word) <= SHORT and word.islower())


def _is_english_word(word: str) -> bool:
    plain = word.replace("'", "").replace("\u2019", "")
    short = plain in words("stop") or plain in words("latin")
    return short or is_english(plain)


def _identify(text: str) -> tuple[str, float]:
    """Return the language and the confidence in it."""
    with _SPOKEN:
        language, confidence = _load_identifier().classify(text)
    return str(language), float(confidence)


def load_identifier() -> None:
    """Load the model, so that the first question in another language need not wait."""
    _load_identifier()


@cache
def _load_identifier() -> LanguageIdentifier:
    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(words("languages"))
    return found
