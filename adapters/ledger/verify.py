"""Verification of a ledger: offline, without a model, from stored bytes alone.

Recomputed are every hash of the chain from its beginning, every queried row from its
entry, every commitment of a personal field, the hash of every text and description,
every quote as the exact slice at its offsets, and every channel's binding. A failure is
listed and the verification goes on.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from sqlalchemy import Connection, RowMapping, Table, exists, select

from adapters.ledger import (
    chain,
    commitments,
    entries,
    mail_bindings,
    messages,
    questions,
    versions,
)
from adapters.ledger.chain import Head, make_audit_id
from adapters.ledger.entries import (
    BindingEntry,
    DescriptionEntry,
    Entry,
    MembershipEntry,
    OutcomeEntry,
    RowsEntry,
)
from adapters.ledger.mail_bindings import Key
from adapters.ledger.messages import Values
from adapters.ledger.report import Fault, Findings, Report
from adapters.ledger.retention import Forgotten, read_forgotten
from adapters.ledger.schema import (
    audit_chain,
    document_versions,
    gap_questions,
    gaps,
    make_storable,
    memberships,
    message_citations,
    message_quotes,
    passage_questions,
    personal,
    selection_uses,
)
from adapters.ledger.schema import messages as message_rows
from adapters.ledger.sealing import SELECTION, Personal, Version, unseal
from engine.model.errors import LedgerFailed, VerificationFailed
from engine.model.record import Record, SourceRecord

BATCH = 500  # entries at a time
TEXTS = 16  # document texts in the cache
# The tables of outcomes, and the columns that tell rows of one outcome apart.
_KEYS: Mapping[Table, tuple[str, ...]] = {
    message_rows: (),
    message_citations: ("number",),
    message_quotes: ("number", "ordinal"),
    personal: ("field",),
    selection_uses: ("document", "version"),
}


@dataclass(frozen=True, slots=True)
class AskedIn:
    """The pack, tenant and tags of a question in the chain, and its entry's hash."""

    hash: str
    pack: str
    tenant: str
    tags: tuple[str, ...]


@dataclass
class Verification:
    """The state of one verification, shared by its parts.

    `only` is the one entry to check in full; None checks all. `hashes` collects the
    chain's hashes at the places that head and anchor name, `asked` the place of every
    question, `came` the time of every document version, all as the chain has them.
    """

    connection: Connection
    findings: Findings
    text: Callable[[Version], str | Fault]
    only: int | None
    forgotten: Forgotten
    states: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    said: dict[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)
    bound: dict[Key, tuple[int, str | None]] = field(default_factory=dict)
    committed: dict[str, dict[str, int]] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)
    asked: dict[int, AskedIn] = field(default_factory=dict)
    came: dict[tuple[str, ...], str | None] = field(default_factory=dict)


def verify(
    connection: Connection, anchored: Head | None, only: str | None = None
) -> Report:
    """Verify the whole chain, and the rows of one entry or of all.

    Args:
        connection: a reading transaction.
        anchored: the anchor, read before the transaction began.
        only: a prefix of an audit id; None verifies every outcome, every document
            version, every membership and every channel's binding.

    Raises:
        UsageError: no outcome, or more than one, has an id that begins so.
    """
    findings = Findings()
    run = Verification(
        connection=connection,
        findings=findings,
        text=lru_cache(TEXTS)(partial(_read_text, connection)),
        only=None if only is None else messages.find(connection, only).sequence,
        forgotten=read_forgotten(connection),
    )
    head = _read_head(run)
    places = {place.sequence for place in (head, anchored) if place}
    last = _check_chain(run, head.ledger if head else "", places)
    _check_ends(run, head, anchored, last)
    if run.only is None:
        _check_unknown_rows(run)
        _check_documents(run)
        _check_bindings(run)
        _check_gaps(run)
        _check_committed_rows(run)
    findings.forgotten = sum(not fields for fields in run.forgotten.values())
    return findings.report(head.hash if head else "")


def _read_head(run: Verification) -> Head | None:
    try:
        return chain.read_head(run.connection)
    except LedgerFailed as error:
        run.findings.add(Fault.HEAD_CHANGED, str(error))
        return None


def _check_chain(run: Verification, ledger: str, places: set[int]) -> int:
    """Recompute every link; return the sequence of the last entry."""
    findings, last, previous = run.findings, 0, chain.hash_genesis(ledger)
    for batch in _read_batches(run.connection):
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
                run.hashes[sequence] = expected
            if run.only in (None, sequence):
                entry = _note_entry(run, row)
                if isinstance(entry, OutcomeEntry):
                    outcomes[Head(ledger, sequence, expected)] = entry
                    run.asked[sequence] = _read_asked(entry, expected)
        findings.entries += len(batch)
        _check_outcomes(run, outcomes)
    return last


