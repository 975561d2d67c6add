"""Which of the later parts of a question the quotations say nothing of.

What a question mainly asks is its first part; it is answered or refused as a whole. A
later part is named as not found only where every rare word of it stands nowhere in the
quoted passages or above them (R-A12): a part in everyday words is left alone, since its
answer may be there in other words.
"""

from collections.abc import Collection, Iterator, Sequence

from engine.lexicon import stems
from engine.parts import split
from engine.records import Chunk


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
    first, *later = split(question) or [""]
    told = set(stems(first))
    for part in later:
        asked = (set(stems(part)) & weighty) - told
        if asked and not asked & known:
            yield part
