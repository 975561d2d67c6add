"""Hear what people do on Discord and hand it in: committed first, then acknowledged.

Every event of the library ends here as one `Incoming`, or as none. What the inbox does
not take is said at once; nothing else is answered here.
"""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

import aiohttp
import discord
from discord import ui

from adapters.discord import inbound, quiet, views
from adapters.discord.commands import Commands, Handlers, Interaction
from adapters.discord.gateway import Gateway, Timing
from adapters.discord.inbound import Request
from adapters.discord.names import OPENING
from adapters.discord.poster import Poster
from adapters.discord.writer import DISCORD
from adapters.mail import Accepted, Action, Door, Incoming, Outgoing, PostFailed
from adapters.retrying import Pauses, again
from engine.conclude.fallback import AUDIT_FAILED_TEXT
from engine.model.errors import LedgerFailed

COMMIT_S = 2.0  # an interaction must be acknowledged within 3 s
ANSWER_S = 5.0  # for an acknowledgement that has to be repeated
MOST_AT_ONCE = 500  # messages on their way into the inbox; twice as many are dropped
STRIPES = 64
LAST_S = 3.0  # at the end, for what was heard
# A deletion that was not taken in is tried again: people do not do it a second time.
PAUSES, TRIES = Pauses(1.0, 60.0), 8  # one to two minutes
ALREADY_ACKNOWLEDGED = 40060
UNKNOWN = "I do not know this button any more. Please ask again."
LATE = (
    "I am slow at the moment. My reply will take the place of this text; if it does "
    "not within a few minutes, please ask again."
)

_log = logging.getLogger(__name__)


