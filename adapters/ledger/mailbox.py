"""Inbox and outbox in the ledger's own database: nothing is lost, nothing goes twice.

Every call is one transaction. An event is committed before the platform is told that it
arrived; its outcome, audit record, reply and the end of its inbox row are one commit;
a reply stays until its parts are visible. Whoever holds a row holds it for a lease: a
process that dies loses its leases, and another takes over.

The claim of an event alone does not wait for the disk: lost with the power, it is made
again. That of a reply does, because the next poster has to know that there was one.
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
from adapters.ledger.entries import instant
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
    """What becomes of a person's visible replies when they are forgotten.

    Attributes:
        claimed: the event that asks for it.
        letters: that take these replies away.
        most: how many replies, the newest, are taken away.
    """

    claimed: Claimed
    letters: Callable[[Sequence[PostedReply]], Sequence[Letter]]
    most: int


class Mailbox(LedgerPart):
    """What came in and what goes out, of one installation, and what is known of it."""

    # --- inbox ------------------------------------------------------------------------

    waiting = reading(mail_inbox.open_rows)
    admit = appending(mail_inbox.admit)
    warn = writing(mail_inbox.warn)
    taken_away = reading(mail_inbox.taken_away)
    stopped = reading(mail_inbox.stopped)

    async def accept(self, incoming: Incoming, asker: str, limit: int) -> Accepted:
        """Commit an event; only then may the platform be told that it arrived.

        A question that finds `limit` events not done is FULL: the caller says so at
        once, and the same event is a REPEAT when it comes again (R-C3). Only questions
        are turned away: an edit, a deletion or "forget me" never is.

        Args:
            incoming: what came.
            asker: pseudonym of `incoming.person`.
            limit: how many may wait or be in work before questions are turned away.
        """
        return await self.transactions.write(
            lambda c: mail_inbox.accept(c, incoming, asker, limit), urgent=True
        )

    async def claim(self, worker: str, lease_s: float) -> Claimed | None:
        """Claim the oldest event that waits, for `lease_s` seconds; or None.

        What one person does in one thread comes in order: the next is not handed out
        before the one before is done.
        """
        lease = timedelta(seconds=lease_s)
        now = self.clock.now()
        if not await self.transactions.read(lambda c: mail_inbox.due(c, now)):
            return None  # without a lock, so that idle workers delay no other
        row = await self.transactions.mark(
            lambda c: mail_inbox.claim(c, worker, now, now + lease)
        )
        return None if row is None else mail_inbox.claimed(row, worker)

    async def settle(
        self,
        claimed: Claimed,
        outcome: Outcome,
        render: Render,
        thread: ThreadNote | None = None,
        cost: Cost | None = None,
    ) -> Outcome:
        """Commit outcome, audit record, reply, thread and the end of the inbox row.

        All or nothing; but without reply and thread where the question was deleted.
        What it cost is added to what its pack spent. A call that is cancelled commits
        nothing either, unless it is committing already; then it returns as if it had
        not been cancelled.

        Args:
            claimed: the event that is answered.
            outcome: what it came to.
            render: words the outcome, which has its audit id; called within the
                transaction, so it must be quick and wait for nothing.
            thread: what to keep for a follow-up.
            cost: of the models that were asked.

        Returns:
            The outcome with its audit id.

        Raises:
            ClaimLost: somebody else has the event by now: show nothing.
            VerificationFailed: the outcome cites what is not stored.
        """
        now = self.clock.now()

        def work(connection: Connection) -> Outcome:
            mail_inbox.finish(connection, claimed, now, answered=True)
            head = messages.record(connection, outcome, now)
            named = {"audit_id": chain.audit_id(head.hash)}
            settled = outcome.model_copy(update=named)
            if cost is not None:
                pack = outcome.question.pack
                mail_places.spend(connection, cost.day, pack, cost.millionths)
            if mail_inbox.taken_away(connection, claimed.incoming.place):
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
        """End an event without an outcome, with a reply or (no parts) without one.

        Args:
            claimed: the event.
            parts: a notice, sources, why; empty where nothing is to be shown.
            also: what goes to other places, such as to the people asked (R-C1).

        Raises:
            ClaimLost: somebody else has the event by now.
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

        Nothing happens where the claim was lost.
        """
        due = self.clock.now() + timedelta(seconds=after_s)
        await self.transactions.write(lambda c: mail_inbox.release(c, claimed, due))

    async def recent(self, claimed: Claimed, since: datetime) -> Recent:
        """Count what else its person did, and its channel asked, since a moment.

        Counted by when it came (R-C5), questions once they were admitted.
        """
        return await self.transactions.read(
            lambda c: mail_inbox.recent(c, claimed, since, self.clock.now())
        )

    async def send(self, reply: Reply) -> None:
        """Put a letter into the outbox that no event asked for."""
        now = self.clock.now()
        await self.transactions.append(lambda c: mail_outbox.put(c, reply, now))

    async def miss(self, place: Place, message: str) -> None:
        """Keep in mind, for a day, that a message was taken away which never came.

        A platform may bring its deletion first, and then its question (R-U4).
        """
        now = self.clock.now()
        await self.transactions.write(
            lambda c: mail_inbox.miss(c, place, message, now), urgent=True
        )

    # --- outbox -----------------------------------------------------------------------

    async def outgoing(
        self, platform: Platform, worker: str, lease_s: float
    ) -> Outgoing | None:
        """Claim the oldest reply that is due, for `lease_s` seconds; or None.

        Replies to one thread, or outside threads to one person in one channel, go out
        in order: the next is not handed out before the one before is sent or buried.
        """
        lease = timedelta(seconds=lease_s)
        now = self.clock.now()
        if not await self.transactions.read(
            lambda c: mail_outbox.due(c, platform, now)
        ):
            return None
        row = await self.transactions.write(
            lambda c: mail_outbox.claim(c, platform, worker, now, now + lease)
        )
        return None if row is None else mail_outbox.outgoing(row)

    async def delivered(
        self, outgoing: Outgoing, nonce: str, message: str, *, last: bool = False
    ) -> None:
        """Note that the part with a nonce is visible as `message`.

        The platform's id stands in `posted` of the next attempt, and the message can be
        found by `post_of` and `posts_of`; a part that deletes takes it out of there.
        With the `last` part the reply ends, as `sent` ends it.

        Raises:
            ClaimLost: somebody else has the reply by now: stop posting.
        """
        visible = Visible(nonce, message, self.clock.now())
        await self.transactions.write(
            lambda c: mail_outbox.delivered(c, outgoing, visible, last=last)
        )

    async def sent(self, outgoing: Outgoing) -> None:
        """End a reply whose parts are all visible; nothing where the claim was lost."""
        now = self.clock.now()
        await self.transactions.write(
            lambda c: mail_outbox.close(c, outgoing, State.DONE, now)
        )

    async def retry(self, outgoing: Outgoing, after_s: float) -> None:
        """Try again `after_s` seconds from now; nothing where the claim was lost."""
        due = self.clock.now() + timedelta(seconds=after_s)
        await self.transactions.write(lambda c: mail_outbox.retry(c, outgoing, due))

    async def bury(self, outgoing: Outgoing, why: str) -> None:
        """Give a reply up: there is no point in another attempt.

        Args:
            outgoing: the reply.
            why: in a few words of ours, without text of the reply.
        """
        now = self.clock.now()
        await self.transactions.write(
            lambda c: mail_outbox.close(c, outgoing, State.BURIED, now, why)
        )

    async def hold_back(
        self, place: Place, message: str, *, deleted: bool = False
    ) -> int:
        """Bury the replies to a message of which no part is visible yet (R-U4).

        For an edited or `deleted` question, before `posts_of` is asked.

        Returns:
            How many replies are being written, posted, or stand there in part: release
            the event for a moment and look again.
        """
        now = self.clock.now()
        return await self.transactions.append(
            lambda c: (
                mail_outbox.hold_back(c, place, message, now)
                + mail_inbox.asking(c, place, message, deleted=deleted)
            )
        )

    # --- what was posted --------------------------------------------------------------

    post_of = reading(mail_posts.post_of)
    posts_of = reading(mail_posts.posts_of)
    reply_in = reading(mail_posts.reply_in)

    async def knows(self, place: Place, message: str) -> bool:
        """Tell whether a message of the place's channel came in or was answered.

        Edits and deletions of every other message change nothing here.
        """
        return await self.transactions.read(
            lambda c: (
                mail_inbox.came(c, place, message)
                or bool(mail_posts.posts_of(c, place, message))
            )
        )

    # --- threads, channels and packs --------------------------------------------------

    thread = reading(mail_places.thread)
    binding = reading(mail_bindings.binding)
    bindings = reading(mail_bindings.listed)
    bind = appending(mail_bindings.bind)
    unbind = appending(mail_bindings.unbind)
    pause = appending(mail_places.pause)
    resume = appending(mail_places.resume)
    paused = reading(mail_places.paused)
    spent = reading(mail_places.spent)
    open_gaps = reading(gaps.count_open)

    async def owns(self, place: Place) -> bool:
        """Tell whether the bot answers in the place's thread without a mention."""
        thread = await self.thread(place)
        return thread is not None and not thread.private

    async def leave(self, place: Place) -> None:
        """Forget a thread (R-U4)."""
        await self.transactions.write(lambda c: mail_places.leave(c, place))

    async def queue(self, since: datetime) -> Mapping[str, float]:
        """Count what waits, how long the oldest does, and what was given up since."""
        now = self.clock.now()
        return await self.transactions.read(lambda c: queue(c, since, now))

    # --- people -----------------------------------------------------------------------

    greet = writing(mail_places.greet)
    feedback = appending(mail_places.keep_verdict)
    verdicts = reading(mail_places.count_verdicts)
    wish = appending(gaps.wish)
    data_of = reading(retention.data_of)

    async def forget(self, asker: str, farewell: Farewell | None = None) -> int:
        """Delete what a person asked and said (R-S5), in ledger and mailbox alike.

        What of theirs is still to be answered or posted is dropped, but for the event
        that asks for this. Letters that take visible replies away are in the same
        commit.

        Returns:
            How many outcomes held something of it.

        Raises:
            ScrubPending: deleted, but old bytes still stand in the log: repeat it.
            LedgerFailed: nothing was deleted.
        """
        now = self.clock.now()

        def work(connection: Connection) -> int:
            most = farewell.most if farewell else 0
            posted = mail_posts.posts_to(connection, asker, most)
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
        """Give back at once what workers whose name begins so had claimed.

        They are dead: a worker that still lives gets ClaimLost.
        """
        now = self.clock.now()

        def work(connection: Connection) -> None:
            for table in (inbox, outbox):
                mail_rows.abandon(connection, table, worker, now)

        await self.transactions.append(work)

    async def believe(self, now: datetime) -> ClockDoubt | None:
        """Look at the clock before a sweep; None where it may delete by it (R-U6)."""
        return await self.transactions.write(lambda c: retention.believe_clock(c, now))

    async def doubt(self) -> ClockDoubt | None:
        """Tell whether the next sweep will doubt the clock, as far as is known."""
        now = self.clock.now()
        return await self.transactions.read(lambda c: retention.doubt_clock(c, now))

    async def sweep(self, now: datetime) -> int:
        """Take away what is no longer needed; how many rows.

        Replies a day after they went out, events of which a repeat can no longer come
        (R-C3: at least 24 hours). Their text went when they ended (R-S5).
        """
        swept = 0
        while rows := await self.transactions.append(lambda c: retention.sweep(c, now)):
            swept += rows
        return swept


def queue(
    connection: Connection, since: datetime, now: datetime
) -> Mapping[str, float]:
    """Count rows that wait, and the ages of the oldest in seconds (R-O1)."""
    waiting, oldest = _open(connection, inbox.c.received)
    outgoing, oldest_out = _open(connection, outbox.c.created)
    buried = select(func.count()).where(
        outbox.c.state == State.BURIED, outbox.c.finished >= instant(since)
    )
    return {
        "waiting": waiting,
        "oldest_s": _age(oldest, now),
        "outgoing": outgoing,
        "outgoing_oldest_s": _age(oldest_out, now),
        "buried_24h": int(connection.execute(buried).scalar_one()),
    }


def _open(connection: Connection, since: Column[str]) -> tuple[int, str | None]:
    query = select(func.count(), func.min(since)).where(
        since.table.c.finished.is_(None)
    )
    number, oldest = connection.execute(query).one()
    return int(number), oldest


def _age(since: str | None, now: datetime) -> float:
    if since is None:
        return 0.0
    return max(0.0, round((now - datetime.fromisoformat(since)).total_seconds(), 1))
