"""The nouns of one question's walk: frozen, and a wrong one cannot be built."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field

from engine.audit.trace_records import FoundThing as FoundThing
from engine.audit.trace_records import JudgedPart as JudgedPart
from engine.audit.trace_records import Probability as Probability
from engine.audit.trace_records import Seen as Seen
from engine.audit.trace_records import Trace as Trace
from engine.codes import FailureState as FailureState
from engine.codes import Reason as Reason
from engine.codes import RefusalReason as RefusalReason
from engine.documents.chunk_records import Chunk as Chunk
from engine.documents.chunk_records import Pick as Pick
from engine.documents.records import Frozen
from engine.drafts.prompts import Prompt
from engine.drafts.records import Draft as Draft
from engine.drafts.records import DraftClaim as DraftClaim
from engine.drafts.records import DraftSection as DraftSection
from engine.drafts.records import Selected as Selected
from engine.outcome.choice_records import Choice as Choice
from engine.outcome.choice_records import ChosenSection as ChosenSection

# --- the question -----------------------------------------------------------------


class Basis(StrEnum):
    """Where the analysis date of a question comes from (R-F5)."""

    TODAY = "today"
    APPLICATION_DATE = "application_date"
    EXPLICIT = "explicit_as_of"


class Scope(Frozen):
    """What the asker may see: handed to every search (R-U1, R-C5).

    `tags` are the access tags the asker holds; a document with tags is seen only by
    somebody who holds one of them. `as_of` is the analysis date.
    """

    pack: str
    tenant: str = "shared"
    tags: frozenset[str] = frozenset()
    as_of: date | None = None


class Question(Frozen):
    """What somebody asked, as every entry path hands it to `Engine.ask`.

    `asker` is a pseudonym. `selection` switches to selected-text mode (R-A6).
    `previous` is the question before this one in the thread, for follow-ups (R-A11).
    `verbatim` asks for the sources' own words: no model is asked (R-A13). `chosen_from`
    is the audit id of the refusal that offered it, `evidence` the section that was
    chosen there (R-Q5).
    """

    id: str
    session: str
    text: str
    pack: str
    asker: str = "anonymous"
    tenant: str = "shared"
    tags: frozenset[str] = frozenset()
    selection: str | None = None
    previous: str | None = None
    as_of: date | None = None
    verbatim: bool = False
    chosen_from: str | None = None
    evidence: ChosenSection | None = None


class Intent(Frozen):
    """What the rules read out of a question, without a model (R-A11).

    `text` is the question as understood: without framing (R-U9), follow-up resolved,
    typing errors put right, what abbreviations mean in brackets behind them, without
    the words that say the analysis date. `corrections` are both as (written, read).
    `felt` is the sort of feeling that is told beside a question (R-M8).
    `query_type` is a key of the pack's intents. `named` are words that `text` may lack,
    of what a follow-up adds ("and for children?") or a story binds it to: passages
    that lack them do not answer it. `conditions` are the words of facts that were told
    around the question (medicine, age, version); `framing` is what was written with
    courtesy around it. Neither is searched for. `negated`: `text` says "not". `things`
    are the names of what has one of its own (a trial, a section), by kind. `kind` is of
    the emergency where it is `urgent`, else the sort of message (R-M8). `as_of` is
    the last day of a `whole_year` that was asked for, or today; `to_come`: it is later
    than that. `other_date` is one in the question that says no day to answer for.
    `day_phrase` are the words that mean a day beside the one that they name.
    `restated` stands in records of before: such a `text` was shown as a sentence.
    """

    query_type: str
    name: str
    text: str
    sensitive: bool
    time_sensitive: bool = False
    urgent: bool = False
    kind: str = ""
    personal: bool = False
    general: bool = False
    follow_up: bool = False
    negated: bool = False
    language: str = "en"
    in_scope: bool = True
    basis: Basis = Basis.TODAY
    as_of: date | None = None
    whole_year: bool = False
    to_come: bool = False
    other_date: bool = False
    day_phrase: str = ""
    restated: bool = False
    named: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    missing_facts: tuple[str, ...] = ()
    needs_binding: bool = False
    corrections: tuple[tuple[str, str], ...] = ()
    felt: str = ""
    things: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


# --- evidence ---------------------------------------------------------------------


class Evidence(Frozen):
    """The passages of one question, best first, with the trace of the search.

    `nearest` holds what came close, for pointers; it is never answered from.
    `answerability` is the calibrated probability that the best passages answer the
    question.
    """

    chunks: tuple[Chunk, ...]
    nearest: tuple[Chunk, ...]
    answerability: Probability
    trace: Trace
    known_words: bool = True


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

# --- drafts and answers -----------------------------------------------------------


class Quote(Frozen):
    """Text that stands word for word at [start, end) of a document version."""

    text: Annotated[str, Field(min_length=1)]
    chunk: str
    document: str
    version: str
    start: int
    end: int


class Citation(Frozen):
    """One numbered source passage of an answer."""

    number: Annotated[int, Field(ge=1)]
    chunk: str
    document: str
    version: str
    source: str
    title: str
    section: tuple[str, ...]
    start: int
    end: int
    relevance: Probability
    publisher: str | None = None
    url: str | None = None
    published: date | None = None
    retrieved: date | None = None
    in_force_from: date | None = None
    in_force_to: date | None = None
    demo: bool = False


class Claim(Frozen):
    """A quotation that passed validation, or a fixed text of the pack.

    A quotation (`quotes` in the source's order) is shown with everything that it leans
    on; `text` is all of it. `citations` are numbers in `Answer.citations`; only a fixed
    text has none. `more` says that it stands behind "Show more" (opening.py),
    `row` that it is a field of a block, which nobody drafted (R-A2).
    """

    text: str
    citations: tuple[int, ...]
    quotes: tuple[Quote, ...] = ()
    quotation: bool = False
    sensitive: bool = False
    more: bool = False
    row: bool = False


class Section(Frozen):
    heading: str
    claims: tuple[Claim, ...]


class Answer(Frozen):
    """Sections of claims that passed every validator.

    Cannot be built without a cited claim, with an uncited sensitive one, an unlisted
    number, or fewer distinct citations than its own minimum (R-I3).
    """

    sections: Annotated[tuple[Section, ...], Field(min_length=1)]
    citations: tuple[Citation, ...]
    minimum_citations: int = 1
    not_found: tuple[str, ...] = ()
    attribution: str = ""
    mode: Literal["deterministic", "llm"] = "deterministic"

    def model_post_init(self, context: object) -> None:
        """Refuse to exist when an invariant does not hold."""
        known = {citation.number for citation in self.citations}
        claims = [claim for section in self.sections for claim in section.claims]
        if claims and not any(claim.citations for claim in claims):
            raise ValueError("no claim cites anything")
        for claim in claims:
            if claim.sensitive and not claim.citations:
                raise ValueError("a sensitive claim without a citation")
            if not set(claim.citations) <= known:
                raise ValueError("a claim cites a number that is not listed")
        sensitive = any(claim.sensitive for claim in claims)
        if sensitive and len(self.citations) < self.minimum_citations:
            raise ValueError("fewer citations than the minimum")


class Nearest(Frozen):
    """What "why" shows of a passage that came close: never its text (R-D5)."""

    document_id: str
    title: str
    section: str
    url: str | None
    relevance: Probability


class Refusal(Frozen):
    """The engine's no; `gaps` are parts of the question that nothing answers (R-A5)."""

    reason: Reason
    shown_reason: RefusalReason
    explanation: str
    fallback: str
    gaps: tuple[str, ...] = ()
    numbers: Mapping[str, float] = Field(default_factory=dict)


class Finding(Frozen):
    """What a validator objected to; `reject` ends the draft, `note` does nothing."""

    validator: str
    code: str
    severity: Literal["reject", "drop", "note"]
    message: str
    claim: str = ""


class ClaimTally(Frozen):
    """R-V4: how the claims of a draft were judged.

    `partial` is 0: nothing measures yet how well a sentence answers.
    """

    supported: int = 0
    partial: int = 0
    unsupported: int = 0
    fabricated_quotes: int = 0

    def __add__(self, other: Self) -> Self:
        """Both together, as of two drafts for one question."""
        sums = {name: getattr(self, name) + value for name, value in other}
        return self.model_copy(update=sums)


class Outcome(Frozen):
    """What a question came to: an answer or a refusal, with everything said on top.

    Order on top of a reply (R-F3): emergency, header, notices, body.
    `routing_compliant` says whether what is shown, and every draft before it, keeps
    the contract (R-A2, R-V4).
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
        """Whether a fixed text of the pack answers: no refusal (R-M8, R-U10)."""
        return self.reason is Reason.FIXED_TEXT

    @property
    def reason(self) -> Reason | None:
        """Why nothing is quoted; None beside an answer."""
        return None if isinstance(self.result, Answer) else self.result.reason
