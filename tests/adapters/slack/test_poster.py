"""The Post port on the loopback Slack: visible once, or said why not (R-C3, R-C1)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from adapters.mail import (
    Action,
    Incoming,
    Method,
    Outgoing,
    Part,
    Place,
    Platform,
    PostFailed,
)
from adapters.slack.app import Inside, open_slack
from adapters.slack.names import NOTED, RESPONSE_URL
from adapters.slack.poster import SlackPoster
from adapters.slack.writer import SLACK as post
from tests.adapters.slack.replies import answer
from tests.adapters.slack.rig import WORDS, Inbox, Shelf, sockets
from tests.loopback.faults import Fault, answered, dropped, failed_after, garbled
from tests.loopback.slack import SlackServer
from tests.loopback.slack_reply import respond
from tests.loopback.slack_state import Message


@pytest.fixture
async def poster(slack: SlackServer, inbox: Inbox) -> AsyncIterator[SlackPoster]:
    """The poster of one workspace."""
    inside = Inside(inbox, Shelf(), WORDS)
    async with open_slack(sockets(slack), inside) as app:
        yield app.poster


def asked(slack: SlackServer, **place: Any) -> Incoming:
    """A question of U1 that stands in C1, unless it is placed elsewhere."""
    question = slack.workspace.said("U1", "C1", "what is ROS?")
    where = {"channel": "C1", "thread": question.ts, "message": question.ts, **place}
    return Incoming(
        event="Ev1",
        platform=Platform.SLACK,
        action=Action.ASK,
        place=Place(platform=Platform.SLACK, tenant="T1", **where),
        person="U1",
        received=datetime.now(UTC),
    )


def outgoing(incoming: Incoming, attempts: int = 1, **more: Any) -> Outgoing:
    """A notice on its way to where something was asked."""
    given = {"parts": post.notice("Here you are.", incoming), **more}
    return Outgoing(
        id=1, place=incoming.place, person=incoming.person, attempts=attempts, **given
    )


async def posted(poster: SlackPoster, letter: Outgoing) -> str:
    """Post its one part."""
    (part,) = letter.parts
    return await poster.post(letter, part)


async def refused(poster: SlackPoster, letter: Outgoing) -> float | None:
    """Post its one part in vain; when to try again."""
    with pytest.raises(PostFailed) as caught:
        await posted(poster, letter)
    return caught.value.after


def nonce(message: Message) -> str:
    """What a post carries to be known again."""
    assert message.metadata is not None
    return str(message.metadata["event_payload"]["nonce"])


# --- once -------------------------------------------------------------------------


async def test_a_post_stands_in_its_thread_with_its_nonce(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """The id of the message comes back."""
    letter = outgoing(asked(slack))
    ts = await posted(poster, letter)
    (message,) = slack.posts
    assert (message.ts, message.thread_ts) == (ts, letter.place.thread)
    assert nonce(message) == letter.parts[0].nonce


@pytest.mark.parametrize(
    "fault", [dropped(), failed_after(), failed_after(503), garbled(done=True)]
)
async def test_a_post_whose_answer_is_lost_appears_once_R_C3(
    slack: SlackServer, poster: SlackPoster, fault: Fault
) -> None:
    """Posted, and the connection reset, a 5xx or half an answer: it is read back."""
    letter = outgoing(asked(slack))
    slack.fail("chat.postMessage", fault)
    ts = await posted(poster, letter)
    assert [message.ts for message in slack.posts] == [ts]
    assert len(slack.calls("chat.postMessage")) == 1


async def test_a_post_that_never_arrived_is_tried_again_R_C3(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """The connection broke before Slack did anything: never none."""
    incoming = asked(slack)
    slack.fail("chat.postMessage", dropped(done=False))
    assert await refused(poster, outgoing(incoming)) is not None
    await posted(poster, outgoing(incoming, attempts=2))
    assert len(slack.posts) == 1


async def test_a_second_attempt_finds_what_the_first_posted_R_C3(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """The process died between posting and marking it."""
    incoming = asked(slack)
    ts = await posted(poster, outgoing(incoming))
    assert await posted(poster, outgoing(incoming, attempts=2)) == ts
    assert len(slack.posts) == 1


async def test_a_long_thread_is_read_back_page_by_page_R_C3(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """People talked on before anybody looked."""
    incoming = asked(slack)
    thread = incoming.place.thread
    for number in range(250):
        slack.workspace.said("U2", "C1", f"talk {number}", thread_ts=thread)
    ts = await posted(poster, outgoing(incoming))
    assert await posted(poster, outgoing(incoming, attempts=2)) == ts


async def test_the_same_nonce_in_another_bots_message_is_not_ours(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Metadata can be copied; the bot that posted it cannot."""
    incoming = asked(slack)
    letter = outgoing(incoming, attempts=2)
    slack.workspace.said(
        "U2",
        "C1",
        "mine",
        thread_ts=incoming.place.thread,
        metadata=letter.parts[0].payload["metadata"],
    )
    ts = await posted(poster, letter)
    assert [message.ts for message in slack.posts] == [ts]


