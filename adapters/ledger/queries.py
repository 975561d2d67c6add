"""Documented questions to the ledger; their SQL stands in docs/audit-queries.md too."""

from itertools import groupby

from sqlalchemy import Connection, RowMapping, text

from engine.model.frozen import Frozen

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


class CitedPassage(Frozen):
    """A passage that an answer cites: [start, end) of a document version."""

    number: int
    document: str
    version: str
    start: int
    end: int


class SensitiveAnswer(Frozen):
    """An answer with sensitive content, and what it rests on."""

    audit_id: str
    created: str
    pack: str
    minimum_citations: int
    citations: tuple[CitedPassage, ...]


def sensitive_answers(connection: Connection) -> tuple[SensitiveAnswer, ...]:
    """Every sensitive answer with its citations, oldest first (R-D8).

    None has fewer citations than its minimum: `BELOW_MINIMUM` returns no row.
    """
    found = connection.execute(text(SENSITIVE_ANSWERS)).mappings()
    return tuple(
        _answer(list(group)) for _, group in groupby(found, lambda row: row["audit_id"])
    )


def _answer(rows: list[RowMapping]) -> SensitiveAnswer:
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
