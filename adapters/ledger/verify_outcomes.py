"""Verification of outcomes: rows, personal fields and quotes as their entries say."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from sqlalchemy import RowMapping, Table, exists, select

from adapters.ledger import chain, messages
from adapters.ledger.chain import Head
from adapters.ledger.entries import OutcomeEntry
from adapters.ledger.messages import Values
from adapters.ledger.report import Fault
from adapters.ledger.schema import (
    audit_chain,
    message_citations,
    message_quotes,
    personal,
    selection_uses,
)
from adapters.ledger.schema import messages as message_rows
from adapters.ledger.sealing import SELECTION, Personal, Version, unseal
from adapters.ledger.walk import Walk
from engine.model.record import Record, SourceRecord

_KEYS: Mapping[Table, tuple[str, ...]] = {
    message_rows: (),
    message_citations: ("number",),
    message_quotes: ("number", "ordinal"),
    personal: ("field",),
    selection_uses: ("document", "version"),
}


def check(walk: Walk, outcomes: Mapping[Head, OutcomeEntry]) -> None:
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
        resting = messages.selections_of(walk.connection, record)
        uses: list[Values] = [
            {"document": v.document, "version": v.version} for v in resting
        ]
        _compare(walk, head, selection_uses, uses, held)
        _quotes(walk, head, record)
        walk.findings.answers += 1


def _rows(
    walk: Walk, table: Table, first: int, final: int
) -> Mapping[int, list[RowMapping]]:
    query = select(table).where(table.c.sequence.between(first, final))
    found: defaultdict[int, list[RowMapping]] = defaultdict(list)
    for row in walk.connection.execute(query).mappings():
        found[row["sequence"]].append(row)
    return found


def _compare(
    walk: Walk,
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
    walk: Walk, head: Head, entry: OutcomeEntry, rows: Sequence[RowMapping]
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


def _quotes(walk: Walk, head: Head, record: Record) -> None:
    for source in record.sources:
        if source.document_id == SELECTION and not source.version:
            continue  # a selected text that was forgotten
        text = walk.text(Version(source.document_id, source.version))
        if isinstance(text, Fault):
            _add(walk, text, head, f"{source.document_id} {source.version}")
        else:
            _source(walk, head, source, text)


def _source(walk: Walk, head: Head, source: SourceRecord, text: str) -> None:
    """A source lies in its text, and its quotes stand there word for word."""
    if not source.start <= source.end <= len(text):
        _add(walk, Fault.QUOTE_MISPLACED, head, f"source {source.number} is outside")
    for quote in source.quotes:
        walk.findings.quotes += 1
        if text[quote.start : quote.end] != quote.text:
            detail = f"source {source.number}, {quote.start} to {quote.end}"
            _add(walk, Fault.QUOTE_MISPLACED, head, detail)


def _add(walk: Walk, fault: Fault, head: Head, detail: str) -> None:
    walk.findings.add(fault, detail, head.sequence, chain.audit_id(head.hash))


def unknown(walk: Walk) -> None:
    """Rows that belong to no outcome of the chain."""
    for table in _KEYS:
        known = exists().where(
            audit_chain.c.sequence == table.c.sequence, audit_chain.c.kind == "outcome"
        )
        query = select(table.c.sequence).where(~known).distinct()
        for sequence in walk.connection.scalars(query):
            walk.findings.add(Fault.ROW_UNKNOWN, f"{table.name} {sequence}")
