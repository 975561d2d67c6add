"""Recent outcomes, masked, and why one came about (R-D5, R-S6)."""

from collections.abc import Sequence

from adapters.ledger.history import Stored
from adapters.why import Why
from bot.admin.frame import Here, address, framed, to
from bot.gaps.collecting import told
from bot.gaps.viewing import FORGOTTEN
from bot.pages.elements import element
from bot.pages.sheet import section, table
from bot.reports.words import reason
from engine.model.frozen import Frozen
from engine.text.masking import mask, preview

ABOUT = (
    "The newest outcomes first: masked, without the askers, and only what was asked "
    "with no access tags but yours."
)


class Reach(Frozen):
    """Outcomes of one page, how many of these are hidden, and where it goes on."""

    shown: tuple[Stored, ...]
    hidden: int
    before: int | None


REFUSED, UNHELPFUL = "refused", "unhelpful"
ONLY = {"": "All", REFUSED: "Refused", UNHELPFUL: "Found not helpful"}


def listed(here: Here, reach: Reach, only: str) -> str:
    """One page of outcomes."""
    pack = here.pack or ""
    place = address("packs", pack, "outcomes")
    links = [
        element("li", "", to(f"{place}?only={name}", text, current=name == only))
        for name, text in ONLY.items()
    ]
    chosen = element("nav", "", element("ul", "", *links), aria_label="Which")
    rows = [
        (
            to(address("packs", pack, "outcomes", one.audit_id), asked(one)),
            _when(one),
            result(one),
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
        older = address(
            "packs", pack, "outcomes", before=reach.before, only=only or None
        )
        item = element("ul", "", element("li", "", to(older, "Older")))
        parts.append(element("nav", "", item, aria_label="Pages"))
    return framed(here, f"What was asked of {pack}", ABOUT, *parts)


def one(here: Here, stored: Stored, why: Why, cited: Sequence[tuple[str, str]]) -> str:
    """One outcome with its why."""
    facts = [
        ("Result", result(stored)),
        ("When", _when(stored)),
        ("Type", stored.record.intent.query_type),
        ("Pack", f"{stored.record.pack} {stored.record.pack_version}"),
        ("Rule", why.code or ""),
        *((name, mask(value)) for name, value in why.numbers),
    ]
    near = [(p.title, p.section, f"{p.relevance:.2f}") for p in why.nearest]
    helps = (
        [element("p", "", f"What would help: {mask(why.helps)}")] if why.helps else []
    )
    return framed(
        here,
        f"Outcome {stored.audit_id}",
        ABOUT,
        section("Question", element("p", "", asked(stored))),
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


def asked(stored: Stored) -> str:
    """What was asked, masked; a fixed sentence once it is forgotten."""
    text = told(stored.record)
    return preview(text) if text else FORGOTTEN


def result(stored: Stored) -> str:
    """Answered, or the reason why not."""
    record = stored.record
    return f"no: {reason(record.reason_code)}" if record.was_refusal else "answered"


def _when(stored: Stored) -> str:
    then = stored.record.created
    return then.isoformat(" ", "minutes") if then else ""
