"""The nouns of an evaluation: cases, rows of a record, scores. Standard library alone.

Everything here is plain data, so that a thousand cases cost what their answers cost.
`evals/cases/suites.py` reads cases from YAML and checks them against these forms;
`evals/store.py` writes rows and scores as canonical JSON lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar, Literal

Json = Mapping[str, Any]
# "either": a changed corpus may leave an answer or none (R-E6); what is asked of the
# answer (facts, absent) is asked where there is one.
Kind = Literal["answer", "refuse", "either"]
Weight = Literal["invariant", "gate", "advice"]


class Result(StrEnum):
    """What a metric says of a row. There is no sixth word, and never a NaN.

    An ERROR is a metric or a case that could not run: it counts as failed wherever
    something may be released, and stays in every denominator. ABSTAINED is a row whose
    bot refused, so that a metric over answers has nothing to judge.
    """

    PASS = "pass"
    FAIL = "fail"
    ABSTAINED = "abstained"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


# --- suites -----------------------------------------------------------------------

# A suite is data that people write: pydantic refuses a field that is not known.
_STRICT = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is done to the corpus before a case is asked (R-E6, R-E7).

    `delete` takes a document out; `without` takes the sentences that hold a text out of
    it; `replace` puts another text in place of one, at each of its places; `insert`
    adds a paragraph at its end (a hostile one, say). `path` is the document's, in the
    corpus folder.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    path: str
    delete: bool = False
    without: str | None = None
    replace: tuple[str, str] | None = None
    insert: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMost:
    """What a case allows at most of what is cited; what it leaves out has no limit.

    Every listed citation counts, also one that overlaps another.

    Attributes:
        citations: of the whole answer.
        section: in each section (R-I3).
        tiers: of a source's tier (R-R3).
        types: of a source type (R-R3).
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    citations: int | None = None
    section: int | None = None
    tiers: Mapping[int, int] = field(default_factory=dict)
    types: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a case asks of its outcome; what it leaves out is not asked.

    Attributes:
        outcome: whether it has to be answered or refused, or may be either.
        reasons: for a refusal, the reasons that are right, as they are shown (R-G5) or
            as codes (R-G2); none named: any is.
        facts: what the served text has to say; each fact is a tuple of wordings of
            which one must stand there, case and white space folded.
        absent: what it must not say anywhere.
        sources: paths of documents that may carry the facts; none named: any may.
        citations: at least so many distinct citations.
        tiers: the least number of citations of a source's tier.
        types: the least number of citations of a source type.
        at_most: how many citations there may be; see there.
        not_found: parts of the question that have to be named as not found (R-A12).
        sections: headings, in order; the first one is the answer's first (R-F1).
        query_type: how the question has to be routed.
        missing_facts: facts that the outcome has to ask for.
        states: failure states that the outcome has to carry, codes of R-F3.
        on_top: words that have to stand above the body: of an emergency notice (R-M6),
            or of the notice of a state (R-F3).
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    outcome: Kind
    reasons: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    absent: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    citations: int = 0
    tiers: Mapping[int, int] = field(default_factory=dict)
    types: Mapping[str, int] = field(default_factory=dict)
    at_most: AtMost = field(default_factory=AtMost)
    not_found: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    query_type: str | None = None
    missing_facts: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    on_top: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with what is expected of its outcome.

    Attributes:
        id: unique among all suites.
        question: as a person types it.
        expected: see there.
        shows: the requirement ids that it shows.
        slices: groups it is counted in beside its suite, such as "near_miss".
        document: what it is clustered by in statistics: the document it is about.
        previous: the question before it in the thread, for follow-ups.
        about: the title of the document that answered that one.
        selection: a selected text (R-A6).
        as_of: the analysis date (R-F5).
        tags: access tags that the asker holds.
        changes: what is done to the corpus first.
        chooses: the number of the choice that is asked after it, of those that a
            refusal offers; the outcome is that of the choice. 0: none.
        original: the case that this one changes (R-E6), whose outcome it is held
            against.
        suite, pack, file, line: where it stands; set by the loader.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    id: str
    question: str
    expected: Expected
    shows: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    document: str = ""
    previous: str | None = None
    about: str = ""
    selection: str | None = None
    as_of: date | None = None
    tags: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    chooses: int = 0
    original: str | None = None
    suite: str = ""
    pack: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The cases of one YAML file.

    `corpus` is a folder beside the packs' own: "demo" is the pack's demo corpus, any
    other name a folder under evals/suites/<pack>/corpora/. `today` is the day on which
    its questions are asked; None: a fixed day of the recorder's.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    name: str
    pack: str
    cases: tuple[Case, ...]
    title: str = ""
    corpus: str = "demo"
    today: date | None = None


# --- a record: what was answered --------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the messages of one platform are built of, whatever they say.

    `hash` is over all of it, `outline` names types and buttons for people.
    """

    hash: str
    outline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a reply looks like.

    `shapes` is by platform; `words` is a hash over all texts, of terminal and
    platforms. `faults` are quotations that a platform shows otherwise than the answer
    has them.
    """

    shapes: Mapping[str, Shape] = field(default_factory=dict)
    words: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one case came to, once: a line of answers.jsonl.

    Attributes:
        case: its id.
        repeat: 0 for the first time it was asked.
        key: the content address of the request: question, pack, corpus, code, model
            and repeat; what a cache may be asked with.
        record: a `Record` as JSON without what differs from run to run (ids, times,
            token counts); None where the case could not be run.
        sections: the answer's sections as JSON: heading, claims with text, citations,
            quotation, sensitive and quotes; `fixed` on the pack's own sentences.
        evidence: the passages that the gate let through: chunk, document, version,
            start, end, source, relevance.
        served: the text that a person sees, with everything on top (adapters/reply).
        worded: the pack's own texts and templates of which `served` holds the fixed
            parts, and what may stand in them (evals/record/rows.py).
        shown: what it looks like on the platforms; None where it could not be run.
        talk: the kind of talk that a message was, to which the pack answers without its
            sources (R-U10); such a row has no record.
        error: why it could not be run.
    """

    case: str
    repeat: int = 0
    key: str = ""
    record: Json | None = None
    sections: tuple[Json, ...] = ()
    evidence: tuple[Json, ...] = ()
    served: str = ""
    worded: Json = field(default_factory=dict)
    shown: Shown | None = None
    talk: str = ""
    error: str | None = None

    @property
    def answered(self) -> bool:
        """Whether it is an answer; an error is none, nor is a fixed text (R-M8)."""
        return self.record is not None and self.record["reason_code"] is None

    @property
    def refused(self) -> bool:
        """Whether nothing is quoted; an error is none."""
        return self.record is not None and not self.answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document version that a row cites or was offered: a line of sources.jsonl.

    `sections` are the paths of its headings, `code` is the address that its lines stand
    behind on a code host; None and empty in files of before they were kept.
    """

    version: str
    document: str
    path: str
    text: str
    title: str = ""
    source: str = ""
    tier: int | None = None
    type: str = ""
    url: str | None = None
    sections: tuple[str, ...] | None = None
    code: str = ""


# --- scores -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one metric says of one row: a line of scores.jsonl.

    `value` is a share in 0..1 where the metric counts parts of an answer, and `parts`
    is of how many; `why` says in a sentence what was found; `marks` are places and
    classes for the report.
    """

    case: str
    repeat: int
    metric: str
    result: Result
    value: float | None = None
    why: str = ""
    marks: tuple[Json, ...] = ()
    parts: int | None = None
