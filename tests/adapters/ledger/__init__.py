"""Tests of the ledger, on SQLite and on a real PostgreSQL."""
