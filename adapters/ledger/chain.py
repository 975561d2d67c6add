"""The hash chain, which binds every entry to all entries before it.

hash(n) = SHA-256(hash(n-1), line feed, n in decimal, line feed, entry n), all as ASCII;
hash(0) is the SHA-256 of the ledger's own random name. The row `chain_head` names the
last entry and changes in the transaction that appends, so that a tail which was cut off
is detected. Whoever can rewrite the whole database can rewrite the chain too; only a
copy of the head in another place (the anchor) detects that.

The anchor is a file outside the database, written after a commit. A crash between the
two leaves it behind the chain, which is no fault. A chain that ends before its anchor,
or differs from it, was cut or rewritten. The anchor protects only as far as an attacker
cannot write it: copy the file elsewhere from time to time.
"""

import base64
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, insert, select, update

from adapters.ledger import entries
from adapters.ledger.entries import Entry
from adapters.ledger.schema import audit_chain, chain_head
from engine.model.errors import LedgerFailed, VerificationFailed

AUDIT_ID_LENGTH = 12  # base32 characters: 60 bits


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a chain; `sequence` 0 is the beginning of an empty one."""

    ledger: str
    sequence: int
    hash: str


def hash_genesis(ledger: str) -> str:
    """Hash the name of a ledger; the first entry is linked to it."""
    name = f"groundrule ledger {ledger}"
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def link(previous: str, sequence: int, entry: str) -> str:
    """Hash an entry, given the hash before it and the entry's stored text."""
    return hashlib.sha256(
        f"{previous}\n{sequence}\n{entry}".encode("utf-8", "surrogatepass")
    ).hexdigest()


def make_audit_id(digest: str) -> str:
    """Make an audit id: the first 60 bits of an entry's hash in base32."""
    encoded = base64.b32encode(bytes.fromhex(digest)).decode("ascii").lower()
    return encoded[:AUDIT_ID_LENGTH]


def read_head(connection: Connection, *, lock: bool = False) -> Head:
    """Read the head from its row.

    Args:
        connection: a transaction.
        lock: hold other writers off until it ends (PostgreSQL; SQLite has one writer).

    Raises:
        LedgerFailed: the row is gone or damaged.
    """
    query = select(chain_head.c.ledger, chain_head.c.sequence, chain_head.c.hash)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None or not isinstance(row.sequence, int):
        raise LedgerFailed("the ledger's chain_head is damaged: restore a backup")
    return Head(str(row.ledger), row.sequence, str(row.hash))


def append(connection: Connection, entry: Entry) -> Head:
    """Append an entry and move the head, in the caller's transaction.

    Raises:
        LedgerFailed: the chain does not end at its head. No question is answered on a
            chain known to be damaged.
    """
    head = read_head(connection, lock=True)
    last = connection.execute(
        select(audit_chain.c.sequence, audit_chain.c.hash)
        .order_by(audit_chain.c.sequence.desc())
        .limit(1)
    ).one_or_none()
    end = (last.sequence, last.hash) if last else (0, hash_genesis(head.ledger))
    if end != (head.sequence, head.hash):
        raise LedgerFailed("the audit chain is damaged: run verify --all")
    sequence, text = head.sequence + 1, entries.write(entry)
    digest = link(head.hash, sequence, text)
    connection.execute(
        insert(audit_chain).values(
            sequence=sequence,
            kind=entry.kind,
            entry=text,
            previous=head.hash,
            hash=digest,
        )
    )
    connection.execute(update(chain_head).values(sequence=sequence, hash=digest))
    return Head(head.ledger, sequence, digest)


_HEAD: TypeAdapter[Head] = TypeAdapter(Head)


def write_anchor(path: Path, head: Head) -> None:
    """Replace the anchor atomically.

    Raises:
        OSError: it cannot be written; the entry itself is committed already.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(_HEAD.dump_json(head).decode("ascii") + "\n", encoding="ascii")
    draft.chmod(0o600)
    draft.replace(path)


def read_anchor(path: Path) -> Head | None:
    """Read the anchor; return None where none was written.

    Raises:
        VerificationFailed: it exists and cannot be read.
    """
    try:
        return _HEAD.validate_python(json.loads(path.read_text(encoding="ascii")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        raise VerificationFailed(f"the anchor {path.name} cannot be read") from error
