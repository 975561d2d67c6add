"""The facts told around a question, and whether the question depends on them.

"Pt on capecitabine. Is grapefruit ok?" asks about capecitabine; "Pt on capecitabine.
When do mouth sores heal?" asks about mouth sores, and capecitabine is only a fact. The
pack lists the words of its subject.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from engine.model.ports import CorpusStatistics
from engine.parse import follow_up
from engine.parse.framing import Framed
from engine.parse.parts import split
from engine.parse.vocabulary import Translated, translate
from engine.policy.pack import Pack
from engine.text import english
from engine.text.background import RARE, weigh
from engine.text.patterns import fold, matches, matches_whole
from engine.text.words import STOPWORDS, stem, words

_CLAUSE = re.compile(r"[,;]\s+")
_SHAPE = re.compile(r"\d|_|[a-zA-Z][A-Z]")
_WORD = re.compile(r"[\w][\w'./-]*[\w]|\w")


@dataclass(frozen=True, slots=True)
class Conditions:
    """A question with the facts told around it.

    `text` is the question, with the facts that it depends on; `bound` is True where
    there are any. `named` are the words that its answer has to hold, `conditions` those
    of all facts.
    """

    text: str
    conditions: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    bound: bool = False


class Lexicon:
    """The words of a pack and of the documents that an asker can see."""

    def __init__(self, pack: Pack, statistics: CorpusStatistics) -> None:
        self.pack = pack
        self._statistics = statistics

    def knows(self, word: str) -> bool:
        """Return whether a word, in lower case, is of the pack or its documents."""
        counted = self._statistics.word_frequency  # a stem may be another language's
        roots = self._statistics.chunk_frequency if not counted else {}
        return (
            all(part in counted or stem(part) in roots for part in words(word))
            or word in self._names
            or word in self.pack.retrieval.glossary
            or matches_whole(self.pack.retrieval.protected, word)
        )

    def translated(self, text: str, *, beside: bool = True) -> Translated:
        """Translate a text to the documents' words, beside or instead of its own."""
        rules, names = self.pack.retrieval, self.pack.sensitive.terms
        return translate(text, rules, self._statistics, names, beside=beside)

    def names_something(self, text: str) -> bool:
        """Return whether a text has a word of a subject: one of few passages."""
        return any(self._is_rare(word) for word in words(text))

    def is_vague(self, asked: str) -> bool:
        """Return whether a question names no subject: "the options", not "a node"."""
        return not (self.names_something(asked) or english.find("stands", asked))

    def binds(self, word: str) -> bool:
        """Return whether answers depend on a word: a medicine, a population."""
        lower = word.lower()
        return (
            lower in self._names or lower in self._people or self._is_protected(lower)
        )

    def is_population(self, word: str) -> bool:
        """Return whether a word names a population that a page may be limited to."""
        return word.lower() in self._people

    def tells(self, clause: str) -> bool:
        """Return whether a clause has a fact of the pack's subject, or a name."""
        said = _WORD.findall(clause)
        named = any(
            _SHAPE.search(word) or self.binds(word) or (at and word[0].isupper())
            for at, word in enumerate(said)
            if word.lower() not in STOPWORDS
        )
        return named or matches(self.pack.sensitive.patterns, fold(clause))

    def decides(self, clause: str) -> bool:
        """Return whether a clause has a fact that decides the rule asked for."""
        return matches(self.pack.retrieval.told, fold(clause))

    def _is_protected(self, word: str) -> bool:
        counted = self._statistics.chunk_frequency
        known = word in self._names or stem(word) in counted
        return known and matches_whole(self.pack.retrieval.protected, word)

    def _is_rare(self, word: str) -> bool:
        if word in english.words("stop", "shaping", "generic"):
            return False
        return weigh(stem(word)) >= RARE

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(term.lower() for term in self.pack.sensitive.terms)

    @cached_property
    def _people(self) -> frozenset[str]:
        groups = self.pack.answer.populations
        return frozenset(word.lower() for group in groups for word in group)


def conditions_of(
    framed: Framed, lexicon: Lexicon, *, story: bool = False
) -> Conditions:
    """Read a message: the question with the facts that it depends on, and all facts.

    A question for permission, or about something that it does not name, depends on
    them. With `story` any question does.
    """
    facts = [fact for told in framed.told if (fact := _find_facts(told, lexicon))]
    words_of = tuple(
        dict.fromkeys(word for fact in facts for word in _list_content(fact))
    )
    asked = fold(framed.asked).rstrip("?!. ")
    people = tuple(word for word in words_of if lexicon.is_population(word))
    permits = english.find("permits", asked) is not None
    if story:
        facts = _collect_stories(framed)
    elif _is_unnamed(asked):
        facts = facts or _collect_stories(framed)
    elif not (permits or people or lexicon.is_vague(asked)):
        facts = []
    if not facts:
        deciding = [d for told in framed.told if (d := _find_deciding(told, lexicon))]
        told = "".join(f"{fact}. " for fact in deciding)
        return Conditions(f"{told}{framed.asked}", words_of, bound=bool(deciding))
    named = people
    if permits and not english.find("detail", asked):
        named = tuple(word for word in words_of if lexicon.binds(word))
    told = " ".join(f"{fact}." for fact in facts)
    return Conditions(f"{told} {framed.asked}", words_of, named, bound=True)


def _collect_stories(framed: Framed) -> list[str]:
    return [story for told in framed.told if (story := _strip_asker(told))]


def _strip_asker(sentence: str) -> str:
    """Return a sentence without the clauses that introduce the asker."""
    clauses = _CLAUSE.split(sentence.rstrip(".! "))
    return ", ".join(c for c in clauses if not english.find("who", c))


def _find_facts(sentence: str, lexicon: Lexicon) -> str:
    """Return a sentence from its first fact on, without the asker; empty without a
    fact.
    """
    clauses = _CLAUSE.split(sentence.rstrip(".! "))
    telling = [at for at, clause in enumerate(clauses) if lexicon.tells(clause)]
    if not telling:
        return ""
    first = telling[0]
    if first and english.find("framed", clauses[first]):  # "I feel sick, before any …"
        first -= 1
    kept = [
        clause
        for at, clause in enumerate(clauses)
        if at in telling or (at >= first and not english.find("who", clause))
    ]
    return ", ".join(kept)


def _find_deciding(sentence: str, lexicon: Lexicon) -> str:
    """Return the clauses of a sentence that decide which rule is asked for."""
    clauses = _CLAUSE.split(sentence.rstrip(".! "))
    return ", ".join(clause for clause in clauses if lexicon.decides(clause))


def _is_unnamed(asked: str) -> bool:
    """Return whether a question does not name its subject at all."""
    joined = english.find("and_also", asked)
    asked = asked if joined is None else english.read_groups(joined, "rest")[0]
    asked = next(iter(split(asked)), asked)
    first = asked.split(" and ")[0]
    unclear = english.find("unclear", first) and not english.find("expletive", asked)
    if follow_up.is_incomplete(asked) or unclear or english.find("is_that", first):
        return True
    return not any(
        word not in english.words("generic") for word in _list_content(asked)
    )


def _list_content(clause: str) -> list[str]:
    empty = english.words("stop", "shaping", "relative")
    return [w for w in _WORD.findall(clause) if w.lower().replace("'", "") not in empty]
