"""The parts of a policy pack: the tables that pack.py joins."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self
from urllib.parse import quote, unquote_to_bytes

from pydantic import AfterValidator, Field, model_validator

from engine.model.codes import Reason
from engine.model.frozen import Frozen, Probability
from engine.policy.access import find_tag_flaw
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


def _check_address(url: str) -> str:
    """Refuse a prefix without a path, which would also cover longer host names."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("https", "http") or "/" not in rest or rest.startswith("/"):
        raise ValueError("must be http(s)://host/ with a slash after the host")
    return url


Address = Annotated[Text, AfterValidator(_check_address)]


def _check_tag(value: str) -> str:
    flaw = find_tag_flaw(value)
    if flaw is not None:
        raise ValueError(f"the access tag {value!r} {flaw}")
    return value


Tag = Annotated[str, AfterValidator(_check_tag)]


_HOW_TO_ASK = (
    "Ask me about “{title}” in your own words. I answer only with what my sources say, "
    "and I tell you when they do not say it."
)
# The replies to talk of a pack that words none itself.
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
    Talk.CALCULATE: (
        "I cannot calculate this for you. I can show you what my sources say about it, "
        "if you ask me that. {turn_to}"
    ),
    Talk.TRANSLATE: (
        "I cannot translate. I can show you what my sources say, in the language that "
        "they are written in."
    ),
    Talk.RETELL: (
        "I cannot put this into other words. I can show you the sentences of my "
        "sources that explain it: ask me “What is …?”"
    ),
    Talk.DO_WORK: (
        "I cannot write this for you. I can show you what my sources say about the "
        "subject, and where, so that you can quote it."
    ),
}


class Domain(StrEnum):
    MEDICAL = "medical"
    LEGAL = "legal"
    TECHNICAL = "technical"
    GENERAL = "general"


class CodeHost(Frozen):
    """The host that shows files of source code by line.

    `root` is the address that a path is appended to, at one revision: a link to a
    branch shows other lines after the next change. Without it nothing is linked.
    `lines` is the host's form of line numbers.
    """

    root: Address | None = None
    lines: Text = "#L{first}-L{last}"

    def url(self, path: str, first: int, last: int) -> str | None:
        """Return the address of lines of a file, its path as tokens write it."""
        if self.root is None:
            return None
        lines = self.lines.replace("{first}", str(first)).replace("{last}", str(last))
        return f"{self.root}{quote(unquote_to_bytes(path), safe='/')}{lines}"


Word = Annotated[str, Field(min_length=1, max_length=500)]


WebAddress = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$")]


# The required and the allowed settings of each connector.
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
    """One place to fetch from, and which of its documents.

    `by` names the connector; `url` is the studies of a trial register, the list of all
    acts and regulations, a sitemap, the page whose links are followed, a repository, or
    Confluence ("https://team.atlassian.net/wiki"). `ids` are numbers of records or
    acts, or keys of spaces; `condition` and `term` searches of a register; `below`
    paths of a site or folders of a repository; `groups` and `labels` the access tags
    for groups and labels of Confluence. More than `most` documents are refused: then
    the feed is wider than was meant.
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
    """One entry of the source register; a volatile one has `window_days`.

    `sync` says where `sources sync` fetches its documents from, `code` that its files
    are source code, and which host shows their lines. A file below `folder` without an
    address gets one from its place, below `base_url`: its path is appended, or replaces
    {path} and {page}, where the page is the path without its ending and without a last
    "index" or "README".
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
    """How one intent is recognised, and its requirements on the evidence.

    `patterns` are RE2, matched case-insensitively on folded text; the first intent with
    a match wins, in the order of the file; the last intent needs none. Two rules may
    share a `name` (used in records), never a `query_type`. `facts` maps a fact that the
    asker must give to the patterns that show it was given. `signature` names the prompt
    of a draft where a model is configured, `sections` the contract of any answer, in
    their order; `requires` the sources it needs, `blocks` the kind of entity whose
    record cards open an answer.
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
        """Return the patterns that no shown sentence may match, for a question."""
        return tuple(
            pattern
            for each in self.prohibited
            if not matches(each.unless, question)
            for pattern in each.patterns
        )


class OpeningRule(Frozen):
    """One way to open the gate: so many documents and chunks above a relevance.

    `tier`, `authority` and `guideline` narrow which chunks count, `query_types` for
    which questions; empty: for all. `lines` counts only files with known lines, `own`
    only documents of the one entity that the question names: its record and its own
    publications, which are the authority on it.
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
        """Return whether the rule applies to questions of this type."""
        return not self.query_types or query_type in self.query_types

    @property
    def last_word(self) -> bool:
        """True where the documents that it counts are the authority on their matter."""
        return self.own or (self.tier == 1 and self.guideline)

    def reached(self, relevance: float) -> bool:
        """Return whether a relevance passes, compared exactly as written."""
        if self.comparison == ">=":
            return relevance >= self.relevance
        return relevance > self.relevance


