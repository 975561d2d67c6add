"""The mailbox of the SQL ledger is a mailbox, on both databases."""

from tests.contracts.inbox_contract import InboxContract
from tests.contracts.outbox_contract import OutboxContract


class TestInbox(InboxContract):
    """What comes in, on SQLite and on PostgreSQL."""


class TestOutbox(OutboxContract):
    """What goes out, on SQLite and on PostgreSQL."""
