"""The inbox: what came in, once, until it is answered; transactions are the caller's.

What one person does in one thread is handed out in order, so that a follow-up finds the
question before it, and an edit or a deletion finds the reply. What was said outside
threads counts as one thread of its channel: direct messages, commands.
"""

from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from adapters.ledger.entries import instant
from adapters.ledger.mail_records import Claimed, ClaimLost, Limit, Most, Recent
from adapters.ledger.mail_rows import Value, add, dump, load, waiting
from adapters.ledger.schema import AT_ONCE, State, digest, gone, inbox
from adapters.mail import QUESTIONS, Accepted, Action, Incoming, Place

ROW = inbox.c
# No lease is as long: one that ends later was given by a clock that was wrong.
LONGEST_LEASE = timedelta(hours=1)
MOST_GONE = 10_000  # messages taken away that are kept in mind, whatever they were
NOBODY: dict[str, Value] = {"asker": "", "channel": "", "thread": "", "message": None}


def accept(
    connection: Connection, incoming: Incoming, asker: str, limit: int
) -> Accepted:
    """Insert an event; a question as done, without its text, where `limit` are open.

    Whatever changes, takes away or protects what somebody said always gets in.
    """
    asks = incoming.action in QUESTIONS
    full = asks and open_rows(connection, limit) >= limit
    place, received = incoming.place, instant(incoming.received)
    values: dict[str, Value] = {
        "platform": incoming.platform,
        "event": incoming.event,
        "subject": incoming.subject and digest(incoming.subject),
        "action": incoming.action,
        "tenant": place.tenant,
        "channel": place.channel,
        "thread": place.thread or "",
        "message": place.message,
        "asker": asker,
        "incoming": "" if full else dump(incoming),
        "state": State.DONE if full else State.WAITING,
        "answered": False,
        "attempts": 0,
        "due": AT_ONCE,
        "received": received,
        "finished": received if full else None,
    }
    if not add(connection, inbox, values):
        return Accepted.REPEAT
    return Accepted.FULL if full else Accepted.NEW


def came(connection: Connection, place: Place, message: str) -> bool:
    """Tell whether a message of a channel came in here, a while ago at most."""
    this = and_(_channel(place), ROW.message == message)
    return (
        connection.execute(select(ROW.event).where(this).limit(1)).first() is not None
    )


def forget(connection: Connection, asker: str, now: datetime) -> None:
    """Drop what a person still waits for, and leave nothing of them in other rows.

    But for their request to be forgotten, until it is answered.
    """
    theirs = and_(ROW.asker == asker, ROW.action != Action.FORGET)
    dropped = {"state": State.DONE, "incoming": "", "finished": instant(now)}
    still = update(inbox).where(theirs, ROW.finished.is_(None))
    connection.execute(still.values(dropped))
    connection.execute(update(inbox).where(theirs).values(NOBODY))


def asking(connection: Connection, place: Place, message: str, *, deleted: bool) -> int:
    """Count the questions that a message of a channel asks and that are not done.

    For its deletion the edit counts that somebody works on; one that waits finds the
    deletion done, see `taken_away`.
    """
    asks = ROW.action == Action.ASK
    if deleted:
        edits = and_(ROW.action == Action.EDITED, ROW.state == State.CLAIMED)
        asks = or_(asks, edits)
    this = and_(_channel(place), ROW.message == message, asks)
    counted = select(func.count()).where(this, ROW.finished.is_(None))
    return int(connection.execute(counted).scalar_one())


def miss(connection: Connection, place: Place, message: str, now: datetime) -> None:
    """Keep in mind that a message was taken away which never came in here.

    Of too many the oldest are dropped.
    """
    key = _key(place, message)
    add(connection, gone, {"key": key, "created": instant(now)})
    newest = select(gone.c.key).order_by(gone.c.created.desc(), gone.c.key)
    connection.execute(delete(gone).where(gone.c.key.in_(newest.offset(MOST_GONE))))


def taken_away(connection: Connection, place: Place) -> bool:
    """Tell whether the place's message is known to be deleted (R-U4)."""
    if place.message is None:
        return False
    this = and_(_channel(place), ROW.message == place.message)
    deleted = select(ROW.event).where(this, ROW.action == Action.DELETED).limit(1)
    missed = select(gone.c.key).where(gone.c.key == _key(place, place.message))
    queries = (deleted, missed)
    return any(connection.execute(query).first() is not None for query in queries)


def stopped(connection: Connection, place: Place, since: datetime) -> bool:
    """Tell whether somebody stopped what was asked in a thread since a moment."""
    there = and_(_channel(place), ROW.thread == (place.thread or ""))
    stops = and_(there, ROW.action == Action.STOP, ROW.received >= instant(since))
    return (
        connection.execute(select(ROW.event).where(stops).limit(1)).first() is not None
    )


def open_rows(connection: Connection, most: int | None = None) -> int:
    """Count the events that are not done, in work included, up to `most`."""
    query = select(ROW.event).where(ROW.finished.is_(None)).limit(most)
    counted = select(func.count()).select_from(query.subquery())
    return int(connection.execute(counted).scalar_one())


def due(connection: Connection, now: datetime) -> bool:
    """Tell whether there is something to claim."""
    return connection.execute(_next(now)).first() is not None


def claim(
    connection: Connection, worker: str, now: datetime, until: datetime
) -> RowMapping | None:
    """Take the oldest event that may be claimed; its row as it was before."""
    query = _next(now).with_for_update(skip_locked=True, of=inbox)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    taken = {
        "state": State.CLAIMED,
        "worker": worker,
        "due": instant(until),
        "attempts": row["attempts"] + 1,
    }
    this = and_(ROW.platform == row["platform"], ROW.event == row["event"])
    connection.execute(update(inbox).where(this).values(taken))
    return row