def _read_asked(entry: OutcomeEntry, hashed: str) -> AskedIn:
    """Read pack, tenant and tags of a question, in the form of the rows."""
    pack, tenant, *tags = map(
        make_storable, (entry.record.pack, entry.tenant, *sorted(entry.tags))
    )
    return AskedIn(hash=hashed, pack=pack, tenant=tenant, tags=tuple(tags))


def _read_batches(connection: Connection) -> Iterator[Sequence[RowMapping]]:
    """Read the chain in order, a few hundred entries at a time."""
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


def _note_entry(run: Verification, row: RowMapping) -> Entry | None:
    sequence = row["sequence"]
    try:
        entry = entries.read(row["entry"])
    except VerificationFailed as error:
        run.findings.add(Fault.ENTRY_UNREADABLE, str(error), sequence)
        return None
    if entry.kind != row["kind"]:
        detail = "audit_chain.kind differs from its entry"
        run.findings.add(Fault.ROW_CHANGED, detail, sequence)
    if isinstance(entry, MembershipEntry):
        key = (entry.pack, entry.document, entry.version)
        run.states[tuple(map(make_storable, key))] = (entry.state.value, entry.created)
    if isinstance(entry, DescriptionEntry):
        names = (entry.pack, entry.document, entry.version)
        known = tuple(make_storable(name) for name in names if name is not None)
        run.said[known] = {**run.said.get(known, {}), **entry.hashes}
        run.came.setdefault(known, None if entry.kind == "adopted" else entry.created)
    if isinstance(entry, RowsEntry):
        rows = run.committed.setdefault(entry.table, {})
        rows.update(dict.fromkeys(entry.came, sequence))
        for commitment in entry.went:
            rows.pop(commitment, None)
    if isinstance(entry, BindingEntry):
        run.bound[entry.key] = (sequence, entry.commitment)
    return entry


def _check_ends(
    run: Verification, head: Head | None, anchored: Head | None, last: int
) -> None:
    """Check that the chain ends at its head, and holds what its anchor names."""
    add = run.findings.add
    if head and last < head.sequence:
        detail = f"entries {last + 1} to {head.sequence} are gone from the end"
        add(Fault.TAIL_CUT, detail, last + 1)
    elif head and (
        last > head.sequence or run.hashes.get(last, head.hash) != head.hash
    ):
        add(Fault.HEAD_CHANGED, f"chain_head names {head.sequence}, not the last entry")
    if anchored and head and anchored.ledger != head.ledger:
        add(Fault.ANCHOR_CHANGED, "the anchor belongs to another ledger")
    elif anchored and last < anchored.sequence:
        detail = f"the anchor knows {anchored.sequence} entries, the chain has {last}"
        add(Fault.TAIL_CUT, detail, last + 1)
    elif anchored and run.hashes.get(anchored.sequence) not in (None, anchored.hash):
        detail = "the chain holds another entry than the anchor names"
        add(Fault.ANCHOR_CHANGED, detail, anchored.sequence)


def _check_bindings(run: Verification) -> None:
    """Compare bindings and the last entries of the chain, in both directions."""
    held = mail_bindings.read_commitments(run.connection)
    for key in held.keys() | run.bound.keys():
        sequence, known = run.bound.get(key, (None, None))
        if held.get(key) != known:
            detail = f"bindings {' '.join(map(str, key))}"
            run.findings.add(_choose_fault(held.get(key), known), detail, sequence)


def _choose_fault(found: str | None, known: str | None) -> Fault:
    if found is None:
        return Fault.ROW_MISSING
    return Fault.ROW_UNKNOWN if known is None else Fault.ROW_CHANGED


def _check_gaps(run: Verification) -> None:
    """Check pack, tenant and tags of each gap against its questions in the chain.

    They decide who may see a gap, so that editing its row must not open it to others.
    """
    gap, held = gaps.c, gap_questions.c
    query = select(
        *(gap.id, gap.pack, gap.tenant, gap.tags, held.sequence, held.audit_id)
    ).join(gap_questions, held.gap == gap.id)
    for row in run.connection.execute(query).mappings():
        asked = run.asked.get(row["sequence"])
        if asked is None or make_audit_id(asked.hash) != row["audit_id"]:
            detail = f"gap {row['id']}: {row['audit_id']} is no question of the chain"
            run.findings.add(Fault.ROW_CHANGED, detail)
            continue
        known = {"pack": asked.pack, "tenant": asked.tenant, "tags": asked.tags}
        said = {**row, "tags": _parse_tags(row["tags"])}
        for name, value in known.items():
            if said[name] != value:
                detail = f"gaps.{name} of {row['id']} differs from its question"
                run.findings.add(Fault.ROW_CHANGED, detail, row["sequence"])


def _parse_tags(stored: object) -> tuple[str, ...] | None:
    try:
        return tuple(json.loads(str(stored)))
    except (ValueError, TypeError):
        return None


