"""The outcome of a question: an answer, or a refusal with alternatives."""

from collections.abc import Mapping

from pydantic import Field

from engine.model.answer import Answer, ClaimTally, Finding
from engine.model.codes import FailureState, Reason, RefusalReason
from engine.model.evidence import Trace
from engine.model.frozen import Frozen, Probability
from engine.model.gate import GateDecision
from engine.model.prompt import Prompt
from engine.model.question import Intent, Question


class Nearest(Frozen):
    """A passage that came close, as "why" shows it; never its text."""

    document_id: str
    title: str
    section: str
    url: str | None
    relevance: Probability


class Choice(Frozen):
    """An alternative that a refusal offers: a section, by a stored question or a title.

    `section` are its headings as in `Nearest`. `label` is what a reader sees of either.
    `question_id` names the choice, whichever refusal offers it. `near` is that of
    `ChosenSection`.
    """

    question: str | None = None
    section: str | None = None
    label: str
    document_id: str
    title: str
    question_id: str
    near: int | None = None


class Refusal(Frozen):
    """The engine's no; `gaps` are parts of the question that nothing answers."""

    reason: Reason
    shown_reason: RefusalReason
    explanation: str
    fallback: str
    gaps: tuple[str, ...] = ()
    numbers: Mapping[str, float] = Field(default_factory=dict)


class Outcome(Frozen):
    """The outcome of a question: an answer or a refusal, with everything shown above
    it.

    Order above a reply: emergency, header, notices, body. `routing_compliant` is True
    where what is shown, and every draft before it, keeps the contract.
    """

    question: Question
    intent: Intent
    result: Answer | Refusal
    states: tuple[FailureState, ...] = (FailureState.NONE,)
    emergency: str | None = None
    header: str | None = None
    notices: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    choices: tuple[Choice, ...] = ()
    gate: GateDecision | None = None
    trace: Trace | None = None
    routing_compliant: bool = True
    findings: tuple[Finding, ...] = ()
    tally: ClaimTally = ClaimTally()
    pack_version: str = ""
    pack_hash: str = ""
    milliseconds: Mapping[str, float] = Field(default_factory=dict)
    model: str | None = None
    prompt_version: str | None = None
    tokens: Mapping[str, int] = Field(default_factory=dict)
    prompts: tuple[Prompt, ...] = ()
    audit_id: str | None = None

    @property
    def answered(self) -> bool:
        return isinstance(self.result, Answer)

    @property
    def spoken(self) -> bool:
        """True where a fixed text of the pack answers; that is no refusal."""
        return self.reason is Reason.FIXED_TEXT

    @property
    def reason(self) -> Reason | None:
        """The reason why nothing is quoted; None beside an answer."""
        return None if isinstance(self.result, Answer) else self.result.reason
