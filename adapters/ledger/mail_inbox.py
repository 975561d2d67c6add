"""The inbox: each event once, until it is answered; transactions are the caller's.

Events of one person in one thread are handed out in order, so that a follow-up finds
the question before it, and an edit or a deletion finds the reply. Events outside
threads, such as direct messages and commands, count as one thread of their channel.
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

from adapters.ledger.entries import format_instant
from adapters.ledger.mail_records import Claimed, ClaimLost, Limit, Most, Recent
from adapters.ledger.mail_rows import Value, add, dump, load, make_waiting
from adapters.ledger.schema import AT_ONCE, State, gone, hash_text, inbox
from adapters.mail import QUESTIONS, Accepted, Action, Incoming, Place

ROW = inbox.c
# Longer than any lease: one that ends later was given by a wrong clock.
LONGEST_LEASE = timedelta(hours=1)
MOST_GONE = 10_000  # deleted messages that are remembered, of any kind
NOBODY: dict[str, Value] = {"asker": "", "channel": "", "thread": "", "message": None}


def accept(
    connection: Connection, incoming: Incoming, asker: str, limit: int
) -> Accepted:
    """Insert an event; a question as done and without text where `limit` are open.

    Edits, deletions and requests about personal data are always accepted.
    """
    asks = incoming.action in QUESTIONS
    full = asks and count_open(connection, limit) >= limit
    place, received = incoming.place, format_instant(incoming.received)
    values: dict[str, Value] = {
        "platform": incoming.platform,
        "event": incoming.event,
        "subject": incoming.subject and hash_text(incoming.subject),
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


def has_come_in(connection: Connection, place: Place, message: str) -> bool:
    """Tell whether the inbox still has a row of a channel's message."""
    this = and_(_match_channel(place), ROW.message == message)
    return (
        connection.execute(select(ROW.event).where(this).limit(1)).first() is not None
    )


def forget(connection: Connection, asker: str, now: datetime) -> None:
    """Drop a person's open events and blank them in all other rows.

    Their request to be forgotten stays until it is answered.
    """
    theirs = and_(ROW.asker == asker, ROW.action != Action.FORGET)
    dropped = {"state": State.DONE, "incoming": "", "finished": format_instant(now)}
    still = update(inbox).where(theirs, ROW.finished.is_(None))
    connection.execute(still.values(dropped))
    connection.execute(update(inbox).where(theirs).values(NOBODY))


def count_open_questions(
    connection: Connection, place: Place, message: str, *, deleted: bool
) -> int:
    """Count the open questions that a message of a channel asks.

    For its deletion an edit in work counts too; one that waits will find the deletion
    done, see `was_deleted`.
    """
    asks = ROW.action == Action.ASK
    if deleted:
        edits = and_(ROW.action == Action.EDITED, ROW.state == State.CLAIMED)
        asks = or_(asks, edits)
    this = and_(_match_channel(place), ROW.message == message, asks)
    counted = select(func.count()).where(this, ROW.finished.is_(None))
    return int(connection.execute(counted).scalar_one())


def note_deletion(
    connection: Connection, place: Place, message: str, now: datetime
) -> None:
    """Remember the deletion of a message that has not come in.

    Beyond MOST_GONE the oldest are dropped.
    """
    key = _make_key(place, message)
    add(connection, gone, {"key": key, "created": format_instant(now)})
    newest = select(gone.c.key).order_by(gone.c.created.desc(), gone.c.key)
    connection.execute(delete(gone).where(gone.c.key.in_(newest.offset(MOST_GONE))))


def was_deleted(connection: Connection, place: Place) -> bool:
    """Tell whether the place's message is known to be deleted."""
    if place.message is None:
        return False
    this = and_(_match_channel(place), ROW.message == place.message)
    deleted = select(ROW.event).where(this, ROW.action == Action.DELETED).limit(1)
    missed = select(gone.c.key).where(gone.c.key == _make_key(place, place.message))
    queries = (deleted, missed)
    return any(connection.execute(query).first() is not None for query in queries)


def was_stopped(connection: Connection, place: Place, since: datetime) -> bool:
    """Tell whether somebody stopped the questions of a thread since a moment."""
    there = and_(_match_channel(place), ROW.thread == (place.thread or ""))
    received = ROW.received >= format_instant(since)
    stops = and_(there, ROW.action == Action.STOP, received)
    query = select(ROW.event).where(stops).limit(1)
    return connection.execute(query).first() is not None


def count_open(connection: Connection, most: int | None = None) -> int:
    """Count the events that are not done, claimed ones included, up to `most`."""
    query = select(ROW.event).where(ROW.finished.is_(None)).limit(most)
    counted = select(func.count()).select_from(query.subquery())
    return int(connection.execute(counted).scalar_one())


def has_due(connection: Connection, now: datetime) -> bool:
    """Tell whether there is something to claim."""
    return connection.execute(_select_next(now)).first() is not None


