"""The gap board and marks of recall; see adapters/ledger/operations_schema.py.

It follows 0011: no ledger ever had a revision 0012.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0011"
branch_labels = None
depends_on = None

_PLACE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the three tables; what was refused before is collected when it is read."""
    op.create_table(
        "gaps",
        sa.Column("id", sa.String(12), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("changed", sa.String(32), nullable=False),
        sa.Column("why", sa.Text(), nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("id", name="pk_gaps"),
    )
    op.create_index("ix_gaps_state", "gaps", ["state"])
    op.create_table(
        "gap_questions",
        sa.Column("audit_id", sa.String(12), nullable=False),
        sa.Column("gap", sa.String(12), nullable=False),
        sa.Column("sequence", _PLACE, nullable=False),
        sa.Column("vector", sa.LargeBinary()),
        sa.Column("told", sa.String(32)),
        sa.PrimaryKeyConstraint("audit_id", name="pk_gap_questions"),
        sa.ForeignKeyConstraint(["gap"], ["gaps.id"], name="fk_gap_questions_gap"),
        sa.ForeignKeyConstraint(
            ["sequence"], ["messages.sequence"], name="fk_gap_questions_sequence"
        ),
    )
    op.create_index("ix_gap_questions_gap", "gap_questions", ["gap"])
    op.create_index("ix_gap_questions_sequence", "gap_questions", ["sequence"])
    op.create_table(
        "recalls",
        sa.Column("audit_id", sa.String(12), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("posts", sa.Integer(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("audit_id", name="pk_recalls"),
    )


def downgrade() -> None:
    """Take them down."""
    op.drop_table("recalls")
    op.drop_table("gap_questions")
    op.drop_table("gaps")
