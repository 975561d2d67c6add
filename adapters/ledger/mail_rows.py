"""Helpers for rows of the mailbox: insert, upsert, and records as JSON in a column."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from sqlalchemy import Connection, Table, update
from sqlalchemy.dialects import postgresql, sqlite

from adapters.ledger.entries import format_instant
from adapters.ledger.schema import State
from engine.model.errors import LedgerFailed

N = TypeVar("N", bound=BaseModel)
Value = str | int | bool | None


def add(connection: Connection, table: Table, values: Mapping[str, Value]) -> bool:
    """Insert a row; return False where one with its key exists already."""
    inserted = _insert(connection, table).values(**values).on_conflict_do_nothing()
    named = inserted.returning(*table.primary_key.columns)
    return connection.execute(named).first() is not None


def put(connection: Connection, table: Table, values: Mapping[str, Value]) -> None:
    """Insert a row, or overwrite the one with its key."""
    key = [column.name for column in table.primary_key]
    others = {name: value for name, value in values.items() if name not in key}
    written = _insert(connection, table).values(**values)
    connection.execute(written.on_conflict_do_update(index_elements=key, set_=others))


def make_waiting(due: datetime) -> Mapping[str, Value]:
    """Make the columns of a row that any worker may claim from `due` on."""
    return {"state": State.WAITING, "worker": None, "due": format_instant(due)}


def abandon(connection: Connection, table: Table, worker: str, now: datetime) -> None:
    """Release all claims of workers whose name begins with `worker`."""
    row = table.c
    theirs = row.worker.startswith(worker, autoescape=True)
    claimed = update(table).where(row.state == State.CLAIMED, theirs)
    connection.execute(claimed.values(make_waiting(now)))


def dump(value: BaseModel | JsonValue) -> str:
    """Write JSON in ASCII with escapes, which every database can hold."""
    content = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return json.dumps(content, ensure_ascii=True, separators=(",", ":"))


def load(noun: type[N], text: str, what: str) -> N:
    """Read the record that `dump` wrote.

    Raises:
        LedgerFailed: it is damaged; the message calls it `what`.
    """
    try:
        return noun.model_validate(json.loads(text))
    except (ValueError, RecursionError, ValidationError) as error:
        raise LedgerFailed(f"{what} is damaged and cannot be read") from error


def load_strings(text: str, what: str) -> dict[str, str]:
    """Read the mapping of strings that `dump` wrote.

    Raises:
        LedgerFailed: it is damaged; the message calls it `what`.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LedgerFailed(f"{what} is damaged and cannot be read") from error
    if not isinstance(found, dict):
        raise LedgerFailed(f"{what} is damaged and cannot be read")
    return {str(name): str(value) for name, value in found.items()}


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
