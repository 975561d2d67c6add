"""What a walk came to: failure states, notices, header, and the answer or the refusal.

Reading aid for R-F2 and R-F3: all states that apply are on record, the first in the
order of precedence is the state. An answer is shown only where every one of them allows
it. The state decides the notices: one that allows a body lets every state speak, one
that does not speaks alone, and OUT_OF_SCOPE_SOURCE says nothing beside its own text.
Nor does the notice of a refusal that would be untrue (a fault of ours, a selection) or
stand below an emergency notice.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from pydantic import Field

from engine.conclude.fallback import (
    beside_choices,
    compose,
    fixed,
    of_choice,
    of_selection,
    refuse,
    speaks,
)
from engine.conclude.notices import (
    counted,
    disagreement,
    header,
    lacking,
    narrower,
    opposed,
    told_of_day,
    widening,
)
from engine.conclude.opening import opening
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


class Walk(Frozen):
    """What the rooms found out about one question, as far as it got.

    `reason` is why there is no answer although the gate opened, or why no room could be
    entered; `states` are failure states that a room found beside it. `pages` are those
    that the pack names for the emergency and the asker may see, `choices` what a
    refusal offers instead. `held` are the first and last day of what the question names
    and the sources do not hold for its day.
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


def settle(walk: Walk, pack: Pack) -> Outcome:
    """Settle the outcome of a walk: one answer or one refusal, with all that is on top.

    An answer without an open gate, or a walk without answer and reason, is a fault of
    ours and refused as INTERNAL.
    """
    reason = _reason(walk)
    if reason is not None and _speaks(reason, walk, pack):
        reason = Reason.FIXED_TEXT
    states = _states(walk, pack, reason)
    blocking = withheld_by(states, pack)
    result: Answer | Refusal
    if walk.answer is not None and reason is None and blocking is None:
        result = _opening(walk.answer, walk, pack)
    else:
        result = _refusal(walk, pack, reason or _reason_of(blocking))
    told = () if _tells_all(result, walk, pack) else notices(states, pack)
    query_type = walk.intent.query_type
    return Outcome(
        question=walk.question,
        intent=walk.intent,
        result=result,
        states=states,
        emergency=_notice(walk, pack),
        header=header(pack, walk.intent.basis, walk.intent.as_of),
        notices=_once(
            [
                *_fixed(result, walk, pack),
                *told,
                *told_of_day(walk.intent, pack),
                *_unheard_of(result, walk, pack),
                *_beside(result, walk, pack),
            ],
            result,
        ),
        nearest=_nearest(walk.evidence, pack.register()),
        choices=walk.choices if isinstance(result, Refusal) else (),
        gate=walk.gate,
        trace=traced(walk.question, walk.evidence, pack),
        routing_compliant=routed(result, walk.findings, pack.rule(query_type).sections),
        findings=walk.findings,
        tally=walk.tally,
        pack_version=pack.version,
        pack_hash=pack.hash,
        milliseconds=walk.milliseconds,
        model=walk.prompts[-1].model if walk.prompts else None,
        prompt_version=walk.prompts[-1].program if walk.prompts else None,
        tokens=_tokens(walk.prompts),
        prompts=walk.prompts,
    )


def _notice(walk: Walk, pack: Pack) -> str | None:
    """Return what stands above everything, where the message is an emergency."""
    if not walk.intent.urgent:
        return None
    return find_emergency_notice(pack, walk.intent.kind)


def _tokens(prompts: Sequence[Prompt]) -> dict[str, int]:
    """Return what the model calls of a question took together."""
    used = [prompt.usage for prompt in prompts]
    if not used:
        return {}
    return {
        "calls": sum(usage.calls for usage in used),
        "prompt": sum(usage.prompt_tokens for usage in used),
        "answer": sum(usage.answer_tokens for usage in used),
    }


def withheld_by(states: Sequence[FailureState], pack: Pack) -> FailureState | None:
    """Return the first state that lets no answer through, or None."""
    for state in states:
        if state is not FailureState.NONE and not _shows_body(state, pack):
            return state
    return None


