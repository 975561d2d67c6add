"""What a run of sentences needs to say something by itself: pure, over one chunk.

A heading, a title or a question says nothing (R-I3).
"""

import re2

from engine.corpus_records import BlockKind, Sentence
from engine.records import Chunk

_WORD = re2.compile(r"[\pL\pN]+")
# What a reader waits behind, and what somebody else is to say.
_OPEN_END = re2.compile(r"[?:\x{ff1f}\x{ff1a}][\pP\s]*$")


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
