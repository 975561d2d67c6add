"""Backup, restore and schema of a ledger (R-U7)."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    URL,
    Connection,
    create_engine,
    delete,
    select,
    text,
    update,
)

from adapters.index.upkeep import IndexKey
from adapters.ledger import chain, entries
from adapters.ledger.database import Database, sqlite_url
from adapters.ledger.index_keys import LedgerKeys
from adapters.ledger.migrate import MIGRATIONS
from adapters.ledger.schema import (
    REVISION,
    apart,
    audit_chain,
    chain_head,
    memberships,
    metadata,
)
from adapters.ledger.store import SqlLedger
from adapters.ledger.verify import verify
from engine.model.errors import (
    LedgerFailed,
    LedgerTooNew,
    UsageError,
    VerificationFailed,
)
from tests.adapters.ledger.samples import answered, document, refused


@pytest.fixture
async def filled(ledger: SqlLedger) -> AsyncIterator[SqlLedger]:
    """A ledger with two versions of a document, an answer and a refusal."""
    await ledger.store_document("oncology", document())
    await ledger.store_document("oncology", document("Nul \0."))
    await ledger.record(answered(document()))
    await ledger.record(refused(asker="asker-2", text="Nul \0?"))
    yield ledger


async def test_a_backup_holds_everything_R_U7(
    filled: SqlLedger, tmp_path: Path
) -> None:
    """It verifies, is one file, and is a ledger itself."""
    copy = tmp_path / "backups" / "monday.db"
    report = await filled.backup(copy)
    assert report.ok
    assert [file.name for file in copy.parent.iterdir()] == ["monday.db"]
    opened = SqlLedger(sqlite_url(copy), anchor=tmp_path / "head.json")
    assert await opened.verify_all() == await filled.verify_all()
    assert await opened.memberships("oncology") == await filled.memberships("oncology")
    await opened.close()


async def test_a_restore_brings_back_the_backup_R_U7(
    filled: SqlLedger, tmp_path: Path
) -> None:
    """What came after it is gone, and the chain says so and goes on."""
    copy = tmp_path / "monday.db"
    await filled.backup(copy)
    kept = await filled.verify_all()
    later = await filled.record(refused(id="later"))
    head = (await filled.verify_all()).head
    await filled.restore(copy)
    report = await filled.verify_all()
    assert report.ok
    assert report.entries == kept.entries + 1
    assert report.answers == 2
    with pytest.raises(UsageError):
        await filled.read(later)
    await filled.record(refused(id="after"))
    assert (await filled.verify_all()).ok
    again = tmp_path / "tuesday.db"
    await filled.backup(again)
    assert head.encode() in again.read_bytes()


async def test_a_restore_leaves_what_an_index_holds_as_it_is_R_U7(
    filled: SqlLedger, tmp_path: Path
) -> None:
    """The server did not go back; `reindex` compares it with what the ledger says."""
    keys, copy = LedgerKeys(filled.transactions, filled.clock), tmp_path / "monday.db"
    await keys.add_place("Ours_1", "Ours_1_a", in_force=True)
    await filled.backup(copy)
    later = IndexKey(str(uuid4()), "shared", "oncology", "leaflet", "v2", chunks=1)
    await keys.claim("Ours_1_a", later)
    await keys.put_in_force("Ours_1_a", later, None)
    before = await keys.find_place("Ours_1"), await keys.list_keys("Ours_1_a", "shared")
    await filled.restore(copy)
    after = await keys.find_place("Ours_1"), await keys.list_keys("Ours_1_a", "shared")
    assert after == before
    assert (await filled.verify_all()).ok


async def test_what_was_forgotten_since_stays_forgotten_R_S5(
    filled: SqlLedger, tmp_path: Path
) -> None:
    """An old backup brings no deleted person back."""
    copy = tmp_path / "monday.db"
    await filled.backup(copy)
    assert await filled.forget("asker-2") == 1
    await filled.restore(copy)
    report = await filled.verify_all()
    assert report.ok
    assert report.forgotten == 1
    assert await filled.forget("asker-2") == 0
    assert await filled.forget("asker-4711") == 1


async def test_a_ledger_moves_to_another_database_R_U7(
    filled: SqlLedger, postgresql: URL, tmp_path: Path
) -> None:
    """A backup of either kind restores into an empty ledger of the other."""
    copy = tmp_path / "monday.db"
    await filled.backup(copy)
    other = SqlLedger(sqlite_url(tmp_path / "elsewhere" / "ledger.db"))
    await other.restore(copy)
    assert (await other.verify_all()).answers == 2
    stored = document("Nul \0.")
    assert await other.document(stored.id, stored.version, "oncology") == stored
    await other.close()


async def test_a_backup_overwrites_nothing_R_U7(
    filled: SqlLedger, tmp_path: Path
) -> None:
    """A name that is taken is refused, and so is a file that is not there."""
    copy = tmp_path / "monday.db"
    copy.write_text("precious")
    with pytest.raises(UsageError, match="exists"):
        await filled.backup(copy)
    assert copy.read_text() == "precious"
    with pytest.raises(UsageError, match="no file"):
        await filled.restore(tmp_path / "nowhere.db")


async def test_a_damaged_backup_changes_nothing_R_U7(
    filled: SqlLedger, tmp_path: Path
) -> None:
    """It is verified before anything is replaced, and left as it is."""
    copy = tmp_path / "monday.db"
    await filled.backup(copy)
    before = await filled.verify_all()
    engine = create_engine(sqlite_url(copy))
    with engine.begin() as connection:
        connection.execute(text("UPDATE personal SET value = '\"no\"'"))
    engine.dispose()
    with pytest.raises(VerificationFailed, match="PERSONAL_CHANGED"):
        await filled.restore(copy)
    copy.write_bytes(b"no database at all, and long enough to look at" * 100)
    with pytest.raises(LedgerFailed):
        await filled.restore(copy)
    assert await filled.verify_all() == before


async def test_a_newer_ledger_is_refused_R_U7(url: URL) -> None:
    """Opened or restored; nothing in it is touched."""
    Database(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(LedgerTooNew, match="9999"):
        SqlLedger(url)
    with engine.connect() as connection:
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))
        assert version == "9999"
    engine.dispose()


@pytest.mark.parametrize("schema", ["0001", "0015"])
async def test_a_ledger_from_before_the_first_migration_is_refused_R_U7(
    url: URL, schema: str, tmp_path: Path
) -> None:
    """Opened or restored; the message says what to do, and nothing is touched."""
    Database(url).close()
    engine = create_engine(url)
    old = text("UPDATE alembic_version SET version_num = :schema")
    with engine.begin() as connection:
        connection.execute(old, {"schema": schema})
    for only_read in (False, True):
        with pytest.raises(LedgerFailed, match=f"schema {schema}.*deployment.md"):
            SqlLedger(url, only_read=only_read)
    with engine.connect() as connection:
        found = connection.scalar(text("SELECT version_num FROM alembic_version"))
        assert found == schema
    engine.dispose()
    if url.database and url.get_backend_name() == "sqlite":
        other = SqlLedger(sqlite_url(tmp_path / "other.db"))
        with pytest.raises(LedgerFailed, match=schema):
            await other.restore(Path(url.database))
        await other.close()


def test_tables_without_a_schema_number_are_no_new_ledger_R_U7(url: URL) -> None:
    """They are somebody's: nothing is created among them, and their rows stay."""
    Database(url).close()
    engine = create_engine(url)
    name = select(chain_head.c.ledger)
    with engine.begin() as connection:
        known = connection.scalar(name)
        connection.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(LedgerFailed, match="exists"):
        Database(url)
    with engine.connect() as connection:
        assert connection.scalar(name) == known
    engine.dispose()


