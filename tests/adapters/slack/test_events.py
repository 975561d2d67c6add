"""What Slack brings is kept before it is acknowledged, and once (R-C3, R-I10)."""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from adapters.mail import Accepted, Action
from adapters.slack.app import SlackApp
from adapters.slack.names import (
    ADMIN_COMMAND,
    ASK_ABOUT,
    NOTED,
    QUESTION,
    SELECTION,
)
from engine.conclude.fallback import AUDIT_FAILED_TEXT
from tests.adapters.slack.rig import WORDS, Inbox, running, sockets
from tests.loopback.faults import answered, hung
from tests.loopback.slack import SlackServer
from tests.loopback.slack_delivery import Delivery

Road = Callable[[SlackServer, Inbox], AbstractAsyncContextManager[SlackApp]]


# --- kept before acknowledged -----------------------------------------------------


async def test_a_mention_is_acknowledged_only_once_it_is_committed_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """While the commit waits there is no acknowledgement; after it there is."""
    inbox.gate.clear()
    asked = slack.people.mention("C1", "U1", "what is ROS?")
    await inbox.met(1)
    assert asked.acknowledgement is None
    inbox.gate.set()
    await asked.acknowledged()
    (kept,) = inbox.kept
    assert (kept.text, kept.action) == ("what is ROS?", Action.ASK)
    assert (kept.place.tenant, kept.place.channel) == ("T1", "C1")


async def test_what_could_not_be_kept_comes_again_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    """A ledger that fails: no acknowledgement, and the repetition is kept once."""
    inbox.failures = 1
    asked = slack.people.mention("C1", "U1", "swordfish?")
    assert await asked.finished()
    assert inbox.answers == [None, Accepted.NEW]
    assert [attempt.acknowledged is not None for attempt in asked.attempts] == [
        False,
        True,
    ]
    assert "swordfish" not in caplog.text and "LEDGER" in caplog.text


async def test_an_event_that_comes_twice_is_kept_once_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Slack's own repetition, acknowledged both times."""
    first = slack.people.mention("C1", "U1", "q", event_id="Ev9")
    await first.acknowledged()
    again = slack.send("events_api", first.payload)
    await again.acknowledged()
    assert inbox.answers == [Accepted.NEW, Accepted.REPEAT]


async def test_a_mention_and_its_message_are_one_question_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Slack tells of one message under two event ids."""
    await slack.people.mention("C1", "U1", "q", twin=True).acknowledged()
    await slack.delivered()
    assert sorted(inbox.answers) == [Accepted.NEW, Accepted.REPEAT]


async def test_a_burst_is_acknowledged_at_once_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """A hundred at the same moment, each at its first attempt."""
    asked = [slack.people.mention("C1", "U1", f"q{n}") for n in range(100)]
    assert [(await one.acknowledged()).number for one in asked] == [0] * 100
    assert len(inbox.kept) == 100


async def test_health_says_that_nothing_can_be_kept_R_I10(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """From the failure on, until something is kept again."""
    assert app.health()["ok"] is True
    inbox.failures = 1
    asked = slack.people.command("C1", "U1", "/ask q")
    await asked.acknowledged()
    assert app.health()["ok"] is False
    await slack.people.mention("C1", "U1", "q").acknowledged()
    assert app.health()["ok"] is True


# --- where Slack does not come again ----------------------------------------------


async def test_a_command_that_could_not_be_kept_says_so_R_I10(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """The fixed text, with nothing of the question, to the person alone."""
    inbox.failures = 1
    asked = slack.people.command("C1", "U1", "/ask what is ROS?")
    await asked.acknowledged()
    (told,) = await slack.whispered()
    assert (told.text, told.user, told.way) == (AUDIT_FAILED_TEXT, "U1", "ack")
    assert slack.posts == []


async def test_a_modal_that_could_not_be_kept_says_so_R_I10(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Through the response URL of what opened it."""
    message = slack.workspace.said("U2", "C1", "A page of text.")
    slack.people.shortcut("C1", "U1", message.ts, ASK_ABOUT)
    (view,) = await slack.viewed()
    inbox.failures = 1
    sent = slack.people.submit(view["id"], {QUESTION: "what is ROS?"})
    await sent.acknowledged()
    (told,) = await slack.whispered()
    assert AUDIT_FAILED_TEXT in told.text and told.user == "U1"


