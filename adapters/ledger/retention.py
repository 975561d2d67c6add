"""Deletion that leaves the chain whole: "forget me", and the end of a retention period.

What goes: text and salt of the personal fields, the vectors of the gap board and the
wishes to be told, selected texts that nobody else's answer rests on, what the mailbox
knows (mail_retention.py), and of others' follow-up questions what repeats a question
that was forgotten. Stays: which documents were cited, under which pack, when, and an
entry of the chain that says which outcomes were forgotten and why. After the
transaction, `Database.scrub` takes the old bytes out of the files. A backup that was
made before keeps them until it is restored (adapters/ledger/backup.py) or deleted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Literal

from sqlalchemy import ColumnElement, Connection, Delete, and_, delete, exists, select

from adapters.ledger import chain, entries, gaps, leaning, mail_retention
from adapters.ledger.entries import ForgottenEntry, canonical, instant
from adapters.ledger.schema import (
    ASKER,
    audit_chain,
    document_versions,
    messages,
    personal,
    selection_uses,
)
from engine.model.errors import LedgerFailed, VerificationFailed

Why = Literal["asker", "retention", "restored"]
Forgotten = Mapping[int, frozenset[str]]  # outcome -> fields; none stands for all
BATCH = 500  # outcomes an entry names, well below a database's limit of parameters


class ScrubPending(LedgerFailed):
    """It is deleted, but old bytes still stand in the database's log: repeat it."""

    code = "SCRUB_PENDING"


def forget(connection: Connection, asker: str, now: datetime) -> int:
    """Delete what a person asked; how many outcomes held something of it."""
    query = select(personal.c.sequence).where(
        personal.c.field == ASKER, personal.c.value == canonical(asker)
    )
    theirs = connection.scalars(query).all()
    leaned = leaning.on(connection, theirs)
    mail_retention.leave(connection, leaned)
    mail_retention.forget(connection, asker, now)
    repeating = [follow_up.sequence for follow_up in leaned]
    erase(connection, repeating, "asker", now, leaning.FIELDS)
    return erase(connection, theirs, "asker", now)


def expire(connection: Connection, before: datetime, now: datetime) -> int:
    """Delete what anybody asked before a moment; how many outcomes held something.

    Selected texts of that time go too where no answer rests on them.
    """
    old = select(messages.c.sequence).where(messages.c.created < instant(before))
    query = select(personal.c.sequence).where(personal.c.sequence.in_(old)).distinct()
    erased = erase(connection, connection.scalars(query).all(), "retention", now)
    connection.execute(_drop(document_versions.c.created < instant(before)))
    mail_retention.expire(connection, before, now)
    return erased


def erase(
    connection: Connection,
    sequences: Collection[int],
    why: Why,
    now: datetime,
    fields: Sequence[str] = (),
) -> int:
    """Delete the personal fields of these outcomes and say so in the chain.

    All of them, or those named in `fields`.
    """
    remaining = iter(sorted(sequences))
    while batch := tuple(islice(remaining, BATCH)):
        gone = delete(personal).where(personal.c.sequence.in_(batch))
        if fields:
            connection.execute(gone.where(personal.c.field.in_(fields)))
        else:
            connection.execute(gone)
            _drop_selections(connection, batch)
            gaps.drop_wishes(connection, batch, now)
        gaps.blank(connection, batch)
        entry = ForgottenEntry(
            created=instant(now), why=why, sequences=batch, fields=tuple(fields)
        )
        chain.append(connection, entry)
    return len(sequences)


def forgotten(connection: Connection, after: int = 0) -> Forgotten:
    """The outcomes that entries after a place in the chain say were forgotten.

    An entry that cannot be read names none; a verification lists it.
    """
    query = select(audit_chain.c.entry).where(
        audit_chain.c.kind == "forgotten", audit_chain.c.sequence > after
    )
    found: dict[int, frozenset[str]] = {}
    for text in connection.scalars(query):
        with suppress(VerificationFailed):
            entry = entries.read(text)
            if isinstance(entry, ForgottenEntry):
                for sequence in entry.sequences:
                    found[sequence] = _joined(found.get(sequence), entry.fields)
    return found


def _joined(known: frozenset[str] | None, more: Sequence[str]) -> frozenset[str]:
    """What is gone of an outcome by two entries; none stands for all."""
    everything = not more or known == frozenset()
    return frozenset() if everything else frozenset(more).union(known or ())


def _drop_selections(connection: Connection, sequences: Iterable[int]) -> None:
    """Delete the selected texts of these outcomes that no other outcome rests on."""
    uses, stored = selection_uses.c, document_versions.c
    mine = uses.sequence.in_(list(sequences))
    used = connection.execute(select(uses.document, uses.version).where(mine)).all()
    connection.execute(delete(selection_uses).where(mine))
    for row in used:
        this = and_(stored.document == row.document, stored.version == row.version)
        connection.execute(_drop(this))


def _drop(condition: ColumnElement[bool]) -> Delete:
    """Delete selected texts that no outcome rests on; other versions never."""
    uses, stored = selection_uses.c, document_versions.c
    used = exists().where(
        uses.document == stored.document, uses.version == stored.version
    )
    return delete(document_versions).where(stored.ephemeral, condition, ~used)
