"""The loopback Slack's Web API: what it takes, what it refuses, how it fails."""

import json
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.loopback.faults import answered, dropped, failed_after, garbled, hung
from tests.loopback.slack import SlackServer
from tests.loopback.slack_bot import client_of
from tests.loopback.slack_reply import USES

PLAIN = {"type": "plain_text", "text": "a"}
SECTION = {"type": "section", "text": PLAIN}
MODAL = {"type": "modal", "title": PLAIN, "blocks": [SECTION]}
HOME = {"type": "home", "blocks": [SECTION]}
METADATA = {"event_type": "answer", "event_payload": {"question": "q1"}}


# --- what is taken ----------------------------------------------------------------


@pytest.mark.parametrize("form", ["query", "form", "json", "json in json"])
async def test_arguments_come_in_every_form_that_slack_takes(
    http: aiohttp.ClientSession, slack: SlackServer, form: str
) -> None:
    """Query, form with JSON strings, JSON body, and JSON strings inside it."""
    blocks: Any = [SECTION] if form == "json" else json.dumps([SECTION])
    args = {"channel": "C1", "text": "a", "blocks": blocks, "unfurl_links": "0"}
    way = {"query": "params", "form": "data"}.get(form, "json")
    kept: dict[str, Any] = {way: args}
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    async with http.post("/api/chat.postMessage", headers=headers, **kept) as response:
        body = await response.json()
    assert body["ok"], body
    (post,) = slack.posts
    assert post.blocks[0]["text"] == PLAIN
    assert post.sent["unfurl_links"] is False


