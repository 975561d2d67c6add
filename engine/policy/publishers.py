"""Whose word a question asks for: the sources that it names ("NCCN"), by type."""

from collections.abc import Iterable, Sequence

from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.text.words import words


def types_named(text: str, types: Iterable[str]) -> frozenset[str]:
    """The types of sources that a question says as a word."""
    said = frozenset(words(text))
    return frozenset(name for name in types if name.casefold() in said)


def unheard(intent: Intent, chunks: Sequence[Chunk], pack: Pack) -> tuple[str, ...]:
    """The publishers that the question names, whom no passage found is of.

    Those alone that the contract's first section quotes: another one's word would stand
    there as if it were theirs (R-A2). Of a follow-up what it names itself: of others
    the question before it was answered.
    """
    sections, register = pack.rule(intent.query_type).sections, pack.register()
    asked = sections[0].sources if sections else ()
    held = {name for c in chunks for name in (c.source, register[c.source].type)}
    text = " ".join(intent.named) if intent.follow_up else intent.text
    lost = types_named(text, asked) - held
    return tuple(
        (register[name].publisher if name in register else name)
        for name in asked
        if name in lost
    )
