"""The gap board's rows; transactions are the caller's.

A gap is a group of questions of one pack, of one tenant and asked with the same access
tags. What was asked stands in its outcome; here stand ids, states, and the vector that
a question is grouped by, as long as the question is known.
"""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from enum import StrEnum

import numpy as np
from sqlalchemy import (
    Connection,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from adapters.ledger import commitments
from adapters.ledger.entries import instant
from adapters.ledger.mail_rows import Value, add
from adapters.ledger.mail_schema import feedback
from adapters.ledger.operations_schema import gap_questions, gaps, wishes
from adapters.ledger.schema import messages
from engine.model.frozen import Frozen
from engine.model.ports import Floats
from engine.model.reasons import DOCUMENT_HELPS

BATCH = 500  # ids of one query, well below a database's limit of parameters


class GapState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"  # the gate opens for every question of it that is known
    DISMISSED = "dismissed"  # an owner says that it is none of the pack's


class Wish(StrEnum):
    """What came of the wish to be told when a question can be answered."""

    NOTED = "noted"
    BEFORE = "before"  # it was noted already
    LATE = "late"  # it can be answered by now


class Gap(Frozen):
    """One group of questions.

    `why` says why it is still open, or was dismissed.
    """

    id: str
    pack: str
    tenant: str
    tags: frozenset[str]
    state: GapState
    created: str
    changed: str
    why: str = ""


class Member(Frozen):
    """One question of a gap.

    `reason` is what its reader said, where they did; `wishes` that somebody asked to be
    told when it can be answered.
    """

    gap: str
    audit_id: str
    sequence: int
    created: str
    refused: str | None
    unhelpful: bool
    reason: str | None = None
    wishes: bool = False


class New(Frozen):
    """A question that belongs to no gap yet."""

    audit_id: str
    sequence: int


class Place(Frozen):
    """Whose questions may be of one gap: one pack's, one tenant's, of the same tags."""

    pack: str
    tenant: str
    tags: tuple[str, ...]


def uncollected(connection: Connection, pack: str) -> Sequence[New]:
    """Refused and unhelpful outcomes of a pack that belong to no gap, oldest first."""
    row = messages.c
    held = exists().where(gap_questions.c.audit_id == row.audit_id)
    unhelpful = exists().where(
        feedback.c.audit_id == row.audit_id, feedback.c.helpful.is_(False)
    )
    asked_for = or_(unhelpful, exists().where(wishes.c.audit_id == row.audit_id))
    query = (
        select(row.audit_id, row.sequence)
        .where(
            row.pack == pack, ~held, or_(row.reason_code.in_(DOCUMENT_HELPS), asked_for)
        )
        .order_by(row.sequence)
    )
    return [New.model_validate(dict(r)) for r in connection.execute(query).mappings()]


def unheld(
    connection: Connection, asked: Sequence[tuple[New, Floats]]
) -> Sequence[tuple[New, Floats]]:
    """Those that no other process has put into a gap meanwhile."""
    held = gap_questions.c.audit_id
    ids = [new.audit_id for new, _ in asked]
    taken = set(connection.scalars(select(held).where(held.in_(ids))))
    return [one for one in asked if one[0].audit_id not in taken]


def vectors(connection: Connection, place: Place) -> Mapping[str, Floats]:
    """Gap -> the vector of the first question of it that is known; of open ones."""
    row, held = gaps.c, gap_questions.c
    query = (
        select(row.id, held.vector)
        .join(gap_questions, held.gap == row.id)
        .where(
            row.pack == place.pack,
            row.tenant == place.tenant,
            row.tags == _tags(place.tags),
            row.state != GapState.CLOSED,
            held.vector.is_not(None),
        )
        .order_by(held.sequence.desc())
    )
    found = connection.execute(query)
    return {gap: np.frombuffer(vector, np.float32) for gap, vector in found}


def open_gap(connection: Connection, place: Place, now: datetime) -> str:
    """A new gap; its id."""
    name = secrets.token_hex(6)
    values = {
        "id": name,
        "pack": place.pack,
        "tenant": place.tenant,
        "tags": _tags(place.tags),
        "state": GapState.OPEN,
        "created": instant(now),
        "changed": instant(now),
        "salt": commitments.salt(),
    }
    with commitments.noted(connection, gaps, gaps.c.id == name, now):
        connection.execute(insert(gaps).values(values))
    return name


def put(
    connection: Connection, gap: str, new: New, vector: Floats, now: datetime
) -> bool:
    """Put a question into a gap; False where it belongs to one by now."""
    made: dict[str, Value] = {
        "audit_id": new.audit_id,
        "gap": gap,
        "sequence": new.sequence,
        "salt": commitments.salt(),
    }
    with _of_question(connection, new.audit_id, now):
        if not add(connection, gap_questions, made):
            return False
    held = np.asarray(vector, np.float32).tobytes()
    this = gap_questions.c.audit_id == new.audit_id
    connection.execute(update(gap_questions).where(this).values(vector=held))
    return True


def listed(connection: Connection, pack: str | None = None) -> Sequence[Gap]:
    """The gaps of a pack, or of all."""
    query = select(*(gaps.c[name] for name in Gap.model_fields))
    if pack is not None:
        query = query.where(gaps.c.pack == pack)
    return [
        Gap.model_validate({**row, "tags": json.loads(row["tags"])})
        for row in connection.execute(query.order_by(gaps.c.created)).mappings()
    ]


def counted(connection: Connection) -> Mapping[str, int]:
    """Pack -> how many of its gaps are open."""
    query = select(gaps.c.pack, func.count()).where(gaps.c.state == GapState.OPEN)
    found = connection.execute(query.group_by(gaps.c.pack))
    return {pack: number for pack, number in found}


def members(connection: Connection, ids: Collection[str]) -> Sequence[Member]:
    """The questions of gaps, newest first, with what their readers said of them."""
    row, held, said = messages.c, gap_questions.c, feedback.c
    found: list[Member] = []
    remaining = sorted(ids)
    for at in range(0, len(remaining), BATCH):
        query = (
            select(
                held.gap,
                held.audit_id,
                held.sequence,
                row.created,
                row.reason_code.label("refused"),
                said.helpful.is_(False).label("unhelpful"),
                said.reason,
                exists().where(wishes.c.audit_id == held.audit_id).label("wishes"),
            )
            .join(messages, row.sequence == held.sequence)
            .outerjoin(feedback, said.audit_id == held.audit_id)
            .where(held.gap.in_(remaining[at : at + BATCH]))
        )
        for each in connection.execute(query).mappings():
            flags = {name: bool(each[name]) for name in ("unhelpful", "wishes")}
            found.append(Member.model_validate({**each, **flags}))
    return _once(found)


def move(
    connection: Connection, gap: str, state: GapState, why: str, now: datetime
) -> bool:
    """Bring an open gap into a state; False where it was not open any more.

    A dismissed one can be opened again.
    """
    before = GapState.DISMISSED if state is GapState.OPEN else GapState.OPEN
    moved = (
        update(gaps)
        .where(gaps.c.id == gap, gaps.c.state == before)
        .values(state=state, why=why, changed=instant(now))
    )
    with commitments.noted(connection, gaps, gaps.c.id == gap, now):
        return connection.execute(moved).rowcount > 0


def explain(connection: Connection, gap: str, why: str, now: datetime) -> None:
    """Note why an open gap stays open."""
    this = (gaps.c.id == gap) & (gaps.c.state == GapState.OPEN) & (gaps.c.why != why)
    values = {"why": why, "changed": instant(now)}
    with commitments.noted(connection, gaps, gaps.c.id == gap, now):
        connection.execute(update(gaps).where(this).values(values))


def told(connection: Connection, audit_id: str, now: datetime) -> bool:
    """Note that who asked was told; False where that stood there."""
    row = gap_questions.c
    this = (row.audit_id == audit_id) & row.told.is_(None)
    noted = update(gap_questions).where(this).values(told=instant(now))
    with _of_question(connection, audit_id, now):
        return connection.execute(noted).rowcount > 0


def state_of(connection: Connection, audit_id: str) -> GapState | None:
    """Where the gap of a question stands; None where it belongs to none yet."""
    query = select(gaps.c.state).join(gap_questions, gap_questions.c.gap == gaps.c.id)
    found = connection.scalar(query.where(gap_questions.c.audit_id == audit_id))
    return None if found is None else GapState(found)


def wish(connection: Connection, audit_id: str, asker: str, now: datetime) -> Wish:
    """Note that somebody wants to be told, unless it can be answered by now."""
    if state_of(connection, audit_id) is GapState.CLOSED:
        return Wish.LATE
    kept = {"audit_id": audit_id, "asker": asker, "created": instant(now)}
    this = and_(wishes.c.audit_id == audit_id, wishes.c.asker == asker)
    with commitments.noted(connection, wishes, this, now):
        added = add(connection, wishes, {**kept, "salt": commitments.salt()})
    return Wish.NOTED if added else Wish.BEFORE


def drop_wishes(
    connection: Connection, sequences: Collection[int], now: datetime
) -> None:
    """Nobody is told any more of these questions."""
    asked = select(messages.c.audit_id).where(messages.c.sequence.in_(sequences))
    theirs = wishes.c.audit_id.in_(asked)
    with commitments.noted(connection, wishes, theirs, now):
        connection.execute(delete(wishes).where(theirs))


def blank(connection: Connection, sequences: Collection[int]) -> None:
    """Forget what is known of these questions; that they were asked stays."""
    theirs = gap_questions.c.sequence.in_(sequences)
    connection.execute(update(gap_questions).where(theirs).values(vector=None))


def _of_question(
    connection: Connection, audit_id: str, now: datetime
) -> AbstractContextManager[None]:
    this = gap_questions.c.audit_id == audit_id
    return commitments.noted(connection, gap_questions, this, now)


def _once(found: Sequence[Member]) -> Sequence[Member]:
    """Each question once, though several readers may have judged its answer."""
    kept: dict[str, Member] = {}
    for member in found:
        known = kept.get(member.audit_id)
        if known is None or (member.unhelpful and not known.unhelpful):
            kept[member.audit_id] = member
    return sorted(kept.values(), key=lambda member: -member.sequence)


def _tags(tags: Collection[str]) -> str:
    return json.dumps(sorted(tags))
