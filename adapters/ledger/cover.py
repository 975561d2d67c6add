"""Every table of a ledger, and what tells that somebody changed it by hand (R-D3)."""

from collections.abc import Mapping
from enum import StrEnum

from sqlalchemy import Connection, Table, inspect

from adapters.ledger.commitments import COMMITTED
from adapters.ledger.mail_schema import (
    bindings,
    gone,
    greeted,
    inbox,
    outbox,
    posts,
    spending,
    sweeps,
    threads,
)
from adapters.ledger.schema import (
    audit_chain,
    chain_head,
    document_versions,
    index_keys,
    indexes,
    memberships,
    message_citations,
    message_quotes,
    messages,
    passage_questions,
    personal,
    selection_uses,
    slack_installations,
)

MIGRATIONS = "alembic_version"  # Alembic's; the schema's number


class Cover(StrEnum):
    CHAIN = "the chain itself"
    OUTCOME = "made again of an outcome's entry, field by field"
    WRITTEN = "its last entry in the chain holds the hash of what was written"
    COMMITTED = "entries of kind `rows` name the commitment of each row"
    # Rows come and go with each message, and hold no evidence: whatever comes of one,
    # an outcome, a verdict or a mark of recall, is in the chain.
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


def strangers(connection: Connection) -> list[str]:
    """Tables, views and indexes of this database that are none of ours."""
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
