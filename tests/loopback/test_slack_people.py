"""What people do in the loopback Slack reaches a real bolt app, on both roads."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.async_app import AsyncAck, AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from tests.loopback.slack import SlackServer
from tests.loopback.slack_bot import (
    SECRET,
    client_of,
    echo,
    listening,
    online,
    running,
    silent,
)
from tests.loopback.slack_http import post_event, signed_headers
from tests.loopback.slack_state import Json, Timing, Workspace

QUICK = Timing(retries=(0.0, 0.05, 0.1))


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """A Slack that brings everything once and waits."""
    async with SlackServer() as server:
        yield server


# --- what people do ---------------------------------------------------------------


async def test_every_kind_of_event_reaches_the_bot(slack: SlackServer) -> None:
    """Direct message, thread, edit, deletion, pane, home, twin and echo."""
    app = silent(slack)
    heard: list[Json] = []

    async def listen(event: Json) -> None:
        heard.append(event)

    for kind in (
        "app_mention",
        "message",
        "assistant_thread_started",
        "app_home_opened",
    ):
        app.event(kind)(listen)
    for subtype in ("message_changed", "message_deleted"):
        app.event({"type": "message", "subtype": subtype})(listen)
    people = slack.people
    async with online(app, slack):
        told = people.tell("U1", "hello")
        place = told.payload["event"]["channel"], told.payload["event"]["ts"]
        people.write("C1", "U2", "reply", thread_ts="1.1")
        people.edit(*place, "hello again")
        people.delete(*place)
        people.open_pane("U1", about="C1")
        people.open_home("U1")
        people.mention("C1", "U1", "q", twin=True)
        assert all([await d.finished() for d in slack.courier.deliveries])
        await slack.delivered()
    kinds = sorted((e["type"], e.get("subtype", "")) for e in heard)
    assert kinds == [
        ("app_home_opened", ""),
        ("app_mention", ""),
        ("assistant_thread_started", ""),
        ("message", ""),
        ("message", ""),
        ("message", ""),
        ("message", "message_changed"),
        ("message", "message_deleted"),
    ]
    twins = [e for e in heard if "<@UBOT1> q" in e.get("text", "")]
    assert len({e["ts"] for e in twins}) == 1
    assert len({d.event_id for d in slack.courier.deliveries}) == 8


async def test_the_bot_hears_its_own_messages_where_it_reads_along(
    slack: SlackServer,
) -> None:
    """Bolt drops them; the server can send them."""
    async with online(echo(slack), slack):
        slack.people.tell("U1", "q")
        (post,) = await slack.posted()
        await slack.people.echo(post).finished()
    assert len(slack.posts) == 1


async def test_a_command_is_answered_with_its_acknowledgement_and_later(
    slack: SlackServer,
) -> None:
    """Privately at once, publicly through the response URL."""
    app = silent(slack)

    async def ask(ack: AsyncAck, respond: AsyncRespond, command: Json) -> None:
        await ack("working")
        await respond(text=f"about {command['text']}", response_type="in_channel")

    app.command("/ask")(ask)
    async with online(app, slack):
        slack.people.command("C1", "U1", "/ask what is ROS?")
        (private,) = await slack.whispered()
        (post,) = await slack.posted()
    assert (private.user, private.text, private.way) == ("U1", "working", "ack")
    assert (post.channel, post.text) == ("C1", "about what is ROS?")


async def test_an_acknowledgement_that_slack_would_swallow_is_a_problem(
    slack: SlackServer,
) -> None:
    """A command answered with blocks that do not exist shows nothing to anybody."""
    app = silent(slack)

    async def ask(ack: AsyncAck) -> None:
        await ack(blocks=[{"type": "nonsense"}])

    app.command("/ask")(ask)
    async with online(app, slack):
        assert await slack.people.command("C1", "U1", "/ask q").finished()
    (problem,) = slack.problems
    assert "invalid_blocks" in problem


async def test_a_shortcut_opens_a_modal_that_is_sent_off(slack: SlackServer) -> None:
    """Message shortcut, modal with an input, submission, errors on a block."""
    app, answers = silent(slack), list[str]()
    label = {"type": "plain_text", "text": "Question"}
    element = {"type": "plain_text_input", "action_id": "text"}
    view = {
        "type": "modal",
        "callback_id": "asked",
        "title": label,
        "submit": label,
        "blocks": [
            {"type": "input", "block_id": "q", "label": label, "element": element}
        ],
    }

    async def open_modal(ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    async def take(ack: AsyncAck, body: Json) -> None:
        answers.append(body["view"]["state"]["values"]["q"]["text"]["value"])
        await ack(response_action="errors", errors={"q": "too short"})

    app.shortcut("ask_about")(open_modal)
    app.view("asked")(take)
    asked = slack.workspace.said("U1", "C1", "read this")
    async with online(app, slack):
        slack.people.shortcut("C1", "U2", asked.ts, "ask_about")
        (shown,) = await slack.viewed()
        sent = slack.people.submit(shown["id"], {"text": "why?"})
        acknowledged = await sent.acknowledged()
    assert shown["user"] == "U2"
    assert answers == ["why?"]
    assert acknowledged.answer is not None
    assert slack.problems == []


async def test_elements_say_what_was_chosen(slack: SlackServer) -> None:
    """Button, choice and feedback, each with the value that a person chose."""
    plain = {"type": "plain_text", "text": "a"}
    options = [{"text": plain, "value": value} for value in ("one", "two")]
    sides = [{"text": plain, "value": value} for value in ("good", "bad")]
    blocks: list[Json] = [
        {
            "type": "actions",
            "elements": [
                {"type": "button", "text": plain, "action_id": "why", "value": "7"},
                {"type": "radio_buttons", "action_id": "more", "options": options},
            ],
        },
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "action_id": "rated",
                    "positive_button": sides[0],
                    "negative_button": sides[1],
                }
            ],
        },
    ]
    await client_of(slack).chat_postMessage(channel="C1", text="a", blocks=blocks)
    app, chosen = silent(slack), list[Any]()

    async def note(ack: AsyncAck, action: Json, body: Json) -> None:
        await ack()
        option = action.get("selected_option", {})
        chosen.append(action.get("value") or option.get("value"))

    for name in ("why", "more", "rated"):
        app.action(name)(note)
    (post,) = slack.posts
    async with online(app, slack):
        for name, value in (("why", None), ("more", "two"), ("rated", "bad")):
            await slack.people.click("U1", post, name, value).finished()
    assert chosen == ["7", "two", "bad"]


# --- HTTP mode --------------------------------------------------------------------


async def test_the_same_people_reach_a_bot_over_http(slack: SlackServer) -> None:
    """Events, commands and clicks arrive signed; the answers are the same."""
    app = echo(slack)

    async def ask(ack: AsyncAck) -> None:
        await ack("working")

    app.command("/ask")(ask)
    async with listening(app) as url:
        slack.over_http(url, SECRET)
        assert await slack.people.mention("C1", "U1", "q").finished()
        assert await slack.people.command("C1", "U1", "/ask q").finished()
        await slack.posted()
        (private,) = await slack.whispered()
    assert private.text == "working"


@pytest.mark.parametrize("secret", ["wrong", SECRET])
async def test_a_signature_is_slacks_own(slack: SlackServer, secret: str) -> None:
    """The SDK's verifier takes it, and takes no other."""
    body = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
    headers = signed_headers(body, secret, "application/json")
    async with (
        listening(silent(slack)) as url,
        aiohttp.ClientSession() as http,
        http.post(url, data=body, headers=headers) as response,
    ):
        assert response.status == (200 if secret == SECRET else 401)


