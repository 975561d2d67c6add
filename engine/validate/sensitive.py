"""Whether text is sensitive (R-M1) or exempt (R-M2), on folded text.

What an exempt pattern matches is taken out before anything is looked for, so an exempt
phrase never covers for the rest of its sentence. In a pack that names sensitive words,
what is neither named nor exempt is sensitive too (R-M7): of the labelled sentences in
evals/suites/sensitive_sentences.jsonl, the words of the oncology pack alone find eight
in ten; no list holds every way to speak of an illness.
"""

from collections.abc import Iterable

import re2

from engine.lexicon import STOPWORDS
from engine.patterns import compiled
from engine.policy import SensitiveRules
from engine.validate.phrases import readings, seen

_WORD = re2.compile(r"[\pL\pN]+")
# Words that say nothing beside an exempt phrase; those that turn it, or bound it, do.
_TURNING = """
    no nor not cannot cant couldnt didnt doesnt dont hadnt hasnt havent isnt mustnt
    shouldnt wasnt werent wont wouldnt only once until before after off against without
    never too but while when if then than few less
"""
_SILENT = STOPWORDS - frozenset(_TURNING.split())
_ASKS = re2.compile(
    r"[?!\pS\p{Co}\p{Me}]"
)  # a question, or signs that may say anything
_ENDING = r"(?:'?s|es|s')?"


class SensitiveDetector:
    """A pack's sensitive words and patterns, compiled once into one pattern each.

    A term stands for itself and its plural, with any space or hyphen between its words.
    """

    def __init__(self, rules: SensitiveRules) -> None:
        terms = sorted({_term(term) for term in rules.terms} - {""})
        words = [rf"\b(?:{'|'.join(terms)}){_ENDING}\b"] if terms else []
        self._sensitive = _any([*words, *rules.patterns])
        self._exempt = _any(rules.exempt_patterns)

    def sensitive(self, text: str, *, intended: bool) -> bool:
        """Whether `text` needs the citations of sensitive content.

        Args:
            text: a sentence as it would be shown.
            intended: the question's intent is sensitive (R-M1).
        """
        if self._sensitive is None and not intended:
            return False
        return not self.exempt(text)

    def exempt(self, text: str) -> bool:
        """Whether `text` is guidance that needs no citation: an exempt phrase alone."""
        return all(
            self._covered(folded) and not self._named(folded)
            for folded in readings(text)
        )

    def _named(self, folded: str) -> bool:
        """Whether something sensitive is named outside exempt phrases."""
        if self._sensitive is None:
            return False
        return self._sensitive.search(self._left(folded)) is not None

    def _left(self, folded: str) -> str:
        """What the exempt patterns leave over."""
        if self._exempt is None:
            return folded
        return str(self._exempt.sub(" ", folded))

    def _covered(self, folded: str) -> bool:
        """Whether an exempt pattern matches and leaves nothing over that says more."""
        left = self._left(folded)
        plain = left != folded and not _ASKS.search(folded)
        return plain and _SILENT.issuperset(_WORD.findall(left))


def _term(term: str) -> str:
    return r"[\s-]+".join(_WORD.findall(seen(term)))


def _any(patterns: Iterable[str]) -> re2._Regexp | None:
    listed = list(patterns)
    return (
        compiled("|".join(f"(?:{pattern})" for pattern in listed)) if listed else None
    )
