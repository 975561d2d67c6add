"""The outcome of a question: failure states, notices, header, answer or refusal.

All states that apply are on record, the first in the order of precedence is the state.
An answer is shown only where every one of them allows it. The state decides the
notices: one that allows a body adds the notices of all states, one that does not shows
its own alone, and OUT_OF_SCOPE_SOURCE adds none to its own text. A refusal has no
notice that would be untrue (a fault of ours, a selection), or below an emergency
notice.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from pydantic import Field

from engine.conclude.fallback import (
    compose,
    compose_above_choices,
    compose_for_choice,
    compose_for_selection,
    find_fixed_text,
    has_fixed_text,
    refuse,
)
from engine.conclude.notices import (
    count_things,
    find_opposed,
    format_header,
    tell_day,
    tell_disagreement,
    tell_lacking,
    tell_narrowing,
    tell_widening,
)
from engine.conclude.opening import mark_more
from engine.model import reasons
from engine.model.answer import Answer, Citation, ClaimTally, Finding
from engine.model.codes import FEELINGS, FailureState, Reason
from engine.model.evidence import Evidence, Page, Seen, Trace
from engine.model.frozen import Frozen
from engine.model.gate import Closed, GateDecision, Open
from engine.model.outcome import Choice, Nearest, Outcome, Refusal
from engine.model.passage import Chunk
from engine.model.prompt import Prompt
from engine.model.question import Intent, Question
from engine.policy.authority import has_binding, is_stale, is_unbound
from engine.policy.contract import CONTRACT, keeps_contract
from engine.policy.pack import Pack, SectionRule, Source, find_emergency_notice
from engine.text.patterns import fold, matches
from engine.text.releases import find_unmentioned_releases

# Nobody knows whether the documents hold an answer, so no notice says that they do not.
_FAULTS = frozenset(
    {Reason.PROVIDER_FAILED, Reason.INTERNAL, Reason.AUDIT_FAILED, Reason.STOPPED}
)
POINTERS = 5  # pages that a refusal points to behind "why"
NEAR = 0.005  # relevance of a page that came near; a lower one would be shown as 0.00


class Progress(Frozen):
    """The state of one question in the pipeline, as far as it got.

    `reason` is why there is no answer although the gate opened, or why a stage could
    not run; `states` are failure states that a stage found beside it. `pages` are those
    that the pack names for the emergency and the asker may see, `choices` the
    alternatives of a refusal. `held` are the first and last day for which the sources
    hold the entity that the question names, where they do not for its day.
    """

    question: Question
    intent: Intent
    gate: GateDecision | None = None
    evidence: Evidence | None = None
    answer: Answer | None = None
    reason: Reason | None = None
    gaps: tuple[str, ...] = ()
    explanation: str = ""
    states: frozenset[FailureState] = frozenset()
    findings: tuple[Finding, ...] = ()
    pages: tuple[Page, ...] = ()
    held: tuple[date | None, date | None] | None = None
    choices: tuple[Choice, ...] = ()
    tally: ClaimTally = ClaimTally()
    prompts: tuple[Prompt, ...] = ()
    milliseconds: Mapping[str, float] = Field(default_factory=dict)


def settle(progress: Progress, pack: Pack) -> Outcome:
    """Settle the outcome of a question: an answer or a refusal, with all above it.

    An answer without an open gate, or progress without answer and reason, is a fault of
    ours and refused as INTERNAL.
    """
    reason = _find_reason(progress)
    if reason is not None and _has_fixed_text(reason, progress, pack):
        reason = Reason.FIXED_TEXT
    states = _find_states(progress, pack, reason)
    blocking = find_withholding(states, pack)
    result: Answer | Refusal
    if progress.answer is not None and reason is None and blocking is None:
        result = _mark_more(progress.answer, progress, pack)
    else:
        result = _refuse(progress, pack, reason or _reason_for_state(blocking))
    told = () if _tells_all(result, progress, pack) else list_notices(states, pack)
    return Outcome(
        question=progress.question,
        intent=progress.intent,
        result=result,
        states=states,
        emergency=_find_emergency(progress, pack),
        header=format_header(pack, progress.intent.basis, progress.intent.as_of),
        notices=_once(
            [
                *_comfort(result, progress, pack),
                *told,
                *tell_day(progress.intent, pack),
                *_tell_unheard(result, progress, pack),
                *_tell_evidence(result, progress, pack),
            ],
            result,
        ),
        nearest=_find_nearest(progress.evidence, pack.register()),
        choices=progress.choices if isinstance(result, Refusal) else (),
        gate=progress.gate,
        trace=add_seen(progress.question, progress.evidence, pack),
        routing_compliant=is_routed(
            result, progress.findings, _find_contract(progress, pack)
        ),
        findings=progress.findings,
        tally=progress.tally,
        pack_version=pack.version,
        pack_hash=pack.hash,
        milliseconds=progress.milliseconds,
        model=progress.prompts[-1].model if progress.prompts else None,
        prompt_version=progress.prompts[-1].program if progress.prompts else None,
        tokens=_sum_usage(progress.prompts),
        prompts=progress.prompts,
    )


def _find_contract(progress: Progress, pack: Pack) -> Sequence[SectionRule]:
    """Return the sections to keep; none where the evidence has its own."""
    parted = isinstance(progress.gate, Open) and progress.gate.headings
    return (
        ()
        if parted or progress.intent.page
        else pack.rule(progress.intent.query_type).sections
    )


def _find_emergency(progress: Progress, pack: Pack) -> str | None:
    """Return the notice above everything, where the message is an emergency."""
    if not progress.intent.urgent:
        return None
    return find_emergency_notice(pack, progress.intent.kind)


def _sum_usage(prompts: Sequence[Prompt]) -> dict[str, int]:
    """Sum the usage of a question's model calls."""
    used = [prompt.usage for prompt in prompts]
    if not used:
        return {}
    return {
        "calls": sum(usage.calls for usage in used),
        "prompt": sum(usage.prompt_tokens for usage in used),
        "answer": sum(usage.answer_tokens for usage in used),
    }