def claimed(row: RowMapping, worker: str) -> Claimed:
    """Read the row that `claim` took.

    Raises:
        LedgerFailed: the row is damaged; it stays claimed until its lease ends.
    """
    name = f"the inbox row of {row['platform']} {row['event']}"
    return Claimed(
        incoming=load(Incoming, row["incoming"], name),
        asker=row["asker"],
        worker=worker,
        attempts=row["attempts"] + 1,
    )


def finish(
    connection: Connection, claimed: Claimed, now: datetime, *, answered: bool
) -> None:
    """End an event, its text gone.

    Raises:
        ClaimLost: it is not this claim's any more.
    """
    done: dict[str, Value] = {
        "state": State.DONE,
        "answered": answered,
        "incoming": "",
        "finished": instant(now),
    }
    if claimed.incoming.action is Action.FORGET:
        done |= NOBODY  # the last that is known of them
    ended = update(inbox).where(_ours(claimed)).values(done)
    if connection.execute(ended).rowcount != 1:
        raise ClaimLost("the event was taken over by another worker, or forgotten")


def release(connection: Connection, claimed: Claimed, due: datetime) -> None:
    """Let it be claimed from `due` on; nothing where the claim was lost."""
    connection.execute(update(inbox).where(_ours(claimed)).values(waiting(due)))


def admit(
    connection: Connection,
    now: datetime,
    claimed: Claimed,
    since: datetime,
    most: Most,
) -> Limit | None:
    """Count a question among those since a moment; else say whose limit is reached.

    One at a time, in whichever process, so that what is asked at once is counted before
    any of it is answered (R-C5). A second attempt is no second question. What ends
    without an outcome after all counts no more.
    """
    before = recent(connection, claimed, since, now)
    if before.person >= most.person:
        return Limit.PERSON
    if before.channel >= most.channel:
        return Limit.CHANNEL
    connection.execute(update(inbox).where(_ours(claimed)).values(answered=True))
    return None


def recent(
    connection: Connection, claimed: Claimed, since: datetime, now: datetime
) -> Recent:
    """Count what else a person did, and what else a channel asked."""
    incoming = claimed.incoming
    itself = and_(ROW.platform == incoming.platform, ROW.event == incoming.event)
    when = and_(_came(since, now), ~itself)
    theirs = ROW.asker == claimed.asker
    channel = _channel(incoming.place)
    # What a full inbox turned away was never tried.
    others = and_(theirs, ~ROW.answered, ROW.attempts > 0, ROW.finished.is_not(None))
    return Recent(
        person=_counted(connection, and_(theirs, ROW.answered, when)),
        channel=_counted(connection, and_(channel, ROW.answered, when)),
        others=_counted(connection, and_(others, when)),
    )


def warn(
    connection: Connection,
    now: datetime,
    claimed: Claimed,
    since: datetime,
    *,
    whole_channel: bool = False,
) -> bool:
    """Tell whether an event that is declined is to say so (R-C5).

    Once since a moment to a person in a channel, or to the whole channel; again for the
    same event.
    """
    incoming = claimed.incoming
    told = and_(_channel(incoming.place), ROW.told, ROW.event != incoming.event)
    if not whole_channel:
        told = and_(told, ROW.asker == claimed.asker)
    if _counted(connection, and_(told, _came(since, now))):
        return False
    this = and_(ROW.platform == incoming.platform, ROW.event == incoming.event)
    connection.execute(update(inbox).where(this).values(told=True))
    return True


def _key(place: Place, message: str) -> str:
    """Make a key of a message that does not name it."""
    return digest(dump([place.platform, place.tenant, place.channel, message]))


def _channel(place: Place) -> ColumnElement[bool]:
    return and_(
        ROW.platform == place.platform,
        ROW.tenant == place.tenant,
        ROW.channel == place.channel,
    )


def _came(since: datetime, now: datetime) -> ColumnElement[bool]:
    """Select this time; what came later was dated by a clock that was wrong."""
    return ROW.received.between(instant(since), instant(now))


def _counted(connection: Connection, which: ColumnElement[bool]) -> int:
    query = select(func.count()).where(which)
    return int(connection.execute(query).scalar_one())


def _next(now: datetime) -> Select[tuple[object, ...]]:
    earlier = inbox.alias("earlier")
    # A change waits for its question, also where it came first: it holds it up never.
    its_change = and_(
        ROW.action == Action.ASK,
        earlier.c.action.in_((Action.EDITED, Action.DELETED)),
        earlier.c.message == ROW.message,
    )
    before = exists().where(
        earlier.c.asker == ROW.asker,
        earlier.c.platform == ROW.platform,
        earlier.c.tenant == ROW.tenant,
        earlier.c.channel == ROW.channel,
        earlier.c.thread == ROW.thread,
        earlier.c.finished.is_(None),
        ~its_change,
        tuple_(earlier.c.received, earlier.c.event) < tuple_(ROW.received, ROW.event),
    )
    forever = and_(ROW.state == State.CLAIMED, ROW.due > instant(now + LONGEST_LEASE))
    ripe = or_(ROW.due <= instant(now), forever)
    return (
        select(inbox)
        .where(ROW.finished.is_(None), ripe, ~before)
        .order_by(ROW.received, ROW.event)
        .limit(1)
    )


def _ours(claimed: Claimed) -> ColumnElement[bool]:
    return and_(
        ROW.platform == claimed.incoming.platform,
        ROW.event == claimed.incoming.event,
        ROW.state == State.CLAIMED,
        ROW.worker == claimed.worker,
        ROW.attempts == claimed.attempts,
    )
