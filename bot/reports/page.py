"""The weekly report as one offline page, and in a few lines for a channel (R-O3)."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from adapters.inert import inert
from adapters.reply import many
from bot.health.quality import Quality, Target
from bot.pages.elements import element
from bot.pages.sheet import section, sheet, table
from bot.pages.trend import trend
from bot.reports.weekly import Named, Weekly

ABOUT = (
    "Counted from the record. Nothing that anybody asked is on this page; of documents "
    "only those that everybody may see are named."
)


def page(week: Weekly) -> str:
    """The report as HTML."""
    return sheet(
        f"{week.title}: {week.since} to {week.until}",
        ABOUT,
        section("The week", _figures(week)),
        section("Quality", quality(week.quality)),
        section("Refused, of all questions", _refused(week)),
        section("Sources", *_sources(week)),
        section("What changed in the pack", listed(week.changes)),
        section("Trend", *_trends(week)),
    )


def post(week: Weekly) -> str:
    """The report as a message."""
    day = week.quality.last_24h
    lines = [
        f"{week.title}, {week.since} to {week.until}: "
        f"{many(week.questions, 'question')}, {day.answered} answered.",
    ]
    if day.refused:
        said = ", ".join(
            f"{n} {reason} ({100 * week.refused_share[reason]:.0f} %)"
            for reason, n in sorted(day.refused.items(), key=lambda item: -item[1])
        )
        of = many(week.questions, "question")
        lines.append(f"Refused, of {of}: {said}.")
    lines.append(
        f"Gaps: {week.gaps_opened} opened, {week.gaps_closed} closed, "
        f"{week.gaps_open} open."
    )
    verdicts = ", ".join(f"{n} {name}" for name, n in week.feedback.items())
    lines.append(f"Readers said: {verdicts}.")
    if week.quality.missed:
        lines.append(f"Targets missed: {', '.join(week.quality.missed)}.")
    if week.stale:
        lines.append(
            f"{many(len(week.stale), 'source')} past the window to be fetched."
        )
    return "\n".join(lines)


def _figures(week: Weekly) -> Element:
    day, latency = week.quality.last_24h, week.quality.last_24h.response_time_ms
    cost = "unknown" if day.cost is None else f"US$ {day.cost:.2f}"
    shown = (
        ("questions", str(week.questions)),
        ("answered", _of(day.answered, week.questions)),
        ("refused with something to choose", str(week.offered)),
        ("chosen, one tap away", str(week.chosen)),
        ("gaps opened", str(week.gaps_opened)),
        ("gaps closed", str(week.gaps_closed)),
        ("gaps open now", str(week.gaps_open)),
        *((name, str(n)) for name, n in week.feedback.items()),
        ("median of a reply", _milliseconds(latency.p50)),
        ("95 of 100 replies within", _milliseconds(latency.p95)),
        ("models", cost),
    )
    items = [element("li", "", element("b", "", v), inert(name)) for name, v in shown]
    return element("ul", "figures", *items)


def quality(found: Quality) -> Element:
    """The figures of a pack with their targets."""
    values = {**found.retrieval_quality, **found.grounding_quality}
    items = []
    for name, value in values.items():
        target = found.targets.get(name)
        shown = "none" if value is None else f"{value:g}"
        bound = f" ({target.bound}, of {target.of})" if target else ""
        items.append(
            element("li", _met(target), element("b", "", shown), f"{name}{bound}")
        )
    return element("ul", "figures", *items)


def _met(target: Target | None) -> str:
    if target is None or target.met is None:
        return ""
    return "met" if target.met else "missed"


def _refused(week: Weekly) -> Element:
    rows = [
        (reason, n, f"{100 * week.refused_share[reason]:.1f} %")
        for reason, n in sorted(week.quality.last_24h.refused.items())
    ]
    head = ("Reason", "Refused", f"Of {many(week.questions, 'question')}")
    return table("Refusals by reason", head, rows)


def _sources(week: Weekly) -> Iterator[Element]:
    yield _documents("Most cited", "Answers", week.most_cited)
    more = week.never_cited_of - len(week.never_cited)
    beside = f", and {more} more" if more else ""
    yield _documents(f"Never cited this week{beside}", "Answers", week.never_cited)
    yield _documents("Past the window to be fetched", "Days old", week.stale)


def _documents(caption: str, number: str, found: Sequence[Named]) -> Element:
    rows = [(each.title, each.document, each.number) for each in found]
    return table(caption, ("Title", "Document", number), rows)


def listed(lines: Sequence[str]) -> Element:
    """Lines of text; a word where there is none."""
    if not lines:
        return element("p", "about", "Nothing.")
    return element("ul", "", *(element("li", "", inert(line)) for line in lines))


def _trends(week: Weekly) -> Iterator[Element]:
    days = week.trend
    yield trend("Questions a day", "questions", [(d.day, d.questions) for d in days])
    share = [
        (d.day, round(100 * d.answered / d.questions, 1) if d.questions else None)
        for d in days
    ]
    yield trend("Answered", "% of questions", share)
    yield trend("95 of 100 replies within", "ms", [(d.day, d.p95_ms) for d in days])


def _of(number: int, of: int) -> str:
    return f"{number} ({100 * number / of:.0f} %)" if of else str(number)


def _milliseconds(value: float | None) -> str:
    return "none" if value is None else f"{value:.0f} ms"