# --- visible at once --------------------------------------------------------------


async def test_who_comes_when_too_many_wait_is_told_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """In the thread of the question, once, and the event is acknowledged."""
    inbox.limit = 1
    await slack.people.mention("C1", "U1", "first").acknowledged()
    late = slack.people.mention("C1", "U2", "second", twin=True)
    await late.acknowledged()
    (told,) = await slack.posted()
    await slack.delivered()
    assert WORDS.busy in told.text
    assert told.thread_ts == late.payload["event"]["ts"]
    assert len(slack.posts) == 1


async def test_a_busy_notice_outlives_a_refused_post(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """It is posted again after the time that Slack asks for."""
    inbox.limit = 0
    slack.fail("chat.postMessage", answered(429, headers={"Retry-After": "1"}))
    await slack.people.mention("C1", "U1", "q").acknowledged()
    (told,) = await slack.posted()
    assert WORDS.busy in told.text


async def test_a_question_shows_at_once_that_the_bot_is_looking_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """A status in the thread of the reply."""
    asked = slack.people.mention("C1", "U1", "q")
    (status,) = await slack.set_on_threads()
    assert (status.kind, status.value) == ("status", WORDS.looking)
    assert status.thread_ts == asked.payload["event"]["ts"]


async def test_talk_in_a_thread_shows_nothing_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """It is kept, for the thread may be the bot's; nobody sees that."""
    root = slack.workspace.said("U2", "C1", "root")
    talk = slack.people.write("C1", "U1", "and then?", thread_ts=root.ts)
    await talk.acknowledged()
    await slack.people.mention("C1", "U1", "q").acknowledged()
    (status,) = await slack.set_on_threads()
    assert [kept.addressed for kept in inbox.kept] == [False, True]
    assert status.thread_ts != root.ts


async def test_a_command_says_at_once_that_the_bot_is_looking_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """With the acknowledgement, to the person alone; an order says nothing yet."""
    await slack.people.command("C1", "U1", "/ask what is ROS?").acknowledged()
    (told,) = await slack.whispered()
    assert (told.text, told.way) == (WORDS.noted, "ack")
    await slack.people.command("C1", "U1", f"{ADMIN_COMMAND} my data").acknowledged()
    assert len(slack.workspace.privates) == 1


@pytest.mark.parametrize("line", ["/ask", "/ask public:", f"{ADMIN_COMMAND} pause"])
async def test_a_command_without_a_question_is_not_looked_into_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox, line: str
) -> None:
    """The reply says what is missing, or what was done."""
    await slack.people.command("C1", "U1", line).acknowledged()
    assert len(inbox.kept) == 1
    assert slack.workspace.privates == []


async def test_who_forgets_the_colon_is_told_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """The word may belong to the question, so the answer is private."""
    typed = "/ask public What is ROS?"
    await slack.people.command("C1", "U1", typed).acknowledged()
    (kept,) = inbox.kept
    assert kept.place.private and NOTED not in kept.callback
    (told,) = await slack.whispered()
    assert "/ask public:" in told.text


