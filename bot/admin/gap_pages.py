"""The gap board as pages: a list, and one gap with what can be done about it (R-D6)."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from adapters.ledger.gaps import GapState
from adapters.reply import many
from bot.admin.frame import SIZE, Here, Look, act, address, framed, pager, searching, to
from bot.gaps.viewing import FORGOTTEN, Line, Shown, Some
from bot.pages.elements import element
from bot.pages.sheet import section, table
from bot.reports.words import reason
from engine.model.frozen import Frozen

ABOUT = (
    "What people asked and did not get, put together by what it means: masked, without "
    "the askers, and only what was asked with no access tags but yours."
)


ORDERS = {"last": "asked last", "asked": "asked most often"}


def listed(here: Here, state: GapState | None, look: Look, some: Some) -> str:
    """One page of the board."""
    pack = here.pack or ""
    place = address("packs", pack, "gaps")
    chosen = state.value if state else "every"
    links = [
        element(
            "li",
            "",
            to(f"{place}?state={name}", name.capitalize(), current=name == chosen),
        )
        for name in (*(each.value for each in GapState), "every")
    ]
    states = element("nav", "", element("ul", "", *links), aria_label="States")
    rows = [_row(pack, line) for line in some.lines]
    head = ("Question", "Asked", "Last", "State", "Where", "Why it said no")
    shown = section("Gaps", table(f"{chosen} gaps", head, rows))
    look = look.model_copy(update={"kept": {"state": chosen}})
    bar, paged = searching(place, look, ORDERS), look.pager(place, some.of)
    hidden = element("p", "about", f"{many(some.hidden, 'gap')} not shown to you.")
    parts = [states, bar, shown, paged, *([hidden] if some.hidden else [])]
    return framed(here, f"Gaps of {pack}", ABOUT, *parts)


class Excerpt(Frozen):
    """A passage that came near: where it stands, and its text."""

    document: str
    section: str
    title: str
    text: str


def one(here: Here, shown: Shown, page: int, passages: Sequence[Excerpt]) -> str:
    """One gap, with the passages that come nearest to it."""
    pack, gap = here.pack or "", shown.line.gap
    asked = shown.asked[(page - 1) * SIZE : page * SIZE]
    rows = [
        (each.text, each.asked, each.said or reason(each.refused)) for each in asked
    ]
    place = address("packs", pack, "gaps", gap.id)
    state = f"{gap.state.value}, {many(len(shown.asked), 'question')}"
    why = [element("p", "", f"Why: {gap.why}")] if gap.why else []
    parts = [
        section("State", element("p", "", state), *why),
        section("Questions", table("Questions", ("Question", "Asked", "Why"), rows)),
        pager(place, page, len(shown.asked)),
        section("What comes nearest", *_near(here, place, shown, passages)),
        *_acts(here, place, gap.state),
    ]
    return framed(here, f"Gap {gap.id}", ABOUT, *parts)


def _near(
    here: Here, place: str, shown: Shown, passages: Sequence[Excerpt]
) -> Iterator[Element]:
    """Each passage with a form that attaches the gap's question to it."""
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
            made = act(here, f"{place}/attach", "Attach", asked, value=text, **fields)
            inside.append(made)
        yield element("figure", "source", *inside)


def _row(pack: str, line: Line) -> tuple[object, ...]:
    gap = line.gap
    tags = f" ({', '.join(sorted(gap.tags))})" if gap.tags else ""
    reasons = ", ".join(f"{reason(code)} ({n})" for code, n in line.reasons.items())
    link = to(address("packs", pack, "gaps", gap.id), line.text)
    where = gap.tenant + tags
    return link, line.questions, line.newest, gap.state.value, where, reasons


def _acts(here: Here, place: str, state: GapState) -> list[Element]:
    if state is GapState.DISMISSED:
        again = act(here, f"{place}/reopen", "Open again")
        return [section("Bring it back", again)]
    if state is not GapState.OPEN:
        return []
    attach = act(
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
        section("Try it now", act(here, f"{place}/close", "Close if answered")),
        section("Not ours", act(here, f"{place}/dismiss", "Dismiss", dismissed)),
    ]
