"""A quote cut where its document starts a new block, each run with its form."""

from typing import Literal

from engine.corpus_records import BlockKind
from engine.records import Chunk, Quote

Form = Literal["prose", "item", "code", "row", "heading"]

_FORMS: dict[BlockKind, Form] = {
    BlockKind.PARAGRAPH: "prose",
    BlockKind.LIST_ITEM: "item",
    BlockKind.CODE: "code",
    BlockKind.TABLE_ROW: "row",
    BlockKind.HEADING: "heading",
}


def cut(quote: Quote, chunk: Chunk | None) -> list[tuple[Form, str]]:
    """The runs of a quote in order; every character is kept but blanks at their ends.

    Args:
        quote: verbatim text.
        chunk: that it stands in; without it the quote is one run of prose.
    """
    starts: list[tuple[int, BlockKind]] = []
    block = None
    for sentence in chunk.sentences if chunk else ():
        if sentence.end > quote.start and sentence.start < quote.end:
            if sentence.block != block:
                starts.append((max(sentence.start, quote.start), sentence.kind))
            block = sentence.block
    if not starts:
        return [("prose", quote.text)]
    ends = [start for start, _ in starts[1:]] + [quote.end]
    first = quote.start
    runs: list[tuple[Form, str]] = []
    for (_, kind), end in zip(starts, ends, strict=True):
        text = quote.text[first - quote.start : end - quote.start].strip("\n ")
        runs.append((_FORMS[kind], text))
        first = end
    return runs
