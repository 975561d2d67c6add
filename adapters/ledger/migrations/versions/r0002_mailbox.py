"""The mailbox: inbox, outbox, posts, threads, bindings and what people said."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = (
    "spending",
    "pauses",
    "greeted",
    "feedback",
    "bindings",
    "threads",
    "posts",
    "outbox",
    "inbox",
)
CHANNEL = ("platform", "tenant", "channel")


def upgrade() -> None:
    """Create the mailbox's tables."""
    _inbox()
    _outbox()
    _posts()
    _channels()
    _people()


def downgrade() -> None:
    """Take them down."""
    for table in TABLES:
        op.drop_table(table)


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _maybe(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text()) for name in names]


def _moment(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(32), nullable=nullable)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _platform() -> sa.Column[str]:
    return sa.Column("platform", sa.String(16), nullable=False)


def _state() -> list[sa.Column[str] | sa.Column[int]]:
    return [
        sa.Column("state", sa.String(8), nullable=False),
        *_maybe("worker"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        _moment("due"),
        _moment("finished", nullable=True),
    ]


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _partial(name: str, table: str, *columns: str, ended: bool = False) -> None:
    """An index of the rows that are open, or of those that ended."""
    where = sa.text(f"finished IS {'NOT ' if ended else ''}NULL")
    op.create_index(
        name, table, list(columns), sqlite_where=where, postgresql_where=where
    )


def _inbox() -> None:
    op.create_table(
        "inbox",
        _platform(),
        *_text("event"),
        sa.Column("subject", sa.String(64)),
        sa.Column("action", sa.String(16), nullable=False),
        *_text("tenant", "channel"),
        *_maybe("message"),
        *_text("asker", "incoming"),
        _flag("answered"),
        *_state(),
        _moment("received"),
        _key("inbox", "platform", "event"),
    )
    op.create_index("uq_inbox_subject", "inbox", ["platform", "subject"], unique=True)
    op.create_index("ix_inbox_asker", "inbox", ["asker", "received"])
    op.create_index("ix_inbox_channel", "inbox", [*CHANNEL, "received"])
    op.create_index("ix_inbox_message", "inbox", [*CHANNEL, "message"])
    _partial("ix_inbox_open", "inbox", "received", "event")
    _partial("ix_inbox_asker_open", "inbox", "asker", *CHANNEL, "received", "event")
    _partial("ix_inbox_finished", "inbox", "finished", ended=True)


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", SEQUENCE, autoincrement=False, nullable=False),
        _platform(),
        *_text("event", "tenant", "channel"),
        *_maybe("question", "question_id"),
        sa.Column("audit_id", sa.String(12)),
        *_maybe("pack"),
        *_text("asker", "letter", "callback", "posted"),
        _moment("respond_by", nullable=True),
        *_state(),
        _moment("created"),
        *_maybe("why"),
        _key("outbox", "id"),
    )
    _partial("ix_outbox_open", "outbox", "platform", "id")
    _partial("ix_outbox_channel_open", "outbox", *CHANNEL, "id")
    _partial("ix_outbox_finished", "outbox", "finished", ended=True)


def _posts() -> None:
    op.create_table(
        "posts",
        _platform(),
        *_text("tenant", "channel", "message"),
        *_maybe("thread"),
        sa.Column("part", sa.Integer(), nullable=False),
        *_maybe("question", "question_id"),
        sa.Column("audit_id", sa.String(12)),
        *_maybe("pack"),
        *_text("asker"),
        _flag("private"),
        _moment("created"),
        _key("posts", *CHANNEL, "message"),
    )
    op.create_index("ix_posts_audit_id", "posts", ["audit_id"])
    op.create_index("ix_posts_question", "posts", [*CHANNEL, "question"])
    op.create_index("ix_posts_created", "posts", [*CHANNEL, "created"])
    op.create_table(
        "threads",
        _platform(),
        *_text("tenant", "channel", "thread"),
        *_text("pack", "asker", "previous", "question_id"),
        _moment("changed"),
        _key("threads", *CHANNEL, "thread"),
    )


def _channels() -> None:
    op.create_table(
        "bindings",
        _platform(),
        *_text("tenant", "channel", "binding"),
        _key("bindings", *CHANNEL),
    )
    op.create_table(
        "pauses", *_text("pack", "by"), _moment("created"), _key("pauses", "pack")
    )
    op.create_table(
        "spending",
        sa.Column("day", sa.String(10), nullable=False),
        *_text("pack"),
        sa.Column("millionths", sa.BigInteger(), nullable=False),
        _key("spending", "day", "pack"),
    )


def _people() -> None:
    op.create_table(
        "feedback",
        sa.Column("audit_id", sa.String(12), nullable=False),
        *_text("asker"),
        _flag("helpful"),
        *_maybe("reason"),
        _moment("created"),
        _key("feedback", "audit_id", "asker"),
    )
    op.create_table(
        "greeted",
        _platform(),
        *_text("tenant", "whom", "event"),
        _moment("created"),
        _key("greeted", "platform", "tenant", "whom"),
    )
