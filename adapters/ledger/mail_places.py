"""Rows of threads, packs and readers; transactions are the caller's."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    delete,
    func,
    select,
    update,
)

from adapters.ledger import commitments
from adapters.ledger.entries import format_instant
from adapters.ledger.mail_records import (
    NONE_OF_THESE,
    Claimed,
    Thread,
    ThreadNote,
    Verdict,
)
from adapters.ledger.mail_rows import Value, add, put
from adapters.ledger.schema import (
    feedback,
    greeted,
    inbox,
    messages,
    outbox,
    pauses,
    spending,
    threads,
)
from adapters.mail import Place, Platform
from engine.model.outcome import Outcome
from engine.model.question import Question
from engine.parse.context import find_context

LONGEST_REASON = 4_000  # characters of a verdict's reason; the rest is dropped
PERSON = "person "  # prefix of a pseudonym, to tell it from a channel
HELPFUL, NOT_HELPFUL = "helpful", "not helpful"

# --- threads ----------------------------------------------------------------------


def keep_thread(
    connection: Connection, note: ThreadNote, outcome: Outcome, now: datetime
) -> None:
    """Store the last question of a thread, for a follow-up.

    A follow-up may not refer to a question out of scope, nor to a follow-up that was
    refused: the thread then keeps the question before it. An edit replaces its
    question, if that was the last.
    """
    asked, place = outcome.question, note.place
    outside = find_context(outcome) is None
    last, before = find_thread(connection, place), None
    if last is not None and _may_lean_on(last, place, asked):
        edited = place.message is not None and last.message == place.message
        if outside and not edited:
            return
        before = last.before if edited else last.audit_id
    values = {
        "platform": place.platform,
        "tenant": place.tenant,
        "channel": place.channel,
        "thread": place.thread or "",
        "pack": asked.pack,
        "asker": asked.asker,
        "previous": "" if outside else note.previous,
        "question_id": asked.id,
        "message": place.message,
        "audit_id": None if outside else outcome.audit_id,
        "before": before,
        "private": place.private,
        "changed": format_instant(now),
    }
    put(connection, threads, values)


def _may_lean_on(last: Thread, place: Place, asked: Question) -> bool:
    """Tell whether a question may be a follow-up to the last one of its thread."""
    same = last.pack == asked.pack and last.private == place.private
    return same and (not last.private or last.asker == asked.asker)


def find_thread(connection: Connection, place: Place) -> Thread | None:
    """Find the last question of the place's thread; return None where it has none."""
    query = select(threads).where(_match_thread(place))
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    return Thread.model_validate({name: row[name] for name in Thread.model_fields})


def forget_thread(connection: Connection, place: Place) -> None:
    """Delete a thread."""
    connection.execute(delete(threads).where(_match_thread(place)))


# --- packs and first use ----------------------------------------------------------


def pause(connection: Connection, now: datetime, pack: str, by: str) -> None:
    """Pause a pack everywhere; a single channel is paused by its binding."""
    values = {"by": by, "created": format_instant(now), "salt": commitments.make_salt()}
    with commitments.note_changes(connection, pauses, pauses.c.pack == pack, now):
        put(connection, pauses, {"pack": pack, **values})


def resume(connection: Connection, now: datetime, pack: str) -> None:
    """End the pause of a pack."""
    this = pauses.c.pack == pack
    with commitments.note_changes(connection, pauses, this, now):
        connection.execute(delete(pauses).where(this))


def is_paused(connection: Connection, pack: str) -> bool:
    """Tell whether a pack is paused everywhere."""
    query = select(pauses.c.pack).where(pauses.c.pack == pack)
    return connection.execute(query).first() is not None


def spend(connection: Connection, day: date, pack: str, millionths: int) -> int:
    """Add to a pack's spending on a day and return the sum, in millionths."""
    query = _select_spending(day, pack).with_for_update()
    total = int(connection.execute(query).scalar() or 0) + millionths
    values: dict[str, Value] = {
        "day": day.isoformat(),
        "pack": pack,
        "millionths": total,
    }
    put(connection, spending, values)
    return total


def read_spending(connection: Connection, day: date, pack: str) -> int:
    """Read a pack's spending on a day, in millionths."""
    return int(connection.execute(_select_spending(day, pack)).scalar() or 0)


def _select_spending(day: date, pack: str) -> Select[int]:
    row = spending.c
    return select(row.millionths).where(row.day == day.isoformat(), row.pack == pack)


