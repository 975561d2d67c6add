"""The parts of a policy pack: what each table may hold; pack.py joins them."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self
from urllib.parse import quote, unquote_to_bytes

from pydantic import AfterValidator, Field, model_validator

from engine.model.codes import Reason
from engine.model.frozen import Frozen, Probability
from engine.policy.access import flaw_of
from engine.policy.mix import (
    CapRule,
    CoverRule,
    LimitRule,
    Prohibition,
    Required,
    SectionRule,
    Text,
    TitleRule,
)
from engine.text.patterns import Pattern, matches
from engine.text.talk import Talk
from engine.text.words import stemmed

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]


def _address(url: str) -> str:
    """A prefix without a path would also cover longer host names."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("https", "http") or "/" not in rest or rest.startswith("/"):
        raise ValueError("must be http(s)://host/ with a slash after the host")
    return url


Address = Annotated[Text, AfterValidator(_address)]


def _tag(value: str) -> str:
    flaw = flaw_of(value)
    if flaw is not None:
        raise ValueError(f"the access tag {value!r} {flaw}")
    return value


Tag = Annotated[str, AfterValidator(_tag)]


_HOW_TO_ASK = (
    "Ask me about “{title}” in your own words. I answer only with what my sources say, "
    "and I tell you when they do not say it."
)
# What is said to talk where a pack has no words of its own for it (R-U10).
_TALK: Mapping[Talk, str] = {
    Talk.HELLO: f"Hello! {_HOW_TO_ASK}",
    Talk.ABOUT: f"I am a program, not a person. {_HOW_TO_ASK}",
    Talk.THANKS: "You are welcome. Ask me whenever there is something else.",
    Talk.NEVER_MIND: "All right. Ask me whenever there is something else.",
    Talk.BYE: "Goodbye. Ask me whenever there is something else.",
    Talk.SMALL: "Good to hear from you! Ask me about “{title}” whenever you like.",
    Talk.BARE: (
        "I have not offered you anything to choose from, so I do not know what you "
        "mean. Please ask in a sentence."
    ),
    Talk.FILE: "I cannot read pictures or other files. " + _HOW_TO_ASK,
}


class Domain(StrEnum):
    MEDICAL = "medical"
    LEGAL = "legal"
    TECHNICAL = "technical"
    GENERAL = "general"


class CodeHost(Frozen):
    """Where files of source code are read by line (R-G10).

    `root` is the address that a path is put behind, at one revision: a link to a branch
    shows other lines after the next change. Without it nothing is linked. `lines` is
    how the host names lines.
    """

    root: Address | None = None
    lines: Text = "#L{first}-L{last}"

    def url(self, path: str, first: int, last: int) -> str | None:
        """The address of lines of a file, its path as tokens write it."""
        if self.root is None:
            return None
        lines = self.lines.replace("{first}", str(first)).replace("{last}", str(last))
        return f"{self.root}{quote(unquote_to_bytes(path), safe='/')}{lines}"


Word = Annotated[str, Field(min_length=1, max_length=500)]


WebAddress = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$")]


# What each way of fetching has to be told, and may be told beside that.
_NEEDED = {
    "clinicaltrials": (),
    "justice_laws": ("ids",),
    "sitemap": (),
    "links": (),
    "git": (),
    "confluence": ("ids",),
}


_ALLOWED = {
    "clinicaltrials": {"ids", "condition", "term"},
    "justice_laws": {"ids"},
    "sitemap": {"below"},
    "links": {"below"},
    "git": {"below", "branch"},
    "confluence": {"ids", "groups", "labels"},
}


