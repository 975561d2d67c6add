"""What no answer to a question can do without, and which sentences hold it: rules only.

Relevance is capped where nothing that would be quoted holds it (groups.py, R-G6).
"""

from dataclasses import dataclass
from itertools import islice, takewhile

import re2

from engine.text.english import find, named, words
from engine.text.kinds import insisted, kinds, part
from engine.text.patterns import compiled
from engine.text.words import STOPWORDS, stems

LONGEST = 4_000  # characters of a question in which requirements are looked for
MOST_FIGURES = 100  # numbers of a question that are told from those of an answer

_PEOPLE = frozenset(
    stems(
        "people persons patients women men children kids infants babies boys girls "
        "adults volunteers participants cases"
    )
)
_OF_TWO = frozenset({"comparison", "most"})
# Asked for a number, these are not answered by one that the question brought along.
_OWN = frozenset({"figure", "count", "time", "year", "date", "deadline", "hours"})
# A number that is part of a name: "ISO 10218", "ROS 2".
_NAME = re2.compile(r"\b[A-Z]{2,}(?:[/-][A-Z]+)*[ -]\d[\d.-]*\b")
_MARKS = ".,;:!?()[]\"'"


@dataclass(frozen=True, slots=True)
class Needed:
    """What no answer to a question can do without.

    `counted` are the stems of what "how many" asks for; empty for other kinds.
    `figures` are the numbers of the question itself: they answer none that asks for a
    number of its own.
    """

    kind: str
    counted: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()


def required(question: str) -> Needed | None:
    """The kind of thing without which no text answers `question`, or None."""
    question = question[:LONGEST]
    asked = str(compiled(part("more_than")).sub("", question))
    phrases = _asked_for(asked)
    for kind in insisted():
        nouns = tuple(f" {noun}" for noun in kind.nouns)
        found = compiled(str(kind.insists)).search(asked) is not None
        if found or any(said.endswith(nouns) for said in phrases):
            counted = _counted(asked) if kind.name == "count" else frozenset()
            return Needed(kind.name, counted, _figures(question))
    return None


def _asked_for(question: str) -> tuple[str, ...]:
    """What "what is the …?" asks for, and a question without a verb, by its nouns.

    "Of" goes on with a name ("right of residence fee") or says of what ("cost of …"):
    so both are given, each with a blank before it.
    """
    plain = " ".join(question.lower().strip(_MARKS + " ").split())
    asks = find("asks_for", plain)
    said = (named(asks, "thing")[0] if asks else plain).split()
    verbal = words("ask", "be", "do", "modal", "have", "person")
    if asks is None and (verbal | words("order")) & set(said):
        return ()
    ends = (verbal | words("preposition", "conjunction", "determiner")) - {"of"}
    nouns = list(takewhile(lambda word: word not in ends, said))
    while nouns and nouns[-1] in words("applying"):
        nouns.pop()
    phrase = " ".join(("", *nouns)).removesuffix(" of")
    return (phrase, phrase.partition(" of ")[0])


def _counted(question: str) -> frozenset[str]:
    """The stems of the noun after "how many"; none where it is left out."""
    found = compiled(part("counted")).search(question)
    if found is None or found[1].lower() in STOPWORDS:
        return frozenset()
    return frozenset(stems(found[1]))


def _figures(text: str) -> frozenset[str]:
    found = islice(compiled(part("figure")).finditer(text), MOST_FIGURES)
    return frozenset(match.group().strip(".,").lower() for match in found)


def _without(figures: frozenset[str], sentence: str) -> str:
    """A sentence without the numbers that the question brought along."""
    words = sentence.split() if figures else (sentence,)
    return " ".join(w for w in words if w.strip(_MARKS).lower() not in figures)


def holds(needed: Needed, sentence: str, named: int) -> bool:
    """Whether a sentence holds what is required.

    Args:
        needed: as `required` found it.
        sentence: of the passages that would be quoted.
        named: how many of the question's rare words stand in it; a comparison needs
            two things that are compared, in one sentence, and what has the most of
            something needs both it and that.
    """
    if needed.kind in _OF_TWO:
        return named >= 2 and _held(needed.kind, sentence)
    if needed.kind == "figure" and not named:
        return False
    if needed.counted and not _counts(needed.counted, sentence):
        return False
    if needed.kind == "count":
        sentence = str(compiled(part("uncounted")).sub(" ", sentence))
    if needed.kind in _OWN:
        sentence = _without(needed.figures, str(_NAME.sub(" ", sentence)))
    return _held(needed.kind, sentence)


def opposite(needed: Needed | None, text: str) -> bool:
    """Whether a text says what brings about that which a remedy is asked against."""
    if needed is None or needed.kind != "remedy":
        return False
    caused = compiled(part("causes")).search(text) is not None
    return caused and not _held("remedy", text)


def _held(kind: str, text: str) -> bool:
    return compiled(str(kinds()[kind].holds)).search(text) is not None


def _counts(noun: frozenset[str], sentence: str) -> bool:
    """Whether a sentence names what is counted; people are people."""
    named = set(stems(sentence))
    return bool(named & _PEOPLE) if noun & _PEOPLE else noun <= named