def greet(connection: Connection, now: datetime, claimed: Claimed) -> bool:
    """Note the first use and return True for the event whose reply greets.

    It is the first use of a channel, or of a person where the reply is private. The
    same event greets again on a second attempt, and the next event does where the
    greeting reply was never shown.
    """
    place, event = claimed.incoming.place, claimed.incoming.event
    values: dict[str, Value] = {
        "platform": place.platform,
        "tenant": place.tenant,
        "whom": _choose_greeted(place, claimed.asker),
        "event": event,
        "shown": False,
        "created": format_instant(now),
    }
    if add(connection, greeted, values):
        return True
    told = _match_greeted(place, claimed.asker)
    query = select(greeted.c.event, greeted.c.shown).where(told).with_for_update()
    first, shown = connection.execute(query).one()
    if first == event:
        return True
    if shown or _is_open(connection, place.platform, first):
        return False
    put(connection, greeted, values)  # the reply with the greeting was held back
    return True


def note_greeting_shown(
    connection: Connection, place: Place, asker: str, event: str
) -> None:
    """Note that the reply to an event is visible, with its greeting if it had one."""
    row = greeted.c
    this = and_(_match_greeted(place, asker), row.event == event, ~row.shown)
    connection.execute(update(greeted).where(this).values(shown=True))


def _is_open(connection: Connection, platform: Platform, event: str) -> bool:
    """Tell whether an event or its reply is still open."""
    return any(
        connection.execute(
            select(table.c.event).where(
                table.c.platform == platform,
                table.c.event == event,
                table.c.finished.is_(None),
            )
        ).first()
        for table in (inbox, outbox)
    )


def _choose_greeted(place: Place, asker: str) -> str:
    """Choose the key of the greeted: the person in private, else the channel."""
    return make_person_key(asker) if place.private else place.channel


def _match_greeted(place: Place, asker: str) -> ColumnElement[bool]:
    tenant = _match_tenant(greeted, place.platform, place.tenant)
    return and_(tenant, greeted.c.whom == _choose_greeted(place, asker))


def make_person_key(asker: str) -> str:
    """Make the key of a person in `greeted`."""
    return PERSON + asker


def keep_verdict(connection: Connection, now: datetime, verdict: Verdict) -> bool:
    """Store a reader's verdict, in place of an earlier one of the same reader.

    Return False where it repeats the earlier one.
    """
    values: dict[str, Value] = {
        "audit_id": verdict.audit_id,
        "asker": verdict.asker,
        "helpful": verdict.helpful,
        "reason": verdict.reason and verdict.reason[:LONGEST_REASON],
        "created": format_instant(now),
        "salt": commitments.make_salt(),
    }
    row, same = feedback.c, ("audit_id", "asker", "helpful", "reason")
    known = select(row.created).where(*(row[name] == values[name] for name in same))
    stood = connection.execute(known).first() is not None
    mine = and_(row.audit_id == verdict.audit_id, row.asker == verdict.asker)
    with commitments.note_changes(connection, feedback, mine, now):
        put(connection, feedback, values)
    return not stood


# --- keys -------------------------------------------------------------------------


def _match_tenant(table: Table, platform: Platform, tenant: str) -> ColumnElement[bool]:
    return and_(table.c.platform == platform, table.c.tenant == tenant)


def _match_thread(place: Place) -> ColumnElement[bool]:
    row = threads.c
    return and_(
        _match_tenant(threads, place.platform, place.tenant),
        row.channel == place.channel,
        row.thread == (place.thread or ""),
    )


def count_verdicts(
    connection: Connection, pack: str, since: datetime, until: datetime
) -> Mapping[str, int]:
    """Count verdicts in [since, until): helpful, not helpful, none of these."""
    row = feedback.c
    none = row.reason == NONE_OF_THESE
    query = (
        select(row.helpful, none, func.count())
        .join(messages, messages.c.audit_id == row.audit_id)
        .where(
            messages.c.pack == pack,
            row.created >= format_instant(since),
            row.created < format_instant(until),
        )
        .group_by(row.helpful, none)
    )
    found = {HELPFUL: 0, NOT_HELPFUL: 0, NONE_OF_THESE: 0}
    for helpful, of_none, number in connection.execute(query):
        said = HELPFUL if helpful else NONE_OF_THESE if of_none else NOT_HELPFUL
        found[said] += number
    return found


def list_disliked(connection: Connection, pack: str, most: int) -> Sequence[str]:
    """List the ids of outcomes that readers found not helpful, newest first."""
    query = (
        select(feedback.c.audit_id)
        .join(messages, messages.c.audit_id == feedback.c.audit_id)
        .where(messages.c.pack == pack, feedback.c.helpful.is_(False))
        .group_by(feedback.c.audit_id)
        .order_by(func.max(feedback.c.created).desc())
        .limit(most)
    )
    return connection.scalars(query).all()
