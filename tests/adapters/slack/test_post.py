"""How a reply looks on Slack: order, forms, buttons, and who sees it."""

from collections.abc import Sequence

import pytest

from adapters.mail import Action, Method, Part
from adapters.reply import Banner, Paragraph, Piece, Quotation, compose
from adapters.slack.names import FEEDBACK
from adapters.slack.writer import METADATA
from adapters.slack.writer import SLACK as post
from tests.adapters.outcomes import TODAY, WORDING, listing
from tests.adapters.slack import seen
from tests.adapters.slack.replies import (
    URL,
    answer,
    asked,
    emergency,
    offered,
    quotation,
    refusal,
    reply,
    source,
)
from tests.platforms.slack_reach import links

PRIVATE = asked().place.model_copy(update={"private": True})
RESPONSE = {"response_url": "https://hooks.example.org/1"}


def buttons(parts: Sequence[Part]) -> dict[str, str]:
    """The action of each button with its label."""
    found = seen.values(parts, "button")
    return {button["action_id"]: button["text"]["text"] for button in found}


# --- what is said -----------------------------------------------------------------


def test_a_reply_reads_from_banners_to_small_print_R_F3() -> None:
    """One order: banners, body, sources, demo label, id, buttons."""
    assert seen.lines(post.answer(answer(), asked())) == [
        "Analysis date basis: 2026-11-22 (today)",
        ":warning: One source is older than a year.",
        "What helps",
        "A Hospital writes in Mouth care 1:",
        "Rinse\nDo this three times a day:\n• Take salt.\n2. Take water.",
        "mix --salt\n    --water",
        "[1]",
        "Salt water is gentle. [1] [2]",
        "Not found in the sources: how often",
        "Sources",
        "[1] Mouth care 1 (A Hospital) · published 2026-01-10, 10 months old",
        "[2] Mouth care 2 (A Hospital) [demo text] · "
        "published 2026-01-10, 10 months old",
        "Demo texts, not for care.",
        "Reference a-1, for whoever runs me",
        "Sources",
        "Why?",
        "Ask a person",
        "Helpful",
        "Not helpful",
    ]


def test_an_emergency_comes_before_everything_R_M6() -> None:
    """Also where a command had the question repeated, and however long it is."""
    urgent = "Call your emergency number now. " * 300
    made = emergency().model_copy(
        update={"banners": (Banner(kind="emergency", text=urgent),)}
    )
    first = post.answer(made, asked())[0]
    assert first.payload["text"] != "…"
    assert seen.message(first).startswith(":rotating_light: Call your emergency number")
    command = asked(place=PRIVATE.model_copy(update={"message": None}))
    assert seen.lines(post.answer(emergency(), command))[:3] == [
        ":rotating_light: Call your emergency number now.",
        "Understood as: What now?",
        "Question: What helps a sore mouth?",
    ]


def test_a_quotation_is_quoted_and_code_is_code_R_I7() -> None:
    """No letter of a quotation stands outside of these two forms."""
    parts = post.answer(answer(), asked())
    quoted, _ = seen.values(parts, "rich_text_quote")
    (code,) = seen.values(parts, "rich_text_preformatted")
    assert quoted["elements"][0]["style"] == {"bold": True}
    assert code["elements"][0]["text"] == "mix --salt\n    --water"


def test_what_a_quotation_leaves_out_is_marked_R_A14() -> None:
    """On a line of its own, inside the quotation."""
    made = compose(listing(), WORDING, TODAY)
    assert "Do this:\n[…]\n• Take water. [1]" in seen.lines(post.answer(made, asked()))


def test_a_mark_behind_code_stands_beside_the_same_bar_R_I7() -> None:
    """Text, code and mark of a quotation are one block, all of it with a bar."""
    (block,) = (
        block
        for block in seen.values(post.answer(answer(), asked()), "rich_text")
        if any(each["type"] == "rich_text_preformatted" for each in block["elements"])
    )
    quoted, code, mark = block["elements"]
    assert {quoted["type"], mark["type"]} == {"rich_text_quote"}
    assert code["border"] == 1
    assert [run["text"] for run in mark["elements"]] == ["[1]"]


def test_only_the_homepages_of_a_refusal_are_links_R_M5_R_V7() -> None:
    """Those that the pack names can be clicked; what a text names cannot."""
    parts = post.answer(refusal(), asked())
    found = [(n["text"], n["url"]) for n in seen.values(parts, "link")]
    assert found == [("Help", "https://help.example/")]
    assert "• Help" in seen.lines(parts)
    for part in parts:
        assert links(part.payload) == {"https://help.example/"}
        assert part.payload["unfurl_links"] is part.payload["unfurl_media"] is False


