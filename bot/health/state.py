"""The health of an installation: packs, queue, index, ledger, disk, spending.

Everything is read from where it is kept, so it is the same after a restart and
whichever process is asked. Only connections are known to the process that holds them.
"""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from adapters.ledger.history import Wanted
from adapters.mail import Platform
from bot.health.quality import Quality, Tally
from bot.routing import MILLIONTHS
from bot.wiring import Application
from engine.model.errors import GroundruleError
from engine.model.frozen import Frozen
from engine.parse.dates import today_in
from engine.policy.pack import Pack

DAY = timedelta(hours=24)
NO_SPACE = 50_000_000  # bytes; less will fail soon
LONGEST_WAIT_S = 120.0  # of the oldest event or reply; longer is no good health


class Queue(Frozen):
    """What waits to be answered and to be posted; seconds that the oldest waits."""

    waiting: int
    oldest_s: float
    outgoing: int
    outgoing_oldest_s: float
    buried_24h: int


class Index(Frozen):
    """One corpus, and whether index and ledger hold the same."""

    documents: int
    agrees: bool
    problem: str = ""


class Spending(Frozen):
    """What a pack spent on models today, in US dollars, and what it may at most."""

    today: float
    ceiling: float | None


class Health(Frozen):
    """All of it; `problems` say in words why `ok` is false."""

    ok: bool
    time: datetime
    problems: tuple[str, ...]
    packs: Mapping[str, Quality]
    queue: Queue | None
    connections: Mapping[str, bool]
    index: Mapping[str, Index]
    disk_free_bytes: int
    spending: Mapping[str, Spending]
    gaps_open: Mapping[str, int]


async def read_health(
    application: Application, connections: Mapping[Platform, bool] | None = None
) -> Health:
    """Read the health of an installation; name what fails, and report the rest.

    Args:
        application: the parts of the process.
        connections: whether each platform hears, in the process that serves.
    """
    now = application.clock.now()
    problems: list[str] = []
    packs = _load_packs(application, problems)
    quality: dict[str, Quality] = {}
    queue, spending, gaps = None, dict[str, Spending](), dict[str, int]()
    try:
        quality = await _measure_quality(application, packs, now)
        queue = Queue.model_validate(await application.mailbox.queue(now - DAY))
        spending = await _read_spending(application, packs, now)
        gaps = dict(await application.mailbox.open_gaps())
    except GroundruleError as error:
        problems.append(f"the ledger: {error}")
    index = {}
    for name, pack in packs.items():
        index[name] = await _compare_index(application, pack)
    problems += [
        f"the index of {n}: {i.problem}" for n, i in index.items() if i.problem
    ]
    heard = {str(platform): hears for platform, hears in (connections or {}).items()}
    problems += [
        f"{platform} does not hear" for platform, is_up in heard.items() if not is_up
    ]
    if (
        queue is not None
        and max(queue.oldest_s, queue.outgoing_oldest_s) > LONGEST_WAIT_S
    ):
        problems.append("something waits for more than two minutes")
    free = shutil.disk_usage(application.data).free
    if free < NO_SPACE:
        problems.append("the disk is nearly full")
    return Health(
        ok=not problems,
        time=now,
        problems=tuple(problems),
        packs=quality,
        queue=queue,
        connections=heard,
        index=index,
        disk_free_bytes=free,
        spending=spending,
        gaps_open=gaps,
    )


def _load_packs(application: Application, problems: list[str]) -> Mapping[str, Pack]:
    found: dict[str, Pack] = {}
    for name in application.pack_names():
        try:
            found[name] = application.pack(name)
        except GroundruleError as error:
            problems.append(f"the pack {name}: {error}")
    return found


async def _measure_quality(
    application: Application, packs: Mapping[str, Pack], now: datetime
) -> dict[str, Quality]:
    tallies = {name: Tally(pack) for name, pack in packs.items()}
    async for stored in application.ledger.outcomes(Wanted(since=now - DAY)):
        if stored.record.pack in tallies:
            tallies[stored.record.pack].add(stored.record)
    return {name: tally.summarize() for name, tally in tallies.items()}


async def _read_spending(
    application: Application, packs: Mapping[str, Pack], now: datetime
) -> dict[str, Spending]:
    ceiling = application.settings.daily_ceiling
    found = {}
    for name, pack in packs.items():
        today = today_in(pack.time_zone, now)
        spent = await application.mailbox.spent(today, name)
        found[name] = Spending(today=spent / MILLIONTHS, ceiling=ceiling)
    return found


async def _compare_index(application: Application, pack: Pack) -> Index:
    """Compare index and ledger over what all may see of a pack."""
    current: Mapping[str, str] = {}
    with suppress(GroundruleError):
        current = await application.ledger.current_versions(pack.id)
    try:
        indexed = await application.search.index.versions(pack.id)
    except GroundruleError as error:
        return Index(documents=len(current), agrees=False, problem=str(error))
    agrees = dict(indexed) == dict(current)
    differ = len(dict(indexed).items() ^ dict(current).items())
    problem = "" if agrees else f"{differ} versions differ from the ledger: `reindex`"
    return Index(documents=len(current), agrees=agrees, problem=problem)