class Feed(Frozen):
    """One place to fetch from, and what of it.

    `by` names the connector; `url` is the studies of a trial register, the list of all
    acts and regulations, a sitemap, the page whose links are followed, a repository, or
    Confluence ("https://team.atlassian.net/wiki").
    `ids` are numbers of records or acts, or keys of spaces; `condition` and `term`
    searches of a register; `below` paths of a site or folders of a repository;
    `groups` and `labels` the access tags that stand for groups and labels of
    Confluence. More than `most` documents are refused: then the feed is wider than was
    meant.
    """

    by: Literal[
        "clinicaltrials", "justice_laws", "sitemap", "links", "git", "confluence"
    ]
    url: WebAddress
    ids: tuple[Word, ...] = ()
    condition: Word | None = None
    term: Word | None = None
    below: tuple[Word, ...] = ()
    branch: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w./-]{0,100}$")] | None = None
    groups: Mapping[Word, Tag] = Field(default_factory=dict)
    labels: Mapping[Word, Tag] = Field(default_factory=dict)
    most: Annotated[int, Field(ge=1, le=50_000)] = 500

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        told = {
            n
            for n in (*_ALLOWED["confluence"], "condition", "term", "below", "branch")
            if getattr(self, n)
        }
        for name in sorted(told - _ALLOWED[self.by]):
            raise ValueError(f"{name} says nothing to {self.by}: remove it")
        for name in _NEEDED[self.by]:
            if name not in told:
                raise ValueError(f"{self.by} needs {name}")
        if self.by == "clinicaltrials" and not told:
            raise ValueError("clinicaltrials needs ids, a condition or a term")
        keys = (key.removeprefix("~") for key in self.ids)  # "~" of a person's space
        if self.by == "confluence" and not all(map(str.isalnum, keys)):
            raise ValueError("ids of confluence are keys of spaces, like WARD4")
        return self


class Source(Frozen):
    """One entry of the source register (R-G4); a volatile one has `window_days`.

    `sync` says where `sources sync` fetches its documents from (R-R10), `code` that
    files of source code are read, and where their lines stand. A file below `folder`
    that names no address of its own has the one of its place there below `base_url`
    (R-U16): its path, or what stands for {path} and for {page}, the path without its
    ending and without a last "index" or "README".
    """

    id: Text
    publisher: Text
    type: Text
    tier: Annotated[int, Field(ge=1, le=9)]
    trusted: bool
    authority: Literal["binding", "persuasive", "none"] = "none"
    volatility: Literal["stable", "volatile"] = "stable"
    window_days: Annotated[int, Field(gt=0)] | None = None
    homepage: Address | None = None
    folder: Text | None = None
    base_url: Address | None = None
    url_prefixes: tuple[Address, ...] = ()
    path_globs: tuple[Text, ...] = ()
    tags: tuple[Tag, ...] = ()
    guideline: bool = False
    demo: bool = False
    sync: tuple[Feed, ...] = ()
    code: CodeHost | None = None

    @model_validator(mode="after")
    def _mapped(self) -> Self:
        if self.base_url is not None and self.folder is None:
            raise ValueError("has a base_url and no folder whose files stand below it")
        return self


class IntentRule(Frozen):
    """How one intent is recognised and what it asks of the evidence.

    `patterns` are RE2, matched case-insensitively on folded text; the first intent with
    a match wins, in the order of the file; the last intent needs none. Two rules may
    share a `name` (what records say), never a `query_type`. `facts` maps a fact that
    the asker must give to the patterns that show it was given (R-F7). `signature` names
    what drafts an answer where a model is configured (R-A1), `sections` the contract of
    any answer, in their order (R-A2); `requires` what is asked of its sources (R-R4),
    `blocks` the kind of thing that an answer opens with a block of fields each of.
    """

    name: Text
    query_type: Text
    signature: Text = "general"
    patterns: tuple[Pattern, ...] = ()
    sensitive: bool = False
    time_sensitive: bool = False
    minimum_chunks: Annotated[int, Field(ge=1)] = 1
    requires: tuple[Required, ...] = ()
    demoted_types: tuple[Text, ...] = ()
    needs_binding: bool = False
    blocks: Text | None = None
    sections: tuple[SectionRule, ...] = ()
    prohibited: tuple[Prohibition, ...] = ()
    facts: Mapping[str, tuple[Pattern, ...]] = Field(default_factory=dict)

    def forbids(self, question: str) -> tuple[str, ...]:
        """What no sentence shown may say, for a question as patterns see it (R-A2)."""
        return tuple(
            pattern
            for each in self.prohibited
            if not matches(each.unless, question)
            for pattern in each.patterns
        )


