"""Platforms and bot as processes of their own, driven and looked at from outside."""

import asyncio
import json
import os
import random
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from sqlalchemy import URL, create_engine, func, select

from adapters.ledger.database import sqlite_url
from adapters.ledger.schema import State, inbox, outbox, recalls
from adapters.ledger.store import SqlLedger
from adapters.mail import Action, Incoming, Platform, nonce
from tests.scenarios.small_bot import API, GATEWAY, HATCHERY, MODULE
from tests.scenarios.stand_in import KILL, TERMINATE, ask

Json = dict[str, Any]
# Of tests/scenarios/crowd.py; what is forgotten need not be seen, so that is rare.
_OFTEN = ("slack_command", "slack_press", "discord_press", "slack_thumb")
_CHANGES = ("slack_edit", "slack_delete", "discord_edit", "discord_delete")
SMALL = "small"  # the pack that the bot over an empty index has
ACTS = (*_OFTEN * 2, *_CHANGES)
FORGETTING = ("slack_forget", "discord_forget")
_SLACK_TOKENS = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")
PAUSE_S = 0.05  # between two looks at another process


class Forked:
    """A process that the hatchery forked, as far as `Process` goes here."""

    def __init__(
        self, pid: int, told: asyncio.StreamReader, to: asyncio.StreamWriter
    ) -> None:
        self.pid = pid
        self._told = told
        self._to = to

    @classmethod
    async def begin(
        cls, line: Sequence[str], environment: Mapping[str, str], log: int
    ) -> "Forked":
        """Fork one with these arguments, whose output goes to a file."""
        there = ask(environment[HATCHERY], line, environment, (log, log, log))
        told, to = await asyncio.open_unix_connection(sock=there)
        return cls(int(await told.readline()), told, to)

    def kill(self) -> None:
        self._to.write(KILL)

    def terminate(self) -> None:
        self._to.write(TERMINATE)

    async def wait(self) -> int:
        code = int(await self._told.readline())
        self._to.close()
        return code


@dataclass
class Bot:
    """The bot's processes.

    `line` is the command that starts them, or arguments for the hatchery where the
    environment names one.
    """

    line: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    process: Process | Forked | None = None
    began: int = 0  # where the log of this life begins

    async def start(self) -> None:
        """Start it; it is not ready yet."""
        with self.log.open("ab") as log:
            self.began = log.tell()
            if HATCHERY in self.environment:
                began = Forked.begin(self.line, self.environment, log.fileno())
                self.process = await began
                return
            self.process = await asyncio.create_subprocess_exec(
                *self.line, env=self.environment, stderr=log, stdout=log
            )

    def ready(self) -> bool:
        """Whether somebody is there to answer."""
        with self.log.open("rb") as log:
            log.seek(self.began)
            return b"ready on" in log.read()

    async def kill(self) -> None:
        """End the serving process as a power cut does; its workers notice."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.kill()
        assert await self.process.wait() == -signal.SIGKILL, self.log.read_text()

    async def kill_if_there(self) -> bool:
        """The same to what may have come to its end; whether it had."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.kill()
        code = await self.process.wait()
        assert code in (0, -signal.SIGKILL), self.log.read_text()
        return code == 0

    def kill_worker(self, chance: random.Random) -> None:
        """End one of its workers, if it has any."""
        assert self.process is not None
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}")
        workers = (task / "children").read_text().split()
        if workers:
            os.kill(int(chance.choice(workers)), signal.SIGKILL)

    async def end(self) -> int:
        """End it as a service manager does; its exit code."""
        assert self.process is not None
        self.process.terminate()
        return await self.process.wait()


@dataclass(frozen=True)
class Reply:
    """What became of a reply in the outbox."""

    audit_id: str | None
    state: State
    why: str | None


@dataclass(frozen=True)
class Heard:
    """One event that the bot committed; `message` is its channel and message."""

    platform: Platform
    event: str
    action: Action
    answered: bool
    forgotten: bool
    message: tuple[str, str] | None
    replies: Sequence[Reply]


