"""The nouns of a draft: untrusted, and they never leave the engine."""

from typing import Literal

from engine.corpus_records import Frozen


class DraftClaim(Frozen):
    """One statement of a draft: untrusted.

    `citations` are 1-based numbers of the evidence chunks. `quotation` says that the
    whole text is meant as a verbatim quotation (a block quote).
    """

    text: str
    citations: tuple[int, ...]
    quotation: bool = False


class DraftSection(Frozen):
    heading: str
    claims: tuple[DraftClaim, ...]


class Draft(Frozen):
    """What an answerer wrote: never leaves the engine."""

    sections: tuple[DraftSection, ...]
    not_found: tuple[str, ...] = ()
    mode: Literal["deterministic", "llm"] = "deterministic"
    model: str | None = None
