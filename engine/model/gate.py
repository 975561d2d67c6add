"""What the gate decides: open with the passages that may be used, or closed."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from engine.model.codes import Reason
from engine.model.frozen import Frozen
from engine.model.passage import Chunk


class Open(Frozen):
    """The gate opened by the pack's opening `rule`; only `chunks` may be used.

    They come from `documents` documents, of which R-I3 wants `required_documents`
    cited. `parts` are the gates of a question's parts where they were judged one by
    one, `missing` those that stayed closed, as asked (R-A12), and names that nothing
    bears; `named` are the documents about what is named, `leading` the records of what
    the best passage is about, where nothing is; `numbers` what it took.
    """

    verdict: Literal["open"] = "open"
    rule: str
    chunks: tuple[Chunk, ...]
    documents: int
    required_documents: int = 1
    tier_one: bool
    minimum_citations: int
    parts: tuple["Open", ...] = ()
    missing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    numbers: Mapping[str, float] = Field(default_factory=dict)


class Closed(Frozen):
    """The gate stayed closed: `explanation` in plain words, `numbers` it compared."""

    verdict: Literal["closed"] = "closed"
    reason: Reason
    explanation: str
    numbers: Mapping[str, float] = Field(default_factory=dict)


GateDecision = Open | Closed
