"""Whose word a question asks for: the sources that it names ("NCCN"), by type."""

from collections.abc import Iterable, Sequence

from engine.lexicon import words
from engine.policy.pack import Pack
from engine.records import Chunk, Intent


def types_named(text: str, types: Iterable[str]) -> frozenset[str]:
    """The types of sources that a question says as a word."""
    said = frozenset(words(text))
    return frozenset(name for name in types if name.casefold() in said)


def unheard(intent: Intent, chunks: Sequence[Chunk], pack: Pack) -> tuple[str, ...]:
    """The publishers that the question names, whom no passage found is of.

    Those alone that the contract's first section quotes: another one's word would stand
    there as if it were theirs (R-A2).
    """
    sections, register = pack.rule(intent.query_type).sections, pack.register()
    asked = sections[0].sources if sections else ()
    held = {name for c in chunks for name in (c.source, register[c.source].type)}
    lost = types_named(intent.text, asked) - held
    return tuple(
        (register[name].publisher if name in register else name)
        for name in asked
        if name in lost
    )
