"""Pages that only tell: health, sources, reports."""

from collections.abc import Iterator, Sequence
from datetime import date
from xml.etree.ElementTree import Element

from bot.admin.frame import Here, address, framed, pager, to
from bot.health.state import Health
from bot.pages.elements import element
from bot.pages.sheet import section, table
from bot.reports.page import listed, quality
from engine.model.frozen import Frozen

HEALTHY = "Everything that is looked at is well."


class Source(Frozen):
    """A document on a pack's shelf: its state, its age, how often it is cited."""

    document: str
    title: str
    source: str
    state: str
    age: int | None
    window: int | None
    cited: int


def health(here: Here, found: Health) -> str:
    """What is well, and what is not; figures of the packs that may be seen."""
    state = listed(found.problems) if found.problems else element("p", "", HEALTHY)
    parts = [section("State" if found.ok else "Not well", state)]
    parts += [
        section(f"{name}: the last 24 hours", quality(each), _day(found, name))
        for name, each in found.packs.items()
        if name in here.packs
    ]
    parts.append(section("The rest", *_rest(found)))
    told = f"Read from the record at {found.time.isoformat(' ', 'seconds')}."
    return framed(here, "Health", told, *parts)


def sources(here: Here, found: Sequence[Source], page: int, of: int) -> str:
    """One page of a pack's documents."""
    pack = here.pack or ""
    rows = [
        (
            each.title,
            each.document,
            each.source,
            each.state,
            "unknown" if each.age is None else each.age,
            "" if each.window is None else each.window,
            each.cited,
        )
        for each in found
    ]
    head = ("Title", "Document", "Source", "State", "Days old", "Window", "Cited")
    about = (
        "What stands on the shelf that all share, and what was withdrawn: what an "
        "administrator withdrew stays out. Only documents that you may see."
    )
    paged = pager(address("packs", pack, "sources"), page, of)
    shown = section("Sources", table("Documents", head, rows))
    return framed(here, f"Sources of {pack}", about, shown, paged)


def reports(here: Here, days: Sequence[date]) -> str:
    """The weeks of a pack."""
    pack = here.pack or ""
    links = [
        element(
            "li",
            "",
            to(
                address("packs", pack, "reports", day.isoformat()),
                f"The week before {day.isoformat()}",
            ),
        )
        for day in days
    ]
    about = "Counted from the record; a week takes a moment where much was asked."
    shown = section("Weeks", element("ul", "", *links))
    return framed(here, f"Weekly reports of {pack}", about, shown)


def _day(found: Health, pack: str) -> Element:
    day = found.packs[pack].last_24h
    spent = found.spending.get(pack)
    rows: list[tuple[str, object]] = [
        ("questions", day.questions),
        ("answered", day.answered),
        *((f"refused: {reason}", n) for reason, n in sorted(day.refused.items())),
        ("gaps open", found.gaps_open.get(pack, 0)),
    ]
    if spent is not None:
        rows.append(("US$ spent today", spent.today))
    index = found.index.get(pack)
    if index is not None:
        rows.append(("documents in the index", index.documents))
        rows.append(("index", index.problem or "agrees with the ledger"))
    return table(f"{pack} in figures", ("What", "Count"), rows)


def _rest(found: Health) -> Iterator[Element]:
    if found.queue is not None:
        rows = [(name, value) for name, value in found.queue.model_dump().items()]
        yield table("Queue", ("What", "Count"), rows)
    heard = [
        (n, "hears" if is_up else "silent") for n, is_up in found.connections.items()
    ]
    yield table("Connections of this process", ("Platform", "State"), heard)
    free = f"{found.disk_free_bytes / 1e9:.1f} GB"
    yield element("p", "", f"Free on the disk: {free}")
