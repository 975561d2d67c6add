"""Outcome, audit record, reply and the end of the event: one commit, or nothing."""

import asyncio
import threading
from collections.abc import Callable, Sequence

import pytest

from adapters.ledger import transactions
from adapters.ledger.mail_records import ClaimLost, ThreadNote
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.mail import Part, Platform
from engine.model.errors import LedgerFailed, VerificationFailed
from engine.model.outcome import Outcome
from tests.adapters.ledger.mail_samples import (
    ASKER,
    LEASE,
    answer,
    come,
    fetch,
    incoming,
    part,
    place,
    rendering,
    take,
)
from tests.adapters.ledger.samples import answered, document, refused

STEPS = (
    "adapters.ledger.mail_inbox.finish",
    "adapters.ledger.messages.prove",
    "adapters.ledger.messages.append",
    "adapters.ledger.mail_outbox.put",
    "adapters.ledger.mail_places.keep_thread",
    "adapters.ledger.transactions._Fate.commit",
)


async def settled(mailbox: Mailbox, dated: SqlLedger) -> None:
    """An event that was claimed can still be settled, and is, once."""
    before = (await dated.verify_all()).entries
    claimed = await take(mailbox)
    outcome = await mailbox.settle(claimed, refused(), rendering(part()))
    assert outcome.audit_id is not None
    report = await dated.verify_all()
    assert report.ok
    assert report.entries == before + 1


async def untouched(mailbox: Mailbox, dated: SqlLedger) -> None:
    """Nothing is on record, nothing goes out, no thread is kept; the event waits."""
    assert (await dated.verify_all()).answers == 0
    assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
    assert not await mailbox.owns(place())
    assert await mailbox.waiting() == 1


async def test_an_outcome_is_settled_whole_R_I10(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """The reply names its audit id; the thread knows what was asked."""
    await dated.store_document("oncology", document())
    await come(mailbox, incoming())
    seen: list[Outcome] = []

    def render(outcome: Outcome) -> Sequence[Part]:
        seen.append(outcome)
        return [part(text=outcome.audit_id or "")]

    asked = answered(document(), asker=ASKER)
    note = ThreadNote(place=place(), previous="May I sleep?")
    outcome = await mailbox.settle(await take(mailbox), asked, render, note)
    assert seen == [outcome]
    assert outcome == asked.model_copy(update={"audit_id": outcome.audit_id})
    assert outcome.audit_id is not None
    assert (await dated.verify(outcome.audit_id)).ok
    assert (await fetch(mailbox)).parts[0].payload == {"text": outcome.audit_id}
    thread = await mailbox.thread(place())
    assert thread is not None
    assert (thread.pack, thread.asker) == ("oncology", ASKER)
    assert (thread.previous, thread.question_id) == ("May I sleep?", "q-1")
    assert await mailbox.waiting() == 0


@pytest.mark.parametrize("step", STEPS)
async def test_a_failure_anywhere_commits_nothing_R_I10(
    mailbox: Mailbox,
    dated: SqlLedger,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    """Before, between and after the writes; the claim is still good afterwards."""
    await come(mailbox, incoming())
    claimed = await take(mailbox)
    note = ThreadNote(place=place(), previous="May I sleep?")

    def fail(*arguments: object, **named: object) -> None:
        raise LedgerFailed("injected")

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(LedgerFailed, match="injected"):
            await mailbox.settle(claimed, refused(), rendering(part()), note)
    await untouched(mailbox, dated)
    await mailbox.settle(claimed, refused(), rendering(part()), note)
    assert (await dated.verify_all()).answers == 1


async def test_a_reply_that_cannot_be_worded_commits_nothing_R_I10(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """The error is the renderer's own."""
    await come(mailbox, incoming())
    claimed = await take(mailbox)

    def render(outcome: Outcome) -> Sequence[Part]:
        raise KeyError("no wording")

    with pytest.raises(KeyError):
        await mailbox.settle(claimed, refused(), render)
    await untouched(mailbox, dated)
    await mailbox.release(claimed)
    await settled(mailbox, dated)


async def test_an_outcome_that_does_not_prove_itself_commits_nothing_R_I3(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """A refusal may be settled in its place by the same claim."""
    await come(mailbox, incoming())
    claimed = await take(mailbox)
    with pytest.raises(VerificationFailed):
        await mailbox.settle(claimed, answered(document()), rendering(part()))
    await untouched(mailbox, dated)
    await mailbox.settle(claimed, refused(), rendering(part()))
    assert (await dated.verify_all()).answers == 1


async def test_a_lost_lease_commits_nothing_R_C3(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """Nor does a second settlement of one claim."""
    await come(mailbox, incoming())
    lost = await take(mailbox, "w1")
    await mailbox.abandon("w1")
    with pytest.raises(ClaimLost):
        await mailbox.settle(lost, refused(), rendering(part()))
    await untouched(mailbox, dated)
    claimed = await take(mailbox, "w2")
    await mailbox.settle(claimed, refused(), rendering(part()))
    with pytest.raises(ClaimLost):
        await mailbox.settle(claimed, refused(), rendering(part()))
    assert (await dated.verify_all()).answers == 1


async def test_settling_reads_and_writes_one_chain_R_D2(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """Outcomes of the mailbox and of other doors stand in one order."""
    for number in range(3):
        await answer(mailbox, incoming(f"E{number}", number))
        await dated.record(refused(id=f"own-{number}"))
    report = await dated.verify_all()
    assert report.ok
    assert report.answers == 6


def waiting_for(
    reached: threading.Event, go_on: threading.Event
) -> Callable[[Outcome], Sequence[Part]]:
    """Renders nothing, and not before it is told to go on."""

    def render(outcome: Outcome) -> Sequence[Part]:
        reached.set()
        go_on.wait()
        return [part()]

    return render


async def test_a_call_that_is_cancelled_commits_nothing_R_I10(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """Whoever gave up waiting may say that nothing was recorded."""
    await come(mailbox, incoming())
    claimed = await take(mailbox)
    reached, go_on = threading.Event(), threading.Event()
    render = waiting_for(reached, go_on)
    settling = asyncio.create_task(mailbox.settle(claimed, refused(), render))
    await asyncio.to_thread(reached.wait)
    settling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await settling
    go_on.set()
    await mailbox.release(claimed)  # waits for the transaction that was given up
    await untouched(mailbox, dated)
    await settled(mailbox, dated)


async def test_a_call_that_commits_already_is_not_cancelled_R_I10(
    mailbox: Mailbox, dated: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deadline that passes meanwhile does not deny what stands on record."""
    await come(mailbox, incoming())
    claimed = await take(mailbox)
    reached, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(
        transactions.Transactions,
        "drop_anchor",
        lambda *arguments: (reached.set(), go_on.wait()),
    )
    settling = asyncio.create_task(
        mailbox.settle(claimed, refused(), rendering(part()))
    )
    await asyncio.to_thread(reached.wait)
    settling.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert (await settling).audit_id is not None
    assert await mailbox.waiting() == 0
    assert (await dated.verify_all()).answers == 1
