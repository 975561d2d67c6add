"""Verdicts, wishes, pauses, gaps and recalls are bound to the chain; what stands is
adopted."""

from contextlib import suppress
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from adapters.ledger import commitments
from engine.model.errors import LedgerFailed

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TABLES = ("feedback", "pauses", "wishes", "gaps", "gap_questions", "recalls")


def upgrade() -> None:
    """Append an entry for each; a damaged chain is left as it is, for `verify`."""
    for table in TABLES:
        salt = sa.Column("salt", sa.String(32), nullable=False, server_default="")
        op.add_column(table, salt)
    with suppress(LedgerFailed):
        commitments.adopt(op.get_bind(), datetime.now(UTC))


def downgrade() -> None:
    """Take the columns down; entries of the chain stay."""
    for table in TABLES:
        op.drop_column(table, "salt")
