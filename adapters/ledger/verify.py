"""Verification offline, without a model, from stored bytes alone (R-D3).

Recomputed: every hash of the chain from its beginning; every queried row from its
entry; every personal field's commitment; every text's hash, and that of what is said
of it; every quote as the exact slice at its offsets. A failure is listed and the walk
goes on.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from sqlalchemy import Connection, RowMapping, Table, exists, select

from adapters.ledger import chain, descriptions, entries, messages, questions
from adapters.ledger.chain import Head
from adapters.ledger.entries import (
    DescriptionEntry,
    Entry,
    MembershipEntry,
    OutcomeEntry,
)
from adapters.ledger.messages import Values
from adapters.ledger.report import Fault, Findings, Report
from adapters.ledger.retention import Forgotten, forgotten
from adapters.ledger.schema import (
    audit_chain,
    document_versions,
    memberships,
    message_citations,
    message_quotes,
    passage_questions,
    personal,
    storable,
)
from adapters.ledger.schema import messages as message_rows
from adapters.ledger.sealing import SELECTION, Personal, Version, unseal
from adapters.ledger.versions import digest, unpack
from engine.audit import Record, SourceRecord
from engine.errors import LedgerFailed, VerificationFailed

BATCH = 500  # entries at a time
TEXTS = 16  # document texts kept at hand

_KEYS: Mapping[Table, tuple[str, ...]] = {
    message_rows: (),
    message_citations: ("number",),
    message_quotes: ("number", "ordinal"),
    personal: ("field",),
}


@dataclass
class _Walk:
    """One verification under way.

    `only` is the one entry to look into; None looks into all. `ends` collects what the
    chain held at the places that head and anchor name.
    """

    connection: Connection
    findings: Findings
    text: Callable[[Version], str | Fault]
    only: int | None
    forgotten: Forgotten
    states: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    said: dict[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)


def verify(
    connection: Connection, anchored: Head | None, only: str | None = None
) -> Report:
    """Check the whole chain, and what hangs on one entry or on all.

    Args:
        connection: a reading transaction.
        anchored: the anchor, read before the transaction began.
        only: the beginning of an audit id; None checks every outcome, every document
            version and every membership.

    Raises:
        UsageError: no outcome, or more than one, has an id that begins so.
    """
    findings = Findings()
    walk = _Walk(
        connection=connection,
        findings=findings,
        text=lru_cache(TEXTS)(partial(_text, connection)),
        only=None if only is None else messages.find(connection, only).sequence,
        forgotten=forgotten(connection),
    )
    head = _head(walk)
    places = {place.sequence for place in (head, anchored) if place}
    last = _chain(walk, head.ledger if head else "", places)
    _ends(walk, head, anchored, last)
    if walk.only is None:
        _unknown(walk)
        _memberships(walk, _versions(walk))
    findings.forgotten = sum(not fields for fields in walk.forgotten.values())
    return findings.report(head.hash if head else "")


def _head(walk: _Walk) -> Head | None:
    try:
        return chain.read_head(walk.connection)
    except LedgerFailed as error:
        walk.findings.add(Fault.HEAD_CHANGED, str(error))
        return None


# --- the chain --------------------------------------------------------------------


def _chain(walk: _Walk, ledger: str, places: set[int]) -> int:
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
        findings.entries += len(batch)
        _outcomes(walk, outcomes)
    return last


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


def _entry(walk: _Walk, row: RowMapping) -> Entry | None:
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
    return entry


def _ends(walk: _Walk, head: Head | None, anchored: Head | None, last: int) -> None:
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


# --- outcomes ---------------------------------------------------------------------


def _outcomes(walk: _Walk, outcomes: Mapping[Head, OutcomeEntry]) -> None:
    """Compare rows, personal fields and quotes of a batch with their entries."""
    if not outcomes:
        return
    first = min(head.sequence for head in outcomes)
    final = max(head.sequence for head in outcomes)
    stored = {table: _rows(walk, table, first, final) for table in _KEYS}
    for head, entry in outcomes.items():
        derived = messages.rows(entry, head)
        held = {table: stored[table][head.sequence] for table in _KEYS}
        _compare(walk, head, message_rows, (derived.message,), held)
        _compare(walk, head, message_citations, derived.citations, held)
        _compare(walk, head, message_quotes, derived.quotes, held)
        record = _personal(walk, head, entry, held[personal])
        _quotes(walk, head, record)
        walk.findings.answers += 1


def _rows(
    walk: _Walk, table: Table, first: int, final: int
) -> Mapping[int, list[RowMapping]]:
    query = select(table).where(table.c.sequence.between(first, final))
    found: defaultdict[int, list[RowMapping]] = defaultdict(list)
    for row in walk.connection.execute(query).mappings():
        found[row["sequence"]].append(row)
    return found


def _compare(
    walk: _Walk,
    head: Head,
    table: Table,
    expected: Sequence[Values],
    held: Mapping[Table, list[RowMapping]],
) -> None:
    """Every row that the entry asks for, column by column, and no other."""
    key = _KEYS[table]

    def by_key(
        rows: Sequence[Values | RowMapping],
    ) -> dict[Hashable, Values | RowMapping]:
        return {tuple(row[name] for name in key): row for row in rows}

    wanted, found = by_key(expected), by_key(held[table])
    for name in wanted.keys() - found.keys():
        _add(walk, Fault.ROW_MISSING, head, f"{table.name} {name}")
    for name in found.keys() - wanted.keys():
        _add(walk, Fault.ROW_UNKNOWN, head, f"{table.name} {name}")
    for name in wanted.keys() & found.keys():
        for column, value in wanted[name].items():
            if found[name][column] != value:
                _add(walk, Fault.ROW_CHANGED, head, f"{table.name}.{column} {name}")


def _personal(
    walk: _Walk, head: Head, entry: OutcomeEntry, rows: Sequence[RowMapping]
) -> Record:
    """Check commitments; the record with the fields that stand."""
    found = {
        row["field"]: Personal(row["field"], row["salt"], row["value"]) for row in rows
    }
    gone = _gone(walk.forgotten.get(head.sequence), {*found, *entry.commitments})
    if left := gone & found.keys():
        _add(walk, Fault.PERSONAL_LEFT, head, ", ".join(sorted(left)))
    for name in found.keys() - entry.commitments.keys():
        _add(walk, Fault.ROW_UNKNOWN, head, f"personal {name}")
    standing = {}
    for name, commitment in entry.commitments.items():
        if name not in found:
            if name not in gone:
                _add(walk, Fault.PERSONAL_MISSING, head, name)
        elif found[name].commitment != commitment:
            _add(walk, Fault.PERSONAL_CHANGED, head, name)
        else:
            standing[name] = found[name].content
    return unseal(entry.record, standing)


def _gone(forgotten: frozenset[str] | None, known: set[str]) -> frozenset[str]:
    """Which of the known fields were forgotten; an empty set stands for all."""
    if forgotten is None:
        return frozenset()
    return forgotten or frozenset(known)


def _quotes(walk: _Walk, head: Head, record: Record) -> None:
    for source in record.sources:
        if source.document_id == SELECTION and not source.version:
            continue  # a selected text that was forgotten
        text = walk.text(Version(source.document_id, source.version))
        if isinstance(text, Fault):
            _add(walk, text, head, f"{source.document_id} {source.version}")
        else:
            _source(walk, head, source, text)


def _source(walk: _Walk, head: Head, source: SourceRecord, text: str) -> None:
    """A source lies in its text, and its quotes stand there word for word."""
    if not source.start <= source.end <= len(text):
        _add(walk, Fault.QUOTE_MISPLACED, head, f"source {source.number} is outside")
    for quote in source.quotes:
        walk.findings.quotes += 1
        if text[quote.start : quote.end] != quote.text:
            detail = f"source {source.number}, {quote.start} to {quote.end}"
            _add(walk, Fault.QUOTE_MISPLACED, head, detail)


def _add(walk: _Walk, fault: Fault, head: Head, detail: str) -> None:
    walk.findings.add(fault, detail, head.sequence, chain.audit_id(head.hash))


# --- documents --------------------------------------------------------------------


def _text(connection: Connection, version: Version) -> str | Fault:
    """A version's text, if it is there and hashes to the version."""
    key = document_versions.c
    query = select(key.text).where(
        key.document == version.document, key.version == version.version
    )
    content = connection.execute(query).scalar_one_or_none()
    return Fault.VERSION_MISSING if content is None else _checked(content, version)


