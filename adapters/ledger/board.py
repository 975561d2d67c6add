"""The gap board of a ledger: every method is one transaction (R-D6)."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection

from adapters.ledger import gaps, history, mail_outbox, mail_posts, versions
from adapters.ledger.gaps import Gap, GapState, Member, New, Place
from adapters.ledger.history import Stored
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import PostedReply
from adapters.ledger.store import SqlLedger
from engine.model.document import Membership, VersionState, shelves_of
from engine.model.ports import Floats

# How near two questions are whose meaning is taken for the same; chosen by eye.
SAME = 0.8

Letters = Callable[[Sequence[PostedReply]], Reply | None]


class Board:
    """Questions that were refused or not answered well, in groups.

    Every method raises LedgerFailed where the database does not do it.

    Args:
        ledger: whose outcomes and verdicts they are.
    """

    def __init__(self, ledger: SqlLedger) -> None:
        self._transactions = ledger.transactions
        self._clock = ledger.clock

    async def uncollected(self, pack: str) -> Sequence[New]:
        """What belongs to no gap yet, oldest first."""
        return await self._transactions.read(lambda c: gaps.uncollected(c, pack))

    async def stored(self, audit_ids: Sequence[str]) -> Sequence[Stored]:
        """The outcomes of these ids, oldest first."""
        return await self._transactions.read(lambda c: history.by_ids(c, audit_ids))

    async def put(self, place: Place, asked: Sequence[tuple[New, Floats]]) -> None:
        """Put questions of one place into the gaps that they are nearest to."""
        now = self._clock.now()
        await self._transactions.append(
            lambda connection: _sort(
                gaps.unheld(connection, asked),
                dict(gaps.vectors(connection, place)),
                lambda: gaps.open_gap(connection, place, now),
                lambda gap, new, vector: gaps.put(connection, gap, new, vector, now),
            )
        )

    async def gaps(self, pack: str | None = None) -> Sequence[Gap]:
        """Every gap of a pack, or of all packs."""
        return await self._transactions.read(lambda c: gaps.listed(c, pack))

    async def members(self, found: Sequence[Gap]) -> Mapping[str, Sequence[Member]]:
        """Gap -> its questions, newest first."""
        ids = [gap.id for gap in found]
        rows = await self._transactions.read(lambda c: gaps.members(c, ids))
        sorted_out: dict[str, list[Member]] = {gap: [] for gap in ids}
        for member in rows:
            sorted_out[member.gap].append(member)
        return sorted_out

    async def documents(self, pack: str, tenant: str) -> Mapping[str, Membership]:
        """The current documents that a tenant's people look into, by id."""
        found: dict[str, Membership] = {}
        for shelf in shelves_of(pack, tenant):
            members = await self._transactions.read(
                lambda c, shelf=shelf: versions.members(c, shelf)  # type: ignore[misc]
            )
            for member in members:
                if member.state is VersionState.CURRENT:
                    found.setdefault(member.document, member)
        return found

    async def dismiss(self, gap: str, why: str) -> bool:
        """Take an open gap off the board; False where it was not open."""
        now, state = self._clock.now(), GapState.DISMISSED
        return await self._transactions.append(
            lambda c: gaps.move(c, gap, state, why, now)
        )

    async def reopen(self, gap: str) -> bool:
        """Bring a dismissed gap back; False where it was not dismissed."""
        now, state = self._clock.now(), GapState.OPEN
        return await self._transactions.append(
            lambda c: gaps.move(c, gap, state, "", now)
        )

    async def explain(self, gap: str, why: str) -> None:
        """Note why a gap stays open."""
        now = self._clock.now()
        await self._transactions.append(lambda c: gaps.explain(c, gap, why, now))

    async def close(
        self, gap: str, why: str, tell: Sequence[str], letter: Letters
    ) -> int | None:
        """Close an open gap, and tell those who wanted to know, in one transaction.

        Args:
            gap: its id.
            why: in a few words.
            tell: audit ids of the questions whose askers are told.
            letter: what goes where the reply to a question stands; None where that
                cannot be reached.

        Returns:
            How many are told; None where the gap was not open any more.
        """
        now = self._clock.now()

        def work(connection: Connection) -> int | None:
            if not gaps.move(connection, gap, GapState.CLOSED, why, now):
                return None
            number = 0
            for audit_id in tell:
                reply = letter(mail_posts.posts_with(connection, audit_id))
                if reply is not None and gaps.told(connection, audit_id, now):
                    mail_outbox.put(connection, reply, now)
                    number += 1
            return number

        return await self._transactions.append(work)


def _sort(
    asked: Sequence[tuple[New, Floats]],
    known: dict[str, Floats],
    new_gap: Callable[[], str],
    put: Callable[[str, New, Floats], bool],
) -> None:
    """Each question into the nearest gap, or into one of its own."""
    for new, vector in asked:
        near = {gap: float(np.dot(held, vector)) for gap, held in known.items()}
        best = max(near, key=lambda gap: near[gap], default=None)
        if best is None or near[best] < SAME:
            best = new_gap()
            known[best] = vector
        put(best, new, vector)
