"""Socket Mode hears again after every fault, and loses nothing meanwhile (R-C3)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from adapters.mail import Accepted
from adapters.slack.sockets import Pace
from adapters.tokens import TokenRefused
from engine.model.errors import UsageError
from tests.adapters.pauses import Pauses
from tests.adapters.slack.rig import BRISK, Inbox, running, sockets
from tests.loopback.faults import FaultProxy, answered
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Timing

USUAL = Pace()


@pytest.fixture
async def proxy(slack: SlackServer) -> AsyncIterator[FaultProxy]:
    """Between the bot and Slack, for calls and websockets alike."""
    async with FaultProxy(slack.port) as between:
        slack.behind(between.port)
        yield between


async def heard(slack: SlackServer, inbox: Inbox, text: str) -> None:
    """A question gets through."""
    before = len(inbox.kept)
    asked = slack.people.mention("C1", "U1", text)
    await asked.finished()
    assert len(inbox.kept) == before + 1


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    """What the bot chooses to wait, however long the machine takes over the rest."""
    return Pauses(monkeypatch, "adapters.slack.sockets")


async def test_two_connections_stand(slack: SlackServer, inbox: Inbox) -> None:
    """Each of them brings events."""
    async with running(sockets(slack), inbox) as app:
        await slack.connected(2)
        for number in range(4):
            await heard(slack, inbox, f"q{number}")
        assert app.health()["connections"] == 2
        roads = {d.attempts[0].road for d in slack.courier.deliveries}
    assert len(roads) == 2


async def test_hears_within_five_seconds_of_a_reset_R_C3(
    slack: SlackServer, proxy: FaultProxy, inbox: Inbox, pauses: Pauses
) -> None:
    """Both connections end at once, at the pace of production."""
    async with running(sockets(slack, USUAL), inbox):
        await slack.connected(2)
        proxy.reset()
        await slack.connected(4)
        assert pauses.seconds < 5
        await heard(slack, inbox, "after")


async def test_hears_within_ten_seconds_of_going_half_open_R_C3(
    slack: SlackServer, proxy: FaultProxy, inbox: Inbox, pauses: Pauses
) -> None:
    """Both connections swallow everything; a ping and a half later that is known."""
    assert 1.5 * USUAL.heartbeat < 8
    # What a link that is taken for dead should have brought comes on another one.
    slack.workspace.timing = Timing(ack=5, retries=(0.0,) * 100)
    async with running(sockets(slack, USUAL), inbox):
        await slack.connected(2)
        proxy.freeze()
        await slack.connected(4)
        assert pauses.seconds < 2
        await heard(slack, inbox, "after")


async def test_a_refresh_is_not_noticed_R_C3(
    slack: SlackServer, inbox: Inbox, pauses: Pauses
) -> None:
    """Slack asks all connections to leave: each event is taken at its first attempt."""
    async with running(sockets(slack, USUAL), inbox):
        await slack.connected(2)
        asked = []
        for number in range(20):
            asked.append(slack.people.mention("C1", "U1", f"q{number}"))
            if number == 10:
                await slack.sockets.disconnect("refresh_requested")
        await slack.connected(4)
        assert pauses.seconds == 0
        for one in asked:
            assert (await one.acknowledged()).number == 0
    assert len(inbox.kept) == 20


async def test_the_old_connection_goes_after_the_new_one_stands(
    slack: SlackServer, inbox: Inbox
) -> None:
    """There is never a moment without one, and in the end there are two."""
    async with running(sockets(slack), inbox):
        await slack.connected(2)
        fewest = 2

        def count() -> bool:
            nonlocal fewest
            fewest = min(fewest, len(slack.sockets.connections))
            return slack.sockets.opened == 4 and len(slack.sockets.connections) == 2

        await slack.sockets.disconnect("warning")
        await slack.workspace.changes.until(count, "two new connections alone")
    assert fewest == 2


async def test_hears_as_soon_as_the_web_api_is_back_R_C3(
    slack: SlackServer, proxy: FaultProxy, inbox: Inbox
) -> None:
    """Reset while apps.connections.open fails, at the pace of production."""
    assert USUAL.pauses.longest < 5
    async with running(sockets(slack, USUAL), inbox):
        await slack.connected(2)
        slack.fail("apps.connections.open", answered(500), times=1_000)
        proxy.reset()
        await slack.called("apps.connections.open", 8)  # of which six failed
        slack.faults.clear()
        await slack.connected(3)
        await heard(slack, inbox, "after")


async def test_waits_as_long_as_slack_asks(slack: SlackServer, inbox: Inbox) -> None:
    """Too many calls: the next comes after Retry-After, not before."""
    slack.fail("apps.connections.open", answered(429, headers={"Retry-After": "1"}))
    async with running(sockets(slack, replace(BRISK, connections=1)), inbox):
        first, second = slack.calls("apps.connections.open")
    assert second.at - first.at >= 1


async def test_silent_deafness_is_noticed_R_C3(
    slack: SlackServer, inbox: Inbox
) -> None:
    """Pings are answered and nothing is brought: after a while there are others."""
    async with running(sockets(slack, replace(BRISK, quiet=0.1)), inbox):
        await slack.connected(2)
        slack.sockets.deafen()
        deaf = {connection.name for connection in slack.sockets.connections}
        await slack.workspace.changes.until(
            lambda: not deaf & {c.name for c in slack.sockets.connections},
            "the deaf connections replaced",
        )
        await heard(slack, inbox, "after")


async def test_a_crowded_app_waits_for_room(slack: SlackServer, inbox: Inbox) -> None:
    """Ten connections are all that an app may have; the first two stay."""
    async with (
        running(sockets(slack, replace(BRISK, connections=9)), inbox),
        running(sockets(slack, BRISK), inbox),
    ):
        await heard(slack, inbox, "q")
        await slack.called("apps.connections.open", 11)
    assert len(slack.calls("apps.connections.open")) == 11


async def test_a_refused_token_ends_it_with_the_reason(
    slack: SlackServer, inbox: Inbox
) -> None:
    """Nothing is gained by going on; the message names the token and not its text."""
    settings = replace(sockets(slack), app_token="xapp-wrong")
    with pytest.raises(TokenRefused) as caught:
        async with running(settings, inbox):
            pass
    said = str(caught.value)
    assert "invalid_auth" in said and "wrong" not in said
    assert "GROUNDRULE_SLACK_APP_TOKEN" in said and "xapp-" in said


async def test_a_refused_bot_token_is_a_matter_of_configuration(
    slack: SlackServer, inbox: Inbox
) -> None:
    """It names the variable, and that the two tokens may have been swapped."""
    settings = replace(sockets(slack), bot_token="xoxb-wrong")
    with pytest.raises(TokenRefused) as caught:
        async with running(settings, inbox):
            pass
    assert isinstance(caught.value, UsageError)
    said = str(caught.value)
    for word in ("GROUNDRULE_SLACK_BOT_TOKEN", "xoxb-", "swapped", "invalid_auth"):
        assert word in said
    assert "xoxb-wrong" not in said


async def test_what_is_being_kept_at_the_end_is_still_acknowledged(
    slack: SlackServer, inbox: Inbox
) -> None:
    """Stopping waits a moment for it."""
    async with running(sockets(slack), inbox):
        await slack.connected(2)
        inbox.gate.clear()
        asked = slack.people.mention("C1", "U1", "q")
        await inbox.met(1)
        asyncio.get_running_loop().call_soon(inbox.gate.set)
    assert (await asked.acknowledged()).number == 0
    assert inbox.answers == [Accepted.NEW]


async def test_a_flood_is_refused_beyond_a_bound(
    slack: SlackServer, inbox: Inbox
) -> None:
    """What is not taken is not acknowledged, and comes again."""
    slack.workspace.timing = Timing(ack=0.5, retries=(0.0,) * 100)
    async with running(replace(sockets(slack), at_once=2), inbox):
        await slack.connected(2)
        inbox.gate.clear()
        asked = [slack.people.mention("C1", "U1", f"q{n}") for n in range(3)]
        await asked[2].changes.until(lambda: len(asked[2].attempts) > 1, "a repeat")
        assert inbox.arrivals < len(asked) * 2
        inbox.gate.set()
        for one in asked:
            assert await one.finished()
    assert len(inbox.kept) == 3
