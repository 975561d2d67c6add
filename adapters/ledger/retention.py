"""Deletion that leaves the chain whole: "forget me", and the end of a retention period.

What goes: text and salt of the personal fields, the vectors of the gap board and the
wishes to be told, selected texts that nobody else's answer rests on, and of others'
follow-up questions what repeats a question that was forgotten (R-A11, R-S5): a
follow-up's record holds the question before it, whoever asked that one. Of the mailbox
the text of what came in and goes out, the last question of a thread, the reason of a
verdict, and pseudonyms. Stays: which documents were cited, under which pack, when, an
entry of the chain that says which outcomes were forgotten and why, and that a message
of the bot stands in a channel, because without it no answer could be recalled (R-D7).
After the transaction, `Database.scrub` takes the old bytes out of the files. A backup
that was made before keeps them until it is restored (backup.py) or deleted.

What is too old is deleted only by a clock that is at most STEP ahead of the last look,
or that has gone on for SURE of serving since it was found to be further ahead. So one
wrong step of a clock deletes nothing for a day in which the log and `doctor` say so.
Time counts by looks, LOOK for each at most, because the clock itself cannot say how
much has passed. Transactions are the caller's.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    RowMapping,
    Table,
    and_,
    delete,
    exists,
    func,
    select,
    tuple_,
    update,
)

from adapters.ledger import (
    chain,
    commitments,
    entries,
    gaps,
    mail_inbox,
    mail_outbox,
    mail_places,
)
from adapters.ledger.entries import ForgottenEntry, canonical, instant
from adapters.ledger.mail_records import ClockDoubt, PersonalData
from adapters.ledger.mail_rows import Value, put
from adapters.ledger.schema import (
    ASKER,
    PREVIOUS,
    audit_chain,
    document_versions,
    feedback,
    gone,
    greeted,
    inbox,
    messages,
    outbox,
    personal,
    posts,
    selection_uses,
    sweeps,
    threads,
    wishes,
)
from adapters.mail import ABOUT_DATA
from engine.model.errors import VerificationFailed
from engine.parse.context import join_context

Why = Literal["asker", "retention", "restored"]
Forgotten = Mapping[int, frozenset[str]]  # outcome -> fields; none stands for all
# Rows of one transaction, outcomes that an entry names, values of one query: below a
# database's limit of parameters, and soon done, so that an event never waits long.
BATCH = 500
UNDERSTOOD = "intent.text"
ASKED = ("question", UNDERSTOOD)  # what the next question may have leaned on
# What of a follow-up may repeat the question before it.
FIELDS = (
    PREVIOUS,
    UNDERSTOOD,
    "intent.named",
    "intent.conditions",
    "intent.framing",
    "intent.missing_facts",
    "intent.corrections",
    "intent.day_phrase",
)
T = TypeVar("T")
REPEATS = timedelta(hours=48)  # R-C3 asks for 24 at least
REPLIES = timedelta(hours=24)  # that the row of a closed reply is kept; it has no text
MISSED = timedelta(hours=24)  # that a deletion waits for the question that it overtook
STEP = timedelta(days=7)  # between two looks; who serves less often has an idle week
SURE = timedelta(hours=24)  # of serving, until a clock that stepped is believed
LOOK = timedelta(hours=1)  # that one look counts for at most


def forget(connection: Connection, asker: str, now: datetime) -> int:
    """Delete what a person asked; return how many outcomes held something of it."""
    query = select(personal.c.sequence).where(
        personal.c.field == ASKER, personal.c.value == canonical(asker)
    )
    theirs = connection.scalars(query).all()
    leaned = follow_ups_on(connection, theirs)
    _leave_threads(connection, leaned)
    _forget_mail(connection, asker, now)
    repeating = [follow_up.sequence for follow_up in leaned]
    erase(connection, repeating, "asker", now, FIELDS)
    return erase(connection, theirs, "asker", now)


def expire(connection: Connection, before: datetime, now: datetime) -> int:
    """Delete what was asked before a moment; return how many outcomes held something.

    Selected texts of that time go too where no answer rests on them.
    """
    old = select(messages.c.sequence).where(messages.c.created < instant(before))
    query = select(personal.c.sequence).where(personal.c.sequence.in_(old)).distinct()
    erased = erase(connection, connection.scalars(query).all(), "retention", now)
    connection.execute(_drop(document_versions.c.created < instant(before)))
    _expire_mail(connection, before, now)
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
    """Read which outcomes were forgotten, by entries after a place in the chain.

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
    """Join what two entries say is gone of an outcome; no field stands for all."""
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


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that leaned on another, and what it left to lean on in its turn.

    `asker` is a pseudonym.
    """

    sequence: int
    asker: str
    left: tuple[str, ...]


def follow_ups_on(
    connection: Connection, sequences: Sequence[int]
) -> tuple[FollowUp, ...]:
    """Find the follow-ups that lean on these outcomes, directly or through others."""
    if not sequences:
        return ()
    first, seen = min(sequences), set(sequences)
    found: list[FollowUp] = []
    own = _follow_ups(connection, sequences)  # one of a choice is leant on with more
    texts = _values(connection, sequences, ASKED)
    texts |= {canonical(text) for one in own for text in one.left}
    while texts:
        leaning = set(_leaning(connection, texts, first)) - seen
        seen |= leaning
        further = list(_follow_ups(connection, sorted(leaning)))
        found += further
        texts = {canonical(text) for one in further for text in one.left}
    return tuple(found)


def _leaning(connection: Connection, texts: Iterable[str], first: int) -> Iterator[int]:
    """Find the later outcomes whose question before was one of these."""
    row = personal.c
    for batch in _batches(sorted(texts)):
        yield from connection.scalars(
            select(row.sequence).where(
                row.field == PREVIOUS, row.value.in_(batch), row.sequence > first
            )
        )


def _follow_ups(connection: Connection, sequences: Sequence[int]) -> Iterator[FollowUp]:
    row = personal.c
    for batch in _batches(sequences):
        mine = select(row.sequence, row.field, row.value).where(
            row.sequence.in_(batch), row.field.in_((ASKER, PREVIOUS, *ASKED))
        )
        held: dict[int, dict[str, str]] = {sequence: {} for sequence in batch}
        for sequence, field, value in connection.execute(mine):
            held[sequence][field] = str(json.loads(value))
        for sequence, said in held.items():
            understood = said.get(UNDERSTOOD, "")
            chosen = join_context(said.get("question", ""), said.get(PREVIOUS))
            left = tuple(filter(None, (understood, chosen)))
            yield FollowUp(sequence, said.get(ASKER, ""), left)


def _values(
    connection: Connection, sequences: Sequence[int], fields: Sequence[str]
) -> set[str]:
    """Read what these fields of outcomes hold, as canonical JSON."""
    row, found = personal.c, set[str]()
    for batch in _batches(sequences):
        mine = row.sequence.in_(batch), row.field.in_(fields)
        found.update(connection.scalars(select(row.value).where(*mine)))
    return found


def _batches(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    remaining = iter(items)
    while batch := tuple(islice(remaining, BATCH)):
        yield batch


def data_of(connection: Connection, asker: str) -> PersonalData:
    """Count how much of a person is stored (R-S5)."""
    recorded = select(func.count(), func.min(messages.c.created)).add_columns(
        func.max(messages.c.created)
    )
    mine = and_(personal.c.field == ASKER, personal.c.value == canonical(asker))
    query = recorded.join_from(
        messages, personal, messages.c.sequence == personal.c.sequence
    )
    questions, first, last = connection.execute(query.where(mine)).one()
    return PersonalData(
        questions=questions,
        first=first,
        last=last,
        waiting=_count(connection, inbox, asker, _still_waiting()),
        threads=_count(connection, threads, asker),
        replies=_count(connection, posts, asker),
        verdicts=_count(connection, feedback, asker),
        wishes=_count(connection, wishes, asker),
    )


def _forget_mail(connection: Connection, asker: str, now: datetime) -> None:
    """Delete what is known of a person, and drop what is still to be answered."""
    mail_inbox.forget(connection, asker, now)
    mail_outbox.forget(connection, asker, now)
    _blank_posts(connection, posts.c.asker == asker)
    connection.execute(delete(threads).where(threads.c.asker == asker))
    for table in (feedback, wishes):
        _drop_rows(connection, table, table.c.asker == asker, now)
    whom = mail_places.person(asker)
    connection.execute(delete(greeted).where(greeted.c.whom == whom))


def _leave_threads(connection: Connection, follow_ups: Iterable[FollowUp]) -> None:
    """Forget the threads whose last question was one of these."""
    row = threads.c
    for asked in follow_ups:
        last = and_(row.asker == asked.asker, row.previous.in_(asked.left))
        connection.execute(delete(threads).where(last))


def _expire_mail(connection: Connection, before: datetime, now: datetime) -> None:
    """Delete what anybody asked or said before a moment, but for what is still open."""
    then = instant(before)
    old = inbox.c.finished < then
    connection.execute(update(inbox).where(old).values(mail_inbox.NOBODY))
    old = outbox.c.finished < then
    connection.execute(update(outbox).where(old).values(asker=""))
    connection.execute(delete(threads).where(threads.c.changed < then))
    for table in (feedback, wishes):
        _drop_rows(connection, table, table.c.created < then, now)
    # Rows without a person would be written again every time.
    _blank_posts(connection, and_(posts.c.created < then, posts.c.asker != ""))


def sweep(connection: Connection, now: datetime) -> int:
    """Take away a batch of what is no longer needed; how many rows."""
    swept = 0
    for ended, kept in (
        (outbox.c.finished, REPLIES),
        (inbox.c.finished, REPEATS),
        (gone.c.created, MISSED),
    ):
        old = _batch(ended.table, ended < instant(now - kept))
        swept += int(connection.execute(delete(ended.table).where(old)).rowcount)
    return swept


def _drop_rows(
    connection: Connection, table: Table, which: ColumnElement[bool], now: datetime
) -> None:
    with commitments.noted(connection, table, which, now):
        connection.execute(delete(table).where(which))


def _blank_posts(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Delete private posts, whose channel is a person; of others the pseudonym."""
    connection.execute(delete(posts).where(condition, posts.c.private))
    connection.execute(update(posts).where(condition).values(asker=""))


