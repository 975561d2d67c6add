"""Commands, buttons and modals, as the loopback Slack tells of them."""

from datetime import timedelta

import pytest

from adapters.mail import Action, Incoming
from adapters.slack import blocks
from adapters.slack.inbound import read_incoming
from adapters.slack.names import FEEDBACK, SHOWN_TO
from adapters.slack.views import make_home, make_modal
from tests.adapters.slack.people import BOT, RECEIVED, Room, heard
from tests.adapters.slack.test_views import HOME
from tests.loopback.slack_state import Json, Message, Private

LATER = RECEIVED + timedelta(minutes=30)


@pytest.fixture
def room() -> Room:
    return Room()


def answer(room: Room, **more: str) -> Message:
    """A reply of ours in C1 with its buttons."""
    message = room.said(BOT, "Rinse.", **more)
    names = ["more", "sources", "why", "ask_again", "ask_person", "other"]
    names += ["choose.2", "none_of_these"]
    message.blocks = [
        blocks.actions(*(blocks.button(n, n, value="a-1") for n in names)),
        blocks.thumbs(FEEDBACK, "helpful:a-1", "not_helpful:a-1"),
    ]
    for number, block in enumerate(message.blocks):
        block["block_id"] = f"b{number}"
    return message


# --- commands ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "text", "private"),
    [
        ("/ask What helps?", "What helps?", True),
        ("/ask private: What helps?", "What helps?", True),
        ("/ask Public : What\nhelps?", "What\nhelps?", False),
        ("/ask public health: what is it?", "public health: what is it?", True),
        ("/ask a &lt; b in <#C1|general>", "a < b in #general", True),
        ("/ask", "", True),
    ],
)
def test_a_command_answers_its_asker_unless_told_otherwise_R_C1(
    room: Room, line: str, text: str, private: bool
) -> None:
    """Private is the safe reading; a question may begin with the word itself."""
    delivery = room.people.command("C1", "U1", line)
    asked = heard(delivery)
    assert asked is not None
    assert (asked.action, asked.text) == (Action.ASK, text)
    assert asked.place.private is private
    assert (asked.place.thread, asked.place.message) == (None, None)
    assert asked.callback["response_url"] == delivery.payload["response_url"]
    assert asked.respond_by == LATER
    assert asked.event == delivery.payload["trigger_id"]


@pytest.mark.parametrize(
    ("line", "action", "reason"),
    [
        ("bind oncology people=<@U2|ann>", Action.BIND, "oncology people=<@U2>"),
        ("bind oncology people=@ann", Action.BIND, "oncology people=@ann"),
        ("bind oncology people=<!here>", Action.BIND, "oncology people=@here"),
        ("bind a people=&lt;@U2&gt;", Action.BIND, "a people=@U2"),
        ("BIND oncology", Action.BIND, "oncology"),
        ("pause", Action.PAUSE, None),
        ("resume", Action.RESUME, None),
        ("my data", Action.MY_DATA, None),
        ("Forget  me", Action.FORGET, None),
        ("forget it", Action.BIND, None),
        ("what now", Action.BIND, None),
        ("", Action.BIND, None),
    ],
)
def test_administrators_order_with_a_command_R_U5(
    room: Room, line: str, action: Action, reason: str | None
) -> None:
    """What is not understood binds nothing and deletes nothing: the pack is missing."""
    order = heard(room.people.command("C1", "U1", f"/ask-admin {line}"))
    assert order is not None
    assert (order.action, order.reason, order.text) == (action, reason, "")
    assert order.place.private
    assert not order.admin


def test_a_command_of_another_app_is_nothing(room: Room) -> None:
    """Only ours are read."""
    assert heard(room.people.command("C1", "U1", "/weather now")) is None


# --- buttons ----------------------------------------------------------------------


