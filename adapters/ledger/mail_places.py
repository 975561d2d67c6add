"""What is known of channels, threads and packs; transactions are the caller's."""

from collections.abc import Sequence
from datetime import date, datetime

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, select

from adapters.ledger.entries import instant
from adapters.ledger.mail_records import (
    EVERYWHERE,
    Binding,
    Claimed,
    Thread,
    ThreadNote,
    Verdict,
)
from adapters.ledger.mail_rows import Value, add, dump, load, put
from adapters.ledger.mail_schema import (
    bindings,
    feedback,
    greeted,
    pauses,
    spending,
    threads,
)
from adapters.mail import Place, Platform
from engine.records import Outcome

LONGEST_REASON = 4_000  # characters of a verdict's reason; the rest is dropped
PERSON = "person "  # before a pseudonym, which is no channel

# --- threads ----------------------------------------------------------------------


def keep_thread(
    connection: Connection, note: ThreadNote, outcome: Outcome, now: datetime
) -> None:
    """Keep what was asked last in a thread."""
    asked, place = outcome.question, note.place
    values = {
        "platform": place.platform,
        "tenant": place.tenant,
        "channel": place.channel,
        "thread": place.thread or "",
        "pack": asked.pack,
        "asker": asked.asker,
        "previous": note.previous,
        "question_id": asked.id,
        "changed": instant(now),
    }
    put(connection, threads, values)


def thread(connection: Connection, place: Place) -> Thread | None:
    """What was asked last in the place's thread."""
    query = select(threads).where(_thread(place))
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    return Thread.model_validate({name: row[name] for name in Thread.model_fields})


def leave(connection: Connection, place: Place) -> None:
    """Forget a thread."""
    connection.execute(delete(threads).where(_thread(place)))


# --- bindings ---------------------------------------------------------------------


def bind(connection: Connection, binding: Binding) -> None:
    """Set a binding."""
    key = {
        "platform": binding.platform,
        "tenant": binding.tenant,
        "channel": binding.channel,
    }
    put(connection, bindings, {**key, "binding": dump(binding)})


def unbind(
    connection: Connection, platform: Platform, tenant: str, channel: str
) -> None:
    """Take a binding away."""
    connection.execute(
        delete(bindings).where(_tenant(bindings, platform, tenant), _channel(channel))
    )


def listed(connection: Connection, platform: Platform) -> Sequence[Binding]:
    """Every binding of a platform, by tenant and channel."""
    row = bindings.c
    query = select(row.binding).where(row.platform == platform)
    found = connection.scalars(query.order_by(row.tenant, row.channel))
    return tuple(load(Binding, text, "a channel's binding") for text in found)


def binding(connection: Connection, place: Place) -> Binding | None:
    """What holds in a channel: its own binding, with the tenant's where it has none."""
    own = _bound(connection, place, place.channel)
    whole = _bound(connection, place, EVERYWHERE)
    if own is None or whole is None:
        return own or whole
    paused = own.paused or whole.paused
    chosen = whole if own.pack is None else own
    return chosen.model_copy(update={"channel": own.channel, "paused": paused})


def _bound(connection: Connection, place: Place, channel: str) -> Binding | None:
    tenant = _tenant(bindings, place.platform, place.tenant)
    query = select(bindings.c.binding).where(tenant, _channel(channel))
    text = connection.execute(query).scalar()
    return None if text is None else load(Binding, text, "a channel's binding")


# --- packs and first use ----------------------------------------------------------


def pause(connection: Connection, pack: str, by: str, now: datetime) -> None:
    """Pause a pack."""
    put(connection, pauses, {"pack": pack, "by": by, "created": instant(now)})


def resume(connection: Connection, pack: str) -> None:
    """End its pause."""
    connection.execute(delete(pauses).where(pauses.c.pack == pack))


def paused(connection: Connection, pack: str) -> bool:
    """Whether a pack is paused."""
    query = select(pauses.c.pack).where(pauses.c.pack == pack)
    return connection.execute(query).first() is not None


def spend(connection: Connection, day: date, pack: str, millionths: int) -> int:
    """Add to what a pack spent on a day; the sum."""
    row, written = spending.c, day.isoformat()
    this = and_(row.day == written, row.pack == pack)
    query = select(row.millionths).where(this).with_for_update()
    total = (connection.execute(query).scalar() or 0) + millionths
    values: dict[str, Value] = {"day": written, "pack": pack, "millionths": int(total)}
    put(connection, spending, values)
    return int(total)


def greet(connection: Connection, claimed: Claimed, now: datetime) -> bool:
    """Whether an event is the one that is told of what is stored."""
    place = claimed.incoming.place
    whom = person(claimed.asker) if place.private else place.channel
    values = {
        "platform": place.platform,
        "tenant": place.tenant,
        "whom": whom,
        "event": claimed.incoming.event,
        "created": instant(now),
    }
    if add(connection, greeted, values):
        return True
    row = greeted.c
    tenant = _tenant(greeted, place.platform, place.tenant)
    same = select(row.whom).where(
        tenant, row.whom == whom, row.event == claimed.incoming.event
    )
    return connection.execute(same).first() is not None


def person(asker: str) -> str:
    """How a person stands among those who were greeted."""
    return PERSON + asker


def keep_verdict(connection: Connection, verdict: Verdict, now: datetime) -> None:
    """Keep what a reader thought of an answer."""
    values: dict[str, Value] = {
        "audit_id": verdict.audit_id,
        "asker": verdict.asker,
        "helpful": verdict.helpful,
        "reason": verdict.reason and verdict.reason[:LONGEST_REASON],
        "created": instant(now),
    }
    put(connection, feedback, values)


# --- keys -------------------------------------------------------------------------


def _tenant(table: Table, platform: Platform, tenant: str) -> ColumnElement[bool]:
    return and_(table.c.platform == platform, table.c.tenant == tenant)


def _channel(channel: str) -> ColumnElement[bool]:
    return bindings.c.channel == channel


def _thread(place: Place) -> ColumnElement[bool]:
    row = threads.c
    return and_(
        _tenant(threads, place.platform, place.tenant),
        row.channel == place.channel,
        row.thread == (place.thread or ""),
    )
