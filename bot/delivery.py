"""From the inbox through the engine to the outbox: exactly one outcome for each event.

Outcome, audit record, reply and the end of the inbox row are one commit,
which fails where the event is no longer ours. Whoever dies before it loses a lease, and
the event is heard again. bot/serving/posting.py carries the reply on from there.

Where the outcome cannot be written down in time, the event is heard again. Where it
cannot be written down at all, the fixed text of R-I10 and the end of the event are
committed instead. If the database takes not even that, the text is shown without the
outbox, and the event ends as soon as it can: by its worker, or if that dies by the
process that serves (`Withheld`), so that no worker asks again. Only where both end
before the database is back is the event heard again, and may then be answered.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from adapters.ledger.mail_records import (
    Claimed,
    ClaimLost,
    Cost,
    Letter,
    ThreadNote,
)
from adapters.ledger.mailbox import Mailbox
from adapters.mail import QUESTIONS, Method, Outgoing, Part, Place, Platform
from adapters.message import with_notice
from adapters.posts import Posts
from adapters.reply import compose
from adapters.retrying import Pauses, again
from bot.conversation import Conversation
from bot.messages import wording
from bot.routing import (
    MILLIONTHS,
    Ask,
    Ignore,
    PassOn,
    Remove,
    Say,
    Show,
    Step,
    Wait,
)
from engine import Engine
from engine.model.errors import LedgerBusy, LedgerFailed
from engine.model.outcome import Outcome, Refusal
from engine.model.ports import Clock
from engine.parse.context import find_context
from engine.parse.dates import today_in
from engine.policy.pack import Pack

# A question that ended this many workers is given up; another event may be waiting for
# a reply that is being posted, so it comes round more often.
MOST_TRIES, MOST_ROUNDS = 5, 60
LONGEST_WAIT_S = 60.0
# An event whose outcome was not written is tried to be ended so often before the text
# is shown without the database, which may be back; and so many seconds between tries.
BEFORE_SHOWING, CLOSING_S = 3, 1.0
WITHHELD = 1_000  # the number of that text as a part: no part of a reply has it
BACK_OFF_S = 2.0  # before an event is heard again for which the database failed
STOPPED_S = 1.0  # between two looks whether a question was stopped
MOST_LATE = 3  # tries at a question whose record is late, before that text is shown


class Withheld(Outgoing):
    """The fixed text of a failed record, shown without the outbox.

    Attributes:
        claimed: the event that has to end because of it.
    """

    claimed: Claimed


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The parts that answering takes besides the mailbox.

    Attributes:
        conversation: decides what an event asks for.
        engine: of a pack.
        renderers: by platform.
        post_now: shows a reply without the outbox; returns once it is on its way.
        clock: ages are counted from its today.
    """

    conversation: Conversation
    engine: Callable[[Pack], Engine]
    renderers: Mapping[Platform, Posts]
    post_now: Callable[[Outgoing], Awaitable[None]]
    clock: Clock


