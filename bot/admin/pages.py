"""The administrators' pages: what their templates are filled with."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from adapters.ledger.gaps import GapState
from adapters.ledger.history import Stored
from adapters.why import Why
from bot.admin.frame import SIZE, Here, Look, render_page
from bot.gaps.collecting import hide_choice
from bot.gaps.viewing import FORGOTTEN, Shown, Some
from bot.health.state import Health
from bot.reports.weekly import Weekly
from bot.reports.words import name_reason
from engine.model.frozen import Frozen
from engine.text.masking import mask, preview


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

    @property
    def late(self) -> bool:
        """Tell whether the copy is too old, as its source says."""
        if self.age is None or self.window is None:
            return False
        return self.age > self.window


class Excerpt(Frozen):
    """A passage that came near: its place and its text."""

    document: str
    section: str
    title: str
    text: str


class Reach(Frozen):
    """Outcomes of one page, how many are hidden, and where the next page begins."""

    shown: tuple[Stored, ...]
    hidden: int
    before: int | None


ORDERS = {"last": "asked last", "asked": "asked most often"}
DOCUMENTS = {"title": "title", "cited": "cited most often"}
REFUSED, UNHELPFUL = "refused", "unhelpful"
ONLY = {"": "All", REFUSED: "Refused", UNHELPFUL: "Found not helpful"}


def render_overview(here: Here, found: Health, weeks: Mapping[str, Weekly]) -> str:
    """Render the health of the bot, and a week of each pack that may be seen."""
    return render_page(here, "overview.html", {"found": found, "weeks": weeks})


def render_gaps(here: Here, state: GapState | None, look: Look, some: Some) -> str:
    """Render one page of the board."""
    chosen = state.value if state else "every"
    look = look.model_copy(update={"kept": {"state": chosen}})
    states = (*(each.value for each in GapState), "every")
    held = {"look": look, "states": states, "some": some, "orders": ORDERS}
    return render_page(here, "gaps.html", {"chosen": chosen, **held})


def render_gap(here: Here, shown: Shown, page: int, passages: Sequence[Excerpt]) -> str:
    """Render one gap, with the passages that come nearest to it."""
    text = shown.line.text if shown.line.text != FORGOTTEN else ""
    asked = shown.asked[(page - 1) * SIZE : page * SIZE]
    held = {"asked": asked, "page": page, "passages": passages, "text": text}
    return render_page(here, "gap.html", {"shown": shown, **held})


def render_outcomes(here: Here, reach: Reach, only: str) -> str:
    """Render one page of outcomes."""
    held = {"reach": reach, "only": only, "choices": ONLY}
    return render_page(here, "outcomes.html", {"outcome": _describe_outcome, **held})


def render_outcome(
    here: Here, stored: Stored, why: Why, cited: Sequence[tuple[str, str]]
) -> str:
    """Render one outcome with its explanation."""
    record = stored.record
    told = _describe_outcome(stored)
    facts = [
        ("Result", told["result"]),
        ("When", told["when"]),
        ("Type", record.intent.query_type),
        ("Pack", f"{record.pack} {record.pack_version}"),
        ("Rule", why.code or ""),
        *((name, mask(value)) for name, value in why.numbers),
    ]
    held = {"stored": stored, "told": told, "cited": cited, "facts": facts}
    return render_page(here, "outcome.html", {"why": why, "mask": mask, **held})


def _describe_outcome(stored: Stored) -> Mapping[str, str]:
    """Say what was asked, masked, when, and what came of it."""
    record, text = stored.record, hide_choice(stored.record)
    no = f"no: {name_reason(record.reason_code)}"
    return {
        "question": preview(text) if text else FORGOTTEN,
        "when": record.created.isoformat(" ", "minutes") if record.created else "",
        "result": no if record.was_refusal else "answered",
    }


def render_sources(here: Here, found: Sequence[Source], look: Look, of: int) -> str:
    """Render one page of a pack's documents."""
    held = {"found": found, "look": look, "of": of, "orders": DOCUMENTS}
    return render_page(here, "sources.html", held)


def render_reports(here: Here, days: Sequence[date]) -> str:
    """Render the list of a pack's weeks."""
    weeks = [(day.isoformat(), day - timedelta(days=1)) for day in days]
    return render_page(here, "reports.html", {"weeks": weeks})
