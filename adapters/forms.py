"""Quotes cut at the blocks of their document, into runs with a form each."""

from typing import Literal

from engine.model.answer import Quote
from engine.model.document import BlockKind
from engine.model.passage import Chunk

Form = Literal["prose", "item", "code", "row", "heading"]

_FORMS: dict[BlockKind, Form] = {
    BlockKind.PARAGRAPH: "prose",
    BlockKind.LIST_ITEM: "item",
    BlockKind.CODE: "code",
    BlockKind.TABLE_ROW: "row",
    BlockKind.HEADING: "heading",
}


def cut_quote(quote: Quote, chunk: Chunk | None) -> list[tuple[Form, str]]:
    """Cut a quote into runs; only blanks at their ends are dropped.

    Code keeps the blanks before its first line, because indentation has meaning.

    Args:
        quote: verbatim text.
        chunk: the chunk it was selected from; without it the quote is one run of prose.
            Text outside of the chunk, which its sentences depend on, is cut by lines.
    """
    if chunk is None:
        return [("prose", quote.text)]
    runs = _cut_inside(quote, chunk)
    if runs and quote.end <= chunk.end:
        return runs
    form = runs[-1][0] if runs else "prose"
    beside = quote.text[max(0, chunk.end - quote.start) if runs else 0 :]
    if form == "code":
        return [*runs[:-1], (form, runs[-1][1] + beside)]
    if any(line[:1].isspace() for line in beside.split("\n")):
        return [*runs, ("code", beside.strip("\n "))]
    lines = (line.strip() for line in beside.split("\n"))
    return [*runs, *((form, line) for line in lines if line)]


def _cut_inside(quote: Quote, chunk: Chunk) -> list[tuple[Form, str]]:
    """Cut the part of a quote that is inside its chunk."""
    starts: list[tuple[int, BlockKind]] = []
    block = None
    for sentence in chunk.sentences:
        if sentence.end > quote.start and sentence.start < quote.end:
            if sentence.block != block:
                starts.append((max(sentence.start, quote.start), sentence.kind))
            block = sentence.block
    ends = [start for start, _ in starts[1:]] + [min(quote.end, chunk.end)]
    first = quote.start
    runs: list[tuple[Form, str]] = []
    for (_, kind), end in zip(starts, ends, strict=False):
        text = quote.text[first - quote.start : end - quote.start]
        runs.append((_FORMS[kind], _strip(text, _FORMS[kind])))
        first = end
    return runs


def _strip(text: str, form: Form) -> str:
    """Strip a run of the white space between it and others."""
    inner = text.strip("\n ")
    if form != "code":
        return inner
    lead = text[: len(text) - len(text.lstrip("\n "))]
    return lead[lead.rfind("\n") + 1 :] + inner
