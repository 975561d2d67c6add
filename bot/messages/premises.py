"""Which pack answers at a place: bound or by default, permitted there, open at present.

One decision for everybody who needs it: conversations, commands, Slack's own pages.
Why none answers is said in words that name no pack of other places (R-C5).
"""

from dataclasses import dataclass

from adapters.ledger.mail_records import Binding
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Place
from bot.messages import wording
from bot.messages.steps import Library, Rules
from engine.model.errors import UsageError
from engine.model.ports import Clock
from engine.parse.dates import today_in
from engine.policy.pack import Pack


@dataclass(frozen=True, slots=True)
class Held:
    """The pack of a place, and the binding that says more about it."""

    pack: Pack
    binding: Binding | None = None


class Premises:
    """Knows what places answer from.

    Args:
        mailbox: bindings, pauses, what was spent.
        library: the packs.
        rules: what the settings say.
        clock: whose day the spending is counted by.
    """

    def __init__(
        self, mailbox: Mailbox, library: Library, rules: Rules, clock: Clock
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._rules = rules
        self._clock = clock

    async def at(self, place: Place) -> Held | str:
        """The pack of a place, or why it has none, in words.

        Raises:
            LedgerFailed: the database did not say.
        """
        binding = await self._mailbox.binding(place)
        name = (binding and binding.pack) or self._rules.packs.get(place.platform)
        if name is None or not self._rules.admits(name, place.platform, place.tenant):
            return wording.no_pack(place.platform, direct=place.direct)
        try:
            pack = self._library.pack(name)
        except UsageError:
            return wording.pack_missing(name)
        if place.platform.value in pack.platforms_forbidden:
            return wording.forbidden(pack.title, place.platform)
        return Held(pack, binding)

    async def closed(self, held: Held) -> str | None:
        """Why a pack answers no question at present; None where it does (R-U5).

        Raises:
            LedgerFailed: the database did not say.
        """
        pack = held.pack
        paused = held.binding is not None and held.binding.paused
        if paused or await self._mailbox.paused(pack.id):
            return pack.wording.paused
        if self._rules.ceiling is None:
            return None
        today = today_in(pack.time_zone, self._clock.now())
        spent = await self._mailbox.spent(today, pack.id)
        return wording.SPENT if spent >= self._rules.ceiling else None

    def offered(self, place: Place) -> list[str]:
        """The packs that may be bound at a place."""
        return [name for name in self._library.pack_names() if self._fits(name, place)]

    def _fits(self, name: str, place: Place) -> bool:
        if not self._rules.admits(name, place.platform, place.tenant):
            return False
        try:
            forbidden = self._library.pack(name).platforms_forbidden
        except UsageError:
            return False
        return place.platform.value not in forbidden
