"""Order within a thread instead of a channel, and a person's rows found by index."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

CHANNEL = ("platform", "tenant", "channel")
PEOPLE = (  # what `forget` and "my data" look for
    ("ix_outbox_asker", "outbox", ["asker"]),
    ("ix_posts_asker", "posts", ["asker"]),
    ("ix_threads_asker", "threads", ["asker"]),
    ("ix_feedback_asker", "feedback", ["asker"]),
    ("ix_greeted_whom", "greeted", ["whom"]),
    (
        "ix_selection_uses_document_version",
        "selection_uses",
        ["document", "version"],
    ),
)


def upgrade() -> None:
    """Rows that wait have no thread: each counts for its whole channel."""
    for table in ("inbox", "outbox"):
        thread = sa.Column("thread", sa.Text(), nullable=False, server_default="")
        op.add_column(table, thread)
    _order("inbox_asker", "inbox", "asker", *CHANNEL, "thread", "received", "event")
    _order("outbox_channel", "outbox", *CHANNEL, "thread", "id")
    for name, table, columns in PEOPLE:
        op.create_index(name, table, columns)


def downgrade() -> None:
    """Take them down."""
    for name, table, _ in PEOPLE:
        op.drop_index(name, table)
    _order("inbox_asker", "inbox", "asker", *CHANNEL, "received", "event")
    _order("outbox_channel", "outbox", *CHANNEL, "id")
    for table in ("inbox", "outbox"):
        op.drop_column(table, "thread")


def _order(what: str, table: str, *columns: str) -> None:
    """Replace an index of open rows by one over other columns."""
    name, still = f"ix_{what}_open", sa.text("finished IS NULL")
    op.drop_index(name, table)
    op.create_index(
        name, table, list(columns), sqlite_where=still, postgresql_where=still
    )
