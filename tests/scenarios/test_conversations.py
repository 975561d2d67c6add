"""Conversations over five packs, as somebody at a terminal holds them (R-U14)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from bot.assistant import Asked, Assistant, take_choice
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine.model.answer import Answer
from engine.model.outcome import Outcome
from engine.parse.context import find_context, find_title
from engine.text.talk import Talk, classify_talk

TABLE = Path(__file__).with_name("conversations.yaml")
TYPED = Path(__file__).with_name("typed.jsonl")  # eighty, by two who read texts alone
BESIDE = 0.05  # share of the turns, by R-U14
# Shares of the later turns of all, and of every eighth conversation; small reader.
LEAST_TYPED, MOST_WRONG = 0.44, 0.14
LEAST_TYPED_SHORT, MOST_WRONG_SHORT = 0.4, 0.16
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


def judge_typed(outcome: Outcome, turn: dict[str, Any]) -> str:
    """Tell whether a reply holds what it has to; talk and refusals say nothing."""
    if not isinstance(outcome.result, Answer):
        return "refused" if turn["expects"] == "answer" else "right"
    claims = [c.text for part in outcome.result.sections for c in part.claims]
    said = " ".join(" ".join(claims).replace("\u2019", "'").split())
    return "right" if any(hold in said for hold in turn["holds"]) else "wrong"


async def follow(assistant: Assistant, case: dict[str, Any]) -> list[tuple[str, str]]:
    """What was expected and what came of each turn after the first."""
    pack = await assistant.pack(case["pack"])
    previous: str | None = None
    about = ""
    found = []
    for turn in case["turns"]:
        asked = Asked(text=turn["says"], previous=previous, about=about)
        outcome = await assistant.ask(pack, asked)
        context = find_context(outcome)
        if context:
            previous, about = context, find_title(outcome)
        found.append((turn["expects"], judge_typed(outcome, turn)))
    return found[1:]


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


@pytest.mark.parametrize(
    ("every", "least", "most"),
    [
        pytest.param(1, LEAST_TYPED, MOST_WRONG, marks=pytest.mark.prove),
        (8, LEAST_TYPED_SHORT, MOST_WRONG_SHORT),
    ],
)
async def test_conversations_as_typed_are_followed_R_U14(
    tmp_path: Path, every: int, least: float, most: float
) -> None:
    """Later turns, by the small reader: the share that is right, and that is wrong."""
    cases = [json.loads(line) for line in TYPED.read_text("utf-8").splitlines()]
    tally: Counter[tuple[str, str]] = Counter()
    settings = Settings(data=tmp_path / "data", packs=PACKS)
    async with Application(settings) as application:
        assistant = Assistant(application, frozenset())
        for case in cases[::every]:
            tally.update(await follow(assistant, case))
    asked = sum(n for (expects, _), n in tally.items() if expects == "answer")
    assert tally["answer", "right"] >= least * asked, tally
    wrong = sum(n for (_, came), n in tally.items() if came == "wrong")
    assert wrong <= most * sum(tally.values()), tally
