"""Conversations over five packs, as somebody at a terminal holds them (R-U14)."""

from collections import Counter
from pathlib import Path
from typing import Any, cast

import yaml

from bot.assistant import Asked, Assistant, take_choice
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine.model.answer import Answer
from engine.model.outcome import Outcome
from engine.parse.context import find_context, find_title
from engine.text.talk import Talk, classify_talk

TABLE = Path(__file__).with_name("conversations.yaml")
BESIDE = 0.05  # share of the turns, by R-U14
LEAST = {"seen": 34, "apart": 31}  # of 45 turns each; small reader: 35 and 32


def held(outcome: Outcome, wanted: str) -> str:
    """Whether a reply is right; else whether it was refused or is beside it."""
    if not isinstance(outcome.result, Answer):
        kind = "talk" if outcome.intent.kind in set(Talk) else "refuse"
        return "right" if kind == wanted else "refused"
    cited = {
        quote.document.removeprefix("demo/")
        for section in outcome.result.sections
        for claim in section.claims
        for quote in claim.quotes
    }
    return (
        "right"
        if any(d.startswith(wanted) for d in cited) or wanted == "any"
        else ("beside")
    )


async def converse(assistant: Assistant, case: dict[str, Any]) -> list[str]:
    """What came of each turn."""
    pack = await assistant.pack(case["pack"])
    previous: str | None = None
    about = ""
    outcome: Outcome | None = None
    found = []
    for text, wanted in case["turns"]:
        if classify_talk(text) is not None:
            found.append("right" if wanted == "talk" else "beside")
            continue
        asked: Asked | None = Asked(text=text, previous=previous, about=about)
        if text.startswith("#"):
            asked = take_choice(outcome, int(text[1:])) if outcome else None
        if asked is None:
            found.append("refused")
            continue
        outcome = await assistant.ask(pack, asked)
        context = find_context(outcome)
        if context:
            previous, about = context, find_title(outcome)
        found.append(held(outcome, wanted))
    return found


async def test_a_conversation_is_followed_R_U14(tmp_path: Path) -> None:
    """Few turns are answered beside what they ask, and few are refused."""
    cases = cast("list[dict[str, Any]]", yaml.safe_load(TABLE.read_text("utf-8")))
    tally: Counter[tuple[str, str]] = Counter()
    beside = []
    settings = Settings(data=tmp_path / "data", packs=PACKS)
    async with Application(settings) as application:
        assistant = Assistant(application, frozenset())
        for case in cases:
            for turn, came in zip(
                case["turns"], await converse(assistant, case), strict=True
            ):
                tally[case["half"], came] += 1
                beside += [turn] if came == "beside" else []
    assert len(beside) <= BESIDE * sum(tally.values()), beside
    assert all(tally[half, "right"] >= least for half, least in LEAST.items()), tally
