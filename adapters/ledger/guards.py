"""Guards of the ledger's tables: triggers, and how each table is verified.

Triggers keep the tables append-only that the chain covers. Every table has a cover, or
a reason why it needs none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, Table, inspect, text

from adapters.ledger.commitments import COMMITTED
from adapters.ledger.schema import (
    audit_chain,
    bindings,
    chain_head,
    document_versions,
    gone,
    greeted,
    inbox,
    index_keys,
    indexes,
    memberships,
    message_citations,
    message_quotes,
    messages,
    outbox,
    passage_questions,
    personal,
    posts,
    selection_uses,
    slack_installations,
    spending,
    sweeps,
    threads,
)

APPEND_ONLY = ("audit_chain", "messages", "message_citations", "message_quotes")
GUARDED = (*APPEND_ONLY, "document_versions")
FIXED = "UPDATE OF document, version, created, ephemeral, text"
FUNCTION = "groundrule_append_only"
BODY = " BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END "

_STANDING = """\
SELECT t.tgname, c.relname, t.tgtype
FROM pg_trigger AS t
JOIN pg_class AS c ON c.oid = t.tgrelid
JOIN pg_proc AS p ON p.oid = t.tgfoid
WHERE t.tgenabled IN ('O', 'A') AND p.proname = :function AND p.prosrc = :body
"""
_STRANGE = """\
SELECT t.tgname AS name
FROM pg_trigger AS t
JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
UNION
SELECT r.rulename AS name
FROM pg_rewrite AS r
JOIN pg_class AS c ON c.oid = r.ev_class
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
"""
_CHANGES = ("UPDATE", "DELETE")
# Bits of pg_trigger.tgtype.
_ROW, _BEFORE, _DELETE, _UPDATE, _TRUNCATE = 1, 2, 8, 16, 32
MIGRATIONS = "alembic_version"  # Alembic's table with the schema's number


@dataclass(frozen=True, slots=True)
class _Guard:
    """A trigger on PostgreSQL, with its `tgtype`."""

    table: str
    name: str
    event: str
    scope: str
    kind: int


def write_statements(dialect: str) -> Iterator[str]:
    """Write the statements that create the triggers."""
    if dialect == "postgresql":
        yield (
            f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger "
            f"LANGUAGE plpgsql AS $${BODY}$$"
        )
        for guard in _list_guards():
            yield (
                f"CREATE TRIGGER {guard.table}_{guard.name} BEFORE {guard.event} "
                f"ON {guard.table} {guard.scope} EXECUTE FUNCTION {FUNCTION}()"
            )
    else:
        yield from _write_triggers().values()


def list_missing(connection: Connection) -> list[str]:
    """List the triggers that are gone, disabled or different from those created."""
    if connection.dialect.name == "postgresql":
        found = connection.execute(
            text(_STANDING), {"function": FUNCTION, "body": BODY}
        )
        standing = {tuple(row) for row in found}
        return [
            f"{guard.table}_{guard.name}"
            for guard in _list_guards()
            if (f"{guard.table}_{guard.name}", guard.table, guard.kind) not in standing
        ]
    query = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    held = {row.name: row.sql for row in connection.execute(query)}
    return [name for name, made in _write_triggers().items() if held.get(name) != made]


def list_foreign(connection: Connection) -> list[str]:
    """List the triggers and rules that are not ours and may change stored rows.

    On PostgreSQL only those of our schema, without PostgreSQL's internal ones.
    """
    if connection.dialect.name == "postgresql":
        ours = {f"{guard.table}_{guard.name}" for guard in _list_guards()}
        found = connection.execute(text(_STRANGE)).all()
        return sorted({row.name for row in found} - ours)
    query = text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    return sorted(
        {row.name for row in connection.execute(query)} - _write_triggers().keys()
    )


def _list_guards() -> Iterator[_Guard]:
    row, every = "FOR EACH ROW", "FOR EACH STATEMENT"
    whole, kept = "UPDATE OR DELETE", f"{row} WHEN (NOT OLD.ephemeral)"
    of_row = _ROW | _BEFORE
    for table in APPEND_ONLY:
        yield _Guard(table, "keep", whole, row, of_row | _UPDATE | _DELETE)
    for table in GUARDED:
        yield _Guard(table, "fill", "TRUNCATE", every, _BEFORE | _TRUNCATE)
    yield _Guard("document_versions", "text", FIXED, row, of_row | _UPDATE)
    yield _Guard("document_versions", "keep", "DELETE", kept, of_row | _DELETE)


def _write_triggers() -> dict[str, str]:
    """Map trigger names to their statements, which SQLite stores word for word."""
    refusals = [(table, what, "") for table in APPEND_ONLY for what in _CHANGES]
    refusals.append(("document_versions", FIXED, ""))
    refusals.append(("document_versions", "DELETE", "WHEN NOT OLD.ephemeral"))
    made = {}
    for table, what, when in refusals:
        name = f"{table}_keep_{what.split()[0].lower()}"
        made[name] = (
            f"CREATE TRIGGER {name} BEFORE {what} ON {table} {when} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
    return made


class Cover(StrEnum):
    CHAIN = "the chain itself"
    OUTCOME = "made again of an outcome's entry, field by field"
    WRITTEN = "its last entry in the chain holds the hash of what was written"
    COMMITTED = "entries of kind `rows` name the commitment of each row"
    # Rows come and go with each message and hold no evidence: what results from one, an
    # outcome, a verdict or a mark of recall, is in the chain.
    WORK = "not covered: work in hand"
    INDEX = "not covered: what an index holds, which is made from the documents"


COVERS: Mapping[Table, Cover] = {
    **dict.fromkeys((chain_head, audit_chain), Cover.CHAIN),
    **dict.fromkeys(
        (messages, message_citations, message_quotes, personal, selection_uses),
        Cover.OUTCOME,
    ),
    **dict.fromkeys(
        (document_versions, memberships, passage_questions, bindings), Cover.WRITTEN
    ),
    **dict.fromkeys(COMMITTED, Cover.COMMITTED),
    **dict.fromkeys(
        (
            *(inbox, outbox, posts, threads, greeted, gone, spending, sweeps),
            slack_installations,
        ),
        Cover.WORK,
    ),
    **dict.fromkeys((indexes, index_keys), Cover.INDEX),
}


def list_strangers(connection: Connection) -> list[str]:
    """List tables, views and indexes of this database that are not ours."""
    seen = inspect(connection)
    tables = {table.name: table for table in COVERS}
    found = {*seen.get_table_names(), *seen.get_view_names()}
    if connection.dialect.name == "postgresql":
        found.update(seen.get_materialized_view_names())
    added = found - tables.keys() - {MIGRATIONS}
    for name in found & tables.keys():
        indexes, constraints = tables[name].indexes, tables[name].constraints
        ours = {*(i.name for i in indexes), *(c.name for c in constraints)}
        added |= {str(index["name"]) for index in seen.get_indexes(name)} - ours
    return sorted(added)