class OpeningRule(Frozen):
    """One way to open the gate: so many documents and chunks above a relevance.

    `tier`, `authority` and `guideline` narrow which chunks count, `query_types` for
    which questions (R-G10); empty: for all. `lines` counts only what is known by line
    of a file, `own` only documents of the one thing that the question names: its record
    and its own publications, which have the last word on it (R-G1).
    """

    name: Text
    documents: Annotated[int, Field(ge=1)]
    chunks: Annotated[int, Field(ge=1)] = 1
    relevance: Probability
    comparison: Literal[">", ">="] = ">"
    tier: int | None = None
    authority: Literal["binding", "persuasive"] | None = None
    guideline: bool = False
    lines: bool = False
    own: bool = False
    query_types: tuple[Text, ...] = ()

    def opens_for(self, query_type: str) -> bool:
        """Whether questions of this type may be opened by it."""
        return not self.query_types or query_type in self.query_types

    @property
    def last_word(self) -> bool:
        """Whether what opens by it is the authority on its matter (R-G1)."""
        return self.own or (self.tier == 1 and self.guideline)

    def reached(self, relevance: float) -> bool:
        """Whether a relevance passes, compared exactly as written."""
        if self.comparison == ">=":
            return relevance >= self.relevance
        return relevance > self.relevance


class GateRules(Frozen):
    """`best` is R-G2's LOW_SCORE bound; `used` the relevance a chunk needs to be used;
    `warned` the lower edge of the band that is logged and excluded (R-G5). Neither
    `best` nor `answerability` may lie above an opening: that number decides (R-G1)."""

    openings: Annotated[tuple[OpeningRule, ...], Field(min_length=1)]
    best: Probability = 0.3
    used: Probability = 0.5
    warned: Probability = 0.3
    answerability: Probability = 0.5
    recency_days: Annotated[int, Field(gt=0)] = 730

    def for_type(self, query_type: str) -> tuple[OpeningRule, ...]:
        """The openings of a query type, in their order."""
        return tuple(o for o in self.openings if o.opens_for(query_type))


class CitationRules(Frozen):
    minimum_sensitive: Annotated[int, Field(ge=1)]
    minimum: Annotated[int, Field(ge=1)] = 1
    maximum_per_section: Annotated[int, Field(ge=1, le=5)] = 5


class RetrievalRules(Frozen):
    """`glossary` maps an everyday word or phrase to the words a document may use
    (R-U2); `protected` matches words that spelling never changes: names that differ
    from another name in a letter or two. `subject` are the words that all documents
    speak of: a passage answers no better for holding them. `things` are patterns of
    what has a name or number of its own (a trial, a section), by kind. `told` matches
    what belongs to a question where it is told before it ("they gave me a departure
    order. how long do i have?"): the facts that decide which rule is asked for.
    `titles` are given weight where they say what each section is about; `covered` says
    how much of a question a passage has to speak of. `remote_reader` allows questions
    and passages without access tags to go to a reader on another machine (R-G11)."""

    per_arm: Annotated[int, Field(ge=1, le=30)] = 30
    final: Annotated[int, Field(ge=1, le=10)] = 10
    caps: tuple[CapRule, ...] = ()
    restriction_patterns: tuple[Pattern, ...] = ()
    restriction_cost: Probability = 0.1
    widening_allowed: bool = False
    glossary: Mapping[str, tuple[Text, ...]] = Field(default_factory=dict)
    protected: tuple[Pattern, ...] = ()
    subject: tuple[Text, ...] = ()
    things: Mapping[Text, tuple[Pattern, ...]] = Field(default_factory=dict)
    told: tuple[Pattern, ...] = ()
    remote_reader: bool = False
    titles: TitleRule | None = None
    covered: CoverRule | None = None


