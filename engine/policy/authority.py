"""How far a cited source may be relied on: whether it is binding, and fresh.

Where nothing else may answer, only binding sources are searched, so a question that
only a manual answers looks like one without an answer. Persuasive sources are then
searched once more, to explain the refusal, and never shown. A question may also name
the publisher that it asks about ("NCCN").
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta

from engine.model.answer import Citation
from engine.model.codes import Reason
from engine.model.evidence import Evidence
from engine.model.gate import Closed, GateDecision
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.pack import Pack, Source
from engine.text.words import words

_PERSUASIVE = "persuasive"  # passages that would answer and are not binding

# No passage answered, and no rule forbade one.
_FELL_SHORT = frozenset(
    {
        Reason.NO_RESULTS,
        Reason.LOW_SCORE,
        Reason.LOW_DIVERSITY,
        Reason.INSUFFICIENT_CONTEXT,
    }
)


async def check_binding(
    decision: GateDecision,
    intent: Intent,
    pack: Pack,
    look: Callable[[Intent], Awaitable[Evidence]],
) -> GateDecision:
    """Close for want of authority where only persuasive sources answer.

    Args:
        decision: on binding sources; returned unchanged in every other case.
        intent: of the question.
        pack: its sources.
        look: finds the evidence of an intent.

    Raises:
        What `look` raises.
    """
    fell_short = isinstance(decision, Closed) and decision.reason in _FELL_SHORT
    if not (fell_short and pack.binding_alone(needed=intent.needs_binding)):
        return decision
    found = await look(intent.model_copy(update={"needs_binding": False}))
    register = pack.register()
    answering = [
        chunk
        for chunk in found.chunks
        if chunk.relevance >= pack.gate.best
        and chunk.source in register
        and register[chunk.source].trusted
        and register[chunk.source].authority != "binding"
    ]
    return close_unbinding(len(answering)) if answering else decision


def close_unbinding(persuasive: int) -> Closed:
    """Make the decision for a question that only persuasive sources answer."""
    return Closed(
        reason=Reason.LOW_TRUST,
        explanation="What I found is no binding authority, and the question needs one.",
        numbers={_PERSUASIVE: persuasive},
    )


def is_unbound(decision: GateDecision | None) -> bool:
    """Return whether the gate closed because the only answers are not binding."""
    if not isinstance(decision, Closed) or decision.reason is not Reason.LOW_TRUST:
        return False
    return _PERSUASIVE in decision.numbers


def has_binding(
    passages: Iterable[Citation | Chunk], register: Mapping[str, Source]
) -> bool:
    """Return whether one of the passages is of a binding source."""
    return any(
        passage.source in register and register[passage.source].authority == "binding"
        for passage in passages
    )


def is_stale(
    passage: Citation | Chunk, register: Mapping[str, Source], as_of: date | None
) -> bool:
    """Return whether a volatile source is too old, or has no date."""
    source = register.get(passage.source)
    if source is None or source.window_days is None or source.volatility == "stable":
        return False
    then = passage.published or passage.retrieved
    if then is None or as_of is None:
        return True
    return as_of - then > timedelta(days=source.window_days)


def find_named_types(text: str, types: Iterable[str]) -> frozenset[str]:
    """Return the types of sources that a question names as a word."""
    said = frozenset(words(text))
    return frozenset(name for name in types if name.casefold() in said)


def find_unheard(
    intent: Intent, chunks: Sequence[Chunk], pack: Pack
) -> tuple[str, ...]:
    """Return the publishers that the question names and of whom no passage was found.

    Only those that the contract's first section quotes: another one's word there would
    pass for theirs. Of a follow-up only those that it names itself: the question before
    it was answered about the others.
    """
    sections, register = pack.rule(intent.query_type).sections, pack.register()
    asked = sections[0].sources if sections else ()
    held = {name for c in chunks for name in (c.source, register[c.source].type)}
    text = " ".join(intent.named) if intent.follow_up else intent.text
    lost = find_named_types(text, asked) - held
    return tuple(
        (register[name].publisher if name in register else name)
        for name in asked
        if name in lost
    )
