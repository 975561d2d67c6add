"""A small bot of discord.py that shows what the loopback Discord does to a client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from re import Match
from typing import Self

import discord
from discord import app_commands, ui

from tests.loopback.discord import DiscordServer
from tests.loopback.waiting import Changes

SILENT = discord.AllowedMentions.none()
SOON_S = 0.01


class Helpful(
    ui.DynamicItem[ui.Button[ui.LayoutView]], template=r"helpful:(?P<question>\d+)"
):
    """A button that works whichever process sent it."""

    def __init__(self, question: int) -> None:
        custom_id = f"helpful:{question}"
        super().__init__(ui.Button(label="Helpful", custom_id=custom_id))
        self.question = question

    @classmethod
    async def from_custom_id(
        cls,
        _interaction: discord.Interaction,
        _item: ui.Item[ui.LayoutView],
        match: Match[str],
    ) -> Self:
        """From what the button carries."""
        return cls(int(match["question"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        """Thank the person alone."""
        text = f"thanks for {self.question}"
        await interaction.response.send_message(text, ephemeral=True)


class Card(ui.LayoutView):
    """An answer as Components V2 with a button."""

    def __init__(self, text: str, question: int) -> None:
        super().__init__(timeout=None)
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        row.add_item(Helpful(question))
        self.add_item(ui.Container(ui.TextDisplay(text), ui.Separator(), row))


class Why(ui.Modal, title="What was wrong?"):
    """A form with one field."""

    reason: ui.Label["Why"] = ui.Label(
        text="Reason", component=ui.TextInput(max_length=20)
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Say it back."""
        assert isinstance(self.reason.component, ui.TextInput)
        said = self.reason.component.value
        await interaction.response.send_message(f"noted: {said}")


class Probe(discord.Client):
    """Answers a mention by a reply, a command by a card, and notes what it heard."""

    def __init__(
        self, intents: discord.Intents | None = None, patience: float = 60.0
    ) -> None:
        super().__init__(
            intents=intents or discord.Intents.default(),
            allowed_mentions=SILENT,
            heartbeat_timeout=patience,
            guild_ready_timeout=SOON_S,
        )
        self.tree = app_commands.CommandTree(self)
        self.heard: list[discord.Message] = []
        self.edited: list[discord.Message] = []
        self.deleted: list[int] = []
        self.replies = True
        self.parted = 0
        self.begun = asyncio.Event()
        self.changes = Changes()
        self.synced: list[app_commands.AppCommand] = []

    async def setup_hook(self) -> None:
        """Register the commands."""
        self.add_dynamic_items(Helpful)
        self.tree.command(description="Ask a question")(ask)
        self.tree.command(description="Ask in private")(private)
        self.tree.command(description="Say why")(why)
        self.tree.context_menu(name="Ask about this")(about)
        pack = app_commands.Group(name="pack", description="Packs of this place")
        pack.command(description="Bind a pack to a channel")(bind)
        self.tree.add_command(pack)
        self.synced = await self.tree.sync()

    async def before_identify_hook(
        self, shard_id: int | None, *, initial: bool = False
    ) -> None:
        """Without the library's wait of five seconds before the next IDENTIFY."""

    async def on_ready(self) -> None:
        """Let the test begin."""
        self.begun.set()

    async def on_disconnect(self) -> None:
        """Note it."""
        self.parted += 1
        self.changes.notify()

    async def on_message(self, message: discord.Message) -> None:
        """Reply to whoever names the bot."""
        if message.author == self.user:
            return
        self.heard.append(message)
        self.changes.notify()
        if self.replies and self.user in message.mentions:
            text = f"you said {message.clean_content}"
            await message.reply(text, nonce=str(message.id))

    async def on_message_edit(self, _: discord.Message, now: discord.Message) -> None:
        """Note it."""
        self.edited.append(now)
        self.changes.notify()

    async def on_raw_message_delete(self, gone: discord.RawMessageDeleteEvent) -> None:
        """Note it."""
        self.deleted.append(gone.message_id)
        self.changes.notify()

    async def has_heard(self, n: int) -> list[str]:
        """What it was told, once that is at least `n` messages."""
        said = f"{n} messages heard"
        await self.changes.until(lambda: len(self.heard) >= n, said)
        return [message.content for message in self.heard]


async def ask(interaction: discord.Interaction, question: str) -> None:
    """Think, answer, and add a word for the asker alone."""
    await interaction.response.defer(thinking=True)
    await interaction.edit_original_response(content="a part")
    card = Card(f"Answer to {question}", 7)
    await interaction.edit_original_response(content=None, view=card)
    await interaction.followup.send("only for you", ephemeral=True)


async def private(interaction: discord.Interaction) -> None:
    """Think and answer in private."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await interaction.followup.send("in private")


async def why(interaction: discord.Interaction) -> None:
    """Show the form."""
    await interaction.response.send_modal(Why())


async def bind(
    interaction: discord.Interaction, pack: str, channel: discord.TextChannel
) -> None:
    """Say what was chosen."""
    text = f"{pack} in {channel.name} by {interaction.user.name}"
    await interaction.response.send_message(text)


async def about(interaction: discord.Interaction, message: discord.Message) -> None:
    """Say what the chosen message says."""
    await interaction.response.send_message(f"about: {message.content}")


def general(probe: Probe, server: DiscordServer) -> discord.TextChannel:
    """The channel where most things happen, as the client knows it."""
    found = probe.get_channel(int(server.world.general.id))
    assert isinstance(found, discord.TextChannel)
    return found


@asynccontextmanager
async def running(
    server: DiscordServer, probe: Probe, port: int | None = None
) -> AsyncIterator[Probe]:
    """The probe while it is connected, to a proxy at `port` if there is one."""
    with server.redirected(port):
        running = asyncio.create_task(probe.start(server.token))
        ready = asyncio.create_task(probe.begun.wait())
        try:
            await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
            yield probe
        finally:
            ready.cancel()
            await probe.close()
            await asyncio.wait({running, ready})
