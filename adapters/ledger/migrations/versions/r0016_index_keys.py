"""Which keys of an index are in force; see adapters/ledger/index_keys.py."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables, empty: `reindex` fills an index on a server anew."""
    op.create_table(
        "indexes",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("in_force", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_indexes"),
    )
    op.create_index(
        "ix_indexes_in_force",
        "indexes",
        ["name"],
        unique=True,
        sqlite_where=sa.text("in_force"),
        postgresql_where=sa.text("in_force"),
    )
    op.create_table(
        "index_keys",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("key", sa.String(36), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("in_force_from", sa.String(10)),
        sa.Column("in_force_to", sa.String(10)),
        sa.Column("came", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("place", "key", name="pk_index_keys"),
    )
    document = ["place", "tenant", "pack", "document"]
    op.create_index("ix_index_keys_document", "index_keys", document)
    state = ["place", "tenant", "state"]
    op.create_index("ix_index_keys_state", "index_keys", state)
    op.create_index(
        "ix_index_keys_current",
        "index_keys",
        document,
        unique=True,
        sqlite_where=sa.text("state = 'current'"),
        postgresql_where=sa.text("state = 'current'"),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("index_keys")
    op.drop_table("indexes")
