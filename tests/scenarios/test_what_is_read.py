"""What a reader sees on Slack and Discord, whatever a model writes (R-A1, R-V2).

A model that obeys an attacker drafts; the corridor, the reply and the messages are
those of the product. Every line that is posted is then read by the test's own rules:
a quotation is whole sentences of a source with all that they lean on, anything else a
fixed text, the title, section, publisher or date of a source, or a number of one.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import date
from random import Random

import pytest

from adapters.reply import compose
from adapters.slack.writer import SLACK as slack_post
from engine import Answer, Outcome
from engine.conclude.settle import Progress, settle
from engine.model.codes import Reason
from engine.model.errors import BudgetExceeded
from engine.model.gate import Open
from engine.model.ports import Writer
from engine.pipeline.drafting import DraftContext, Models, Trail, answer
from engine.policy.rules import Rules
from engine.verify.check import Verified
from tests.adapters.slack.replies import asked as asked_on_slack
from tests.demo import Room
from tests.scenarios import reader
from tests.scenarios.obeying import ObeyingWriter
from tests.scenarios.reader import Read
from tests.scenarios.reading import MARKS, Asked, messages, read_beside

SEED = 20261123
TODAY = date(2026, 11, 23)


# --- drafts to messages -----------------------------------------------------------


async def outcome_of(asked: Asked, writer: Writer, *, analysing: bool) -> Outcome:
    """What becomes of one hostile draft, as `Engine.ask` puts it together."""
    before, pack = asked.outcome, asked.pack
    changes = {
        "mode": "llm",
        "schema_retry_attempts": 0,
        "quote_bypass": "auto" if analysing else "off",
    }
    pack = pack.model_copy(
        update={"answer": pack.answer.model_copy(update=changes)},
    )
    bench = DraftContext(
        question=before.question,
        intent=before.intent,
        pack=pack,
        rules=Rules.of(pack),
        models=Models(writer=writer),
        left=lambda: 20.0,
    )
    trail = Trail()
    walk = Progress(question=before.question, intent=before.intent, gate=asked.opened)
    found: dict[str, object] = {}
    try:
        verdict = await answer(asked.opened, bench, trail)
    except BudgetExceeded as error:
        why = f"That took more than one question may: {error}."
        found = {"reason": Reason.BUDGET_EXCEEDED, "explanation": why}
    else:
        findings = (*trail.notes, *verdict.findings)
        found = {"findings": findings, "tally": verdict.tally}
        if isinstance(verdict, Verified):
            found["answer"] = verdict.answer
        else:
            found |= {"reason": verdict.reason, "gaps": verdict.gaps}
    made = settle(
        walk.model_copy(update={**found, "prompts": tuple(trail.prompts)}), pack
    )
    return made.model_copy(update={"audit_id": "a-1", "nearest": before.nearest})


async def escaped(room: Room, outcomes: Sequence[Outcome], many: int) -> list[str]:
    """What of so many drafts a reader sees that nobody may say."""
    random = Random(SEED)
    questions = [asked async for asked in _opened(room, outcomes)]
    writer = ObeyingWriter(random, tuple(_sentences(questions)))
    out: list[str] = []
    seen: Counter[str] = Counter()
    for number in range(many):
        asked = questions[number % len(questions)]
        outcome = await outcome_of(asked, writer, analysing=random.random() < 0.5)
        result = outcome.result
        seen[result.mode if isinstance(result, Answer) else "refused"] += 1
        reply = compose(outcome, asked.pack.wording, TODAY)
        for read, told in messages(reply):
            seen["quotations"] += len(read.quotations)
            out += replace(asked, outcome=outcome).strangers(read, told=told)
    assert seen["llm"] > many / 10, seen
    assert seen["refused"] > many / 20, seen
    assert seen["quotations"] > many, seen
    return out


async def _opened(room: Room, outcomes: Sequence[Outcome]) -> AsyncIterator[Asked]:
    for outcome in outcomes:
        if isinstance(outcome.gate, Open):
            pack = room.packs[outcome.question.pack]
            yield await read_beside(outcome, pack, room.ledger)


def _sentences(questions: Sequence[Asked]) -> Iterator[str]:
    """Sentences of all questions, which only some of them may be answered with."""
    for asked in questions:
        for source in asked.sources.values():
            for start, end in source.sentences:
                yield source.text[start:end]


async def test_who_reads_knows_a_stranger(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """The test's own reading is not simply content with everything."""
    fever = "What temperature counts as fever during chemotherapy?"
    found = [a async for a in _opened(room, asked) if a.outcome.question.text == fever]
    (one,) = found
    outcome = one.outcome
    reply = compose(outcome, one.pack.wording, TODAY)
    posted = reader.slack(slack_post.answer(reply, asked_on_slack()))
    assert list(one.strangers(posted)) == []
    leaning = [
        source.text[slice(*place)]
        for source in one.sources.values()
        for place, sentence in source.sentences.items()
        if sentence.leans_on
    ]
    (whole, *_), *_ = posted.quotations
    whole = MARKS.sub("", whole)
    for strange in (
        Read(lines=["Take 80 mg of it."]),
        Read(previews=["Take 80 mg of it."]),
        Read(lines=[whole]),
        Read(quotations=[[whole, "Take 80 mg of it."]]),
        Read(quotations=[[re.sub(r"\d", "7", whole)]]),
        Read(quotations=[[whole.rpartition(" ")[0]]]),
        Read(quotations=[[leaning[0]]]),
        Read(links=["https://evil.example/"]),
    ):
        assert list(one.strangers(strange)), strange


async def test_what_a_reader_sees_is_a_source_or_a_fixed_text_R_A1_R_V2_R_V3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """On both platforms, of some hundred drafts of a model that obeys an attacker."""
    assert await escaped(room, asked, 240) == []


@pytest.mark.prove
async def test_nothing_else_is_read_of_fifteen_thousand_drafts_R_A1_R_V2_R_V3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """The proof, over the rendered messages."""
    assert await escaped(room, asked, 15_000) == []