@dataclass(frozen=True)
class Shown:
    """One message of the bot; `event` is the interaction that it answers.

    `audit_id` is the one that its buttons name.
    """

    platform: str
    id: str
    nonce: str | None
    event: str | None
    private: bool
    text: str
    audit_id: str | None


@dataclass(frozen=True)
class Seen:
    """Every message of the bot that somebody sees, and what people took away."""

    messages: Sequence[Shown]
    gone: Collection[tuple[str, ...]]


class Stage:
    """What people do, and what they see; they ask `questions`, or always new ones."""

    def __init__(
        self,
        told: Json,
        http: aiohttp.ClientSession,
        data: Path,
        database: URL | None = None,
    ) -> None:
        self.told = told
        self.data = data
        self.questions: list[str] = []
        self._http = http
        self.settings: dict[str, str] = {}
        if database is not None:
            shown = database.render_as_string(hide_password=False)
            self.settings["database_url"] = shown
        self._url = database or sqlite_url(data / "ledger.db")
        self._engine = create_engine(self._url)
        self._bots: list[Bot] = []

    def ledger(self) -> SqlLedger:
        """The ledger of all bots here; whoever asks closes it."""
        return SqlLedger(self._url)

    def bot(self, workers: int = 2, **settings: str) -> Bot:
        """The bot over an empty index, not started yet."""
        line = [str(self.data), "serve", str(workers)]
        settings[HATCHERY] = self.told["hatchery"]
        return self._started(SMALL, line, settings)

    def marking(self, pack: str) -> Bot:
        """What `recall mark` does, over the same data; not started yet."""
        bot = self.bot()
        bot.line = [str(self.data), "recall", pack]
        bot.log = self.data.with_name("recall.log")
        return bot

    def answering(self, pack: str) -> Bot:
        """The bot as it is shipped, over what its folder holds; not started yet."""
        return self.shipped(dict.fromkeys(Platform, pack))

    def shipped(self, packs: Mapping[Platform, str]) -> Bot:
        """The same, with a pack for each platform."""
        line = [sys.executable, "-m", MODULE, str(self.data), "real"]
        named = {f"GROUNDRULE_{p.upper()}_PACK": pack for p, pack in packs.items()}
        return self._started("", line, named)

    def release(
        self, folder: Path, data: Path, platform: Platform, pack: str = SMALL
    ) -> Bot:
        """A release that stands in another folder, on one platform; not started yet.

        As it is shipped, but for the small pack, which has no index.
        """
        verb = ["serve", "2"] if pack == SMALL else ["real"]
        line = [sys.executable, "-m", MODULE, str(data), *verb]
        other = {Platform.SLACK: ("DISCORD_TOKEN",), Platform.DISCORD: _SLACK_TOKENS}
        absent = {f"GROUNDRULE_{name}": "" for name in other[platform]}
        found = {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
        bot = self._started(pack, line, {**absent, **found})
        bot.log = data.with_name(f"{data.name}.log")
        return bot

    def _started(self, pack: str, line: list[str], more: Mapping[str, str]) -> Bot:
        told = self.told
        environment = {
            **os.environ,
            "GROUNDRULE_SLACK_API": told["slack_api"],
            "GROUNDRULE_SLACK_BOT_TOKEN": told["slack_bot_token"],
            "GROUNDRULE_SLACK_APP_TOKEN": told["slack_app_token"],
            "GROUNDRULE_DISCORD_TOKEN": told["discord_token"],
            "GROUNDRULE_SLACK_PACK": pack,
            "GROUNDRULE_DISCORD_PACK": pack,
            "GROUNDRULE_PERSON_LIMIT": "1000",
            "GROUNDRULE_CHANNEL_LIMIT": "10000",
            "GROUNDRULE_WAITING_LIMIT": "100000",
            API: told["discord_api"],
            GATEWAY: told["discord_gateway"],
            **{f"GROUNDRULE_{n.upper()}": v for n, v in self.settings.items()},
            **more,
        }
        bot = Bot(line, environment, self.data.with_name("bot.log"))
        self._bots.append(bot)
        return bot

    # --- what people do -----------------------------------------------------------

    async def ask(self, chance: random.Random) -> None:
        """Somebody asks somewhere, in one of the ways that there are."""
        told = self.told
        new = f"How is it treated {chance.randrange(10**6)}?"
        text = chance.choice(self.questions or [new])
        if chance.random() < 0.5:
            user = chance.choice(told["slack_people"])
            if chance.random() < 0.2:
                await self._do("slack", "tell", user=user, text=text)
                return
            channel = chance.choice(told["slack_channels"])
            twin = chance.random() < 0.5
            await self._do(
                "slack", "mention", channel=channel, user=user, text=text, twin=twin
            )
            return
        author = chance.choice(told["discord_people"])
        if chance.random() < 0.2:
            await self._do("discord", "whisper", author=author, text=text)
            return
        where = {"author": author, "channel": chance.choice(told["discord_channels"])}
        if chance.random() < 0.2:
            options = {"question": text, "private": chance.random() < 0.5}
            await self._do("discord", "slash", name="ask", options=options, **where)
        else:
            await self._do("discord", "mention", text=text, **where)

    async def act(self, chance: random.Random, *acts: str) -> None:
        """Somebody does one of these things with what they see, or any."""
        asked = {"name": chance.choice(acts or ACTS), "seed": chance.randrange(2**32)}
        async with self._http.post(f"{self.told['desk']}/act", json=asked) as answer:
            assert answer.status == 200, asked

    async def mention(
        self, chance: random.Random, text: str, channel: str | None = None
    ) -> None:
        """Somebody asks this in a channel of Slack, or in some."""
        user = chance.choice(self.told["slack_people"])
        channel = channel or chance.choice(self.told["slack_channels"])
        await self._do("slack", "mention", channel=channel, user=user, text=text)

    async def mention_there(self, chance: random.Random, text: str) -> None:
        """Somebody asks this in some channel of Discord, every other time by /ask."""
        author = chance.choice(self.told["discord_people"])
        where = {
            "author": author,
            "channel": chance.choice(self.told["discord_channels"]),
        }
        if chance.random() < 0.5:
            options = {"question": text}
            await self._do("discord", "slash", name="ask", options=options, **where)
        else:
            await self._do("discord", "mention", text=text, **where)

    async def say_there(self, chance: random.Random, text: str) -> None:
        """Somebody says this to the bot in some channel of Discord."""
        author = chance.choice(self.told["discord_people"])
        channel = chance.choice(self.told["discord_channels"])
        await self._do("discord", "mention", text=text, author=author, channel=channel)

    async def _do(self, platform: str, act: str, **given: object) -> None:
        url = f"{self.told[platform]}/control/do/{act}"
        async with self._http.post(url, json=given) as answer:
            registered = answer.status != 400  # a command, before the bot's first life
            assert answer.status == 200 or not registered, await answer.text()

    # --- what there is ------------------------------------------------------------

    async def state(self, platform: str) -> Json:
        """What the platform says happened."""
        async with self._http.get(f"{self.told[platform]}/control/state") as answer:
            found: Json = await answer.json()
            return found

    async def heard(self) -> bool:
        """Whether the bot is connected to both platforms."""
        brief = await self._brief()
        return bool(brief["slack"] and brief["discord"])

    async def said(self) -> bool:
        """Whether Slack has nothing to tell the bot any more."""
        return not (await self._brief())["unsaid"]

    async def latencies(self) -> Sequence[float]:
        """Seconds to each acknowledgement of a Discord interaction."""
        async with self._http.get(f"{self.told['desk']}/latencies") as answer:
            found: Sequence[float] = await answer.json()
            return found

    async def _brief(self) -> Json:
        async with self._http.get(f"{self.told['desk']}/brief") as answer:
            found: Json = await answer.json()
            return found

    def accepted(self) -> Counter[Platform]:
        """How many events the bot has committed, by platform."""
        query = select(inbox.c.platform, func.count()).group_by(inbox.c.platform)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return Counter({Platform(name): number for name, number in rows})

    def open(self) -> int:
        """How many events and replies are not done."""
        with self._engine.connect() as connection:
            return sum(
                connection.execute(
                    select(func.count()).where(
                        table.c.state.in_((State.WAITING, State.CLAIMED))
                    )
                ).scalar_one()
                for table in (inbox, outbox)
            )

    def marked(self) -> int:
        """How many answers are put down as marked (R-D7)."""
        with self._engine.connect() as connection:
            return connection.execute(
                select(func.count()).select_from(recalls)
            ).scalar_one()

    def heard_events(self) -> list[Heard]:
        """Every event that the bot has committed, with the reply that it got."""
        query = select(inbox).order_by(inbox.c.received, inbox.c.event)
        replies = select(outbox).order_by(outbox.c.id)
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
            answers = connection.execute(replies).mappings().all()
        by_event: dict[tuple[str, str], list[Reply]] = {}
        for row in answers:
            reply = Reply(row["audit_id"], State(row["state"]), row["why"])
            by_event.setdefault((row["platform"], row["event"]), []).append(reply)
        return [
            Heard(
                platform=Platform(row["platform"]),
                event=row["event"],
                action=Action(row["action"]),
                answered=row["answered"],
                forgotten=not row["asker"],
                message=(row["channel"], row["message"]) if row["message"] else None,
                replies=by_event.get((row["platform"], row["event"]), []),
            )
            for row in rows
        ]

    async def seen(self) -> Seen:
        """What people see now."""
        async with self._http.get(f"{self.told['desk']}/shown") as answer:
            told = await answer.json()
        return Seen(
            [Shown(**shown) for shown in told["messages"]],
            {(Platform(name), *where) for name, *where in told["gone"]},
        )

    async def close(self) -> None:
        """End also what a test that failed left running."""
        for process in (bot.process for bot in self._bots):
            if isinstance(process, Process) and process.returncode is None:
                process.kill()
                await process.wait()
        self._engine.dispose()


def part(platform: Platform, event: str, number: int) -> str:
    """The nonce of a part of what answers an event."""
    named = Incoming.model_construct(platform=platform, event=event)
    return nonce(named, number)


async def until(check: Callable[[], Any], within: float, what: str) -> None:
    """Wait until another process has come so far.

    Raises:
        TimeoutError: it has not in time.
    """
    async with asyncio.timeout(within):
        while True:
            found = check()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return
            await asyncio.sleep(PAUSE_S)
    raise AssertionError(what)


@asynccontextmanager
async def staged(folder: Path, database: URL | None = None) -> AsyncIterator[Stage]:
    """Both platforms, with the bot's data in a folder, the ledger elsewhere if said."""
    with tempfile.TemporaryDirectory() as short:  # which a socket's name must be
        socket = f"{short}/hatchery"
        async with (
            _aside("tests.scenarios.world") as line,
            _aside("tests.scenarios.hatchery", socket),
            aiohttp.ClientSession() as http,
        ):
            told = {**json.loads(line), "hatchery": socket}
            stage = Stage(told, http, folder / "data", database)
            try:
                yield stage
            finally:
                await stage.close()


@asynccontextmanager
async def _aside(module: str, *arguments: str) -> AsyncIterator[bytes]:
    """A module as a process beside this one, once it has said its first line."""
    line = (sys.executable, "-m", module, *arguments)
    process = await asyncio.create_subprocess_exec(*line, stdout=PIPE)
    assert process.stdout is not None
    try:
        yield await process.stdout.readline()
    finally:
        process.terminate()
        await process.wait()
