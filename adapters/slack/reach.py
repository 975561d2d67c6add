"""Check for `doctor` that Slack knows our tokens: nothing is listened to or posted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack import blocks
from adapters.slack.calls import CallFailed, call
from adapters.slack.install import SCOPES
from adapters.slack.workspaces import make_client

HEADER = "x-oauth-scopes"  # of an answer: what the token may do


@dataclass(frozen=True, slots=True)
class Reached:
    """Slack's answer about a bot token.

    Attributes:
        workspace: its name.
        lacking: scopes that the bot needs and the token has not; empty where Slack does
            not say what the token may do.
    """

    workspace: str
    lacking: tuple[str, ...]


async def check_bot_token(api: str, token: str) -> Reached:
    """Ask whose token it is.

    Raises:
        CallFailed: Slack refuses it, or is out of reach.
    """
    scopes: set[str] = set()

    async def ask() -> AsyncSlackResponse:
        response = await make_client(api, session, token).auth_test()
        headers = {name.lower(): value for name, value in response.headers.items()}
        scopes.update(filter(None, _split(headers.get(HEADER, ""))))
        return response

    async with aiohttp.ClientSession() as session:
        told: Mapping[str, Any] = await call(ask())
    if not told.get("bot_id"):
        raise CallFailed("not_a_bot_token", again=False)
    lacking = tuple(sorted(set(SCOPES) - scopes)) if scopes else ()
    return Reached(str(told.get("team", "")), lacking)


async def check_layout(api: str, token: str) -> None:
    """Check that Slack takes the blocks that replies are made of; none is posted.

    Raises:
        CallFailed: it refuses one ("invalid_blocks"), or cannot be asked.
    """
    runs = (blocks.emoji("warning"), blocks.run("a", bold=True))
    made = [
        blocks.header("a"),
        blocks.rich(
            blocks.line(*runs, blocks.link("https://example.org/", "a")),
            blocks.quote(blocks.run("a"), *blocks.marks((1,), {})),
            blocks.code("a"),
        ),
        blocks.context("a", "b"),
        blocks.actions(blocks.button("a", "a", value="a")),
        blocks.thumbs("b", "a", "b"),
        blocks.section("a"),
    ]
    async with aiohttp.ClientSession() as session:
        client = make_client(api, session, token)
        await call(client.blocks_validate(message={"text": "a", "blocks": made}))


async def check_app_token(api: str, token: str) -> None:
    """Check that it opens websockets (Socket Mode); none is opened.

    Raises:
        CallFailed: Slack refuses it, or is out of reach.
    """
    async with aiohttp.ClientSession() as session:
        client = make_client(api, session)
        await call(client.apps_connections_open(app_token=token))


def _split(scopes: str) -> list[str]:
    return [scope.strip() for scope in scopes.split(",")]
