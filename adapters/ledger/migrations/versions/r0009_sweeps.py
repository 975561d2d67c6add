"""When the clock was looked at that says what is too old."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, of one row."""
    op.create_table(
        "sweeps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("believed", sa.String(32), nullable=False),
        sa.Column("looked", sa.String(32), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_sweeps_single")),
        sa.PrimaryKeyConstraint("id", name="pk_sweeps"),
    )


def downgrade() -> None:
    """Take it down."""
    op.drop_table("sweeps")