@pytest.mark.parametrize("action", ["more", "sources", "why"])
def test_a_button_shows_its_presser_more_R_D5(room: Room, action: str) -> None:
    """The reply is seen by who pressed, in the thread of the message."""
    message = answer(room, thread_ts="1.1")
    delivery = room.people.click("U2", message, action)
    pressed = heard(delivery)
    assert pressed is not None
    assert (pressed.action, pressed.audit_id) == (Action(action), "a-1")
    assert (pressed.person, pressed.about) == ("U2", message.ts)
    assert (pressed.place.thread, pressed.place.private) == ("1.1", True)
    assert pressed.callback == {"response_url": delivery.payload["response_url"]}
    assert pressed.event == delivery.payload["trigger_id"]


def test_asking_again_answers_everybody_in_the_thread_R_A13(room: Room) -> None:
    """The second answer stands beside the first, so it is a message."""
    message = answer(room, thread_ts="1.1")
    again = heard(room.people.click("U2", message, "ask_again"))
    assert again is not None
    assert (again.action, again.audit_id) == (Action.ASK_AGAIN, "a-1")
    assert (again.place.thread, again.place.private) == ("1.1", False)
    assert again.callback == {}


def test_asking_again_below_a_message_opens_its_thread_R_A13(room: Room) -> None:
    """An answer to a public command stands in no thread."""
    message = answer(room)
    again = heard(room.people.click("U2", message, "ask_again"))
    assert again is not None
    assert again.place.thread == message.ts


def test_asking_again_in_private_stays_there_R_A13(room: Room) -> None:
    """What only one person saw is asked again for that person alone."""
    shown = answer(room)
    alone = Private(
        "C1", "U1", "9.9", "Rinse.", tuple(shown.blocks), None, "response_url", 0.0, {}
    )
    again = heard(room.people.click("U1", alone, "ask_again"))
    assert again is not None
    assert (again.place.thread, again.place.private) == (None, True)
    assert again.callback


def test_a_choice_is_asked_where_it_was_offered_R_Q5(room: Room) -> None:
    """As a question is: in the thread, for everybody; its number is no other's."""
    message = answer(room, thread_ts="1.1")
    chose = heard(room.people.click("U2", message, "choose.2"))
    assert chose is not None
    assert (chose.action, chose.audit_id, chose.choice) == (Action.CHOOSE, "a-1", 2)
    assert (chose.place.thread, chose.place.private) == ("1.1", False)
    assert (chose.person, chose.callback) == ("U2", {})


def test_none_of_these_is_between_the_bot_and_the_person_R_Q5(room: Room) -> None:
    """Whoever presses it is thanked alone."""
    none = heard(room.people.click("U2", answer(room), "none_of_these"))
    assert none is not None
    assert (none.action, none.audit_id) == (Action.NONE_OF_THESE, "a-1")
    assert none.place.private


def test_helpful_is_kept_at_once(room: Room) -> None:
    """No reason is asked for."""
    liked = heard(room.people.click("U2", answer(room), FEEDBACK, "helpful:a-1"))
    assert liked is not None
    assert (liked.action, liked.audit_id) == (Action.HELPFUL, "a-1")
    assert liked.place.private


def test_a_button_that_is_none_of_ours_is_nothing(room: Room) -> None:
    """An old message may have buttons that are gone."""
    assert heard(room.people.click("U2", answer(room), "other")) is None


@pytest.mark.parametrize("action", [Action.MY_DATA, Action.FORGET])
def test_the_app_home_answers_by_direct_message_R_S5(
    room: Room, action: Action
) -> None:
    """There is no channel to answer in, and nobody else is to see it."""
    view = {"id": "V1", "team_id": "T1", "user": "U1", **make_home(HOME)}
    for number, block in enumerate(view["blocks"]):
        block.setdefault("block_id", f"b{number}")
    room.workspace.views["V1"] = view
    pressed = heard(room.people.click_view("V1", action))
    assert pressed is not None
    assert pressed.action is action
    assert (pressed.place.channel, pressed.place.private) == ("U1", True)


# --- modals -----------------------------------------------------------------------