def notices(states: Sequence[FailureState], pack: Pack) -> tuple[str, ...]:
    """Return the matrix notices of states that `reasons.in_order` has put in order."""
    first = states[0]
    if first in reasons.WITHOUT_NOTICE:
        return ()
    speaking = states if _shows_body(first, pack) else states[:1]
    return tuple(pack.notices[state].text for state in speaking)


# --- why, and in which state ------------------------------------------------------


def _reason(walk: Walk) -> Reason | None:
    if walk.reason is not None:
        return walk.reason
    if isinstance(walk.gate, Closed):
        return walk.gate.reason
    if walk.answer is not None and isinstance(walk.gate, Open):
        return None
    if walk.intent.missing_facts or walk.states - reasons.BODY_SHOWN:
        return None  # the state says why
    return Reason.INTERNAL


def _speaks(reason: Reason, walk: Walk, pack: Pack) -> bool:
    """Return whether a fixed text answers; not what was asked of a text or was
    chosen.
    """
    asked = walk.question
    alone = asked.selection is None and asked.evidence is None
    return alone and speaks(reason, pack, walk.intent)


def _states(walk: Walk, pack: Pack, reason: Reason | None) -> tuple[FailureState, ...]:
    found = set(walk.states)
    if reason is not None:
        found.add(reasons.failure_state_for(reason))
    if walk.intent.missing_facts:
        found.add(FailureState.INSUFFICIENT_FACTS)
    register = pack.register()
    used = _used(walk)
    if any(is_stale(passage, register, walk.intent.as_of) for passage in used):
        found.add(FailureState.STALE_VOLATILE_SOURCE)
    # Who selects a text has chosen it: it is quoted as what it is.
    searched = walk.evidence is not None and walk.question.selection is None
    # A refusal for other reasons says nothing of authority: none was looked for.
    known = bool(used) or is_unbound(walk.gate)
    if (
        walk.intent.needs_binding
        and searched
        and known
        and not has_binding(used, register)
    ):
        found.add(FailureState.NO_BINDING_AUTHORITY)
    return reasons.sort_states(found)


def _used(walk: Walk) -> Sequence[Citation | Chunk]:
    """Return what the reader is, or would have been, referred to."""
    if walk.answer is not None:
        return walk.answer.citations
    return walk.gate.chunks if isinstance(walk.gate, Open) else ()


def _shows_body(state: FailureState, pack: Pack) -> bool:
    notice = pack.notices.get(state)
    return notice is not None and notice.show_body


def _reason_of(state: FailureState | None) -> Reason:
    return Reason.INTERNAL if state is None else reasons.reason_of(state)


def _refusal(walk: Walk, pack: Pack, reason: Reason) -> Refusal:
    closed = walk.gate if isinstance(walk.gate, Closed) else None
    if reason is Reason.FIXED_TEXT:
        return refuse(reason, pack, walk.intent)
    explanation = walk.explanation
    if not explanation and closed is not None and closed.reason is reason:
        explanation = closed.explanation
    numbers = closed.numbers if closed is not None else {}
    refusal = refuse(reason, pack, walk.intent, explanation, numbers)
    gaps = (*_unknown(walk), *(walk.gaps if reason is walk.reason else ()))
    if gaps and not walk.intent.urgent:
        refusal = refusal.model_copy(update={"gaps": tuple(dict.fromkeys(gaps))})
    if _of_selection(reason, walk):
        text = of_selection(pack, walk.intent)
    elif walk.question.evidence is not None and closed is not None:
        text = of_choice(pack, walk.intent)
    elif walk.choices:
        text = beside_choices(pack)
    else:
        near = bool(_nearest(walk.evidence, pack.register()))
        text = compose(reason, pack, walk.intent, near=near, pages=walk.pages)
    return refusal.model_copy(update={"fallback": text})


def _unknown(walk: Walk) -> Sequence[str]:
    """Return the names and releases in the question that no document bears."""
    if walk.evidence is None or walk.held is not None:
        return ()  # held for other days, which is told
    names = walk.evidence.trace.unknown_names
    return names or find_unmentioned_releases(walk.intent.text, walk.evidence.chunks)


def _of_selection(reason: Reason, walk: Walk) -> bool:
    selected = walk.question.selection is not None
    return selected and reason is Reason.INSUFFICIENT_CONTEXT


