"""Where a pack answers: bound, allowed on the platform (R-C6), not paused (R-U5).

Access tags: everybody in a channel holds those of its binding. Those that a role gives
count only where the asker alone sees the reply; in public they would show a channel
what only some of it may see (R-C5).
"""

from adapters.ledger.mail_records import Binding, Claimed
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Incoming
from bot.messages import wording
from bot.messages.premises import Held, Premises
from bot.messages.steps import Library, Room, Rules, Say
from bot.serving.readiness import Readiness
from engine.conclude.notices import header
from engine.model.ports import Clock
from engine.model.question import Basis
from engine.parse.dates import today_in


class Rooms:
    """Finds the pack of a place, and what holds there.

    Args:
        mailbox: knows bindings and pauses.
        library: the packs.
        readiness: knows which packs can answer.
        rules: the packs of channels that are bound to none.
        clock: tells the date that a pack wants on every reply.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        library: Library,
        readiness: Readiness,
        rules: Rules,
        clock: Clock,
    ) -> None:
        self._mailbox = mailbox
        self._premises = Premises(mailbox, library, rules, clock)
        self._readiness = readiness
        self._clock = clock

    async def open(self, claimed: Claimed) -> Room | Say:
        """The room of an event, where questions are answered at present."""
        room = await self.of(claimed)
        if isinstance(room, Say):
            return room
        binding = await self._mailbox.binding(claimed.incoming.place)
        closed = await self._premises.closed(Held(room.pack, binding))
        if closed is not None:
            return self.say(room, closed)
        if not await self._readiness.ready(room.pack):
            return self.say(room, wording.preparing(room.pack.title))
        return room

    async def of(self, claimed: Claimed) -> Room | Say:
        """The pack that is bound to where an event came from, and what holds there."""
        incoming = claimed.incoming
        place = incoming.place
        held = await self._premises.at(place)
        if isinstance(held, str):
            return Say(incoming, held)
        pack, binding = held.pack, held.binding
        if binding is None:
            return Room(incoming, pack)
        if binding.private and not place.private:
            alone = place.model_copy(update={"private": True})
            incoming = incoming.model_copy(update={"place": alone})
        tags = _tags(binding, incoming)
        return Room(incoming, pack, tags, binding.tags, binding.people)

    def say(self, room: Room, text: str) -> Say:
        """A notice under the header that the pack wants on every reply (R-F5)."""
        today = today_in(room.pack.time_zone, self._clock.now())
        top = header(room.pack, Basis.TODAY, today)
        return Say(room.incoming, f"{top}\n\n{text}" if top else text)


def _tags(binding: Binding, incoming: Incoming) -> frozenset[str]:
    """The access tags of a person; see the module."""
    tags = binding.tags
    if incoming.place.private:
        given = (binding.role_tags.get(role, frozenset()) for role in incoming.roles)
        tags = tags.union(*given)
    return tags
