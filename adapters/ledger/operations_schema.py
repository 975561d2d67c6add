"""Tables of what a team does about answers: the gap board, and marks of recall.

Ids, counts and states alone: the words of a question stand with its outcome and go
with it (adapters/ledger/retention.py), and so do the vector that it is grouped by and
the wish to be told.
"""

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from adapters.ledger.mail_schema import Key
from adapters.ledger.schema import Sequence, Storable, metadata

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