def find_withholding(states: Sequence[FailureState], pack: Pack) -> FailureState | None:
    """Return the first state that withholds an answer, or None."""
    for state in states:
        if state is not FailureState.NONE and not _shows_body(state, pack):
            return state
    return None


def list_notices(states: Sequence[FailureState], pack: Pack) -> tuple[str, ...]:
    """Return the matrix notices of states in their order of precedence."""
    first = states[0]
    if first in reasons.WITHOUT_NOTICE:
        return ()
    speaking = states if _shows_body(first, pack) else states[:1]
    return tuple(pack.notices[state].text for state in speaking)


# --- why, and in which state ------------------------------------------------------


def _find_reason(progress: Progress) -> Reason | None:
    if progress.reason is not None:
        return progress.reason
    if isinstance(progress.gate, Closed):
        return progress.gate.reason
    if progress.answer is not None and isinstance(progress.gate, Open):
        return None
    if progress.intent.missing_facts or progress.states - reasons.BODY_SHOWN:
        return None  # the state says why
    return Reason.INTERNAL


def _has_fixed_text(reason: Reason, progress: Progress, pack: Pack) -> bool:
    """Return whether a fixed text answers; never for a selection or a choice."""
    asked = progress.question
    alone = asked.selection is None and asked.evidence is None
    return alone and has_fixed_text(reason, pack, progress.intent)


def _find_states(
    progress: Progress, pack: Pack, reason: Reason | None
) -> tuple[FailureState, ...]:
    found = set(progress.states)
    if reason is not None:
        found.add(reasons.failure_state_for(reason))
    if progress.intent.missing_facts:
        found.add(FailureState.INSUFFICIENT_FACTS)
    register = pack.register()
    used = _list_used(progress)
    if any(is_stale(passage, register, progress.intent.as_of) for passage in used):
        found.add(FailureState.STALE_VOLATILE_SOURCE)
    # An asker who selects a text has chosen it: its authority is not judged.
    searched = progress.evidence is not None and progress.question.selection is None
    # A refusal for other reasons says nothing of authority: none was searched for.
    known = bool(used) or is_unbound(progress.gate)
    if (
        progress.intent.needs_binding
        and searched
        and known
        and not has_binding(used, register)
    ):
        found.add(FailureState.NO_BINDING_AUTHORITY)
    return reasons.sort_states(found)


