"""What a language model is asked for, and what comes back: nothing of it is trusted."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from engine.corpus_records import Frozen
from engine.prompts import Prompt
from engine.records import Draft


class Numbered(Frozen):
    """One passage of the evidence, under the number that a draft cites it by."""

    number: Annotated[int, Field(ge=1)]
    title: str
    section: tuple[str, ...] = ()
    dated: date | None = None
    text: str


class Order(Frozen):
    """One draft to be written: what the gate let through, and nothing else.

    Attributes:
        signature: which of a pack's signatures writes it (R-A1).
        question: as understood; data, never an instruction (R-S2).
        passages: what may be said.
        headings: those that the answer may carry, in the order of the contract (R-A2).
        prohibited: phrases that never reach a reader (R-V5).
        analyse_only: name the gaps instead of saying that nothing was found (R-A5).
        feedback: what the validators objected to in the last draft (R-A4).
        seconds: that writing may take.
        tokens: left of the question's budget, prompt and answer together.
    """

    signature: str
    question: str
    passages: Annotated[tuple[Numbered, ...], Field(min_length=1)]
    headings: tuple[str, ...] = ()
    prohibited: tuple[str, ...] = ()
    analyse_only: bool = False
    feedback: tuple[str, ...] = ()
    seconds: Annotated[float, Field(gt=0)]
    tokens: Annotated[int, Field(gt=0)]


class Written(Frozen):
    """A draft with the call that it came from; none where `prompt.failure` says why.

    `status` is what the writer says of the passages (R-A5): they answer, they do not
    suffice (the gaps stand in `Draft.not_found`), or they hold nothing of it.
    """

    draft: Draft | None
    prompt: Prompt
    status: Literal["answered", "insufficient", "not_found"] = "answered"


class Objection(Frozen):
    """A judge's doubt about one statement; it can only take away (R-V4)."""

    text: str
    explanation: str


class Judged(Frozen):
    """What a judge objected to, with the call that it took."""

    objections: tuple[Objection, ...] = ()
    prompt: Prompt
