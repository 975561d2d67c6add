"""The weekly report as one offline page, and in a few lines for a channel."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from adapters.inert import inert
from adapters.reply import many
from bot.health.quality import Quality, Target
from bot.pages.bars import bars
from bot.pages.elements import element
from bot.pages.sheet import section, sheet, table
from bot.pages.trend import trend
from bot.reports.weekly import WEEK, Named, Weekly
from bot.reports.words import name_figure, name_reason

ABOUT = (
    "Counted from the record. Nothing that anybody asked is on this page; of documents "
    "only those that everybody may see are named."
)


def render_page(week: Weekly) -> str:
    """Render the report as HTML."""
    return sheet(
        f"{week.title}: {week.since} to {week.until}",
        ABOUT,
        section("The week", *draw_days(week), _render_figures(week)),
        section("Why it said no", _render_refused(week)),
        section("Documents", *_render_sources(week)),
        section("What changed in the pack", render_lines(week.changes)),
        section("The last four weeks", *_draw_trends(week)),
        section("For whoever runs it", render_quality(week.quality)),
    )


def draw_days(week: Weekly) -> Iterator[Element]:
    """Draw the seven days as bars: answered, offered and refused, and disliked."""
    days = week.trend[-WEEK:]
    parts = {"answered": 2, "answered after a tap": 0, "offered a choice": 3}
    parts["refused"] = 7
    shown = [
        (
            day.day,
            (
                day.answered - day.tapped,
                day.tapped,
                day.offered,
                day.questions - day.answered - day.offered,
            ),
        )
        for day in days
    ]
    yield bars("Questions a day", parts, shown)
    if any(day.unhelpful for day in days):
        disliked = [(day.day, (day.unhelpful,)) for day in days]
        yield bars("Found not helpful", {"not helpful": 1}, disliked)


def write_post(week: Weekly) -> str:
    """Write the report as a message."""
    day = week.quality.last_24h
    lines = [
        f"{week.title}, {week.since} to {week.until}: "
        f"{many(week.questions, 'question')}, {day.answered} answered.",
    ]
    if day.refused:
        said = ", ".join(
            f"{name_reason(code)} {n} ({100 * week.refused_share[code]:.0f} %)"
            for code, n in sorted(day.refused.items(), key=lambda item: -item[1])
        )
        of = many(week.questions, "question")
        lines.append(f"Why it said no, of {of}: {said}.")
    lines.append(
        f"Questions without an answer (gaps): {week.gaps_opened} opened, "
        f"{week.gaps_closed} closed, {week.gaps_open} open."
    )
    verdicts = ", ".join(f"{n} {name}" for name, n in week.feedback.items())
    lines.append(f"Readers said: {verdicts}.")
    if week.quality.missed:
        missed = ", ".join(map(name_figure, week.quality.missed))
        lines.append(f"Below what the pack asks for: {missed}.")
    if week.stale:
        lines.append(
            f"{many(len(week.stale), 'source')} past the window to be fetched."
        )
    return "\n".join(lines)


def _render_figures(week: Weekly) -> Element:
    day, latency = week.quality.last_24h, week.quality.last_24h.response_time_ms
    cost = "unknown" if day.cost is None else f"US$ {day.cost:.2f}"
    shown = (
        ("questions", str(week.questions)),
        ("answered", _format_share(day.answered, week.questions)),
        ("refused, with something to choose from", str(week.offered)),
        ("asked by a tap", str(week.chosen)),
        ("new questions without an answer", str(week.gaps_opened)),
        ("such questions that got one", str(week.gaps_closed)),
        ("without an answer in all", str(week.gaps_open)),
        *((name, str(n)) for name, n in week.feedback.items()),
        ("median of a reply", _format_milliseconds(latency.p50)),
        ("95 of 100 replies within", _format_milliseconds(latency.p95)),
        ("models", cost),
    )
    items = [element("li", "", element("b", "", v), inert(name)) for name, v in shown]
    return element("ul", "figures", *items)


def render_quality(found: Quality) -> Element:
    """Render the figures of a pack with their targets, of what was counted."""
    values = {**found.retrieval_quality, **found.grounding_quality}
    items = []
    for name, value in values.items():
        if value is None:
            continue
        target = found.targets.get(name)
        bound = f" ({target.bound}, of {target.of})" if target else ""
        told = element("b", "", f"{value:g}"), f"{name_figure(name)}{bound}"
        items.append(element("li", _name_state(target), *told))
    if not items:
        return element("p", "about", "Nothing was counted yet.")
    return element("ul", "figures", *items)


def _name_state(target: Target | None) -> str:
    if target is None or target.met is None:
        return ""
    return "met" if target.met else "missed"


def _render_refused(week: Weekly) -> Element:
    rows = [
        (name_reason(code), n, f"{100 * week.refused_share[code]:.1f} %")
        for code, n in sorted(week.quality.last_24h.refused.items())
    ]
    head = ("Why", "Refused", f"Of {many(week.questions, 'question')}")
    return table("Refusals by reason", head, rows)


def _render_sources(week: Weekly) -> Iterator[Element]:
    yield _render_documents("Most cited", "Answers", week.most_cited)
    more = week.never_cited_of - len(week.never_cited)
    beside = f", and {more} more" if more else ""
    yield _render_documents(
        f"Never cited this week{beside}", "Answers", week.never_cited
    )
    yield _render_documents("Past the window to be fetched", "Days old", week.stale)


def _render_documents(caption: str, number: str, found: Sequence[Named]) -> Element:
    rows = [(each.title, each.document, each.number) for each in found]
    return table(caption, ("Title", "Document", number), rows)


def render_lines(lines: Sequence[str]) -> Element:
    """Render lines of text; a word where there is none."""
    if not lines:
        return element("p", "about", "Nothing.")
    return element("ul", "", *(element("li", "", inert(line)) for line in lines))


def _draw_trends(week: Weekly) -> Iterator[Element]:
    days = week.trend
    yield trend("Questions a day", "questions", [(d.day, d.questions) for d in days])
    share = [
        (d.day, round(100 * d.answered / d.questions, 1) if d.questions else None)
        for d in days
    ]
    yield trend("Answered", "% of questions", share)
    yield trend("95 of 100 replies within", "ms", [(d.day, d.p95_ms) for d in days])


def _format_share(number: int, of: int) -> str:
    return f"{number} ({100 * number / of:.0f} %)" if of else str(number)


def _format_milliseconds(value: float | None) -> str:
    return "none" if value is None else f"{value:.0f} ms"
