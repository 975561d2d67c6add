"""What the bot knows of replies, threads, channels, packs and readers."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from adapters.ledger import (
    gaps,
    mail_bindings,
    mail_inbox,
    mail_places,
    mail_posts,
    mail_queue,
    mail_retention,
    verdicts,
)
from adapters.ledger.gaps import Wish
from adapters.ledger.mail_records import (
    Binding,
    Claimed,
    PersonalData,
    PostedReply,
    Thread,
    Verdict,
)
from adapters.ledger.store import SqlLedger
from adapters.mail import Place, Platform


class Registry:
    """The half of the mailbox that is looked up; every method is one transaction.

    Every method raises LedgerFailed where the database does not do it.

    Args:
        ledger: whose database, transactions and clock are shared.
    """

    def __init__(self, ledger: SqlLedger) -> None:
        self._ledger = ledger
        self._transactions = ledger.transactions

    def _now(self) -> datetime:
        return self._ledger.clock.now()

    # --- what was posted --------------------------------------------------------------

    async def post_of(
        self, platform: Platform, tenant: str, channel: str, message: str
    ) -> PostedReply | None:
        """What a message of the bot is; None where it is none."""
        place = Place(platform=platform, tenant=tenant, channel=channel)
        return await self._transactions.read(
            lambda c: mail_posts.post_of(c, place, message)
        )

    async def reply_in(
        self, place: Place, asker: str, audit_id: str | None = None
    ) -> PostedReply | None:
        """A reply of the place's channel that a person may see; None where none is.

        The one with that audit id; without one the last of the place's thread, or of
        the channel outside its threads. Private replies are seen by their asker alone,
        those in a thread only in there.
        """
        return await self._transactions.read(
            lambda c: mail_posts.reply_in(c, place, asker, audit_id)
        )

    async def knows(self, place: Place, message: str) -> bool:
        """Whether a message of the place's channel came in here or was answered.

        Edits and deletions of every other message concern nobody.
        """
        return await self._transactions.read(
            lambda c: (
                mail_inbox.came(c, place, message)
                or bool(mail_posts.posts_of(c, place, message))
            )
        )

    async def miss(self, place: Place, message: str) -> None:
        """Keep in mind, for a day, that a message was taken away which never came.

        A platform may bring its deletion first, and then its question (R-U4).
        """
        now = self._now()
        await self._transactions.write(
            lambda c: mail_inbox.miss(c, place, message, now), urgent=True
        )

    async def taken_away(self, place: Place) -> bool:
        """Whether the place's message is known to be deleted (R-U4)."""
        return await self._transactions.read(lambda c: mail_inbox.taken_away(c, place))

    async def posts_of(self, place: Place, message: str) -> Sequence[PostedReply]:
        """The visible messages that answer a message in a channel, in order."""
        return await self._transactions.read(
            lambda c: mail_posts.posts_of(c, place, message)
        )

    async def thread(self, place: Place) -> Thread | None:
        """What was asked last in the place's thread; None where nothing was."""
        return await self._transactions.read(lambda c: mail_places.thread(c, place))

    async def owns(self, place: Place) -> bool:
        """Whether the bot answers in the place's thread without being mentioned."""
        thread = await self.thread(place)
        return thread is not None and not thread.private

    async def leave(self, place: Place) -> None:
        """Forget a thread (R-U4)."""
        await self._transactions.write(lambda c: mail_places.leave(c, place))

    # --- channels and packs -----------------------------------------------------------

    async def binding(self, place: Place) -> Binding | None:
        """The binding of the place's channel, else of its whole tenant.

        A tenant that is paused pauses its channels; a channel's binding without a pack
        adds its pause to the tenant's binding.
        """
        return await self._transactions.read(lambda c: mail_bindings.binding(c, place))

    async def bindings(self, platform: Platform) -> Sequence[Binding]:
        """Every binding of a platform, for start-up (R-C6) and for administrators."""
        return await self._transactions.read(
            lambda c: mail_bindings.listed(c, platform)
        )

    async def bind(self, binding: Binding) -> None:
        """Set the binding of a channel, whatever it was; `changed` is now."""
        now = self._now()
        changed = binding.model_copy(update={"changed": now})
        await self._transactions.append(lambda c: mail_bindings.bind(c, changed, now))

    async def unbind(self, platform: Platform, tenant: str, channel: str) -> None:
        """Take a binding away; nothing where there is none."""
        now = self._now()
        place = Place(platform=platform, tenant=tenant, channel=channel)
        await self._transactions.append(lambda c: mail_bindings.unbind(c, place, now))

    async def pause(self, pack: str, by: str) -> None:
        """Pause a pack everywhere (R-U5); a channel is paused by its binding."""
        now = self._now()
        await self._transactions.append(lambda c: mail_places.pause(c, pack, by, now))

    async def resume(self, pack: str) -> None:
        """End the pause of a pack."""
        now = self._now()
        await self._transactions.append(lambda c: mail_places.resume(c, pack, now))

    async def paused(self, pack: str) -> bool:
        """Whether a pack is paused everywhere."""
        return await self._transactions.read(lambda c: mail_places.paused(c, pack))

    async def greet(self, claimed: Claimed) -> bool:
        """Whether this event is the first use, so that its reply says so (R-U6).

        Of a channel; of a person where the reply is private. True again for the same
        event: a second attempt says it too; and for the next one where that reply was
        held back.
        """
        now = self._now()
        return await self._transactions.write(
            lambda c: mail_places.greet(c, claimed, now)
        )

    async def warn(
        self, claimed: Claimed, since: datetime, *, whole_channel: bool = False
    ) -> bool:
        """Whether an event that is declined is to say so (R-C5).

        Once since a moment to a person in a channel, or to the whole channel; again for
        the same event.
        """
        now = self._now()
        return await self._transactions.write(
            lambda c: mail_inbox.warn(
                c, claimed, since, now, whole_channel=whole_channel
            )
        )

    async def spent(self, day: date, pack: str) -> int:
        """What a pack spent on a day, in millionths."""
        return await self._transactions.read(lambda c: mail_places.spent(c, day, pack))

    # --- how it goes ----------------------------------------------------------------

    async def queue(self, since: datetime) -> Mapping[str, float]:
        """What waits, how long the oldest does, and what was given up since then."""
        now = self._now()
        return await self._transactions.read(lambda c: mail_queue.queue(c, since, now))

    async def open_gaps(self) -> Mapping[str, int]:
        """Pack -> its open gaps that were collected (R-D6)."""
        return await self._transactions.read(gaps.counted)

    async def verdicts(
        self, pack: str, since: datetime, until: datetime
    ) -> Mapping[str, int]:
        """What readers said of a pack's answers in [since, until), in counts."""
        return await self._transactions.read(
            lambda c: verdicts.counted(c, pack, since, until)
        )

    # --- people -----------------------------------------------------------------------

    async def feedback(self, verdict: Verdict) -> bool:
        """Keep a reader's verdict, instead of an earlier one of the same reader.

        False where they said just that before.
        """
        now = self._now()
        return await self._transactions.append(
            lambda c: mail_places.keep_verdict(c, verdict, now)
        )

    async def wish(self, audit_id: str, asker: str) -> Wish:
        """Note that a reader wants to be told when it can be answered (R-D6)."""
        now = self._now()
        return await self._transactions.append(
            lambda c: gaps.wish(c, audit_id, asker, now)
        )

    async def data_of(self, asker: str) -> PersonalData:
        """How much of a person is stored (R-S5)."""
        return await self._transactions.read(lambda c: mail_retention.data_of(c, asker))
