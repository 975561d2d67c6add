"""A real language model, small enough for two cores, drafts over the demo texts.

Its figures are weak, and shown (`-s`). What has to hold: nothing reaches a reader that
did not pass, and every question ends in an answer or a refusal with a reason.
"""

import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from bot.models import LanguageModels
from config.settings import Settings
from engine import Answer, Outcome
from engine.model.prompt import Usage
from engine.policy.pack import Pack
from scripts.small_model import NAME
from tests.demo import ANSWERABLE, NAMES, Room, must_refuse

SECONDS = 600.0  # for a question; a busy machine needs a minute or two
PASSAGES = 3  # of a prompt
SIX = {
    "oncology": (
        "What temperature counts as fever during chemotherapy?",
        "Does tamoxifen cause hot flashes?",
        "What is DPD deficiency?",
    ),
    "textbook": (
        "What is integral windup?",
        "How do I record a bag?",
        "What are the main QoS policies?",
    ),
}


@dataclass
class Table:
    """What came of some questions."""

    ends: Counter[str] = field(default_factory=Counter)
    objections: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)
    questions: int = 0

    def take(self, outcome: Outcome) -> None:
        """Count one outcome."""
        result = outcome.result
        if isinstance(result, Answer):
            self.ends[f"answered, {result.mode}"] += 1
        else:
            self.ends[f"refused, {result.reason}"] += 1
        self.questions += 1
        for prompt in outcome.prompts:
            self.usage += prompt.usage
            self.failures[str(prompt.failure)] += 1
        self.objections += Counter(
            f"{f.validator}/{f.code} ({f.severity})"
            for f in outcome.findings
            if outcome.prompts and f.severity != "note"
        )

    def __str__(self) -> str:
        taken = self.usage
        return (
            f"{self.questions} questions: {dict(self.ends)}\n  calls {taken.calls}, "
            f"failures {dict(self.failures)}, {taken.prompt_tokens} tokens sent, "
            f"{taken.answer_tokens} answered, {taken.seconds:.0f} s\n"
            f"  objections {dict(self.objections.most_common())}"
        )


@pytest.fixture
async def modelled(room: Room, small_model: Settings) -> AsyncIterator[Room]:
    """The room with the model behind it, and time for it."""
    models = LanguageModels(small_model)
    packs = {name: patient(pack) for name, pack in room.packs.items()}
    ports = replace(room.ports, models=models.of(packs["textbook"]))
    yield Room(packs, ports)
    await models.close()


def patient(pack: Pack) -> Pack:
    """The pack with few passages a prompt, and more time."""
    answer = pack.answer.model_copy(update={"passages": PASSAGES})
    budget = pack.budget.model_copy(update={"seconds": SECONDS})
    return pack.model_copy(update={"answer": answer, "budget": budget})


async def through(room: Room, pack: str, questions: Sequence[str]) -> list[Outcome]:
    """The outcomes, counted and shown."""
    table, outcomes = Table(), []
    for text in questions:
        outcome = await room.ask(pack, text)
        table.take(outcome)
        outcomes.append(outcome)
    sys.stdout.write(f"\n{pack}, {NAME}, {table}\n")
    return outcomes


def holds(outcome: Outcome) -> None:
    """On record; nothing said but what the validators passed."""
    assert outcome.audit_id
    result = outcome.result
    if isinstance(result, Answer):
        cited = {citation.number for citation in result.citations}
        for section in result.sections:
            for claim in section.claims:
                assert not claim.sensitive or set(claim.citations) & cited


@pytest.mark.servers
@pytest.mark.parametrize("pack", NAMES)
async def test_a_real_model_drafts_R_A1(modelled: Room, pack: str) -> None:
    """Three questions a pack; the model is asked about each, and most can be read."""
    outcomes = await through(modelled, pack, SIX[pack])
    for outcome in outcomes:
        holds(outcome)
        assert outcome.prompts
        assert outcome.prompts[0].usage.prompt_tokens > 0
    read_ = [o for o in outcomes if any(p.failure is None for p in o.prompts)]
    assert len(read_) >= 2


@pytest.mark.prove
@pytest.mark.parametrize("pack", NAMES)
async def test_a_real_model_over_every_question_R_I1(modelled: Room, pack: str) -> None:
    """All demo questions, and those to be refused, which ask no model at all."""
    for outcome in await through(modelled, pack, ANSWERABLE[pack]):
        holds(outcome)
    for outcome in await through(modelled, pack, must_refuse(pack)):
        assert not outcome.answered
        assert not outcome.prompts
