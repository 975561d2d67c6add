"""The weekly report as one offline page, and in a few lines for a channel."""

from adapters.inert import many
from bot.pages.templates import render
from bot.reports.weekly import Weekly
from bot.reports.words import name_figure, name_reason


def render_page(week: Weekly) -> str:
    """Render the report as HTML."""
    return render("bot/reports/week.html", {"week": week})


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