def _still_waiting() -> ColumnElement[bool]:
    return and_(inbox.c.finished.is_(None), inbox.c.action.not_in(ABOUT_DATA))


def _batch(table: Table, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    key = tuple_(*table.primary_key.columns)
    return key.in_(select(*table.primary_key.columns).where(condition).limit(BATCH))


def _count(
    connection: Connection,
    table: Table,
    asker: str,
    condition: ColumnElement[bool] | None = None,
) -> int:
    query = select(func.count()).where(table.c.asker == asker)
    if condition is not None:
        query = query.where(condition)
    return int(connection.execute(query).scalar_one())


def believe_clock(connection: Connection, now: datetime) -> ClockDoubt | None:
    """Note a look at the clock; None where it may be believed."""
    row = _row(connection)
    passed = _passed(row, now) if row else timedelta()
    doubt = _doubt(connection, row, now, passed)
    values: dict[str, Value] = {
        "id": 1,
        "believed": instant(doubt.last if doubt else now),
        "looked": instant(now),
        "passed": int(passed.total_seconds()) if doubt else 0,
    }
    put(connection, sweeps, values)
    return doubt


def doubt_clock(connection: Connection, now: datetime) -> ClockDoubt | None:
    """Tell what the last look leaves to doubt; nothing is noted."""
    row = _row(connection)
    passed = timedelta(seconds=row["passed"]) if row else timedelta()
    return _doubt(connection, row, now, passed)


def _doubt(
    connection: Connection, row: RowMapping | None, now: datetime, passed: timedelta
) -> ClockDoubt | None:
    last = datetime.fromisoformat(row["believed"]) if row else _newest(connection)
    if last is None or now <= last + STEP or passed >= SURE:
        return None
    return ClockDoubt(last=last, clock=now, left=SURE - passed)


def _passed(row: RowMapping, now: datetime) -> timedelta:
    """Count how much of a day has passed since the clock is in doubt."""
    believed = datetime.fromisoformat(row["believed"])
    looked = datetime.fromisoformat(row["looked"])
    if looked <= believed + STEP:
        return timedelta()  # it was not, at the last look
    since = min(max(now - looked, timedelta()), LOOK)
    return timedelta(seconds=row["passed"]) + since


def _newest(connection: Connection) -> datetime | None:
    """Read when the last outcome was recorded, for a ledger without a look."""
    newest = connection.execute(select(func.max(messages.c.created))).scalar()
    return None if newest is None else datetime.fromisoformat(newest)


def _row(connection: Connection) -> RowMapping | None:
    return connection.execute(select(sweeps)).mappings().one_or_none()