def _tells_all(result: Answer | Refusal, walk: Walk, pack: Pack) -> bool:
    """Return whether the text of a refusal says all, so that a notice would say too
    much.
    """
    if isinstance(result, Answer):
        return False
    fault = result.reason in _FAULTS
    said = walk.intent.urgent or fixed(pack, walk.intent) is not None
    return said or fault or _of_selection(result.reason, walk)


# --- on top and behind ------------------------------------------------------------


def _unheard_of(result: Answer | Refusal, walk: Walk, pack: Pack) -> Iterator[str]:
    """That no document has a name of the question, where nothing answers."""
    names = walk.evidence.trace.unknown_names if walk.evidence else ()
    if isinstance(result, Answer) or walk.intent.urgent:
        return
    for rule in pack.things:
        patterns = [each.pattern for each in rule.patterns]
        if not any(matches(patterns, name) for name in names):
            continue
        if rule.unheld and walk.held is not None and walk.intent.as_of is not None:
            day = walk.intent.as_of.isoformat()
            told = rule.unheld.replace("{days}", _days(*walk.held))
            yield told.replace("{date}", day)
        elif rule.unknown:
            yield rule.unknown


def _days(first: date | None, last: date | None) -> str:
    """Return the days from the first to the last, in words."""
    if last is None:
        return f"from {first.isoformat()} on" if first else "for other days"
    until = f"until {last.isoformat()}"
    return f"from {first.isoformat()} {until}" if first else until


def _fixed(result: Answer | Refusal, walk: Walk, pack: Pack) -> Iterator[str]:
    """Yield one sentence to somebody afraid, above what follows it."""
    intent, texts = walk.intent, pack.wording.fixed
    whole = isinstance(result, Answer) and intent.kind in FEELINGS
    sort = intent.felt or (intent.kind if whole else "")
    spoken = isinstance(result, Refusal) and result.reason is Reason.FIXED_TEXT
    if sort in texts and not (intent.urgent or spoken):
        first, mark, _ = texts[sort].partition(". ")
        yield first + mark.strip()


def _beside(result: Answer | Refusal, walk: Walk, pack: Pack) -> Iterator[str]:
    trace = walk.evidence.trace if walk.evidence else None
    yield from widening(trace, walk.intent, pack)
    yield from counted(result, trace, pack)
    yield from disagreement(result, walk.gate, pack)
    yield from narrower(result, walk.gate, walk.evidence, _with_before(walk), pack)
    yield from lacking(result, walk.gate, walk.intent.text)


def _with_before(walk: Walk) -> Intent:
    """Return what was asked, with what a follow-up goes on from."""
    intent, before = walk.intent, walk.question.previous
    if not intent.follow_up or not before:
        return intent
    return intent.model_copy(update={"text": f"{intent.text} {before}"})


def _opening(answer: Answer, walk: Walk, pack: Pack) -> Answer:
    """With what stands behind "Show more" marked."""
    documents = walk.gate.required_documents if isinstance(walk.gate, Open) else 1
    together = {citation.number for citation in opposed(answer, walk.gate, pack)}
    return opening(answer, documents, together)


def _once(texts: Collection[str], result: Answer | Refusal) -> tuple[str, ...]:
    """Return each notice once, and none that the body opens with already."""
    if isinstance(result, Refusal):
        opening = fold(result.fallback)
    else:
        opening = fold(next((c.text for s in result.sections for c in s.claims), ""))
    return tuple(
        text for text in dict.fromkeys(texts) if not opening.startswith(fold(text))
    )


def _nearest(
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


def traced(question: Question, evidence: Evidence | None, pack: Pack) -> Trace | None:
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


def routed(
    result: Answer | Refusal,
    findings: Sequence[Finding],
    contract: Sequence[SectionRule],
) -> bool:
    """Return whether every draft, and what is shown, keeps the contract of its query
    type.

    A draft that was rejected for it counts, though a second one mended it.
    """
    shown = result.sections if isinstance(result, Answer) else ()
    kept = not shown or keeps_contract(contract, [section.heading for section in shown])
    rejected = (f for f in findings if f.severity == "reject")
    return kept and all(found.validator != CONTRACT for found in rejected)
