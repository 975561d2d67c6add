"""The nouns of a draft: untrusted, and they never leave the engine."""

from typing import Annotated, Literal

from pydantic import Field

from engine.documents.records import Frozen


class Selected(Frozen):
    """A sentence of the evidence: the chunk's number from 1, the sentence's from 0."""

    chunk: Annotated[int, Field(ge=1)]
    sentence: Annotated[int, Field(ge=0)]


class DraftClaim(Frozen):
    """Sentences that a draft selects: one quotation where one chunk holds them."""

    sentences: Annotated[tuple[Selected, ...], Field(min_length=1)]


class DraftSection(Frozen):
    heading: str
    claims: tuple[DraftClaim, ...]


class Draft(Frozen):
    """What an answerer selected: never leaves the engine.

    Attributes:
        texts: ids of the pack's fixed texts that may stand below the answer.
        unknown: numbers that a model named and that were not offered (R-V1).
        discarded: how many words it wrote beside numbers (R-V2).
    """

    sections: tuple[DraftSection, ...]
    texts: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()
    discarded: Annotated[int, Field(ge=0)] = 0
    mode: Literal["deterministic", "llm"] = "deterministic"
    model: str | None = None
