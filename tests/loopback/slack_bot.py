"""The smallest bot on Slack's own SDK, to prove the loopback Slack with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Json

PING = 0.2  # seconds; the SDK notices a lost connection within a few of them
SECRET = "signing-secret"


def client_of(slack: SlackServer, *, repeats: bool = False) -> AsyncWebClient:
    """A Web API client, which repeats a call after a lost connection only if asked."""
    handlers: list[AsyncRetryHandler] | None = None if repeats else []
    return AsyncWebClient(
        slack.bot_token, slack.base_url, timeout=60, retry_handlers=handlers
    )


def silent(slack: SlackServer) -> AsyncApp:
    """A bot that listens to nothing yet."""
    return AsyncApp(client=client_of(slack), signing_secret=SECRET)


def echo(slack: SlackServer) -> AsyncApp:
    """A bot that answers a mention and a direct message with their text."""
    app = silent(slack)

    async def answer(event: Json, client: AsyncWebClient) -> None:
        await client.chat_postMessage(
            channel=event["channel"],
            thread_ts=event.get("thread_ts") or event["ts"],
            text=f"heard {event['text']}",
            metadata={"event_type": "echo", "event_payload": {"of": event["ts"]}},
        )

    app.event("app_mention")(answer)
    app.event("message")(answer)
    return app


@asynccontextmanager
async def online(app: AsyncApp, slack: SlackServer) -> AsyncIterator[None]:
    """The bot on Socket Mode, from its hello on."""
    handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=PING)
    async with connected(handler.client, slack):
        yield


@asynccontextmanager
async def connected(
    client: SocketModeClient, slack: SlackServer
) -> AsyncIterator[None]:
    """A Socket Mode client, from its hello to its end."""
    before = slack.sockets.opened
    await client.connect()  # type: ignore[no-untyped-call]  # the SDK has no types here
    try:
        await slack.connected(before + 1)
        yield
    finally:
        await client.close()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def listening(app: AsyncApp) -> AsyncIterator[str]:
    """The bot on HTTP; gives its URL."""

    async def handle(request: web.Request) -> web.Response:
        asked = await to_bolt_request(request)
        return await to_aiohttp_response(await app.async_dispatch(asked))

    server = web.Application()
    server.add_routes([web.post("/slack/events", handle)])
    async with running(server) as url:
        yield f"{url}/slack/events"


@asynccontextmanager
async def running(server: web.Application) -> AsyncIterator[str]:
    """Any web application on a free port; gives its address."""
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        (address,) = runner.addresses
        yield f"http://127.0.0.1:{address[1]}"
    finally:
        await runner.cleanup()
