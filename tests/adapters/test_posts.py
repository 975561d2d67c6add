"""What both platforms do with a message alike: ways, buttons, edits, the rest."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from adapters.discord.writer import DISCORD
from adapters.mail import Action, Incoming, Method, Part, Platform, nonce
from adapters.posts import Posts
from adapters.reply import NONE_OF_THESE, Offered, Paragraph, Quotation, Reply, compose
from adapters.slack.writer import SLACK
from tests.adapters.discord.letters import incoming as on_discord
from tests.adapters.outcomes import TODAY, WORDING, answered, chunk, parted, refused
from tests.adapters.slack.replies import asked as on_slack
from tests.adapters.slack.replies import quotation

POSTS: Mapping[Platform, Posts] = {Platform.SLACK: SLACK, Platform.DISCORD: DISCORD}
SHORT = ("How is it treated?", "Mouth care: Rinsing", "What helps?")

pytestmark = pytest.mark.parametrize("platform", POSTS)


def came(platform: Platform, **changes: object) -> Incoming:
    """A question in a channel."""
    return (on_slack if platform is Platform.SLACK else on_discord)(**changes)


def pressed(platform: Platform, action: Action) -> Incoming:
    """A button below a reply, for who pressed it alone."""
    slack = {"response_url": "https://hooks.example.org/1"}
    discord = {"application": "8", "interaction": "9", "token": "t", "private": "yes"}
    callback = slack if platform is Platform.SLACK else discord
    return came(platform, action=action, callback=callback)


def said(parts: Sequence[Part]) -> str:
    """Every text of some messages, buttons included."""
    return "\n".join(text for part in parts for text in _texts(part.payload))


def buttons(parts: Sequence[Part]) -> dict[str, str]:
    """The label of each button by what it asks for."""
    return dict(pair for part in parts for pair in _buttons(part.payload))


def _nodes(node: object) -> Iterator[Mapping[str, object]]:
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _nodes(value)


def _texts(payload: Mapping[str, object]) -> Iterator[str]:
    shown = payload.get("blocks", payload.get("components"))
    for node in _nodes(shown):
        for name in ("text", "content"):
            if isinstance(text := node.get(name), str):
                yield text


def _buttons(payload: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for node in _nodes(payload):
        if node.get("type") == "button":
            yield str(node["action_id"]), str(node["text"]["text"])  # type: ignore[index]
        elif node.get("type") == 2 and "custom_id" in node:
            yield str(node["custom_id"]).partition(":")[0], str(node["label"])


def reply(*body: Quotation | Paragraph, **changes: object) -> Reply:
    """An answer of these blocks."""
    made = compose(answered(chunk("Rinse.")), WORDING, TODAY)
    return made.model_copy(update={"body": body or made.body, **changes})


def offering(*labels: str, **changes: object) -> Reply:
    """A refusal that offers these."""
    made = compose(refused(), WORDING, TODAY)
    choices = tuple(Offered(number=n, label=each) for n, each in enumerate(labels, 1))
    return made.model_copy(update={"choices": choices, **changes})


LONG = reply(*(quotation("Rinse it well. " * 230, n) for n in range(1, 5)))


# --- parts ------------------------------------------------------------------------


def test_no_two_parts_of_an_event_have_one_nonce_R_C3(platform: Platform) -> None:
    """The same in every attempt, another for every part and every event."""
    post, asked = POSTS[platform], came(platform)
    parts = (*post.notice("Hello.", asked), *post.answer(LONG, asked, 1))
    assert len(parts) > 2
    assert [part.nonce for part in parts] == [
        nonce(asked, number) for number in range(len(parts))
    ]
    other = post.answer(LONG, came(platform, event="Ev2"), 1)
    assert not {part.nonce for part in parts} & {part.nonce for part in other}


def test_an_edited_question_is_answered_in_place_R_U4(platform: Platform) -> None:
    """What is left over goes, what is missing is posted; each part is another."""
    post, edit = POSTS[platform], came(platform, action=Action.EDITED)
    pages = len(post.answer(LONG, edit))
    assert pages > 1
    names = [f"1.{number}" for number in range(pages + 1)]
    changed = [(Method.UPDATE, name) for name in names[:pages]]
    missing = [(Method.POST, None)] * (pages - 1)
    for posted, ways in (
        (names[:1], [*changed[:1], *missing]),
        (names, [*changed, (Method.DELETE, names[-1])]),
    ):
        parts = post.edited(LONG, edit, posted)
        assert [(part.method, part.message) for part in parts] == ways
        assert len({part.nonce for part in parts}) == len(parts)


def test_an_edit_where_answers_are_private_leaves_nothing_public_R_U4_R_C5(
    platform: Platform,
) -> None:
    """What all see goes, and only the asker sees what is said instead."""
    place = came(platform).place.model_copy(update={"private": True})
    edit = came(platform, action=Action.EDITED, place=place)
    parts = POSTS[platform].edited(reply(), edit, ["1.2"])
    assert [(part.method, part.message) for part in parts] == [
        (Method.WHISPER, None),
        (Method.DELETE, "1.2"),
    ]


def test_a_deleted_question_takes_its_replies_along_R_U4(platform: Platform) -> None:
    """Every message of it, and nothing is said instead."""
    parts = POSTS[platform].deleted(came(platform), ["1.2", "1.3"])
    assert [(p.method, p.message, p.payload) for p in parts] == [
        (Method.DELETE, "1.2", {}),
        (Method.DELETE, "1.3", {}),
    ]
    assert len({part.nonce for part in parts}) == 2


# --- what may be asked next -------------------------------------------------------


def test_a_refusal_offers_the_sources_own_words_R_A13(platform: Platform) -> None:
    """In the words of the pack; a person only where there is one to ask (R-C1)."""
    post, made = POSTS[platform], compose(refused(), WORDING, TODAY)
    again = made.buttons[0].model_copy(update={"action": "ask_again", "label": "Go"})
    shown = made.model_copy(update={"buttons": (*made.buttons, again)})
    found = buttons(post.answer(shown, came(platform), people=False))
    assert found["ask_again"] == "Go"
    assert "ask_person" not in found
    assert "ask_person" in buttons(post.answer(shown, came(platform)))


@pytest.mark.parametrize("audit_id", [None, "", "x" * 200])
def test_without_a_record_nothing_is_offered_R_I10(
    platform: Platform, audit_id: str | None
) -> None:
    """There would be nothing to show, and nothing to keep feedback under."""
    parts = POSTS[platform].answer(reply(audit_id=audit_id), came(platform))
    assert buttons(parts) == {}
    assert "helpful" not in str(parts[0].payload)


def test_show_more_brings_exactly_the_rest_R_A3(platform: Platform) -> None:
    """To who pressed; nothing stands in both messages, nothing in neither."""
    post, made = POSTS[platform], compose(parted(False, True, True), WORDING, TODAY)
    first = post.answer(made, came(platform))
    rest = post.more(made, pressed(platform, Action.MORE))
    assert buttons(first)["more"] == "Show more"
    assert {part.method for part in rest} <= {Method.RESPOND, Method.WHISPER}
    assert buttons(rest) == {}
    for number, there, other in ((1, first, rest), (2, rest, first), (3, rest, first)):
        assert said(there).count(f"Step {number}.") == 1
        assert f"Step {number}." not in said(other)
    assert "Ask your team." not in said(rest)
    short = compose(parted(False, False), WORDING, TODAY)
    assert "more" not in buttons(post.answer(short, came(platform)))


# --- what may be asked instead ----------------------------------------------------


def test_choices_are_buttons_below_the_refusal_R_Q5(platform: Platform) -> None:
    """First of all buttons, with one for none of them; a word says what they are."""
    parts = POSTS[platform].answer(offering(*SHORT), came(platform))
    assert [*buttons(parts).items()][:4] == [
        *((f"choose.{n}", label) for n, label in enumerate(SHORT, 1)),
        ("none_of_these", NONE_OF_THESE),
    ]
    assert "Did you mean" in said(parts)


def test_a_long_choice_is_listed_and_chosen_by_its_number_R_Q5(
    platform: Platform,
) -> None:
    """What is cut to the length of a button could not be told apart."""
    long = "Why is it " + "so " * 30 + "sore?"
    parts = POSTS[platform].answer(offering(long, *SHORT[:2]), came(platform))
    assert [*buttons(parts).values()][:4] == ["1", "2", "3", NONE_OF_THESE]
    assert all(label in said(parts) for label in (long, *SHORT[:2]))


def test_choices_stand_with_the_reply_alone_R_Q5(platform: Platform) -> None:
    """Not behind "Why?", in a handover, nor where nothing is on record."""
    post, shown, asked = POSTS[platform], offering(*SHORT), came(platform)
    for parts in (
        post.why(shown, asked),
        post.handover(shown, asked, "Why?"),
        post.answer(offering(*SHORT, audit_id=None), asked),
    ):
        assert "Did you mean" not in said(parts)
        assert not any("choose" in name for name in buttons(parts))