def _check_documents(run: Verification) -> None:
    """Check every version, then every membership."""
    _check_memberships(run, _check_versions(run))


def _read_text(connection: Connection, version: Version) -> str | Fault:
    """Read a version's text; return a fault where it is gone or does not hash to it."""
    key = document_versions.c
    query = select(key.text).where(
        key.document == version.document, key.version == version.version
    )
    content = connection.execute(query).scalar_one_or_none()
    return Fault.VERSION_MISSING if content is None else _check_text(content, version)


def _check_text(content: bytes, version: Version) -> str | Fault:
    try:
        text = versions.unpack(content)
    except ValueError:
        return Fault.VERSION_CHANGED
    return text if versions.digest(text) == version.version else Fault.VERSION_CHANGED


def _check_versions(run: Verification) -> set[Version]:
    """Check every version, and the description of each that is no selection."""
    key, found = document_versions.c, set()
    columns = (key[name] for name in versions.COLUMNS)
    fixed = (key.document, key.version, key.ephemeral, key.created, key.text)
    query = select(*fixed, *columns)
    rows = run.connection.execute(query.execution_options(yield_per=20)).mappings()
    for row in rows:
        version = Version(row["document"], row["version"])
        found.add(version)
        detail = f"{version.document} {version.version}"
        if isinstance(_check_text(row["text"], version), Fault):
            run.findings.add(Fault.VERSION_CHANGED, detail)
        written = {} if row["ephemeral"] else versions.hash_columns(row)
        known = run.said.get((version.document, version.version), {})
        _compare_hashes(run, Fault.VERSION_CHANGED, detail, (written, known))
        came = run.came.get((version.document, version.version))
        if came is not None and not row["ephemeral"] and row["created"] != came:
            run.findings.add(Fault.VERSION_CHANGED, f"{detail}: created")
    run.findings.versions = len(found)
    return found


def _check_memberships(run: Verification, stored: set[Version]) -> None:
    """Check memberships against the chain, and that their versions are stored."""
    key, asked = memberships.c, passage_questions.c.questions
    query = select(
        *(key.pack, key.document, key.version, key.state, key.changed),
        *(key.description, asked),
    ).outerjoin_from(memberships, passage_questions, questions.SAME)
    held = {}
    for row in run.connection.execute(query.execution_options(yield_per=BATCH)):
        name = tuple(row[:3])
        held[name] = tuple(row[3:5])
        said = {"description": row.description, "questions": row.questions}
        written = versions.hash_columns(
            {k: v for k, v in said.items() if v is not None}
        )
        known = run.said.get(name, {})
        detail = " ".join(map(str, name))
        _compare_hashes(run, Fault.MEMBERSHIP_CHANGED, detail, (written, known))
    for name in held.keys() | run.states.keys():
        if held.get(name) != run.states.get(name):
            run.findings.add(Fault.MEMBERSHIP_CHANGED, " ".join(map(str, name)))
    for version in {
        Version(*name[-2:]) for name in run.states.keys() | run.said.keys()
    }:
        if version not in stored:
            detail = f"{version.document} {version.version}"
            run.findings.add(Fault.VERSION_MISSING, detail)


def _compare_hashes(
    run: Verification,
    fault: Fault,
    detail: str,
    hashes: tuple[Mapping[str, str], Mapping[str, str]],
) -> None:
    """Compare the hashes of columns with the last ones in the chain."""
    written, known = hashes
    for name in sorted(written.keys() | known.keys()):
        if written.get(name) != known.get(name):
            run.findings.add(fault, f"{detail}: {name}")


def _check_outcomes(run: Verification, outcomes: Mapping[Head, OutcomeEntry]) -> None:
    """Compare rows, personal fields and quotes of a batch with their entries."""
    if not outcomes:
        return
    first = min(head.sequence for head in outcomes)
    final = max(head.sequence for head in outcomes)
    stored = {table: _read_rows(run, table, first, final) for table in _KEYS}
    for head, entry in outcomes.items():
        derived = messages.derive_rows(entry, head)
        held = {table: stored[table][head.sequence] for table in _KEYS}
        _compare(run, head, message_rows, (derived.message,), held)
        _compare(run, head, message_citations, derived.citations, held)
        _compare(run, head, message_quotes, derived.quotes, held)
        record = _check_personal(run, head, entry, held[personal])
        resting = messages.find_selections(run.connection, record)
        uses: list[Values] = [
            {"document": v.document, "version": v.version} for v in resting
        ]
        _compare(run, head, selection_uses, uses, held)
        _check_quotes(run, head, record)
        run.findings.answers += 1