def forms(word: str, rules: RetrievalRules) -> list[str]:
    """A word and its meanings, as `stemmed` texts."""
    meanings = rules.glossary.get(word.lower(), ())
    return [stemmed(text) for text in (word, *meanings)]


class AnswerRules(Frozen):
    """`attribution` words the line above what one document says, quoted or worded by a
    model, with {title} and {publisher} (R-V10); `selection_attribution` the one above
    what a selected text says.

    `mode: llm` means: a model drafts where one is configured, else the sources are
    quoted; `deterministic` forbids models (R-A3). A model reads the `passages`
    best ones, and all that the gate let through where it found nothing in those and
    `adaptive` allows it (R-A4). `quote_bypass` is R-A5's switch. `populations` are
    those whom a page may be about alone (children, pregnant women), words for each:
    what stands under a heading about one answers no question that names none (R-V4).
    `kinds` are of what a page may be among others (one cancer and another): where a
    question names some, what stands under another's heading answers only if it names
    one of these; where it names none, all may. `compared` are names that are asked
    about together (two societies): where a question names several in a row, each is
    searched for as a part of its own, so that each is quoted (R-A2, R-R11). `limits`
    tells the exceptions that a section makes, which are quoted with what they limit.
    """

    mode: Literal["deterministic", "llm"] = "deterministic"
    on_rejected_draft: Literal["deterministic", "fallback"] = "fallback"
    partial: Literal["say", "refuse"] = "say"
    quotes: Annotated[int, Field(ge=1, le=10)] = 3
    attribution: Text
    selection_attribution: Text
    populations: tuple[tuple[Text, ...], ...] = ()
    kinds: tuple[tuple[Text, ...], ...] = ()
    compared: tuple[Text, ...] = ()
    limits: LimitRule | None = None
    schema_retry_attempts: Annotated[int, Field(ge=0, le=3)] = 1
    passages: Annotated[int, Field(ge=1, le=10)] = 4
    adaptive: bool = True
    quote_bypass: Literal["auto", "on", "off"] = "off"
    strict_quotes: Literal[True] = True  # a floor: a pack may say it, and no other


class QuestionRules(Frozen):
    """Questions that passages answer: `restricted_to_model` lets `questions write` send
    a model what has access tags or belongs to one tenant (R-Q4).
    """

    restricted_to_model: bool = False