def _list_used(progress: Progress) -> Sequence[Citation | Chunk]:
    """Return the citations of the answer, or the passages that it would have cited."""
    if progress.answer is not None:
        return progress.answer.citations
    return progress.gate.chunks if isinstance(progress.gate, Open) else ()


def _shows_body(state: FailureState, pack: Pack) -> bool:
    notice = pack.notices.get(state)
    return notice is not None and notice.show_body


def _reason_for_state(state: FailureState | None) -> Reason:
    return Reason.INTERNAL if state is None else reasons.reason_of(state)


def _refuse(progress: Progress, pack: Pack, reason: Reason) -> Refusal:
    closed = progress.gate if isinstance(progress.gate, Closed) else None
    if reason is Reason.FIXED_TEXT:
        return refuse(reason, pack, progress.intent)
    explanation = progress.explanation
    if not explanation and closed is not None and closed.reason is reason:
        explanation = closed.explanation
    numbers = closed.numbers if closed is not None else {}
    refusal = refuse(reason, pack, progress.intent, explanation, numbers)
    gaps = (
        *_find_unknown(progress),
        *(progress.gaps if reason is progress.reason else ()),
    )
    if gaps and not progress.intent.urgent:
        refusal = refusal.model_copy(update={"gaps": tuple(dict.fromkeys(gaps))})
    if _is_of_selection(reason, progress):
        text = compose_for_selection(pack, progress.intent)
    elif progress.question.evidence is not None and closed is not None:
        text = compose_for_choice(pack, progress.intent)
    elif progress.choices:
        text = compose_above_choices(pack)
    else:
        near = bool(_find_nearest(progress.evidence, pack.register()))
        text = compose(reason, pack, progress.intent, near=near, pages=progress.pages)
    return refusal.model_copy(update={"fallback": text})


def _find_unknown(progress: Progress) -> Sequence[str]:
    """Return the names and releases in the question that no document has."""
    if progress.evidence is None or progress.held is not None:
        return ()  # held for other days, which a notice says
    names = progress.evidence.trace.unknown_names
    return names or find_unmentioned_releases(
        progress.intent.text, progress.evidence.chunks
    )


def _is_of_selection(reason: Reason, progress: Progress) -> bool:
    selected = progress.question.selection is not None
    return selected and reason is Reason.INSUFFICIENT_CONTEXT


def _tells_all(result: Answer | Refusal, progress: Progress, pack: Pack) -> bool:
    """Return whether the text of a refusal needs no notice beside it."""
    if isinstance(result, Answer):
        return False
    fault = result.reason in _FAULTS
    said = progress.intent.urgent or find_fixed_text(pack, progress.intent) is not None
    return said or fault or _is_of_selection(result.reason, progress)


# --- above the body and behind "Why" ------------------------------------------------


def _tell_unheard(
    result: Answer | Refusal, progress: Progress, pack: Pack
) -> Iterator[str]:
    """Yield the notice that no document has a name of the question, where nothing
    answers.
    """
    names = progress.evidence.trace.unknown_names if progress.evidence else ()
    if isinstance(result, Answer) or progress.intent.urgent:
        return
    for rule in pack.things:
        patterns = [each.pattern for each in rule.patterns]
        if not any(matches(patterns, name) for name in names):
            continue
        if (
            rule.unheld
            and progress.held is not None
            and progress.intent.as_of is not None
        ):
            day = progress.intent.as_of.isoformat()
            told = rule.unheld.replace("{days}", _format_days(*progress.held))
            yield told.replace("{date}", day)
        elif rule.unknown:
            yield rule.unknown


def _format_days(first: date | None, last: date | None) -> str:
    """Format the days from the first to the last."""
    if last is None:
        return f"from {first.isoformat()} on" if first else "for other days"
    until = f"until {last.isoformat()}"
    return f"from {first.isoformat()} {until}" if first else until


def _comfort(result: Answer | Refusal, progress: Progress, pack: Pack) -> Iterator[str]:
    """Yield one sentence to somebody afraid, above the body."""
    intent, texts = progress.intent, pack.wording.fixed
    whole = isinstance(result, Answer) and intent.kind in FEELINGS
    sort = intent.felt or (intent.kind if whole else "")
    spoken = isinstance(result, Refusal) and result.reason is Reason.FIXED_TEXT
    if sort in texts and not (intent.urgent or spoken):
        first, mark, _ = texts[sort].partition(". ")
        yield first + mark.strip()


