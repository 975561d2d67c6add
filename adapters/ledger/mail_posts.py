"""What stands visible on a platform, and what it answers.

For buttons, edits, deletions and recall; ids alone, no text. Transactions are the
caller's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    delete,
    or_,
    select,
)

from adapters.ledger import mail_places
from adapters.ledger.entries import instant
from adapters.ledger.mail_records import PostedReply
from adapters.ledger.mail_rows import put
from adapters.ledger.schema import posts
from adapters.mail import Method, Outgoing, Part, Place, Platform

ROW = posts.c
FIELDS = tuple(PostedReply.model_fields)


@dataclass(frozen=True, slots=True)
class Visible:
    """The part with this nonce stands as this message, or took it away."""

    nonce: str
    message: str
    now: datetime


def note(
    connection: Connection, reply: RowMapping, outgoing: Outgoing, visible: Visible
) -> None:
    """Keep what became visible of a reply, whose outbox row this is.

    Not of a private reply to somebody who was forgotten: its channel is the person.
    """
    place, asker = outgoing.place, reply["asker"]
    found = [p for p in enumerate(outgoing.parts) if p[1].nonce == visible.nonce]
    for number, part in found[:1]:
        if part.method is Method.DELETE:
            _drop(connection, place, part)
        elif visible.message:
            if reply["audit_id"] is not None:
                mail_places.greeting_shown(connection, place, asker, reply["event"])
            if asker or not place.private:
                _keep(connection, reply, place, number, visible)


def post_of(
    connection: Connection, platform: Platform, tenant: str, channel: str, message: str
) -> PostedReply | None:
    """Find what a message of the bot is; None where it is none."""
    place = Place(platform=platform, tenant=tenant, channel=channel)
    query = select(posts).where(_in(place), ROW.message == message)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _posted(row)


def reply_in(
    connection: Connection, place: Place, asker: str, audit_id: str | None = None
) -> PostedReply | None:
    """Find a reply of the place's channel that a person may see; None where none is.

    The one with that audit id; without one the last of the place's thread, or of the
    channel outside its threads. A thread may be private to some, so from outside of it
    none of its replies is seen; but their own whispers are seen by whoever they were
    whispered to. What stands in the channel itself is seen from its threads.
    """
    here: ColumnElement[bool] = ROW.thread.is_(None)
    if place.thread is not None:
        here = ROW.thread == place.thread
        here = here if audit_id is None else or_(here, ROW.thread.is_(None))
    mine = and_(ROW.private, ROW.asker == asker)
    seen = and_(here, or_(~ROW.private, mine))
    if audit_id is not None:
        seen = and_(or_(seen, mine), ROW.audit_id == audit_id)
    query = select(posts).where(_in(place), ROW.audit_id.is_not(None), seen)
    last = query.order_by(ROW.created.desc(), ROW.part.desc()).limit(1)
    row = connection.execute(last).mappings().one_or_none()
    return None if row is None else _posted(row)


def posts_of(
    connection: Connection, place: Place, question: str
) -> Sequence[PostedReply]:
    """List the visible messages that answer a message of a channel, in order."""
    query = (
        select(posts)
        .where(_in(place), ROW.question == question)
        .order_by(ROW.created, ROW.part)
    )
    return tuple(_posted(row) for row in connection.execute(query).mappings())


def posts_with(connection: Connection, audit_id: str) -> Sequence[PostedReply]:
    """List the visible messages that show an outcome, in order."""
    query = select(posts).where(ROW.audit_id == audit_id)
    ordered = query.order_by(ROW.created, ROW.part)
    return tuple(_posted(row) for row in connection.execute(ordered).mappings())


def posts_to(connection: Connection, asker: str, most: int) -> Sequence[PostedReply]:
    """List messages that answer a person, the newest first, `most` at most."""
    query = select(posts).where(ROW.asker == asker)
    newest = query.order_by(ROW.created.desc(), ROW.part.desc()).limit(most)
    return tuple(_posted(row) for row in connection.execute(newest).mappings())


def _keep(
    connection: Connection,
    reply: RowMapping,
    place: Place,
    number: int,
    visible: Visible,
) -> None:
    put(
        connection,
        posts,
        {
            "platform": place.platform,
            "tenant": place.tenant,
            "channel": place.channel,
            "message": visible.message,
            "thread": place.thread,
            "part": number,
            "question": reply["question"],
            "question_id": reply["question_id"],
            "audit_id": reply["audit_id"],
            "pack": reply["pack"],
            "asker": reply["asker"],
            "private": place.private,
            "created": instant(visible.now),
        },
    )


def _drop(connection: Connection, place: Place, part: Part) -> None:
    connection.execute(delete(posts).where(_in(place), ROW.message == part.message))


def _posted(row: RowMapping) -> PostedReply:
    return PostedReply.model_validate({name: row[name] for name in FIELDS})


def _in(place: Place) -> ColumnElement[bool]:
    return and_(
        ROW.platform == place.platform,
        ROW.tenant == place.tenant,
        ROW.channel == place.channel,
    )
