"""A policy pack: its settings (numbers, words, sources), and the floors it cannot pass.

A pack is data. One that is below a floor, or that leaves a case without words, cannot
be built: `list_violations` says which field and which floor. Files are read by
adapters/packs.py; the parts are in engine/policy/records.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, ValidationError, model_validator

from engine.model.codes import FailureState, Reason
from engine.model.frozen import Frozen
from engine.model.reasons import BODY_SHOWN, WITHOUT_NOTICE
from engine.policy.mix import CapRule, Required, SectionRule, Text
from engine.policy.records import (
    AnswerRules,
    Budget,
    Change,
    CitationRules,
    Distress,
    Domain,
    Emergency,
    GateRules,
    HealthRules,
    IntentRule,
    Language,
    Link,
    Notice,
    OpeningRule,
    QuestionRules,
    RetrievalRules,
    SensitiveRules,
    Source,
    Wording,
)
from engine.policy.things import ThingRule
from engine.text.patterns import Pattern, build_word_pattern, fold, matches
from engine.text.sentences import split_sentences

__all__ = [
    "PACK_ID",
    "AnswerRules",
    "Budget",
    "CapRule",
    "Change",
    "CitationRules",
    "Distress",
    "Domain",
    "Emergency",
    "GateRules",
    "IntentRule",
    "Link",
    "Notice",
    "OpeningRule",
    "Pack",
    "Required",
    "RetrievalRules",
    "SectionRule",
    "SensitiveRules",
    "Source",
    "Violation",
    "Wording",
    "list_violations",
]

PACK_ID = r"^[a-z][a-z0-9_]{1,40}$"

MINIMUM_SENSITIVE = 1  # distinct citations of sensitive content
MINIMUM_SENSITIVE_MEDICAL = 2
MINIMUM_USED = 0.5  # relevance of a chunk that is answered from
# Relevance of a tier-1 document that opens the gate of a medical pack alone; the
# other domains open on one document from MINIMUM_USED on.
MINIMUM_ALONE = 0.7
MINIMUM_BEST = 0.3  # relevance of the best chunk
MINIMUM_ANCHORS = 3

# Floors that the type of a field enforces: an error about it adds these words.
_FLOORS_OF_FIELDS = {
    "anchors_per_item": f"at least {MINIMUM_ANCHORS}",
    "answer.schema_retry_attempts": "at most 3",
    "answer.strict_quotes": "always true",
    "audit": "always true",
    "budget.cost": "finite",
    "budget.model_calls": "finite",
    "budget.seconds": "finite",
    "budget.tokens": "finite",
    "citations.minimum_sensitive": "at least 1, medical packs 2",
}

# A failed audit has one fixed text in code, and a fixed text is its own reason;
# every other reason is worded.
_WORDED = frozenset(Reason) - {
    Reason.AUDIT_FAILED,
    Reason.FIXED_TEXT,
    Reason.STOPPED,
}

# An intent with this prefix is sensitive whatever a pack says.
_SENSITIVE_PREFIX = "INFORMATIONAL_"


class Violation(Frozen):
    """A fault of a pack: `field` as a path ("gate.openings[1].relevance").

    `floor` is the floor that the field is below, or None.
    """

    field: str
    message: str
    floor: str | None = None


class _Broken(ValueError):
    """Carries faults of a pack as a whole through pydantic."""

    def __init__(self, found: tuple[Violation, ...]) -> None:
        super().__init__("; ".join(f"{v.field}: {v.message}" for v in found))
        self.violations = found


class Pack(Frozen):
    """One policy pack with its source register, ready to use."""

    id: Annotated[str, Field(pattern=PACK_ID)]
    title: Text
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    date: date
    owner: Text
    contact: Text
    status: Literal["draft", "active", "LOCKED"]
    domain: Domain
    reader: Literal["public", "professionals"] = "public"
    time_zone: Text = "UTC"
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("en",)
    changelog: Annotated[tuple[Change, ...], Field(min_length=1)]
    platforms_forbidden: tuple[Literal["slack", "discord", "terminal"], ...] = ()
    topics: tuple[Text, ...] = ()
    out_of_scope_patterns: tuple[Pattern, ...] = ()
    analysis_date_header: bool = False
    audit: Literal[True] = True  # a floor: a pack may say it, and no other
    anchors_per_item: Annotated[int, Field(ge=3, le=5)] = 3
    intents: Annotated[tuple[IntentRule, ...], Field(min_length=1)]
    gate: GateRules
    citations: CitationRules
    retrieval: RetrievalRules = RetrievalRules()
    answer: AnswerRules
    questions: QuestionRules = QuestionRules()
    sensitive: SensitiveRules = SensitiveRules()
    notices: Mapping[FailureState, Notice]
    wording: Wording
    budget: Budget = Budget()
    health: HealthRules = HealthRules()
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    things: tuple[ThingRule, ...] = ()
    hash: str = ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        found = tuple(found for check in _CHECKS for found in check(self))
        if found:
            raise _Broken(found)
        return self

    def rule(self, query_type: str) -> IntentRule:
        """Return the rule of a query type; the last one for an unknown type."""
        known = {rule.query_type: rule for rule in self.intents}
        return known.get(query_type, self.intents[-1])

    def narrow(self) -> "Pack":
        """Return the pack for an environment that allows no widening."""
        retrieval = self.retrieval.model_copy(update={"widening_allowed": False})
        return self.model_copy(update={"retrieval": retrieval})

    def binding_alone(self, *, needed: bool) -> bool:
        """Return whether only binding sources are searched and counted.

        They are where one is `needed` and the matrix shows no answer without it.
        """
        missing = self.notices[FailureState.NO_BINDING_AUTHORITY]
        return needed and not missing.show_body

    def register(self) -> Mapping[str, Source]:
        """Return the source register by source id."""
        return {source.id: source for source in self.sources}


def find_emergency_notice(pack: Pack, kind: str) -> str | None:
    """Return the notice of a kind of emergency, else the last one; None without any."""
    known = pack.wording.emergencies
    return next(
        (e.text for e in known if e.kind == kind), known[-1].text if known else None
    )


def list_violations(error: ValidationError) -> tuple[Violation, ...]:
    """List all reasons why a pack could not be built, by field."""
    found: list[Violation] = []
    for line in error.errors(include_url=False, include_input=False):
        cause = line.get("ctx", {}).get("error")
        if isinstance(cause, _Broken):
            found += cause.violations
            continue
        field = format_path(line["loc"])
        message = line["msg"].removeprefix("Value error, ")
        if line["type"] == "extra_forbidden":
            message = "unknown field: remove it, or correct its name"
        found.append(
            Violation(field=field, message=message, floor=_FLOORS_OF_FIELDS.get(field))
        )
    return tuple(found)


def format_path(parts: Iterable[str | int]) -> str:
    """Format the path of a field: names with dots, positions in brackets."""
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in parts)
    return text.removeprefix(".")


# --- floors ----------------------------------------------------------------


def _check_least(field: str, value: float, floor: float) -> Iterator[Violation]:
    if value < floor:
        yield Violation(
            field=field, message=f"is {value:g}", floor=f"at least {floor:g}"
        )


def _check_numbers(pack: Pack) -> Iterator[Violation]:
    medical = pack.domain is Domain.MEDICAL
    citations = MINIMUM_SENSITIVE_MEDICAL if medical else MINIMUM_SENSITIVE
    yield from _check_least(
        "citations.minimum_sensitive", pack.citations.minimum_sensitive, citations
    )
    yield from _check_least("gate.used", pack.gate.used, MINIMUM_USED)
    yield from _check_least("gate.best", pack.gate.best, MINIMUM_BEST)
    for at, opening in enumerate(pack.gate.openings):
        field = f"gate.openings[{at}]"
        alone = medical and opening.documents == 1
        floor = MINIMUM_ALONE if alone else MINIMUM_USED
        yield from _check_least(f"{field}.relevance", opening.relevance, floor)
        if alone and not opening.last_word:
            yield Violation(
                field=field,
                message="opens on one document of any kind",
                floor="one document opens only where tier is 1 and guideline is true, "
                "or where it is the own one of what is asked about",
            )


def _check_safeguards(pack: Pack) -> Iterator[Violation]:
    for at, source in enumerate(pack.sources):
        if source.volatility == "volatile" and source.window_days is None:
            yield Violation(
                field=f"sources[{at}].window_days",
                message=f"{source.id} is volatile and has no window",
                floor="a window for every volatile source",
            )
    if pack.retrieval.widening_allowed and pack.wording.widened is None:
        yield Violation(
            field="wording.widened",
            message="is missing although retrieval may widen",
            floor="widening is visible",
        )
    kind = pack.wording.acknowledgement is not None
    if pack.domain is Domain.MEDICAL and pack.reader == "public" and not kind:
        yield Violation(
            field="wording.acknowledgement",
            message="is missing where the public is refused",
            floor="a refusal that acknowledges the need",
        )
    lexicon = [*pack.sensitive.patterns]
    terms = build_word_pattern(pack.sensitive.terms)
    if terms is not None:
        lexicon.append(terms)
    for field, text in _iterate_fallback_texts(pack.wording):
        if matches(lexicon, fold(text)):
            yield Violation(
                field=field,
                message="holds a word of the sensitive lexicon",
                floor="a fallback without sensitive words",
            )
    for at, rule in enumerate(pack.intents):
        if rule.name.startswith(_SENSITIVE_PREFIX) and not rule.sensitive:
            yield Violation(
                field=f"intents[{at}].sensitive",
                message=f"{rule.name} is not sensitive",
                floor=f"intents named {_SENSITIVE_PREFIX}* are sensitive (R-M1)",
            )


def _check_brought(pack: Pack) -> Iterator[Violation]:
    """Check that no medical pack reads what somebody brings along."""
    if pack.answer.files and pack.domain is Domain.MEDICAL:
        yield Violation(
            field="answer.files",
            message="is on: what somebody brings along is no source of a medical pack",
            floor="evidence of registered sources alone in a medical pack",
        )


def _iterate_fallback_texts(wording: Wording) -> Iterator[tuple[str, str]]:
    """Yield the texts of engine/conclude/fallback.py, each with its field."""
    if wording.acknowledgement is not None:
        yield "wording.acknowledgement", wording.acknowledgement
    yield "wording.lacks", wording.lacks
    yield "wording.turn_to", wording.turn_to
    yield "wording.missing_facts", wording.missing_facts
    if wording.covered is not None:
        yield "wording.covered", wording.covered
    if wording.nearby is not None:
        yield "wording.nearby", wording.nearby
    if wording.distress is not None:
        yield "wording.distress.acknowledgement", wording.distress.acknowledgement
        if wording.distress.turn_to is not None:
            yield "wording.distress.turn_to", wording.distress.turn_to
        yield "wording.distress.pages", wording.distress.pages
    for at, link in enumerate(wording.links):
        yield f"wording.links[{at}].title", link.title
    for reason, text in wording.reasons.items():
        yield f"wording.reasons.{reason}", text


# --- gaps in the rules ------------------------------------------------------------


def _check_identity(pack: Pack) -> Iterator[Violation]:
    if pack.version not in {change.version for change in pack.changelog}:
        yield Violation(
            field="changelog", message=f"has no entry for version {pack.version}"
        )
    if pack.time_zone != "UTC":
        try:
            ZoneInfo(pack.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            yield Violation(
                field="time_zone", message=f"{pack.time_zone} is no IANA time zone"
            )
    yield from _check_unique("sources", "id", [source.id for source in pack.sources])
    yield from _check_unique(
        "intents", "query_type", [r.query_type for r in pack.intents]
    )


def _check_unique(table: str, field: str, values: list[str]) -> Iterator[Violation]:
    for value, times in Counter(values).items():
        if times > 1:
            yield Violation(
                field=table, message=f"{field} {value} stands {times} times"
            )


def _check_rules(pack: Pack) -> Iterator[Violation]:
    for at, rule in enumerate(pack.intents):
        if not rule.patterns and at + 1 < len(pack.intents):
            yield Violation(
                field=f"intents[{at}].patterns",
                message="is empty: only the last intent needs no pattern",
            )
    if pack.gate.warned > pack.gate.used:
        yield Violation(field="gate.warned", message="lies above gate.used")
    for at, opening in enumerate(pack.gate.openings):
        if opening.relevance < pack.gate.used:
            yield Violation(
                field=f"gate.openings[{at}].relevance",
                message="lies below gate.used, so it would count unused chunks",
            )
        for name in ("best", "answerability"):
            hidden = getattr(pack.gate, name)
            if hidden > opening.relevance:
                yield Violation(
                    field=f"gate.{name}",
                    message=f"is {hidden:g} and raises {opening.name!r}, which opens "
                    f"at {opening.relevance:g}, unseen: lower it, or raise "
                    f"gate.openings[{at}].relevance",
                )


def _check_exempt(pack: Pack) -> Iterator[Violation]:
    """Check that each exempt text is one sentence, because drafts are compared by
    sentence.
    """
    for at, text in enumerate(pack.sensitive.exempt_texts):
        if len(split_sentences(text)) != 1:
            yield Violation(
                field=f"sensitive.exempt_texts[{at}]",
                message="has to be one sentence: write each as an entry of its own",
            )


def _check_mix(pack: Pack) -> Iterator[Violation]:
    """Yield rules that bound nothing, or name an unknown source, query type or kind."""
    covered = pack.retrieval.covered
    if covered is not None and covered.at_most >= pack.gate.used:
        yield Violation(
            field="retrieval.covered.at_most",
            message=f"is {covered.at_most:g}, so what covers too little of a question "
            f"would still be used: set it below gate.used, which is {pack.gate.used:g}",
        )
    types = {source.type for source in pack.sources}
    sources = types | {source.id for source in pack.sources}
    queries = {rule.query_type for rule in pack.intents}
    for at, cap in enumerate(pack.retrieval.caps):
        field = f"retrieval.caps[{at}]"
        yield from _check_known(f"{field}.types", cap.types, sources, "source or type")
        asked = (*cap.query_types, *cap.but_not)
        yield from _check_known(field, asked, queries, "query type")
        kinds = (cap.raised_by,) if cap.raised_by else ()
        things = {*pack.retrieval.things, *(thing.kind for thing in pack.things)}
        yield from _check_known(f"{field}.raised_by", kinds, things, "kind of things")
    for at, opening in enumerate(pack.gate.openings):
        field = f"gate.openings[{at}].query_types"
        yield from _check_known(field, opening.query_types, queries, "query type")
    for at, figure in enumerate(pack.health.retrieval):
        field = f"health.retrieval[{at}]"
        yield from _check_known(f"{field}.types", figure.types, types, "type of source")
        asked = figure.query_types
        yield from _check_known(f"{field}.query_types", asked, queries, "query type")
    known = {thing.kind for thing in pack.things}
    if len(known) < len(pack.things):
        yield Violation(field="things", message="names a kind twice")
    for at, rule in enumerate(pack.intents):
        field = f"intents[{at}]"
        blocks = (rule.blocks,) if rule.blocks else ()
        yield from _check_known(f"{field}.blocks", blocks, known, "kind of things")
        yield from _check_known(field, rule.demoted_types, sources, "source or type")
        for n, wanted in enumerate(rule.requires):
            named = f"{field}.requires[{n}]"
            yield from _check_known(named, wanted.sources, sources, "source or type")
        for n, section in enumerate(rule.sections):
            named = f"{field}.sections[{n}]"
            yield from _check_known(named, section.sources, sources, "source or type")
        if not any(o.opens_for(rule.query_type) for o in pack.gate.openings):
            yield Violation(
                field="gate.openings",
                message=f"has none for {rule.query_type}: nobody could be answered",
            )


def _check_known(
    field: str, names: Sequence[str], known: set[str], what: str
) -> Iterator[Violation]:
    for name in names:
        if name not in known:
            yield Violation(
                field=field, message=f"names {name}, which is no {what} of the pack"
            )


def _check_words(pack: Pack) -> Iterator[Violation]:
    for reason in sorted(_WORDED - set(pack.wording.reasons)):
        yield Violation(field="wording.reasons", message=f"has no {reason}")
    for state in FailureState:
        notice = pack.notices.get(state)
        if state in WITHOUT_NOTICE:
            if notice is not None:
                yield Violation(field=f"notices.{state}", message="must not stand here")
        elif notice is None:
            yield Violation(field="notices", message=f"has no {state}")
        elif notice.show_body and state not in BODY_SHOWN:
            yield Violation(
                field=f"notices.{state}.show_body",
                message="is true",
                floor="an answer is withheld in this state (R-F3)",
            )
    if pack.domain is not Domain.MEDICAL:
        return
    if not any(emergency.patterns for emergency in pack.wording.emergencies):
        yield Violation(
            field="wording.emergencies",
            message="has no pattern: a medical pack recognises emergencies (R-M6)",
        )
    if pack.wording.distress is None:
        yield Violation(
            field="wording.distress",
            message="is missing: a medical pack has words for the refusal below an "
            "emergency notice (R-M5, R-M6)",
        )


_CHECKS = (
    _check_brought,
    _check_numbers,
    _check_safeguards,
    _check_identity,
    _check_rules,
    _check_mix,
    _check_exempt,
    _check_words,
)
