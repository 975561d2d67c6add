"""Chunks made of sentences, for tests of passages, composition and extraction."""

from collections.abc import Sequence

from hypothesis import strategies

from engine.model.document import BlockKind, Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk

KINDS = list(BlockKind)
Line = tuple[str, BlockKind]


def chunk_of(lines: Sequence[Line], start: int = 0, **changes: object) -> Chunk:
    """A chunk of one block a line; list items lean on the line before the list."""
    sentences: list[Sentence] = []
    text, lead = "", None
    for number, (line, kind) in enumerate(lines):
        begin = start + len(text)
        span = Span(start=begin, end=begin + len(line))
        item = kind is BlockKind.LIST_ITEM
        sentences.append(
            Sentence(
                start=span.start,
                end=span.end,
                kind=kind,
                block=number,
                lead_in=lead if item else None,
                leans_on=(lead,) if item and lead else (),
                quotable=len(line) <= 1_800,
            )
        )
        lead = lead if item else span
        text += line + "\n"
    text = text.removesuffix("\n")
    return Chunk.model_validate(
        {
            "id": "c",
            "document": "d",
            "version": "v",
            "source": "two",
            "title": "T",
            "section": (),
            "ordinal": 0,
            "start": start,
            "end": start + len(text),
            "line_start": 1,
            "text": text,
            "sentences": tuple(sentences),
            **changes,
        }
    )


words = strategies.sampled_from(
    ["This", "However", "it", "Rinse", "the mouth", "twice.", "include:", "x" * 700]
)
lines = strategies.tuples(
    strategies.lists(words, min_size=1, max_size=5).map(" ".join),
    strategies.sampled_from(KINDS),
)
chunks = strategies.builds(
    chunk_of,
    strategies.lists(lines, min_size=1, max_size=12),
    strategies.integers(0, 5_000),
)

PLAIN_LINES = [("Rinse the mouth.", BlockKind.PARAGRAPH)]
