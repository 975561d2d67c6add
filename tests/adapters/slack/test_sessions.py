"""An agent of Slack's agent messaging, and an app of before it (R-C1)."""

import pytest

from adapters.slack.app import SlackApp
from tests.adapters.slack.rig import WORDS, Inbox
from tests.adapters.slack.test_poster import asked, outgoing, posted
from tests.loopback.faults import answered
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Status


def told(statuses: list[Status]) -> list[tuple[str, str]]:
    """What was set, and to what."""
    return [(status.kind, str(status.value)) for status in statuses]


@pytest.fixture
def agent(slack: SlackServer, app: SlackApp) -> SlackServer:
    """A Slack in which the app's manifest says `agent_view`."""
    slack.workspace.agent = True
    return slack


async def test_an_agents_session_is_processing_until_it_replies_R_C1(
    agent: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """The app has to end it: Slack does not."""
    ts = agent.people.mention("C1", "U1", "q").payload["event"]["ts"]
    (begun,) = await agent.set_on_threads()
    assert (begun.kind, begun.value, begun.thread_ts) == ("session", "processing", ts)
    [kept] = inbox.kept
    await posted(app.poster, outgoing(kept))
    assert told(agent.workspace.statuses)[1:] == [("session", "active")]
    assert not agent.calls("assistant.threads.setStatus")


async def test_what_an_agent_is_told_directly_begins_a_thread_R_C1(
    agent: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """Also the first time: Slack is asked what the app is before it is kept."""
    first = agent.people.tell("U1", "q").payload["event"]["ts"]
    [kept] = await inbox.holds(1)
    assert kept.place.thread == kept.place.message == first
    assert kept.place.private
    agent.people.tell("U1", "and then?", thread_ts=first)
    assert (await inbox.holds(2))[1].place.thread == first


async def test_an_agent_offers_questions_above_its_conversations_R_C1(
    agent: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """For no thread: with one Slack would show them to nobody (their reference)."""
    await agent.people.open_home("U1", "messages").acknowledged()
    (prompts,) = await agent.set_on_threads()
    assert (prompts.kind, prompts.thread_ts) == ("prompts", "")
    assert prompts.value[0]["message"] == "What is ROS?"
    assert agent.workspace.homes == {}


async def test_an_app_of_before_shows_what_it_always_showed_R_C1(
    slack: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """Slack refuses it sessions once, and then it is not asked any more."""
    for number in (1, 2):
        slack.people.mention("C1", "U1", "q")
        assert told(await slack.set_on_threads(number))[-1] == ("status", WORDS.looking)
    assert len(slack.calls("agents.sessions.setStatus")) == 1
    await slack.people.open_home("U1", "messages").acknowledged()
    slack.people.tell("U1", "q")
    assert (await inbox.holds(3))[2].place.thread is None
    await slack.people.open_pane("U1").acknowledged()
    assert told(await slack.set_on_threads(3))[-1][0] == "prompts"
    assert len(slack.calls("assistant.threads.setSuggestedPrompts")) == 1


async def test_a_press_of_stop_is_kept_and_ends_the_session_R_C1(
    agent: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """Also where nothing is being asked any more: Slack leaves it as it is."""
    root = agent.workspace.said("U1", "C1", "q")
    await agent.people.stop("C1", "U2", root.ts).acknowledged()
    [kept] = inbox.kept
    assert (kept.action, kept.place.thread, kept.person) == ("stop", root.ts, "U2")
    assert told(await agent.set_on_threads()) == [("session", "active")]


async def test_a_fault_of_slack_says_nothing_of_what_the_app_is(
    agent: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """The older status is tried for that question, sessions for the next."""
    agent.fail("agents.sessions.setStatus", answered(500))
    agent.people.mention("C1", "U1", "q")
    assert told(await agent.set_on_threads())[-1] == ("status", WORDS.looking)
    agent.people.mention("C1", "U1", "q")
    assert told(await agent.set_on_threads(2))[-1] == ("session", "processing")


async def test_a_reply_is_not_lost_to_a_session_that_does_not_end_R_C3(
    agent: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """It is visible, whatever Slack says of the rest."""
    agent.fail("agents.sessions.setStatus", answered(500))
    await posted(app.poster, outgoing(asked(agent)))
    assert len(agent.posts) == 1
