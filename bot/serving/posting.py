"""From the outbox to the platform: every part of a reply visible, once.

A part carries its nonce into every attempt; from the second attempt on the platform's
`Post` looks first whether it is visible already. Replies to one thread keep their
order, because the outbox hands out one of them at a time.

A platform that is not reached is waited for, a day long. One that is reached and fails
over a part again and again gets it as plain text, once, as one that refuses its layout
gets it in plain paragraphs; a part that is refused for good is given up. Then the
person is told by another way instead of waiting in silence, and the replies behind it
go on.
"""

import asyncio
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from adapters.ledger.mail_records import ClaimLost
from adapters.ledger.mailbox import Mailbox
from adapters.mail import (
    Action,
    Incoming,
    Method,
    Outgoing,
    Part,
    Place,
    Platform,
    Post,
    PostFailed,
)
from adapters.plain import plain, simple
from adapters.posts import Posts
from bot.console import say
from bot.messages import wording

MOST_ATTEMPTS = 1_500  # a day at LONGEST_PAUSE
MOST_ANSWERS = 12  # "it failed here", from the platform itself: about five minutes
LONGEST_PAUSE_S = 60.0
UNHURRIED = 3  # attempts after which pauses grow
GIVEN_UP = ""  # instead of the message of a part


class Posting:
    """The posters of one platform; each takes one reply after the other.

    Args:
        mailbox: where replies wait.
        platform: whose replies.
        post: makes a part visible.
        renderer: words what is said instead of a part that is not taken; without one
            nothing is.
        worker: its name, which no other running poster has.
        lease_s: seconds for one reply, all parts together.
    """

    def __init__(  # noqa: PLR0913 (the seams of one room, named at the one call)
        self,
        mailbox: Mailbox,
        platform: Platform,
        post: Post,
        *,
        worker: str,
        lease_s: float,
        renderer: Posts | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._platform = platform
        self._post = post
        self._renderer = renderer
        self._worker = worker
        self._lease_s = lease_s
        self._taking = asyncio.Lock()  # all are woken, and one finds a reply
        # How often the platform itself failed, by reply; a restart counts from 0.
        self._answers = Counter[int]()

    async def next(self) -> bool:
        """Deliver one reply; False where none is due.

        Raises:
            LedgerFailed: the database failed; what was posted is found again.
        """
        async with self._taking:
            outgoing = await self._mailbox.outgoing(
                self._platform, self._worker, self._lease_s
            )
        if outgoing is None:
            return False
        try:
            await self._deliver(outgoing)
        except ClaimLost:
            pass  # who has it now looks what is visible
        except PostFailed as failed:
            await self._put_off(outgoing, failed)
        else:
            del self._answers[outgoing.id]
        return True

    async def _deliver(self, outgoing: Outgoing) -> None:
        """Post what is not visible yet.

        Raises:
            PostFailed: a part was not taken now, or the lease ran out.
        """
        lost: list[str] = []
        unseen = [p for p in outgoing.parts if p.nonce not in outgoing.posted]
        try:
            async with asyncio.timeout(self._lease_s / 2):
                for part in unseen:
                    await self._end(outgoing, part, lost, last=part is unseen[-1])
        except TimeoutError as error:
            raise PostFailed("too slow", 1.0) from error
        if lost:
            await self._give_up(outgoing, lost[0])
        elif not unseen:
            await self._mailbox.sent(outgoing)

    async def _put_off(self, outgoing: Outgoing, failed: PostFailed) -> None:
        if outgoing.attempts >= MOST_ATTEMPTS:
            await self._give_up(outgoing, str(failed))
            return
        slower = 2.0 ** min(outgoing.attempts - UNHURRIED, 10)
        after = max(failed.after or 0.0, min(slower, LONGEST_PAUSE_S))
        await self._mailbox.retry(outgoing, after)

    async def _give_up(self, outgoing: Outgoing, why: str) -> None:
        say(f"groundrule: a reply on {self._platform} was given up: {why}")
        await self._mailbox.bury(outgoing, why)
        del self._answers[outgoing.id]

    # --- one part ---------------------------------------------------------------------

    async def _end(
        self, outgoing: Outgoing, part: Part, lost: list[str], *, last: bool
    ) -> None:
        """Post a part, or give it up; then `lost` gets the reason.

        With the last part the reply ends in the same commit, unless a part was lost.
        """
        try:
            message = await self._post_form(outgoing, part)
        except _Refused as refused:
            if not (lost or refused.was_taken_back(outgoing.place)):
                await self._tell(outgoing, part)
            lost.append(str(refused))
            message = GIVEN_UP
        last = last and not lost
        await self._mailbox.delivered(outgoing, part.nonce, message, last=last)

    async def _post_form(self, outgoing: Outgoing, part: Part) -> str:
        """Post a part; with its words alone where its layout is what fails.

        Raises:
            _Refused: there is no point in another attempt.
            PostFailed: there is.
        """
        forms: Sequence[Part | None]
        try:
            return await self._post_once(outgoing, part)
        except PostFailed as failed:
            self._answers[outgoing.id] += failed.answered
            if self._answers[outgoing.id] < MOST_ANSWERS or not failed.answered:
                raise
            why, forms = _Refused(failed), (plain(part),)
        except _Refused as refused:
            if not refused.of_form:
                raise
            say(f"groundrule: shown without its layout, because of {refused}")
            why, forms = refused, (simple(part), plain(part))
        return await self._post_bare(outgoing, forms, why)

    async def _post_bare(
        self, outgoing: Outgoing, forms: Sequence[Part | None], why: "_Refused"
    ) -> str:
        """Post a part in the first of these forms that is taken.

        Raises:
            _Refused: none is, for what is said of the last; `why` where there is none.
            PostFailed: there is a point in another attempt.
        """
        for bare in filter(None, forms):
            try:
                return await self._post_once(outgoing, bare)
            except PostFailed as failed:
                if not failed.answered:
                    raise
                why = _Refused(failed)
            except _Refused as refused:
                why = refused
        raise why

    async def _post_once(self, outgoing: Outgoing, part: Part) -> str:
        """Post as `Post.post` does; what is refused for good raises _Refused.

        A fault of ours is printed for a report, and counts as the platform's: one reply
        that breaks its poster must not keep those behind it from theirs.
        """
        posting = asyncio.create_task(self._post.post(outgoing, part))
        try:
            await asyncio.wait({posting})
        finally:
            posting.cancel()
        fault = posting.exception()
        if fault is None:
            return posting.result()
        if not isinstance(fault, PostFailed):
            traceback.print_exception(fault)
            raise PostFailed(f"{part.method}: internal_error of ours", 1.0) from fault
        if fault.after is None:
            raise _Refused(fault) from fault
        raise fault

    # --- instead of a part ------------------------------------------------------------

    async def _tell(self, outgoing: Outgoing, part: Part) -> None:
        """Tell the person that a reply was not taken, once and by another way.

        Raises:
            PostFailed: not even that is taken at the moment, so the platform is what
                fails: the whole reply is tried again.
        """
        if self._renderer is None or part.method is Method.DELETE:
            return  # no person waits for that
        for notice in _make_notices(self._renderer, outgoing):
            if notice.nonce in outgoing.posted:
                return
            alone = outgoing.model_copy(update={"parts": (notice,)})
            with suppress(_Refused):
                message = await self._post_once(alone, notice)
                await self._mailbox.delivered(outgoing, notice.nonce, message)
                return
        say(f"groundrule: nor did {self._platform} take a word about that")


class _Refused(Exception):
    """A part that will never be taken, and why."""

    def __init__(self, failed: PostFailed) -> None:
        super().__init__(str(failed))
        self._failed = failed

    @property
    def of_form(self) -> bool:
        """Whether its layout was refused."""
        return self._failed.form_refused

    def was_taken_back(self, place: Place) -> bool:
        """Tell whether the question was deleted meanwhile."""
        return self._failed.thread_gone and place.thread == place.message


def _make_notices(renderer: Posts, outgoing: Outgoing) -> Iterator[Part]:
    """Yield what is said instead of a reply: in private, else where it was asked.

    It holds nothing of question or reply. Nothing is said in public to who asked with a
    command, which others did not see.
    """
    place = outgoing.place
    asked = Incoming(
        event=outgoing.parts[0].nonce,
        platform=place.platform,
        action=Action.ASK,
        place=place,
        person=outgoing.person,
        callback=outgoing.callback,
        respond_by=outgoing.respond_by,
        received=datetime.fromtimestamp(0, UTC),
    )
    text = wording.not_taken(place.platform)
    yield from renderer.whisper(text, asked)
    if place.message is not None:
        public = place.model_copy(update={"private": False})
        there = asked.model_copy(update={"place": public, "callback": {}})
        yield from renderer.notice(text, there, first=1)


async def show_now(post: Post, outgoing: Outgoing) -> None:
    """Post a reply that is in no outbox; a failure is said, and not tried again."""
    for part in outgoing.parts:
        try:
            await post.post(outgoing, part)
        except PostFailed as failed:
            say(f"groundrule: the text of a failed record was not taken: {failed}")
