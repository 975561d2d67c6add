"""A draft, what a language model is asked for, and what comes back: never trusted.

None of these nouns leaves the engine.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from engine.model.frozen import Frozen
from engine.model.prompt import Prompt


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
    """The selection of an answerer; it never leaves the engine.

    Attributes:
        texts: ids of the pack's fixed texts that may follow the answer.
        unknown: numbers that a model named and that were not offered.
        discarded: how many words it wrote beside numbers.
    """

    sections: tuple[DraftSection, ...]
    texts: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()
    discarded: Annotated[int, Field(ge=0)] = 0
    mode: Literal["deterministic", "llm"] = "deterministic"
    model: str | None = None


class Offered(Frozen):
    """One sentence that may be selected, under its number; it depends on `before`."""

    number: Annotated[int, Field(ge=1)]
    selected: Selected
    text: str
    before: tuple[str, ...] = ()


class Passage(Frozen):
    """One passage of the evidence, as the sentences that may be selected from it."""

    title: str
    section: tuple[str, ...] = ()
    dated: date | None = None
    sentences: Annotated[tuple[Offered, ...], Field(min_length=1)]


class Order(Frozen):
    """One draft to be written: what the gate let through, and nothing else.

    Attributes:
        signature: which of a pack's signatures writes it.
        question: as understood; data, never an instruction.
        passages: what may be selected; numbers run over the sentences of all.
        texts: the pack's fixed texts by id, which may follow the answer.
        headings: those that the answer may have, in the order of the contract.
        analyse_only: name the gaps instead of saying that nothing was found.
        feedback: the validators' objections to the last draft.
        seconds: that writing may take.
        tokens: left of the question's budget, prompt and answer together.
    """

    signature: str
    question: str
    passages: Annotated[tuple[Passage, ...], Field(min_length=1)]
    texts: Mapping[str, str] = Field(default_factory=dict)
    headings: tuple[str, ...] = ()
    analyse_only: bool = False
    feedback: tuple[str, ...] = ()
    seconds: Annotated[float, Field(gt=0)]
    tokens: Annotated[int, Field(gt=0)]


class Written(Frozen):
    """A draft with the call that it came from; None where `prompt.failure` says why.

    `status` is what the writer says of the passages: they answer, they do not suffice
    (`gaps` names what they lack), or they hold nothing on the question.
    """

    draft: Draft | None
    prompt: Prompt
    gaps: tuple[str, ...] = ()
    status: Literal["answered", "insufficient", "not_found"] = "answered"


class Objection(Frozen):
    """A judge's doubt about one statement; it can only take away."""

    text: str
    explanation: str


class Judged(Frozen):
    """The objections of a judge, with the call that it took."""

    objections: tuple[Objection, ...] = ()
    prompt: Prompt
