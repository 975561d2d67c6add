"""Whether a selection answers this question, a model's selection or our own.

A sentence of a source is true of the subject of its page, and that has to be the
subject of the question: nothing below a heading about children answers a question that
names none, and a question for a dose is answered only where one is stated. These are
rules over the question and the sentence with its dependencies and headings; a judge may
only take away.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

import re2

from engine.model.passage import Chunk
from engine.text.required import Needed, find_requirement, holds, is_opposite
from engine.text.sides import Sides, find_other_side, read_asked_sides, read_sides
from engine.text.words import STOPWORDS, stem, stemmed, words

_LISTED = re2.compile(r"(?i)[,;/&]|\b(?:and|or)\b")


class Verdict(StrEnum):
    """Whether a sentence answers the question.

    PARTIAL, for one that leaves a doubt, would need a measure of how well it answers.
    """

    SUPPORTED = "SUPPORTED"
    UNSUPPORTED = "UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one statement as an answer, and why it is not SUPPORTED."""

    verdict: Verdict
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRequirements:
    """What an answer to a question has to hold.

    `stems` are those of the question's content words, `others` the populations that it
    does not name, `named` those that it does (each the stems of the words for one).
    `kinds` are the kinds of entities that it names, `other_kinds` the rest; none where
    it names none. `sides` are those of attributes that it names ("ctDNA-negative",
    "stage II").
    """

    needed: Needed | None
    stems: frozenset[str]
    named: tuple[tuple[str, ...], ...]
    others: tuple[tuple[str, ...], ...]
    kinds: tuple[tuple[str, ...], ...] = ()
    other_kinds: tuple[tuple[str, ...], ...] = ()
    sides: Sides = field(default_factory=dict)

    @classmethod
    def from_question(
        cls,
        question: str,
        populations: Iterable[Sequence[str]],
        kinds: Iterable[Sequence[str]] = (),
    ) -> Self:
        """Read a question; `populations` and `kinds` are the pack's, each a group of
        words.
        """
        said = stemmed(question)
        groups = [tuple(stemmed(word) for word in group) for group in populations]
        named = tuple(g for g in groups if any(form in said for form in g))
        every = [tuple(stemmed(word) for word in group) for group in kinds]
        asked = tuple(g for g in every if any(form in said for form in g))
        return cls(
            needed=find_requirement(question),
            stems=frozenset(stem(w) for w in words(question) if w not in STOPWORDS),
            named=named,
            others=tuple(g for g in groups if g not in named),
            kinds=asked,
            other_kinds=tuple(g for g in every if asked and g not in asked),
            sides=read_asked_sides(question),
        )

    def judge(self, above: Sequence[str], text: str = "") -> Judgement:
        """Judge one statement by its text and by the title and headings above it.

        UNSUPPORTED where one of them narrows it to others than were asked about. A
        heading that names them behind something else ("Drugs, pregnancy and surgery")
        does not.
        """
        others = self._others(above)
        if others is not None:
            why = f"speaks of others than were asked about ({others})"
            return Judgement(Verdict.UNSUPPORTED, why)
        if is_opposite(self.needed, text):
            why = "says what causes it, where what works against it was asked for"
            return Judgement(Verdict.UNSUPPORTED, why)
        kind = self._other_kind(above, text)
        if kind is not None:
            why = f"speaks of {kind}, which was not asked about"
            return Judgement(Verdict.UNSUPPORTED, why)
        instead = find_other_side(self.sides, read_sides(text)) if self.sides else None
        if instead is not None:
            why = f"speaks of {instead}, which was not asked about"
            return Judgement(Verdict.UNSUPPORTED, why)
        return Judgement(Verdict.SUPPORTED)

    def _others(self, above: Sequence[str]) -> str | None:
        """Return the population that a heading narrows it to and that was not asked
        about.
        """
        if not self.others:
            return None
        place = "".join(stemmed(str(_LISTED.split(line)[0])) for line in above)
        return _find_first(place, self.others)

    def _other_kind(self, above: Sequence[str], text: str) -> str | None:
        """Return the kind in the headings that was not asked about.

        None where the headings or the text name one that was.
        """
        if not self.other_kinds:
            return None
        headings = "".join(map(stemmed, above))
        found = _find_first(headings, self.other_kinds)
        if (
            found is None
            or _find_first(headings + stemmed(text), self.kinds) is not None
        ):
            return None
        return found

    def find_lack(self, told: Sequence[tuple[str, str]]) -> str | None:
        """Return why statements do not answer; None where they do.

        Each comes with the text above it; cells of a row with their heads. One of them
        has to name the population of the question, and one to hold what no answer can
        do without, beside the subject of the question.
        """
        said = [(text, stemmed(above) + stemmed(text)) for text, above in told]
        for group in self.named:
            if not any(form in each for _, each in said for form in group):
                return f"does not speak of whom was asked about ({group[0].strip()})"
        kinds = [form for group in self.kinds for form in group]
        if kinds and not any(form in each for _, each in said for form in kinds):
            return f"does not speak of what was asked about ({kinds[0].strip()})"
        needed = self.needed
        if needed is None or any(
            holds(needed, text, sum(f" {stem} " in each for stem in self.stems))
            for text, each in said
        ):
            return None
        return f"holds no {needed.kind}, which the question asks for"


def _find_first(said: str, groups: Iterable[Sequence[str]]) -> str | None:
    """Return the first form of the first group of which a form occurs in `said`, or
    None.
    """
    for group in groups:
        if any(form in said for form in group):
            return group[0].strip()
    return None


def find_off_topic(
    chunks: Sequence[Chunk], question: str, kinds: Iterable[Sequence[str]]
) -> frozenset[str]:
    """Return the ids of passages about another of the `kinds` than was asked about.

    A draft would lose them, so they take no place and open no gate either.
    """
    asked = replace(AnswerRequirements.from_question(question, (), kinds), sides={})
    return frozenset(
        chunk.id
        for chunk in chunks
        if asked.judge((chunk.title, *chunk.section), chunk.text).verdict
        is Verdict.UNSUPPORTED
    )
