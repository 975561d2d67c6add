"""What the tests of the live Slack side share: a Slack, and a mailbox in a file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.ledger.database import sqlite_url
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.slack.app import SlackApp
from tests.adapters.slack.rig import Inbox, over_http, running, sockets
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Timing


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """A Slack that repeats soon what was not acknowledged, and swallows nothing."""
    timing = Timing(retries=(0.0, 0.05, 0.2))
    async with SlackServer(timing) as server:
        yield server
    assert server.problems == []


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[SqlLedger]:
    """An empty ledger in a file."""
    opened = SqlLedger(sqlite_url(tmp_path / "ledger.db"))
    yield opened
    await opened.close()


@pytest.fixture
def inbox(ledger: SqlLedger, slack: SlackServer) -> Inbox:
    """A door to its mailbox; what it could not keep, Slack waits no longer for."""
    return Inbox(Mailbox(ledger), failed=slack.workspace.give_up)


@pytest.fixture(params=["sockets", "http"])
async def app(
    request: pytest.FixtureRequest, slack: SlackServer, inbox: Inbox
) -> AsyncIterator[SlackApp]:
    """The bot, on each of the two roads."""
    if request.param == "http":
        async with over_http(slack, inbox) as opened:
            yield opened
    else:
        async with running(sockets(slack), inbox) as opened:
            yield opened
