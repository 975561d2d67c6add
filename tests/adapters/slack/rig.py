"""The bot's Slack side on the loopback Slack, with the real mailbox behind the door."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from adapters.ledger.installations import Installations
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Accepted, Incoming
from adapters.retrying import Pauses
from adapters.slack.app import Inside, SlackApp, SlackSettings, open_slack
from adapters.slack.sockets import Pace
from adapters.slack.surfaces import Wording
from adapters.slack.views import Home, PackHere
from engine.model.errors import LedgerFailed
from tests.loopback.slack import SlackServer
from tests.loopback.waiting import PATIENCE, Changes

SECRET = "signing-secret"
# Goes on at once after a failure; nothing is given up for being slow.
SHORT = Pauses(0.02, 0.1, asked="wait")
BRISK = Pace(heartbeat=60.0, opening=60.0, pauses=SHORT, quiet=60.0)
WORDS = Wording(
    busy="Too many questions are waiting: ask again in a moment.",
    late="That took too long: try it again.",
    looking="is looking in its sources…",
    noted="I am looking.",
)


class Inbox:
    """The mailbox as a Door that can be slow, and fail a number of times.

    Attributes:
        kept: what was new, in order.
        answers: what each call came to; None where it failed.
        gate: nothing is committed while it is not set.
        answering: whether somebody is there to answer.

    Args:
        failed: called where nothing could be committed: Slack waits no longer then.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        limit: int = 10_000,
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        self._failed = failed
        self.answering = True
        self._mailbox = mailbox
        self._changes = Changes()
        self.limit = limit
        self.kept: list[Incoming] = []
        self.answers: list[Accepted | None] = []
        self.failures = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.arrivals = 0

    async def accept(self, incoming: Incoming) -> Accepted:
        """Commit it, unless it is to fail."""
        self.arrivals += 1
        self._changes.notify()
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            self._note(None)
            self._failed()
            raise LedgerFailed(f"no row for {incoming.text}")
        asker = hashlib.sha256(incoming.person.encode()).hexdigest()[:32]
        accepted = await self._mailbox.accept(incoming, asker, self.limit)
        if accepted is Accepted.NEW:
            self.kept.append(incoming)
        self._note(accepted)
        return accepted

    def _note(self, answer: Accepted | None) -> None:
        self.answers.append(answer)
        self._changes.notify()

    async def holds(self, n: int) -> list[Incoming]:
        """Wait for the first n new events."""
        await self._changes.until(
            lambda: len(self.kept) >= n, lambda: f"{n} of {self.kept}"
        )
        return self.kept[:n]

    async def met(self, n: int) -> None:
        """Wait until so many events have come to the door."""
        await self._changes.until(lambda: self.arrivals >= n, f"{n} arrivals")


class Shelf:
    """What the surfaces show."""

    async def home(self, tenant: str, person: str, channel: str | None = None) -> Home:
        """One pack, all well."""
        pack = PackHere(channel="C1", title="Robots", version="1.0")
        return Home(packs=(pack,), health="All well.", data=f"Nothing of {tenant}.")

    async def questions(self, tenant: str, channel: str | None) -> Sequence[str]:
        """Two questions, the same for everybody."""
        return ("What is ROS?", f"What is asked in {channel}?")

    async def notice(self, tenant: str, channel: str) -> str | None:
        """Something can be asked."""
        return None

    async def wait_until_forgotten(self, tenant: str, person: str) -> None:
        """At once."""


def sockets(slack: SlackServer, pace: Pace = BRISK) -> SlackSettings:
    """Settings of one workspace over websockets."""
    return SlackSettings(
        bot_token=slack.bot_token,
        app_token=slack.app_token,
        api=slack.base_url,
        pace=pace,
    )


def http(slack: SlackServer, **more: Any) -> SlackSettings:
    """Settings of one workspace over HTTP, at a free port."""
    given = {"bot_token": slack.bot_token, "signing_secret": SECRET, **more}
    return SlackSettings(api=slack.base_url, port=0, pace=BRISK, **given)


@asynccontextmanager
async def running(
    settings: SlackSettings, inbox: Inbox, installations: Installations | None = None
) -> AsyncIterator[SlackApp]:
    """The bot, from when it hears to its end."""
    inside = Inside(inbox, Shelf(), WORDS)
    async with open_slack(settings, inside, installations) as app:
        hearing = asyncio.create_task(app.run())
        waiting = asyncio.create_task(app.hearing.wait())
        try:
            await asyncio.wait(
                {hearing, waiting},
                timeout=PATIENCE,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if hearing.done():
                hearing.result()
            assert waiting.done(), "it does not hear"
            yield app
        finally:
            waiting.cancel()
            hearing.cancel()
            with suppress(asyncio.CancelledError):
                await hearing


@asynccontextmanager
async def over_http(slack: SlackServer, inbox: Inbox) -> AsyncIterator[SlackApp]:
    """The bot on HTTP, with Slack sending there."""
    async with running(http(slack), inbox) as app:
        slack.over_http(f"http://127.0.0.1:{app.port}/slack/events", SECRET)
        yield app
