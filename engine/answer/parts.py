"""The parts of a question, and which of the later ones the quotations say nothing of.

What a question mainly asks is its first part; it is answered or refused as a whole. A
later part is named as not found only where every rare word of it stands nowhere in the
quoted passages or above them (R-A12): a part in everyday words is left alone, since its
answer may be there in other words.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import re2

from engine.lexicon import stems
from engine.records import Chunk

_ASKS = (
    r"how|what|which|who|when|where|why|can|could|does|do|did|is|are|was|were|should|"
    r"will|would|must|may"
)
_JOINT = re2.compile(rf"(?i)[?!;.]\s+|,?\s+and\s+(?:also\s+)?(?:{_ASKS})\b")
_ALSO = re2.compile(r"(?i)^,?\s*and\s+(?:also\s+)?")


def parts(question: str) -> list[str]:
    """The parts of a question in order, in its own words."""
    cuts = [0, *(match.start() for match in _JOINT.finditer(question)), len(question)]
    found = []
    for start, end in pairwise(cuts):
        text = _ALSO.sub("", question[start:end].strip(" ?!;.,"))
        if text:
            found.append(text)
    return found


def not_found(
    question: str, rare: Collection[str], quoted: Sequence[str], chunks: Sequence[Chunk]
) -> Iterator[str]:
    """The later parts of a question that nothing quoted speaks to.

    Args:
        question: as understood.
        rare: its rare words, as written.
        quoted: the texts of the quotations.
        chunks: where they come from; titles and sections count too.
    """
    above = (" ".join((chunk.title, *chunk.section)) for chunk in chunks)
    known = set(stems("\n".join((*quoted, *above))))
    weighty = {stem for word in rare for stem in stems(word)}
    first, *later = parts(question) or [""]
    told = set(stems(first))
    for part in later:
        asked = (set(stems(part)) & weighty) - told
        if asked and not asked & known:
            yield part
