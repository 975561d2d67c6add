"""Deletion that leaves the chain whole: "forget me", and the end of a retention period.

Deleted are text and salt of the personal fields, the vectors of the gap board, the
wishes to be told, and selected texts that no other outcome rests on. Other people's
follow-up questions lose the fields that may repeat a forgotten question, because the
record of a follow-up holds the question before it, whoever asked that. From the mailbox
the text of events and replies, the last question of a thread, the reason of a verdict,
and pseudonyms are deleted.

Kept are the cited documents, pack and time of each outcome, an entry of the chain that
names the forgotten outcomes with the reason, and the ids of the bot's messages in
channels, without which no answer could be recalled. After the transaction
`Database.scrub` removes the old bytes from the files. An earlier backup keeps them
until it is restored (backup.py) or deleted.

Old rows are deleted only by a clock that is at most STEP ahead of the last look, or
that was further ahead and has run for SURE of serving since. So one wrong jump of a
clock deletes nothing for a day, in which the log and `doctor` report it. That day is
counted in looks of at most LOOK each, because the clock itself cannot tell how much
time has passed. Transactions are the caller's.
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
from adapters.ledger.entries import ForgottenEntry, dump_canonical, format_instant
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
Forgotten = Mapping[int, frozenset[str]]  # outcome -> fields; an empty set means all
# Rows of one transaction, outcomes that an entry names, values of one query: below a
# database's limit of parameters, and quick, so that an event never waits long.
BATCH = 500
UNDERSTOOD = "intent.text"
ASKED = ("question", UNDERSTOOD)  # fields that the next question may have followed up
# Fields of a follow-up that may repeat the question before it.
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
REPEATS = timedelta(hours=48)  # keeps a done event to detect repeats; at least 24
REPLIES = timedelta(hours=24)  # keeps the row of a closed reply, which has no text
MISSED = timedelta(hours=24)  # keeps a deletion that overtook its question
STEP = timedelta(days=7)  # largest step between two looks; allows an idle week
SURE = timedelta(hours=24)  # of serving, until a clock that jumped is believed
LOOK = timedelta(hours=1)  # most time that one look counts for


def forget(connection: Connection, asker: str, now: datetime) -> int:
    """Delete a person's questions; return the number of outcomes with their fields."""
    query = select(personal.c.sequence).where(
        personal.c.field == ASKER, personal.c.value == dump_canonical(asker)
    )
    theirs = connection.scalars(query).all()
    leaned = find_follow_ups(connection, theirs)
    _forget_threads(connection, leaned)
    _forget_mail(connection, asker, now)
    repeating = [follow_up.sequence for follow_up in leaned]
    erase(connection, repeating, "asker", now, FIELDS)
    return erase(connection, theirs, "asker", now)


def expire(connection: Connection, before: datetime, now: datetime) -> int:
    """Delete questions asked before a moment; return the number of their outcomes.

    Selected texts of that time are deleted too where no outcome rests on them.
    """
    old = select(messages.c.sequence).where(messages.c.created < format_instant(before))
    query = select(personal.c.sequence).where(personal.c.sequence.in_(old)).distinct()
    erased = erase(connection, connection.scalars(query).all(), "retention", now)
    connection.execute(
        _delete_selections(document_versions.c.created < format_instant(before))
    )
    _expire_mail(connection, before, now)
    return erased


def erase(
    connection: Connection,
    sequences: Collection[int],
    why: Why,
    now: datetime,
    fields: Sequence[str] = (),
) -> int:
    """Delete personal fields of these outcomes and append that to the chain.

    All fields, or those named in `fields`.
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
        gaps.blank_vectors(connection, batch)
        entry = ForgottenEntry(
            created=format_instant(now), why=why, sequences=batch, fields=tuple(fields)
        )
        chain.append(connection, entry)
    return len(sequences)


def read_forgotten(connection: Connection, after: int = 0) -> Forgotten:
    """Read which outcomes were forgotten, from entries after a place in the chain.

    Entries that cannot be read are skipped; a verification lists them.
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
                    found[sequence] = _join_fields(found.get(sequence), entry.fields)
    return found


def _join_fields(known: frozenset[str] | None, more: Sequence[str]) -> frozenset[str]:
    """Join the fields that two entries name as deleted; an empty set means all."""
    everything = not more or known == frozenset()
    return frozenset() if everything else frozenset(more).union(known or ())


