"""Forgetting and keeping house in the mailbox, and what a restore leaves of it."""

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, Engine, create_engine, select
from sqlalchemy.event import listen, remove

from adapters.ledger import retention
from adapters.ledger.database import sqlite_url
from adapters.ledger.mail_records import (
    Binding,
    ClaimLost,
    PersonalData,
    ThreadNote,
    Verdict,
)
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.schema import MAIL, personal, selection_uses
from adapters.ledger.store import SqlLedger
from adapters.mail import Accepted, Action, Incoming, Platform
from tests.adapters.ledger.mail_samples import (
    ASKER,
    LEASE,
    MANY,
    OTHER,
    answer,
    come,
    fetch,
    incoming,
    part,
    place,
    post,
    rendering,
    take,
)
from tests.adapters.ledger.samples import document, refused
from tests.adapters.ledger.test_retention import CANARY, holding
from tests.fakes import FixedClock

NOTHING = PersonalData(
    questions=0, first=None, last=None, waiting=0, threads=0, replies=0, verdicts=0
)
FORGET = incoming("forget", 100, action=Action.FORGET, text="")


def question(event: str, at: float, *, private: bool) -> Incoming:
    """A question whose every personal field holds the canary."""
    return incoming(
        event,
        at,
        place=place(f"D {CANARY}" if private else "C1", private=private),
        person=CANARY,
        text=f"What of {CANARY}?",
        selection=CANARY,
        reason=CANARY,
        callback={"token": CANARY},
    )


async def ask(mailbox: Mailbox, event: Incoming, asker: str) -> str:
    """Come, be greeted, be answered, judge; the audit id."""
    await come(mailbox, event, asker)
    claimed = await take(mailbox)
    await mailbox.greet(claimed)
    outcome = refused(id=event.event, asker=asker, text=event.text)
    note = ThreadNote(place=event.place, previous=event.text)
    shown = rendering(part(text=event.text))
    settled = await mailbox.settle(claimed, outcome, shown, note)
    name = settled.audit_id or ""
    verdict = Verdict(audit_id=name, asker=asker, helpful=False, reason=event.text)
    await mailbox.feedback(verdict)
    return name


