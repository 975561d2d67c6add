"""Inbox and outbox in the ledger's database: nothing is lost, nothing is sent twice.

Every call is one transaction. An event is committed before its arrival is acknowledged
to the platform; its outcome, audit record, reply and the end of its inbox row are one
commit; a reply stays until its parts are visible. A row is claimed for a lease: when a
process dies, its leases end and another process takes over.

Only the claim of an event does not wait for the disk: if a loss of power takes it back,
it is made again. The claim of a reply does wait, because the next poster has to know
that the reply was tried.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, Connection, func, select

from adapters.ledger import (
    chain,
    gaps,
    mail_bindings,
    mail_inbox,
    mail_outbox,
    mail_places,
    mail_posts,
    mail_rows,
    messages,
    retention,
)
from adapters.ledger.entries import format_instant
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_posts import Visible
from adapters.ledger.mail_records import (
    Claimed,
    ClockDoubt,
    Cost,
    Letter,
    PostedReply,
    Recent,
    ThreadNote,
)
from adapters.ledger.schema import State, inbox, outbox
from adapters.ledger.transactions import LedgerPart, appending, reading, writing
from adapters.mail import Accepted, Incoming, Outgoing, Part, Place, Platform
from engine.model.outcome import Outcome

Render = Callable[[Outcome], Sequence[Part]]


@dataclass(frozen=True, slots=True)
class Farewell:
    """The deletion of a person's visible replies when they are forgotten.

    Attributes:
        claimed: the event that asks for it.
        letters: make the letters that delete these replies.
        most: the number of replies, newest first, that are deleted.
    """

    claimed: Claimed
    letters: Callable[[Sequence[PostedReply]], Sequence[Letter]]
    most: int


class Mailbox(LedgerPart):
    """The inbox and outbox of one installation, with threads, bindings and verdicts."""

    # --- inbox ------------------------------------------------------------------------

    waiting = reading(mail_inbox.count_open)
    admit = appending(mail_inbox.admit)
    warn = writing(mail_inbox.warn)
    taken_away = reading(mail_inbox.was_deleted)
    stopped = reading(mail_inbox.was_stopped)

    async def accept(self, incoming: Incoming, asker: str, limit: int) -> Accepted:
        """Commit an event; only then may its arrival be acknowledged.

        A question that comes when `limit` events are open is FULL: the caller answers
        so at once, and the same event is a REPEAT when it comes again. Only questions
        are turned away, never an edit, a deletion or "forget me".

        Args:
            incoming: the event.
            asker: pseudonym of `incoming.person`.
            limit: open events from which questions are turned away.
        """
        return await self.transactions.write(
            lambda c: mail_inbox.accept(c, incoming, asker, limit), urgent=True
        )

    async def claim(self, worker: str, lease_s: float) -> Claimed | None:
        """Claim the oldest waiting event for `lease_s` seconds; return None if none is.

        Events of one person in one thread come in order: the next is not handed out
        before the previous one is done.
        """
        lease = timedelta(seconds=lease_s)
        now = self.clock.now()
        if not await self.transactions.read(lambda c: mail_inbox.has_due(c, now)):
            return None  # checked without a lock, so that idle workers delay no other
        row = await self.transactions.mark(
            lambda c: mail_inbox.claim(c, worker, now, now + lease)
        )
        return None if row is None else mail_inbox.read_claimed(row, worker)

    async def settle(
        self,
        claimed: Claimed,
        outcome: Outcome,
        render: Render,
        thread: ThreadNote | None = None,
        cost: Cost | None = None,
    ) -> Outcome:
        """Commit outcome, audit record, reply, thread and the end of the inbox row.

        All or nothing, except that a deleted question gets no reply and no thread. The
        cost is added to the pack's spending. A call that is cancelled commits nothing,
        unless it is committing already; then it returns as if it had not been
        cancelled.

        Args:
            claimed: the event that is answered.
            outcome: its outcome.
            render: render the outcome, which then has its audit id; called within the
                transaction, so it must be quick and wait for nothing.
            thread: the context to keep for a follow-up.
            cost: the cost of the models that were asked.

        Returns:
            The outcome with its audit id.

        Raises:
            ClaimLost: another worker has the event: show nothing.
            VerificationFailed: the outcome cites text that is not stored.
        """
        now = self.clock.now()

        def work(connection: Connection) -> Outcome:
            mail_inbox.finish(connection, claimed, now, answered=True)
            head = messages.record(connection, outcome, now)
            named = {"audit_id": chain.make_audit_id(head.hash)}
            settled = outcome.model_copy(update=named)
            if cost is not None:
                pack = outcome.question.pack
                mail_places.spend(connection, cost.day, pack, cost.millionths)
            if mail_inbox.was_deleted(connection, claimed.incoming.place):
                return settled
            parts = tuple(render(settled))
            if parts:
                letter = Letter(place=claimed.incoming.place, parts=parts)
                mail_outbox.put(connection, Reply(claimed, letter, settled), now)
            if thread is not None:
                mail_places.keep_thread(connection, thread, settled, now)
            return settled

        return await self.transactions.append(work)

    async def reply(
        self,
        claimed: Claimed,
        parts: Sequence[Part],
        also: Sequence[Letter] = (),
    ) -> None:
        """End an event without an outcome, with a reply or, without parts, silently.

        Args:
            claimed: the event.
            parts: a notice, sources, why; empty to show nothing.
            also: letters to other places, such as to the people asked.

        Raises:
            ClaimLost: another worker has the event.
        """
        now = self.clock.now()
        here = Letter(place=claimed.incoming.place, parts=tuple(parts))

        def work(connection: Connection) -> None:
            mail_inbox.finish(connection, claimed, now, answered=False)
            if here.parts:
                mail_outbox.put(connection, Reply(claimed, here), now)
            for letter in also:
                elsewhere = Reply(claimed, letter, callback=False)
                mail_outbox.put(connection, elsewhere, now)

        await self.transactions.append(work)

    async def release(self, claimed: Claimed, after_s: float = 0.0) -> None:
        """Give an event back, to be claimed again `after_s` seconds from now.

        Do nothing where the claim was lost.
        """
        due = self.clock.now() + timedelta(seconds=after_s)
        await self.transactions.write(lambda c: mail_inbox.release(c, claimed, due))

    async def recent(self, claimed: Claimed, since: datetime) -> Recent:
        """Count the other events of a person and questions of a channel since a moment.

        They count by their time of arrival, questions once they were admitted.
        """
        return await self.transactions.read(
            lambda c: mail_inbox.count_recent(c, claimed, since, self.clock.now())
        )

    async def send(self, reply: Reply) -> None:
        """Put a reply into the outbox that no event asked for."""
        now = self.clock.now()
        await self.transactions.append(lambda c: mail_outbox.put(c, reply, now))

    async def miss(self, place: Place, message: str) -> None:
        """Remember for a day the deletion of a message that has not come in.

        A platform may deliver the deletion first and then the question.
        """
        now = self.clock.now()
        await self.transactions.write(
            lambda c: mail_inbox.note_deletion(c, place, message, now), urgent=True
        )

    # --- outbox -----------------------------------------------------------------------

    async def outgoing(
        self, platform: Platform, worker: str, lease_s: float
    ) -> Outgoing | None:
        """Claim the oldest due reply for `lease_s` seconds; return None if none is.

        Replies to one thread, or outside threads to one person in one channel, go out
        in order: the next is not handed out before the previous one is sent or buried.
        """
        lease = timedelta(seconds=lease_s)
        now = self.clock.now()
        if not await self.transactions.read(
            lambda c: mail_outbox.has_due(c, platform, now)
        ):
            return None
        row = await self.transactions.write(
            lambda c: mail_outbox.claim(c, platform, worker, now, now + lease)
        )
        return None if row is None else mail_outbox.read_outgoing(row)

    async def delivered(
        self, outgoing: Outgoing, nonce: str, message: str, *, last: bool = False
    ) -> None:
        """Note that the part with a nonce is visible as `message`.

        The next attempt has the platform's id in `posted`, and `post_of` and `posts_of`
        find the message until a part deletes it. The `last` part ends the reply, as
        `sent` does.

        Raises:
            ClaimLost: another poster has the reply: stop posting.
        """
        visible = Visible(nonce, message, self.clock.now())
        await self.transactions.write(
            lambda c: mail_outbox.note_delivered(c, outgoing, visible, last=last)
        )

    async def sent(self, outgoing: Outgoing) -> None:
        """End a reply whose parts are all visible; do nothing if the claim was lost."""
        now = self.clock.now()
        await self.transactions.write(
            lambda c: mail_outbox.close(c, outgoing, State.DONE, now)
        )

    async def retry(self, outgoing: Outgoing, after_s: float) -> None:
        """Try again `after_s` seconds from now; do nothing if the claim was lost."""
        due = self.clock.now() + timedelta(seconds=after_s)
        await self.transactions.write(lambda c: mail_outbox.retry(c, outgoing, due))

    async def bury(self, outgoing: Outgoing, why: str) -> None:
        """Give a reply up, where another attempt is pointless.

        Args:
            outgoing: the reply.
            why: the reason in a few fixed words, without text of the reply.
        """
        now = self.clock.now()
        await self.transactions.write(
            lambda c: mail_outbox.close(c, outgoing, State.BURIED, now, why)
        )

    async def hold_back(
        self, place: Place, message: str, *, deleted: bool = False
    ) -> int:
        """Bury the replies to a message of which no part is visible yet.

        For an edited or `deleted` question, before `posts_of` is called.

        Returns:
            The number of replies being written, being posted, or visible in part:
            release the event for a moment and look again.
        """
        now = self.clock.now()
        return await self.transactions.append(
            lambda c: (
                mail_outbox.hold_back(c, place, message, now)
                + mail_inbox.count_open_questions(c, place, message, deleted=deleted)
            )
        )

    # --- posts ------------------------------------------------------------------------

    post_of = reading(mail_posts.find_post)
    posts_of = reading(mail_posts.list_answers_to)
    reply_in = reading(mail_posts.find_reply)

    async def knows(self, place: Place, message: str) -> bool:
        """Tell whether a message of the place's channel came in or was answered.

        Edits and deletions of any other message need no work.
        """
        return await self.transactions.read(
            lambda c: (
                mail_inbox.has_come_in(c, place, message)
                or bool(mail_posts.list_answers_to(c, place, message))
            )
        )

    # --- threads, channels and packs --------------------------------------------------

    thread = reading(mail_places.find_thread)
    binding = reading(mail_bindings.find_binding)
    bindings = reading(mail_bindings.list_bindings)
    bind = appending(mail_bindings.bind)
    unbind = appending(mail_bindings.unbind)
    pause = appending(mail_places.pause)
    resume = appending(mail_places.resume)
    paused = reading(mail_places.is_paused)
    spent = reading(mail_places.read_spending)
    open_gaps = reading(gaps.count_open)

    async def owns(self, place: Place) -> bool:
        """Tell whether the bot answers in the place's thread without a mention."""
        thread = await self.thread(place)
        return thread is not None and not thread.private

    async def leave(self, place: Place) -> None:
        """Delete a thread."""
        await self.transactions.write(lambda c: mail_places.forget_thread(c, place))

    async def queue(self, since: datetime) -> Mapping[str, float]:
        """Count waiting rows, their ages, and the replies given up since a moment."""
        now = self.clock.now()
        return await self.transactions.read(lambda c: measure_queue(c, since, now))

    # --- people -----------------------------------------------------------------------

    greet = writing(mail_places.greet)
    feedback = appending(mail_places.keep_verdict)
    verdicts = reading(mail_places.count_verdicts)
    wish = appending(gaps.note_wish)
    data_of = reading(retention.count_data)

    async def forget(self, asker: str, farewell: Farewell | None = None) -> int:
        """Delete what a person asked and said, in ledger and mailbox.

        Their open events and replies are dropped, except the event that asks for this.
        Letters that delete visible replies are in the same commit.

        Returns:
            The number of outcomes with deleted fields.

        Raises:
            ScrubPending: deleted, but the database's log still has old bytes: repeat.
            LedgerFailed: nothing was deleted.
        """
        now = self.clock.now()

        def work(connection: Connection) -> int:
            most = farewell.most if farewell else 0
            posted = mail_posts.list_answering(connection, asker, most)
            erased = retention.forget(connection, asker, now)
            if farewell is not None:
                for letter in farewell.letters(posted):
                    reply = Reply(farewell.claimed, letter, callback=False)
                    mail_outbox.put(connection, reply, now)
            return erased

        erased = await self.transactions.append(work)
        await self.transactions.scrub()
        return erased

    # --- upkeep -----------------------------------------------------------------------

    async def abandon(self, worker: str) -> None:
        """Release all claims of dead workers whose name begins with `worker`.

        A worker of them that still lives gets ClaimLost.
        """
        now = self.clock.now()

        def work(connection: Connection) -> None:
            for table in (inbox, outbox):
                mail_rows.abandon(connection, table, worker, now)

        await self.transactions.append(work)

    async def believe(self, now: datetime) -> ClockDoubt | None:
        """Check the clock before a sweep; return None where the sweep may trust it."""
        return await self.transactions.write(lambda c: retention.believe_clock(c, now))

    async def doubt(self) -> ClockDoubt | None:
        """Return the doubt that the next sweep would have of the clock, if any."""
        now = self.clock.now()
        return await self.transactions.read(lambda c: retention.doubt_clock(c, now))

    async def sweep(self, now: datetime) -> int:
        """Delete rows that are no longer needed; return their number.

        These are replies a day after they went out, and events old enough that no
        repeat can come (at least 24 hours). Their text was deleted when they ended.
        """
        swept = 0
        while rows := await self.transactions.append(lambda c: retention.sweep(c, now)):
            swept += rows
        return swept


def measure_queue(
    connection: Connection, since: datetime, now: datetime
) -> Mapping[str, float]:
    """Count waiting and buried rows, and the ages of the oldest in seconds."""
    waiting, oldest = _count_open(connection, inbox.c.received)
    outgoing, oldest_out = _count_open(connection, outbox.c.created)
    buried = select(func.count()).where(
        outbox.c.state == State.BURIED, outbox.c.finished >= format_instant(since)
    )
    return {
        "waiting": waiting,
        "oldest_s": _measure_age(oldest, now),
        "outgoing": outgoing,
        "outgoing_oldest_s": _measure_age(oldest_out, now),
        "buried_24h": int(connection.execute(buried).scalar_one()),
    }


def _count_open(connection: Connection, since: Column[str]) -> tuple[int, str | None]:
    query = select(func.count(), func.min(since)).where(
        since.table.c.finished.is_(None)
    )
    number, oldest = connection.execute(query).one()
    return int(number), oldest


def _measure_age(since: str | None, now: datetime) -> float:
    if since is None:
        return 0.0
    return max(0.0, round((now - datetime.fromisoformat(since)).total_seconds(), 1))
