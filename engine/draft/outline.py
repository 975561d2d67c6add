"""A page in short: the first sentences of each section, under its heading.

Of a passage the first that is worth quoting is taken (its anchors), with all that it
leans on; of few sections more of each, as many as an answer has to cite.
"""

from collections.abc import Iterator
from itertools import groupby

from engine.draft.extract import (
    LONGEST_ANSWER,
    Passage,
    is_repeated,
    make_passages,
    make_section,
)
from engine.model.document import BlockKind
from engine.model.draft import Draft, DraftSection
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.text.closure import is_selectable
from engine.text.quotable import Range, expand


def write_outline(opened: Open, intent: Intent, pack: Pack) -> Draft:
    """Select what each section of a page says first, as many as fit.

    Of a page whose link alone is asked for no more than has to be cited.
    """
    asked = opened.minimum_citations if intent.sensitive else 1
    needed = max(asked, pack.citations.minimum_sensitive)
    link, tables = intent.page == "link", intent.page == "table"
    each = needed if link or len(opened.parts) < needed else 1
    numbers = {chunk.id: at for at, chunk in enumerate(opened.chunks, start=1)}
    chosen: list[Passage] = []
    sections: list[DraftSection] = []
    room = LONGEST_ANSWER
    for part in opened.parts:
        passages: list[Passage] = []
        number = numbers[part.chunks[0].id]
        for passage in _list_sentences(opened, number, tables=tables):
            if len(passages) < each and not is_repeated(passage, (*chosen, *passages)):
                passages.append(passage)
        room -= sum(len(passage.text) for passage in passages)
        if (room < 0 or link) and len(chosen) >= needed:
            break
        chosen += passages
        sections.append(make_section(passages, part.heading))
    return Draft(sections=tuple(section for section in sections if section.claims))


def _list_sentences(opened: Open, number: int, *, tables: bool) -> Iterator[Passage]:
    """Yield what may be shown of a passage, sentence by sentence; anchors first.

    A table comes whole, and an item with its list: alone it says nothing of a page.
    """
    chunk = opened.chunks[number - 1]
    places = [at for at, each in enumerate(chunk.sentences) if is_selectable(each)]
    places.sort(key=lambda at: chunk.sentences[at].anchor is None)
    if tables:
        places.sort(key=lambda at: chunk.sentences[at].kind is not BlockKind.TABLE_ROW)
    for at in places:
        listed = chunk.sentences[at].kind is BlockKind.LIST_ITEM
        whole = expand(chunk, at) if listed else _find_table(chunk, at)
        alone = [*make_passages(opened, number, whole or Range(at, at), 0.0)]
        yield from alone or make_passages(opened, number, expand(chunk, at), 0.0)


def _find_table(chunk: Chunk, at: int) -> Range | None:
    """Find the table of a row, as far as its passage goes."""
    kinds = [each.kind for each in chunk.sentences]
    first = 0
    for kind, run in groupby(kinds):
        last = first + len(list(run)) - 1
        if kind is BlockKind.TABLE_ROW and first <= at <= last:
            return Range(first, last)
        first = last + 1
    return None