async def test_who_asks_by_command_when_too_many_wait_is_told_at_once_R_C3(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """With the acknowledgement, and nothing else."""
    inbox.limit = 0
    await slack.people.command("C1", "U1", "/ask public: q").acknowledged()
    (told,) = await slack.whispered()
    assert (told.text, told.way) == (WORDS.busy, "ack")
    assert slack.posts == []


async def test_the_shortcut_opens_its_modal_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Nothing is kept until it is sent off; then question and selection are."""
    message = slack.workspace.said("U2", "C1", "A page of text.")
    pressed = slack.people.shortcut("C1", "U1", message.ts, ASK_ABOUT)
    await pressed.acknowledged()
    (view,) = await slack.viewed()
    assert view["type"] == "modal" and inbox.kept == []
    slack.people.submit(view["id"], {QUESTION: "what is ROS?", SELECTION: "A page."})
    (kept,) = await inbox.holds(1)
    assert (kept.text, kept.selection) == ("what is ROS?", "A page.")


async def test_who_gets_no_modal_is_told_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Slack is away for a moment while a shortcut is pressed."""
    message = slack.workspace.said("U2", "C1", "A page of text.")
    slack.fail("views.open", answered(500))
    await slack.people.shortcut("C1", "U1", message.ts, ASK_ABOUT).acknowledged()
    (told,) = await slack.whispered()
    assert (told.text, told.user) == (WORDS.late, "U1")


async def test_the_pane_offers_questions_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Those of where they will be asked, whatever channel the person looks at."""
    opened = slack.people.open_pane("U1", about="C1")
    await opened.acknowledged()
    (prompts,) = await slack.set_on_threads()
    assert prompts.kind == "prompts"
    assert [prompt["message"] for prompt in prompts.value] == [
        "What is ROS?",
        f"What is asked in {slack.workspace.direct('T1', 'U1').id}?",
    ]


async def test_the_home_is_published_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """With what the application says of packs, health and data."""
    await slack.people.open_home("U1").acknowledged()
    (home,) = await slack.viewed()
    assert home["type"] == "home" and home["user"] == "U1"
    assert "Nothing of T1." in str(home["blocks"])


# --- who may, who is who ----------------------------------------------------------


@pytest.mark.parametrize(
    ("person", "admin"),
    [
        ({"is_admin": True, "team_id": "T1"}, True),
        ({"is_owner": True, "team_id": "T1"}, True),
        ({"is_admin": True, "enterprise_user": {"teams": ["T9", "T1"]}}, True),
        ({"team_id": "T1"}, False),
        # An administrator of another workspace, in a channel that both share.
        ({"is_admin": True, "team_id": "T2"}, False),
        ({"is_admin": True, "team_id": "T1", "is_stranger": True}, False),
        ({"is_owner": True, "enterprise_user": {"teams": ["T2"]}}, False),
        ({"is_admin": True}, False),
    ],
)
async def test_an_order_knows_whether_slack_calls_its_author_an_administrator_R_C1(
    app: SlackApp,
    slack: SlackServer,
    inbox: Inbox,
    person: dict[str, object],
    admin: bool,
) -> None:
    """Asked before it is kept."""
    body = json.dumps({"ok": True, "user": person})
    slack.fail("users.info", answered(200, body))
    slack.people.command("C1", "U1", f"{ADMIN_COMMAND} bind robots")
    (kept,) = await inbox.holds(1)
    assert (kept.action, kept.admin) == (Action.BIND, admin)


async def test_nobody_is_an_administrator_where_slack_does_not_say(
    slack: SlackServer, inbox: Inbox
) -> None:
    """The order is kept all the same, so that its author hears why it is refused."""
    slack.workspace.timing = slack.workspace.timing.__class__(ack=3.0)
    slack.fail("users.info", hung())
    async with running(sockets(slack), inbox):
        slack.people.command("C1", "U1", f"{ADMIN_COMMAND} pause")
        (kept,) = await inbox.holds(1)
    assert kept.admin is False


async def test_the_bot_does_not_hear_itself(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Its own post comes back as an event, is acknowledged, and nothing more."""
    inbox.limit = 0
    slack.people.mention("C1", "U1", "q")
    (post,) = await slack.posted()
    await slack.people.echo(post).acknowledged()
    assert inbox.arrivals == 1


async def test_logs_hold_neither_questions_nor_people_R_S5(
    app: SlackApp,
    slack: SlackServer,
    inbox: Inbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """At any level, whatever becomes of the event."""
    caplog.set_level(logging.DEBUG)
    inbox.failures = 1
    slack.fail("assistant.threads.setStatus", answered(500))
    asked: list[Delivery] = [
        slack.people.mention("C1", "U1", "swordfish one"),
        slack.people.command("C1", "U2", "/ask swordfish two"),
        slack.people.tell("U1", "swordfish three"),
    ]
    await asyncio.gather(*(one.finished() for one in asked))
    ours = [r.getMessage() for r in caplog.records if "aiosqlite" not in r.name]
    assert not [line for line in ours if "swordfish" in line or "U1" in line]
    assert not [line for line in ours if slack.bot_token in line]
