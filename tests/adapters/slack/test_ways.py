"""Every way to reach the bot on Slack ends in the inbox, on both roads (R-C1)."""

from collections.abc import Callable

import pytest

from adapters.mail import Action, Incoming, Outgoing
from adapters.slack.app import SlackApp
from adapters.slack.names import ADMIN_COMMAND, FEEDBACK, REASON
from adapters.slack.writer import SLACK as post
from tests.adapters.slack.replies import answer, refusal
from tests.adapters.slack.rig import Inbox
from tests.loopback.slack import SlackServer
from tests.loopback.slack_delivery import Delivery
from tests.loopback.slack_people import People
from tests.loopback.slack_state import Message

ASKED: dict[str, Callable[[People], Delivery]] = {
    "mention": lambda people: people.mention("C1", "U1", "what is ROS?"),
    "direct": lambda people: people.tell("U1", "what is ROS?"),
    "command": lambda people: people.command("C1", "U1", "/ask what is ROS?"),
    "in public": lambda people: people.command("C1", "U1", "/ask public: what is ROS?"),
}


@pytest.mark.parametrize("way", ASKED)
async def test_a_question_is_kept_however_it_is_asked_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox, way: str
) -> None:
    """With its text, its place and who may see the reply."""
    await ASKED[way](slack.people).acknowledged()
    (kept,) = inbox.kept
    assert (kept.action, kept.text, kept.person) == (Action.ASK, "what is ROS?", "U1")
    assert kept.place.private is (way in ("direct", "command"))
    assert bool(kept.callback) is (way in ("command", "in public"))


async def test_an_edit_and_a_deletion_are_kept_R_U4(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Of a question, named by its message."""
    asked = slack.people.mention("C1", "U1", "what is ROS?")
    ts = asked.payload["event"]["ts"]
    await asked.acknowledged()
    await slack.people.edit("C1", ts, "<@UBOT1> what is Gazebo?").acknowledged()
    await slack.people.delete("C1", ts).acknowledged()
    assert [kept.action for kept in inbox.kept] == [
        Action.ASK,
        Action.EDITED,
        Action.DELETED,
    ]
    assert {kept.about for kept in inbox.kept[1:]} == {ts}


async def shown(
    app: SlackApp, slack: SlackServer, inbox: Inbox, *, answered: bool = True
) -> Message:
    """An answer, or a refusal, that stands below a question of U1."""
    await slack.people.mention("C1", "U1", "what is ROS?").acknowledged()
    (asked,) = inbox.kept
    reply = answer() if answered else refusal()
    parts = post.answer(reply, asked)
    letter = Outgoing(
        id=1, place=asked.place, parts=parts, person=asked.person, attempts=1
    )
    for part in parts:
        await app.poster.post(letter, part)
    return slack.posts[-1]


async def pressed(slack: SlackServer, inbox: Inbox, button: Delivery) -> Incoming:
    """What a press comes to."""
    await button.acknowledged()
    return (await inbox.holds(2))[-1]


@pytest.mark.parametrize(
    ("button", "answered"),
    [(Action.SOURCES, True), (Action.WHY, True), (Action.ASK_AGAIN, False)],
)
async def test_a_button_is_kept_with_its_record_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox, button: Action, answered: bool
) -> None:
    """Whoever presses it."""
    message = await shown(app, slack, inbox, answered=answered)
    kept = await pressed(slack, inbox, slack.people.click("U2", message, button))
    assert (kept.action, kept.person, kept.audit_id) == (button, "U2", "a-1")
    assert kept.about == message.ts


async def test_a_thumb_up_is_kept_at_once_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """It opens nothing."""
    message = await shown(app, slack, inbox)
    thumb = slack.people.click("U2", message, FEEDBACK, "helpful:a-1")
    kept = await pressed(slack, inbox, thumb)
    assert (kept.action, kept.audit_id) == (Action.HELPFUL, "a-1")


async def test_a_thumb_down_asks_why_first_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """The reason is kept with the verdict."""
    message = await shown(app, slack, inbox)
    await slack.people.click("U2", message, FEEDBACK, "not_helpful:a-1").acknowledged()
    (view,) = await slack.viewed()
    assert len(inbox.kept) == 1
    kept = await pressed(
        slack, inbox, slack.people.submit(view["id"], {REASON: "too long"})
    )
    assert (kept.action, kept.reason) == (Action.NOT_HELPFUL, "too long")


async def test_asking_a_person_takes_a_note_first_R_C1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """The note goes along."""
    message = await shown(app, slack, inbox)
    await slack.people.click("U2", message, Action.ASK_PERSON).acknowledged()
    (view,) = await slack.viewed()
    kept = await pressed(
        slack, inbox, slack.people.submit(view["id"], {REASON: "for my exam"})
    )
    assert (kept.action, kept.reason) == (Action.ASK_PERSON, "for my exam")


@pytest.mark.parametrize(
    ("line", "action"), [("my data", Action.MY_DATA), ("forget me", Action.FORGET)]
)
async def test_personal_data_can_be_asked_for_R_S5(
    app: SlackApp, slack: SlackServer, inbox: Inbox, line: str, action: Action
) -> None:
    """By command, answered to the person alone."""
    await slack.people.command("C1", "U1", f"{ADMIN_COMMAND} {line}").acknowledged()
    (kept,) = inbox.kept
    assert (kept.action, kept.person, kept.place.private) == (action, "U1", True)


@pytest.mark.parametrize("action", [Action.MY_DATA, Action.FORGET])
async def test_personal_data_can_be_asked_for_in_the_home_R_S5(
    app: SlackApp, slack: SlackServer, inbox: Inbox, action: Action
) -> None:
    """By button."""
    await slack.people.open_home("U1").acknowledged()
    (home,) = await slack.viewed()
    await slack.people.click_view(home["id"], action).acknowledged()
    (kept,) = await inbox.holds(1)
    assert (kept.action, kept.person) == (action, "U1")
