"""The product's own reading of quotations in a served text: engine/validate.

Imported only when `served_text` scores, since it brings the engine with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.validate.quotes import quotations
from engine.validate.shown import OMITTED
from engine.validate.text import find_quote, fold, known_words


@dataclass(frozen=True, slots=True)
class Read:
    """A quotation as the product reads it, and whether it stands in a passage."""

    inner: str
    anchored: bool


def read(text: str, documents: Sequence[str]) -> tuple[Read, ...]:
    """Every quotation of a text, anchored in one of the documents or not.

    Args:
        text: what is served; its block quotations begin with ">".
        documents: the texts of the document versions that the answer cites.
    """
    return tuple(
        Read(found.inner, any(_holds(document, found.inner) for document in documents))
        for found in quotations(text)
    )


def _holds(document: str, quotation: str) -> bool:
    runs = [run for run in quotation.split(OMITTED) if run.strip()]
    return bool(runs) and all(_stands(run, document) for run in runs)


def _stands(quotation: str, passage: str) -> bool:
    known = known_words(passage)
    wanted = fold(quotation.strip(), known)
    return find_quote(wanted, fold(passage, known)) is not None