class GateRules(Frozen):
    """The bounds of the gate.

    `best` is the relevance that the best chunk needs; `used` the one that a chunk needs
    to be used; `warned` the lower edge of the band that is logged and excluded. Neither
    `best` nor `answerability` may exceed an opening's relevance, so that the opening
    decides.
    """

    openings: Annotated[tuple[OpeningRule, ...], Field(min_length=1)]
    best: Probability = 0.3
    used: Probability = 0.5
    warned: Probability = 0.3
    answerability: Probability = 0.5
    recency_days: Annotated[int, Field(gt=0)] = 730

    def for_type(self, query_type: str) -> tuple[OpeningRule, ...]:
        """Return the openings of a query type, in their order."""
        return tuple(o for o in self.openings if o.opens_for(query_type))


class CitationRules(Frozen):
    minimum_sensitive: Annotated[int, Field(ge=1)]
    minimum: Annotated[int, Field(ge=1)] = 1
    maximum_per_section: Annotated[int, Field(ge=1, le=5)] = 5


class RetrievalRules(Frozen):
    """The rules of search and ranking.

    `glossary` maps an everyday word or phrase to the words a document may use;
    `protected` matches words that spelling correction never changes: names that differ
    from another name in a letter or two. `subject` are words on which all documents are
    about: a passage answers no better for holding them. `things` are patterns of
    entities with a name or number (a trial, a section), by kind. `told` matches facts
    that decide which rule is asked for, where they precede the question ("they gave me
    a departure order. how long do i have?"). `titles` gives weight to titles where they
    say what each section is about; `covered` says how much of a question a passage has
    to cover. `remote_reader` allows questions and passages without access tags to go to
    a reader on another machine.
    """

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
    """Return the stems of a word and of its meanings, as `stemmed` texts."""
    meanings = rules.glossary.get(word.lower(), ())
    return [stemmed(text) for text in (word, *meanings)]


