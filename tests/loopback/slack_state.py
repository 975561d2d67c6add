"""What the loopback Slack remembers: workspaces, people, channels, messages, views.

Nothing here speaks HTTP; the Web API, Socket Mode and the people in the workspace all
read and change this one state, and each change wakes whoever waits.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, TextIO

from tests.loopback.waiting import Changes

Json = dict[str, Any]
APP = "A1"


class Refused(Exception):
    """A call that Slack answers with ok: false."""

    def __init__(self, error: str, *messages: str) -> None:
        super().__init__(error, *messages)
        self.error = error
        self.messages = messages


@dataclass(frozen=True)
class Timing:
    """Seconds that Slack allows; tests shorten them.

    Slack itself allows 3 s for `ack` and `trigger`. Here it is a minute, so that no
    test depends on how fast the machine is: that the bot acknowledges before it does
    anything else is shown by what it waits for. `retries` are the pauses before an
    unacknowledged event is sent again: at once, after a minute, after five (figures in
    Slack's page on the Events API).
    """

    ack: float = 60.0
    retries: tuple[float, ...] = (0.0, 60.0, 300.0)
    trigger: float = 60.0
    response_url: float = 1800.0


@dataclass(frozen=True)
class Team:
    """One workspace in which the app is installed."""

    id: str
    token: str
    bot_user: str
    bot: str
    name: str = "Test"


@dataclass(frozen=True)
class Person:
    id: str
    team: str
    name: str
    guest: bool = False
    bot: bool = False
    zone: str = "Europe/Berlin"


@dataclass(eq=False)
class Message:
    """One message as Slack keeps it; `sent` holds the arguments it came with."""

    channel: str
    ts: str
    user: str
    text: str
    team: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    metadata: Json | None = None
    bot: str | None = None
    subtype: str | None = None
    edited: bool = False
    deleted: bool = False
    at: float = field(default_factory=time.monotonic)
    sent: Json = field(default_factory=dict)

    def json(self, *, metadata: bool = False) -> Json:
        """The message as the API shows it."""
        shown: Json = {
            "type": "message",
            "user": self.user,
            "text": self.text,
            "ts": self.ts,
            "team": self.team,
        }
        if self.blocks:
            shown["blocks"] = self.blocks
        if self.thread_ts:
            shown["thread_ts"] = self.thread_ts
        if self.subtype:
            shown["subtype"] = self.subtype
        if self.bot:
            shown |= {"bot_id": self.bot, "app_id": APP}
        if self.edited:
            shown["edited"] = {"user": self.user, "ts": self.ts}
        if metadata and self.metadata:
            shown["metadata"] = self.metadata
        return shown


@dataclass(eq=False)
class Private:
    """A message that one person saw: an ephemeral post or an ephemeral answer.

    `gone` once another one took its place, or none.
    """

    channel: str
    user: str
    ts: str
    text: str
    blocks: tuple[Json, ...]
    thread_ts: str | None
    way: Literal["chat.postEphemeral", "response_url", "ack"]
    at: float
    sent: Json
    gone: bool = False


@dataclass(frozen=True)
class Status:
    """What was set on an assistant thread, or for an agent."""

    kind: Literal["status", "title", "prompts", "session"]
    channel: str
    thread_ts: str
    value: Any
    at: float


@dataclass(frozen=True)
class Call:
    """One call of the Web API, or one post to a response URL."""

    method: str
    args: Json
    team: str | None
    error: str | None
    fault: str | None
    at: float


@dataclass(eq=False)
class Channel:
    id: str
    team: str
    name: str
    kind: Literal["channel", "private", "im"] = "channel"
    members: set[str] = field(default_factory=set)
    messages: dict[str, Message] = field(default_factory=dict)

    def thread(self, ts: str) -> list[Message]:
        """The parent and its replies, oldest first; empty when there is no parent."""
        parent = self.messages.get(ts)
        if parent is None:
            return []
        return [parent, *(m for m in self.messages.values() if m.thread_ts == ts)]


@dataclass
class Trigger:
    """What a person's click allows for a moment: one view."""

    user: str
    made: float
    used: bool = False


@dataclass
class ReplyUrl:
    """A response URL, which works a few times and not for ever.

    `shown` is what the person saw first through it: the original that can be replaced.
    """

    team: str
    channel: str
    user: str
    ts: str | None
    thread_ts: str | None
    private: bool
    made: float
    uses: int = 0
    shown: Private | None = None


class Workspace:
    """Everything that one loopback Slack knows."""

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self.changes = Changes()
        self.teams: dict[str, Team] = {}
        self.people: dict[str, Person] = {}
        self.channels: dict[str, Channel] = {}
        self.posts: list[Message] = []
        self.privates: list[Private] = []
        self.statuses: list[Status] = []
        self.calls: list[Call] = []
        self.problems: list[str] = []
        self.views: dict[str, Json] = {}
        self.homes: dict[str, Json] = {}
        self.triggers: dict[str, Trigger] = {}
        self.reply_urls: dict[str, ReplyUrl] = {}
        self.files: dict[str, bytes] = {}  # by name; for who shows the bot's token
        self.agent = False  # whether the app's manifest says `agent_view`
        self.client = ("client-id", "client-secret")
        self.codes: dict[str, str] = {}
        self.log: TextIO | None = None
        self._attempts: set[asyncio.Timeout] = set()
        self._numbers = count(1)
        self._last = 0

    def number(self, prefix: str) -> str:
        """A new id of this kind."""
        return f"{prefix}{next(self._numbers):08d}"

    def ts(self) -> str:
        """A message's timestamp: the time, and always later than the last one."""
        self._last = max(self._last + 1, time.time_ns() // 1_000)
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def changed(self, kind: str, **what: Any) -> None:
        """Wake who waits, and write a line where a log is kept."""
        if self.log is not None:
            line = {"at": time.time(), "kind": kind, **what}
            self.log.write(json.dumps(line, default=str) + "\n")
            self.log.flush()
        self.changes.notify()

    @asynccontextmanager
    async def patience(self, *, again: bool) -> AsyncIterator[None]:
        """Wait for one attempt; `again` where Slack would make another one.

        Raises:
            TimeoutError: it took longer than `Timing.ack`, or Slack gave up.
        """
        async with asyncio.timeout(self.timing.ack) as limit:
            if again:
                self._attempts.add(limit)
            try:
                yield
            finally:
                self._attempts.discard(limit)

    def give_up(self) -> None:
        """End each attempt at an event that is waited for, as if its time were over."""
        for limit in self._attempts:
            limit.reschedule(0.0)

    def now(self) -> float:
        """The monotonic clock in seconds, on which every time in the records stands."""
        return time.monotonic()

    def trigger(self, user: str) -> str:
        """A trigger id for what this person pressed, good once and for a moment."""
        name = f"{self.number('')}.{self.number('')}.trigger"
        self.triggers[name] = Trigger(user, self.now())
        return name

    def redeemed(self, name: str) -> Trigger:
        """Use a trigger id up.

        Raises:
            Refused: it is unknown, was used before, or is too old.
        """
        trigger = self.triggers.get(name)
        if trigger is None:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        if self.now() - trigger.made > self.timing.trigger:
            raise Refused("expired_trigger_id")
        trigger.used = True
        return trigger

    def direct(self, team: str, user: str) -> Channel:
        """The direct messages of a person with the bot, opened when need be."""
        members = {user, self.teams[team].bot_user}
        for channel in self.channels.values():
            if channel.kind == "im" and channel.members == members:
                return channel
        opened = Channel(self.number("D"), team, "", "im", members)
        self.channels[opened.id] = opened
        return opened

    def add(self, message: Message) -> Message:
        """Put a message into its channel."""
        self.channels[message.channel].messages[message.ts] = message
        if message.bot is not None:
            self.posts.append(message)
            self.changed(
                "post",
                channel=message.channel,
                ts=message.ts,
                thread_ts=message.thread_ts,
                text=message.text,
                metadata=message.metadata,
            )
        return message

    def said(self, user: str, channel: str, text: str, **more: Any) -> Message:
        """A person writes."""
        team = self.channels[channel].team
        return self.add(Message(channel, self.ts(), user, text, team, **more))

    def visible(self, team: Team, channel: str) -> Channel:
        """The channel of this workspace with that id.

        Raises:
            Refused: there is none, or it belongs to another workspace.
        """
        found = self.channels.get(channel)
        if found is None or found.team != team.id:
            raise Refused("channel_not_found")
        return found