def test_citation_marks_lead_to_their_sources_R_V7() -> None:
    """A mark is a link where its source has an address, else only a number."""
    made = reply(
        quotation("Rinse it.", 1, 2, 7), sources=(source(1), source(2, url=None))
    )
    parts = post.answer(made, asked())
    found = [(n["text"], n["url"]) for n in seen.values(parts, "link")]
    assert found == [("[1]", f"{URL}1"), ("Mouth care 1", f"{URL}1")]
    assert "Rinse it. [1] [2] [7]" in seen.lines(parts)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://a b", URL + "x" * 3_000, "example.org", ""]
)
def test_what_is_no_web_address_is_no_link_R_V7(url: str) -> None:
    """The title is shown without it."""
    parts = post.answer(reply(sources=(source(1, url=url),)), asked())
    assert list(seen.values(parts, "link")) == []
    assert any("Mouth care 1" in line for line in seen.lines(parts))


def test_document_text_is_never_parsed_R_V7() -> None:
    """It stands in rich text, where Slack reads no mark-up, in every reply."""
    hostile = "<!channel> *bold* <https://evil.example|x> `code` :fire:"
    made = reply(quotation(hostile, 1))
    for part in (*post.answer(made, asked()), *post.handover(made, asked(), hostile)):
        assert hostile in seen.message(part)
        assert list(seen.values([part], "mrkdwn")) == []
        assert "<" not in str(part.payload["text"])


def test_nothing_empty_is_shown() -> None:
    """Blank banners, pieces and paragraphs leave no trace."""
    blank = Quotation(
        pieces=(Piece(form="prose", text=" "), Piece(form="code", text="\n")),
        numbers=(1,),
    )
    made = reply(
        blank,
        Paragraph(text=" \n"),
        banners=(Banner(kind="notice", text=""),),
        sources=(),
        audit_id=None,
    )
    (part,) = post.answer(made, asked())
    assert seen.lines([part]) == ["There is nothing to show."]


# --- what may be asked next -------------------------------------------------------


def test_buttons_carry_the_outcome_they_belong_to_R_C1() -> None:
    """Sources, why, a person, and two thumbs."""
    parts = post.answer(answer(), asked())
    assert buttons(parts) == {
        "sources": "Sources",
        "why": "Why?",
        "ask_person": "Ask a person",
    }
    assert {b["value"] for b in seen.values(parts, "button")} == {"a-1"}
    (thumbs,) = seen.values(parts, "feedback_buttons")
    assert thumbs["action_id"] == FEEDBACK
    assert thumbs["positive_button"]["value"] == "helpful:a-1"
    assert thumbs["negative_button"]["value"] == "not_helpful:a-1"


# --- sources, why, a person -------------------------------------------------------


def test_sources_are_listed_for_who_asked_R_D5() -> None:
    """With their places, without the answer and without buttons."""
    shown = seen.lines(post.sources(answer(), asked()))
    assert shown[:3] == [
        "Sources",
        "[1] Mouth care 1 (A Hospital)\npublished 2026-01-10, 10 months old",
        "• At home",
    ]
    assert "Salt water is gentle. [1] [2]" not in shown
    none = post.sources(refusal(), asked())
    assert seen.lines(none)[0] == "This reply cites no sources."


def test_a_document_is_listed_once_R_D5() -> None:
    """Below an answer with all its numbers; its places where they are asked for."""
    same = {"document": "d1", "title": "Mouth care"}
    cited = (
        source(1, **same),
        source(2),
        source(3, **same, section="Away"),
        source(4, **same, section="Away", url=f"{URL}3"),
    )
    made = reply(sources=cited)
    foot = "[1] [3] [4] Mouth care (A Hospital) · published 2026-01-10, 10 months old"
    assert foot in seen.lines(post.answer(made, asked()))
    shown = seen.lines(post.sources(made, asked()))
    assert shown[2:4] == ["• [1] At home", "• [3] [4] Away"]


def test_why_names_the_gate_and_what_came_near_R_D5() -> None:
    """Verdict, numbers, titles with links, what would help; no text of a page."""
    assert seen.lines(post.why(refusal(), asked())) == [
        "Why?",
        "Two documents of the sources answer this, so I may quote them.",
        "Pages that came close",
        "• Nearby > A part",
        "What would help: a newer version of the pages named here",
        "how close each source is: [1] 0.91",
        "Reference a-1, for whoever runs me",
    ]


