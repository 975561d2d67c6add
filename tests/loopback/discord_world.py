"""Everything a loopback Discord remembers, and waiting until it holds something."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar

from tests.loopback.discord_records import (
    DM,
    EPOCH_MS,
    TEXT,
    THREAD,
    Channel,
    Guild,
    Interaction,
    Json,
    Message,
    Response,
    Role,
    User,
)
from tests.loopback.waiting import Changes

Found = TypeVar("Found")

BUSIEST = 1 << 22  # ids in one millisecond
MESSAGE_CONTENT = 1 << 15  # the intent
TOKEN = "loopback.discord.token"


@dataclass(frozen=True)
class Timing:
    """The server's times in seconds, so that a test need not wait as long as a person.

    Discord allows 3 s for a first response. Here it is a minute, so that no test
    depends on how fast the machine is: that the bot defers before it does anything else
    is shown by what it waits for. `first_response` and `token_life` count from the
    event, `nonce_window` from the message; a session can be resumed for `session_life`
    after its connection ended. A first response is under way for `callback`.
    """

    first_response: float = 60.0
    token_life: float = 900.0
    nonce_window: float = 300.0
    heartbeat: float = 41.25
    session_life: float = 180.0
    callback: float = 0.0


class World:
    """People, places and messages of one Discord, and the bot among them.

    Starts with one guild (`home`), its channel `general` and one person, `alice`.
    `privileged` are the privileged intents that the application was granted.
    """

    def __init__(
        self, timing: Timing, privileged: int = 0, log: Path | None = None
    ) -> None:
        self.timing = timing
        self.privileged = privileged
        self.users: dict[str, User] = {}
        self.guilds: dict[str, Guild] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: dict[str, Message] = {}
        self.interactions: dict[str, Interaction] = {}
        self.tokens: dict[str, Interaction] = {}
        self.commands: dict[str | None, dict[str, Json]] = {None: {}}
        self.responses: list[Response] = []
        self._nonces: dict[tuple[str, str], tuple[float, Message]] = {}
        self._mine: list[Message] = []
        self._last = 0
        self._changes = Changes()
        self._log: TextIO | None = log.open("a", encoding="utf-8") if log else None
        self.bot = self.user("groundrule", bot=True)
        self.alice = self.user("alice")
        self.home = self.guild("home")
        self.general = self.home.channels[0]

    # -- places and people

    def snowflake(self) -> str:
        """A new id, later than all before: apps read the time from it."""
        now = (int(time.time() * 1000) - EPOCH_MS) * BUSIEST
        self._last = max(now, self._last + 1)
        return str(self._last)

    def user(self, name: str, *, bot: bool = False) -> User:
        """A new person, or another bot."""
        made = User(self.snowflake(), name, bot)
        self.users[made.id] = made
        return made

    def guild(self, name: str) -> Guild:
        """A new guild with a channel, owned by `alice`, with the bot in it."""
        made = Guild(self.snowflake(), name, self.alice)
        made.roles.append(Role(made.id, "@everyone"))
        made.join(self.bot)
        made.join(self.alice)
        self.guilds[made.id] = made
        self.channel(made, "general")
        return made

    def channel(self, guild: Guild, name: str) -> Channel:
        """A new text channel."""
        return self._place(Channel(self.snowflake(), name, TEXT, guild))

    def role(self, guild: Guild, name: str) -> Role:
        """A new role, which nobody has yet."""
        guild.roles.append(Role(self.snowflake(), name))
        return guild.roles[-1]

    def dm(self, user: User) -> Channel:
        """The one conversation of the bot with a person."""
        for channel in self.channels.values():
            if channel.recipient is user:
                return channel
        return self._place(Channel(self.snowflake(), "", DM, recipient=user))

    def thread(
        self, parent: Channel, name: str, owner: User, start: Message | None = None
    ) -> Channel:
        """A new thread; one that starts at a message bears the message's id."""
        place = start.id if start else self.snowflake()
        made = Channel(place, name, THREAD, parent.guild, parent, owner=owner.id)
        if start:
            start.thread = made
        return self._place(made)

    def _place(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        if channel.guild:
            channel.guild.channels.append(channel)
        return channel

    # -- messages

    @property
    def may_read_all(self) -> bool:
        """Whether the application was granted the message content intent."""
        return bool(self.privileged & MESSAGE_CONTENT)

    @property
    def posts(self) -> list[Message]:
        """What the bot shows to people, oldest first: neither deleted nor loading."""
        return [m for m in self._mine if not m.deleted and not m.loading]

    def keep(self, message: Message) -> None:
        """Remember a message, and its nonce."""
        self.messages[message.id] = message
        if message.author is self.bot:
            self._mine.append(message)
        if message.nonce is not None:
            key = (message.author.id, str(message.nonce))
            self._nonces[key] = (time.monotonic(), message)
        self.record("message", message=message)

    def same(self, author: User, nonce: str | int) -> Message | None:
        """The message that an author made with this nonce a short while ago."""
        born, message = self._nonces.get((author.id, str(nonce)), (0.0, None))
        fresh = time.monotonic() - born <= self.timing.nonce_window
        return message if fresh else None

    # -- waiting and writing down

    def notify(self) -> None:
        """Wake whoever waits."""
        self._changes.notify()

    def record(
        self, kind: str, *, message: Message | None = None, **more: object
    ) -> None:
        """Write an event to the log and wake whoever waits."""
        self.notify()
        if self._log is None:
            return
        line: Json = {"at": time.time(), "kind": kind, **more}
        line |= message.line() if message else {}
        self._log.write(json.dumps(line) + "\n")
        self._log.flush()

    def close(self) -> None:
        """End the log."""
        if self._log:
            self._log.close()

    async def until(self, check: Callable[[], Found], what: str = "") -> Found:
        """Wait until a check finds something, and return that.

        Args:
            check: looked at now and after every change of the server.
            what: what is waited for, as the error should say it.

        Raises:
            TimeoutError: it found nothing in time.
        """
        return await self._changes.until(check, what or self._told)

    async def posted(self, n: int = 1) -> list[Message]:
        """The bot's posts, once there are at least `n` of them.

        Raises:
            TimeoutError: there were fewer after so many seconds.
        """
        await self.until(lambda: len(self._mine) >= n and len(self.posts) >= n)
        return self.posts

    async def responded(self, n: int = 1) -> list[Response]:
        """The responses to interactions, once there are at least `n` of them.

        Raises:
            TimeoutError: there were fewer after so many seconds.
        """
        await self.until(lambda: len(self.responses) >= n)
        return self.responses

    def _told(self) -> str:
        posts = [post.text for post in self.posts[-5:]]
        return f"last of {len(self.posts)} posts {posts}, {len(self.responses)} answers"
