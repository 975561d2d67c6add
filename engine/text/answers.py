"""Whether a selection answers this question (R-V4), a model's and our own alike.

A sentence of a source is true of what its page speaks of. What it is about has to be
what was asked: nothing that stands under a heading about children answers a question
that names none, and a question for a dose is answered only where one stands. Rules over
the question and the sentence with its closure and headings; a judge may only take away.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

import re2

from engine.model.passage import Chunk
from engine.text.required import Needed, holds, opposite, required
from engine.text.sides import Sides, asked_sides, other_side, sides
from engine.text.words import STOPWORDS, stem, stemmed, words

_LISTED = re2.compile(r"(?i)[,;/&]|\b(?:and|or)\b")


class Verdict(StrEnum):
    """R-V4: a sentence that answers, or one that is beside the question.

    PARTIAL, one that leaves a doubt, needs a measure of how well a sentence answers.
    """

    SUPPORTED = "SUPPORTED"
    UNSUPPORTED = "UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one statement as an answer, and why it is not SUPPORTED."""

    verdict: Verdict
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks of an answer.

    `stems` are those of its content words, `others` the populations that it does not
    name, `named` those that it does (each the stems of the words for one). `kinds` are
    the kinds of things that it names, `other_kinds` the rest; none where it names none.
    `sides` are those of attributes that it names ("ctDNA-negative", "stage II").
    """

    needed: Needed | None
    stems: frozenset[str]
    named: tuple[tuple[str, ...], ...]
    others: tuple[tuple[str, ...], ...]
    kinds: tuple[tuple[str, ...], ...] = ()
    other_kinds: tuple[tuple[str, ...], ...] = ()
    sides: Sides = field(default_factory=dict)

    @classmethod
    def by(
        cls,
        question: str,
        populations: Iterable[Sequence[str]],
        kinds: Iterable[Sequence[str]] = (),
    ) -> Self:
        """Read a question; `populations` and `kinds` are the pack's, words for each."""
        said = stemmed(question)
        groups = [tuple(stemmed(word) for word in group) for group in populations]
        named = tuple(g for g in groups if any(form in said for form in g))
        every = [tuple(stemmed(word) for word in group) for group in kinds]
        asked = tuple(g for g in every if any(form in said for form in g))
        return cls(
            needed=required(question),
            stems=frozenset(stem(w) for w in words(question) if w not in STOPWORDS),
            named=named,
            others=tuple(g for g in groups if g not in named),
            kinds=asked,
            other_kinds=tuple(g for g in every if asked and g not in asked),
            sides=asked_sides(question),
        )

    def judge(self, above: Sequence[str], text: str = "") -> Judgement:
        """One statement, by its title and headings, and by what it says.

        UNSUPPORTED where one narrows it to others than were asked about. A heading
        that names them behind something else ("Drugs, pregnancy and surgery") does not.
        """
        others = self._others(above)
        if others is not None:
            why = f"speaks of others than were asked about ({others})"
            return Judgement(Verdict.UNSUPPORTED, why)
        if opposite(self.needed, text):
            why = "says what causes it, where what works against it was asked for"
            return Judgement(Verdict.UNSUPPORTED, why)
        kind = self._other_kind(above, text)
        if kind is not None:
            why = f"speaks of {kind}, which was not asked about"
            return Judgement(Verdict.UNSUPPORTED, why)
        instead = other_side(self.sides, sides(text)) if self.sides else None
        if instead is not None:
            why = f"speaks of {instead}, which was not asked about"
            return Judgement(Verdict.UNSUPPORTED, why)
        return Judgement(Verdict.SUPPORTED)

    def _others(self, above: Sequence[str]) -> str | None:
        """The population that was not asked about and that a heading narrows it to."""
        if not self.others:
            return None
        place = "".join(stemmed(str(_LISTED.split(line)[0])) for line in above)
        return _first_in(place, self.others)

    def _other_kind(self, above: Sequence[str], text: str) -> str | None:
        """The kind in the headings that was not asked about, where none is that was."""
        if not self.other_kinds:
            return None
        headings = "".join(map(stemmed, above))
        found = _first_in(headings, self.other_kinds)
        if found is None or _first_in(headings + stemmed(text), self.kinds) is not None:
            return None
        return found

    def lacks(self, told: Sequence[tuple[str, str]]) -> str | None:
        """Why statements, each with what stands above it, do not answer; None: they do.

        Rows of tables are told with what heads their cells.

        One of them has to name whom the question is about, and one to hold what no
        answer can do without, beside what is asked about.
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


def _first_in(said: str, groups: Iterable[Sequence[str]]) -> str | None:
    """The first of the groups of which a form stands in stems, by its first form."""
    for group in groups:
        if any(form in said for form in group):
            return group[0].strip()
    return None


def beside(
    chunks: Sequence[Chunk], question: str, kinds: Iterable[Sequence[str]]
) -> frozenset[str]:
    """The ids of passages about another of the `kinds` of things than was asked about.

    A draft would lose them, so they take no place and open no gate either.
    """
    asked = replace(Asked.by(question, (), kinds), sides={})
    return frozenset(
        chunk.id
        for chunk in chunks
        if asked.judge((chunk.title, *chunk.section), chunk.text).verdict
        is Verdict.UNSUPPORTED
    )
