"""The nouns of a draft: untrusted, and they never leave the engine."""

from typing import Annotated, Literal

from pydantic import Field

from engine.documents.records import Frozen


class Selected(Frozen):
    """A sentence of the evidence: the chunk's number from 1, the sentence's from 0."""

    chunk: Annotated[int, Field(ge=1)]
    sentence: Annotated[int, Field(ge=0)]


class DraftClaim(Frozen):
    """One statement of a draft: untrusted.

    `sentences` are what it selects, which is shown as one quotation where one chunk
    holds them. Where a model wrote prose, `text` is that with the 1-based numbers of
    the chunks that it cites: a pointer to sentences, and never shown.
    """

    sentences: tuple[Selected, ...] = ()
    text: str = ""
    citations: tuple[int, ...] = ()


class DraftSection(Frozen):
    heading: str
    claims: tuple[DraftClaim, ...]


class Draft(Frozen):
    """What an answerer selected: never leaves the engine.

    `texts` are ids of the pack's fixed texts that may stand below the answer.
    """

    sections: tuple[DraftSection, ...]
    texts: tuple[str, ...] = ()
    mode: Literal["deterministic", "llm"] = "deterministic"
    model: str | None = None
