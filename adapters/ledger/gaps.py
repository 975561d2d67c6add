"""The gap board: questions that were refused or not answered well, in groups.

A gap is a group of questions of one pack and one tenant, asked with the same access
tags. The text of a question is in its outcome; the rows here hold ids, states, and the
vector that a question is grouped by, until the question is forgotten.
"""

import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
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

from adapters.ledger import (
    commitments,
    history,
    mail_outbox,
    mail_posts,
    versions,
)
from adapters.ledger.entries import format_instant
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import PostedReply
from adapters.ledger.mail_rows import Value, add
from adapters.ledger.schema import feedback, gap_questions, gaps, messages, wishes
from adapters.ledger.transactions import LedgerPart, appending, reading
from engine.model.document import Membership, VersionState, shelves_of
from engine.model.frozen import Frozen
from engine.model.ports import Floats
from engine.model.reasons import DOCUMENT_HELPS

BATCH = 500  # ids of one query, well below a database's limit of parameters
# Cosine from which two questions are taken to mean the same; chosen by eye.
SAME = 0.8
Letters = Callable[[Sequence[PostedReply]], Reply | None]


class GapState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"  # the gate opens for every known question of it
    DISMISSED = "dismissed"  # an owner says that it is not for this pack


class Wish(StrEnum):
    """The result of a wish to be told when a question can be answered."""

    NOTED = "noted"
    BEFORE = "before"  # it was noted already
    LATE = "late"  # it can be answered by now


