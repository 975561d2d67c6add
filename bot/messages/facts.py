"""The facts on Slack's own pages: packs, health, a person's data, first questions.

Everybody in a workspace may open them, so they name only what answers the person who
looks: no other channel, no other pack, no number of other people's questions.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from adapters.ledger.mail_records import EVERYWHERE
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Door, Place, Platform
from adapters.slack.views import Home, PackHere
from bot.messages import wording
from bot.messages.pseudonym import Pseudonyms
from bot.routing import Held, Library, Router
from engine.model.errors import LedgerFailed

LOOKS, LOOK_S = 120, 0.5  # at whether a person is forgotten; seconds between two
HERE = "direct messages, and in channels without one of their own"


class SlackFacts:
    """The facts behind Slack's App Home and its assistant pane.

    Args:
        mailbox: knows what is stored of a person.
        library: the packs.
        router: knows what answers where.
        pseudonyms: find a person's data.
        door: knows whether somebody answers.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        library: Library,
        router: Router,
        pseudonyms: Pseudonyms,
        door: Door,
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._router = router
        self._pseudonyms = pseudonyms
        self._door = door

    async def home(self, tenant: str, person: str, channel: str | None = None) -> Home:
        """Collect what a person's App Home says.

        Args:
            tenant: the workspace.
            person: who looks.
            channel: of their direct messages, where it is known.
        """
        asker = self._pseudonyms.of_person(Platform.SLACK, tenant, person)
        try:
            held = await self._router.find_pack(_make_place(tenant, channel))
            packs = () if isinstance(held, str) else (await self._describe_pack(held),)
            data = wording.my_data(await self._mailbox.data_of(asker))
        except LedgerFailed:
            return Home(packs=(), health=wording.UNWELL, data=wording.UNWELL)
        health = wording.WELL if self._door.answering else wording.ABSENT
        return Home(packs=packs, health=health, data=data)

    async def questions(self, tenant: str, channel: str | None) -> Sequence[str]:
        """Return questions to begin with, from the pack that answers here.

        Args:
            tenant: the workspace.
            channel: where they will be asked; direct messages if None.
        """
        try:
            held = await self._router.find_pack(_make_place(tenant, channel))
        except LedgerFailed:
            return ()
        if isinstance(held, str):
            return ()
        return self._library.first_questions(held.pack.id)

    async def notice(self, tenant: str, channel: str) -> str | None:
        """Say why nothing can be asked in direct messages; None where it can."""
        try:
            held = await self._router.find_pack(_make_place(tenant, channel))
        except LedgerFailed:
            return wording.UNWELL
        return held if isinstance(held, str) else None

    async def wait_until_forgotten(self, tenant: str, person: str) -> None:
        """Wait until nothing of a person is stored, or for some time."""
        asker = self._pseudonyms.of_person(Platform.SLACK, tenant, person)
        for _ in range(LOOKS):
            with suppress(LedgerFailed):
                if (await self._mailbox.data_of(asker)).nothing:
                    return
            await asyncio.sleep(LOOK_S)

    async def _describe_pack(self, held: Held) -> PackHere:
        return PackHere(
            channel=HERE,
            title=held.pack.title,
            version=held.pack.version,
            paused=await self._router.explain_closed(held) is not None,
        )


def _make_place(tenant: str, channel: str | None) -> Place:
    return Place(platform=Platform.SLACK, tenant=tenant, channel=channel or EVERYWHERE)
