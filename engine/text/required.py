"""What no answer to a question can do without, and which sentences hold it: rules only.

Relevance is capped where nothing that would be quoted holds it (groups.py).
"""

from dataclasses import dataclass
from itertools import islice, takewhile

import re2

from engine.text.english import find, read_groups, words
from engine.text.kinds import list_insisted, load_kinds, load_part
from engine.text.patterns import compile_pattern
from engine.text.words import STOPWORDS, stems

LONGEST = 4_000  # characters of a question in which requirements are looked for
MOST_FIGURES = 100  # numbers of a question that do not count as an answer

_PEOPLE = frozenset(
    stems(
        "people persons patients women men children kids infants babies boys girls "
        "adults volunteers participants cases"
    )
)
_OF_TWO = frozenset({"comparison", "most"})
# Questions for a number of these kinds are not answered by a number of the question.
_OWN = frozenset({"figure", "count", "time", "year", "date", "deadline", "hours"})
# A number that is part of a name: "ISO 10218", "ROS 2".
_NAME = re2.compile(r"\b[A-Z]{2,}(?:[/-][A-Z]+)*[ -]\d[\d.-]*\b")
_MARKS = ".,;:!?()[]\"'"


@dataclass(frozen=True, slots=True)
class Needed:
    """The requirement of a question that every answer has to meet.

    `counted` are the stems of what "how many" asks for; empty for other kinds.
    `figures` are the numbers of the question itself: they answer none that asks for a
    number.
    """

    kind: str
    counted: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()


def find_requirement(question: str) -> Needed | None:
    """Return the kind of thing without which no text answers `question`, or None."""
    question = question[:LONGEST]
    asked = str(compile_pattern(load_part("more_than")).sub("", question))
    phrases = _read_asked_nouns(asked)
    for kind in list_insisted():
        nouns = tuple(f" {noun}" for noun in kind.nouns)
        found = compile_pattern(str(kind.insists)).search(asked) is not None
        if found or any(said.endswith(nouns) for said in phrases):
            counted = _read_counted_noun(asked) if kind.name == "count" else frozenset()
            return Needed(kind.name, counted, _find_figures(question))
    return None


def _read_asked_nouns(question: str) -> tuple[str, ...]:
    """Return the nouns that "what is the …?" asks for, or those of a question without a
    verb.

    "Of" continues a name ("right of residence fee") or introduces the object ("cost of
    …"): so both readings are returned, each with a blank before it.
    """
    plain = " ".join(question.lower().strip(_MARKS + " ").split())
    asks = find("asks_for", plain)
    said = (read_groups(asks, "thing")[0] if asks else plain).split()
    verbal = words("ask", "be", "do", "modal", "have", "person")
    if asks is None and (verbal | words("order")) & set(said):
        return ()
    ends = (verbal | words("preposition", "conjunction", "determiner")) - {"of"}
    nouns = list(takewhile(lambda word: word not in ends, said))
    while nouns and nouns[-1] in words("applying"):
        nouns.pop()
    phrase = " ".join(("", *nouns)).removesuffix(" of")
    return (phrase, phrase.partition(" of ")[0])


def _read_counted_noun(question: str) -> frozenset[str]:
    """Return the stems of the noun after "how many"; none where it is left out."""
    found = compile_pattern(load_part("counted")).search(question)
    if found is None or found[1].lower() in STOPWORDS:
        return frozenset()
    return frozenset(stems(found[1]))


def _find_figures(text: str) -> frozenset[str]:
    found = islice(compile_pattern(load_part("figure")).finditer(text), MOST_FIGURES)
    return frozenset(match.group().strip(".,").lower() for match in found)


def _remove_figures(figures: frozenset[str], sentence: str) -> str:
    """Remove the numbers of the question from a sentence."""
    words = sentence.split() if figures else (sentence,)
    return " ".join(w for w in words if w.strip(_MARKS).lower() not in figures)


def holds(needed: Needed, sentence: str, named: int) -> bool:
    """Return whether a sentence meets a requirement.

    Args:
        needed: as `find_requirement` returned it.
        sentence: of the passages that would be quoted.
        named: how many of the question's rare words it contains; a comparison needs two
            things that are compared, in one sentence, and what has the most of
            something needs both it and that.
    """
    if needed.kind in _OF_TWO:
        return named >= 2 and _matches_kind(needed.kind, sentence)
    if needed.kind == "figure" and not named:
        return False
    if needed.counted and not _names_counted(needed.counted, sentence):
        return False
    if needed.kind == "count":
        sentence = str(compile_pattern(load_part("uncounted")).sub(" ", sentence))
    if needed.kind in _OWN:
        sentence = _remove_figures(needed.figures, str(_NAME.sub(" ", sentence)))
    return _matches_kind(needed.kind, sentence)


def is_opposite(needed: Needed | None, text: str) -> bool:
    """Return whether a text names a cause, where a remedy against it is asked for."""
    if needed is None or needed.kind != "remedy":
        return False
    caused = compile_pattern(load_part("causes")).search(text) is not None
    return caused and not _matches_kind("remedy", text)


def _matches_kind(kind: str, text: str) -> bool:
    return compile_pattern(str(load_kinds()[kind].holds)).search(text) is not None


def _names_counted(noun: frozenset[str], sentence: str) -> bool:
    """Return whether a sentence names what is counted; all words for people are the
    same.
    """
    named = set(stems(sentence))
    return bool(named & _PEOPLE) if noun & _PEOPLE else noun <= named