def rows(url: URL) -> str:
    """Everything that stands in the mailbox's tables."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [row for table in MAIL for row in connection.execute(select(table))]
    engine.dispose()
    return repr([tuple(row) for row in found])  # a row's own repr leaves text out


async def test_nothing_of_a_forgotten_person_is_left_R_S5(
    mailbox: Mailbox, dated: SqlLedger, url: URL, tmp_path: Path
) -> None:
    """In no table, and on SQLite in no file; what others said is untouched."""
    await ask(mailbox, question("E1", 0, private=False), CANARY)
    await post(mailbox, "9.0")
    await ask(mailbox, question("E2", 1, private=True), CANARY)
    await post(mailbox, "9.1")
    theirs = await ask(mailbox, incoming("E3", 2, place=place("C3")), OTHER)
    await post(mailbox, "9.2")
    before = await mailbox.data_of(OTHER)
    assert CANARY in rows(url)
    await come(mailbox, FORGET, CANARY)
    claimed = await take(mailbox)

    assert await mailbox.forget(claimed.asker) == 2

    assert (await mailbox.data_of(CANARY)).waiting == 0  # the request does not count
    await mailbox.reply(claimed, [part()])
    await post(mailbox, "9.3")
    assert await mailbox.data_of(CANARY) == NOTHING
    assert CANARY not in rows(url)
    assert await mailbox.forget(CANARY) == 0
    files = tmp_path / "data"
    assert not files.exists() or holding(CANARY, files) == []
    assert await mailbox.data_of(OTHER) == before
    assert (await dated.read(theirs)).question == incoming().text
    assert (await dated.verify_all()).ok


async def test_a_person_is_found_by_index_R_S5(sqlite_ledger: SqlLedger) -> None:
    """Neither "forget me" nor "my data" reads a table from end to end."""
    mailbox = Mailbox(sqlite_ledger)
    await ask(mailbox, question("E1", 0, private=False), CANARY)
    asked: list[tuple[str, Any]] = []
    engine = sqlite_ledger.transactions.database._engine

    def note(*given: Any) -> None:
        asked.append((given[2], given[3]))

    listen(engine, "before_cursor_execute", note)
    await mailbox.data_of(CANARY)
    await mailbox.forget(CANARY)
    remove(engine, "before_cursor_execute", note)
    plans = {
        (statement, row.detail)
        for statement, values in asked
        if statement.lstrip().startswith(("SELECT", "UPDATE", "DELETE"))
        for row in explained(engine, statement, values)
    }
    tables = "|".join(f"{table.name}" for table in (*MAIL, personal, selection_uses))
    whole = re.compile(rf"SCAN ({tables})\b(?! USING (COVERING )?INDEX)")
    assert [plan for plan in plans if whole.search(plan[1])] == []
    assert any("ix_posts_asker" in plan[1] for plan in plans)


def explained(engine: Engine, statement: str, values: Any) -> Sequence[Any]:
    """How SQLite does a statement."""
    with engine.connect() as connection:
        return connection.exec_driver_sql(
            f"EXPLAIN QUERY PLAN {statement}", values
        ).all()


async def test_an_answer_of_a_forgotten_person_can_be_recalled_R_D7(
    mailbox: Mailbox,
) -> None:
    """The public one, without who asked; the private one is gone."""
    public = await ask(mailbox, question("E1", 0, private=False), CANARY)
    await ask(mailbox, question("E2", 1, private=True), CANARY)
    await post(mailbox, "9.0")
    await post(mailbox, "9.1")
    await mailbox.forget(CANARY)
    found = await mailbox.post_of(Platform.SLACK, "T1", "C1", "9.0")
    assert found is not None
    assert (found.audit_id, found.asker) == (public, "")
    channel = f"D {CANARY}"
    assert await mailbox.post_of(Platform.SLACK, "T1", channel, "9.1") is None


async def test_what_a_forgotten_person_waits_for_is_dropped_R_S5(
    mailbox: Mailbox, dated: SqlLedger, url: URL
) -> None:
    """In the queue, in work, in the outbox and in a poster's hands."""
    await ask(mailbox, question("E1", 0, private=True), CANARY)
    held = await fetch(mailbox)
    await ask(mailbox, question("E2", 1, private=True), CANARY)
    await come(mailbox, question("E3", 2, private=False), CANARY)
    working = await take(mailbox)
    await come(mailbox, question("E4", 3, private=False), CANARY)

    assert await mailbox.forget(CANARY) == 2

    assert CANARY not in rows(url)
    with pytest.raises(ClaimLost):
        await mailbox.delivered(held, "n0", "9.0")
    with pytest.raises(ClaimLost):
        await mailbox.settle(working, refused(asker=CANARY), rendering(part()))
    assert await mailbox.claim("w1", LEASE) is None
    assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
    assert await mailbox.accept(question("E4", 3, private=False), CANARY, MANY) is (
        Accepted.REPEAT
    )
    assert (await dated.verify_all()).ok


async def test_text_goes_as_soon_as_it_is_answered_R_S5(
    mailbox: Mailbox, url: URL
) -> None:
    """Of the event with its outcome, of the reply when it is visible or given up."""
    for number in range(2):
        event = question(f"E{number}", number, private=False)
        await answer(mailbox, event, part(text=CANARY))
    await mailbox.retry(await fetch(mailbox), 0)
    await post(mailbox)
    await mailbox.bury(await fetch(mailbox), "the channel is gone")
    assert CANARY not in rows(url)


