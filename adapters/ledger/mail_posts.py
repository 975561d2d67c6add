"""The bot's visible messages on a platform, and the questions they answer.

For buttons, edits, deletions and recall; only ids, no text. Transactions are the
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
from adapters.ledger.entries import format_instant
from adapters.ledger.mail_records import PostedReply
from adapters.ledger.mail_rows import put
from adapters.ledger.schema import posts
from adapters.mail import Method, Outgoing, Part, Place, Platform

ROW = posts.c
FIELDS = tuple(PostedReply.model_fields)


@dataclass(frozen=True, slots=True)
class Visible:
    """The message that the part with this nonce became, or that it deleted."""

    nonce: str
    message: str
    now: datetime


def note_part(
    connection: Connection, reply: RowMapping, outgoing: Outgoing, visible: Visible
) -> None:
    """Store that a part of a reply became visible; `reply` is its outbox row.

    A private reply to a person who was forgotten is not stored, because its channel
    identifies them.
    """
    place, asker = outgoing.place, reply["asker"]
    found = [p for p in enumerate(outgoing.parts) if p[1].nonce == visible.nonce]
    for number, part in found[:1]:
        if part.method is Method.DELETE:
            _drop(connection, place, part)
        elif visible.message:
            if reply["audit_id"] is not None:
                mail_places.note_greeting_shown(
                    connection, place, asker, reply["event"]
                )
            if asker or not place.private:
                _store(connection, reply, place, number, visible)


def find_post(
    connection: Connection, platform: Platform, tenant: str, channel: str, message: str
) -> PostedReply | None:
    """Find a message among the bot's posts; return None where it is not one."""
    place = Place(platform=platform, tenant=tenant, channel=channel)
    query = select(posts).where(_match_channel(place), ROW.message == message)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _read_post(row)


def find_reply(
    connection: Connection, place: Place, asker: str, audit_id: str | None = None
) -> PostedReply | None:
    """Find a reply in the place's channel that a person may see, or return None.

    With an audit id it is the reply of that outcome. Without one it is the last of the
    place's thread, or of the channel outside its threads. A thread may be private to
    some people, so its replies are not visible from outside, except ephemeral messages
    to the person. Replies in the channel itself are visible from its threads.
    """
    here: ColumnElement[bool] = ROW.thread.is_(None)
    if place.thread is not None:
        here = ROW.thread == place.thread
        here = here if audit_id is None else or_(here, ROW.thread.is_(None))
    mine = and_(ROW.private, ROW.asker == asker)
    seen = and_(here, or_(~ROW.private, mine))
    if audit_id is not None:
        seen = and_(or_(seen, mine), ROW.audit_id == audit_id)
    query = select(posts).where(_match_channel(place), ROW.audit_id.is_not(None), seen)
    last = query.order_by(ROW.created.desc(), ROW.part.desc()).limit(1)
    row = connection.execute(last).mappings().one_or_none()
    return None if row is None else _read_post(row)


def list_answers_to(
    connection: Connection, place: Place, question: str
) -> Sequence[PostedReply]:
    """List the visible messages that answer a message of a channel, in order."""
    query = (
        select(posts)
        .where(_match_channel(place), ROW.question == question)
        .order_by(ROW.created, ROW.part)
    )
    return tuple(_read_post(row) for row in connection.execute(query).mappings())


def list_showing(connection: Connection, audit_id: str) -> Sequence[PostedReply]:
    """List the visible messages that show an outcome, in order."""
    query = select(posts).where(ROW.audit_id == audit_id)
    ordered = query.order_by(ROW.created, ROW.part)
    return tuple(_read_post(row) for row in connection.execute(ordered).mappings())


def list_answering(
    connection: Connection, asker: str, most: int
) -> Sequence[PostedReply]:
    """List the messages that answer a person, newest first, at most `most`."""
    query = select(posts).where(ROW.asker == asker)
    newest = query.order_by(ROW.created.desc(), ROW.part.desc()).limit(most)
    return tuple(_read_post(row) for row in connection.execute(newest).mappings())


def _store(
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
            "created": format_instant(visible.now),
        },
    )


def _drop(connection: Connection, place: Place, part: Part) -> None:
    connection.execute(
        delete(posts).where(_match_channel(place), ROW.message == part.message)
    )


def _read_post(row: RowMapping) -> PostedReply:
    return PostedReply.model_validate({name: row[name] for name in FIELDS})


def _match_channel(place: Place) -> ColumnElement[bool]:
    return and_(
        ROW.platform == place.platform,
        ROW.tenant == place.tenant,
        ROW.channel == place.channel,
    )
