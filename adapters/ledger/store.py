"""The ledger on SQLite or PostgreSQL: the Ledger port, and more that commands need.

Every call is one transaction in a worker thread (adapters/ledger/transactions.py).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import URL

from adapters.clock import SystemClock
from adapters.ledger import (
    backup,
    chain,
    guards,
    history,
    messages,
    questions,
    retention,
    verify,
    versions,
)
from adapters.ledger.database import Database
from adapters.ledger.history import Stored, Wanted
from adapters.ledger.report import Failure, Fault, Report
from adapters.ledger.sealing import Version
from adapters.ledger.transactions import Transactional, Transactions, appending, reading
from engine.model.document import (
    Document,
    IngestAction,
)
from engine.model.errors import VerificationFailed
from engine.model.outcome import Outcome
from engine.model.ports import Clock
from engine.questions.records import PassageQuestion


class SqlLedger(Transactional):
    """The ledger of one installation.

    Opening creates folder and file, readable by their owner alone, and brings the
    schema up to date; it raises LedgerTooNew where a newer release wrote the ledger.

    Args:
        url: `sqlite:///FILE` or `postgresql+psycopg://…`.
        anchor: file for a copy of the chain's head outside the database; beside a
            SQLite file by default.
        clock: gives the time of recording.
        only_read: promise to record nothing, so that a read-only file will do.

    Attributes:
        transactions: shared with the mailbox, whose rows commit with the ledger's.
    """

    def __init__(
        self,
        url: URL | str,
        *,
        anchor: Path | None = None,
        clock: Clock | None = None,
        only_read: bool = False,
    ) -> None:
        self._database = Database(url, only_read=only_read)
        self.clock = clock or SystemClock()
        file = self._database.file
        beside = anchor or (file and file.with_suffix(".head.json"))
        self.transactions = Transactions(self._database, beside)

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.to_thread(self.transactions.close)
        await asyncio.to_thread(self._database.close)

    # --- outcomes ---------------------------------------------------------------------

    read = reading(messages.read)
    count = reading(history.count)
    sessions = reading(history.list_sessions)
    sensitive_answers = reading(history.list_sensitive_answers)

    async def record(self, outcome: Outcome) -> str:
        """Append an outcome with its citations to the chain and return its audit id.

        Raises:
            LedgerFull: the disk is full.
            LedgerFailed: it was not recorded.
            VerificationFailed: it cites text that the ledger does not hold.
        """
        now = self.clock.now()
        head = await self.transactions.append(
            lambda c: messages.record(c, outcome, now)
        )
        return chain.make_audit_id(head.hash)

    async def outcomes(
        self, wanted: Wanted, most: int | None = None
    ) -> AsyncIterator[Stored]:
        """Read outcomes page by page, newest first, at most `most`.

        Raises:
            VerificationFailed: what is stored cannot be read.
        """
        before, left = None, most
        while left is None or left > 0:
            size = history.PAGE if left is None else min(left, history.PAGE)
            found = await self.transactions.read(
                partial(history.read_page, wanted=wanted, before=before, most=size)
            )
            for stored in found:
                yield stored
            if len(found) < size:
                return
            before = found[-1].sequence
            left = None if left is None else left - len(found)

    # --- documents --------------------------------------------------------------------

    document = reading(versions.load)
    described = reading(versions.read_descriptions)
    memberships = reading(versions.list_members)
    current_versions = reading(versions.map_current)
    shelves = reading(versions.list_shelves)
    corpus_hash = reading(versions.corpus_hash)
    withdraw = appending(questions.withdraw)
    all_questions = reading(questions.load_current)
    questions = reading(questions.load)

    async def store_document(self, pack: str, document: Document) -> IngestAction:
        """Make this the current version in a pack; return added, changed or unchanged.

        Raises:
            DocumentError: the version is not the hash of the text, or it is too large.
        """
        packed = await asyncio.to_thread(versions.pack_document, document)
        now = self.clock.now()
        return await self.transactions.append(
            lambda c: versions.store(c, pack, packed, now)
        )

    async def store_selection(self, document: Document) -> None:
        """Store a selected text as an ephemeral version, so that it can be verified."""
        packed = await asyncio.to_thread(versions.pack_document, document)
        now = self.clock.now()
        await self.transactions.append(
            lambda c: versions.store_version(c, packed, now, selection=True)
        )

    async def store_questions(
        self,
        pack: str,
        document: str,
        version: str,
        asked: Sequence[PassageQuestion],
    ) -> bool:
        """Set the questions of a version on a shelf; return whether that changed them.

        Raises:
            DocumentError: the shelf never held that version, or there are too many.
        """
        now, this = self.clock.now(), Version(document, version)
        return await self.transactions.append(
            lambda c: questions.store(c, pack, this, asked, now)
        )

    async def find_passage(self, pack: str, folded: str) -> tuple[str, str] | None:
        """Find a current document that holds a folded text: (id, version)."""
        found = await self.transactions.read(
            lambda c: versions.find_passage(c, pack, folded)
        )
        return (found.document, found.version) if found else None

    async def find_passages(self, pack: str, folded: str) -> Sequence[tuple[str, str]]:
        """Find all current documents that hold a folded text: (id, version) of each."""
        return await self.transactions.read(
            lambda c: [
                (found.document, found.version)
                for found in versions.find_passages(c, pack, folded)
            ]
        )

    # --- proof ------------------------------------------------------------------------

    async def verify(self, audit_id: str) -> Report:
        """Verify one outcome, named by a prefix of its audit id, and the whole chain.

        Raises:
            UsageError: no outcome has that id, or more than one.
        """
        return await asyncio.to_thread(self._verify, audit_id)

    async def verify_all(self) -> Report:
        """Verify every outcome, version, membership and binding, and the chain."""
        return await asyncio.to_thread(self._verify, None)

    # --- upkeep -----------------------------------------------------------------------

    async def forget(self, asker: str) -> int:
        """Delete a person's questions; return the number of outcomes with their fields.

        Raises:
            ScrubPending: deleted, but the database's log still has old bytes.
            LedgerFailed: nothing was deleted.
        """
        now = self.clock.now()
        erased = await self.transactions.append(
            lambda c: retention.forget(c, asker, now)
        )
        await self.transactions.scrub()
        return erased

    async def expire(self, before: datetime) -> int:
        """Delete questions asked before a moment; return the number of outcomes."""
        now = self.clock.now()
        erased = await self.transactions.append(
            lambda c: retention.expire(c, before, now)
        )
        await self.transactions.scrub()
        return erased

    async def backup(self, to: Path) -> Report:
        """Write a verified copy to a file that does not exist yet."""
        return await asyncio.to_thread(backup.backup, self._database, to)

    async def restore(self, file: Path) -> None:
        """Replace everything by a backup, after verifying it; see backup.restore."""
        now = self.clock.now()
        head = await asyncio.to_thread(backup.restore, self._database, file, now)
        self.transactions.drop_anchor(head)

    def _verify(self, audit_id: str | None) -> Report:
        anchored, outside = None, list[Failure]()
        file = self.transactions.anchor
        try:
            anchored = chain.read_anchor(file) if file else None
        except VerificationFailed as error:
            outside.append(Failure(fault=Fault.ANCHOR_CHANGED, detail=str(error)))
        with self._database.reading() as connection:
            report = verify.verify(connection, anchored, audit_id)
            gone = [] if audit_id else guards.list_missing(connection)
            added = [] if audit_id else guards.list_foreign(connection)
            strange = [] if audit_id else guards.list_strangers(connection)
        if file and not (anchored or outside) and report.entries:
            outside.append(
                Failure(
                    fault=Fault.ANCHOR_MISSING, detail=_explain_missing_anchor(file)
                )
            )
        outside += [Failure(fault=Fault.GUARD_MISSING, detail=name) for name in gone]
        outside += [Failure(fault=Fault.GUARD_ADDED, detail=name) for name in added]
        outside += [Failure(fault=Fault.TABLE_ADDED, detail=name) for name in strange]
        return report.model_copy(update={"failures": (*outside, *report.failures)})


def _explain_missing_anchor(file: Path) -> str:
    return (
        f"{file.name}, the copy of the chain's head, is gone: put back the one kept "
        "elsewhere and verify again; without one, entries cut off the end do not show "
        "(the next record writes it again)"
    )