class Gap(Frozen):
    """One group of questions.

    `why` gives the reason why it is still open, or was dismissed.
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

    `reason` is what its reader gave as one, if any; `wishes` says whether somebody
    asked to be told when it can be answered.
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
    """The pack, tenant and access tags that the questions of one gap share."""

    pack: str
    tenant: str
    tags: tuple[str, ...]


def list_uncollected(connection: Connection, pack: str) -> Sequence[New]:
    """List refused and unhelpful outcomes of a pack without a gap, oldest first."""
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


def drop_collected(
    connection: Connection, asked: Sequence[tuple[New, Floats]]
) -> Sequence[tuple[New, Floats]]:
    """Leave out questions that another process has put into a gap meanwhile."""
    held = gap_questions.c.audit_id
    ids = [new.audit_id for new, _ in asked]
    taken = set(connection.scalars(select(held).where(held.in_(ids))))
    return [one for one in asked if one[0].audit_id not in taken]


def map_vectors(connection: Connection, place: Place) -> Mapping[str, Floats]:
    """Map each gap that is not closed to the vector of its first known question."""
    row, held = gaps.c, gap_questions.c
    query = (
        select(row.id, held.vector)
        .join(gap_questions, held.gap == row.id)
        .where(
            row.pack == place.pack,
            row.tenant == place.tenant,
            row.tags == _dump_tags(place.tags),
            row.state != GapState.CLOSED,
            held.vector.is_not(None),
        )
        .order_by(held.sequence.desc())
    )
    found = connection.execute(query)
    return {gap: np.frombuffer(vector, np.float32) for gap, vector in found}


def open_gap(connection: Connection, place: Place, now: datetime) -> str:
    """Insert a new gap and return its id."""
    name = secrets.token_hex(6)
    values = {
        "id": name,
        "pack": place.pack,
        "tenant": place.tenant,
        "tags": _dump_tags(place.tags),
        "state": GapState.OPEN,
        "created": format_instant(now),
        "changed": format_instant(now),
        "salt": commitments.make_salt(),
    }
    with commitments.note_changes(connection, gaps, gaps.c.id == name, now):
        connection.execute(insert(gaps).values(values))
    return name


def put_question(
    connection: Connection, gap: str, new: New, vector: Floats, now: datetime
) -> bool:
    """Put a question into a gap; return False where it belongs to one already."""
    made: dict[str, Value] = {
        "audit_id": new.audit_id,
        "gap": gap,
        "sequence": new.sequence,
        "salt": commitments.make_salt(),
    }
    with _note_question(connection, new.audit_id, now):
        if not add(connection, gap_questions, made):
            return False
    held = np.asarray(vector, np.float32).tobytes()
    this = gap_questions.c.audit_id == new.audit_id
    connection.execute(update(gap_questions).where(this).values(vector=held))
    return True


def list_gaps(connection: Connection, pack: str | None = None) -> Sequence[Gap]:
    """List every gap of a pack, or of all packs."""
    query = select(*(gaps.c[name] for name in Gap.model_fields))
    if pack is not None:
        query = query.where(gaps.c.pack == pack)
    return [
        Gap.model_validate({**row, "tags": json.loads(row["tags"])})
        for row in connection.execute(query.order_by(gaps.c.created)).mappings()
    ]


def count_open(connection: Connection) -> Mapping[str, int]:
    """Count the open gaps of each pack."""
    query = select(gaps.c.pack, func.count()).where(gaps.c.state == GapState.OPEN)
    found = connection.execute(query.group_by(gaps.c.pack))
    return {pack: number for pack, number in found}


def list_members(connection: Connection, ids: Collection[str]) -> Sequence[Member]:
    """List the questions of gaps, newest first, with what readers said of them."""
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
    return _keep_once(found)


def move(
    connection: Connection, gap: str, state: GapState, why: str, now: datetime
) -> bool:
    """Move an open gap to a state, or a dismissed one back to open.

    Return False where it was in another state.
    """
    before = GapState.DISMISSED if state is GapState.OPEN else GapState.OPEN
    moved = (
        update(gaps)
        .where(gaps.c.id == gap, gaps.c.state == before)
        .values(state=state, why=why, changed=format_instant(now))
    )
    with commitments.note_changes(connection, gaps, gaps.c.id == gap, now):
        return connection.execute(moved).rowcount > 0


def explain(connection: Connection, now: datetime, gap: str, why: str) -> None:
    """Note why an open gap stays open."""
    this = (gaps.c.id == gap) & (gaps.c.state == GapState.OPEN) & (gaps.c.why != why)
    values = {"why": why, "changed": format_instant(now)}
    with commitments.note_changes(connection, gaps, gaps.c.id == gap, now):
        connection.execute(update(gaps).where(this).values(values))


def note_told(connection: Connection, audit_id: str, now: datetime) -> bool:
    """Note that the asker was told; return False where that was noted before."""
    row = gap_questions.c
    this = (row.audit_id == audit_id) & row.told.is_(None)
    noted = update(gap_questions).where(this).values(told=format_instant(now))
    with _note_question(connection, audit_id, now):
        return connection.execute(noted).rowcount > 0


def find_state(connection: Connection, audit_id: str) -> GapState | None:
    """Find the state of a question's gap; return None where it has no gap yet."""
    query = select(gaps.c.state).join(gap_questions, gap_questions.c.gap == gaps.c.id)
    found = connection.scalar(query.where(gap_questions.c.audit_id == audit_id))
    return None if found is None else GapState(found)


def note_wish(connection: Connection, now: datetime, audit_id: str, asker: str) -> Wish:
    """Note that a reader wants to be told when the question can be answered."""
    if find_state(connection, audit_id) is GapState.CLOSED:
        return Wish.LATE
    kept = {"audit_id": audit_id, "asker": asker, "created": format_instant(now)}
    this = and_(wishes.c.audit_id == audit_id, wishes.c.asker == asker)
    with commitments.note_changes(connection, wishes, this, now):
        added = add(connection, wishes, {**kept, "salt": commitments.make_salt()})
    return Wish.NOTED if added else Wish.BEFORE


def drop_wishes(
    connection: Connection, sequences: Collection[int], now: datetime
) -> None:
    """Delete the wishes to be told of these questions."""
    asked = select(messages.c.audit_id).where(messages.c.sequence.in_(sequences))
    theirs = wishes.c.audit_id.in_(asked)
    with commitments.note_changes(connection, wishes, theirs, now):
        connection.execute(delete(wishes).where(theirs))