class SensitiveRules(Frozen):
    """What makes text sensitive (R-M1), and what does not (R-M2).

    `terms` are whole words or phrases, `patterns` RE2; both ignore case. A pack that
    names any takes every sentence for sensitive but its `exempt_texts` (R-M7): whole
    sentences in the pack's own words, which alone may stand in an answer uncited.
    """

    terms: tuple[Text, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    exempt_texts: tuple[Text, ...] = ()

    @property
    def by_id(self) -> Mapping[str, str]:
        """The exempt texts by the ids that a model names them by."""
        return {f"text-{at}": text for at, text in enumerate(self.exempt_texts, 1)}


class Notice(Frozen):
    text: Text
    severity: Literal["info", "warning", "error"]
    show_body: bool


class Link(Frozen):
    title: Text
    url: Address


class EmergencyPage(Frozen):
    """A document about an emergency: its title, and a sentence, word for word."""

    title: Text
    sentence: Text


class Emergency(Frozen):
    """One kind of emergency: what it is known by, and its notice (R-M6).

    A match of `patterns` decides that a message is one. `pages` are what a refusal
    offers below the notice, to those who may see them.
    """

    kind: Text = "other"
    patterns: tuple[Pattern, ...] = ()
    text: Text
    pages: tuple[EmergencyPage, ...] = ()


class Distress(Frozen):
    """Words around a refusal below an emergency notice; `pages` introduces those."""

    acknowledgement: Text
    turn_to: Text
    pages: Text = "These pages may help:"


class Wording(Frozen):
    """The fixed texts of a pack, never from a model and no part of an answer (R-M2).

    `one_kind` says that all sources are about one {kind} of thing (answer.kinds) where
    the question names none, `other_kinds` which other {kinds} the same sources have
    pages about. `covered` may hold {topics}, `missing_facts` {facts},
    `requirement_unmet` {requirement}, `disagreement` {sources} with tiers and dates,
    `younger` and the three below {date}, `not_found` {missing}; nothing else is
    replaced. `to_come` says
    that the day asked for lies ahead. A pack that words
    `whole_year` reads a year as its last day and says so; `day_meant` says for which
    day {phrase} stands ("before 1 August 2014"); one that words `other_date`
    says where a date in the question is not the day that counts (R-F5). `nearby` says
    that pages which came close are listed behind "Why"; it names none (R-M5, R-D5). Of
    the `emergencies` the first with a match gives the notice above everything; the last
    is for one of a kind that has none. `fixed` answers, by sort, what is no medical
    question (R-M8).
    """

    acknowledgement: Text | None = None
    lacks: Text
    turn_to: Text
    talk: Mapping[Talk, Text] = Field(default_factory=dict)
    links: tuple[Link, ...] = ()
    reasons: Mapping[Reason, Text]
    covered: Text | None = None
    nearby: Text | None = None
    emergencies: tuple[Emergency, ...] = ()
    distress: Distress | None = None
    fixed: Mapping[str, Text] = Field(default_factory=dict)
    unsupported_language: Mapping[Language, Text] = Field(default_factory=dict)
    first_use: Text
    demo_label: Text
    not_found: Text
    ask_again: Text | None = None
    missing_facts: Text = "Please tell me: {facts}."
    widened: Text | None = None
    requirement_unmet: Text = "Not in the sources: {requirement}."
    disagreement: Text = "The sources disagree, so each one is quoted: {sources}."
    one_kind: Text | None = None
    other_kinds: Text | None = None
    younger: Text = "Sources published after {date} were not used."
    to_come: Text = (
        "{date} is still to come. This is what the sources hold today for that day, "
        "and it may change until then."
    )
    whole_year: Text | None = None
    day_meant: Text = (
        "You wrote “{phrase}”, so this is for {date}. Something else may have applied "
        "on other days: name a day to ask for that."
    )
    other_date: Text | None = None
    paused: Text = "This assistant is paused by its administrators."

    def answer_to(self, talk: Talk) -> str:
        """What is said to talk (R-U10), with {title} for the pack's."""
        return self.talk.get(talk, _TALK[talk])


class Budget(Frozen):
    """Per question (R-A7); all finite."""

    seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] = 30.0
    tokens: Annotated[int, Field(gt=0, le=1_000_000)] = 20_000
    model_calls: Annotated[int, Field(gt=0, le=50)] = 4
    cost: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)] = 0.25


class FigureRule(Frozen):
    """The average, over questions of some types, of what the evidence was made of.

    `share` is the part of all passages that come from sources of these types, `number`
    how many do. It has to lie below `below`, or to reach `least`.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    query_types: Annotated[tuple[str, ...], Field(min_length=1)]
    measure: Literal["share", "number"]
    types: Annotated[tuple[str, ...], Field(min_length=1)]
    below: float | None = None
    least: float | None = None


class HealthRules(Frozen):
    """The pack's own figures, and the targets that hold for every pack (R-O1)."""

    retrieval: tuple[FigureRule, ...] = ()
    routing_compliance: float = 0.90
    supported_claims: float = 0.95
    unanchored_quotes: float = 0.05


class Change(Frozen):
    version: Text
    date: date
    change: Text