class AnswerRules(Frozen):
    """The rules of drafting and of the form of answers.

    `attribution` words the line above what one document says, quoted or worded by a
    model, with {title} and {publisher}; `selection_attribution` the one above what a
    selected text says.

    `mode: llm` means: a model drafts where one is configured, else the sources are
    quoted; `deterministic` forbids models. A model reads the `passages` best ones, and
    all that the gate let through where it found nothing in those and `adaptive` allows
    it. `quote_bypass` lets a model name gaps instead of saying that nothing was found.
    `populations` are those to whom a page may be limited (children, pregnant women),
    words for each: a sentence below a heading about one answers no question that names
    none. `kinds` are the subjects of pages (one cancer and another): where a question
    names some, a sentence below another's heading answers only if it names one of
    these; where it names none, all may. `compared` are names that are asked about
    together (two societies): where a question names several in a row, each is searched
    for as a part, so that each is quoted. `limits` finds the exceptions within a
    section, which are quoted with what they limit.
    `files` lets the text of a file that comes with a question be asked about like a
    selected text.
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
    files: bool = False
    strict_quotes: Literal[True] = True  # a floor: a pack may say it, and no other


class QuestionRules(Frozen):
    """Rules of questions that passages answer.

    `restricted_to_model` lets `questions write` send a model passages that have access
    tags or belong to one tenant.
    """

    restricted_to_model: bool = False


class SensitiveRules(Frozen):
    """Which text is sensitive.

    `terms` are whole words or phrases, `patterns` RE2; both ignore case. In a pack that
    names any, every sentence is sensitive but its `exempt_texts`: whole sentences in
    the pack's own words, which alone may be shown uncited.
    """

    terms: tuple[Text, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    exempt_texts: tuple[Text, ...] = ()

    @property
    def by_id(self) -> Mapping[str, str]:
        """The exempt texts by the ids that a model uses."""
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
    """One kind of emergency: its patterns and its notice.

    A match of `patterns` makes a message one. `pages` are offered below the notice of a
    refusal, to those who may see them.
    """

    kind: Text = "other"
    patterns: tuple[Pattern, ...] = ()
    text: Text
    pages: tuple[EmergencyPage, ...] = ()


class Distress(Frozen):
    """Words around a refusal below an emergency notice; `pages` introduces those.

    The notice says whom to call, so `turn_to` only adds somebody whom it does not name.
    """

    acknowledgement: Text
    turn_to: Text | None = None
    pages: Text = "These pages may help:"


class Wording(Frozen):
    """The fixed texts of a pack, never from a model and no part of an answer.

    `one_kind` says that all sources are about one {kind} of subject (answer.kinds)
    where the question names none, `other_kinds` which other {kinds} the same sources
    have pages about. `covered` may hold {topics}, `missing_facts` {facts},
    `requirement_unmet` {requirement}, `disagreement` {sources} with tiers and dates,
    `younger` and the three below {date}, `not_found` {missing}; nothing else is
    replaced. `to_come` says that the day asked for is in the future. A pack that words
    `whole_year` reads a year as its last day and says so; `day_meant` says which day
    {phrase} means ("before 1 August 2014"); one that words `other_date` says where a
    date in the question is not the day that counts. `nearby` says that pages which came
    close are listed behind "Why"; it names none. The first of the `emergencies` with a
    match gives the notice above everything; the last is for a kind that has none.
    `fixed` answers, by sort, messages that are no medical question.
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
    requirement_unmet: Text = "There is less on this than I look for: {requirement}."
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
        """Return the reply to talk, with {title} for the pack's."""
        text = self.talk.get(talk, _TALK[talk])
        return text.replace("{turn_to}", self.turn_to)


class Budget(Frozen):
    """Limits per question; all finite."""

    seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] = 30.0
    tokens: Annotated[int, Field(gt=0, le=1_000_000)] = 20_000
    model_calls: Annotated[int, Field(gt=0, le=50)] = 4
    cost: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)] = 0.25


class FigureRule(Frozen):
    """A target for the average mix of evidence, over questions of some types.

    `share` is the share of passages that come from sources of these types, `number`
    their number. It has to be below `below`, or to reach `least`.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    query_types: Annotated[tuple[str, ...], Field(min_length=1)]
    measure: Literal["share", "number"]
    types: Annotated[tuple[str, ...], Field(min_length=1)]
    below: float | None = None
    least: float | None = None


class HealthRules(Frozen):
    """The pack's own figures, and the targets that apply to every pack."""

    retrieval: tuple[FigureRule, ...] = ()
    routing_compliance: float = 0.90
    supported_claims: float = 0.95
    unanchored_quotes: float = 0.05


class Change(Frozen):
    version: Text
    date: date
    change: Text