def _checked(content: bytes, version: Version) -> str | Fault:
    try:
        text = unpack(content)
    except ValueError:
        return Fault.VERSION_CHANGED
    return text if digest(text) == version.version else Fault.VERSION_CHANGED


def _versions(walk: _Walk) -> set[Version]:
    """Check every version, and what is said of each that is no selection."""
    key, found = document_versions.c, set()
    columns = (key[name] for name in descriptions.COLUMNS)
    query = select(key.document, key.version, key.ephemeral, key.text, *columns)
    rows = walk.connection.execute(query.execution_options(yield_per=20)).mappings()
    for row in rows:
        version = Version(row["document"], row["version"])
        found.add(version)
        detail = f"{version.document} {version.version}"
        if isinstance(_checked(row["text"], version), Fault):
            walk.findings.add(Fault.VERSION_CHANGED, detail)
        written = {} if row["ephemeral"] else descriptions.hashes(row)
        known = walk.said.get((version.document, version.version), {})
        _said(walk, Fault.VERSION_CHANGED, detail, (written, known))
    walk.findings.versions = len(found)
    return found


def _memberships(walk: _Walk, versions: set[Version]) -> None:
    """Memberships stand as the chain left them, and their versions are there."""
    key, asked = memberships.c, passage_questions.c.questions
    query = select(
        *(key.pack, key.document, key.version, key.state, key.changed),
        *(key.description, asked),
    ).outerjoin_from(memberships, passage_questions, questions.SAME)
    held = {}
    for row in walk.connection.execute(query.execution_options(yield_per=BATCH)):
        name = tuple(row[:3])
        held[name] = tuple(row[3:5])
        said = {"description": row.description, "questions": row.questions}
        written = descriptions.hashes({k: v for k, v in said.items() if v is not None})
        known = walk.said.get(name, {})
        detail = " ".join(map(str, name))
        _said(walk, Fault.MEMBERSHIP_CHANGED, detail, (written, known))
    for name in held.keys() | walk.states.keys():
        if held.get(name) != walk.states.get(name):
            walk.findings.add(Fault.MEMBERSHIP_CHANGED, " ".join(map(str, name)))
    for version in {
        Version(*name[-2:]) for name in walk.states.keys() | walk.said.keys()
    }:
        if version not in versions:
            detail = f"{version.document} {version.version}"
            walk.findings.add(Fault.VERSION_MISSING, detail)


def _said(
    walk: _Walk,
    fault: Fault,
    detail: str,
    hashes: tuple[Mapping[str, str], Mapping[str, str]],
) -> None:
    """What stands in these columns is what the chain says was written last."""
    written, known = hashes
    for name in sorted(written.keys() | known.keys()):
        if written.get(name) != known.get(name):
            walk.findings.add(fault, f"{detail}: {name}")


def _unknown(walk: _Walk) -> None:
    """Rows that belong to no outcome of the chain."""
    for table in _KEYS:
        known = exists().where(
            audit_chain.c.sequence == table.c.sequence, audit_chain.c.kind == "outcome"
        )
        query = select(table.c.sequence).where(~known).distinct()
        for sequence in walk.connection.scalars(query):
            walk.findings.add(Fault.ROW_UNKNOWN, f"{table.name} {sequence}")
