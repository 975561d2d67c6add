"""Messages that people write, change and take away, as the loopback Slack tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.mail import Action, Incoming
from adapters.slack.inbound import read_incoming
from tests.adapters.slack.people import BOT, RECEIVED, Room, heard
from tests.loopback import slack_events
from tests.loopback.slack_state import Json


@pytest.fixture
def room() -> Room:
    return Room()


def test_a_mention_is_a_question_under_its_own_thread_R_C1(room: Room) -> None:
    """The reply goes under the message; the text has no mention left."""
    delivery = room.people.mention("C1", "U1", "What &lt;really&gt; helps?")
    asked = heard(delivery)
    assert asked is not None
    ts = delivery.payload["event"]["ts"]
    assert asked.event == delivery.event_id
    assert (asked.action, asked.text) == (Action.ASK, "What <really> helps?")
    assert asked.subject == f"slack:T1:C1:{ts}"
    assert (asked.place.tenant, asked.place.channel) == ("T1", "C1")
    assert (asked.place.thread, asked.place.message) == (ts, ts)
    assert (asked.person, asked.place.private, asked.addressed) == ("U1", False, True)


def test_a_mention_and_its_twin_have_one_subject_R_C3(room: Room) -> None:
    """Slack tells of one message as a mention and as a message, in any order."""
    message = room.said("U1", f"<@{BOT}> What helps?")
    team = room.workspace.teams["T1"]
    twins = [
        read_incoming(slack_events.callback(room.workspace, team, event), RECEIVED, BOT)
        for event in (
            slack_events.app_mention(message),
            slack_events.written(room.workspace, message),
        )
    ]
    assert twins[0] is not None
    assert twins[1] is not None
    assert twins[0].event != twins[1].event
    assert twins[0].model_copy(update={"event": ""}) == twins[1].model_copy(
        update={"event": ""}
    )


def test_a_direct_message_is_answered_where_it_stands_R_C1(room: Room) -> None:
    """No mention is needed, no thread is begun, nobody else is there."""
    asked = heard(room.people.tell("U1", "What helps?"))
    assert asked is not None
    assert asked.place.channel.startswith("D")
    assert (asked.place.thread, asked.place.private) == (None, True)
    assert asked.addressed


def test_files_are_named_where_slack_keeps_them_R_A6(room: Room) -> None:
    """What it only links to, or says in another form, only counts as one."""
    kept = room.people.file("a.txt", b"text")
    linked = {"id": "F1", "name": "b", "mode": "external", "size": 0}
    told = heard(room.people.mention("C1", "U1", "q", files=[kept, linked, 3]))
    assert told is not None and told.files
    assert [(file.name, file.size) for file in told.attached] == [("a.txt", 4)]


def test_the_assistant_pane_is_a_thread_of_direct_messages_R_C1(room: Room) -> None:
    """What is asked there is answered there; opening it asks nothing."""
    opened = room.people.open_pane("U1")
    root = opened.payload["event"]["assistant_thread"]["thread_ts"]
    assert heard(opened) is None
    asked = heard(room.people.tell("U1", "What helps?", thread_ts=root))
    assert asked is not None
    assert asked.place.thread == root


def test_a_thread_goes_on_without_a_mention_R_C1(room: Room) -> None:
    """It is kept as not addressed: only a thread of the bot's is answered."""
    root = room.said("U1", f"<@{BOT}> What helps?").ts
    asked = heard(room.people.write("C1", "U2", "And for children?", thread_ts=root))
    assert asked is not None
    assert (asked.place.thread, asked.addressed) == (root, False)
    named = heard(room.people.mention("C1", "U2", "And now?", thread_ts=root))
    assert named is not None
    assert (named.place.thread, named.addressed) == (root, True)


def test_an_empty_mention_is_kept_so_that_it_can_be_answered(room: Room) -> None:
    """Who only names the bot is told how to ask."""
    asked = heard(room.people.mention("C1", "U1", ""))
    assert asked is not None
    assert asked.text == ""


def test_an_edit_asks_anew_R_U4(room: Room) -> None:
    """The text as it is now, for the message that it was."""
    ts = heard_ts(room, f"<@{BOT}> What helps?")
    edit = heard(room.people.edit("C1", ts, f"<@{BOT}> What hurts?"))
    assert edit is not None
    assert (edit.action, edit.text, edit.about) == (Action.EDITED, "What hurts?", ts)
    assert (edit.place.thread, edit.subject) == (ts, None)


def test_an_edit_that_takes_the_mention_away_is_still_one_R_U4(room: Room) -> None:
    """It was asked; the question that stands now is answered."""
    ts = heard_ts(room, f"<@{BOT}> What helps?")
    edit = heard(room.people.edit("C1", ts, "What hurts?"))
    assert edit is not None
    assert edit.addressed


def test_a_preview_is_no_edit_R_U4(room: Room) -> None:
    """Slack changes a message when it adds a preview or counts a reply."""
    ts = heard_ts(room, f"<@{BOT}> What helps?")
    assert heard(room.people.edit("C1", ts, f"<@{BOT}> What helps?")) is None