def blank_vectors(connection: Connection, sequences: Collection[int]) -> None:
    """Delete the vectors of these questions and keep that they were asked."""
    theirs = gap_questions.c.sequence.in_(sequences)
    connection.execute(update(gap_questions).where(theirs).values(vector=None))


def _note_question(
    connection: Connection, audit_id: str, now: datetime
) -> AbstractContextManager[None]:
    this = gap_questions.c.audit_id == audit_id
    return commitments.note_changes(connection, gap_questions, this, now)


def _keep_once(found: Sequence[Member]) -> Sequence[Member]:
    """Keep each question once, though several readers may have judged its answer."""
    kept: dict[str, Member] = {}
    for member in found:
        known = kept.get(member.audit_id)
        if known is None or (member.unhelpful and not known.unhelpful):
            kept[member.audit_id] = member
    return sorted(kept.values(), key=lambda member: -member.sequence)


def _dump_tags(tags: Collection[str]) -> str:
    return json.dumps(sorted(tags))


def collect(
    connection: Connection,
    now: datetime,
    place: Place,
    asked: Sequence[tuple[New, Floats]],
) -> None:
    """Put questions of one place into the nearest gaps, or into new ones."""
    known = dict(map_vectors(connection, place))
    for new, vector in drop_collected(connection, asked):
        near = {gap: float(np.dot(held, vector)) for gap, held in known.items()}
        best = max(near, key=lambda gap: near[gap], default=None)
        if best is None or near[best] < SAME:
            best = open_gap(connection, place, now)
            known[best] = vector
        put_question(connection, best, new, vector, now)


def dismiss(connection: Connection, now: datetime, gap: str, why: str) -> bool:
    """Take an open gap off the board; return False where it was not open."""
    return move(connection, gap, GapState.DISMISSED, why, now)


def reopen(connection: Connection, now: datetime, gap: str) -> bool:
    """Bring a dismissed gap back; return False where it was not dismissed."""
    return move(connection, gap, GapState.OPEN, "", now)


class Board(LedgerPart):
    """Questions that were refused or not answered well, in groups."""

    uncollected = reading(list_uncollected)
    stored = reading(history.read_by_ids)
    put = appending(collect)
    gaps = reading(list_gaps)
    dismiss = appending(dismiss)
    reopen = appending(reopen)
    explain = appending(explain)

    async def members(self, found: Sequence[Gap]) -> Mapping[str, Sequence[Member]]:
        """List the questions of each gap, newest first."""
        ids = [gap.id for gap in found]
        rows = await self.transactions.read(lambda c: list_members(c, ids))
        return {gap: [row for row in rows if row.gap == gap] for gap in ids}

    async def documents(self, pack: str, tenant: str) -> Mapping[str, Membership]:
        """Map the ids of the current documents that a tenant sees to memberships."""

        def read(connection: Connection) -> Mapping[str, Membership]:
            return {
                member.document: member
                for shelf in reversed(shelves_of(pack, tenant))
                for member in versions.list_members(connection, shelf)
                if member.state is VersionState.CURRENT
            }

        return await self.transactions.read(read)

    async def close(
        self, gap: str, why: str, tell: Sequence[str], letter: Letters
    ) -> int | None:
        """Close an open gap and tell its askers, in one transaction.

        Args:
            gap: its id.
            why: the reason, in a few words.
            tell: audit ids of the questions whose askers are told.
            letter: make the message for the place of a question's reply; it returns
                None where that place cannot be reached.

        Returns:
            The number of askers told; None where the gap was not open.
        """
        now = self.clock.now()

        def work(connection: Connection) -> int | None:
            if not move(connection, gap, GapState.CLOSED, why, now):
                return None
            number = 0
            for audit_id in tell:
                reply = letter(mail_posts.list_showing(connection, audit_id))
                if reply is not None and note_told(connection, audit_id, now):
                    mail_outbox.put(connection, reply, now)
                    number += 1
            return number

        return await self.transactions.append(work)
