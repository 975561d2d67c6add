"""The sentences that a section needs beside its quotations.

The sentence that answers comes above the fields of a record. The level of evidence of a
recommendation is often in another sentence of its page: it is shown behind the
quotations, so that the last line of an answer reports as missing only what no passage
states.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.model.draft import Selected
from engine.policy.mix import FieldRule
from engine.policy.rules import Material
from engine.text.closure import is_selectable
from engine.text.kinds import detect_kind, shows
from engine.text.patterns import fold, matches
from engine.text.quotable import text_of
from engine.text.words import words
from engine.verify.limits import Part


@dataclass(frozen=True, slots=True)
class SectionParts:
    """A section of an answer in the making: its heading and its parts."""

    heading: str
    parts: list[Part]


def find_lead(sections: Sequence[SectionParts], material: Material) -> Part | None:
    """Return the part that comes nearest to the question; None where none may open.

    A part with the kind of answer asked for ("why") is nearer than any other. Only
    sections that lead count: an answer on trials never opens with a guideline.
    """
    leads = {rule.heading for rule in material.contract if rule.leads}
    parts = [p for s in sections if s.heading in leads for p in s.parts if p.quotes]
    asked = material.question
    kind = detect_kind(asked) or ("reason" if "why" in words(asked) else None)

    def rank(part: Part) -> tuple[bool, tuple[float, float]]:
        fits = kind is not None and shows(kind, part.text)
        return fits, max(_measure_nearness(part, material))

    return max(parts, key=rank, default=None)


def _measure_nearness(part: Part, material: Material) -> Iterator[tuple[float, float]]:
    """Yield the nearness of a part's quotations: of passage, then of sentence."""
    yield (0.0, float("-inf"))
    for passage in part.passages:
        chunk = material.chunks[passage.number - 1]
        for pick in chunk.picks:
            if passage.start <= chunk.sentences[pick.sentence].start < passage.end:
                yield (chunk.relevance, pick.score)


def find_missing_fields(
    section: SectionParts, material: Material
) -> Iterator[tuple[Selected, ...]]:
    """Yield sentences with the fields that a section lacks, a run for each document."""
    rules = [rule for rule in material.contract if rule.heading == section.heading]
    fields = [field for rule in rules for field in rule.fields]
    for document, shown in _join_shown(section, material).items():
        for field in fields:
            known = matches(field.patterns, fold(shown))
            found = (
                None if known else next(_find_stating(document, field, material), None)
            )
            if found is not None:
                yield (found,)


def _join_shown(section: SectionParts, material: Material) -> dict[str, str]:
    """Join the shown text of each document that a section quotes, with its title."""
    shown: dict[str, str] = {}
    for part in section.parts:
        for passage in part.passages:
            document = material.chunks[passage.number - 1].document
            shown[document] = f"{shown.get(document, part.above)} {part.text}"
    return shown


def _find_stating(
    document: str, field: FieldRule, material: Material
) -> Iterator[Selected]:
    """Yield the sentences of a document that state a field, in passage order."""
    for number, chunk in enumerate(material.chunks, start=1):
        if chunk.document != document:
            continue
        for at, sentence in enumerate(chunk.sentences):
            text = text_of(chunk, sentence)
            if is_selectable(sentence) and matches(field.patterns, fold(text)):
                yield Selected(chunk=number, sentence=at)
