"""The outbox: replies until every part is visible; transactions are the caller's.

Replies to one thread are handed out in order, one at a time; outside threads, those to
one person. So a reply that waits for its next attempt holds up no other person's.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from adapters.ledger import mail_posts
from adapters.ledger.entries import instant
from adapters.ledger.mail_posts import Visible
from adapters.ledger.mail_records import (
    Claimed,
    ClaimLost,
    Letter,
    PostedReply,
)
from adapters.ledger.mail_rows import Value, dump, load, load_strings, waiting
from adapters.ledger.schema import AT_ONCE, State, outbox
from adapters.mail import ABOUT_DATA, Outgoing, Place, Platform
from engine.model.outcome import Outcome

ROW = outbox.c
NOTHING = "{}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A letter, what it answers, and whether it may use the event's callback.

    `about` is the visible reply that it changes, where no event asked for that.
    """

    claimed: Claimed
    letter: Letter
    outcome: Outcome | None = None
    callback: bool = True
    about: PostedReply | None = None


def put(connection: Connection, reply: Reply, now: datetime) -> None:
    """Add a reply; in a transaction that holds the chain, which makes ids grow."""
    last = connection.execute(select(func.max(ROW.id))).scalar()
    incoming, place = reply.claimed.incoming, reply.letter.place
    person = reply.letter.person or incoming.person
    values: dict[str, Value] = {
        "id": (last or 0) + 1,
        "platform": place.platform,
        "event": incoming.event,
        "tenant": place.tenant,
        "channel": place.channel,
        "thread": place.thread or "",
        "question": incoming.place.message,
        # What tells a person of their data is none of it, the more so once it is gone.
        "asker": "" if incoming.action in ABOUT_DATA else reply.claimed.asker,
        "letter": dump(reply.letter.model_copy(update={"person": person})),
        "callback": NOTHING,
        "posted": NOTHING,
        "state": State.WAITING,
        "attempts": 0,
        "due": AT_ONCE,
        "created": instant(now),
    }
    if reply.callback and incoming.callback:
        values["callback"] = dump(dict(incoming.callback))
        if incoming.respond_by is not None:
            values["respond_by"] = instant(incoming.respond_by)
    if reply.outcome is not None:
        asked = reply.outcome.question
        values["question_id"], values["pack"] = asked.id, asked.pack
        values["audit_id"] = reply.outcome.audit_id
    if reply.about is not None:
        for name in ("question_id", "pack", "audit_id"):
            values[name] = getattr(reply.about, name)
    connection.execute(insert(outbox).values(values))


def due(connection: Connection, platform: Platform, now: datetime) -> bool:
    """Tell whether there is something to post."""
    return connection.execute(_next(platform, now)).first() is not None


def claim(
    connection: Connection,
    platform: Platform,
    worker: str,
    now: datetime,
    until: datetime,
) -> RowMapping | None:
    """Take the oldest reply that may be posted; its row as it was before."""
    query = _next(platform, now).with_for_update(skip_locked=True, of=outbox)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    taken = {
        "state": State.CLAIMED,
        "worker": worker,
        "due": instant(until),
        "attempts": row["attempts"] + 1,
    }
    connection.execute(update(outbox).where(ROW.id == row["id"]).values(taken))
    return row


def outgoing(row: RowMapping) -> Outgoing:
    """Read the row that `claim` took.

    Raises:
        LedgerFailed: the row is damaged; it stays claimed until its lease ends.
    """
    name = f"the outbox row {row['id']}"
    letter = load(Letter, row["letter"], name)
    ends = row["respond_by"]
    return Outgoing(
        id=row["id"],
        place=letter.place,
        parts=letter.parts,
        posted=load_strings(row["posted"], name),
        callback=load_strings(row["callback"], name),
        respond_by=datetime.fromisoformat(ends) if ends else None,
        person=letter.person or "",
        attempts=row["attempts"] + 1,
    )


def delivered(
    connection: Connection, outgoing: Outgoing, visible: Visible, *, last: bool
) -> None:
    """Note a visible part; the last one ends the reply.

    Raises:
        ClaimLost: the reply is not this claim's any more.
    """
    query = select(outbox).where(_ours(outgoing)).with_for_update()
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise ClaimLost("the reply was taken over by another poster, or forgotten")
    posted = load_strings(row["posted"], f"the outbox row {outgoing.id}")
    noted: dict[str, Value] = {
        "posted": dump({**posted, visible.nonce: visible.message})
    }
    if last:
        noted = _ended(State.DONE, visible.now, None)
    connection.execute(update(outbox).where(ROW.id == outgoing.id).values(noted))
    mail_posts.note(connection, row, outgoing, visible)


def close(
    connection: Connection,
    outgoing: Outgoing,
    state: State,
    now: datetime,
    why: str | None = None,
) -> None:
    """End a reply, its text gone; nothing where the claim was lost."""
    ended = update(outbox).where(_ours(outgoing)).values(_ended(state, now, why))
    connection.execute(ended)


def retry(connection: Connection, outgoing: Outgoing, due: datetime) -> None:
    """Let it be claimed from `due` on; nothing where the claim was lost."""
    connection.execute(update(outbox).where(_ours(outgoing)).values(waiting(due)))


def hold_back(connection: Connection, place: Place, message: str, now: datetime) -> int:
    """Bury the replies to a message that no poster had; how many others are open."""
    to_it = and_(
        ROW.platform == place.platform,
        ROW.tenant == place.tenant,
        ROW.channel == place.channel,
        ROW.question == message,
        ROW.finished.is_(None),
    )
    buried = _ended(State.BURIED, now, "its question was edited or deleted")
    unseen = update(outbox).where(to_it, ROW.attempts == 0)
    connection.execute(unseen.values(buried))
    return int(connection.execute(select(func.count()).where(to_it)).scalar_one())


def forget(connection: Connection, asker: str, now: datetime) -> None:
    """Bury what a person would still get, and leave nothing of them in other rows."""
    theirs = ROW.asker == asker
    buried = _ended(State.BURIED, now, "its asker was forgotten")
    still = update(outbox).where(theirs, ROW.finished.is_(None))
    connection.execute(still.values(buried))
    connection.execute(update(outbox).where(theirs).values(asker=""))


def _ended(state: State, now: datetime, why: str | None) -> dict[str, Value]:
    return {
        "channel": "",
        "thread": "",
        "question": None,
        "letter": "",
        "callback": NOTHING,
        "posted": NOTHING,
        "state": state,
        "finished": instant(now),
        "why": why,
    }


def _next(platform: Platform, now: datetime) -> Select[tuple[object, ...]]:
    earlier = outbox.alias("earlier")
    before = exists().where(
        earlier.c.platform == ROW.platform,
        earlier.c.tenant == ROW.tenant,
        earlier.c.channel == ROW.channel,
        earlier.c.thread == ROW.thread,
        or_(ROW.thread != "", earlier.c.asker == ROW.asker),
        earlier.c.finished.is_(None),
        earlier.c.id < ROW.id,
    )
    return (
        select(outbox)
        .where(
            ROW.platform == platform,
            ROW.finished.is_(None),
            ROW.due <= instant(now),
            ~before,
        )
        .order_by(ROW.id)
        .limit(1)
    )


def _ours(outgoing: Outgoing) -> ColumnElement[bool]:
    return and_(
        ROW.id == outgoing.id,
        ROW.state == State.CLAIMED,
        ROW.attempts == outgoing.attempts,
    )
