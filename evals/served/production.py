"""The product's own reading of quotations in a served text: engine/validate.

Imported only when `served_text` scores, since it brings the engine with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.validate.quotes import quotations
from engine.validate.text import find_quote, fold, known_words


@dataclass(frozen=True, slots=True)
class Read:
    """A quotation as the product reads it, and whether it stands in a passage."""

    inner: str
    anchored: bool


def read(text: str, passages: Sequence[str]) -> tuple[Read, ...]:
    """Every quotation of a text, anchored in one of the passages or not.

    Args:
        text: what is served; its block quotations begin with ">".
        passages: the texts that the answer cites.
    """
    return tuple(
        Read(found.inner, any(_stands(found.inner, passage) for passage in passages))
        for found in quotations(text)
    )


def _stands(quotation: str, passage: str) -> bool:
    known = known_words(passage)
    wanted = fold(quotation.strip(), known)
    return find_quote(wanted, fold(passage, known)) is not None