def claim(
    connection: Connection, worker: str, now: datetime, until: datetime
) -> RowMapping | None:
    """Claim the oldest event that may be claimed; return its row as it was before."""
    query = _select_next(now).with_for_update(skip_locked=True, of=inbox)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    taken = {
        "state": State.CLAIMED,
        "worker": worker,
        "due": format_instant(until),
        "attempts": row["attempts"] + 1,
    }
    this = and_(ROW.platform == row["platform"], ROW.event == row["event"])
    connection.execute(update(inbox).where(this).values(taken))
    return row


def read_claimed(row: RowMapping, worker: str) -> Claimed:
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
    """End an event and delete its text.

    Raises:
        ClaimLost: it is not this claim's any more.
    """
    done: dict[str, Value] = {
        "state": State.DONE,
        "answered": answered,
        "incoming": "",
        "finished": format_instant(now),
    }
    if claimed.incoming.action is Action.FORGET:
        done |= NOBODY  # their last row
    ended = update(inbox).where(_match_claim(claimed)).values(done)
    if connection.execute(ended).rowcount != 1:
        raise ClaimLost("the event was taken over by another worker, or forgotten")


def release(connection: Connection, claimed: Claimed, due: datetime) -> None:
    """Make an event claimable from `due` on; do nothing where the claim was lost."""
    connection.execute(
        update(inbox).where(_match_claim(claimed)).values(make_waiting(due))
    )


def admit(
    connection: Connection,
    now: datetime,
    claimed: Claimed,
    since: datetime,
    most: Most,
) -> Limit | None:
    """Count a question towards its limits, or return the limit that is reached.

    Questions are admitted one at a time across all processes, so that those asked at
    once are counted before any is answered. A second attempt is not counted again. A
    question that ends without an outcome no longer counts.
    """
    before = count_recent(connection, claimed, since, now)
    if before.person >= most.person:
        return Limit.PERSON
    if before.channel >= most.channel:
        return Limit.CHANNEL
    connection.execute(update(inbox).where(_match_claim(claimed)).values(answered=True))
    return None


def count_recent(
    connection: Connection, claimed: Claimed, since: datetime, now: datetime
) -> Recent:
    """Count the other events of a person and the other questions of a channel."""
    incoming = claimed.incoming
    itself = and_(ROW.platform == incoming.platform, ROW.event == incoming.event)
    when = and_(_match_received(since, now), ~itself)
    theirs = ROW.asker == claimed.asker
    channel = _match_channel(incoming.place)
    # An event without an attempt was turned away by a full inbox.
    others = and_(theirs, ~ROW.answered, ROW.attempts > 0, ROW.finished.is_not(None))
    return Recent(
        person=_count(connection, and_(theirs, ROW.answered, when)),
        channel=_count(connection, and_(channel, ROW.answered, when)),
        others=_count(connection, and_(others, when)),
    )


def warn(
    connection: Connection,
    now: datetime,
    claimed: Claimed,
    since: datetime,
    *,
    whole_channel: bool = False,
) -> bool:
    """Note that a declined event gets a notice; return False where one was sent.

    One notice since a moment to a person in a channel, or to the whole channel; the
    same event may get it again.
    """
    incoming = claimed.incoming
    told = and_(_match_channel(incoming.place), ROW.told, ROW.event != incoming.event)
    if not whole_channel:
        told = and_(told, ROW.asker == claimed.asker)
    if _count(connection, and_(told, _match_received(since, now))):
        return False
    this = and_(ROW.platform == incoming.platform, ROW.event == incoming.event)
    connection.execute(update(inbox).where(this).values(told=True))
    return True


def _make_key(place: Place, message: str) -> str:
    """Make a key of a message that does not reveal it."""
    return hash_text(dump([place.platform, place.tenant, place.channel, message]))


def _match_channel(place: Place) -> ColumnElement[bool]:
    return and_(
        ROW.platform == place.platform,
        ROW.tenant == place.tenant,
        ROW.channel == place.channel,
    )


def _match_received(since: datetime, now: datetime) -> ColumnElement[bool]:
    """Match events of this time; a later one was dated by a wrong clock."""
    return ROW.received.between(format_instant(since), format_instant(now))


def _count(connection: Connection, which: ColumnElement[bool]) -> int:
    query = select(func.count()).where(which)
    return int(connection.execute(query).scalar_one())


def _select_next(now: datetime) -> Select[tuple[object, ...]]:
    earlier = inbox.alias("earlier")
    # A change waits for its question, even where it came first, and never blocks it.
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
    forever = and_(
        ROW.state == State.CLAIMED, ROW.due > format_instant(now + LONGEST_LEASE)
    )
    ripe = or_(ROW.due <= format_instant(now), forever)
    return (
        select(inbox)
        .where(ROW.finished.is_(None), ripe, ~before)
        .order_by(ROW.received, ROW.event)
        .limit(1)
    )


def _match_claim(claimed: Claimed) -> ColumnElement[bool]:
    return and_(
        ROW.platform == claimed.incoming.platform,
        ROW.event == claimed.incoming.event,
        ROW.state == State.CLAIMED,
        ROW.worker == claimed.worker,
        ROW.attempts == claimed.attempts,
    )
