"""From the outbox to the platform: every part of a reply visible, once.

A part carries its nonce into every attempt; from the second attempt on the platform's
`Post` looks first whether it is visible already. Replies to one thread keep their
order, because the outbox hands out one of them at a time.
"""

import asyncio

from adapters.ledger.mail_records import ClaimLost
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Outgoing, Platform, Post, PostFailed
from bot.console import say

MOST_ATTEMPTS = 1_500  # a day at LONGEST_PAUSE
LONGEST_PAUSE_S = 60.0
UNHURRIED = 3  # attempts after which pauses grow


class Posting:
    """One poster of one platform: takes one reply after the other.

    Args:
        mailbox: where replies wait.
        platform: whose replies.
        post: makes a part visible.
        worker: its name, which no other running poster has.
        lease_s: seconds for one reply, all parts together.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        platform: Platform,
        post: Post,
        *,
        worker: str,
        lease_s: float,
    ) -> None:
        self._mailbox = mailbox
        self._platform = platform
        self._post = post
        self._worker = worker
        self._lease_s = lease_s

    async def next(self) -> bool:
        """Deliver one reply; False where none is due.

        Raises:
            LedgerFailed: the database failed; what was posted is found again.
        """
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
        return True

    async def _deliver(self, outgoing: Outgoing) -> None:
        """Post what is not visible yet.

        Raises:
            PostFailed: a part was not taken, or the lease ran out.
        """
        try:
            async with asyncio.timeout(self._lease_s / 2):
                for part in outgoing.parts:
                    if part.nonce in outgoing.posted:
                        continue
                    message = await self._post.post(outgoing, part)
                    await self._mailbox.delivered(outgoing, part.nonce, message)
        except TimeoutError as error:
            raise PostFailed("too slow", 1.0) from error
        await self._mailbox.sent(outgoing)

    async def _put_off(self, outgoing: Outgoing, failed: PostFailed) -> None:
        if failed.after is None or outgoing.attempts >= MOST_ATTEMPTS:
            say(f"groundrule: a reply on {self._platform} was given up: {failed}")
            await self._mailbox.bury(outgoing, str(failed))
            return
        slower = 2.0 ** min(outgoing.attempts - UNHURRIED, 10)
        after = max(failed.after, min(slower, LONGEST_PAUSE_S))
        await self._mailbox.retry(outgoing, after)


async def show_now(post: Post, outgoing: Outgoing) -> None:
    """Post a reply that stands in no outbox (R-I10); what fails is said and let be."""
    for part in outgoing.parts:
        try:
            await post.post(outgoing, part)
        except PostFailed as failed:
            say(f"groundrule: the text of a failed record was not taken: {failed}")