def test_an_edited_mention_is_told_once_R_U4(room: Room) -> None:
    """Slack also sends a mention for it, which is left to `message_changed`."""
    message = room.said("U1", f"<@{BOT}> What hurts?")
    event = slack_events.app_mention(message, edited={"user": "U1", "ts": "1.2"})
    team = room.workspace.teams["T1"]
    told = slack_events.callback(room.workspace, team, event)
    assert read_incoming(told, RECEIVED, BOT) is None


@pytest.mark.parametrize("replies", [0, 1])
def test_a_deleted_question_is_told_R_U4(room: Room, replies: int) -> None:
    """Also where replies keep its place as a tombstone."""
    ts = heard_ts(room, f"<@{BOT}> What helps?")
    for _ in range(replies):
        room.said(BOT, "Rinse.", thread_ts=ts)
    gone = heard(room.people.delete("C1", ts))
    assert gone is not None
    assert (gone.action, gone.about, gone.text) == (Action.DELETED, ts, "")
    assert gone.person == "U1"


def test_talk_of_others_is_not_kept_R_S5(room: Room) -> None:
    """Said, changed or deleted in a channel: it never was for the bot."""
    written = room.people.write("C1", "U1", "What a day")
    ts = written.payload["event"]["ts"]
    assert heard(written) is None
    assert heard(room.people.edit("C1", ts, "What a week")) is None
    assert heard(room.people.delete("C1", ts)) is None


def test_bots_are_not_answered(room: Room) -> None:
    """Neither our own messages, nor another bot's, nor their edits and deletions."""
    own = room.said(BOT, f"<@{BOT}> echo")
    assert heard(room.people.echo(own)) is None
    assert heard(room.people.edit("C1", own.ts, f"<@{BOT}> again")) is None
    assert heard(room.people.delete("C1", own.ts)) is None
    other = room.said("U2", f"<@{BOT}> hello")
    other.bot = "B9"
    assert heard(room.people.echo(other)) is None


@pytest.mark.parametrize(
    "subtype",
    ["channel_join", "channel_topic", "bot_message", "reminder_add", "tombstone"],
)
def test_what_slack_says_by_itself_is_no_question(room: Room, subtype: str) -> None:
    """Joins, topics and the like may name the bot."""
    said = room.people.write("C1", "U1", f"<@{BOT}> has joined", subtype=subtype)
    assert heard(said) is None


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_what_a_person_wrote_in_another_form_is(room: Room, subtype: str) -> None:
    """A file with a text, a reply that the channel sees too, a /me."""
    said = room.people.write("C1", "U1", f"<@{BOT}> What helps?", subtype=subtype)
    asked = heard(said)
    assert asked is not None
    assert asked.text == "What helps?"


@pytest.mark.parametrize("missing", ["event_id", "team_id", "event"])
def test_an_undocumented_shape_is_nothing(room: Room, missing: str) -> None:
    """A field that is missing, null or of another kind."""
    payload = room.people.mention("C1", "U1", "What helps?").payload
    for odd in (None, 7, [payload]):
        assert read_incoming(payload | {missing: odd}, RECEIVED, BOT) is None


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text(max_size=9), inner, max_size=2)
    ),
    max_leaves=6,
)
names = st.sampled_from(
    [
        *["type", "team_id", "event_id", "event", "command", "user", "user_id"],
        *["channel", "channel_id", "actions", "view", "container", "message", "team"],
    ]
)
kinds = st.sampled_from(
    ["event_callback", "block_actions", "message_action", "view_submission", "message"]
)


@given(st.dictionaries(names, odd | kinds | st.dictionaries(names, odd)))
def test_no_payload_raises(body: Json) -> None:
    """Whatever comes, it is read or it is nothing."""
    made = read_incoming(body, RECEIVED, BOT)
    assert made is None or isinstance(made, Incoming)


def heard_ts(room: Room, text: str) -> str:
    """The timestamp of what U1 just wrote."""
    return room.said("U1", text).ts


@pytest.mark.parametrize(
    ("own", "shared", "text", "selection"),
    [
        ("can you answer this?", "How long may it be booked?", "", None),
        ("", "The studio is closed on Mondays.", "", None),
        ("Is it open on Monday?", "The studio is closed on Mondays.", "own", "shared"),
    ],
)
def test_a_forwarded_message_is_read_R_U10_R_A6(
    room: Room, own: str, shared: str, text: str, selection: str | None
) -> None:
    """A question is asked; another text is what is asked about."""
    delivery = room.people.tell("U1", own or " ")
    forward: Json = {"is_share": True, "text": shared}
    delivery.payload["event"]["attachments"] = [forward, {"text": "A preview."}]
    asked = heard(delivery)
    assert asked is not None
    assert asked.text == (own if text else shared)
    assert asked.selection == (shared if selection else None)
