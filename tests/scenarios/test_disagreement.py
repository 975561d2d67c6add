"""Two sources that say the same thing differently: both are shown, and told (R-R11)."""

import asyncio
from pathlib import Path

import pytest

from adapters.loaders.sandbox import SERVED, Parser
from bot.documents.ingest import Job, Steps, ingest, look
from bot.wiring import Application
from config.settings import Settings
from engine import Outcome
from tests.demo import Demo, question, quotes

PACK = "oncology"
ROOT = Path(__file__).resolve().parents[2]
BESIDE = ("hair-skin-and-nails", "ports-and-catheters", "fatigue-after-chemotherapy")
# What the older page of one publisher and the newer one of another say to a question.
SAID = {
    "What temperature counts as a fever during chemotherapy?": (
        "A temperature of 38.0 °C or higher counts as a fever during chemotherapy.",
        "A temperature of 38.3 °C or higher counts as a fever during chemotherapy.",
    ),
    "How much dexamethasone is taken on the evening before paclitaxel?": (
        "On the evening before paclitaxel 8 mg of dexamethasone are taken.",
        "On the evening before paclitaxel 20 mg of dexamethasone are taken.",
    ),
    "May ginger capsules be taken together with warfarin?": (
        "Ginger capsules may be taken together with warfarin.",
        "Ginger capsules may not be taken together with warfarin.",
    ),
    "For how long are gloves worn after an infusion of doxorubicin?": (
        "Gloves are worn for 48 hours after an infusion of doxorubicin. "
        "They are then thrown away in a closed bag.",
        "Gloves are worn for 48 hours after an infusion of doxorubicin. "
        "They are then thrown away in a closed bag.",
    ),
}
*DIFFERING, AGREED = SAID
NOTICE = (
    "The sources disagree, so each one is quoted: "
    "Treatment notes (National Cancer Grid, tier 1, published 2026-05-04); "
    "Treatment notes (National Cancer Institute, tier 1, published 2024-02-01)."
)


def page(name: str, source: str, day: str, which: int) -> str:
    """One page of a publisher, with what it says to every question."""
    head = f"---\nid: {name}\ntitle: Treatment notes\nsource: {source}\n"
    said = (f"## Note {n}\n\n{pair[which]}" for n, pair in enumerate(SAID.values()))
    body = "\n\n".join(said)
    return f"{head}published: {day}\n---\n\n# Treatment notes\n\n{body}\n"


def corpus(folder: Path) -> Path:
    """Both pages, and some about other things."""
    folder.mkdir()
    for name in BESIDE:
        text = (ROOT / f"config/packs/{PACK}/corpus/{name}.md").read_text("utf-8")
        text = text.replace("demo: true\n", "").replace("demo-nci", "acs")
        (folder / f"{name}.md").write_text(text.replace("demo-who", "acs"), "utf-8")
    (folder / "nci.md").write_text(page("nci-notes", "nci", "2024-02-01", 0), "utf-8")
    (folder / "ncg.md").write_text(page("ncg-notes", "ncg", "2026-05-04", 1), "utf-8")
    return folder


@pytest.fixture(scope="module")
def outcomes(
    demo: Demo, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Outcome]:
    """What comes of every question over these pages."""
    room = tmp_path_factory.mktemp("differing")
    folder, settings = corpus(room / "pages"), Settings(data=room / "data")

    async def every() -> dict[str, Outcome]:
        async with Application(settings, embedder=demo.embedder) as application:
            pack = application.pack(PACK)
            with Parser() as parser:
                into, job = application.corpus(pack), Job(folder)
                await ingest(into, parser, job, look(folder, SERVED), Steps())
            engine = application.engine(pack)
            return {text: await engine.ask(question(PACK, text)) for text in SAID}

    return asyncio.run(every())


@pytest.mark.parametrize("text", DIFFERING)
def test_both_sides_are_shown_with_a_notice_R_R11(
    outcomes: dict[str, Outcome], text: str
) -> None:
    """A figure, a dose, a "not": the newer first, with tiers and dates on top."""
    outcome = outcomes[text]
    said = [quote.text for quote in quotes(outcome)]
    older, newer = SAID[text]
    places = [next(at for at, s in enumerate(said) if x in s) for x in (newer, older)]
    assert places == sorted(places), said
    assert NOTICE in outcome.notices


def test_sources_that_agree_raise_no_notice_R_R11(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[AGREED]
    assert outcome.answered
    assert outcome.notices == ()
