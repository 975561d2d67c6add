"""Pages without forms: the overview, documents, reports."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from xml.etree.ElementTree import Element

from adapters.reply import many
from bot.admin.frame import Here, Look, link_to, render_page, render_search, site_path
from bot.health.state import Health
from bot.pages.elements import element
from bot.pages.sheet import section, table
from bot.reports.page import draw_days, render_lines, render_quality
from bot.reports.weekly import Weekly
from bot.reports.words import name_reason
from engine.model.frozen import Frozen

HEALTHY = "Everything that is looked at is well."


class Source(Frozen):
    """A document of a pack: its state, its age, how often it is cited.

    `age` and `window` are in days, `questions` how many it carries.
    """

    document: str
    title: str
    source: str
    state: str
    age: int | None
    window: int | None
    cited: int
    tags: frozenset[str] = frozenset()
    questions: int = 0


def render_overview(here: Here, found: Health, weeks: Mapping[str, Weekly]) -> str:
    """Render the health of the bot, and a week of each pack that may be seen."""
    state = (
        render_lines(found.problems) if found.problems else element("p", "", HEALTHY)
    )
    parts = [section("Is it well?" if found.ok else "Not well", state)]
    parts += [
        section(week.title, *_render_week(name, week)) for name, week in weeks.items()
    ]
    inside = [
        section(
            f"{name}: the last 24 hours", render_quality(each), _render_day(found, name)
        )
        for name, each in found.packs.items()
        if name in here.packs
    ]
    inside.append(section("The machine", *_render_machine(found)))
    running = element("summary", "", "For whoever runs it")
    parts.append(element("details", "", running, *inside))
    told = f"Read from the record at {found.time.isoformat(' ', 'seconds')}."
    return render_page(here, "Overview", told, *parts)


def _render_week(pack: str, week: Weekly) -> Iterator[Element]:
    """Render a week as a sentence and a picture, with what is to be done next."""
    day = week.quality.last_24h
    unhelpful = sum(each.unhelpful for each in week.trend)
    if not week.questions:
        yield element("p", "about", "Nothing was asked in seven days.")
        return
    said = (
        f"{many(week.questions, 'question')} in seven days, {day.answered} answered, "
        f"{week.offered} offered something to choose from, "
        f"{unhelpful} found not helpful."
    )
    yield element("p", "", said)
    yield from draw_days(week)
    gaps = many(week.gaps_open, "question") + " without an answer"
    links = [
        element("li", "", link_to(site_path("packs", pack, "gaps"), gaps)),
        element(
            "li", "", link_to(site_path("packs", pack, "outcomes"), "What was asked")
        ),
        element("li", "", link_to(site_path("packs", pack, "sources"), "Documents")),
    ]
    yield element("nav", "", element("ul", "", *links), aria_label=week.title)


DOCUMENTS = {"title": "title", "cited": "cited most often"}


def render_sources(here: Here, found: Sequence[Source], look: Look, of: int) -> str:
    """Render one page of a pack's documents."""
    pack = here.pack or ""
    place = site_path("packs", pack, "sources")
    rows = [
        (
            each.title,
            each.cited,
            _describe_age(each),
            each.questions,
            each.state,
            each.source,
            ", ".join(sorted(each.tags)),
            each.document,
        )
        for each in found
    ]
    head = (
        *("Title", "Cited", "Days old", "Questions", "State", "Source", "Access tags"),
        "Document",
    )
    about = (
        "What stands on the shelf that all share, and what was withdrawn: what an "
        "administrator withdrew stays out. Only documents that you may see."
    )
    shown = section("Documents", table("Documents", head, rows))
    bar = render_search(place, look, DOCUMENTS)
    return render_page(
        here, f"Documents of {pack}", about, bar, shown, look.render_pager(place, of)
    )


def _describe_age(each: Source) -> object:
    """Say how old a copy is, and that it is too old where its source says so."""
    if each.age is None:
        return "unknown"
    late = each.window is not None and each.age > each.window
    return f"{each.age}, fetch again (after {each.window})" if late else each.age


def render_reports(here: Here, days: Sequence[date]) -> str:
    """Render the list of a pack's weeks."""
    pack = here.pack or ""
    links = [
        element(
            "li",
            "",
            link_to(
                site_path("packs", pack, "reports", day.isoformat()),
                f"The week up to {(day - timedelta(days=1)):%A, %-d %B %Y}",
            ),
        )
        for day in days
    ]
    about = "Counted from the record; a week takes a moment where much was asked."
    shown = section("Weeks", element("ul", "", *links))
    return render_page(here, f"Weekly reports of {pack}", about, shown)


def _render_day(found: Health, pack: str) -> Element:
    day = found.packs[pack].last_24h
    spent = found.spending.get(pack)
    rows: list[tuple[str, object]] = [
        ("questions", day.questions),
        ("answered", day.answered),
        *((f"no: {name_reason(code)}", n) for code, n in sorted(day.refused.items())),
        ("gaps open", found.gaps_open.get(pack, 0)),
    ]
    if spent is not None:
        rows.append(("US$ spent today", spent.today))
    index = found.index.get(pack)
    if index is not None:
        rows.append(("documents in the index", index.documents))
        rows.append(("index", index.problem or "agrees with the ledger"))
    return table(f"{pack} in figures", ("What", "Count"), rows)


def _render_machine(found: Health) -> Iterator[Element]:
    if found.queue is not None:
        rows = [(name, value) for name, value in found.queue.model_dump().items()]
        yield table("Queue", ("What", "Count"), rows)
    heard = [
        (n, "hears" if is_up else "silent") for n, is_up in found.connections.items()
    ]
    yield table("Connections of this process", ("Platform", "State"), heard)
    free = f"{found.disk_free_bytes / 1e9:.1f} GB"
    yield element("p", "", f"Free on the disk: {free}")
