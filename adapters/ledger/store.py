"""The ledger on SQLite or PostgreSQL: the Ledger port, and what commands need besides.

Every call is one transaction in a worker thread. A call that is cancelled while it
waits may still commit: what was recorded stays recorded.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Connection

from adapters.clock import SystemClock
from adapters.ledger import (
    anchor,
    backup,
    chain,
    fingerprint,
    messages,
    queries,
    retention,
    verify,
    versions,
)
from adapters.ledger.chain import Head
from adapters.ledger.database import Database
from adapters.ledger.proof import prove
from adapters.ledger.queries import SensitiveAnswer
from adapters.ledger.report import Failure, Fault, Report
from engine.audit import Record
from engine.corpus_records import Document, IngestAction, Membership
from engine.errors import LedgerFailed, VerificationFailed
from engine.ports import Clock
from engine.records import Outcome

T = TypeVar("T")


class SqlLedger:
    """The truth of one installation.

    Opening creates folder and file (for their owner alone) and brings the schema up to
    date; it raises LedgerTooNew where a newer release wrote the ledger.

    Args:
        url: `sqlite:///FILE` or `postgresql+psycopg://…`.
        anchor: where a copy of the chain's head is kept outside the database; beside
            a SQLite file by default.
        clock: tells the time of what is recorded.
    """

    def __init__(
        self,
        url: URL | str,
        *,
        anchor: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._database = Database(url)
        self._clock = clock or SystemClock()
        file = self._database.file
        self._anchor = anchor or (file and file.with_suffix(".head.json"))
        self._anchored: Head | None = None

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.to_thread(self._database.close)

    # --- outcomes ---------------------------------------------------------------------

    async def record(self, outcome: Outcome) -> str:
        """Append an outcome with its citations to the chain; the audit id.

        Raises:
            LedgerFull: the disk is full.
            LedgerFailed: it was not recorded.
            VerificationFailed: it cites what the ledger does not hold; see proof.prove.
        """
        head = await self._write(partial(_record, outcome, self._clock.now()))
        return chain.audit_id(head.hash)

    async def read(self, audit_id: str) -> Record:
        """A stored record, by its id or an unambiguous beginning of it.

        Raises:
            UsageError: none has it, or more than one.
        """
        return await self._read(lambda connection: messages.read(connection, audit_id))

    async def sensitive_answers(self) -> Sequence[SensitiveAnswer]:
        """Every sensitive answer with its citations (R-D8)."""
        return await self._read(queries.sensitive_answers)

    # --- documents --------------------------------------------------------------------

    async def store_document(self, pack: str, document: Document) -> IngestAction:
        """Make this the current version in a pack: added, changed or unchanged.

        Raises:
            DocumentError: the version is not the hash of the text, or it is too large.
        """
        packed = await asyncio.to_thread(versions.pack_document, document)
        now = self._clock.now()
        return await self._write(lambda c: versions.store(c, pack, packed, now))

    async def store_selection(self, document: Document) -> None:
        """Keep a selected text as an ephemeral version, so that it can be verified."""
        packed = await asyncio.to_thread(versions.pack_document, document)
        now = self._clock.now()
        await self._write(lambda c: versions.keep(c, packed, now, selection=True))

    async def withdraw(self, pack: str, document: str) -> Sequence[str]:
        """Take a document out of a pack; the versions that were in it, maybe none."""
        now = self._clock.now()
        return await self._write(lambda c: versions.withdraw(c, pack, document, now))

    async def memberships(self, pack: str) -> Sequence[Membership]:
        """Every version that is or was in a pack, by document."""
        return await self._read(lambda c: versions.members(c, pack))

    async def current_versions(self, pack: str) -> Mapping[str, str]:
        """Document id -> version that is current in a pack."""
        return await self._read(lambda c: versions.current(c, pack))

    async def corpus_hash(self, pack: str) -> str:
        """Identifies what a pack's corpus holds; see fingerprint.corpus_hash."""
        return await self._read(lambda c: fingerprint.corpus_hash(c, pack))

    async def document(
        self, document: str, version: str, pack: str | None = None
    ) -> Document | None:
        """A stored version, whatever its state, with its canonical text.

        Its title, dates and tags are those that were stored last, or those of `pack`.

        Raises:
            LedgerFailed: the stored text is damaged, or is not what the version names.
        """
        return await self._read(lambda c: versions.load(c, document, version, pack))

    async def find_passage(self, pack: str, folded: str) -> tuple[str, str] | None:
        """(document id, version) of a current document that holds a folded text."""
        found = await self._read(lambda c: versions.find_passage(c, pack, folded))
        return (found.document, found.version) if found else None

    async def find_passages(self, pack: str, folded: str) -> Sequence[tuple[str, str]]:
        """(document id, version) of every current document that holds a folded text."""
        return await self._read(
            lambda c: [
                (found.document, found.version)
                for found in versions.find_passages(c, pack, folded)
            ]
        )

    # --- proof ------------------------------------------------------------------------

    async def verify(self, audit_id: str) -> Report:
        """Check one outcome, named by a beginning of its id, and the whole chain.

        Raises:
            UsageError: no outcome has that id, or more than one.
        """
        return await asyncio.to_thread(self._verify, audit_id)

    async def verify_all(self) -> Report:
        """Check every outcome, document version and membership, and the chain."""
        return await asyncio.to_thread(self._verify, None)

    # --- upkeep -----------------------------------------------------------------------

    async def forget(self, asker: str) -> int:
        """Delete what a person asked (R-S5); how many outcomes held something of it."""
        now = self._clock.now()
        erased = await self._write(lambda c: retention.forget(c, asker, now))
        await asyncio.to_thread(self._database.scrub)
        return erased

    async def expire(self, before: datetime) -> int:
        """Delete what was asked before a moment; how many outcomes held something."""
        now = self._clock.now()
        erased = await self._write(lambda c: retention.expire(c, before, now))
        await asyncio.to_thread(self._database.scrub)
        return erased

    async def backup(self, to: Path) -> Report:
        """Write a verified copy to a file that does not exist yet (R-U7)."""
        return await asyncio.to_thread(backup.backup, self._database, to)

    async def restore(self, file: Path) -> None:
        """Replace everything by a backup, after verifying it; see backup.restore."""
        now = self._clock.now()
        head = await asyncio.to_thread(backup.restore, self._database, file, now)
        self._drop_anchor(head)

    # --- transactions -----------------------------------------------------------------

    async def _write(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._write_now, work)

    def _write_now(self, work: Callable[[Connection], T]) -> T:
        with self._database.writing() as connection:
            # One writer at a time: what `work` reads first must still hold at the end.
            chain.read_head(connection, lock=True)
            result = work(connection)
            head = chain.read_head(connection)
        self._drop_anchor(head)
        return result

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._read_now, work)

    def _read_now(self, work: Callable[[Connection], T]) -> T:
        with self._database.reading() as connection:
            return work(connection)

    def _drop_anchor(self, head: Head) -> None:
        """Note the head outside. Failing is no loss: the next entry tries again."""
        if self._anchor and head != self._anchored:
            with suppress(OSError):
                anchor.write(self._anchor, head)
                self._anchored = head

    def _verify(self, audit_id: str | None) -> Report:
        anchored, unreadable = None, []
        try:
            anchored = anchor.read(self._anchor) if self._anchor else None
        except VerificationFailed as error:
            unreadable.append(Failure(fault=Fault.ANCHOR_CHANGED, detail=str(error)))
        with self._database.reading() as connection:
            report = verify.verify(connection, anchored, audit_id)
        failures = (*unreadable, *report.failures)
        return report.model_copy(update={"failures": failures})


def _record(outcome: Outcome, now: datetime, connection: Connection) -> Head:
    prove(connection, outcome)
    try:
        return messages.record(connection, outcome, now)
    except ValueError as error:
        raise LedgerFailed(
            "the outcome is inconsistent and was not recorded"
        ) from error