class Answering:
    """One worker: takes one event after the other and ends it.

    Args:
        mailbox: where events come from and replies go to.
        dependencies: what it takes.
        worker: its name, which no other running worker has.
        lease_s: seconds for one event; longer than any pack's budget.

    Attributes:
        dependencies: as given.
    """

    def __init__(
        self, mailbox: Mailbox, dependencies: Dependencies, worker: str, lease_s: float
    ) -> None:
        self._mailbox = mailbox
        self.dependencies = dependencies
        self._worker = worker
        self._lease_s = lease_s

    async def next(self) -> bool:
        """End one event; False where none is waiting.

        Raises:
            LedgerFailed: it is not known whether one is.
        """
        claimed = await self._mailbox.claim(self._worker, self._lease_s)
        if claimed is None:
            return False
        try:
            await self._end(claimed)
        except ClaimLost:
            pass  # who has it now ends it
        except LedgerFailed:
            with suppress(LedgerFailed):
                await self._mailbox.release(claimed, BACK_OFF_S)
            raise
        except asyncio.CancelledError:
            with suppress(LedgerFailed):
                await self._mailbox.release(claimed)
            raise
        return True

    async def _end(self, claimed: Claimed) -> None:
        incoming = claimed.incoming
        most = MOST_TRIES if incoming.action in QUESTIONS else MOST_ROUNDS
        if claimed.attempts > most:
            step: Step = Say(incoming, wording.GIVEN_UP)
        else:
            step = await self.dependencies.conversation.hear(claimed)
        if isinstance(step, Wait):
            after_s = min(step.after_s * claimed.attempts, LONGEST_WAIT_S)
            return await self._mailbox.release(claimed, after_s)
        # The reply is as private as the step says, whatever the event was.
        claimed = claimed.model_copy(update={"incoming": step.incoming})
        if isinstance(step, Ask):
            return await self._ask(claimed, step)
        parts, letters = self._make_parts(step)
        return await self._mailbox.reply(claimed, parts, also=letters)

    def _make_parts(
        self, step: Say | Show | PassOn | Remove | Ignore
    ) -> tuple[Sequence[Part], Sequence[Letter]]:
        """Make the parts of a reply without an outcome, and letters to other people."""
        incoming = step.incoming
        renderer = self.dependencies.renderers[incoming.place.platform]
        match step:
            case Say(replaces=(_, *_)):
                return _replace(renderer, step), ()
            case Say(aside=True):
                return renderer.whisper(step.text, incoming, people=step.people), ()
            case Say():
                return renderer.notice(step.text, incoming), ()
            case Show():
                return _show(renderer, step), ()
            case Remove():
                return renderer.deleted(incoming, step.posted), ()
            case PassOn():
                return _pass_on(renderer, step)
            case Ignore():
                return (), ()

    # --- questions --------------------------------------------------------------------

    async def _ask(self, claimed: Claimed, step: Ask) -> None:
        engine = self.dependencies.engine(step.pack)
        today = today_in(step.pack.time_zone, self.dependencies.clock.now())
        commit = _Commit(self._mailbox, claimed, step, self._render, today)
        stop = asyncio.Event()
        watching = asyncio.create_task(self._watch(claimed, stop))
        try:
            outcome = await engine.ask(step.question, ledger=commit, stop=stop)
        finally:
            watching.cancel()
        if outcome.audit_id is not None or commit.lost:
            return
        if not (commit.late and await self._put_off(claimed, outcome)):
            await self._withhold(claimed, outcome)

    async def _watch(self, claimed: Claimed, stop: asyncio.Event) -> None:
        """Set `stop` once somebody stopped the question, as Slack has a button for."""
        incoming = claimed.incoming
        in_thread = incoming.platform is Platform.SLACK and incoming.place.thread
        while in_thread and not stop.is_set():
            with suppress(LedgerFailed):
                if await self._mailbox.stopped(incoming.place, incoming.received):
                    stop.set()
            await asyncio.sleep(STOPPED_S)

    async def _put_off(self, claimed: Claimed, outcome: Outcome) -> bool:
        """Give a question back whose record was late, while the database does answer.

        False where the fixed text is better: an emergency notice waits for nothing, and
        a question not for ever.
        """
        if claimed.attempts >= MOST_LATE or outcome.emergency:
            return False
        try:
            await self._mailbox.release(claimed, BACK_OFF_S)
        except LedgerFailed:
            return False
        return True

    def _render(self, step: Ask, outcome: Outcome) -> Sequence[Part]:
        """Make the parts of a reply to a question, its greeting on top."""
        today = today_in(step.pack.time_zone, self.dependencies.clock.now())
        reply = compose(outcome, step.pack.wording, today)
        if step.greeting is not None:
            reply = with_notice(reply, step.greeting, "header")
        renderer = self.dependencies.renderers[step.incoming.place.platform]
        if step.replaces is None:
            return renderer.answer(reply, step.incoming, people=step.people)
        return renderer.edited(reply, step.incoming, step.replaces, people=step.people)

    async def _withhold(self, claimed: Claimed, outcome: Outcome) -> None:
        """Show the fixed text, and end the event as soon as that is possible.

        An emergency notice comes above it all the same.
        """
        incoming = claimed.incoming
        said = outcome.result.fallback if isinstance(outcome.result, Refusal) else ""
        text = "\n\n".join(part for part in (outcome.emergency, said) if part)
        renderer = self.dependencies.renderers[incoming.place.platform]
        parts = renderer.notice(text, incoming, WITHHELD)
        if await self._close(claimed, parts, BEFORE_SHOWING):
            return
        shown = Withheld(
            id=0,
            place=incoming.place,
            parts=parts,
            callback=incoming.callback,
            respond_by=incoming.respond_by,
            person=incoming.person,
            attempts=claimed.attempts,
            claimed=claimed,
        )
        await self.dependencies.post_now(shown)
        await self._close(claimed, (), math.inf)

    async def _close(
        self, claimed: Claimed, parts: Sequence[Part], most: float
    ) -> bool:
        """End an event with a reply; False where the database did not do it.

        Raises:
            ClaimLost: the event is not ours any more: it has an outcome, which was
                committed although the database could not say so, or another worker.
        """
        retrying = again(_may_pass, Pauses(CLOSING_S, CLOSING_S), most)
        try:
            await retrying(self._mailbox.reply, claimed, parts)
        except ClaimLost:
            raise
        except LedgerFailed:
            return False
        return True


