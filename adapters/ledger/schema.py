"""The tables of the ledger, the same on SQLite and PostgreSQL.

Append-only, held by triggers: `audit_chain`, `messages`, `message_citations`,
`message_quotes`, and text and identity of every version in `document_versions` that is
not a selection. What a person may have removed stands in `personal` and in selections.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator

REVISION = "0016"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def storable(text: str) -> str:
    """The text as every database can hold it: NUL is U+2400, a lone surrogate `?`.

    Exact text stands in the audit entries (as JSON escapes) and in compressed columns.
    """
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\u2400")


class Storable(TypeDecorator[str]):
    """Text of people or documents in a column that queries may read."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """See `storable`."""
        return None if value is None else storable(value)


# SQLite: an INTEGER primary key is the row's own address; BIGINT would need an index.
Sequence = BigInteger().with_variant(Integer, "sqlite")

chain_head = Table(
    "chain_head",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="single"), primary_key=True),
    Column("ledger", String(32), nullable=False),
    Column("sequence", Sequence, nullable=False),
    Column("hash", String(64), nullable=False),
)

audit_chain = Table(
    "audit_chain",
    metadata,
    Column("sequence", Sequence, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("entry", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index("ix_audit_chain_kind", "kind", "sequence"),
)

messages = Table(
    "messages",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("audit_chain.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("audit_id", String(12), nullable=False, unique=True),
    Column("question_id", Storable, nullable=False, index=True),
    Column("created", String(32), nullable=False, index=True),
    Column("pack", Storable, nullable=False),
    Column("pack_version", Storable, nullable=False),
    Column("pack_hash", Storable, nullable=False),
    Column("query_type", Storable, nullable=False),
    Column("mode", String(16)),
    Column("sensitive", Boolean, nullable=False),
    Column("was_refusal", Boolean, nullable=False),
    Column("refusal_reason", String(32)),
    Column("reason_code", String(32)),
    Column("minimum_citations", Integer, nullable=False),
)

message_citations = Table(
    "message_citations",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("chunk", Storable, nullable=False),
    Column("document", Storable, nullable=False),
    Column("version", String(64), nullable=False),
    Column("start_offset", BigInteger, nullable=False),
    Column("end_offset", BigInteger, nullable=False),
    Index("ix_message_citations_document_version", "document", "version"),
)

message_quotes = Table(
    "message_quotes",
    metadata,
    Column("sequence", Sequence, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("start_offset", BigInteger, nullable=False),
    Column("end_offset", BigInteger, nullable=False),
    Column("quote", Storable, nullable=False),
    ForeignKeyConstraint(
        ["sequence", "number"],
        ["message_citations.sequence", "message_citations.number"],
    ),
)

personal = Table(
    "personal",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("field", String(40), primary_key=True),
    Column("salt", String(32), nullable=False),
    Column("value", Text, nullable=False),
)
# Long values would not fit a PostgreSQL index: only pseudonyms are indexed.
ASKER = "asker"
Index(
    "ix_personal_asker",
    personal.c.value,
    sqlite_where=personal.c.field == ASKER,
    postgresql_where=personal.c.field == ASKER,
)
PREVIOUS = "previous"  # the question before a follow-up
Index(
    "ix_personal_previous",
    personal.c.sequence,
    sqlite_where=personal.c.field == PREVIOUS,
    postgresql_where=personal.c.field == PREVIOUS,
)

document_versions = Table(
    "document_versions",
    metadata,
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("ephemeral", Boolean, nullable=False),
    Column("text", LargeBinary, nullable=False),
    Column("folded", LargeBinary, nullable=False),
    Column("layout", LargeBinary, nullable=False),
    Column("description", Text, nullable=False),
)

selection_uses = Table(
    "selection_uses",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    ForeignKeyConstraint(
        ["document", "version"],
        ["document_versions.document", "document_versions.version"],
    ),
    Index("ix_selection_uses_document_version", "document", "version"),
)

memberships = Table(
    "memberships",
    metadata,
    Column("pack", Storable, primary_key=True),
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("changed", String(32), nullable=False),
    Column("description", Text, nullable=False),
    ForeignKeyConstraint(
        ["document", "version"],
        ["document_versions.document", "document_versions.version"],
    ),
)

passage_questions = Table(
    "passage_questions",
    metadata,
    Column("pack", Storable, primary_key=True),
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("questions", Text, nullable=False),
    ForeignKeyConstraint(
        ["pack", "document", "version"],
        ["memberships.pack", "memberships.document", "memberships.version"],
    ),
)

# What an index holds and what of it is in force. It is made again from the documents,
# so the chain does not cover it.
indexes = Table(
    "indexes",
    metadata,
    Column("place", Storable, primary_key=True),
    Column("name", Storable, nullable=False),
    Column("in_force", Boolean, nullable=False),
    Column("revision", BigInteger, nullable=False),
)
Index(
    "ix_indexes_in_force",
    indexes.c.name,
    unique=True,
    sqlite_where=indexes.c.in_force,
    postgresql_where=indexes.c.in_force,
)

index_keys = Table(
    "index_keys",
    metadata,
    Column("place", Storable, primary_key=True),
    Column("key", String(36), primary_key=True),
    Column("tenant", Storable, nullable=False),
    Column("pack", Storable, nullable=False),
    Column("document", Storable, nullable=False),
    Column("version", Storable, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("in_force_from", String(10)),
    Column("in_force_to", String(10)),
    Column("came", BigInteger, nullable=False),
    Column("changed", String(32), nullable=False),
    Index("ix_index_keys_document", "place", "tenant", "pack", "document"),
    Index("ix_index_keys_state", "place", "tenant", "state"),
)
CURRENT = "current"
Index(
    "ix_index_keys_current",
    index_keys.c.place,
    index_keys.c.tenant,
    index_keys.c.pack,
    index_keys.c.document,
    unique=True,
    sqlite_where=index_keys.c.state == CURRENT,
    postgresql_where=index_keys.c.state == CURRENT,
)

# Apart from the others: no backup holds a token, and a restore leaves it as it is.
apart = MetaData(naming_convention=metadata.naming_convention)
slack_installations = Table(
    "slack_installations",
    apart,
    Column("team", String(32), primary_key=True),
    Column("enterprise", String(32)),
    Column("app", String(32)),
    Column("bot", String(32), nullable=False),
    Column("bot_user", String(32), nullable=False),
    Column("token", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("installed", String(32), nullable=False),
)
