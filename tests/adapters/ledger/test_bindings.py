"""Which pack answers in which channel is in the chain, too (R-D3)."""

from pathlib import Path

import pytest
from sqlalchemy import (
    Connection,
    delete,
    insert,
    select,
    update,
)

from adapters.ledger.mail_records import EVERYWHERE
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.report import Failure, Fault
from adapters.ledger.schema import audit_chain, bindings, chain_head
from adapters.ledger.store import SqlLedger
from adapters.ledger.verify import verify
from adapters.mail import Platform
from engine.model.errors import LedgerFailed, VerificationFailed
from tests.adapters.ledger.mail_samples import ASKER, bound, place
from tests.adapters.ledger.test_verify import tampering

C1 = "bindings slack T1 C1"
OUTSIDE = {  # what a vault does to guards and anchor, and no binding
    Fault.GUARD_MISSING,
    Fault.ANCHOR_CHANGED,
    Fault.TAIL_CUT,
}


def named(connection: Connection) -> list[tuple[Fault, str]]:
    """What is wrong, as a verification names it."""
    return [_named(failure) for failure in verify(connection, None).failures]


async def wrong(ledger: SqlLedger) -> list[tuple[Fault, str]]:
    """The same, but for what the vault itself took away."""
    failures = (await ledger.verify_all()).failures
    return [_named(f) for f in failures if f.fault not in OUTSIDE]


def _named(failure: Failure) -> tuple[Fault, str]:
    return failure.fault, failure.detail


async def test_every_act_on_a_binding_is_an_entry_that_verifies_R_D3(
    dated: SqlLedger, mailbox: Mailbox
) -> None:
    """Bound, changed and taken away; also under an id that no index holds whole."""
    long = "C\0" + "9" * 300
    for binding in (bound(), bound(pack="textbook"), bound(EVERYWHERE), bound(long)):
        await mailbox.bind(binding)
    assert (await mailbox.binding(place(long))) is not None
    await mailbox.unbind(Platform.SLACK, "T1", "C1")
    await mailbox.unbind(Platform.SLACK, "T1", long)
    report = await dated.verify_all()
    assert (report.ok, report.entries) == (True, 6)


async def test_the_chain_says_which_pack_and_names_nobody_R_S5(
    mailbox: Mailbox, vault: Connection
) -> None:
    """People, tags and the administrator are committed to with a salt that goes."""
    await mailbox.bind(bound())
    [entry] = vault.scalars(select(audit_chain.c.entry)).all()
    assert '"channel":"C1"' in entry
    assert '"pack":"oncology"' in entry
    for word in ("U8", "staff", ASKER):
        assert word not in entry
    salt = vault.scalars(select(bindings.c.salt)).one()
    assert len(salt) == 32
    vault.rollback()
    await mailbox.bind(bound())
    assert vault.scalars(select(bindings.c.salt)).one() != salt


async def test_a_binding_edited_in_the_database_is_found_R_D3(
    mailbox: Mailbox, vault: Connection
) -> None:
    """Another pack, another tag, another person: the channel is named."""
    await mailbox.bind(bound())
    await mailbox.bind(bound("C2"))
    this = bindings.c.channel == "C1"
    held = vault.scalars(select(bindings.c.binding).where(this)).one()
    for old, new in (("oncology", "textbook"), ("staff", "board"), ("U8", "U9")):
        assert old in held
        changed = {"binding": held.replace(old, new)}
        with tampering(vault):
            vault.execute(update(bindings).where(this).values(changed))
            assert named(vault) == [(Fault.ROW_CHANGED, C1)]
    assert named(vault) == []


async def test_a_binding_put_into_the_database_is_found_R_D3(
    mailbox: Mailbox, vault: Connection
) -> None:
    """A copy of another channel's, and one that was taken away before."""
    await mailbox.bind(bound("C2"))
    row = dict(vault.execute(select(bindings)).mappings().one())
    await mailbox.unbind(Platform.SLACK, "T1", "C2")
    vault.rollback()
    for channel in ("C1", "C2"):
        with tampering(vault):
            vault.execute(insert(bindings).values({**row, "channel": channel}))
            forged = f"bindings slack T1 {channel}"
            assert named(vault) == [(Fault.ROW_UNKNOWN, forged)]