def _drop_selections(connection: Connection, sequences: Iterable[int]) -> None:
    """Delete selected texts of these outcomes that no other outcome rests on."""
    uses, stored = selection_uses.c, document_versions.c
    mine = uses.sequence.in_(list(sequences))
    used = connection.execute(select(uses.document, uses.version).where(mine)).all()
    connection.execute(delete(selection_uses).where(mine))
    for row in used:
        this = and_(stored.document == row.document, stored.version == row.version)
        connection.execute(_delete_selections(this))


def _delete_selections(condition: ColumnElement[bool]) -> Delete:
    """Make the statement that deletes selected texts that no outcome rests on."""
    uses, stored = selection_uses.c, document_versions.c
    used = exists().where(
        uses.document == stored.document, uses.version == stored.version
    )
    return delete(document_versions).where(stored.ephemeral, condition, ~used)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A follow-up question, and the texts that the next one may have followed up.

    `asker` is a pseudonym.
    """

    sequence: int
    asker: str
    left: tuple[str, ...]


def find_follow_ups(
    connection: Connection, sequences: Sequence[int]
) -> tuple[FollowUp, ...]:
    """Find the follow-ups to these outcomes, directly or through other follow-ups."""
    if not sequences:
        return ()
    first, seen = min(sequences), set(sequences)
    found: list[FollowUp] = []
    own = _read_follow_ups(connection, sequences)  # a chosen offer leaves more text
    texts = _read_values(connection, sequences, ASKED)
    texts |= {dump_canonical(text) for one in own for text in one.left}
    while texts:
        leaning = set(_find_leaning(connection, texts, first)) - seen
        seen |= leaning
        further = list(_read_follow_ups(connection, sorted(leaning)))
        found += further
        texts = {dump_canonical(text) for one in further for text in one.left}
    return tuple(found)


def _find_leaning(
    connection: Connection, texts: Iterable[str], first: int
) -> Iterator[int]:
    """Find the later outcomes whose previous question was one of these."""
    row = personal.c
    for batch in _split(sorted(texts)):
        yield from connection.scalars(
            select(row.sequence).where(
                row.field == PREVIOUS, row.value.in_(batch), row.sequence > first
            )
        )


def _read_follow_ups(
    connection: Connection, sequences: Sequence[int]
) -> Iterator[FollowUp]:
    row = personal.c
    for batch in _split(sequences):
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


def _read_values(
    connection: Connection, sequences: Sequence[int], fields: Sequence[str]
) -> set[str]:
    """Read the values of these fields of outcomes, as canonical JSON."""
    row, found = personal.c, set[str]()
    for batch in _split(sequences):
        mine = row.sequence.in_(batch), row.field.in_(fields)
        found.update(connection.scalars(select(row.value).where(*mine)))
    return found


def _split(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    remaining = iter(items)
    while batch := tuple(islice(remaining, BATCH)):
        yield batch


def count_data(connection: Connection, asker: str) -> PersonalData:
    """Count what is stored of a person."""
    recorded = select(func.count(), func.min(messages.c.created)).add_columns(
        func.max(messages.c.created)
    )
    mine = and_(personal.c.field == ASKER, personal.c.value == dump_canonical(asker))
    query = recorded.join_from(
        messages, personal, messages.c.sequence == personal.c.sequence
    )
    questions, first, last = connection.execute(query.where(mine)).one()
    return PersonalData(
        questions=questions,
        first=first,
        last=last,
        waiting=_count(connection, inbox, asker, _match_open()),
        threads=_count(connection, threads, asker),
        replies=_count(connection, posts, asker),
        verdicts=_count(connection, feedback, asker),
        wishes=_count(connection, wishes, asker),
    )


def _forget_mail(connection: Connection, asker: str, now: datetime) -> None:
    """Delete a person's rows of the mailbox, and drop their open events."""
    mail_inbox.forget(connection, asker, now)
    mail_outbox.forget(connection, asker, now)
    _blank_posts(connection, posts.c.asker == asker)
    connection.execute(delete(threads).where(threads.c.asker == asker))
    for table in (feedback, wishes):
        _drop_rows(connection, table, table.c.asker == asker, now)
    whom = mail_places.make_person_key(asker)
    connection.execute(delete(greeted).where(greeted.c.whom == whom))


