"""Modals, the App Home and prompts are such as Slack opens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack.views import Home, PackHere, make_home, make_modal, make_prompts
from tests.adapters.slack.people import BOT, RECEIVED, Room
from tests.adapters.slack.replies import texts
from tests.loopback.slack_state import Json
from tests.loopback.slack_views import PROMPTS
from tests.platforms.slack_limits import check_view
from tests.platforms.slack_reach import links, pings

HOME = Home(
    packs=(PackHere(channel="#ward", title="Cancer information", version="1.0.0"),),
    health="All is well.",
    data="2 questions, kept for 90 days.",
)


def quiet(view: Json) -> None:
    """Fail where Slack refuses a view, or where it disturbs or leads somewhere."""
    assert check_view(view) == []
    assert pings(view, method="view") == []
    assert links(view) == set()


@pytest.mark.parametrize("text", ["Rinse.", "", "x" * 9_000, "<!here> *b* &lt;@U2&gt;"])
def test_the_shortcut_opens_a_question_on_the_message_R_A6(text: str) -> None:
    """With as much of its text as an input takes."""
    room = Room()
    message = room.said("U2", text)
    view = make_modal(
        room.people.shortcut("C1", "U1", message.ts, "ask_about").payload, RECEIVED
    )
    assert view is not None
    quiet(view)
    shown = view["blocks"][1]["element"].get("initial_value", "")
    assert len(shown) <= 3_000
    assert text[:6].replace("<!", "@")[:5] in shown


def test_other_payloads_open_nothing() -> None:
    """Messages, other shortcuts, other buttons."""
    room = Room()
    message = room.said("U2", "Rinse.")
    other = room.people.shortcut("C1", "U1", message.ts, "translate").payload
    assert make_modal(other, RECEIVED) is None
    assert make_modal(room.people.mention("C1", "U1", "How?").payload, RECEIVED) is None
    assert make_modal({}, RECEIVED) is None


def test_the_app_home_says_what_there_is_R_C1() -> None:
    """How to ask, the packs here, health, and what is stored of the person."""
    view = make_home(HOME)
    quiet(view)
    shown = str(view)
    for said in ("Cancer information 1.0.0 in #ward", "All is well.", "2 questions"):
        assert said in shown


packs = st.builds(
    PackHere, channel=texts, title=texts, version=texts, paused=st.booleans()
)


@given(
    st.builds(
        Home,
        packs=(st.lists(packs, max_size=30) | st.just([HOME.packs[0]] * 500)).map(
            tuple
        ),
        health=texts,
        data=texts,
    )
)
@settings(max_examples=40)
def test_whatever_the_home_says_it_is_quiet_R_V7(shown: Home) -> None:
    """Titles, names and figures come from elsewhere."""
    quiet(make_home(shown))


@given(st.lists(texts, max_size=9))
def test_prompts_are_few_and_short_R_C1(questions: list[str]) -> None:
    """Empty ones are left out; the question itself is asked in full."""
    made = make_prompts(questions)
    assert len(made) <= PROMPTS
    assert all(0 < len(prompt["title"]) <= 75 for prompt in made)


def test_a_bot_of_ours_may_be_asked_about() -> None:
    """Its messages have a text besides their blocks."""
    room = Room()
    message = room.said(BOT, "Rinse &amp; repeat.")
    opening = room.people.shortcut("C1", "U1", message.ts, "ask_about").payload
    view = make_modal(opening, RECEIVED)
    assert view is not None
    assert view["blocks"][1]["element"]["initial_value"] == "Rinse & repeat."
