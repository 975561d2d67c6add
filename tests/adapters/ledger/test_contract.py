"""The SQL ledger is a ledger, on both databases."""

from tests.contracts.ledger_contract import LedgerContract


class TestSqlLedger(LedgerContract):
    """The port's contract on SQLite and on PostgreSQL."""
