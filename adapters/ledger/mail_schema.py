"""The mailbox's tables, beside the ledger's and in the same transactions.

Of these the audit chain covers `bindings` alone (mail_bindings.py); the rows of the
others come, change and go. `due` is the moment from which an open row may be claimed:
its lease's end where somebody has it, AT_ONCE where nobody had it yet, whatever the
clocks of other machines say.
"""

import hashlib
from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Dialect,
    Index,
    Integer,
    String,
    Table,
    Text,
    false,
    true,
)

from adapters.ledger.schema import Sequence, Storable, metadata, storable

AT_ONCE = ""
LONGEST_KEY = 200  # characters; an index of PostgreSQL holds about 2,700 bytes a row


class State(StrEnum):
    """Where a row of the inbox or the outbox stands; `finished` says when it ended."""

    WAITING = "waiting"
    CLAIMED = "claimed"
    DONE = "done"  # in the outbox: every part is visible
    BURIED = "buried"  # only in the outbox: given up


def as_key(text: str) -> str:
    """An id as a column `Key` holds it: storable, and no longer than an index holds."""
    stored = storable(text)
    return stored if len(stored) <= LONGEST_KEY else digest(stored)


class Key(Storable):
    """An id of a platform in an indexed column; a longer one stands as its SHA-256."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """See `as_key`."""
        return None if value is None else as_key(value)


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _open(name: str, *columns: Column[object]) -> None:
    """An index of the rows that are not finished: few, however many there were."""
    finished = columns[0].table.c.finished.is_(None)
    Index(f"ix_{name}_open", *columns, sqlite_where=finished, postgresql_where=finished)


def _closed(name: str, column: Column[object]) -> None:
    ended = column.is_not(None)
    Index(f"ix_{name}_finished", column, sqlite_where=ended, postgresql_where=ended)


inbox = Table(
    "inbox",
    metadata,
    Column("platform", String(16), primary_key=True),
    Column("event", Key, primary_key=True),
    Column("subject", String(64)),  # SHA-256: it may name a channel
    Column("action", String(16), nullable=False),
    Column("tenant", Key, nullable=False),
    Column("channel", Key, nullable=False),
    Column("thread", Key, nullable=False, server_default=""),  # as in `threads`
    Column("message", Key),  # that was said there
    Column("asker", Key, nullable=False),
    Column("incoming", Text, nullable=False),  # JSON; empty once done
    Column("state", String(8), nullable=False),
    Column("answered", Boolean, nullable=False),  # an outcome comes of it
    Column("told", Boolean, nullable=False, server_default=false()),  # of a limit
    Column("worker", Key),
    Column("attempts", Integer, nullable=False),
    Column("due", String(32), nullable=False),
    Column("received", String(32), nullable=False),
    Column("finished", String(32)),
    Index("uq_inbox_subject", "platform", "subject", unique=True),
    Index("ix_inbox_asker", "asker", "received"),
    Index("ix_inbox_channel", "platform", "tenant", "channel", "received"),
    Index("ix_inbox_message", "platform", "tenant", "channel", "message"),
)
_open("inbox", inbox.c.received, inbox.c.event)
_open(
    "inbox_asker",
    inbox.c.asker,
    inbox.c.platform,
    inbox.c.tenant,
    inbox.c.channel,
    inbox.c.thread,
    inbox.c.received,
    inbox.c.event,
)
_closed("inbox", inbox.c.finished)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Sequence, primary_key=True, autoincrement=False),
    Column("platform", String(16), nullable=False),
    Column("event", Key, nullable=False),
    Column("tenant", Key, nullable=False),
    Column("channel", Key, nullable=False),
    Column("thread", Key, nullable=False, server_default=""),  # as in `threads`
    Column("question", Key),  # the message that it answers
    Column("question_id", Storable),
    Column("audit_id", String(12)),
    Column("pack", Storable),
    Column("asker", Key, nullable=False, index=True),
    Column("letter", Text, nullable=False),  # JSON: place, person, parts
    Column("callback", Text, nullable=False),  # JSON: secrets
    Column("respond_by", String(32)),
    Column("posted", Text, nullable=False),  # JSON: nonce -> message
    Column("state", String(8), nullable=False),
    Column("worker", Key),
    Column("attempts", Integer, nullable=False),
    Column("due", String(32), nullable=False),
    Column("created", String(32), nullable=False),
    Column("finished", String(32)),
    Column("why", Storable),  # it was buried
)
_open("outbox", outbox.c.platform, outbox.c.id)
_open(
    "outbox_channel",
    outbox.c.platform,
    outbox.c.tenant,
    outbox.c.channel,
    outbox.c.thread,
    outbox.c.id,
)
_closed("outbox", outbox.c.finished)

posts = Table(
    "posts",
    metadata,
    Column("platform", String(16), primary_key=True),
    Column("tenant", Key, primary_key=True),
    Column("channel", Key, primary_key=True),
    Column("message", Key, primary_key=True),
    Column("thread", Key),
    Column("part", Integer, nullable=False),
    Column("question", Key),
    Column("question_id", Storable),
    Column("audit_id", String(12), index=True),
    Column("pack", Storable),
    Column("asker", Key, nullable=False, index=True),
    Column("private", Boolean, nullable=False),
    Column("created", String(32), nullable=False),
    Index("ix_posts_question", "platform", "tenant", "channel", "question"),
    Index("ix_posts_created", "platform", "tenant", "channel", "created"),
)

threads = Table(
    "threads",
    metadata,
    Column("platform", String(16), primary_key=True),
    Column("tenant", Key, primary_key=True),
    Column("channel", Key, primary_key=True),
    Column("thread", Key, primary_key=True),  # empty for the channel itself
    Column("pack", Storable, nullable=False),
    Column("asker", Key, nullable=False, index=True),
    Column("previous", Storable, nullable=False),
    Column("question_id", Storable, nullable=False),
    Column("message", Key),  # that asked it
    Column("audit_id", String(12)),  # of its outcome; None: nothing to lean on
    Column("before", String(12)),  # the same of the question before it
    Column("private", Boolean, nullable=False, server_default=true()),
    Column("changed", String(32), nullable=False),
)

bindings = Table(
    "bindings",
    metadata,
    Column("platform", String(16), primary_key=True),
    Column("tenant", Key, primary_key=True),
    Column("channel", Key, primary_key=True),
    Column("binding", Text, nullable=False),  # JSON
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
)

feedback = Table(
    "feedback",
    metadata,
    Column("audit_id", String(12), primary_key=True),
    Column("asker", Key, primary_key=True, index=True),
    Column("helpful", Boolean, nullable=False),
    Column("reason", Storable),
    Column("created", String(32), nullable=False),
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
)

greeted = Table(
    "greeted",
    metadata,
    Column("platform", String(16), primary_key=True),
    Column("tenant", Key, primary_key=True),
    Column("whom", Key, primary_key=True, index=True),
    Column("event", Key, nullable=False),
    Column("shown", Boolean, nullable=False, server_default=true()),  # it is visible
    Column("created", String(32), nullable=False),
)

pauses = Table(
    "pauses",
    metadata,
    Column("pack", Key, primary_key=True),
    Column("by", Storable, nullable=False),
    Column("created", String(32), nullable=False),
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
)

spending = Table(
    "spending",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("pack", Key, primary_key=True),
    Column("millionths", BigInteger, nullable=False),
)

gone = Table(
    "gone",
    metadata,
    Column("key", String(64), primary_key=True),  # SHA-256: it names a message
    Column("created", String(32), nullable=False, index=True),
)

sweeps = Table(
    "sweeps",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="single"), primary_key=True),
    Column("believed", String(32), nullable=False),  # the clock, when it last was
    Column("looked", String(32), nullable=False),
    Column("passed", Integer, nullable=False),  # seconds since it is in doubt
)

MAIL = (
    inbox,
    gone,
    outbox,
    posts,
    threads,
    bindings,
    feedback,
    greeted,
    pauses,
    spending,
    sweeps,
)