def _may_pass(failed: object) -> bool:
    return isinstance(failed, LedgerFailed) and not isinstance(failed, ClaimLost)


def _show(renderer: Posts, step: Show) -> Sequence[Part]:
    """Show the evidence of a reply."""
    ways = {"more": renderer.more, "why": renderer.why, "sources": renderer.sources}
    return ways[step.what](step.reply, step.incoming)


def _replace(renderer: Posts, step: Say) -> Sequence[Part]:
    """Put a notice in the place of the messages of an earlier answer."""
    first, *rest = renderer.notice(step.text, step.incoming)
    old, *surplus = step.replaces
    update = {"method": Method.UPDATE, "message": old}
    gone = renderer.deleted(step.incoming, surplus, 1 + len(rest))
    return (first.model_copy(update=update), *rest, *gone)


def _pass_on(renderer: Posts, step: PassOn) -> tuple[Sequence[Part], Sequence[Letter]]:
    """Make the parts for the asker, and a letter to each of the people."""
    incoming, place = step.incoming, step.incoming.place
    parts = renderer.whisper(wording.PASSED_ON, incoming)
    letters: list[Letter] = []
    first = len(parts)
    for person in step.people:
        shown = renderer.handover(step.reply, incoming, step.question, first)
        first += len(shown)
        home = Place(
            platform=place.platform, tenant=place.tenant, channel=person, private=True
        )
        letters.append(Letter(place=home, parts=shown, person=person))
    return parts, letters


class _Commit:
    """The record of one outcome: the transaction of its delivery.

    Attributes:
        lost: whether somebody else has the event by now, so that nothing may be shown.
        late: whether nothing but time was lacking; then nothing was committed.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        claimed: Claimed,
        step: Ask,
        render: Callable[[Ask, Outcome], Sequence[Part]],
        today: date,
    ) -> None:
        self._mailbox = mailbox
        self._claimed = claimed
        self._step = step
        self._render = render
        self._today = today
        self.lost = self.late = False

    async def record(self, outcome: Outcome) -> str:
        """Commit the outcome with all that belongs to it, and return the audit id.

        Raises:
            LedgerFailed: it was not committed.
            VerificationFailed: the outcome cites what is not stored.
        """
        try:
            settled = await self._mailbox.settle(
                self._claimed,
                outcome,
                lambda known: self._render(self._step, known),
                self._make_note(outcome),
                _count_cost(outcome, self._today),
            )
        except ClaimLost:
            self.lost = True
            raise
        except (LedgerBusy, asyncio.CancelledError):  # the engine waits no longer
            self.late = True
            raise
        if settled.audit_id is None:
            raise LedgerFailed("the outcome was settled without an audit id")
        return settled.audit_id

    def _make_note(self, outcome: Outcome) -> ThreadNote | None:
        """Note what the next question of the thread may lean on."""
        if self._step.remember is None:
            return None
        return ThreadNote(
            place=self._step.remember, previous=find_context(outcome) or ""
        )


def _count_cost(outcome: Outcome, day: date) -> Cost | None:
    """Count what models took for an outcome; None where no price is known of any."""
    known = [p.usage.cost for p in outcome.prompts if p.usage.cost is not None]
    return Cost(day=day, millionths=round(sum(known) * MILLIONTHS)) if known else None
