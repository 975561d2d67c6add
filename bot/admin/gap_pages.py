"""The gap board as pages: a list, and one gap with what can be done about it (R-D6)."""

from xml.etree.ElementTree import Element

from adapters.ledger.gaps import GapState
from adapters.reply import many
from bot.admin.frame import SIZE, Here, act, address, framed, pager, to
from bot.gaps.viewing import Line, Shown, Some
from bot.pages.elements import element
from bot.pages.sheet import section, table

ABOUT = (
    "What people asked and did not get, the one asked last first: masked, without the "
    "askers, and only what was asked with no access tags but yours."
)


def listed(here: Here, state: GapState | None, page: int, some: Some) -> str:
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
    head = ("Question", "Asked", "Last", "State", "Where", "Reasons")
    shown = section("Gaps", table(f"{chosen} gaps", head, rows))
    paged = pager(place, page, some.of, state=chosen)
    hidden = element("p", "about", f"{many(some.hidden, 'gap')} not shown to you.")
    parts = [states, shown, paged, *([hidden] if some.hidden else [])]
    return framed(here, f"Gaps of {pack}", ABOUT, *parts)


def one(here: Here, shown: Shown, page: int) -> str:
    """One gap."""
    pack, gap = here.pack or "", shown.line.gap
    asked = shown.asked[(page - 1) * SIZE : page * SIZE]
    rows = [(each.text, each.asked, each.said or each.refused or "") for each in asked]
    place = address("packs", pack, "gaps", gap.id)
    state = f"{gap.state.value}, {many(len(shown.asked), 'question')}"
    why = [element("p", "", f"Why: {gap.why}")] if gap.why else []
    parts = [
        section("State", element("p", "", state), *why),
        section("Questions", table("Questions", ("Question", "Asked", "Why"), rows)),
        pager(place, page, len(shown.asked)),
        section(
            "Nearest pages",
            table("Pages that came near", ("Page",), [(n,) for n in shown.nearest]),
        ),
        *_acts(here, place, gap.state),
    ]
    return framed(here, f"Gap {gap.id}", ABOUT, *parts)


def _row(pack: str, line: Line) -> tuple[object, ...]:
    gap = line.gap
    tags = f" ({', '.join(sorted(gap.tags))})" if gap.tags else ""
    reasons = ", ".join(f"{n} {reason}" for reason, n in line.reasons.items())
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
        section("Attach a passage that answers it", attach),
        section("Try it now", act(here, f"{place}/close", "Close if answered")),
        section("Not ours", act(here, f"{place}/dismiss", "Dismiss", dismissed)),
    ]
