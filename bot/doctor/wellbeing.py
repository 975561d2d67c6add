"""The figures of the last 24 hours, in lines of `doctor`."""

from collections.abc import AsyncIterator

from bot.doctor.check import Check, State
from bot.health.quality import Quality
from bot.health.state import read_health
from bot.wiring import Application


async def check_wellbeing(application: Application) -> AsyncIterator[Check]:
    """Report queue, gaps and the figures of each pack that was asked."""
    found = await read_health(application)
    if found.queue is not None:
        queue = found.queue
        said = (
            f"{queue.waiting} waiting to be answered, {queue.outgoing} to be posted, "
            f"{queue.buried_24h} given up in 24 h"
        )
        given_up = State.NOTE if queue.buried_24h else State.OK
        yield Check(given_up, "queue", said)
    if found.gaps_open:
        each = ", ".join(f"{n} of {pack}" for pack, n in found.gaps_open.items())
        yield Check(State.OK, "gaps", f"{each}; `gaps list PACK` shows them")
    for pack in found.packs.values():
        if pack.last_24h.questions:
            yield _report_figures(pack)


def _report_figures(pack: Quality) -> Check:
    day = pack.last_24h
    said = [f"{day.questions} questions in 24 h, {day.answered} answered"]
    values = {**pack.retrieval_quality, **pack.grounding_quality}
    for name, value in values.items():
        target = pack.targets.get(name)
        if value is not None:
            bound = f" ({target.bound})" if target else ""
            said.append(f"{name} {value:g}{bound}")
    if pack.missed:
        said.append(f"missed: {', '.join(pack.missed)}")
    state = State.NOTE if pack.missed else State.OK
    return Check(state, f"quality {pack.pack}", "; ".join(said))