def _forget_threads(connection: Connection, follow_ups: Iterable[FollowUp]) -> None:
    """Delete the threads whose last question was one of these."""
    row = threads.c
    for asked in follow_ups:
        last = and_(row.asker == asked.asker, row.previous.in_(asked.left))
        connection.execute(delete(threads).where(last))


def _expire_mail(connection: Connection, before: datetime, now: datetime) -> None:
    """Delete personal data of the mailbox from before a moment, except open rows."""
    then = format_instant(before)
    old = inbox.c.finished < then
    connection.execute(update(inbox).where(old).values(mail_inbox.NOBODY))
    old = outbox.c.finished < then
    connection.execute(update(outbox).where(old).values(asker=""))
    connection.execute(delete(threads).where(threads.c.changed < then))
    for table in (feedback, wishes):
        _drop_rows(connection, table, table.c.created < then, now)
    # Rows without a person are left out, or each call would write them again.
    _blank_posts(connection, and_(posts.c.created < then, posts.c.asker != ""))


def sweep(connection: Connection, now: datetime) -> int:
    """Delete a batch of rows that are no longer needed; return their number."""
    swept = 0
    for ended, kept in (
        (outbox.c.finished, REPLIES),
        (inbox.c.finished, REPEATS),
        (gone.c.created, MISSED),
    ):
        old = _match_batch(ended.table, ended < format_instant(now - kept))
        swept += int(connection.execute(delete(ended.table).where(old)).rowcount)
    return swept


def _drop_rows(
    connection: Connection, table: Table, which: ColumnElement[bool], now: datetime
) -> None:
    with commitments.note_changes(connection, table, which, now):
        connection.execute(delete(table).where(which))


def _blank_posts(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Delete private posts, whose channel is a person; blank the asker of others."""
    connection.execute(delete(posts).where(condition, posts.c.private))
    connection.execute(update(posts).where(condition).values(asker=""))


def _match_open() -> ColumnElement[bool]:
    return and_(inbox.c.finished.is_(None), inbox.c.action.not_in(ABOUT_DATA))


def _match_batch(table: Table, condition: ColumnElement[bool]) -> ColumnElement[bool]:
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
    """Note a look at the clock; return None where it may be believed."""
    row = _read_look(connection)
    passed = _measure_passed(row, now) if row else timedelta()
    doubt = _doubt(connection, row, now, passed)
    values: dict[str, Value] = {
        "id": 1,
        "believed": format_instant(doubt.last if doubt else now),
        "looked": format_instant(now),
        "passed": int(passed.total_seconds()) if doubt else 0,
    }
    put(connection, sweeps, values)
    return doubt


def doubt_clock(connection: Connection, now: datetime) -> ClockDoubt | None:
    """Return the doubt that a look at the clock would have now; note nothing."""
    row = _read_look(connection)
    passed = timedelta(seconds=row["passed"]) if row else timedelta()
    return _doubt(connection, row, now, passed)


def _doubt(
    connection: Connection, row: RowMapping | None, now: datetime, passed: timedelta
) -> ClockDoubt | None:
    last = datetime.fromisoformat(row["believed"]) if row else _read_newest(connection)
    if last is None or now <= last + STEP or passed >= SURE:
        return None
    return ClockDoubt(last=last, clock=now, left=SURE - passed)


def _measure_passed(row: RowMapping, now: datetime) -> timedelta:
    """Measure how much serving time has passed since the clock is in doubt."""
    believed = datetime.fromisoformat(row["believed"])
    looked = datetime.fromisoformat(row["looked"])
    if looked <= believed + STEP:
        return timedelta()  # it was not in doubt at the last look
    since = min(max(now - looked, timedelta()), LOOK)
    return timedelta(seconds=row["passed"]) + since


def _read_newest(connection: Connection) -> datetime | None:
    """Read the time of the last outcome, for a ledger without a look."""
    newest = connection.execute(select(func.max(messages.c.created))).scalar()
    return None if newest is None else datetime.fromisoformat(newest)


def _read_look(connection: Connection) -> RowMapping | None:
    return connection.execute(select(sweeps)).mappings().one_or_none()
