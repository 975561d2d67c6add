"""Thousands of stored outcomes, replayed: what changes is what asking anew brings."""

import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.ledger.history import Wanted
from bot.commands.replay import replay_outcomes
from bot.replay.report import Change
from bot.replay.run import Seen, Verdict, extract_seen
from bot.wiring import Application
from config.settings import Settings
from engine import Outcome, Pack
from engine.model.record import record_of
from tests.bot.test_replay import raised
from tests.demo import NAMES, Demo
from tests.scenarios.mix import drawn, recorded

MANY, FEW = 5_000, 60
SEED = 18


async def test_sixty_stored_outcomes_change_with_the_pack_alone_R_D4(
    demo: Demo, tmp_path: Path
) -> None:
    """The same as the long one, of fewer questions."""
    await proved(demo, tmp_path, number=FEW, every=20)


@pytest.mark.prove
async def test_5000_stored_outcomes_change_with_the_pack_alone_R_D4(
    demo: Demo, tmp_path: Path
) -> None:
    """Under the same pack none; under a raised threshold each as when asked anew."""
    await proved(demo, tmp_path, number=MANY, every=1)


async def proved(demo: Demo, folder: Path, number: int, every: int) -> None:
    """Half of them of each pack; of one in so many questions of the suites.

    A question that comes again is recorded again, and not asked again: the ledger
    holds what it would hold, and the proof is half as long.
    """
    data = demo.copy(folder / "data")
    copy = Demo(data, demo.embedder)
    async with Application(Settings(data=data), embedder=demo.embedder) as application:
        changes = 0
        for name in NAMES:
            await stored(copy, name, number // len(NAMES), every)
            pack = application.pack(name)
            same = await replay_outcomes(application, pack, Wanted(pack=name))
            told(f"{name}, same pack: {same.counts}, {same.rate:.0f}/s")
            assert same.changes == ()
            assert same.counts[Verdict.SAME] == number // len(NAMES)
            strict = raised(pack)
            found = await replay_outcomes(application, strict, Wanted(pack=name))
            told(f"{name}, raised: {found.counts}, {found.rate:.0f}/s")
            await right(application, copy, strict, found.changes)
            changes += len(found.changes)
            assert found.counts[Verdict.SAME]
        assert changes


async def stored(copy: Demo, name: str, number: int, every: int) -> None:
    """Put outcomes on record."""
    known: dict[str, Outcome] = {}
    async with copy.open() as room:
        room = room.but(offers=False)
        for text in drawn(recorded(name)[::every], number, SEED):
            if text not in known:
                known[text] = await room.ask(name, text)
                continue
            again = known[text].question.model_copy(update={"id": uuid.uuid4().hex})
            outcome = known[text].model_copy(update={"question": again})
            await room.ledger.record(outcome)


async def right(
    application: Application, copy: Demo, strict: Pack, changes: Sequence[Change]
) -> None:
    """Ask every question anew under the pack: exactly those that differ were told."""
    on_record = [
        one.record async for one in application.ledger.outcomes(Wanted(pack=strict.id))
    ]
    anew: dict[str, Seen] = {}
    differ: dict[str | None, str] = {}
    async with copy.open() as room:
        room = room.but(packs={strict.id: strict}, offers=False)
        for record in on_record:
            text = record.question
            if text not in anew:
                anew[text] = extract_seen(record_of(await room.ask(strict.id, text)))
            if extract_seen(record) != anew[text]:
                differ[record.audit_id] = anew[text].said
    assert {change.audit_id: change.now for change in changes} == differ


def told(line: str) -> None:
    sys.stderr.write(f"{line}\n")
