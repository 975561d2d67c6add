"""Messages that were taken away before anything was heard of them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, found by age."""
    op.create_table(
        "gone",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_gone"),
    )
    op.create_index("ix_gone_created", "gone", ["created"])


def downgrade() -> None:
    """Take it down."""
    op.drop_table("gone")