async def test_entries_that_an_earlier_upgrade_appended_verify_R_D3(
    ledger: SqlLedger, vault: Connection
) -> None:
    """They say what stood there then; a change of it is found."""
    await ledger.store_document("oncology", document())
    kept = vault.scalars(select(audit_chain.c.entry).order_by("sequence")).all()
    vault.execute(delete(audit_chain))
    start = chain.hash_genesis(chain.read_head(vault).ledger)
    vault.execute(update(chain_head).values(sequence=0, hash=start))
    for entry in map(entries.read, kept):
        if isinstance(entry, entries.DescriptionEntry):
            later = {"kind": "adopted", "created": "2031-01-01"}
            entry = entry.model_copy(update=later)
        chain.append(vault, entry)
    assert verify(vault, None).ok
    vault.execute(update(memberships).values(description="{}"))
    assert len(verify(vault, None).failures) == 1


def test_a_new_ledger_has_the_newest_schema_R_U7(url: URL) -> None:
    """It has every table as the tables module says, and is where migrations lead."""
    database = Database(url)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, [metadata, apart]) == []
        assert context.get_current_revision() == REVISION
    database.close()
    assert ScriptDirectory(str(MIGRATIONS)).get_heads() == [REVISION]


def test_folder_and_file_are_their_owners_alone(tmp_path: Path) -> None:
    """The ledger holds personal data."""
    file = tmp_path / "new" / "ledger.db"
    Database(sqlite_url(file)).close()
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    Database(sqlite_url(file)).close()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("address", ["sqlite://", "mysql://x/y", "no address"])
def test_an_address_of_no_ledger_is_refused(address: str) -> None:
    """The message says what an address looks like."""
    with pytest.raises(UsageError, match="address"):
        SqlLedger(address)


def test_a_database_out_of_reach_says_no_secret() -> None:
    """The message holds neither the password nor a statement."""
    address = "postgresql://bot:hunter2@127.0.0.1:1/none"
    with pytest.raises(LedgerFailed) as caught:
        SqlLedger(address)
    assert "hunter2" not in str(caught.value)
