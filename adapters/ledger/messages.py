"""Outcomes: appended to the chain with their rows, and read back as records.

The rows of `messages`, `message_citations` and `message_quotes` repeat the chain entry
so that they can be queried; only `derive_rows` derives them, when writing and when
verifying.

No answer is recorded that `verify` would not prove: an index can be out of step with
the ledger, and a stored text can be tampered with. So the citations of an answer are
checked once more, in the transaction that records it.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Table, insert, select, tuple_

from adapters.ledger import chain, entries, versions
from adapters.ledger.chain import Head
from adapters.ledger.entries import Json, OutcomeEntry, format_instant
from adapters.ledger.schema import (
    audit_chain,
    document_versions,
    make_storable,
    message_citations,
    message_quotes,
    messages,
    personal,
    selection_uses,
)
from adapters.ledger.sealing import Version, read_content, seal, unseal
from engine.model.answer import Answer, Citation, Quote
from engine.model.errors import LedgerFailed, UsageError, VerificationFailed
from engine.model.outcome import Outcome
from engine.model.record import Record, record_of

Value = str | int | bool | None
Values = dict[str, Value]
MEND = "`groundrule reindex --fresh` makes the index anew from the ledger"


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one outcome, as plain values by column."""

    message: Values
    citations: tuple[Values, ...]
    quotes: tuple[Values, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The place of an outcome in the chain, and its full audit id."""

    sequence: int
    audit_id: str


def append(connection: Connection, outcome: Outcome, created: datetime) -> Head:
    """Append an outcome with its citations and personal fields.

    Args:
        connection: a writing transaction; the outcome is safe once it has committed.
        outcome: the outcome of a question.
        created: the time of recording.

    Returns:
        The new head of the chain; `chain.make_audit_id(head.hash)` is the audit id.
    """
    full = record_of(outcome, created)
    selections = find_selections(connection, full)
    sealed = seal(full, outcome, selections)
    entry = OutcomeEntry(
        created=format_instant(created),
        tenant=outcome.question.tenant,
        tags=tuple(sorted(outcome.question.tags)),
        record=sealed.record,
        commitments={field.field: field.commitment for field in sealed.fields},
    )
    head = chain.append(connection, entry)
    derived = derive_rows(entry, head)
    kept = [
        {"field": field.field, "salt": field.salt, "value": field.value}
        for field in sealed.fields
    ]
    uses = [{"document": v.document, "version": v.version} for v in selections]
    _add(connection, messages, head.sequence, [derived.message])
    _add(connection, message_citations, head.sequence, derived.citations)
    _add(connection, message_quotes, head.sequence, derived.quotes)
    _add(connection, personal, head.sequence, kept)
    _add(connection, selection_uses, head.sequence, uses)
    return head


def derive_rows(entry: OutcomeEntry, head: Head) -> Rows:
    """Derive the rows of an entry whose place in the chain is `head`."""
    record = entry.record
    message: Values = {
        "audit_id": chain.make_audit_id(head.hash),
        "question_id": record.question_id,
        "created": entry.created,
        "pack": record.pack,
        "pack_version": record.pack_version,
        "pack_hash": record.pack_hash,
        "query_type": record.intent.query_type,
        "mode": record.mode,
        "sensitive": record.sensitive,
        "was_refusal": record.was_refusal,
        "refusal_reason": record.refusal_reason and record.refusal_reason.value,
        "reason_code": record.reason_code and record.reason_code.value,
        "minimum_citations": record.minimum_citations,
    }
    citations: list[Values] = [
        {
            "number": source.number,
            "chunk": source.chunk_id,
            "document": source.document_id,
            "version": source.version,
            "start_offset": source.start,
            "end_offset": source.end,
        }
        for source in record.sources
    ]
    quotes: list[Values] = [
        {
            "number": source.number,
            "ordinal": ordinal,
            "start_offset": quote.start,
            "end_offset": quote.end,
            "quote": quote.text,
        }
        for source in record.sources
        for ordinal, quote in enumerate(source.quotes)
    ]
    return Rows(
        _make_storable(message),
        tuple(_make_storable(row) for row in citations),
        tuple(_make_storable(row) for row in quotes),
    )


def find(connection: Connection, prefix: str) -> Found:
    """Find the one outcome whose audit id begins with `prefix`.

    Raises:
        UsageError: there is none, or more than one.
    """
    pattern = messages.c.audit_id.startswith(prefix.lower(), autoescape=True)
    query = select(messages.c.sequence, messages.c.audit_id).where(pattern).limit(2)
    found = connection.execute(query).all()
    if not prefix or not found:
        raise UsageError(f"no answer has the id {prefix}")
    if len(found) > 1:
        raise UsageError(f"more than one answer has an id that begins with {prefix}")
    return Found(found[0].sequence, found[0].audit_id)


def read(connection: Connection, prefix: str) -> Record:
    """Read a stored record with its audit id; forgotten fields are blank.

    Raises:
        UsageError: no outcome, or more than one, has an id that begins so.
        VerificationFailed: what is stored cannot be read.
    """
    row = find(connection, prefix)
    query = select(audit_chain.c.entry).where(audit_chain.c.sequence == row.sequence)
    entry = entries.read(connection.execute(query).scalar_one())
    if not isinstance(entry, OutcomeEntry):
        raise VerificationFailed(f"the audit entry of {row.audit_id} is no outcome")
    found = unseal(entry.record, read_fields(connection, row.sequence))
    return found.model_copy(update={"audit_id": row.audit_id})


def read_fields(connection: Connection, sequence: int) -> Mapping[str, Json]:
    """Read the personal fields of an outcome that have not been forgotten.

    Raises:
        VerificationFailed: one cannot be read.
    """
    query = select(personal.c.field, personal.c.value)
    rows = connection.execute(query.where(personal.c.sequence == sequence))
    return {row.field: read_content(row.value) for row in rows}


def find_selections(connection: Connection, record: Record) -> set[Version]:
    """Find the stored selections that an outcome in selected-text mode rests on."""
    if not record.selection:
        return set()
    cited = [(source.document_id, source.version) for source in record.sources]
    digest = hashlib.sha256(
        record.selection.encode("utf-8", "surrogatepass")
    ).hexdigest()
    key = document_versions.c
    query = select(key.document, key.version).where(
        key.ephemeral,
        tuple_(key.document, key.version).in_(cited) | (key.version == digest),
    )
    return {Version(row.document, row.version) for row in connection.execute(query)}


def _make_storable(values: Values) -> Values:
    """Convert values to the form in which the database returns them."""
    return {
        name: make_storable(value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _add(
    connection: Connection,
    table: Table,
    sequence: int,
    rows: Sequence[Mapping[str, Value]],
) -> None:
    if rows:
        numbered = [{"sequence": sequence, **row} for row in rows]
        connection.execute(insert(table), numbered)


def record(connection: Connection, outcome: Outcome, now: datetime) -> Head:
    """Prove an outcome and append it to the chain; see `append`.

    Raises:
        VerificationFailed: see `prove`.
        LedgerFailed: it contradicts itself.
    """
    prove(connection, outcome)
    try:
        return append(connection, outcome, now)
    except ValueError as error:
        raise LedgerFailed(
            "the outcome is inconsistent and was not recorded"
        ) from error


def prove(connection: Connection, outcome: Outcome) -> None:
    """Check an answer's citations and quotes against the stored versions.

    Raises:
        VerificationFailed: a cited version is not stored, its stored text does not hash
            to it, or a citation or quote is not at its offsets.
    """
    if not isinstance(outcome.result, Answer):
        return
    for version, parts in _group_cited(outcome.result).items():
        text = _read_text(connection, version)
        for part in parts:
            if not _is_in_place(part, text):
                raise VerificationFailed(
                    f"{part.document}: what is cited does not stand in the stored text "
                    f"at {part.start} to {part.end}; {MEND}"
                )


def _group_cited(answer: Answer) -> Mapping[Version, Sequence[Citation | Quote]]:
    """Group the citations and quotes of an answer by document version."""
    claims = [claim for section in answer.sections for claim in section.claims]
    quotes = [quote for claim in claims for quote in claim.quotes]
    parts: list[Citation | Quote] = [*answer.citations, *quotes]
    found: defaultdict[Version, list[Citation | Quote]] = defaultdict(list)
    for part in parts:
        found[Version(part.document, part.version)].append(part)
    return found


def _is_in_place(part: Citation | Quote, text: str) -> bool:
    """Tell whether a citation lies in a text, or a quote is there word for word."""
    if isinstance(part, Quote):
        return text[part.start : part.end] == part.text
    return part.start <= part.end <= len(text)


def _read_text(connection: Connection, version: Version) -> str:
    try:
        text = versions.read_text(connection, version.document, version.version)
    except LedgerFailed as error:
        raise VerificationFailed(str(error)) from error
    if text is None:
        raise VerificationFailed(
            f"{version.document}: version {version.version[:12]} is cited and is not "
            f"stored; {MEND}"
        )
    return text