@pytest.mark.parametrize("channel", ["C1", "U1"])
async def test_a_post_outside_of_threads_is_found_again_R_C3(
    slack: SlackServer, poster: SlackPoster, channel: str
) -> None:
    """In a channel, and in direct messages that are named by the person."""
    incoming = asked(slack, channel=channel, thread=None, message=None)
    ts = await posted(poster, outgoing(incoming))
    assert await posted(poster, outgoing(incoming, attempts=2)) == ts
    assert len(slack.posts) == 1


# --- what it costs -----------------------------------------------------------------


async def test_a_first_attempt_reads_nothing_back_R_C3(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """One call for each part: what was never tried cannot stand there already."""
    incoming = asked(slack)
    notices = [post.notice("Here you are.", incoming, first=n) for n in range(3)]
    parts = tuple(part for (part,) in notices)
    letter = outgoing(incoming, parts=parts)
    for part in parts:
        await poster.post(letter, part)
    assert len(slack.posts) == len(slack.calls("chat.postMessage")) == 3
    assert slack.calls("conversations.replies") == []
    assert slack.calls("conversations.history") == []


async def test_a_second_attempt_reads_the_thread_once_R_C3(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Also after a takeover, which counts as one."""
    await posted(poster, outgoing(asked(slack), attempts=2))
    assert len(slack.posts) == 1
    assert len(slack.calls("conversations.replies")) == 1
    assert slack.calls("conversations.history") == []


# --- not into the channel ---------------------------------------------------------


def standing(slack: SlackServer) -> list[Message]:
    """The posts that can be seen."""
    return [message for message in slack.posts if not message.deleted]


@pytest.mark.parametrize("attempts", [1, 2])
async def test_a_reply_to_a_deleted_question_does_not_stay_R_C3_R_U4(
    slack: SlackServer, poster: SlackPoster, attempts: int
) -> None:
    """Slack puts it into the channel; there is no point in another attempt."""
    letter = outgoing(asked(slack), attempts)
    assert letter.place.thread is not None
    slack.people.delete("C1", letter.place.thread)
    assert await refused(poster, letter) is None
    assert standing(slack) == []
    assert len(slack.calls("chat.postMessage")) == (1 if attempts == 1 else 0)


async def test_a_reply_in_the_channel_is_taken_away_by_the_next_attempt_R_C3_R_U4(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Where Slack did not take it away at once; every attempt after finds it gone."""
    incoming = asked(slack)
    assert incoming.place.thread is not None
    slack.people.delete("C1", incoming.place.thread)
    slack.fail("chat.delete", answered(503))
    assert await refused(poster, outgoing(incoming)) is not None
    assert len(standing(slack)) == 1
    for attempts in (2, 3):
        assert await refused(poster, outgoing(incoming, attempts)) is None
        assert standing(slack) == []


async def test_a_lost_reply_in_the_channel_is_taken_away_R_C3_R_U4(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """The answer that would have said where it stands did not come."""
    letter = outgoing(asked(slack))
    assert letter.place.thread is not None
    slack.people.delete("C1", letter.place.thread)
    slack.fail("chat.postMessage", dropped())
    assert await refused(poster, letter) is None
    assert standing(slack) == []


async def test_below_a_tombstone_nothing_is_posted_again_R_C3(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Slack keeps one where the root of a thread with replies was."""
    incoming = asked(slack)
    thread = incoming.place.thread
    assert thread is not None
    slack.workspace.said("U2", "C1", "me too", thread_ts=thread)
    slack.people.delete("C1", thread)
    assert await refused(poster, outgoing(incoming, attempts=2)) is None
    assert slack.posts == []


async def test_below_a_tombstone_what_stands_is_found_R_C3_R_U4(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """So that the deletion of the question takes it along."""
    incoming = asked(slack)
    assert incoming.place.thread is not None
    ts = await posted(poster, outgoing(incoming))
    slack.people.delete("C1", incoming.place.thread)
    assert await posted(poster, outgoing(incoming, attempts=2)) == ts


# --- when to try again ------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "after"),
    [("7", 7.0), ("2.5", 2.5), ("0", 2.0), ("soon", 2.0), ("nan", 2.0), ("1e9", 3600)],
)
async def test_too_many_posts_wait_as_long_as_slack_asks(
    slack: SlackServer, poster: SlackPoster, header: str, after: float
) -> None:
    """Seconds are read; what is none, makes the pause a usual one."""
    limit = answered(429, '{"ok": false}', {"Retry-After": header})
    slack.fail("chat.postMessage", limit)
    pause = await refused(poster, outgoing(asked(slack)))
    assert pause is not None
    assert pause == after or (after == 2.0 and 1.0 <= pause <= after)


async def test_a_date_to_wait_for_is_understood(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Retry-After may be a date."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    slack.fail("chat.postMessage", answered(429, headers={"Retry-After": date}))
    after = await refused(poster, outgoing(asked(slack)))
    assert after is not None and 50 < after <= 60


async def test_pauses_grow_where_slack_names_no_time(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Twice as long each time, a minute at most, and a random half to all of that."""
    incoming = asked(slack)
    for attempts, most in ((1, 2.0), (3, 8.0), (20, 60.0)):
        slack.fail("chat.postMessage", answered(503))
        pause = await refused(poster, outgoing(incoming, attempts))
        assert pause is not None and most / 2 <= pause <= most


async def test_what_slack_refuses_for_good_is_not_tried_again(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """A channel that is not there, one without the bot, a workspace without the app."""
    slack.channel("C9", {"U1"}, bot=False)
    places: list[dict[str, Any]] = [
        {"channel": "C404", "thread": None},
        {"channel": "C9", "thread": None},
        {"tenant": "T2"},
    ]
    for place in places:
        incoming = asked(slack)
        moved = incoming.place.model_copy(update=place)
        letter = outgoing(incoming.model_copy(update={"place": moved}))
        assert await refused(poster, letter) is None


async def test_a_failure_says_nothing_of_the_reply(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Its text goes into logs."""
    slack.fail("chat.postMessage", answered(200, '{"ok": false, "error": "no_way"}'))
    with pytest.raises(PostFailed) as caught:
        await posted(poster, outgoing(asked(slack)))
    assert str(caught.value) == "post: no_way"


# --- for one person ---------------------------------------------------------------


async def test_a_whisper_reaches_one_person_and_ends_the_status_R_C1(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Only a post would take "is looking" away by itself."""
    incoming = asked(slack, private=True)
    letter = outgoing(incoming)
    assert letter.parts[0].method is Method.WHISPER
    ts = await posted(poster, letter)
    (told,) = slack.workspace.privates
    assert (told.ts, told.user, told.way) == (ts, "U1", "chat.postEphemeral")
    (status,) = slack.workspace.statuses
    assert (status.kind, status.value) == ("status", "")
    assert slack.posts == []


async def test_a_whisper_about_the_first_message_stands_in_the_channel_R_C1(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Slack shows nobody an ephemeral in a thread that has no replies."""
    await posted(poster, outgoing(asked(slack, private=True)))
    (told,) = slack.workspace.privates
    assert told.thread_ts is None


async def test_a_whisper_about_a_reply_stands_in_its_thread_R_C1(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """There the thread is active."""
    root = slack.workspace.said("U2", "C1", "root")
    asks = slack.workspace.said("U1", "C1", "what is ROS?", thread_ts=root.ts)
    incoming = asked(slack, thread=root.ts, message=asks.ts, private=True)
    await posted(poster, outgoing(incoming))
    (told,) = slack.workspace.privates
    assert told.thread_ts == root.ts


async def test_who_left_the_channel_gets_the_whisper_directly(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Never none: direct messages are open to everybody."""
    incoming = asked(slack, private=True)
    slack.workspace.channels["C1"].members.discard("U1")
    await posted(poster, outgoing(incoming))
    (message,) = slack.posts
    assert message.channel == slack.workspace.direct("T1", "U1").id


def commanded(slack: SlackServer, **more: Any) -> Outgoing:
    """A reply to a command of U1 in a channel where the bot is no member."""
    slack.channel("C9", {"U1"}, bot=False)
    slack.people.courier.road = None
    url = slack.people._reply_url(slack.workspace.teams["T1"], "C9", "U1")
    incoming = asked(slack, channel="C9", thread=None, message=None, private=True)
    incoming = incoming.model_copy(update={"callback": {RESPONSE_URL: url}})
    return outgoing(incoming, callback=incoming.callback, **more)


async def test_a_command_is_answered_where_the_bot_is_no_member_R_C1(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Through its response URL, to the person alone; the id is the part's nonce."""
    letter = commanded(slack)
    assert await posted(poster, letter) == letter.parts[0].nonce
    (told,) = slack.workspace.privates
    assert (told.channel, told.user, told.way) == ("C9", "U1", "response_url")


async def test_a_public_answer_goes_where_the_bot_is_no_member_R_C1(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """A post is refused there, the response URL is not."""
    letter = commanded(slack)
    incoming = asked(slack, channel="C9", thread=None, message=None)
    parts = post.notice("Here you are.", incoming)
    assert parts[0].method is Method.POST
    await posted(poster, letter.model_copy(update={"parts": parts}))
    (message,) = slack.posts
    assert message.channel == "C9"


@pytest.mark.parametrize("ended", ["used up", "too late"])
async def test_a_response_url_that_ended_leaves_other_ways_R_C3(
    slack: SlackServer, poster: SlackPoster, ended: str
) -> None:
    """Never none: the reply comes as a direct message."""
    now = datetime.now(UTC)
    late = {"respond_by": now - timedelta(seconds=1)} if ended == "too late" else {}
    letter = commanded(slack, **late)
    for url in slack.workspace.reply_urls.values():
        url.uses = 5
    await posted(poster, letter)
    (message,) = slack.posts
    assert message.channel == slack.workspace.direct("T1", "U1").id
    assert len(slack.calls("response_url")) == (0 if late else 1)


def noted(slack: SlackServer, incoming: Incoming) -> Incoming:
    """A command to which the acknowledgement said that the bot is looking."""
    url = slack.people._reply_url(slack.workspace.teams["T1"], "C1", "U1")
    opened = slack.workspace.reply_urls[url.rsplit("/", 1)[1]]
    respond(slack.workspace, opened, {"text": WORDS.noted}, "ack")
    callback = {RESPONSE_URL: url, NOTED: "yes"}
    return incoming.model_copy(update={"callback": callback})


@pytest.mark.parametrize("private", [True, False])
async def test_an_answer_to_a_command_leaves_nothing_of_the_first_word_R_C1(
    slack: SlackServer, poster: SlackPoster, private: bool
) -> None:
    """A private one takes its place, a public one has it taken away."""
    place = {"thread": None, "message": None, "private": private}
    incoming = noted(slack, asked(slack, **place))
    notices = [post.notice(f"Part {n}.", incoming, first=n) for n in range(2)]
    parts = tuple(part for (part,) in notices)
    letter = outgoing(incoming, parts=parts, callback=incoming.callback)
    for attempts in (1, 2):
        for part in parts:
            again = letter.model_copy(update={"attempts": attempts})
            await poster.post(again, part)
    first, *others = slack.workspace.privates
    assert (first.text, first.gone) == (WORDS.noted, True)
    assert bool(others) is private
    assert len(slack.posts) == (0 if private else 2)


async def test_a_busy_response_url_is_waited_for(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """A way that is only closed for a moment is not left."""
    letter = commanded(slack)
    slack.fail("response_url", answered(429, headers={"Retry-After": "4"}))
    assert await refused(poster, letter) == 4
    assert slack.posts == []


# --- what stands there ------------------------------------------------------------


def change(letter: Outgoing, method: Method, ts: str) -> Outgoing:
    """The same letter, changing a message instead."""
    (part,) = letter.parts
    kept = dict(part.payload) if method is Method.UPDATE else {}
    for unknown in ("unfurl_links", "unfurl_media"):
        kept.pop(unknown, None)
    changed = Part(nonce=part.nonce, method=method, payload=kept, message=ts)
    return letter.model_copy(update={"parts": (changed,)})


async def test_an_update_replaces_a_message_R_U4(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """In place, however often."""
    incoming = asked(slack)
    ts = await posted(poster, outgoing(incoming))
    better = outgoing(incoming, parts=post.notice("Better.", incoming))
    for _ in range(2):
        assert await posted(poster, change(better, Method.UPDATE, ts)) == ts
    (message,) = slack.posts
    assert "Better." in message.text and message.edited


async def test_an_update_of_what_is_not_there_is_posted_R_U4(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Seen by one person alone, or taken away: in the thread, and once."""
    incoming = asked(slack)
    letter = change(outgoing(incoming), Method.UPDATE, "1.1")
    ts = await posted(poster, letter)
    again = letter.model_copy(update={"attempts": 2})
    assert await posted(poster, again) == ts
    (message,) = slack.posts
    assert (message.ts, message.thread_ts) == (ts, incoming.place.thread)
    assert message.sent["unfurl_links"] is message.sent["unfurl_media"] is False


async def test_an_edit_where_answers_are_private_is_whispered_anew_R_U4_R_C5(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """An ephemeral cannot be changed, and what was public is taken away."""
    ephemeral = await posted(poster, outgoing(asked(slack, private=True)))
    public = await posted(poster, outgoing(asked(slack)))
    edit = asked(slack, private=True)
    letter = outgoing(edit, parts=post.edited(answer(), edit, [ephemeral, public]))
    for part in letter.parts:
        await poster.post(letter, part)
    assert standing(slack) == []
    _, told = slack.workspace.privates
    assert "Salt water is gentle" in told.text and told.user == "U1"


async def test_a_deletion_may_come_twice_R_U4(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """What is gone already is gone."""
    letter = outgoing(asked(slack))
    ts = await posted(poster, letter)
    for _ in range(2):
        assert await posted(poster, change(letter, Method.DELETE, ts)) == ts
    assert slack.posts[0].deleted


async def test_every_post_is_quiet_R_V7(
    slack: SlackServer, poster: SlackPoster
) -> None:
    """Nothing is unfurled, nobody is named by what looks like a name."""
    await posted(poster, outgoing(asked(slack)))
    (message,) = slack.posts
    assert message.sent["unfurl_links"] is False
    assert message.sent["unfurl_media"] is False
    assert message.sent["parse"] == "none"
