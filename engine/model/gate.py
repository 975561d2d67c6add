"""The gate's decision: open with the passages that may be used, or closed."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from engine.model.codes import Reason
from engine.model.frozen import Frozen
from engine.model.passage import Chunk


class Open(Frozen):
    """The gate opened by the pack's opening `rule`; only `chunks` may be used.

    They come from `documents` documents, of which an answer has to cite
    `required_documents`. `parts` are the gates of a question's parts where they were
    judged one by one; `missing` are the parts that stayed closed, as asked, and names
    that no document has. `named` are the documents about entities that the question
    names, `leading` the records of the best passage's entity, where it names none.
    `numbers` are the values that were compared. `heading` stands above what is quoted
    of a part: a section of a page that is asked for in short, or one of two things that
    are compared.
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
    heading: str = ""

    @property
    def headings(self) -> tuple[str, ...]:
        """Return those of its parts; none where these are not shown apart."""
        return tuple(part.heading for part in self.parts if part.heading)


class Closed(Frozen):
    """The gate closed: `explanation` in plain words, `numbers` the values compared."""

    verdict: Literal["closed"] = "closed"
    reason: Reason
    explanation: str
    numbers: Mapping[str, float] = Field(default_factory=dict)


GateDecision = Open | Closed