async def test_the_retention_period_covers_the_mailbox_R_U6(
    url: URL, mailbox: Mailbox, dated: SqlLedger, clock: FixedClock
) -> None:
    """Old text and pseudonyms go; what is young, and what still waits, stays."""
    await ask(mailbox, question("E1", 0, private=True), CANARY)
    await post(mailbox, "9.0")
    old = await ask(mailbox, question("E2", 1, private=False), CANARY)
    await post(mailbox, "9.1")
    await come(mailbox, incoming("E3", 2, place=place("C3")), "asker-3")
    clock.moment += timedelta(days=400)
    young = incoming("E4", 0, place=place("C4"), received=clock.now())
    await come(mailbox, young)
    await dated.expire(clock.now() - timedelta(days=365))
    left = rows(url).replace(f"person {CANARY}", "")  # was told, once (R-U6)
    assert CANARY not in left
    found = await mailbox.post_of(Platform.SLACK, "T1", "C1", "9.1")
    assert found is not None
    assert found.audit_id == old
    assert await mailbox.waiting() == 2
    await dated.forget(CANARY)
    assert CANARY not in rows(url)


async def test_a_sweep_takes_what_is_over_R_C3(
    mailbox: Mailbox, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replies after a day, events after two; more than one transaction holds."""
    monkeypatch.setattr(retention, "BATCH", 2)
    for number in range(5):
        await answer(mailbox, incoming(f"E{number}", number))
        await post(mailbox, f"9.{number}")
    await come(mailbox, incoming("waits", 9))
    assert await mailbox.sweep(clock.now() + timedelta(hours=24)) == 0
    assert await mailbox.sweep(clock.now() + timedelta(hours=25)) == 5
    assert await mailbox.accept(incoming("E0"), ASKER, MANY) is Accepted.REPEAT
    assert await mailbox.sweep(clock.now() + timedelta(hours=49)) == 5
    assert await mailbox.accept(incoming("E0"), ASKER, MANY) is Accepted.NEW
    assert await mailbox.waiting() == 2
    assert len(await mailbox.posts_of(place(), "1.0")) == 5


async def test_a_backup_holds_the_mailbox_R_U7(
    mailbox: Mailbox, dated: SqlLedger, tmp_path: Path, postgresql: URL
) -> None:
    """What waits in it is answered from the other database."""
    await answer(mailbox, incoming("E1"))
    await come(mailbox, incoming("E2", 1, text="Nul \0?"))
    await mailbox.bind(Binding(platform=Platform.SLACK, tenant="T1", channel="C1"))
    await mailbox.pause("textbook", ASKER)
    copy = tmp_path / "monday.db"
    assert (await dated.backup(copy)).ok
    elsewhere = sqlite_url(tmp_path / "elsewhere" / "ledger.db")
    other = SqlLedger(elsewhere, clock=dated.clock)
    await other.restore(copy)
    moved = Mailbox(other)
    assert (await take(moved)).incoming.text == "Nul \0?"
    assert (await post(moved)).parts == (part(),)
    assert await moved.paused("textbook")
    assert await moved.binding(place()) is not None
    assert (await other.verify_all()).ok
    await other.close()


async def test_a_restore_answers_nobody_twice_R_C3(
    mailbox: Mailbox, dated: SqlLedger, tmp_path: Path
) -> None:
    """The mailbox goes on where it was: neither what was done nor what came is lost."""
    await dated.store_document("oncology", document())
    await come(mailbox, incoming("E1"))
    await come(mailbox, incoming("E2", 1), OTHER)
    copy = tmp_path / "monday.db"
    await dated.backup(copy)
    claimed = await take(mailbox)
    await mailbox.reply(claimed, [part("n1")])
    await mailbox.forget(OTHER)
    await answer(mailbox, incoming("E3", 2, place=place("C2")), part("n3"))
    await post(mailbox, "9.0")
    await come(mailbox, incoming("E4", 3), "asker-4")
    await dated.restore(copy)
    assert (await dated.verify_all()).ok
    for event in ("E1", "E2", "E3", "E4"):
        assert await mailbox.accept(incoming(event), ASKER, MANY) is Accepted.REPEAT
    assert (await take(mailbox)).incoming.event == "E4"
    assert await mailbox.claim("w1", LEASE) is None
    assert len(await mailbox.posts_of(place(), "1.0")) == 1
    assert await mailbox.data_of(OTHER) == NOTHING
