"""The tables of the ledger, the same on SQLite and PostgreSQL.

Append-only, held by triggers: `audit_chain`, `messages`, `message_citations`,
`message_quotes`, and text and identity of every version in `document_versions` that is
not a selection. What a person may have deleted is in `personal` and in selections.
"""

import hashlib
from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    true,
)
from sqlalchemy.types import TypeDecorator

REVISION = "0016"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def make_storable(text: str) -> str:
    """Make text that every database can hold: NUL to U+2400, a lone surrogate to `?`.

    Exact text is in the audit entries, as JSON escapes, and in compressed columns.
    """
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\u2400")


class Storable(TypeDecorator[str]):
    """Text of people or documents in a column that is queried."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Convert a value with `make_storable`."""
        return None if value is None else make_storable(value)


# SQLite: an INTEGER primary key is the row's own address; BIGINT would need an index.
Sequence = BigInteger().with_variant(Integer, "sqlite")

chain_head = Table(
    "chain_head",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="single"), primary_key=True),
    Column("ledger", String(32), nullable=False),
    Column("sequence", Sequence, nullable=False),
    Column("hash", String(64), nullable=False),
)

audit_chain = Table(
    "audit_chain",
    metadata,
    Column("sequence", Sequence, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("entry", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index("ix_audit_chain_kind", "kind", "sequence"),
)

messages = Table(
    "messages",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("audit_chain.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("audit_id", String(12), nullable=False, unique=True),
    Column("question_id", Storable, nullable=False, index=True),
    Column("created", String(32), nullable=False, index=True),
    Column("pack", Storable, nullable=False),
    Column("pack_version", Storable, nullable=False),
    Column("pack_hash", Storable, nullable=False),
    Column("query_type", Storable, nullable=False),
    Column("mode", String(16)),
    Column("sensitive", Boolean, nullable=False),
    Column("was_refusal", Boolean, nullable=False),
    Column("refusal_reason", String(32)),
    Column("reason_code", String(32)),
    Column("minimum_citations", Integer, nullable=False),
)

message_citations = Table(
    "message_citations",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("chunk", Storable, nullable=False),
    Column("document", Storable, nullable=False),
    Column("version", String(64), nullable=False),
    Column("start_offset", BigInteger, nullable=False),
    Column("end_offset", BigInteger, nullable=False),
    Index("ix_message_citations_document_version", "document", "version"),
)

message_quotes = Table(
    "message_quotes",
    metadata,
    Column("sequence", Sequence, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("start_offset", BigInteger, nullable=False),
    Column("end_offset", BigInteger, nullable=False),
    Column("quote", Storable, nullable=False),
    ForeignKeyConstraint(
        ["sequence", "number"],
        ["message_citations.sequence", "message_citations.number"],
    ),
)

personal = Table(
    "personal",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("field", String(40), primary_key=True),
    Column("salt", String(32), nullable=False),
    Column("value", Text, nullable=False),
)
# Only pseudonyms are indexed: long values would not fit a PostgreSQL index.
ASKER = "asker"
Index(
    "ix_personal_asker",
    personal.c.value,
    sqlite_where=personal.c.field == ASKER,
    postgresql_where=personal.c.field == ASKER,
)
PREVIOUS = "previous"  # the question before a follow-up
Index(
    "ix_personal_previous",
    personal.c.sequence,
    sqlite_where=personal.c.field == PREVIOUS,
    postgresql_where=personal.c.field == PREVIOUS,
)

document_versions = Table(
    "document_versions",
    metadata,
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("ephemeral", Boolean, nullable=False),
    Column("text", LargeBinary, nullable=False),
    Column("folded", LargeBinary, nullable=False),
    Column("layout", LargeBinary, nullable=False),
    Column("description", Text, nullable=False),
)

selection_uses = Table(
    "selection_uses",
    metadata,
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    ForeignKeyConstraint(
        ["document", "version"],
        ["document_versions.document", "document_versions.version"],
    ),
    Index("ix_selection_uses_document_version", "document", "version"),
)

memberships = Table(
    "memberships",
    metadata,
    Column("pack", Storable, primary_key=True),
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("changed", String(32), nullable=False),
    Column("description", Text, nullable=False),
    ForeignKeyConstraint(
        ["document", "version"],
        ["document_versions.document", "document_versions.version"],
    ),
)

passage_questions = Table(
    "passage_questions",
    metadata,
    Column("pack", Storable, primary_key=True),
    Column("document", Storable, primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("questions", Text, nullable=False),
    ForeignKeyConstraint(
        ["pack", "document", "version"],
        ["memberships.pack", "memberships.document", "memberships.version"],
    ),
)

# The keys of an index, and which of them are in force. An index can be built again from
# the documents, so the chain does not cover it.
indexes = Table(
    "indexes",
    metadata,
    Column("place", Storable, primary_key=True),
    Column("name", Storable, nullable=False),
    Column("in_force", Boolean, nullable=False),
    Column("revision", BigInteger, nullable=False),
)
Index(
    "ix_indexes_in_force",
    indexes.c.name,
    unique=True,
    sqlite_where=indexes.c.in_force,
    postgresql_where=indexes.c.in_force,
)

index_keys = Table(
    "index_keys",
    metadata,
    Column("place", Storable, primary_key=True),
    Column("key", String(36), primary_key=True),
    Column("tenant", Storable, nullable=False),
    Column("pack", Storable, nullable=False),
    Column("document", Storable, nullable=False),
    Column("version", Storable, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("in_force_from", String(10)),
    Column("in_force_to", String(10)),
    Column("came", BigInteger, nullable=False),
    Column("changed", String(32), nullable=False),
    Index("ix_index_keys_document", "place", "tenant", "pack", "document"),
    Index("ix_index_keys_state", "place", "tenant", "state"),
)
CURRENT = "current"
Index(
    "ix_index_keys_current",
    index_keys.c.place,
    index_keys.c.tenant,
    index_keys.c.pack,
    index_keys.c.document,
    unique=True,
    sqlite_where=index_keys.c.state == CURRENT,
    postgresql_where=index_keys.c.state == CURRENT,
)

# Apart from the other tables: no backup holds a token, and a restore leaves it alone.
apart = MetaData(naming_convention=metadata.naming_convention)
slack_installations = Table(
    "slack_installations",
    apart,
    Column("team", String(32), primary_key=True),
    Column("enterprise", String(32)),
    Column("app", String(32)),
    Column("bot", String(32), nullable=False),
    Column("bot_user", String(32), nullable=False),
    Column("token", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("installed", String(32), nullable=False),
)


AT_ONCE = ""
LONGEST_KEY = 200  # characters; an index of PostgreSQL holds about 2,700 bytes a row


class State(StrEnum):
    """The state of a row of the inbox or the outbox; `finished` is when it ended."""

    WAITING = "waiting"
    CLAIMED = "claimed"
    DONE = "done"  # in the outbox: every part is visible
    BURIED = "buried"  # only in the outbox: given up


def make_key(text: str) -> str:
    """Make the form of an id for a column `Key`; hash one too long for an index."""
    stored = make_storable(text)
    return stored if len(stored) <= LONGEST_KEY else hash_text(stored)


class Key(Storable):
    """An id of a platform in an indexed column; a long one is stored as its SHA-256."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Convert a value with `make_key`."""
        return None if value is None else make_key(value)


def hash_text(text: str) -> str:
    """Hash a text with SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _index_open(name: str, *columns: Column[object]) -> None:
    """Index the rows that are not finished, which stay few."""
    finished = columns[0].table.c.finished.is_(None)
    Index(f"ix_{name}_open", *columns, sqlite_where=finished, postgresql_where=finished)


def _index_finished(name: str, column: Column[object]) -> None:
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
_index_open("inbox", inbox.c.received, inbox.c.event)
_index_open(
    "inbox_asker",
    inbox.c.asker,
    inbox.c.platform,
    inbox.c.tenant,
    inbox.c.channel,
    inbox.c.thread,
    inbox.c.received,
    inbox.c.event,
)
_index_finished("inbox", inbox.c.finished)

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
_index_open("outbox", outbox.c.platform, outbox.c.id)
_index_open(
    "outbox_channel",
    outbox.c.platform,
    outbox.c.tenant,
    outbox.c.channel,
    outbox.c.thread,
    outbox.c.id,
)
_index_finished("outbox", outbox.c.finished)

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


gaps = Table(
    "gaps",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("pack", Storable, nullable=False),
    Column("tenant", Storable, nullable=False),
    Column("tags", Text, nullable=False),  # JSON, sorted: who asked held all of them
    Column("state", String(12), nullable=False),
    Column("created", String(32), nullable=False),
    Column("changed", String(32), nullable=False),
    Column("why", Storable, nullable=False, server_default=""),
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
    Index("ix_gaps_state", "state"),
)

gap_questions = Table(
    "gap_questions",
    metadata,
    Column("audit_id", String(12), primary_key=True),
    Column("gap", String(12), ForeignKey("gaps.id"), nullable=False, index=True),
    Column(
        "sequence",
        Sequence,
        ForeignKey("messages.sequence"),
        nullable=False,
        index=True,
    ),
    Column("vector", LargeBinary),  # float32; None once the question is forgotten
    Column("told", String(32)),  # when who asked was told that the gap is closed
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
)

wishes = Table(  # to be told when a question can be answered
    "wishes",
    metadata,
    Column("audit_id", String(12), primary_key=True),
    Column("asker", Key, primary_key=True, index=True),
    Column("created", String(32), nullable=False),
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
)

recalls = Table(
    "recalls",
    metadata,
    Column("audit_id", String(12), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("posts", Integer, nullable=False),  # messages that are marked
    Column("event", Key, nullable=False),  # of the outbox
    Column("salt", String(32), nullable=False, server_default=""),  # of its commitment
)
