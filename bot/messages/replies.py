"""Requests about a reply that was given: the rest, sources, why, a verdict.

Every reply comes from the stored record, as far as the person may see it today.
"""

from adapters.ledger.mail_records import (
    Claimed,
    PostedReply,
    Verdict,
    none_of_these,
)
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Action
from adapters.recall import may_repeat
from bot.messages import wording
from bot.messages.recollection import Recollection
from bot.messages.standing import place_of, within_reach
from bot.routing import Ignore, Limits, PassOn, Route, Router, Say, Show, Step
from engine.model.ports import Observer
from engine.model.record import Record
from engine.pipeline.observed import Contained


class Replies:
    """Handles buttons and commands about visible replies.

    Args:
        mailbox: knows which reply is which.
        recollection: what they said.
        router: whose pack they are of.
        limits: how often a person may ask.
        observer: counts of what a refusal offered nothing was meant.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        recollection: Recollection,
        router: Router,
        limits: Limits,
        observer: Observer,
    ) -> None:
        self._mailbox = mailbox
        self._recollection = recollection
        self._router = router
        self._limits = limits
        self._observer = Contained(observer)

    async def hear(self, claimed: Claimed) -> Step:
        """Decide what to do about a button or a command.

        Raises:
            LedgerFailed: the database did not say what is known.
        """
        excess = await self._limits.of_others(claimed)
        if excess is not None:
            incoming = claimed.incoming
            told = Say(incoming, excess.notice, aside=True)
            return told if excess.due else Ignore(incoming)
        match claimed.incoming.action:
            case Action.HELPFUL | Action.NOT_HELPFUL:
                return await self._note(claimed)
            case Action.NONE_OF_THESE:
                return await self._miss(claimed)
            case Action.TELL_ME:
                return await self._promise(claimed)
            case Action.ASK_PERSON:
                return await self._pass_on(claimed)
            case _:
                return await self._show(claimed)

    async def record(self, claimed: Claimed, route: Route) -> Record | Say:
        """Read the record of the reply that an event is about."""
        post = await self._find_post(claimed)
        if post is None or post.audit_id is None or post.pack != route.pack.id:
            return Say(claimed.incoming, wording.NOT_KNOWN, aside=True)
        return await self._recollection.record(post.audit_id)

    async def _show(self, claimed: Claimed) -> Say | Show:
        route = await self._router.route(claimed)
        if isinstance(route, Say):
            return route
        record = await self.record(claimed, route)
        if isinstance(record, Say):
            return record
        reply = await self._recollection.reply(
            record, route.pack, route.scope(route.tags)
        )
        if claimed.incoming.action is Action.WHY:
            return Show(claimed.incoming, "why", reply)
        if claimed.incoming.action is Action.MORE and reply.sources:
            if not reply.more:
                return Say(claimed.incoming, wording.NO_MORE, aside=True)
            return Show(claimed.incoming, "more", reply)
        if not reply.sources:
            return Say(claimed.incoming, wording.NO_SOURCES, aside=True)
        return Show(claimed.incoming, "sources", reply)

    async def _note(self, claimed: Claimed) -> Say:
        incoming = claimed.incoming
        post = await self._find_post(claimed)
        if post is None or post.audit_id is None:
            return Say(incoming, wording.NOT_KNOWN, aside=True)
        verdict = Verdict(
            audit_id=post.audit_id,
            asker=claimed.asker,
            helpful=incoming.action is Action.HELPFUL,
            reason=incoming.reason,
        )
        await self._mailbox.feedback(verdict)
        return Say(incoming, wording.THANKS, aside=True)

    async def _miss(self, claimed: Claimed) -> Say:
        """Note for the gap board that nothing that a refusal offered was meant."""
        incoming = claimed.incoming
        post = await self._find_post(claimed)
        if post is None or post.audit_id is None:
            return Say(incoming, wording.NOT_KNOWN, aside=True)
        verdict = none_of_these(post.audit_id, claimed.asker)
        fresh = await self._mailbox.feedback(verdict)
        if fresh:
            self._observer.count("choices_none", {"pack": post.pack or ""})
        said = wording.NOTED_AS_GAP if fresh else wording.NOTED_BEFORE
        return Say(incoming, said, aside=True)

    async def _promise(self, claimed: Claimed) -> Say:
        """Note that somebody wants to be told when this can be answered."""
        incoming = claimed.incoming
        post = await self._find_post(claimed)
        if post is None or post.audit_id is None or not within_reach(place_of(post)):
            return Say(incoming, wording.NOT_KNOWN, aside=True)
        wish = await self._mailbox.wish(post.audit_id, claimed.asker)
        return Say(incoming, wording.WISHES[wish], aside=True)

    async def _pass_on(self, claimed: Claimed) -> Say | PassOn:
        """Pass a question on to people.

        Nothing is known of their roles, so they see what the channel may.
        """
        route = await self._router.route(claimed)
        if isinstance(route, Say):
            return route
        if not route.people:
            return Say(claimed.incoming, wording.NOBODY_TO_ASK, aside=True)
        record = await self.record(claimed, route)
        if isinstance(record, Say):
            return record
        reply = await self._recollection.reply(
            record, route.pack, route.scope(route.shared), whole=True
        )
        seen = {source.document for source in reply.sources}
        asked = record.question if may_repeat(record, seen) else wording.CHOSEN
        return PassOn(claimed.incoming, route.people, asked, reply)

    async def _find_post(self, claimed: Claimed) -> PostedReply | None:
        """Find the reply that an event is about, where the person may see it."""
        incoming = claimed.incoming
        return await self._mailbox.reply_in(
            incoming.place, claimed.asker, incoming.audit_id
        )