def test_a_person_gets_the_question_with_its_evidence_R_C1() -> None:
    """Who asks, what, their note, and what the bot said, as a message to them."""
    press = asked(action=Action.ASK_PERSON, reason="It is for tomorrow", place=PRIVATE)
    parts = post.handover(answer(), press, "What helps?")
    assert {part.method for part in parts} == {Method.POST}
    assert seen.lines(parts)[:5] == [
        ":U1: would like a person to answer this:",
        "What helps?",
        "Note: It is for tomorrow",
        "Asked privately in #C1. Please write to them directly.",
        "What the bot said",
    ]
    assert buttons(parts) == {}
    assert "Salt water is gentle. [1] [2]" in seen.lines(parts)


def test_a_person_learns_where_it_was_asked_and_how_to_answer_R_C1() -> None:
    """The channel by name, a link to the message, and where the asker reads."""
    place = PRIVATE.model_copy(update={"thread": "1.1", "message": None})
    press = asked(action=Action.ASK_PERSON, place=place, about="1.2")
    parts = post.handover(answer(), press, "What helps?")
    where = (
        "Asked in #C1: the message. Please answer in its thread, where they will see "
        "it."
    )
    assert where in seen.lines(parts)
    [link, *_] = seen.values(parts, "link")
    assert link["url"] == "https://slack.com/archives/C1/p12?thread_ts=1.1&cid=C1"


def test_what_was_asked_in_private_is_answered_in_private_R_C1() -> None:
    """There is no message that the person could see."""
    press = asked(action=Action.ASK_PERSON, about=None)
    for channel, said in (
        ("C1", "Asked privately in #C1. Please write to them directly."),
        ("D1", "Asked in a conversation with me. Please write to them directly."),
    ):
        place = PRIVATE.model_copy(update={"channel": channel, "thread": None})
        parts = post.handover(
            answer(), press.model_copy(update={"place": place}), "What helps?"
        )
        assert said in seen.lines(parts)


# --- who sees it, and how often ---------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "answered", "whispered"),
    [
        ({}, Method.POST, Method.WHISPER),
        ({"callback": RESPONSE}, Method.POST, Method.RESPOND),
        ({"place": PRIVATE}, Method.WHISPER, Method.WHISPER),
        ({"place": PRIVATE, "callback": RESPONSE}, Method.RESPOND, Method.RESPOND),
        (
            {"place": PRIVATE.model_copy(update={"channel": "D1"})},
            Method.POST,
            Method.POST,
        ),
    ],
)
def test_a_private_reply_is_seen_by_its_asker_alone_R_C5(
    changes: dict[str, object], answered: Method, whispered: Method
) -> None:
    """A command's reply, a direct message, a button in a channel."""
    incoming = asked(**changes)
    for parts in (post.answer(answer(), incoming), post.notice("Busy.", incoming)):
        assert {part.method for part in parts} == {answered}
    for parts in (
        post.why(answer(), incoming),
        post.sources(answer(), incoming),
        post.whisper("Thank you.", incoming),
    ):
        assert {part.method for part in parts} == {whispered}
        if whispered is Method.RESPOND:
            assert parts[0].payload["response_type"] == "ephemeral"


def test_a_part_is_found_again_by_its_nonce_R_C3() -> None:
    """The same in every attempt, another for every part, in the message's metadata."""
    first = post.notice("Hello.", asked())
    then = post.answer(answer(), asked(), first=1)
    nonces = [part.nonce for part in (*first, *then)]
    assert len(set(nonces)) == len(nonces)
    assert then == post.answer(answer(), asked(), first=1)
    assert then[0].payload["metadata"] == {
        "event_type": METADATA,
        "event_payload": {"nonce": then[0].nonce},
    }
    other = post.answer(answer(), asked(event="Ev2"), first=1)
    assert other[0].nonce not in nonces


# --- changed and taken away -------------------------------------------------------


# --- what may be asked instead ------------------------------------------------------

SHORT = ("How is it treated?", "Mouth care: Rinsing", "What helps?")
HOSTILE = "<!channel> *bold* <https://evil.example|click> @here " + "x" * 90


def test_a_hostile_title_is_letters_R_Q5_R_V7() -> None:
    """In a button and in a list: nobody is called, and nothing leads anywhere."""
    for labels in ((HOSTILE[:60],), (HOSTILE,)):
        parts = post.answer(refusal(choices=offered(labels)), asked())
        assert all("evil" not in link for link in links(parts[0].payload))
        assert not [*seen.values(parts, "user")]
        assert labels[0] in "\n".join(seen.lines(parts))
