"""Whether a question fits the sentences that are to answer it.

They have to hold its figures and names, and the kind of answer that it asks for. The
gate decides the rest (trial.py).
"""

from collections.abc import Sequence

import re2

from engine.model.passage import Chunk
from engine.text.kinds import detect_kind, shows
from engine.text.legible import legible
from engine.text.tokens import Kind, Token, tokenize
from engine.text.words import stems

# A word with a capital that does not open a sentence.
_NAME = re2.compile(r"[^\s.?!:\"'(]\s+[\"'(]*(\p{Lu}[\pL\pN][\pL\pN-]*)")


def find_misfit(question: str, chunk: Chunk, sentences: Sequence[str]) -> str | None:
    """Return why a question does not fit a passage; None where it does.

    Args:
        question: in any words.
        chunk: the passage, whose title and headings count as well.
        sentences: those that answer; all of the passage where none were named.
    """
    said = "\n".join(sentences) or chunk.text
    around = "\n".join((chunk.title, *chunk.section, said))
    held = {token.key for token in tokenize(legible(around))}
    missing = [
        token.word
        for token in tokenize(legible(question))
        if _is_figure(token) and token.key not in held
    ]
    if missing:
        return f"{missing[0]!r} does not stand there"
    known = set(stems(around))
    for name in _NAME.findall(legible(question)):
        if not set(stems(name)) <= known:
            return f"the name {name!r} does not stand there"
    kind = detect_kind(legible(question))
    if kind is not None and not shows(kind, legible(said)):
        return f"it asks for a {kind}, and none stands there"
    return None


def _is_figure(token: Token) -> bool:
    """Return whether a token is a number in digits or an identifier: use_sim_time,
    5-FU.

    The "one" of "one of the three" is no figure.
    """
    written = token.kind in (Kind.NUMBER, Kind.NAME)
    return written and not token.word.replace("-", "").isalpha()
