"""Whose a thread is, what an edit leans on, which notices were seen."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def _columns() -> list[tuple[str, sa.Column[Any]]]:
    """By table.

    Rows of before do not say whether they hold a private question: each counts as one,
    and its thread is the bot's again with the next question to it.
    """
    return [
        ("threads", _flag("private", sa.true())),
        ("threads", sa.Column("message", sa.Text())),
        ("threads", sa.Column("audit_id", sa.String(12))),
        ("threads", sa.Column("before", sa.String(12))),
        ("greeted", _flag("shown", sa.true())),
        ("inbox", _flag("told", sa.false())),
    ]


def _flag(name: str, default: sa.ColumnElement[bool]) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=default)


def upgrade() -> None:
    """Add the columns."""
    for table, column in _columns():
        op.add_column(table, column)


def downgrade() -> None:
    """Take them away."""
    for table, column in reversed(_columns()):
        op.drop_column(table, column.name)
