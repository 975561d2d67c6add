"""What of a draft may be shown, and whether it states anything of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.context import states
from engine.records import Quote
from engine.validate.citations import Passage
from engine.validate.material import Material


@dataclass(frozen=True, slots=True)
class Part:
    """Something of a draft that may be shown; a fixed text has no `passages`."""

    text: str
    passages: tuple[Passage, ...] = ()
    quotes: tuple[Quote, ...] = ()
    quotation: bool = False
    sensitive: bool = False


def stating(parts: Sequence[Part], material: Material) -> list[Part]:
    """The parts without passages that state nothing, such as a heading (R-I3).

    A part goes with the last of its passages; prose with the first that it quotes.
    """
    kept: list[Part] = []
    for part in parts:
        passages = tuple(p for p in part.passages if _states(p, material))
        quoting = part.quotes and not part.quotation
        needed = len(part.passages) if quoting else min(1, len(part.passages))
        if len(passages) >= needed:
            kept.append(replace(part, passages=passages))
    return kept


def _states(passage: Passage, material: Material) -> bool:
    chunk = material.chunks[passage.number - 1]
    return states(chunk, passage.start, passage.end, material.question)


def repeats(part: Part, shown: Sequence[Quote]) -> bool:
    """Whether a quotation lies within one that its section shows already."""
    return part.quotation and any(
        quote.version == part.quotes[0].version
        and quote.document == part.quotes[0].document
        and quote.start <= part.quotes[0].start
        and part.quotes[0].end <= quote.end
        for quote in shown
    )