def _read_rows(
    run: Verification, table: Table, first: int, final: int
) -> Mapping[int, list[RowMapping]]:
    query = select(table).where(table.c.sequence.between(first, final))
    found: defaultdict[int, list[RowMapping]] = defaultdict(list)
    for row in run.connection.execute(query).mappings():
        found[row["sequence"]].append(row)
    return found


def _compare(
    run: Verification,
    head: Head,
    table: Table,
    expected: Sequence[Values],
    held: Mapping[Table, list[RowMapping]],
) -> None:
    """Compare rows with those derived from the entry, column by column."""
    key = _KEYS[table]

    def by_key(
        rows: Sequence[Values | RowMapping],
    ) -> dict[Hashable, Values | RowMapping]:
        return {tuple(row[name] for name in key): row for row in rows}

    wanted, found = by_key(expected), by_key(held[table])
    for name in wanted.keys() - found.keys():
        _add_finding(run, Fault.ROW_MISSING, head, f"{table.name} {name}")
    for name in found.keys() - wanted.keys():
        _add_finding(run, Fault.ROW_UNKNOWN, head, f"{table.name} {name}")
    for name in wanted.keys() & found.keys():
        for column, value in wanted[name].items():
            if found[name][column] != value:
                _add_finding(
                    run, Fault.ROW_CHANGED, head, f"{table.name}.{column} {name}"
                )


def _check_personal(
    run: Verification, head: Head, entry: OutcomeEntry, rows: Sequence[RowMapping]
) -> Record:
    """Check commitments; return the record with the intact fields put back."""
    found = {
        row["field"]: Personal(row["field"], row["salt"], row["value"]) for row in rows
    }
    gone = _select_forgotten(
        run.forgotten.get(head.sequence), {*found, *entry.commitments}
    )
    if left := gone & found.keys():
        _add_finding(run, Fault.PERSONAL_LEFT, head, ", ".join(sorted(left)))
    for name in found.keys() - entry.commitments.keys():
        _add_finding(run, Fault.ROW_UNKNOWN, head, f"personal {name}")
    standing = {}
    for name, commitment in entry.commitments.items():
        if name not in found:
            if name not in gone:
                _add_finding(run, Fault.PERSONAL_MISSING, head, name)
        elif found[name].commitment != commitment:
            _add_finding(run, Fault.PERSONAL_CHANGED, head, name)
        else:
            standing[name] = found[name].content
    return unseal(entry.record, standing)


def _select_forgotten(
    forgotten: frozenset[str] | None, known: set[str]
) -> frozenset[str]:
    """Select the known fields that were forgotten; an empty set means all."""
    if forgotten is None:
        return frozenset()
    return forgotten or frozenset(known)


def _check_quotes(run: Verification, head: Head, record: Record) -> None:
    for source in record.sources:
        if source.document_id == SELECTION and not source.version:
            continue  # a selected text that was forgotten
        text = run.text(Version(source.document_id, source.version))
        if isinstance(text, Fault):
            _add_finding(run, text, head, f"{source.document_id} {source.version}")
        else:
            _check_source(run, head, source, text)


def _check_source(
    run: Verification, head: Head, source: SourceRecord, text: str
) -> None:
    """Check that a source lies in its text and its quotes match word for word."""
    if not source.start <= source.end <= len(text):
        _add_finding(
            run, Fault.QUOTE_MISPLACED, head, f"source {source.number} is outside"
        )
    for quote in source.quotes:
        run.findings.quotes += 1
        if text[quote.start : quote.end] != quote.text:
            detail = f"source {source.number}, {quote.start} to {quote.end}"
            _add_finding(run, Fault.QUOTE_MISPLACED, head, detail)


def _add_finding(run: Verification, fault: Fault, head: Head, detail: str) -> None:
    run.findings.add(fault, detail, head.sequence, chain.make_audit_id(head.hash))


def _check_unknown_rows(run: Verification) -> None:
    """Find rows that belong to no outcome of the chain."""
    for table in _KEYS:
        known = exists().where(
            audit_chain.c.sequence == table.c.sequence, audit_chain.c.kind == "outcome"
        )
        query = select(table.c.sequence).where(~known).distinct()
        for sequence in run.connection.scalars(query):
            run.findings.add(Fault.ROW_UNKNOWN, f"{table.name} {sequence}")


def _check_committed_rows(run: Verification) -> None:
    """Compare committed rows with the chain's commitments, in both directions.

    A changed row counts as one unknown row and one missing row.
    """
    for table in commitments.COMMITTED:
        standing = commitments.read_commitments(run.connection, table)
        known = run.committed.get(table.name, {})
        for commitment in standing.keys() - known.keys():
            detail = f"{table.name} {standing[commitment]}"
            run.findings.add(Fault.ROW_UNKNOWN, detail)
        for commitment in known.keys() - standing.keys():
            detail = f"{table.name}: a row that was written is gone or changed"
            run.findings.add(Fault.ROW_MISSING, detail, known[commitment])
