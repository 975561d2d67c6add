"""Verification offline, without a model, from stored bytes alone (R-D3).

Recomputed: every hash of the chain from its beginning; every queried row from its
entry; every personal field's commitment; every text's hash, and that of what is said
of it; every quote as the exact slice at its offsets; every channel's binding. A failure
is listed and the walk goes on.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from sqlalchemy import Connection, RowMapping, select

from adapters.ledger import (
    chain,
    entries,
    messages,
    verify_bindings,
    verify_board,
    verify_documents,
    verify_outcomes,
    verify_rows,
)
from adapters.ledger.chain import Head
from adapters.ledger.entries import (
    BindingEntry,
    DescriptionEntry,
    Entry,
    MembershipEntry,
    OutcomeEntry,
    RowsEntry,
)
from adapters.ledger.report import Fault, Findings, Report
from adapters.ledger.retention import forgotten
from adapters.ledger.schema import audit_chain, storable
from adapters.ledger.walk import BATCH, AskedIn, Walk
from engine.model.errors import LedgerFailed, VerificationFailed

TEXTS = 16  # document texts kept at hand


def verify(
    connection: Connection, anchored: Head | None, only: str | None = None
) -> Report:
    """Check the whole chain, and what hangs on one entry or on all.

    Args:
        connection: a reading transaction.
        anchored: the anchor, read before the transaction began.
        only: the beginning of an audit id; None checks every outcome, every document
            version, every membership and every channel's binding.

    Raises:
        UsageError: no outcome, or more than one, has an id that begins so.
    """
    findings = Findings()
    walk = Walk(
        connection=connection,
        findings=findings,
        text=lru_cache(TEXTS)(partial(verify_documents.text, connection)),
        only=None if only is None else messages.find(connection, only).sequence,
        forgotten=forgotten(connection),
    )
    head = _head(walk)
    places = {place.sequence for place in (head, anchored) if place}
    last = _chain(walk, head.ledger if head else "", places)
    _ends(walk, head, anchored, last)
    if walk.only is None:
        verify_outcomes.unknown(walk)
        verify_documents.check(walk)
        verify_bindings.check(walk)
        verify_board.check(walk)
        verify_rows.check(walk)
    findings.forgotten = sum(not fields for fields in walk.forgotten.values())
    return findings.report(head.hash if head else "")


def _head(walk: Walk) -> Head | None:
    try:
        return chain.read_head(walk.connection)
    except LedgerFailed as error:
        walk.findings.add(Fault.HEAD_CHANGED, str(error))
        return None


def _chain(walk: Walk, ledger: str, places: set[int]) -> int:
    """Recompute every link; the sequence of the last entry there is."""
    findings, last, previous = walk.findings, 0, chain.genesis(ledger)
    for batch in _batches(walk.connection):
        outcomes: dict[Head, OutcomeEntry] = {}
        for row in batch:
            sequence = row["sequence"]
            if sequence != last + 1:
                detail = f"entries {last + 1} to {sequence - 1} are gone"
                findings.add(Fault.ENTRY_MISSING, detail, last + 1)
            expected = chain.link(previous, sequence, row["entry"])
            if (row["previous"], row["hash"]) != (previous, expected):
                detail = "content, place or predecessor do not give the stored hash"
                findings.add(Fault.ENTRY_CHANGED, detail, sequence)
            last, previous = sequence, row["hash"]
            if sequence in places:
                walk.hashes[sequence] = expected
            if walk.only in (None, sequence):
                entry = _entry(walk, row)
                if isinstance(entry, OutcomeEntry):
                    outcomes[Head(ledger, sequence, expected)] = entry
                    walk.asked[sequence] = _asked(entry, expected)
        findings.entries += len(batch)
        verify_outcomes.check(walk, outcomes)
    return last


def _asked(entry: OutcomeEntry, hashed: str) -> AskedIn:
    """Where a question was asked, as it stands in rows."""
    pack, tenant, *tags = map(
        storable, (entry.record.pack, entry.tenant, *sorted(entry.tags))
    )
    return AskedIn(hash=hashed, pack=pack, tenant=tenant, tags=tuple(tags))


def _batches(connection: Connection) -> Iterator[Sequence[RowMapping]]:
    """The chain in order, a few hundred entries at a time."""
    last = None
    while True:
        query = select(audit_chain).order_by(audit_chain.c.sequence).limit(BATCH)
        if last is not None:
            query = query.where(audit_chain.c.sequence > last)
        batch = connection.execute(query).mappings().all()
        if not batch:
            return
        yield batch
        last = batch[-1]["sequence"]


def _entry(walk: Walk, row: RowMapping) -> Entry | None:
    sequence = row["sequence"]
    try:
        entry = entries.read(row["entry"])
    except VerificationFailed as error:
        walk.findings.add(Fault.ENTRY_UNREADABLE, str(error), sequence)
        return None
    if entry.kind != row["kind"]:
        detail = "audit_chain.kind differs from its entry"
        walk.findings.add(Fault.ROW_CHANGED, detail, sequence)
    if isinstance(entry, MembershipEntry):
        key = (entry.pack, entry.document, entry.version)
        walk.states[tuple(map(storable, key))] = (entry.state.value, entry.created)
    if isinstance(entry, DescriptionEntry):
        names = (entry.pack, entry.document, entry.version)
        known = tuple(storable(name) for name in names if name is not None)
        walk.said[known] = {**walk.said.get(known, {}), **entry.hashes}
        walk.came.setdefault(known, None if entry.kind == "adopted" else entry.created)
    if isinstance(entry, RowsEntry):
        rows = walk.committed.setdefault(entry.table, {})
        rows.update(dict.fromkeys(entry.came, sequence))
        for commitment in entry.went:
            rows.pop(commitment, None)
    if isinstance(entry, BindingEntry):
        walk.bound[entry.key] = (sequence, entry.commitment)
    return entry


def _ends(walk: Walk, head: Head | None, anchored: Head | None, last: int) -> None:
    """The chain must end at its head, and hold what its anchor names."""
    add = walk.findings.add
    if head and last < head.sequence:
        detail = f"entries {last + 1} to {head.sequence} are gone from the end"
        add(Fault.TAIL_CUT, detail, last + 1)
    elif head and (
        last > head.sequence or walk.hashes.get(last, head.hash) != head.hash
    ):
        add(Fault.HEAD_CHANGED, f"chain_head names {head.sequence}, not the last entry")
    if anchored and head and anchored.ledger != head.ledger:
        add(Fault.ANCHOR_CHANGED, "the anchor belongs to another ledger")
    elif anchored and last < anchored.sequence:
        detail = f"the anchor knows {anchored.sequence} entries, the chain has {last}"
        add(Fault.TAIL_CUT, detail, last + 1)
    elif anchored and walk.hashes.get(anchored.sequence) not in (None, anchored.hash):
        detail = "the chain holds another entry than the anchor names"
        add(Fault.ANCHOR_CHANGED, detail, anchored.sequence)
