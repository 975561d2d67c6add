"""What the loopback Slack's Web API refuses, each with Slack's own word for it."""

import json

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Json

PLAIN = {"type": "plain_text", "text": "a"}
SECTION = {"type": "section", "text": PLAIN}
MODAL = {"type": "modal", "title": PLAIN, "blocks": [SECTION]}
HOME = {"type": "home", "blocks": [SECTION]}


REFUSED: list[tuple[str, Json, str]] = [
    ("chat.postMessage", {"channel": "C7", "text": "a"}, "channel_not_found"),
    ("chat.postMessage", {"channel": "C9", "text": "a"}, "channel_not_found"),
    ("chat.postMessage", {"channel": "C2", "text": "a"}, "not_in_channel"),
    ("chat.postMessage", {"channel": "C1"}, "no_text"),
    ("chat.postMessage", {"channel": "C1", "text": "x" * 40_001}, "msg_too_long"),
    ("chat.postMessage", {"channel": "C1", "text": "a", "thread": "1"}, "invalid_arg"),
    ("chat.postMessage", {"text": "a"}, "invalid_arguments"),
    (
        "chat.postMessage",
        {"channel": "C1", "text": "a", "blocks": [{"type": "image"}]},
        "invalid_blocks",
    ),
    (
        "chat.postMessage",
        {"channel": "C1", "text": "a", "blocks": "[{"},
        "invalid_blocks_format",
    ),
    (
        "chat.postMessage",
        {"channel": "C1", "text": "a", "blocks": [{"type": "divider"}] * 51},
        "invalid_blocks",
    ),
    (
        "chat.postMessage",
        {
            "channel": "C1",
            "text": "a",
            "blocks": [{"type": "section", "text": {**PLAIN, "text": "x" * 2_999}}] * 5,
        },
        "msg_blocks_too_long",
    ),
    (
        "chat.postMessage",
        {"channel": "C1", "text": "a", "metadata": {"question": "q1"}},
        "invalid_metadata_format",
    ),
    (
        "chat.postMessage",
        {"channel": "C1", "text": "a", "markdown_text": "b"},
        "markdown_text_conflict",
    ),
    (
        "chat.postEphemeral",
        {"channel": "C1", "user": "U7", "text": "a"},
        "user_not_in_channel",
    ),
    ("chat.update", {"channel": "C1", "ts": "1.1", "text": "a"}, "message_not_found"),
    ("chat.delete", {"channel": "C1", "ts": "1.1"}, "message_not_found"),
    ("conversations.replies", {"channel": "C1", "ts": "1.1"}, "thread_not_found"),
    ("conversations.history", {"channel": "C1", "cursor": "x"}, "invalid_cursor"),
    ("users.info", {"user": "U7"}, "user_not_found"),
    ("views.open", {"trigger_id": "1", "view": MODAL}, "invalid_trigger_id"),
    ("views.open", {"trigger_id": "1", "view": HOME}, "invalid_arguments"),
    ("views.update", {"view_id": "V1", "view": MODAL}, "not_found"),
    ("views.publish", {"user_id": "U1", "view": MODAL}, "invalid_arguments"),
    (
        "assistant.threads.setStatus",
        {"channel_id": "C1", "thread_ts": "1.1", "status": "a"},
        "invalid_thread_ts",
    ),
    ("chat.shout", {"channel": "C1"}, "unknown_method"),
]


@pytest.mark.parametrize(("method", "args", "error"), REFUSED, ids=str)
async def test_a_call_that_slack_refuses_is_refused(
    http: aiohttp.ClientSession, slack: SlackServer, method: str, args: Json, error: str
) -> None:
    """With Slack's own word for it, and nothing is posted."""
    text = {k: v if isinstance(v, str) else json.dumps(v) for k, v in args.items()}
    form = {"token": slack.bot_token, **text}
    async with http.post(f"/api/{method}", data=form) as response:
        body = await response.json()
    assert body["ok"] is False
    assert body["error"].startswith(error), body
    assert slack.posts == []


@pytest.mark.parametrize(
    ("method", "token", "error"),
    [
        ("auth.test", "", "not_authed"),
        ("auth.test", "xoxb-9", "invalid_auth"),
        ("auth.test", "xapp-1-test", "not_allowed_token_type"),
        ("apps.connections.open", "xoxb-1", "not_allowed_token_type"),
        ("apps.connections.open", "xapp-9", "invalid_auth"),
    ],
)
async def test_a_wrong_token_is_refused(
    http: aiohttp.ClientSession, method: str, token: str, error: str
) -> None:
    """None, an unknown one, and one of the other kind."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with http.post(f"/api/{method}", headers=headers) as response:
        assert (await response.json())["error"] == error


async def test_a_trigger_works_once_and_for_a_moment(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """A second use and a late one are refused, each with its own word."""
    used, old = (slack.workspace.trigger("U1") for _ in range(2))
    await client.views_open(trigger_id=used, view=MODAL)
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await client.views_open(trigger_id=used, view=MODAL)
    slack.workspace.triggers[old].made -= slack.workspace.timing.trigger + 1
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await client.views_open(trigger_id=old, view=MODAL)


async def test_a_method_that_reads_takes_no_json_body(
    http: aiohttp.ClientSession, slack: SlackServer
) -> None:
    """Its arguments in a JSON body are not seen, as at Slack."""
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    args = {"channel": "C1", "ts": "1.1"}
    way = http.post("/api/conversations.replies", json=args, headers=headers)
    async with way as response:
        assert (await response.json())["error"] == "invalid_arguments"


async def test_a_foreign_message_cannot_be_changed(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """Neither a person's nor, in a thread, a reply taken for a parent."""
    asked = slack.workspace.said("U1", "C1", "q")
    with pytest.raises(SlackApiError, match="cant_update_message"):
        await client.chat_update(channel="C1", ts=asked.ts, text="a")
    reply = await client.chat_postMessage(channel="C1", thread_ts=asked.ts, text="a")
    with pytest.raises(SlackApiError, match="cannot_reply_to_message"):
        await client.chat_postMessage(channel="C1", thread_ts=reply["ts"], text="b")