async def test_a_binding_moved_to_another_channel_is_found_R_D3(
    mailbox: Mailbox, vault: Connection
) -> None:
    """It is gone here and unknown there."""
    await mailbox.bind(bound())
    with tampering(vault):
        vault.execute(update(bindings).values(channel="C9"))
        moved = [(Fault.ROW_MISSING, C1), (Fault.ROW_UNKNOWN, "bindings slack T1 C9")]
        assert sorted(named(vault)) == moved


async def test_a_binding_deleted_in_the_database_is_found_R_D3(
    dated: SqlLedger, mailbox: Mailbox, vault: Connection
) -> None:
    """Until an administrator has said what is to hold there."""
    await mailbox.bind(bound())
    await mailbox.bind(bound("C2"))
    vault.execute(delete(bindings))
    vault.commit()
    gone = (Fault.ROW_MISSING, C1)
    assert gone in await wrong(dated)
    assert len(await wrong(dated)) == 2
    await mailbox.unbind(Platform.SLACK, "T1", "C1")
    await mailbox.bind(bound("C2"))
    assert await wrong(dated) == []


async def test_nothing_is_bound_on_a_damaged_chain_R_I10(
    mailbox: Mailbox, vault: Connection
) -> None:
    """The row and its entry are written together, or neither is."""
    vault.execute(update(chain_head).values(hash="0" * 64))
    vault.commit()
    with pytest.raises(LedgerFailed, match="damaged"):
        await mailbox.bind(bound())
    assert await mailbox.binding(place()) is None


async def test_bindings_of_since_a_backup_verify_after_its_restore_R_D3(
    dated: SqlLedger, mailbox: Mailbox, tmp_path: Path
) -> None:
    """They stay as they are, and the chain of the backup learns of them."""
    await mailbox.bind(bound())
    await mailbox.bind(bound("C2"))
    copy = tmp_path / "monday.db"
    await dated.backup(copy)
    await mailbox.bind(bound(pack="textbook"))
    await mailbox.unbind(Platform.SLACK, "T1", "C2")
    await mailbox.bind(bound("C3"))
    await dated.restore(copy)
    report = await dated.verify_all()
    assert report.ok
    assert report.entries == 2 + 3 + 1
    held = await mailbox.bindings(Platform.SLACK)
    assert [(b.channel, b.pack) for b in held] == [
        ("C1", "textbook"),
        ("C3", "oncology"),
    ]
    await dated.restore(copy)
    assert (await dated.verify_all()).ok


async def test_a_restore_hides_no_binding_that_was_tampered_with_R_D3(
    dated: SqlLedger, mailbox: Mailbox, vault: Connection, tmp_path: Path
) -> None:
    """What was edited, put in or deleted before it is found after it."""
    for channel in ("C1", "C2"):
        await mailbox.bind(bound(channel))
    row = dict(vault.execute(select(bindings)).mappings().all()[0])
    copy = tmp_path / "monday.db"
    vault.rollback()
    await dated.backup(copy)
    vault.execute(insert(bindings).values({**row, "channel": "C3"}))
    this = bindings.c.channel == "C1"
    vault.execute(update(bindings).where(this).values(binding="{}"))
    vault.execute(delete(bindings).where(bindings.c.channel == "C2"))
    vault.commit()
    await dated.restore(copy)
    assert sorted(await wrong(dated)) == [
        (Fault.ROW_CHANGED, C1),
        (Fault.ROW_MISSING, "bindings slack T1 C2"),
        (Fault.ROW_UNKNOWN, "bindings slack T1 C3"),
    ]
    with pytest.raises(VerificationFailed, match=r"no backup was made"):
        await dated.backup(tmp_path / "tuesday.db")