def _tell_evidence(
    result: Answer | Refusal, progress: Progress, pack: Pack
) -> Iterator[str]:
    trace = progress.evidence.trace if progress.evidence else None
    yield from tell_widening(result, trace, progress.intent, pack)
    yield from count_things(result, trace, pack)
    yield from tell_disagreement(result, progress.gate, pack)
    yield from tell_narrowing(
        result, progress.gate, progress.evidence, _add_before(progress), pack
    )
    yield from tell_lacking(result, progress.gate, progress.intent.text)


def _add_before(progress: Progress) -> Intent:
    """Return the intent with the text of the question that a follow-up continues."""
    intent, before = progress.intent, progress.question.previous
    if not intent.follow_up or not before:
        return intent
    return intent.model_copy(update={"text": f"{intent.text} {before}"})


def _mark_more(answer: Answer, progress: Progress, pack: Pack) -> Answer:
    """Mark the claims that "Show more" reveals."""
    documents = (
        progress.gate.required_documents if isinstance(progress.gate, Open) else 1
    )
    together = {
        citation.number for citation in find_opposed(answer, progress.gate, pack)
    }
    if (
        isinstance(progress.gate, Open)
        and progress.gate.headings
        and not progress.intent.page
    ):
        firsts = (section.claims[0] for section in answer.sections if section.claims)
        together.update(number for first in firsts for number in first.citations)
    return mark_more(answer, documents, together)


def _once(texts: Collection[str], result: Answer | Refusal) -> tuple[str, ...]:
    """Drop repeated notices, and those that the body opens with."""
    if isinstance(result, Refusal):
        opening = fold(result.fallback)
    else:
        opening = fold(next((c.text for s in result.sections for c in s.claims), ""))
    return tuple(
        text for text in dict.fromkeys(texts) if not opening.startswith(fold(text))
    )


def _find_nearest(
    evidence: Evidence | None, register: Mapping[str, Source]
) -> tuple[Nearest, ...]:
    """Return the pages of trusted sources that came closest, one pointer a page.

    The same page in another release of a manual is the same page.
    """
    if evidence is None:
        return ()
    found: dict[str, Chunk] = {}
    pages: set[tuple[str, tuple[str, ...]]] = set()
    came = sorted((*evidence.chunks, *evidence.nearest), key=lambda c: -c.relevance)
    for chunk in came:
        source = register.get(chunk.source)
        near = chunk.relevance >= NEAR
        if not near or source is None or not source.trusted:
            continue
        page = (chunk.title, chunk.section)
        if chunk.document not in found and page not in pages:
            found[chunk.document] = chunk
        pages.add(page)
    return tuple(
        Nearest(
            document_id=chunk.document,
            title=chunk.title,
            section=" > ".join(chunk.section),
            url=chunk.url,
            relevance=chunk.relevance,
        )
        for chunk in list(found.values())[:POINTERS]
    )


def add_seen(question: Question, evidence: Evidence | None, pack: Pack) -> Trace | None:
    """Return the trace of the search with every passage that the gate judged.

    Passages of a selected text are the asker's, and not kept.
    """
    if evidence is None or question.selection is not None:
        return evidence.trace if evidence else None
    register = pack.register()
    seen = tuple(
        Seen(
            chunk_id=chunk.id,
            document_id=chunk.document,
            source=chunk.source,
            type=register[chunk.source].type if chunk.source in register else "",
            relevance=chunk.relevance,
        )
        for chunk in evidence.chunks
    )
    return evidence.trace.model_copy(update={"seen": seen})


def is_routed(
    result: Answer | Refusal,
    findings: Sequence[Finding],
    contract: Sequence[SectionRule],
) -> bool:
    """Return whether every draft, and what is shown, keeps the contract of its query
    type.

    A draft that was rejected for it counts, though a second one corrected it.
    """
    shown = result.sections if isinstance(result, Answer) else ()
    kept = not shown or keeps_contract(contract, [section.heading for section in shown])
    rejected = (f for f in findings if f.severity == "reject")
    return kept and all(found.validator != CONTRACT for found in rejected)
