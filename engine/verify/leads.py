"""The sentence that answers, which stands above the fields of a record (R-A2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.policy.rules import Material
from engine.text.kinds import expected, shows
from engine.text.words import words
from engine.verify.limits import Part


@dataclass(frozen=True, slots=True)
class SectionParts:
    """A section of an answer as it is put together: heading, and what stands below."""

    heading: str
    parts: list[Part]


def leading(sections: Sequence[SectionParts], material: Material) -> Part | None:
    """The part that comes nearest to the question; None where none may open.

    One that holds the kind of answer asked for ("why") is nearer than any other. Only
    of sections that lead: an answer on trials never opens with a guideline.
    """
    leads = {rule.heading for rule in material.contract if rule.leads}
    parts = [p for s in sections if s.heading in leads for p in s.parts if p.quotes]
    asked = material.question
    kind = expected(asked) or ("reason" if "why" in words(asked) else None)

    def rank(part: Part) -> tuple[bool, tuple[float, float]]:
        fits = kind is not None and shows(kind, part.text)
        return fits, max(_nearness(part, material))

    return max(parts, key=rank, default=None)


def _nearness(part: Part, material: Material) -> Iterator[tuple[float, float]]:
    """How near what a part quotes is: of its passage, then of its sentences."""
    yield (0.0, float("-inf"))
    for passage in part.passages:
        chunk = material.chunks[passage.number - 1]
        for pick in chunk.picks:
            if passage.start <= chunk.sentences[pick.sentence].start < passage.end:
                yield (chunk.relevance, pick.score)
