"""The days for which the sources hold what a question names, if not for its own."""

from collections.abc import Awaitable, Callable
from datetime import date

from engine.model.evidence import Evidence
from engine.model.gate import Closed, GateDecision
from engine.model.question import Intent
from engine.policy.pack import Pack

Days = tuple[date | None, date | None]


async def held_for(
    decision: GateDecision,
    evidence: Evidence,
    intent: Intent,
    pack: Pack,
    look: Callable[[Intent], Awaitable[Evidence]],
) -> Days | None:
    """The first and the last day on which what is named is held, or None (R-A16).

    Looked for only where the gate is closed, no document of the day has the name, and
    the pack says such a thing. A last day of None is still to come.

    Args:
        decision: of the gate.
        evidence: of the question's day.
        intent: of the question.
        pack: its things.
        look: finds the evidence of an intent.

    Raises:
        What `look` raises.
    """
    told = any(rule.unheld for rule in pack.things)
    unknown = evidence.trace.unknown_names
    if not (told and unknown and isinstance(decision, Closed)):
        return None
    found = await look(intent.model_copy(update={"as_of": None}))
    named = {*found.trace.named}
    held = [
        (chunk.in_force_from, chunk.in_force_to)
        for chunk in (*found.chunks, *found.nearest)
        if chunk.document in named
    ]
    if not held:
        return None
    starts = [first for first, _ in held if first is not None]
    ends = [last for _, last in held]
    first = min(starts) if len(starts) == len(held) else None
    return first, None if None in ends else max(filter(None, ends))
