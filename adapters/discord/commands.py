"""The commands that are typed, and the entry in the menu of a message.

Each hands on what was asked for, and does nothing else.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import discord
import re2
from discord import app_commands

from adapters.discord import inbound, quiet, views
from adapters.discord.inbound import Request
from adapters.discord.names import LONGEST_QUESTION
from adapters.mail import Action
from adapters.mentions import mention

Interaction = discord.Interaction[discord.Client]
Question = app_commands.Range[str, 1, LONGEST_QUESTION]

MOST_CHOICES = 25  # of an option
NO_TEXT = "This message has no text that I could read."
LONGEST_NAME = 100  # of a choice
PACK = "pack"  # what to pause: the pack, not the channel
_EVERY_CHANNEL = "Its pack in every channel (who runs the bot)"

_log = logging.getLogger(__name__)
_PERSON = re2.compile(r"<@!?(\d{1,20})>")


@dataclass(frozen=True, slots=True)
class Handlers:
    """The handlers of commands.

    Attributes:
        take: takes in what was asked for.
        tell: says a fixed text to the person alone.
        fail: says that something went wrong.
    """

    take: Callable[[Interaction, Request], Awaitable[None]]
    tell: Callable[[Interaction, str], Awaitable[None]]
    fail: Callable[[Interaction], Awaitable[None]]


class Commands(app_commands.CommandTree[discord.Client]):
    """All of them, for guilds and direct messages.

    Args:
        client: that hears them.
        packs: id -> title of those that can be bound.
        hearing: who hears of them.
    """

    def __init__(
        self, client: discord.Client, packs: Mapping[str, str], hearing: Handlers
    ) -> None:
        super().__init__(
            client,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=False
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        self._hearing = hearing
        _add_asking(self, hearing)
        _add_data(self, hearing)
        _add_pack(self, packs, hearing)

    async def on_error(
        self, interaction: Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        """Reply to a command that failed."""
        _log.error(
            "a command failed: %s", quiet.describe_error(error.__cause__ or error)
        )
        await self._hearing.fail(interaction)


def _add_asking(tree: Commands, hearing: Handlers) -> None:
    @tree.command(description="Ask the sources of this channel a question")
    @app_commands.describe(
        question="What you want to know", private="Show the answer only to you"
    )
    async def ask(
        interaction: Interaction, question: Question, private: bool = False
    ) -> None:
        doing = Request(Action.ASK, text=question, private=private)
        await hearing.take(interaction, doing)

    @tree.command(description="The sources of the last answer here, only for you")
    async def sources(interaction: Interaction) -> None:
        await hearing.take(interaction, Request(Action.SOURCES))

    @tree.command(description="Why the last answer here came out so, only for you")
    async def why(interaction: Interaction) -> None:
        await hearing.take(interaction, Request(Action.WHY))

    @tree.context_menu(name="Ask about this")
    async def about(interaction: Interaction, message: discord.Message) -> None:
        text = inbound.extract_text(message)
        if text:
            await interaction.response.send_modal(views.make_question_form(text))
        else:
            await hearing.tell(interaction, NO_TEXT)


def _add_data(tree: Commands, hearing: Handlers) -> None:
    @tree.command(description="What is stored of you")
    async def mydata(interaction: Interaction) -> None:
        await hearing.take(interaction, Request(Action.MY_DATA))

    @tree.command(description="Delete what you asked and what is stored of you")
    async def forget(interaction: Interaction) -> None:
        await hearing.take(interaction, Request(Action.FORGET))


def _add_pack(tree: Commands, packs: Mapping[str, str], hearing: Handlers) -> None:
    """Add what administrators of a channel do; `Incoming.reason` is the order in words.

    Discord shows it to those who may manage channels, and sends it from no one else:
    people in GROUNDRULE_ADMINS without that permission need it given in the server's
    settings (Integrations, this bot, /pack), which no bot can do by itself.
    """
    group = app_commands.Group(
        name="pack",
        description="What this channel answers from",
        guild_only=True,
        default_permissions=discord.Permissions(manage_channels=True),
    )
    tree.add_command(group)
    titles = {**packs, "none": "none: undo the binding"} if packs else {}

    @group.command(description="Bind a pack to this channel")
    @app_commands.choices(pack=_list_choices(titles))
    @app_commands.describe(
        pack="Its name",
        private="Show answers only to who asks",
        people="Mention whom questions can be passed on to",
        tags="Access tags of the channel, with commas (who runs the bot)",
        role="A role that has access tags of its own (who runs the bot)",
        role_tags="The access tags of that role, with commas",
        everywhere="Every channel without a binding (who runs the bot)",
    )
    async def bind(  # noqa: PLR0913 (the options of a command are its arguments)
        interaction: Interaction,
        pack: str,
        private: bool = False,
        people: str = "",
        tags: str = "",
        role: discord.Role | None = None,
        role_tags: str = "",
        everywhere: bool = False,
    ) -> None:
        words = [pack]
        words += ["private"] if private else []
        words += [f"people={_join_mentions(people)}"] if people else []
        words += [f"tags={_strip_blanks(tags)}"] if tags else []
        words += [f"role.{role.id}={_strip_blanks(role_tags)}"] if role else []
        words += ["everywhere"] if everywhere else []
        await hearing.take(interaction, Request(Action.BIND, reason=" ".join(words)))

    _add_pauses(group, hearing)


def _add_pauses(group: app_commands.Group, hearing: Handlers) -> None:
    @group.command(description="Answer nothing in this channel")
    @app_commands.describe(pack=_EVERY_CHANNEL)
    async def pause(interaction: Interaction, pack: bool = False) -> None:
        doing = Request(Action.PAUSE, reason=PACK if pack else None)
        await hearing.take(interaction, doing)

    @group.command(description="Answer again")
    @app_commands.describe(pack=_EVERY_CHANNEL)
    async def resume(interaction: Interaction, pack: bool = False) -> None:
        doing = Request(Action.RESUME, reason=PACK if pack else None)
        await hearing.take(interaction, doing)


def _list_choices(titles: Mapping[str, str]) -> list[app_commands.Choice[str]]:
    """List what can be chosen; typed freely where that is too much, or is unknown."""
    if len(titles) > MOST_CHOICES:
        return []
    return [
        app_commands.Choice(name=title[:LONGEST_NAME], value=name)
        for name, title in titles.items()
    ]


def _join_mentions(typed: str) -> str:
    """Join mentions with commas; what is none stays as it is, to be refused."""
    spaced = _PERSON.sub(lambda hit: f" {mention(hit.group(1))} ", typed)
    return ",".join(spaced.replace(",", " ").split())


def _strip_blanks(typed: str) -> str:
    """Strip the blanks that people type around commas from a list of names."""
    return "".join(typed.split()).strip(",")