async def test_timestamps_are_unique_and_increase(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """Also within one microsecond."""
    for _ in range(20):
        await client.chat_postMessage(channel="C1", text="a")
    stamps = [post.ts for post in slack.posts]
    assert stamps == sorted(set(stamps))


async def test_a_thread_is_read_in_pages_with_metadata_on_request(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """Every page begins with the parent; metadata comes only when it is asked for."""
    parent = slack.workspace.said("U1", "C1", "q")
    for number in range(5):
        await client.chat_postMessage(
            channel="C1", thread_ts=parent.ts, text=f"a{number}", metadata=METADATA
        )
    read, cursor = [], None
    while cursor != "":
        page = await client.conversations_replies(
            channel="C1",
            ts=parent.ts,
            limit=2,
            cursor=cursor,
            include_all_metadata=True,
        )
        assert page["messages"][0]["text"] == "q"
        read += page["messages"][1:]
        cursor = page["response_metadata"]["next_cursor"]
    assert [message["text"] for message in read] == [f"a{n}" for n in range(5)]
    assert all(message["metadata"] == METADATA for message in read)
    plain = await client.conversations_replies(channel="C1", ts=parent.ts)
    assert not any("metadata" in message for message in plain["messages"])


async def test_a_channels_history_has_no_replies_and_begins_with_the_newest(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """Between two timestamps, exclusive unless asked otherwise."""
    first = slack.workspace.said("U1", "C1", "a")
    slack.workspace.said("U1", "C1", "b")
    await client.chat_postMessage(channel="C1", thread_ts=first.ts, text="reply")
    told = await client.conversations_history(channel="C1")
    assert [message["text"] for message in told["messages"]] == ["b", "a"]
    told = await client.conversations_history(channel="C1", oldest=first.ts)
    assert [message["text"] for message in told["messages"]] == ["b"]


async def test_a_message_can_be_changed_and_taken_away(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """What a change leaves out stays; a thread's parent leaves a tombstone."""
    posted = await client.chat_postMessage(
        channel="C1", text="a", blocks=[SECTION], metadata=METADATA
    )
    ts = posted["ts"]
    await client.chat_update(channel="C1", ts=ts, text="b")
    (post,) = slack.posts
    assert (post.text, len(post.blocks), post.metadata) == ("b", 1, METADATA)
    await client.chat_postMessage(channel="C1", thread_ts=ts, text="reply")
    await client.chat_delete(channel="C1", ts=ts)
    assert post.deleted
    told = await client.conversations_replies(channel="C1", ts=ts)
    assert told["messages"][0]["subtype"] == "tombstone"


async def test_a_reply_to_a_message_that_is_gone_goes_into_the_channel(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """Slack reports no error; only the answer's missing thread tells."""
    asked = slack.workspace.said("U1", "C1", "q")
    slack.people.delete("C1", asked.ts)
    posted = await client.chat_postMessage(
        channel="C1", thread_ts=asked.ts, text="a private answer"
    )
    assert "thread_ts" not in posted["message"]
    assert slack.posts[0].thread_ts is None


async def test_an_ephemeral_in_a_thread_without_replies_is_seen_by_nobody(
    slack: SlackServer, client: AsyncWebClient
) -> None:
    """Slack says that all is well; with a reply the thread is active."""
    root = slack.workspace.said("U1", "C1", "root").ts
    place = {"channel": "C1", "user": "U1", "thread_ts": root}
    assert (await client.chat_postEphemeral(**place, text="a"))["ok"]
    assert slack.workspace.privates == []
    [problem] = slack.problems
    assert root in problem
    slack.problems.clear()
    slack.workspace.said("U2", "C1", "reply", thread_ts=root)
    await client.chat_postEphemeral(**place, text="a")
    assert len(await slack.whispered()) == 1


async def test_people_and_channels_can_be_looked_up(client: AsyncWebClient) -> None:
    """A person, a channel, and the direct messages between them and the bot."""
    assert (await client.users_info(user="U1"))["user"]["name"] == "u1"
    assert (await client.conversations_info(channel="C2"))["channel"][
        "is_member"
    ] is False
    opened = await client.conversations_open(users=["U1"])
    posted = await client.chat_postMessage(channel="U1", text="a")
    assert posted["channel"] == opened["channel"]["id"]


async def test_views_are_opened_changed_and_published(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """A modal by a trigger, a change by hash, an App Home."""
    opened = await client.views_open(
        trigger_id=slack.workspace.trigger("U1"), view=MODAL
    )
    view = opened["view"]
    await client.views_update(view_id=view["id"], hash=view["hash"], view=MODAL)
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await client.views_update(view_id=view["id"], hash=view["hash"], view=MODAL)
    await client.views_publish(user_id="U1", view=HOME)
    assert slack.workspace.homes["U1"]["type"] == "home"
    assert len(await slack.viewed(2)) == 2


async def test_an_assistant_thread_shows_status_title_and_prompts(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """Each stands in the record with its thread."""
    event = slack.people.open_pane("U1").payload["event"]["assistant_thread"]
    place = {"channel_id": event["channel_id"], "thread_ts": event["thread_ts"]}
    await client.assistant_threads_setStatus(**place, status="searching")
    await client.assistant_threads_setTitle(**place, title="ROS")
    await client.assistant_threads_setSuggestedPrompts(
        **place, prompts=[{"title": "a", "message": "b"}]
    )
    kinds = [status.kind for status in await slack.set_on_threads(3)]
    assert kinds == ["status", "title", "prompts"]


@pytest.mark.filterwarnings("ignore:BasicAuth")  # the SDK's own, with this aiohttp
async def test_an_installation_gives_the_workspaces_token(slack: SlackServer) -> None:
    """A code works once, with the right secret."""
    client = AsyncWebClient(base_url=slack.base_url)
    secrets = {"client_id": "client-id", "client_secret": "client-secret"}
    code = slack.grant("T2")
    given = await client.oauth_v2_access(code=code, **secrets)
    assert (given["access_token"], given["team"]["id"]) == ("xoxb-2", "T2")
    with pytest.raises(SlackApiError, match="invalid_code"):
        await client.oauth_v2_access(code=code, **secrets)
    secrets["client_secret"] = "wrong"
    with pytest.raises(SlackApiError, match="invalid_client_id"):
        await client.oauth_v2_access(code=slack.grant("T2"), **secrets)


async def test_a_response_url_works_five_times(slack: SlackServer) -> None:
    """Private by default, public on request, in place of the original, and no sixth."""
    url = slack.people.command("C1", "U1", "/ask q").payload["response_url"]
    client = AsyncWebhookClient(url)
    await client.send(text="private")
    await client.send(text="public", response_type="in_channel")
    assert (await client.send(blocks=[{"type": "nonsense"}])).status_code == 400
    for _ in range(USES - 3):
        await client.send(text="more")
    assert (await client.send(text="too many")).status_code == 404
    assert [p.text for p in slack.workspace.privates] == ["private", "more", "more"]
    assert [p.text for p in slack.posts] == ["public"]


# --- rate limit and faults --------------------------------------------------------


async def test_a_channel_takes_a_burst_and_then_one_message_a_second(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """429 with Retry-After; another channel is not held back."""
    slack.channel("C3", {"U1"})
    slack.limit(per_second=0.5, burst=2)
    for _ in range(2):
        await client.chat_postMessage(channel="C1", text="a")
    with pytest.raises(SlackApiError, match="ratelimited") as refused:
        await client.chat_postMessage(channel="C1", text="a")
    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == "2"
    await client.chat_postMessage(channel="C3", text="a")
    assert len(slack.posts) == 3


async def test_a_post_whose_answer_was_lost_is_found_in_its_thread(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    """The caller sees an error, the thread holds the message with its metadata."""
    asked = slack.workspace.said("U1", "C1", "q")
    slack.fail("chat.postMessage", dropped())
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(
            channel="C1", thread_ts=asked.ts, text="a", metadata=METADATA
        )
    told = await client.conversations_replies(
        channel="C1", ts=asked.ts, include_all_metadata=True
    )
    assert [message.get("metadata") for message in told["messages"]] == [None, METADATA]


async def test_the_sdk_by_itself_posts_again_after_a_lost_answer(
    slack: SlackServer,
) -> None:
    """Its default retry handler makes two messages of one call."""
    slack.fail("chat.postMessage", dropped())
    await client_of(slack, repeats=True).chat_postMessage(channel="C1", text="a")
    assert len(slack.posts) == 2


@pytest.mark.parametrize(
    ("fault", "posted"),
    [
        (answered(503), 0),
        (answered(429, headers={"Retry-After": "30"}), 0),
        (garbled(), 0),
        (garbled(done=True), 1),
        (failed_after(500), 1),
        (dropped(done=False), 0),
    ],
    ids=str,
)
async def test_a_call_fails_before_or_after_it_took_effect(
    client: AsyncWebClient, slack: SlackServer, fault: Any, posted: int
) -> None:
    """Once; the next call goes well."""
    slack.fail("chat.postMessage", fault)
    with pytest.raises((SlackApiError, aiohttp.ClientError)):
        await client.chat_postMessage(channel="C1", text="a")
    assert len(slack.posts) == posted
    await client.chat_postMessage(channel="C1", text="a")
    assert len(slack.posts) == posted + 1


async def test_a_call_may_never_be_answered(slack: SlackServer) -> None:
    """The caller's own patience ends it, and the message stands."""
    slack.fail("chat.postMessage", hung(done=True))
    client = client_of(slack)
    client.timeout = 0.1  # type: ignore[assignment]  # seconds, passed on as they are
    with pytest.raises(TimeoutError):
        await client.chat_postMessage(channel="C1", text="a")
    assert len(slack.posts) == 1