class Listener(Gateway):
    """The client of one bot.

    Args:
        door: the inbox, and nothing else of the bot.
        packs: id -> title of those that `/pack bind` offers.
        busy: said where the inbox is full.
        timing: how long it waits for what.

    Attributes:
        poster: delivers through this client.
    """

    def __init__(
        self, door: Door, packs: Mapping[str, str], busy: str, timing: Timing
    ) -> None:
        super().__init__(timing)
        self._door = door
        self._busy = busy
        self._stripes = [asyncio.Lock() for _ in range(STRIPES)]
        self._under_way: set[asyncio.Task[object]] = set()
        self.poster = Poster(self)
        hearing = Handlers(take=self._take, tell=self._tell, fail=self._fail)
        self._commands = Commands(self, packs, hearing)

    async def setup_hook(self) -> None:
        """Register the commands, once."""
        await self._commands.sync()

    async def settle(self) -> None:
        """Let what was heard be committed."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=LAST_S)

    async def on_error(self, event_method: str, /, *args: object, **_: object) -> None:
        """Reply to what failed; what was said is not logged."""
        _log.error("%s failed: %s", event_method, quiet.describe_error(sys.exception()))
        for about in args:
            if isinstance(about, discord.Interaction):
                await self._fail(about)
            elif isinstance(about, discord.Message):
                asked = inbound.read_question(about, self._me, _now())
                await self._say(asked, AUDIT_FAILED_TEXT)

    # --- messages ---------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Hear a mention, a reply to the bot, or a direct message."""
        await self._hear(inbound.read_question(message, self._me, _now()))

    async def on_raw_message_edit(self, update: discord.RawMessageUpdateEvent) -> None:
        """Hear a changed message."""
        await self._hear(inbound.read_edit(update, self._me, _now()))

    async def on_raw_message_delete(self, gone: discord.RawMessageDeleteEvent) -> None:
        """Hear of a deleted message, unless it is known to be no question."""
        known = gone.cached_message
        if known is None or inbound.is_addressed(known, self._me):
            await self._hear_deletion(gone.message_id, gone.guild_id, gone.channel_id)

    async def on_raw_bulk_message_delete(
        self, gone: discord.RawBulkMessageDeleteEvent
    ) -> None:
        """Hear of many at once, as moderators delete them."""
        for message in sorted(gone.message_ids):
            await self._hear_deletion(message, gone.guild_id, gone.channel_id)

    async def _hear_deletion(
        self, message: int, guild: int | None, channel: int
    ) -> None:
        there = inbound.locate(guild, channel, self.get_channel(channel))
        await self._hear(inbound.read_deletion(message, there, _now()))

    async def _hear(self, incoming: Incoming | None) -> None:
        """Take a message in; those about one message in the order they came.

        After a resume a question, its edit and its deletion come in one moment.
        """
        if incoming is None:
            return
        if len(self._under_way) >= 2 * MOST_AT_ONCE:
            _log.error("too many messages at once: one was not taken in")
            return
        with self._count_in():
            if incoming.action is Action.DELETED:
                await again(_is_refusal, PAUSES, TRIES)(self._accept_in_turn, incoming)
            elif refused := await self._accept_in_turn(incoming):
                await self._say(incoming, refused)

    async def _accept_in_turn(self, incoming: Incoming) -> str | None:
        crowded = len(self._under_way) > MOST_AT_ONCE
        async with self._stripes[hash(incoming.place.message or "") % STRIPES]:
            return self._busy if crowded else await self._accept(incoming)

    async def _accept(self, incoming: Incoming) -> str | None:
        """Commit it; return what to say where that was not possible."""
        try:
            accepted = await self._door.accept(incoming)
        except LedgerFailed as error:
            _log.error("an event was not committed: %s", error.code)
            return AUDIT_FAILED_TEXT
        return self._busy if accepted is Accepted.FULL else None

    async def _say(self, incoming: Incoming | None, text: str) -> None:
        """Answer a message without the outbox, which does not know of it."""
        if incoming is None:
            return
        outgoing = Outgoing(
            id=0,
            place=incoming.place,
            parts=DISCORD.notice(text, incoming),
            person=incoming.person,
            attempts=1,
        )
        for part in outgoing.parts:
            try:
                await self.poster.post(outgoing, part)
            except PostFailed as failed:
                _log.error("a notice was not taken: %s", failed)

    # --- interactions -----------------------------------------------------------------

    async def on_interaction(self, interaction: Interaction) -> None:
        """Hear buttons and forms; commands have a way of their own."""
        if interaction.type is discord.InteractionType.modal_submit:
            doing = inbound.read_form(interaction)
        elif interaction.type is discord.InteractionType.component:
            pressed = inbound.parse_custom_id(interaction)
            if pressed and pressed.action in OPENING:
                form = views.make_button_form(pressed.action, pressed.audit_id)
                await self._answer(lambda: interaction.response.send_modal(form))
                return
            doing = inbound.read_press(interaction)
        else:
            return
        if doing is None:
            await self._tell(interaction, UNKNOWN)
        else:
            await self._take(interaction, doing)

    async def _take(self, interaction: Interaction, doing: Request) -> None:
        """Commit what was asked for, then let the person know that it is.

        A commit that takes too long goes on; the person is told what to expect of it,
        which is no acknowledgement: so there is no silence if it never comes.
        """
        incoming = inbound.read_interaction(interaction, doing, _now())
        private = incoming.place.private
        with self._count_in():
            committing = asyncio.ensure_future(self._accept(incoming))
            try:
                if not (await asyncio.wait({committing}, timeout=COMMIT_S))[0]:
                    _log.warning("an event is not committed in time")
                    await self._tell(interaction, LATE, alone=private)
                    if refused := await committing:
                        edit, view = (
                            interaction.edit_original_response,
                            _make_view(refused),
                        )
                        await self._answer(lambda: edit(view=view))
                elif refused := committing.result():
                    await self._tell(interaction, refused)
                else:
                    defer = interaction.response.defer
                    await self._answer(lambda: defer(ephemeral=private, thinking=True))
            finally:
                committing.cancel()

    async def _fail(self, interaction: Interaction) -> None:
        await self._tell(interaction, AUDIT_FAILED_TEXT)

    async def _tell(
        self, interaction: Interaction, text: str, *, alone: bool = True
    ) -> None:
        """Say a fixed text, to the person alone or to everybody in the place."""
        send = interaction.response.send_message
        await self._answer(lambda: send(view=_make_view(text), ephemeral=alone))

    async def _answer(self, respond: Callable[[], Awaitable[object]]) -> None:
        """Respond to an interaction; once more where the connection broke.

        Where it comes too late, the answer goes another way (see poster.py).
        """
        for _ in range(2):
            try:
                async with asyncio.timeout(ANSWER_S):
                    await respond()
                return
            except discord.DiscordException as error:
                code = getattr(error, "code", 0)
                if code != ALREADY_ACKNOWLEDGED:
                    _log.warning("an acknowledgement was refused: code %s", code)
                return
            except (OSError, aiohttp.ClientError):
                continue

    # --- itself -----------------------------------------------------------------------

    @property
    def _me(self) -> int:
        return self.user.id if self.user else 0

    @contextmanager
    def _count_in(self) -> Iterator[None]:
        """Count this task among those that `settle` waits for."""
        task = asyncio.current_task()
        if task is not None:
            self._under_way.add(task)
        try:
            yield
        finally:
            self._under_way -= {task}


def _make_view(text: str) -> ui.LayoutView:
    view: ui.LayoutView = ui.LayoutView()
    view.add_item(ui.TextDisplay(text))
    return view


def _now() -> datetime:
    return datetime.now(UTC)


def _is_refusal(came: object) -> bool:
    """Tell whether a message was refused: the reason is its text."""
    return isinstance(came, str) and bool(came)
