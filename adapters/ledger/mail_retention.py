"""What the mailbox knows of people, and how it goes; transactions are the caller's.

Personal are the text of what came in and goes out, the last question of a thread, the
reason of a verdict, the wish to be told, and pseudonyms. That a message of the bot
stands in a channel, and which answer it is, stays: without it no answer could be
recalled (R-D7). Where the replies to a person who is forgotten are taken away, that
goes with them.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    delete,
    func,
    select,
    tuple_,
    update,
)

from adapters.ledger import commitments, mail_inbox, mail_outbox, mail_places
from adapters.ledger.entries import canonical, instant
from adapters.ledger.leaning import FollowUp
from adapters.ledger.mail_records import PersonalData
from adapters.ledger.mail_schema import (
    feedback,
    gone,
    greeted,
    inbox,
    outbox,
    posts,
    threads,
)
from adapters.ledger.operations_schema import wishes
from adapters.ledger.schema import ASKER, messages, personal
from adapters.mail import ABOUT_DATA

REPEATS = timedelta(hours=48)  # R-C3 asks for 24 at least
REPLIES = timedelta(hours=24)  # that the row of a closed reply is kept; it has no text
MISSED = timedelta(hours=24)  # that a deletion waits for the question that it overtook
BATCH = 500  # rows of one transaction, so that an event never waits long


def data_of(connection: Connection, asker: str) -> PersonalData:
    """How much of a person is stored."""
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


def forget(connection: Connection, asker: str, now: datetime) -> None:
    """Delete what is known of a person, and drop what is still to be answered."""
    mail_inbox.forget(connection, asker, now)
    mail_outbox.forget(connection, asker, now)
    _blank_posts(connection, posts.c.asker == asker)
    connection.execute(delete(threads).where(threads.c.asker == asker))
    for table in (feedback, wishes):
        _drop(connection, table, table.c.asker == asker, now)
    whom = mail_places.person(asker)
    connection.execute(delete(greeted).where(greeted.c.whom == whom))


def leave(connection: Connection, follow_ups: Iterable[FollowUp]) -> None:
    """Forget the threads whose last question was one of these."""
    row = threads.c
    for asked in follow_ups:
        last = and_(row.asker == asked.asker, row.previous.in_(asked.left))
        connection.execute(delete(threads).where(last))


def expire(connection: Connection, before: datetime, now: datetime) -> None:
    """Delete what anybody asked or said before a moment, but for what is still open."""
    then = instant(before)
    old = inbox.c.finished < then
    connection.execute(update(inbox).where(old).values(mail_inbox.NOBODY))
    old = outbox.c.finished < then
    connection.execute(update(outbox).where(old).values(asker=""))
    connection.execute(delete(threads).where(threads.c.changed < then))
    for table in (feedback, wishes):
        _drop(connection, table, table.c.created < then, now)
    # Those that are nobody's already would be written anew every time.
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


def _drop(
    connection: Connection, table: Table, which: ColumnElement[bool], now: datetime
) -> None:
    with commitments.noted(connection, table, which, now):
        connection.execute(delete(table).where(which))


def _blank_posts(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Private ones go: their channel is a person. Of others the pseudonym goes."""
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
