"""The loopback Slack under Slack's own SDK: events, acknowledgements, people."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from tests.loopback.faults import FaultProxy
from tests.loopback.slack import SlackServer
from tests.loopback.slack_bot import client_of, connected, echo, online, silent
from tests.loopback.slack_socket import MOST
from tests.loopback.slack_state import Timing

QUICK = Timing(ack=0.15, retries=(0.0, 0.05, 0.1))


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """A Slack that waits, and repeats soon what it could not bring."""
    async with SlackServer(Timing(retries=(0.0, 0.05, 0.1, 0.5))) as server:
        yield server


@pytest.fixture
async def hasty() -> AsyncIterator[SlackServer]:
    """A Slack that repeats within a moment what was not acknowledged."""
    async with SlackServer(QUICK) as server:
        yield server


# --- Socket Mode ------------------------------------------------------------------


async def test_a_mention_is_acknowledged_and_answered_in_its_thread(
    slack: SlackServer,
) -> None:
    """The whole way: event, acknowledgement, post with metadata."""
    async with online(echo(slack), slack):
        asked = slack.people.mention("C1", "U1", "what is ROS?")
        acknowledged = await asked.acknowledged()
        (post,) = await slack.posted()
    assert acknowledged.number == 0
    assert post.text == "heard <@UBOT1> what is ROS?"
    assert post.thread_ts == asked.payload["event"]["ts"]
    assert post.metadata is not None
    assert slack.problems == []


async def test_bolt_acknowledges_before_the_listener_is_done(
    slack: SlackServer,
) -> None:
    """A listener that waits does not hold the acknowledgement back."""
    app, go_on = silent(slack), asyncio.Event()

    async def wait(client: AsyncWebClient) -> None:
        await go_on.wait()
        await client.chat_postMessage(channel="C1", text="done")

    app.event("app_mention")(wait)
    async with online(app, slack):
        await slack.people.mention("C1", "U1", "q").acknowledged()
        assert slack.posts == []
        go_on.set()
        await slack.posted()


async def test_an_event_nobody_handles_is_sent_four_times(hasty: SlackServer) -> None:
    """Bolt does not acknowledge what it has no listener for."""
    async with online(silent(hasty), hasty):
        asked = hasty.people.mention("C1", "U1", "q")
        assert not await asked.finished()
    assert [a.number for a in asked.attempts] == [0, 1, 2, 3]
    assert [a.reason for a in asked.attempts] == ["", "timeout", "timeout", "timeout"]
    assert len({a.envelope for a in asked.attempts}) == 4


async def test_a_repetition_carries_its_number_and_the_same_event_id(
    slack: SlackServer,
) -> None:
    """Acknowledged at the third attempt, with nothing after it."""
    heard: list[SocketModeRequest] = []

    async def third_time(
        client: AsyncBaseSocketModeClient, request: SocketModeRequest
    ) -> None:
        heard.append(request)
        if request.retry_attempt == 2:
            await client.send_socket_mode_response({"envelope_id": request.envelope_id})
        else:
            slack.workspace.give_up()

    client = SocketModeClient(slack.app_token, web_client=client_of(slack))
    client.socket_mode_request_listeners.append(third_time)
    async with connected(client, slack):
        asked = slack.people.mention("C1", "U1", "q", event_id="Ev7")
        assert await asked.finished()
    assert [request.retry_attempt for request in heard] == [0, 1, 2]
    assert [request.retry_reason for request in heard] == ["", "timeout", "timeout"]
    assert {request.payload["event_id"] for request in heard} == {"Ev7"}


async def test_a_refresh_loses_nothing(slack: SlackServer) -> None:
    """Questions before, during and after are each answered once.

    The SDK closes the old connection before it opens the new one, so what comes in
    between arrives with a repetition.
    """
    async with online(echo(slack), slack):
        for number in range(10):
            slack.people.mention("C1", "U1", f"q{number}")
            if number == 5:
                await slack.sockets.disconnect("refresh_requested")
        await slack.connected(2)
        slack.people.mention("C1", "U1", "last")
        deliveries = await slack.delivered()
        await slack.posted(11)
    assert all(delivery.acknowledgement for delivery in deliveries)
    assert len({post.thread_ts for post in slack.posts}) == len(slack.posts) == 11


async def test_after_a_warning_the_old_connection_still_works(
    slack: SlackServer,
) -> None:
    """A warning asks for another connection; nothing stops at once."""
    async with online(echo(slack), slack):
        await slack.sockets.disconnect("warning")
        slack.people.mention("C1", "U1", "q")
        await slack.connected(2)
        await slack.posted()


async def test_events_go_to_any_one_of_several_connections(slack: SlackServer) -> None:
    """Two bots share the questions; none is answered twice."""
    async with online(echo(slack), slack), online(echo(slack), slack):
        asked = [slack.people.mention("C1", "U1", f"q{n}") for n in range(10)]
        await slack.posted(10)
        await slack.delivered()
    assert len({delivery.attempts[0].road for delivery in asked}) == 2
    assert len(slack.posts) == 10


async def test_a_deaf_connection_answers_pings_and_brings_nothing(
    hasty: SlackServer,
) -> None:
    """What bolt-python#1529 saw; another connection hears again."""
    async with online(echo(hasty), hasty):
        hasty.sockets.deafen()
        assert not await hasty.people.mention("C1", "U1", "lost").finished()
        async with online(echo(hasty), hasty):
            await hasty.people.mention("C1", "U1", "found").finished()
            (post,) = await hasty.posted()
    assert post.text.endswith("found")


