"""The evidence gate: whether the evidence of a question may be answered from.

One pure function over the pack's tables decides, before any model is chosen. Reasons
are checked in a fixed order: the question itself (language, scope), then the six of the
evidence, then whether the evidence answers at all. A case that is not clearly open is
closed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from engine.model.codes import Reason
from engine.model.evidence import Evidence
from engine.model.gate import Closed, GateDecision, Open
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.policy.authority import close_unbinding, find_unheard
from engine.policy.mix import FieldRule
from engine.policy.pack import MINIMUM_USED, Domain, OpeningRule, Pack, Source
from engine.policy.records import forms
from engine.text.masking import preview
from engine.text.patterns import fold, matches
from engine.text.quotable import preview_quotation
from engine.text.releases import find_unmentioned_releases
from engine.text.words import stemmed


def decide(
    evidence: Evidence,
    intent: Intent,
    pack: Pack,
    sources: Mapping[str, Source],
    *,
    selection: bool = False,
) -> GateDecision:
    """Open the gate for the chunks that may be used, or close it with one reason.

    Only chunks of sources that `sources` holds as trusted count or are handed on.
    Documents hidden from the asker never reach the evidence, so no number here
    discloses them.

    Args:
        evidence: what the search composed; its relevance is compared as given.
        intent: what the rules read out of the question.
        pack: the tables.
        sources: the source register by id.
        selection: the evidence is a text that the asker selected. Every reason but the
            question's own is then INSUFFICIENT_CONTEXT; outside medical packs the
            asker's choice stands in for trust, number and date.
    """
    if (closed := _check_question(evidence, intent, pack)) is not None:
        return closed
    if selection and pack.domain is not Domain.MEDICAL:
        return _decide_selection(evidence, intent, pack)
    decision = _check_evidence(evidence, intent, pack, sources)
    if selection and isinstance(decision, Closed):
        return _close_insufficient(decision.numbers)
    return decision


def blocked_event(
    question: Question, intent: Intent, closed: Closed, evidence: Evidence | None
) -> dict[str, object]:
    """Make the `evidence_gate_blocked` event."""
    return {
        "event": "evidence_gate_blocked",
        "reasonCode": closed.reason.value,
        "reason": closed.explanation,
        "queryType": intent.query_type,
        "chunkCount": len(evidence.chunks) if evidence else 0,
        "sessionId": question.session,
        "query": preview(question.text),
    }


# --- the question itself ----------------------------------------------------------


def _check_question(evidence: Evidence, intent: Intent, pack: Pack) -> Closed | None:
    if intent.language not in pack.languages:
        return Closed(
            reason=Reason.UNSUPPORTED_LANGUAGE,
            explanation="The question is in a language that I do not serve.",
        )
    if not intent.in_scope:
        return Closed(
            reason=Reason.OUT_OF_SCOPE,
            explanation="The question lies outside what I answer.",
        )
    # An empty search has its own reason: without passages no word is known.
    retrieved = evidence.chunks or evidence.trace.candidates
    known = evidence.known_words or evidence.trace.unknown_names
    if pack.topics and retrieved and not known:
        return Closed(
            reason=Reason.OUT_OF_SCOPE,
            explanation="The documents contain none of the words of the question.",
        )
    return None


# --- the evidence, in the order of the reasons -------------------------------------


def _check_evidence(
    evidence: Evidence, intent: Intent, pack: Pack, sources: Mapping[str, Source]
) -> GateDecision:
    if (closed := _check_found(evidence)) is not None:
        return closed
    trusted = _find_counting(evidence, intent, pack, sources)
    if isinstance(trusted, Closed):
        return trusted
    trace = evidence.trace
    unheld = () if trace.named else trace.unknown_names
    unheld = unheld or find_unmentioned_releases(intent.text, trusted)
    if unheld:
        return _close_insufficient(
            {}, f"The sources hold nothing on {', '.join(unheld)}."
        )
    if (closed := _check_relevance(trusted, intent, pack)) is not None:
        return closed
    usable = [c for c in trusted if c.relevance >= pack.gate.used]
    if intent.time_sensitive:
        usable = [c for c in usable if _is_recent(c, intent, pack)]
        if not usable:
            return _close_outdated(pack)
    counting = _Counting(sources, _find_own(trusted, trace.named))
    opened = _find_opening(usable, intent, pack, counting)
    if isinstance(opened, Closed):
        return opened
    if not evidence.answerability >= pack.gate.answerability:
        return _close_insufficient(_compare_answerability(evidence, pack))
    speaking = _find_speaking(usable, intent, pack)
    opened = _find_opening(speaking, intent, pack, counting)
    if isinstance(opened, Closed):
        return _close_beside(usable, speaking)
    speaking += _find_records(trusted, speaking, evidence, intent, pack)
    speaking += _find_stating(evidence.nearest, speaking, intent, pack)
    missing = (*trace.unknown_names, *find_unheard(intent, speaking, pack))
    update = {"missing": missing, "named": trace.named, "leading": trace.leading}
    return _open(opened, speaking, pack).model_copy(update=update)


def _find_records(
    trusted: Sequence[Chunk],
    speaking: Sequence[Chunk],
    evidence: Evidence,
    intent: Intent,
    pack: Pack,
) -> list[Chunk]:
    """Return the records of named or leading entities that did not open the gate.

    Their fields are shown because the question names them, or because the answer is
    about them; they open no gate, and are placed behind all that did.
    """
    if pack.rule(intent.query_type).blocks is None:
        return []
    known = {chunk.document for chunk in speaking}
    found: dict[str, Chunk] = {}
    for chunk in trusted:
        record = any(thing.attributes for thing in chunk.things)
        wanted = {*evidence.trace.named, *evidence.trace.leading}
        if record and chunk.document in wanted - known:
            level = max(chunk.relevance, pack.gate.used)
            found.setdefault(
                chunk.document, chunk.model_copy(update={"relevance": level})
            )
    return list(found.values())


def _find_stating(
    nearest: Sequence[Chunk], speaking: Sequence[Chunk], intent: Intent, pack: Pack
) -> list[Chunk]:
    """Return passages that state a field which a section needs of a document.

    The level of evidence is on a guideline's own page, which the caps may leave out.
    Such a passage opens no gate, and is placed behind all that did.
    """
    found: dict[str, Chunk] = {}
    register = pack.register()
    for rule in pack.rule(intent.query_type).sections:
        for document in dict.fromkeys(
            chunk.document
            for chunk in speaking
            if {chunk.source, register[chunk.source].type} & {*rule.sources}
        ):
            for field in rule.fields:
                held = (c for c in (*speaking, *found.values(), *nearest))
                own = (c for c in held if c.document == document)
                first = next((c for c in own if _states(c, field)), None)
                if first is not None and first not in speaking:
                    found[first.id] = first
    return list(found.values())


def _states(chunk: Chunk, field: FieldRule) -> bool:
    return matches(field.patterns, fold(" ".join((chunk.title, chunk.text))))


def _check_found(evidence: Evidence) -> Closed | None:
    trace = evidence.trace
    filtered = trace.removed_filtered
    removed = trace.removed_untrusted + filtered
    if evidence.chunks:
        return None
    if not trace.candidates and not removed:
        return Closed(
            reason=Reason.NO_RESULTS,
            explanation="Nothing in the documents matches the question.",
        )
    if filtered:
        # Untrusted candidates were removed first, so the filtered ones were trusted.
        return Closed(
            reason=Reason.FILTERED_OUT,
            explanation="The safety rules removed every passage that was found.",
            numbers={"removed": filtered},
        )
    return None


def _is_trusted(chunk: Chunk, sources: Mapping[str, Source]) -> bool:
    source = sources.get(chunk.source)
    return source is not None and source.trusted


def _close_untrusted(evidence: Evidence, intent: Intent, pack: Pack) -> Closed:
    untrusted = evidence.trace.removed_untrusted + len(evidence.chunks)
    if not untrusted:
        # There were candidates, but composing left none: none was good enough.
        best = max((c.relevance for c in evidence.nearest), default=0.0)
        return _close_too_low(best, intent, pack)
    return Closed(
        reason=Reason.LOW_TRUST,
        explanation="What I found stands in no source that I trust.",
        numbers={"untrusted": untrusted},
    )


def _find_counting(
    evidence: Evidence, intent: Intent, pack: Pack, sources: Mapping[str, Source]
) -> list[Chunk] | Closed:
    """Return the chunks that may count: trusted, and binding where required."""
    trusted = [c for c in evidence.chunks if _is_trusted(c, sources)]
    if not trusted:
        return _close_untrusted(evidence, intent, pack)
    if not pack.binding_alone(needed=intent.needs_binding):
        return trusted
    binding = [c for c in trusted if sources[c.source].authority == "binding"]
    return binding or close_unbinding(len(trusted))


def _check_relevance(
    trusted: Sequence[Chunk], intent: Intent, pack: Pack
) -> Closed | None:
    best = max(chunk.relevance for chunk in trusted)
    sufficient = any(rule.reached(best) for rule in _list_openings(intent, pack))
    if best >= pack.gate.best and best >= pack.gate.used and sufficient:
        return None
    return _close_too_low(best, intent, pack)


def _list_openings(intent: Intent, pack: Pack) -> Sequence[OpeningRule]:
    """Return the openings of the gate for a question of this type."""
    return pack.gate.for_type(pack.rule(intent.query_type).query_type)


def _close_too_low(best: float, intent: Intent, pack: Pack) -> Closed:
    loosest = min(rule.relevance for rule in _list_openings(intent, pack))
    return Closed(
        reason=Reason.LOW_SCORE,
        explanation="What I found is not close enough to the question.",
        numbers={"best": best, "needed": max(loosest, pack.gate.used)},
    )


def _is_recent(chunk: Chunk, intent: Intent, pack: Pack) -> bool:
    """Return whether a chunk's day is in the window that ends on the analysis date.

    A chunk without a date cannot show that it is recent; one dated after the analysis
    date says nothing of that day.
    """
    day = _date_of(chunk)
    if day is None or intent.as_of is None:
        return False
    age = intent.as_of - day
    return timedelta(0) <= age <= timedelta(days=pack.gate.recency_days)


def _close_outdated(pack: Pack) -> Closed:
    return Closed(
        reason=Reason.RECENCY_FAIL,
        explanation="What I found is too old for a question about the current state.",
        numbers={"window_days": pack.gate.recency_days},
    )


def _date_of(chunk: Chunk) -> date | None:
    """Return the day of a passage: its publication, else its retrieval."""
    return chunk.published or chunk.retrieved


@dataclass(frozen=True, slots=True)
class _Counting:
    """Decides whether a chunk counts for an opening.

    `own` are the documents of the one entity that the question names.
    """

    sources: Mapping[str, Source]
    own: frozenset[str]

    def counts(self, chunk: Chunk, rule: OpeningRule) -> bool:
        source = self.sources[chunk.source]
        return (
            rule.reached(chunk.relevance)
            and (rule.tier is None or source.tier == rule.tier)
            and (rule.authority is None or source.authority == rule.authority)
            and (source.guideline or not rule.guideline)
            and (chunk.file is not None or not rule.lines)
            and (chunk.document in self.own or not rule.own)
        )


def _find_own(trusted: Sequence[Chunk], named: Sequence[str]) -> frozenset[str]:
    """Return the documents of the entity that the question names, where it is one.

    Of two, the document of one would count for both.
    """
    called: dict[str, set[str]] = {}
    for chunk in trusted:
        if chunk.document in named:
            told = {name for thing in chunk.things for name in thing.names}
            called.setdefault(chunk.document, set()).update(told)
    one = bool(called) and bool(set.intersection(*called.values()))
    return frozenset(called) if one else frozenset()


def _find_opening(
    usable: Sequence[Chunk], intent: Intent, pack: Pack, counting: _Counting
) -> OpeningRule | Closed:
    """Return the first opening of the pack that is met, with enough chunks for the
    intent.
    """
    needed = pack.rule(intent.query_type).minimum_chunks
    for rule in _list_openings(intent, pack):
        met = [c for c in usable if counting.counts(c, rule)]
        if len(met) < rule.chunks or _count_documents(met) < rule.documents:
            continue
        if rule.last_word or len(usable) >= needed:
            return rule
    return Closed(
        reason=Reason.LOW_DIVERSITY,
        explanation="Too few independent passages speak to the question.",
        numbers={
            **_describe_nearest(usable, intent, pack, counting),
            "best": max((chunk.relevance for chunk in usable), default=0.0),
        },
    )


def _describe_nearest(
    usable: Sequence[Chunk], intent: Intent, pack: Pack, counting: _Counting
) -> Mapping[str, float]:
    """Return the counts of the opening that is nearest to being met, and what it needs.

    An opening for any source precedes one that narrows them; where its documents and
    passages suffice, it is the intent that needs more passages.
    """
    openings = _list_openings(intent, pack)
    any_source = [r for r in openings if not (r.tier or r.authority or r.own)]
    rule = min(any_source or openings, key=lambda r: (r.documents, r.chunks))
    met = [chunk for chunk in usable if counting.counts(chunk, rule)]
    short = len(met) < rule.chunks or _count_documents(met) < rule.documents
    wanted = rule.chunks if short else pack.rule(intent.query_type).minimum_chunks
    return {
        "documents": _count_documents(met),
        "documents_needed": rule.documents,
        "chunks": len(met if short else usable),
        "chunks_needed": wanted,
    }


def _count_documents(chunks: Sequence[Chunk]) -> int:
    return len({chunk.witness for chunk in chunks})


# --- does it answer? --------------------------------------------------------------


def _decide_selection(evidence: Evidence, intent: Intent, pack: Pack) -> GateDecision:
    """Open on a selected text by a fixed floor: the bands are for what a search finds.

    The asker sees the text.
    """
    usable = [c for c in evidence.chunks if c.relevance >= MINIMUM_USED]
    if not usable:
        numbers = {"answerability": evidence.answerability, "needed": MINIMUM_USED}
        return _close_insufficient(numbers)
    speaking = _find_speaking(usable, intent, pack)
    if not speaking:
        return _close_beside(usable, speaking)
    rule = OpeningRule(
        name="selected text", documents=1, relevance=MINIMUM_USED, comparison=">="
    )
    return _open(rule, speaking, pack)


def _find_speaking(chunks: Sequence[Chunk], intent: Intent, pack: Pack) -> list[Chunk]:
    """Return the chunks of documents that mention everything a follow-up adds.

    "And for children?" is not answered by passages about adults, however close they are
    to the question before. Passages, titles and headings of a document count, and so
    does another word of the pack's glossary.
    """
    if not intent.named:
        return list(chunks)
    things = [forms(word, pack.retrieval) for word in intent.named]
    said: dict[str, str] = {}
    for chunk in chunks:
        said[chunk.document] = said.get(chunk.document, "") + _stem_shown(chunk)
    return [
        chunk
        for chunk in chunks
        if all(any(form in said[chunk.document] for form in thing) for thing in things)
    ]


def _stem_shown(chunk: Chunk) -> str:
    """Return the stems of title, headings and the passages that would be quoted."""
    quoted = [
        preview_quotation(chunk, pick.sentence).text(chunk) for pick in chunk.picks
    ]
    return stemmed("\n".join((chunk.title, *chunk.section, *(quoted or [chunk.text]))))


def _close_beside(usable: Sequence[Chunk], speaking: Sequence[Chunk]) -> Closed:
    numbers = {"passages": len(usable), "passages_with_it": len(speaking)}
    explanation = "What I found does not speak of what the follow-up adds."
    return _close_insufficient(numbers, explanation)


def _compare_answerability(evidence: Evidence, pack: Pack) -> dict[str, float]:
    return {
        "answerability": evidence.answerability,
        "needed": pack.gate.answerability,
    }


def _close_insufficient(
    numbers: Mapping[str, float],
    explanation: str = "What I found does not answer the question.",
) -> Closed:
    return Closed(
        reason=Reason.INSUFFICIENT_CONTEXT, explanation=explanation, numbers=numbers
    )


def _open(rule: OpeningRule, usable: Sequence[Chunk], pack: Pack) -> Open:
    return Open(
        rule=rule.name,
        chunks=tuple(usable),
        documents=_count_documents(usable),
        required_documents=rule.documents,
        tier_one=rule.last_word,
        minimum_citations=pack.citations.minimum_sensitive,
        numbers={"needed": rule.relevance},
    )
