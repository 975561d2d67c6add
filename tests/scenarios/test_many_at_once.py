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
from tests.loopback.model import Said, provider

PEOPLE = 50
AT_ONCE = 8
SLOW_S = 0.3  # of one call
DRAFT = json.dumps(
    {
        "status": "answered",
        "sections": [{"sentences": ["The lamp is green. [1]"]}],
        "not_found": [],
    }
)


def questions(pack: str) -> list[str]:
    """As many as there are people, each of them answerable."""
    asked = ANSWERABLE[pack]
    return [asked[at % len(asked)] for at in range(PEOPLE)]


async def ask_all(
    room: Room, pack: str, texts: Sequence[str], seconds: float
) -> list[Outcome]:
    """All at the same moment, none waited for longer than its pack allows."""
    asking = (asyncio.wait_for(room.ask(pack, text), seconds) for text in texts)
    return list(await asyncio.gather(*asking))


@pytest.mark.parametrize("pack", NAMES)
async def test_fifty_at_once_end_in_time_R_P4(room: Room, pack: str) -> None:
    """None starves: everybody whose gate is open has the model's word in time.

    The draft points to no sentence, so that nobody is answered by it.
    """
    budget = room.packs[pack].budget.seconds
    async with provider(lambda _: Said(DRAFT, after_s=SLOW_S)) as served:
        settings = Settings(
            model="openai/test",
            model_url=served.url,
            model_key=SecretStr("k"),
            model_at_once=AT_ONCE,
        )
        models = LanguageModels(settings)
        asked = replace(room.ports, models=models.of(room.packs[pack]))
        outcomes = await ask_all(Room(room.packs, asked), pack, questions(pack), budget)
        await models.close()
    assert len({outcome.audit_id for outcome in outcomes}) == PEOPLE
    drafted = [outcome for outcome in outcomes if outcome.prompts]
    assert len(drafted) >= PEOPLE / 2
    assert served.most_at_once == AT_ONCE
    for outcome in drafted:
        assert all(prompt.failure is None for prompt in outcome.prompts)
        assert outcome.milliseconds["total"] < 1_000 * budget
        result = outcome.result
        if isinstance(result, Refusal):
            assert result.reason is Reason.INSUFFICIENT_CITATIONS
        else:
            assert isinstance(result, Answer)
            assert result.mode == "deterministic"