async def test_without_a_connection_an_event_fails_at_once(hasty: SlackServer) -> None:
    """Nobody is there: each attempt fails, and the event is lost after the last."""
    asked = hasty.people.mention("C1", "U1", "q")
    assert not await asked.finished()
    assert {attempt.failed for attempt in asked.attempts} == {"connection_failed"}


async def test_a_ticket_opens_one_connection_and_an_app_has_ten(
    slack: SlackServer,
) -> None:
    """Tickets are used up; the eleventh connection is told to go."""
    client = client_of(slack)

    async def url() -> str:
        opened = await client.apps_connections_open(app_token=slack.app_token)
        return str(opened["url"])

    async with aiohttp.ClientSession() as http:
        first = await url()
        sockets = [await http.ws_connect(first)]
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(first)
        sockets += [await http.ws_connect(await url()) for _ in range(MOST - 1)]
        assert (await sockets[-1].receive_json())["num_connections"] == MOST
        one_more = await http.ws_connect(await url())
        assert (await one_more.receive_json())["reason"] == "too_many_websockets"


# --- a bad line -------------------------------------------------------------------


async def test_after_a_reset_the_sdk_connects_again(slack: SlackServer) -> None:
    """Every address leads through the proxy, the websocket's as well."""
    async with FaultProxy(slack.port) as proxy:
        slack.behind(proxy.port)
        async with online(echo(slack), slack):
            proxy.reset()
            await slack.connected(2)
            slack.people.mention("C1", "U1", "q")
            await slack.posted()


async def test_a_half_open_line_is_noticed_by_its_pings(slack: SlackServer) -> None:
    """The old connection stays silent; the SDK opens a new one."""
    async with FaultProxy(slack.port) as proxy:
        slack.behind(proxy.port)
        async with online(echo(slack), slack):
            proxy.freeze()
            await slack.connected(2)


# --- a process of its own ---------------------------------------------------------


async def test_the_server_can_outlive_a_bot_under_test(
    tmp_path: Path, root: Path
) -> None:
    """Started as a process, commanded over /control, its log tells the story."""
    log = tmp_path / "slack.log"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.loopback.slack", "--log", str(log)),
        *("--ack", "0.1", "--retries", "0", "0"),
        cwd=root,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    port = json.loads(await process.stdout.readline())["port"]
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as http:
        asked = {"channel": "C1", "user": "U1", "text": "q"}
        async with http.post("/control/do/mention", json=asked) as response:
            told = await response.json()
        posted = {"token": "xoxb-1", "channel": "C1", "text": "a"}
        posted |= {"thread_ts": told["ts"]}
        async with http.post("/api/chat.postMessage", data=posted) as response:
            assert (await response.json())["ok"]
        async with http.get("/control/state") as response:
            state = await response.json()
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0
    assert [post["thread_ts"] for post in state["posts"]] == [told["ts"]]
    kinds = [json.loads(line)["kind"] for line in log.read_text().splitlines()]
    assert {"listening", "attempt", "post", "call"} <= set(kinds)