async def test_slack_repeats_an_http_event_and_says_why() -> None:
    """500, then silence, then 200; the headers count and name the reason."""
    seen: list[tuple[str | None, str | None]] = []

    async def handle(request: web.Request) -> web.Response:
        number = request.headers.get("X-Slack-Retry-Num")
        seen.append((number, request.headers.get("X-Slack-Retry-Reason")))
        if number == "1":
            workspace.give_up()
            await asyncio.Event().wait()
        return web.Response(status=200 if number else 500)

    server, workspace = web.Application(), Workspace(QUICK)
    server.add_routes([web.post("/", handle)])
    async with running(server) as url:
        event = {"type": "event_callback", "event_id": "Ev1"}
        delivery = await post_event(url, SECRET, event, workspace)
    assert seen == [(None, None), ("1", "http_error"), ("2", "http_timeout")]
    assert delivery.acknowledgement is delivery.attempts[2]


async def test_an_app_can_refuse_repetitions() -> None:
    """X-Slack-No-Retry on an error ends it."""

    async def handle(request: web.Request) -> web.Response:
        return web.Response(status=503, headers={"X-Slack-No-Retry": "1"})

    server = web.Application()
    server.add_routes([web.post("/", handle)])
    async with running(server) as url:
        delivery = await post_event(url, SECRET, {"event_id": "Ev1"}, Workspace(QUICK))
    assert len(delivery.attempts) == 1
