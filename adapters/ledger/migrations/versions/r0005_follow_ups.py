"""Follow-up questions found by index, for what repeats a question that is forgotten."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NAME = "ix_personal_previous"


def upgrade() -> None:
    """Of the rows that hold the question before one."""
    before = sa.text("field = 'previous'")
    op.create_index(
        NAME, "personal", ["sequence"], sqlite_where=before, postgresql_where=before
    )


def downgrade() -> None:
    """Take it down."""
    op.drop_index(NAME, "personal")
