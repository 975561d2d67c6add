"""Who wants to be told of a gap (R-D6)."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; nobody asked to be told before."""
    op.create_table(
        "wishes",
        sa.Column("audit_id", sa.String(12), nullable=False),
        sa.Column("asker", sa.Text(), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("audit_id", "asker", name="pk_wishes"),
    )
    op.create_index("ix_wishes_asker", "wishes", ["asker"])


def downgrade() -> None:
    """Take it down."""
    op.drop_table("wishes")
