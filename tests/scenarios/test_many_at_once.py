"""Fifty people ask at once, and the language model is slow."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import SecretStr

from bot.models import LanguageModels
from config.settings import Settings
from engine import Answer, Outcome, Reason, Refusal
from tests.demo import ANSWERABLE, NAMES, Room
from tests.loopback.model import Json, Said, provider

PEOPLE = 50
AT_ONCE = 8
SECONDS = 600.0  # for a question
DRAFT = json.dumps(
    {
        "status": "answered",
        "sections": [{"sentences": ["The lamp is green."]}],
        "not_found": [],
    }
)


def questions(pack: str) -> list[str]:
    """As many as there are people, each of them answerable."""
    asked = ANSWERABLE[pack]
    return [asked[at % len(asked)] for at in range(PEOPLE)]


async def ask_all(room: Room, pack: str, texts: Sequence[str]) -> list[Outcome]:
    """All at the same moment."""
    return list(await asyncio.gather(*(room.ask(pack, text) for text in texts)))


@pytest.mark.parametrize("pack", NAMES)
async def test_fifty_at_once_end_in_time_R_P4(
    room: Room, pack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None starves: everybody whose gate is open has the model's word.

    The draft points to no sentence, so that nobody is answered by it. A question may
    take minutes, so that a busy machine is not a slow model.
    """
    budget = room.packs[pack].budget.model_copy(update={"seconds": SECONDS})
    packs = {pack: room.packs[pack].model_copy(update={"budget": budget})}
    monkeypatch.setattr("engine.pipeline.ask.RECORDING", SECONDS)
    for name in ("database", "transactions"):
        monkeypatch.setattr(f"adapters.ledger.{name}.PATIENCE_S", SECONDS)
    full = asyncio.Event()

    async def script(_: Json) -> Said:
        if served.at_once == AT_ONCE:
            full.set()
        await full.wait()
        return Said(DRAFT)

    async with provider(script) as served:
        settings = Settings(
            model="openai/test",
            model_url=served.url,
            model_key=SecretStr("k"),
            model_at_once=AT_ONCE,
        )
        models = LanguageModels(settings)
        asked = replace(room.ports, models=models.of(packs[pack]))
        outcomes = await ask_all(Room(packs, asked), pack, questions(pack))
        await models.close()
    assert len({outcome.audit_id for outcome in outcomes}) == PEOPLE
    drafted = [outcome for outcome in outcomes if outcome.prompts]
    assert len(drafted) >= PEOPLE / 2
    assert served.most_at_once == AT_ONCE
    for outcome in drafted:
        assert all(prompt.failure is None for prompt in outcome.prompts)
        result = outcome.result
        if isinstance(result, Refusal):
            assert result.reason is Reason.INSUFFICIENT_CITATIONS
        else:
            assert isinstance(result, Answer)
            assert result.mode == "deterministic"