def sent_off(room: Room, opening: Json, values: dict[str, str]) -> Incoming | None:
    """Open the modal of a payload, fill it in and send it off."""
    assert read_incoming(opening, RECEIVED, BOT) is None
    view = make_modal(opening, RECEIVED)
    assert view is not None
    stored = {"id": "V2", "team_id": "T1", "user": opening["user"]["id"], **view}
    for number, block in enumerate(stored["blocks"]):
        block["block_id"] = f"b{number}"
    room.workspace.views["V2"] = stored
    return heard(room.people.submit("V2", values))


def test_a_selection_is_asked_about_in_a_modal_R_A6(room: Room) -> None:
    """Its text can be shortened; only the asker sees the answer unless they say so."""
    message = room.said("U2", "Rinse with salt &amp; water. It helps.")
    opening = room.people.shortcut("C1", "U1", message.ts, "ask_about").payload
    values = {"question": " How? ", "selection": "Rinse with salt & water."}
    asked = sent_off(room, opening, values)
    assert asked is not None
    assert (asked.action, asked.person, asked.text) == (Action.ASK, "U1", "How?")
    assert asked.selection == "Rinse with salt & water."
    assert (asked.place.thread, asked.place.private) == (None, True)
    assert asked.callback == {"response_url": opening["response_url"]}
    assert asked.respond_by == LATER


def test_a_selection_may_be_answered_below_its_message_R_A6(room: Room) -> None:
    """In the thread of the message, for everybody."""
    message = room.said("U2", "Rinse.")
    opening = room.people.shortcut("C1", "U1", message.ts, "ask_about").payload
    values = {"question": "How?", "selection": " ", SHOWN_TO: "everybody"}
    asked = sent_off(room, opening, values)
    assert asked is not None
    assert (asked.place.thread, asked.place.private) == (message.ts, False)
    assert asked.selection == ""  # no way to ask the corpus by emptying the field


@pytest.mark.parametrize(
    ("button", "value", "action"),
    [
        (FEEDBACK, "not_helpful:a-1", Action.NOT_HELPFUL),
        ("ask_person", None, Action.ASK_PERSON),
    ],
)
def test_a_reason_or_note_is_asked_for(
    room: Room, button: str, value: str | None, action: Action
) -> None:
    """The modal remembers the outcome, the message and how to thank."""
    message = answer(room, thread_ts="1.1")
    opening = room.people.click("U2", message, button, value).payload
    given = sent_off(room, opening, {"reason": "Too short"})
    assert given is not None
    assert (given.action, given.reason) == (action, "Too short")
    assert (given.audit_id, given.about) == ("a-1", message.ts)
    assert (given.place.thread, given.place.private) == ("1.1", True)
    assert given.callback == {"response_url": opening["response_url"]}


def test_a_reason_may_be_left_out(room: Room) -> None:
    """Then the thumb alone counts."""
    opening = room.people.click("U2", answer(room), FEEDBACK, "not_helpful:a-1").payload
    given = sent_off(room, opening, {})
    assert given is not None
    assert given.reason is None


@pytest.mark.parametrize("metadata", ["", "{}", "[1]", '{"channel": 3, "message": ""}'])
def test_a_modal_that_forgot_is_nothing(room: Room, metadata: str) -> None:
    """Without the place there is nowhere to answer."""
    message = room.said("U2", "Rinse.")
    opening = room.people.shortcut("C1", "U1", message.ts, "ask_about").payload
    body = {
        **opening,
        "type": "view_submission",
        "view": {
            "callback_id": "ask_about",
            "private_metadata": metadata,
            "state": {"values": {}},
        },
    }
    assert read_incoming(body, RECEIVED, BOT) is None


def test_a_press_without_a_trigger_has_a_name_of_its_own(room: Room) -> None:
    """The same payload, brought twice, is one event."""
    payload = room.people.click("U2", answer(room), "why").payload
    del payload["trigger_id"]
    names = {
        pressed.event
        for _ in "ab"
        if (pressed := read_incoming(payload, RECEIVED, BOT))
    }
    assert len(names) == 1
