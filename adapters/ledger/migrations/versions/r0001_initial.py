"""The first schema: audit chain, outcomes, document versions, personal fields.

Triggers make append-only what the chain covers; they differ between the two databases.
"""

import secrets

import sqlalchemy as sa
from alembic import op

from adapters.ledger import guards
from adapters.ledger.chain import genesis

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = (
    "memberships",
    "selection_uses",
    "document_versions",
    "personal",
    "message_quotes",
    "message_citations",
    "messages",
    "audit_chain",
    "chain_head",
)


def upgrade() -> None:
    """Create everything, and name this ledger."""
    _chain()
    _messages()
    _citations()
    _personal()
    _versions()
    for statement in guards.statements(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    """Take everything down."""
    for table in TABLES:
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"DROP FUNCTION {guards.FUNCTION}()")


def _sequence() -> sa.Column[int]:
    return sa.Column("sequence", SEQUENCE, autoincrement=False, nullable=False)


def _of_message(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["sequence"], ["messages.sequence"], name=f"fk_{name}_sequence"
    )


def _of_version(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["document", "version"],
        ["document_versions.document", "document_versions.version"],
        name=f"fk_{name}_document_version",
    )


def _chain() -> None:
    op.create_table(
        "audit_chain",
        _sequence(),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_audit_chain"),
    )
    op.create_index("ix_audit_chain_kind", "audit_chain", ["kind", "sequence"])
    head = op.create_table(
        "chain_head",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ledger", sa.String(32), nullable=False),
        sa.Column("sequence", SEQUENCE, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chain_head"),
        sa.CheckConstraint("id = 1", name="ck_chain_head_single"),
    )
    name = secrets.token_hex(16)
    first = {"id": 1, "ledger": name, "sequence": 0, "hash": genesis(name)}
    op.bulk_insert(head, [first])


def _messages() -> None:
    op.create_table(
        "messages",
        _sequence(),
        sa.Column("audit_id", sa.String(12), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("pack_version", sa.Text(), nullable=False),
        sa.Column("pack_hash", sa.Text(), nullable=False),
        sa.Column("query_type", sa.Text(), nullable=False),
        sa.Column("mode", sa.String(16)),
        sa.Column("sensitive", sa.Boolean(), nullable=False),
        sa.Column("was_refusal", sa.Boolean(), nullable=False),
        sa.Column("refusal_reason", sa.String(32)),
        sa.Column("reason_code", sa.String(32)),
        sa.Column("minimum_citations", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_messages"),
        sa.UniqueConstraint("audit_id", name="uq_messages_audit_id"),
        sa.ForeignKeyConstraint(
            ["sequence"], ["audit_chain.sequence"], name="fk_messages_sequence"
        ),
    )
    op.create_index("ix_messages_created", "messages", ["created"])
    op.create_index("ix_messages_question_id", "messages", ["question_id"])


def _citations() -> None:
    op.create_table(
        "message_citations",
        _sequence(),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("chunk", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("start_offset", sa.BigInteger(), nullable=False),
        sa.Column("end_offset", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", "number", name="pk_message_citations"),
        _of_message("message_citations"),
    )
    op.create_index(
        "ix_message_citations_document_version",
        "message_citations",
        ["document", "version"],
    )
    op.create_table(
        "message_quotes",
        _sequence(),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("start_offset", sa.BigInteger(), nullable=False),
        sa.Column("end_offset", sa.BigInteger(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "sequence", "number", "ordinal", name="pk_message_quotes"
        ),
        sa.ForeignKeyConstraint(
            ["sequence", "number"],
            ["message_citations.sequence", "message_citations.number"],
            name="fk_message_quotes_sequence_number",
        ),
    )


def _personal() -> None:
    op.create_table(
        "personal",
        _sequence(),
        sa.Column("field", sa.String(40), nullable=False),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", "field", name="pk_personal"),
        _of_message("personal"),
    )
    asker = sa.text("field = 'asker'")
    op.create_index(
        "ix_personal_asker",
        "personal",
        ["value"],
        sqlite_where=asker,
        postgresql_where=asker,
    )


def _versions() -> None:
    op.create_table(
        "document_versions",
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("ephemeral", sa.Boolean(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.Column("folded", sa.LargeBinary(), nullable=False),
        sa.Column("layout", sa.LargeBinary(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("document", "version", name="pk_document_versions"),
    )
    op.create_table(
        "selection_uses",
        _sequence(),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint(
            "sequence", "document", "version", name="pk_selection_uses"
        ),
        _of_message("selection_uses"),
        _of_version("selection_uses"),
    )
    op.create_table(
        "memberships",
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("changed", sa.String(32), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pack", "document", "version", name="pk_memberships"),
        _of_version("memberships"),
    )
