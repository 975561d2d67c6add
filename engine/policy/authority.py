"""How far what is cited may be relied on: whether it binds (R-F1), and is fresh (R-F6).

Where nothing else may answer, only what binds is searched, so a question that a manual
alone answers looks like one that nothing does. What persuades is then looked at once
more, to say why there is no answer, and never shown. A question may also name whose
word it asks for ("NCCN").
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

_PERSUASIVE = "persuasive"  # of passages that would answer and do not bind

# Of what was found nothing answered; no rule spoke against it.
_FELL_SHORT = frozenset(
    {
        Reason.NO_RESULTS,
        Reason.LOW_SCORE,
        Reason.LOW_DIVERSITY,
        Reason.INSUFFICIENT_CONTEXT,
    }
)


async def want_of_binding(
    decision: GateDecision,
    intent: Intent,
    pack: Pack,
    look: Callable[[Intent], Awaitable[Evidence]],
) -> GateDecision:
    """The decision; closed for want of authority where only what persuades answers.

    Args:
        decision: on what binds.
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
    return unbinding(len(answering)) if answering else decision


def unbinding(persuasive: int) -> Closed:
    """R-F1: what persuades stands in for no authority where one is needed."""
    return Closed(
        reason=Reason.LOW_TRUST,
        explanation="What I found is no binding authority, and the question needs one.",
        numbers={_PERSUASIVE: persuasive},
    )


def unbound(decision: GateDecision | None) -> bool:
    """Whether the gate is closed because what would answer does not bind (R-F1)."""
    if not isinstance(decision, Closed) or decision.reason is not Reason.LOW_TRUST:
        return False
    return _PERSUASIVE in decision.numbers


def binds(passages: Iterable[Citation | Chunk], register: Mapping[str, Source]) -> bool:
    """Whether one of the passages is of a source that binds."""
    return any(
        passage.source in register and register[passage.source].authority == "binding"
        for passage in passages
    )


def stale(
    passage: Citation | Chunk, register: Mapping[str, Source], as_of: date | None
) -> bool:
    """R-F6; a volatile source without a date cannot show that it is fresh."""
    source = register.get(passage.source)
    if source is None or source.window_days is None or source.volatility == "stable":
        return False
    then = passage.published or passage.retrieved
    if then is None or as_of is None:
        return True
    return as_of - then > timedelta(days=source.window_days)


def types_named(text: str, types: Iterable[str]) -> frozenset[str]:
    """The types of sources that a question says as a word."""
    said = frozenset(words(text))
    return frozenset(name for name in types if name.casefold() in said)


def unheard(intent: Intent, chunks: Sequence[Chunk], pack: Pack) -> tuple[str, ...]:
    """The publishers that the question names, whom no passage found is of.

    Those alone that the contract's first section quotes: another one's word would stand
    there as if it were theirs (R-A2). Of a follow-up what it names itself: of others
    the question before it was answered.
    """
    sections, register = pack.rule(intent.query_type).sections, pack.register()
    asked = sections[0].sources if sections else ()
    held = {name for c in chunks for name in (c.source, register[c.source].type)}
    text = " ".join(intent.named) if intent.follow_up else intent.text
    lost = types_named(text, asked) - held
    return tuple(
        (register[name].publisher if name in register else name)
        for name in asked
        if name in lost
    )
