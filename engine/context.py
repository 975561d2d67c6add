"""What a run of sentences needs to say something by itself: pure, over one chunk.

A heading, a title or a question says nothing (R-I3), nor does a list item without
what introduces it (R-A14).
"""

import re2

from engine.corpus_records import BlockKind, Sentence
from engine.records import Chunk

_WORD = re2.compile(r"[\pL\pN]+")
# What a reader waits behind, and what somebody else is to say.
_OPEN_END = re2.compile(r"[?:\x{ff1f}\x{ff1a}][\pP\s]*$")
_SENTENCE = re2.compile(r"[.!?\x{2026}][\pP\s]*$")


def text_of(chunk: Chunk, sentence: Sentence) -> str:
    """The text of one sentence of a chunk."""
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def states(chunk: Chunk, start: int, end: int, asked: str) -> bool:
    """Whether [start, end) of the canonical text holds a statement.

    Headings, titles, questions, what only announces a list, and `asked`, the question,
    in its own words are none.
    """
    told = {_words(text) for text in (asked, chunk.title, *chunk.section)}
    return any(
        _is_statement(chunk, sentence, told)
        for sentence in chunk.sentences
        if sentence.start < end and start < sentence.end
    )


def _is_statement(chunk: Chunk, sentence: Sentence, told: set[tuple[str, ...]]) -> bool:
    text = text_of(chunk, sentence)
    if sentence.kind is BlockKind.CODE:
        return True
    if sentence.kind is BlockKind.HEADING or _OPEN_END.search(text):
        return False
    return _words(text) not in told


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def led_from(
    chunk: Chunk, first: int, last: int, told: int | None = None
) -> int | None:
    """Where sentences `first` to `last` have to begin to hold what introduces them.

    No list item of the run lacks its lead-in then (R-A14). None where one stands in
    another chunk, or nowhere: such an item cannot be quoted.

    Args:
        chunk: the chunk.
        first: index of the run's first sentence.
        last: index of its last.
        told: offset from which on what stands right before the run is shown already.
    """
    begin = first
    for at in range(last, -1, -1):
        if at < begin:
            break
        lead = lead_of(chunk, at)
        if lead is None:
            return None
        if lead < begin and (told is None or chunk.sentences[lead].start < told):
            begin = lead
    return begin


def may_quote(chunk: Chunk, first: int, last: int) -> bool:
    """Whether every sentence of a run may be quoted.

    A heading that states nothing may where it introduces the list right below it.
    """
    run = chunk.sentences[first : last + 1]
    opens = run[0].kind is BlockKind.HEADING and len(run) > 1
    leads = opens and lead_of(chunk, first + 1) == first
    return all(sentence.quotable for sentence in run[leads:])


def lead_of(chunk: Chunk, at: int) -> int | None:
    """Index of what introduces a list item; its own where nothing has to.

    Pages lose the levels of their lists, so an item with a colon at its end introduces
    those after it. Where neither stands there, an item that is no whole sentence is led
    by what the list stands under. None where the chunk does not hold it.
    """
    sentence = chunk.sentences[at]
    if sentence.lead_in is not None:
        lead = sentence.lead_in.start
        return next((i for i in range(at) if chunk.sentences[i].start == lead), None)
    if sentence.kind is not BlockKind.LIST_ITEM or announces(chunk, at):
        return at
    whole = _SENTENCE.search(text_of(chunk, sentence)) is not None
    for index in range(at - 1, -1, -1):
        before = chunk.sentences[index]
        if before.block == sentence.block:
            continue
        if before.kind is not BlockKind.LIST_ITEM:
            return at if whole else index
        if announces(chunk, index):
            return index
    return at if whole else None


def announces(chunk: Chunk, at: int) -> bool:
    """Whether a sentence ends with a colon."""
    return text_of(chunk, chunk.sentences[at]).rstrip().endswith((":", "\uff1a"))
