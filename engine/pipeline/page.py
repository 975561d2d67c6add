"""A page that is asked for in short, or as a link: the gate judges it as any other."""

from collections.abc import Iterator

from engine.gate import decide
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.parse.shape import names_page, shorten_page
from engine.pipeline.partial import Judge, Judged
from engine.policy.pack import Pack
from engine.search.page import find_page, gather_page, has_table
from engine.search.search import Searcher


async def judge_page(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack, judge: Judge
) -> Judged | None:
    """Judge the page that a question asks for, each section a part with its heading.

    None where it asks for none, or no title is near, or the gate stays closed for that
    page alone: its name is then asked about as any question is. Of the answer before,
    the page is that of its best passage.

    Raises:
        What `judge` raises.
        IndexFailed: the index cannot be searched.
        EmbedderFailed: the name cannot be encoded.
    """
    if not intent.page:
        return None
    first = await find_page(searcher, question, intent, pack)
    if first is None and shorten_page(intent.text):
        shorter = intent.model_copy(update={"text": shorten_page(intent.text)})
        first = await find_page(searcher, question, shorter, pack)
    if first is None and intent.this:
        before = await judge(intent)
        if not isinstance(before.decision, Open):
            return before
        first = max(before.decision.chunks, key=lambda chunk: chunk.relevance)
    if first is None:
        return None
    return await _judge_found(searcher, first, question, intent, pack)


async def judge_named(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> Judged | None:
    """Judge the tables of the page that all of a question names: "opening hours".

    None where it says more than a name, or no page of that very name holds a table.

    Raises:
        IndexFailed: the index cannot be searched.
        EmbedderFailed: the name cannot be encoded.
    """
    chosen = question.selection or question.evidence or question.chosen_from
    if chosen or intent.follow_up or not names_page(question.text):
        return None
    first = await find_page(searcher, question, intent, pack, exact=True)
    named = intent.model_copy(update={"page": "table"})
    if first is None:
        return None
    return await _judge_found(searcher, first, question, named, pack)


async def _judge_found(
    searcher: Searcher, first: Chunk, question: Question, intent: Intent, pack: Pack
) -> Judged | None:
    evidence = await gather_page(searcher, first, question, intent, pack)
    decision = decide(evidence, intent, pack, pack.register())
    if isinstance(decision, Open):
        parts = tuple(_parts(decision))
        if intent.page == "table":
            parts = tuple(part for part in parts if any(map(has_table, part.chunks)))
        if not parts:
            return None
        decision = decision.model_copy(update={"parts": parts})
    opens = isinstance(decision, Open)
    return Judged(evidence, decision) if opens or intent.this else None


def _parts(opened: Open) -> Iterator[Open]:
    for chunk in opened.chunks:
        yield opened.model_copy(
            update={"chunks": (chunk,), "heading": _name_section(chunk)}
        )


def _name_section(chunk: Chunk) -> str:
    """Return the title of a chunk's section; empty above the first."""
    last = "".join(chunk.section[-1:])
    return "" if last.casefold() == chunk.title.casefold() else last
