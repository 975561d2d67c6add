"""Stored outcomes in bulk, each with the facts that only the ledger has of it.

For readers of many records at once: replay, the gap board, health, reports. Forgotten
fields are blank, as in a single record. docs/audit-queries.md documents the SQL.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby

from sqlalchemy import Connection, RowMapping, Select, func, select, text

from adapters.ledger import entries, sealing
from adapters.ledger.entries import Json, OutcomeEntry, format_instant
from adapters.ledger.schema import audit_chain, messages, personal
from engine.model.errors import VerificationFailed
from engine.model.frozen import Frozen
from engine.model.record import Record

PAGE = 200  # outcomes read at once
SENSITIVE_ANSWERS = """\
SELECT m.audit_id, m.created, m.pack, m.minimum_citations,
       c.number, c.document, c.version, c.start_offset, c.end_offset
FROM messages AS m
LEFT JOIN message_citations AS c ON c.sequence = m.sequence
WHERE m.sensitive AND m.reason_code IS NULL
ORDER BY m.sequence, c.number
"""
BELOW_MINIMUM = """\
SELECT m.audit_id, m.created, m.pack, m.minimum_citations, COUNT(c.number) AS citations
FROM messages AS m
LEFT JOIN message_citations AS c ON c.sequence = m.sequence
WHERE m.sensitive AND m.reason_code IS NULL
GROUP BY m.sequence, m.audit_id, m.created, m.pack, m.minimum_citations
HAVING COUNT(c.number) < m.minimum_citations
ORDER BY m.sequence
"""


class Wanted(Frozen):
    """A filter of outcomes: of one pack or all, asked in [since, until), refused."""

    pack: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    refused: bool | None = None


class Stored(Frozen):
    """A recorded outcome, and how its question was asked.

    `sequence` is its place in the chain. `asker`, `session`, `selection` and `previous`
    are None where they were forgotten or never given.
    """

    sequence: int
    record: Record
    tenant: str
    tags: frozenset[str]
    asker: str | None = None
    session: str | None = None
    selection: str | None = None
    previous: str | None = None

    @property
    def audit_id(self) -> str:
        return self.record.audit_id or ""


def read_page(
    connection: Connection, wanted: Wanted, before: int | None = None, most: int = PAGE
) -> Sequence[Stored]:
    """Read the newest outcomes before a place in the chain, the newest first.

    Raises:
        VerificationFailed: what is stored cannot be read.
    """
    query = _select_outcomes(wanted)
    if before is not None:
        query = query.where(messages.c.sequence < before)
    return _read(connection, query.order_by(messages.c.sequence.desc()).limit(most))


def count(connection: Connection, wanted: Wanted) -> int:
    """Count the outcomes that match a filter."""
    chosen = _select_outcomes(wanted).subquery()
    return int(
        connection.execute(select(func.count()).select_from(chosen)).scalar_one()
    )


def list_sessions(connection: Connection) -> frozenset[str]:
    """List the sessions of all outcomes that were not forgotten."""
    row = personal.c
    query = select(row.value).where(row.field == "session").distinct()
    return frozenset(
        str(sealing.read_content(value)) for value in connection.scalars(query)
    )


def read_by_ids(connection: Connection, audit_ids: Sequence[str]) -> Sequence[Stored]:
    """Read the outcomes with these ids that exist, oldest first.

    Raises:
        VerificationFailed: what is stored cannot be read.
    """
    found: list[Stored] = []
    for at in range(0, len(audit_ids), PAGE):
        these = audit_ids[at : at + PAGE]
        query = _select_outcomes(Wanted()).where(messages.c.audit_id.in_(these))
        found += _read(connection, query.order_by(messages.c.sequence))
    return sorted(found, key=lambda stored: stored.sequence)


def _select_outcomes(wanted: Wanted) -> Select[tuple[int, str, str]]:
    row = messages.c
    query = select(row.sequence, row.audit_id, audit_chain.c.entry).join(
        audit_chain, audit_chain.c.sequence == row.sequence
    )
    if wanted.pack is not None:
        query = query.where(row.pack == wanted.pack)
    if wanted.since is not None:
        query = query.where(row.created >= format_instant(wanted.since))
    if wanted.until is not None:
        query = query.where(row.created < format_instant(wanted.until))
    if wanted.refused is not None:
        query = query.where(row.was_refusal == wanted.refused)
    return query


def _read(
    connection: Connection, query: Select[tuple[int, str, str]]
) -> Sequence[Stored]:
    rows = connection.execute(query).mappings().all()
    held = _read_fields(connection, [row["sequence"] for row in rows])
    return [_make_stored(row, held.get(row["sequence"], {})) for row in rows]


def _read_fields(
    connection: Connection, sequences: Sequence[int]
) -> Mapping[int, Mapping[str, Json]]:
    """Read the personal fields of outcomes that have not been forgotten."""
    row = personal.c
    query = select(row.sequence, row.field, row.value).where(
        row.sequence.in_(sequences)
    )
    found: dict[int, dict[str, Json]] = {}
    for sequence, field, value in connection.execute(query):
        found.setdefault(sequence, {})[field] = sealing.read_content(value)
    return found


def _make_stored(row: RowMapping, held: Mapping[str, Json]) -> Stored:
    entry = entries.read(row["entry"])
    if not isinstance(entry, OutcomeEntry):
        raise VerificationFailed(f"the audit entry of {row['audit_id']} is no outcome")
    record = sealing.unseal(entry.record, held)
    said = {name: held.get(name) for name in ("asker", "session", "selection")}
    return Stored.model_validate(
        {
            "sequence": row["sequence"],
            "record": record.model_copy(update={"audit_id": row["audit_id"]}),
            "tenant": entry.tenant,
            "tags": entry.tags,
            "previous": held.get("previous"),
            **said,
        }
    )


class CitedPassage(Frozen):
    """A passage that an answer cites: [start, end) of a document version."""

    number: int
    document: str
    version: str
    start: int
    end: int


class SensitiveAnswer(Frozen):
    """An answer with sensitive content, and its citations."""

    audit_id: str
    created: str
    pack: str
    minimum_citations: int
    citations: tuple[CitedPassage, ...]


def list_sensitive_answers(connection: Connection) -> tuple[SensitiveAnswer, ...]:
    """Read every sensitive answer with its citations, oldest first.

    None may have fewer citations than its minimum: `BELOW_MINIMUM` returns no row.
    """
    found = connection.execute(text(SENSITIVE_ANSWERS)).mappings()
    return tuple(
        _make_answer(list(group))
        for _, group in groupby(found, lambda row: row["audit_id"])
    )


def _make_answer(rows: list[RowMapping]) -> SensitiveAnswer:
    first = rows[0]
    return SensitiveAnswer(
        audit_id=first["audit_id"],
        created=first["created"],
        pack=first["pack"],
        minimum_citations=first["minimum_citations"],
        citations=tuple(
            CitedPassage(
                number=row["number"],
                document=row["document"],
                version=row["version"],
                start=row["start_offset"],
                end=row["end_offset"],
            )
            for row in rows
            if row["number"] is not None
        ),
    )
