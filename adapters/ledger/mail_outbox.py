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
from adapters.ledger.entries import format_instant
from adapters.ledger.mail_posts import Visible
from adapters.ledger.mail_records import (
    Claimed,
    ClaimLost,
    Letter,
    PostedReply,
)
from adapters.ledger.mail_rows import Value, dump, load, load_strings, make_waiting
from adapters.ledger.schema import AT_ONCE, State, outbox
from adapters.mail import ABOUT_DATA, Outgoing, Place, Platform
from engine.model.outcome import Outcome

ROW = outbox.c
NOTHING = "{}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A letter, the event it answers, and whether it may use the event's callback.

    `about` is the visible reply that it changes, where no event asked for that.
    """

    claimed: Claimed
    letter: Letter
    outcome: Outcome | None = None
    callback: bool = True
    about: PostedReply | None = None


def put(connection: Connection, reply: Reply, now: datetime) -> None:
    """Add a reply, in a transaction that locks the chain so that ids grow."""
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
        # A reply about a person's data is not stored as data of that person.
        "asker": "" if incoming.action in ABOUT_DATA else reply.claimed.asker,
        "letter": dump(reply.letter.model_copy(update={"person": person})),
        "callback": NOTHING,
        "posted": NOTHING,
        "state": State.WAITING,
        "attempts": 0,
        "due": AT_ONCE,
        "created": format_instant(now),
    }
    if reply.callback and incoming.callback:
        values["callback"] = dump(dict(incoming.callback))
        if incoming.respond_by is not None:
            values["respond_by"] = format_instant(incoming.respond_by)
    if reply.outcome is not None:
        asked = reply.outcome.question
        values["question_id"], values["pack"] = asked.id, asked.pack
        values["audit_id"] = reply.outcome.audit_id
    if reply.about is not None:
        for name in ("question_id", "pack", "audit_id"):
            values[name] = getattr(reply.about, name)
    connection.execute(insert(outbox).values(values))


def has_due(connection: Connection, platform: Platform, now: datetime) -> bool:
    """Tell whether a reply is due to be posted."""
    return connection.execute(_select_next(platform, now)).first() is not None


def claim(
    connection: Connection,
    platform: Platform,
    worker: str,
    now: datetime,
    until: datetime,
) -> RowMapping | None:
    """Claim the oldest reply that may be posted; return its row as it was before."""
    query = _select_next(platform, now).with_for_update(skip_locked=True, of=outbox)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    taken = {
        "state": State.CLAIMED,
        "worker": worker,
        "due": format_instant(until),
        "attempts": row["attempts"] + 1,
    }
    connection.execute(update(outbox).where(ROW.id == row["id"]).values(taken))
    return row


def read_outgoing(row: RowMapping) -> Outgoing:
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


def note_delivered(
    connection: Connection, outgoing: Outgoing, visible: Visible, *, last: bool
) -> None:
    """Note a visible part of a reply; the last part ends it.

    Raises:
        ClaimLost: the reply is not this claim's any more.
    """
    query = select(outbox).where(_match_claim(outgoing)).with_for_update()
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise ClaimLost("the reply was taken over by another poster, or forgotten")
    posted = load_strings(row["posted"], f"the outbox row {outgoing.id}")
    noted: dict[str, Value] = {
        "posted": dump({**posted, visible.nonce: visible.message})
    }
    if last:
        noted = _make_end(State.DONE, visible.now, None)
    connection.execute(update(outbox).where(ROW.id == outgoing.id).values(noted))
    mail_posts.note_part(connection, row, outgoing, visible)


def close(
    connection: Connection,
    outgoing: Outgoing,
    state: State,
    now: datetime,
    why: str | None = None,
) -> None:
    """End a reply and delete its text; do nothing where the claim was lost."""
    ended = (
        update(outbox).where(_match_claim(outgoing)).values(_make_end(state, now, why))
    )
    connection.execute(ended)


def retry(connection: Connection, outgoing: Outgoing, due: datetime) -> None:
    """Make a reply claimable from `due` on; do nothing where the claim was lost."""
    connection.execute(
        update(outbox).where(_match_claim(outgoing)).values(make_waiting(due))
    )


def hold_back(connection: Connection, place: Place, message: str, now: datetime) -> int:
    """Bury the untried replies to a message; return how many others are open."""
    to_it = and_(
        ROW.platform == place.platform,
        ROW.tenant == place.tenant,
        ROW.channel == place.channel,
        ROW.question == message,
        ROW.finished.is_(None),
    )
    buried = _make_end(State.BURIED, now, "its question was edited or deleted")
    unseen = update(outbox).where(to_it, ROW.attempts == 0)
    connection.execute(unseen.values(buried))
    return int(connection.execute(select(func.count()).where(to_it)).scalar_one())


def forget(connection: Connection, asker: str, now: datetime) -> None:
    """Bury a person's open replies and blank them in all other rows."""
    theirs = ROW.asker == asker
    buried = _make_end(State.BURIED, now, "its asker was forgotten")
    still = update(outbox).where(theirs, ROW.finished.is_(None))
    connection.execute(still.values(buried))
    connection.execute(update(outbox).where(theirs).values(asker=""))


def _make_end(state: State, now: datetime, why: str | None) -> dict[str, Value]:
    return {
        "channel": "",
        "thread": "",
        "question": None,
        "letter": "",
        "callback": NOTHING,
        "posted": NOTHING,
        "state": state,
        "finished": format_instant(now),
        "why": why,
    }


def _select_next(platform: Platform, now: datetime) -> Select[tuple[object, ...]]:
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
            ROW.due <= format_instant(now),
            ~before,
        )
        .order_by(ROW.id)
        .limit(1)
    )


def _match_claim(outgoing: Outgoing) -> ColumnElement[bool]:
    return and_(
        ROW.id == outgoing.id,
        ROW.state == State.CLAIMED,
        ROW.attempts == outgoing.attempts,
    )
