"""The ledger on SQLite or PostgreSQL: the Ledger port, and what commands need besides.

Every call is one transaction in a worker thread (adapters/ledger/transactions.py).
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import URL

from adapters.clock import SystemClock
from adapters.ledger import (
    anchor,
    backup,
    chain,
    cover,
    descriptions,
    fingerprint,
    guards,
    history,
    messages,
    proof,
    queries,
    questions,
    retention,
    verify,
    versions,
)
from adapters.ledger.database import Database
from adapters.ledger.history import Stored, Wanted
from adapters.ledger.queries import SensitiveAnswer
from adapters.ledger.report import Failure, Fault, Report
from adapters.ledger.sealing import Version
from adapters.ledger.transactions import Transactions
from engine.model.document import (
    Description,
    Document,
    IngestAction,
    Membership,
    VersionState,
)
from engine.model.errors import LedgerFailed, VerificationFailed
from engine.model.outcome import Outcome
from engine.model.ports import Clock
from engine.model.question import Scope
from engine.model.record import Record
from engine.questions.records import PassageQuestion, Questions


class SqlLedger:
    """The truth of one installation.

    Opening creates folder and file (for their owner alone) and brings the schema up to
    date; it raises LedgerTooNew where a newer release wrote the ledger.

    Args:
        url: `sqlite:///FILE` or `postgresql+psycopg://…`.
        anchor: where a copy of the chain's head is kept outside the database; beside
            a SQLite file by default.
        clock: tells the time of what is recorded.
        only_read: nothing will be recorded, so that a file that cannot be written
            will do.

    Attributes:
        transactions: for the mailbox, whose rows commit with those of the ledger.
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

    async def record(self, outcome: Outcome) -> str:
        """Append an outcome with its citations to the chain; the audit id.

        Raises:
            LedgerFull: the disk is full.
            LedgerFailed: it was not recorded.
            VerificationFailed: it cites what the ledger does not hold; see proof.prove.
        """
        now = self.clock.now()
        head = await self.transactions.append(lambda c: proof.record(c, outcome, now))
        return chain.audit_id(head.hash)

    async def read(self, audit_id: str) -> Record:
        """A stored record, by its id or an unambiguous beginning of it.

        Raises:
            UsageError: none has it, or more than one.
        """
        return await self.transactions.read(
            lambda connection: messages.read(connection, audit_id)
        )

    async def outcomes(
        self, wanted: Wanted, most: int | None = None
    ) -> AsyncIterator[Stored]:
        """Stored outcomes, the newest first, `most` at most; a page is read at a time.

        Raises:
            VerificationFailed: what is stored cannot be read.
        """
        before, left = None, most
        while left is None or left > 0:
            size = history.PAGE if left is None else min(left, history.PAGE)
            found = await self.transactions.read(
                partial(history.page, wanted=wanted, before=before, most=size)
            )
            for stored in found:
                yield stored
            if len(found) < size:
                return
            before = found[-1].sequence
            left = None if left is None else left - len(found)

    async def count(self, wanted: Wanted) -> int:
        """How many outcomes `outcomes` would bring."""
        return await self.transactions.read(lambda c: history.count(c, wanted))

    async def sessions(self) -> frozenset[str]:
        """The sessions of all outcomes that were not forgotten."""
        return await self.transactions.read(history.sessions)

    async def sensitive_answers(self) -> Sequence[SensitiveAnswer]:
        """Every sensitive answer with its citations (R-D8)."""
        return await self.transactions.read(queries.sensitive_answers)

    # --- documents --------------------------------------------------------------------

    async def store_document(self, pack: str, document: Document) -> IngestAction:
        """Make this the current version in a pack: added, changed or unchanged.

        Raises:
            DocumentError: the version is not the hash of the text, or it is too large.
        """
        packed = await asyncio.to_thread(versions.pack_document, document)
        now = self.clock.now()
        return await self.transactions.append(
            lambda c: versions.store(c, pack, packed, now)
        )

    async def store_selection(self, document: Document) -> None:
        """Keep a selected text as an ephemeral version, so that it can be verified."""
        packed = await asyncio.to_thread(versions.pack_document, document)
        now = self.clock.now()
        await self.transactions.append(
            lambda c: versions.keep(c, packed, now, selection=True)
        )

    async def withdraw(
        self, pack: str, document: str, *, pruned: bool = False
    ) -> Sequence[str]:
        """Take a document out of a pack with its questions; the versions, maybe none.

        It stays out of the next `ingest`, unless it was pruned: its file was gone.
        """
        now = self.clock.now()
        state = VersionState.PRUNED if pruned else VersionState.WITHDRAWN
        return await self.transactions.append(
            lambda c: questions.withdraw(c, pack, document, state, now)
        )

    async def store_questions(
        self,
        pack: str,
        document: str,
        version: str,
        asked: Sequence[PassageQuestion],
    ) -> bool:
        """Make these the questions of a version on a shelf; whether that changed it.

        Raises:
            DocumentError: the shelf never held that version, or there are too many.
        """
        now, this = self.clock.now(), Version(document, version)
        return await self.transactions.append(
            lambda c: questions.store(c, pack, this, asked, now)
        )

    async def questions(self, pack: str, document: str, version: str) -> Questions:
        """The questions of a version as a shelf has them (R-Q1)."""
        this = Version(document, version)
        return await self.transactions.read(lambda c: questions.load(c, pack, this))

    async def all_questions(self, pack: str) -> Mapping[str, Questions]:
        """Those of the current documents of a shelf, by document."""
        return await self.transactions.read(lambda c: questions.current(c, pack))

    async def memberships(self, pack: str) -> Sequence[Membership]:
        """Every version that is or was in a pack, by document."""
        return await self.transactions.read(lambda c: versions.members(c, pack))

    async def shelves(self) -> Sequence[str]:
        """What documents stand or stood under (`shelf_of`)."""
        return await self.transactions.read(versions.shelves)

    async def current_versions(self, pack: str) -> Mapping[str, str]:
        """Document id -> version that is current in a pack."""
        return await self.transactions.read(lambda c: versions.current(c, pack))

    async def corpus_hash(self, pack: str) -> str:
        """Identifies what a pack's corpus holds; see fingerprint.corpus_hash."""
        return await self.transactions.read(lambda c: fingerprint.corpus_hash(c, pack))

    async def document(self, document: str, version: str, pack: str) -> Document | None:
        """A stored version, whatever its state, as `pack` describes it; see the port.

        Raises:
            LedgerFailed: the stored text is damaged, or is not what the version names.
        """
        return await self.transactions.read(
            lambda c: versions.load(c, document, version, pack)
        )

    async def described(
        self, scope: Scope, versions: Collection[tuple[str, str]]
    ) -> Mapping[tuple[str, str], Description]:
        """What is said of versions in a scope, by document id and version."""
        return await self.transactions.read(
            lambda c: descriptions.told(c, scope, versions)
        )

    async def find_passage(self, pack: str, folded: str) -> tuple[str, str] | None:
        """(document id, version) of a current document that holds a folded text."""
        found = await self.transactions.read(
            lambda c: versions.find_passage(c, pack, folded)
        )
        return (found.document, found.version) if found else None

    async def find_passages(self, pack: str, folded: str) -> Sequence[tuple[str, str]]:
        """(document id, version) of every current document that holds a folded text."""
        return await self.transactions.read(
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
        """Check every outcome, version, membership and binding, and the chain."""
        return await asyncio.to_thread(self._verify, None)

    # --- upkeep -----------------------------------------------------------------------

    async def forget(self, asker: str) -> int:
        """Delete what a person asked (R-S5); how many outcomes held something of it.

        Raises:
            ScrubPending: deleted, but old bytes still stand in the database's log.
            LedgerFailed: nothing was deleted.
        """
        now = self.clock.now()
        erased = await self.transactions.append(
            lambda c: retention.forget(c, asker, now)
        )
        await self.scrub()
        return erased

    async def scrub(self) -> None:
        """Take what was deleted out of the database's files, too.

        Raises:
            ScrubPending: somebody still reads the state before: repeat it later.
        """
        try:
            await asyncio.to_thread(self._database.scrub)
        except LedgerFailed as error:
            raise retention.ScrubPending(str(error)) from error

    async def expire(self, before: datetime) -> int:
        """Delete what was asked before a moment; how many outcomes held something."""
        now = self.clock.now()
        erased = await self.transactions.append(
            lambda c: retention.expire(c, before, now)
        )
        await self.scrub()
        return erased

    async def backup(self, to: Path) -> Report:
        """Write a verified copy to a file that does not exist yet (R-U7)."""
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
            anchored = anchor.read(file) if file else None
        except VerificationFailed as error:
            outside.append(Failure(fault=Fault.ANCHOR_CHANGED, detail=str(error)))
        with self._database.reading() as connection:
            report = verify.verify(connection, anchored, audit_id)
            gone = [] if audit_id else guards.missing(connection)
            added = [] if audit_id else guards.foreign(connection)
            strange = [] if audit_id else cover.strangers(connection)
        if file and not (anchored or outside) and report.entries:
            outside.append(Failure(fault=Fault.ANCHOR_MISSING, detail=_no_anchor(file)))
        outside += [Failure(fault=Fault.GUARD_MISSING, detail=name) for name in gone]
        outside += [Failure(fault=Fault.GUARD_ADDED, detail=name) for name in added]
        outside += [Failure(fault=Fault.TABLE_ADDED, detail=name) for name in strange]
        return report.model_copy(update={"failures": (*outside, *report.failures)})


def _no_anchor(file: Path) -> str:
    return (
        f"{file.name}, the copy of the chain's head, is gone: put back the one kept "
        "elsewhere and verify again; without one, entries cut off the end do not show "
        "(the next record writes it anew)"
    )
