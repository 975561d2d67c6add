"""Questions that passages answer; see adapters/ledger/questions.py."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, a row for each version of a shelf that has questions."""
    op.create_table(
        "passage_questions",
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("questions", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "pack", "document", "version", name="pk_passage_questions"
        ),
        sa.ForeignKeyConstraint(
            ["pack", "document", "version"],
            ["memberships.pack", "memberships.document", "memberships.version"],
            name="fk_passage_questions_pack",
        ),
    )


def downgrade() -> None:
    """Take it down."""
    op.drop_table("passage_questions")
