"""Recent outcomes, masked, and why one came about."""

from collections.abc import Sequence

from adapters.ledger.history import Stored
from adapters.why import Why
from bot.admin.frame import Here, link_to, render_page, site_path
from bot.gaps.collecting import hide_choice
from bot.gaps.viewing import FORGOTTEN
from bot.pages.elements import element
from bot.pages.sheet import section, table
from bot.reports.words import name_reason
from engine.model.frozen import Frozen
from engine.text.masking import mask, preview

ABOUT = (
    "The newest outcomes first: masked, without the askers, and only what was asked "
    "with no access tags but yours."
)


class Reach(Frozen):
    """Outcomes of one page, how many are hidden, and where the next page begins."""

    shown: tuple[Stored, ...]
    hidden: int
    before: int | None


REFUSED, UNHELPFUL = "refused", "unhelpful"
ONLY = {"": "All", REFUSED: "Refused", UNHELPFUL: "Found not helpful"}


def render_list(here: Here, reach: Reach, only: str) -> str:
    """Render one page of outcomes."""
    pack = here.pack or ""
    place = site_path("packs", pack, "outcomes")
    links = [
        element("li", "", link_to(f"{place}?only={name}", text, current=name == only))
        for name, text in ONLY.items()
    ]
    chosen = element("nav", "", element("ul", "", *links), aria_label="Which")
    rows = [
        (
            link_to(
                site_path("packs", pack, "outcomes", one.audit_id), mask_question(one)
            ),
            _format_time(one),
            describe_result(one),
            one.record.intent.query_type,
        )
        for one in reach.shown
    ]
    parts = [
        chosen,
        section(
            "What was asked",
            table("Outcomes", ("Question", "When", "Result", "Type"), rows),
        ),
    ]
    if reach.hidden:
        told = f"{reach.hidden} of this stretch not shown to you."
        parts.append(element("p", "about", told))
    if reach.before is not None:
        older = site_path(
            "packs", pack, "outcomes", before=reach.before, only=only or None
        )
        item = element("ul", "", element("li", "", link_to(older, "Older")))
        parts.append(element("nav", "", item, aria_label="Pages"))
    return render_page(here, f"What was asked of {pack}", ABOUT, *parts)


def render_outcome(
    here: Here, stored: Stored, why: Why, cited: Sequence[tuple[str, str]]
) -> str:
    """Render one outcome with its explanation."""
    facts = [
        ("Result", describe_result(stored)),
        ("When", _format_time(stored)),
        ("Type", stored.record.intent.query_type),
        ("Pack", f"{stored.record.pack} {stored.record.pack_version}"),
        ("Rule", why.code or ""),
        *((name, mask(value)) for name, value in why.numbers),
    ]
    near = [(p.title, p.section, f"{p.relevance:.2f}") for p in why.nearest]
    helps = (
        [element("p", "", f"What would help: {mask(why.helps)}")] if why.helps else []
    )
    return render_page(
        here,
        f"Outcome {stored.audit_id}",
        ABOUT,
        section("Question", element("p", "", mask_question(stored))),
        section(
            "Why",
            element("p", "", mask(why.verdict)),
            *helps,
            table("What decided", ("Name", "Value"), facts),
        ),
        section("Cited", table("Cited passages", ("Title", "Section"), cited)),
        section(
            "Near", table("Pages that came near", ("Title", "Section", "Near"), near)
        ),
    )


def mask_question(stored: Stored) -> str:
    """Return what was asked, masked, or a fixed sentence once it is forgotten."""
    text = hide_choice(stored.record)
    return preview(text) if text else FORGOTTEN


def describe_result(stored: Stored) -> str:
    """Say "answered", or name the reason of a refusal."""
    record = stored.record
    return (
        f"no: {name_reason(record.reason_code)}" if record.was_refusal else "answered"
    )


def _format_time(stored: Stored) -> str:
    then = stored.record.created
    return then.isoformat(" ", "minutes") if then else ""
