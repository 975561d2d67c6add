"""The gap board as pages: a list, and one gap with what can be done about it."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from adapters.ledger.gaps import GapState
from adapters.reply import many
from bot.admin.frame import (
    SIZE,
    Here,
    Look,
    link_to,
    render_form,
    render_page,
    render_pager,
    render_search,
    site_path,
)
from bot.gaps.viewing import FORGOTTEN, Line, Shown, Some
from bot.pages.elements import element
from bot.pages.sheet import section, table
from bot.reports.words import name_reason
from engine.model.frozen import Frozen

ABOUT = (
    "What people asked and did not get, put together by what it means: masked, without "
    "the askers, and only what was asked with no access tags but yours."
)


ORDERS = {"last": "asked last", "asked": "asked most often"}


def render_list(here: Here, state: GapState | None, look: Look, some: Some) -> str:
    """Render one page of the board."""
    pack = here.pack or ""
    place = site_path("packs", pack, "gaps")
    chosen = state.value if state else "every"
    links = [
        element(
            "li",
            "",
            link_to(f"{place}?state={name}", name.capitalize(), current=name == chosen),
        )
        for name in (*(each.value for each in GapState), "every")
    ]
    states = element("nav", "", element("ul", "", *links), aria_label="States")
    rows = [_render_row(pack, line) for line in some.lines]
    head = ("Question", "Asked", "Last", "State", "Where", "Why it said no")
    shown = section("Gaps", table(f"{chosen} gaps", head, rows))
    look = look.model_copy(update={"kept": {"state": chosen}})
    bar, paged = render_search(place, look, ORDERS), look.render_pager(place, some.of)
    hidden = element("p", "about", f"{many(some.hidden, 'gap')} not shown to you.")
    parts = [states, bar, shown, paged, *([hidden] if some.hidden else [])]
    return render_page(here, f"Gaps of {pack}", ABOUT, *parts)


class Excerpt(Frozen):
    """A passage that came near: its place and its text."""

    document: str
    section: str
    title: str
    text: str


def render_gap(here: Here, shown: Shown, page: int, passages: Sequence[Excerpt]) -> str:
    """Render one gap, with the passages that come nearest to it."""
    pack, gap = here.pack or "", shown.line.gap
    asked = shown.asked[(page - 1) * SIZE : page * SIZE]
    rows = [
        (each.text, each.asked, each.said or name_reason(each.refused))
        for each in asked
    ]
    place = site_path("packs", pack, "gaps", gap.id)
    state = f"{gap.state.value}, {many(len(shown.asked), 'question')}"
    why = [element("p", "", f"Why: {gap.why}")] if gap.why else []
    parts = [
        section("State", element("p", "", state), *why),
        section("Questions", table("Questions", ("Question", "Asked", "Why"), rows)),
        render_pager(place, page, len(shown.asked)),
        section("What comes nearest", *_render_nearest(here, place, shown, passages)),
        *_render_actions(here, place, gap.state),
    ]
    return render_page(here, f"Gap {gap.id}", ABOUT, *parts)


def _render_nearest(
    here: Here, place: str, shown: Shown, passages: Sequence[Excerpt]
) -> Iterator[Element]:
    """Render each passage with a form that attaches the gap's question to it."""
    if not passages:
        yield element("p", "about", "No page that you may see came near.")
    is_open = shown.line.gap.state is GapState.OPEN
    text = shown.line.text if shown.line.text != FORGOTTEN else ""
    for each in passages:
        inside = [
            element("figcaption", "", one_line(each.title)),
            element("blockquote", "", inert(each.text)),
        ]
        if is_open:
            fields = {"document": each.document, "section": each.section}
            asked = ("question", "This answers the question:", True)
            made = render_form(
                here, f"{place}/attach", "Attach", asked, value=text, **fields
            )
            inside.append(made)
        yield element("figure", "source", *inside)


def _render_row(pack: str, line: Line) -> tuple[object, ...]:
    gap = line.gap
    tags = f" ({', '.join(sorted(gap.tags))})" if gap.tags else ""
    reasons = ", ".join(
        f"{name_reason(code)} ({n})" for code, n in line.reasons.items()
    )
    link = link_to(site_path("packs", pack, "gaps", gap.id), line.text)
    where = gap.tenant + tags
    return link, line.questions, line.newest, gap.state.value, where, reasons


def _render_actions(here: Here, place: str, state: GapState) -> list[Element]:
    if state is GapState.DISMISSED:
        again = render_form(here, f"{place}/reopen", "Open again")
        return [section("Bring it back", again)]
    if state is not GapState.OPEN:
        return []
    attach = render_form(
        here,
        f"{place}/attach",
        "Attach",
        ("question", "The question, in your words", True),
        ("document", "Document", True),
        ("section", "Section of it", False),
        ("quote", "Or the first words of the passage", False),
    )
    dismissed = ("why", "Why it is none of the pack's", True)
    return [
        section("Attach another passage that answers it", attach),
        section("Try it now", render_form(here, f"{place}/close", "Close if answered")),
        section(
            "Not ours", render_form(here, f"{place}/dismiss", "Dismiss", dismissed)
        ),
    ]
