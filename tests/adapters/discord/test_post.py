"""Replies as Discord messages: what goes into which, and what gives way."""

from collections.abc import Sequence

import pytest

from adapters.discord.components import COMPONENTS_V2, TEXT
from adapters.discord.writer import DISCORD as post
from adapters.mail import Action, Method, Part, Place, Platform
from adapters.message import with_notice
from adapters.plain import plain
from adapters.reply import (
    Banner,
    Block,
    Heading,
    Offered,
    Paragraph,
    Piece,
    Quotation,
    Reply,
    compose,
)
from tests.adapters.discord.letters import answers, incoming
from tests.adapters.outcomes import (
    POINTING,
    TODAY,
    WORDING,
    answered,
    chunk,
    pointed,
    refused,
)
from tests.loopback.discord_records import every
from tests.platforms.discord_limits import check_message
from tests.platforms.discord_reach import links, pings, unfurls

DIRECT = Place(
    platform=Platform.DISCORD, tenant="dm", channel="2", message="3", private=True
)
ALONE = Place(platform=Platform.DISCORD, tenant="1", channel="2", private=True)


def texts(part: Part) -> list[str]:
    """What a part says, display by display."""
    shown = part.model_dump(mode="json")["payload"]["components"]
    return [c["content"] for c in every(shown) if c["type"] == 10]


def text(parts: Sequence[Part]) -> str:
    """What all parts say."""
    return "\n\n".join(line for part in parts for line in texts(part))


def buttons(part: Part) -> dict[str, str]:
    """The labels of the buttons by their ids."""
    shown = part.model_dump(mode="json")["payload"]["components"]
    return {c["custom_id"]: c["label"] for c in every(shown) if c["type"] == 2}


def reply(*body: Block, **more: object) -> Reply:
    """An answer of these blocks."""
    made = compose(
        answered(chunk("Rinse."), chunk("Drink.", "c2", "d2")), WORDING, TODAY
    )
    return made.model_copy(update={"body": body or made.body, **more})


def quoted(length: int, number: int = 1, letter: str = "a") -> Quotation:
    """A quotation of so many characters."""
    shown = Piece(form="prose", text=f"{number}" + letter * (length - 1))
    return Quotation(pieces=(shown,), numbers=(number,))


def missing(text: str = "Not found in the sources: doses") -> Paragraph:
    """What an answer ends with."""
    return Paragraph(text=text)


# --- ways -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "callback", "method"),
    [
        (None, None, Method.POST),
        (DIRECT, None, Method.POST),
        (ALONE, None, Method.WHISPER),
        (ALONE, answers(private=True), Method.RESPOND),
        (ALONE, answers(), Method.WHISPER),
        (None, answers(), Method.RESPOND),
    ],
    ids=["mention", "direct", "private channel", "private", "made private", "public"],
)
def test_a_reply_is_as_public_as_its_place_R_C5(
    place: Place | None, callback: dict[str, str] | None, method: Method
) -> None:
    """A channel whose answers are private never shows one to everybody."""
    came = incoming(place, callback=callback)
    for parts in (post.answer(reply(), came), post.notice("busy", came)):
        assert [part.method for part in parts] == [method]


def test_what_is_for_one_is_whispered_R_C5() -> None:
    """Sources, why, thanks, and what is passed on to a person."""
    came = incoming(action=Action.SOURCES, callback=answers(private=True))
    for parts in (
        post.sources(reply(), came),
        post.why(reply(), came),
        post.whisper("Thank you.", came),
        post.handover(reply(), came, "How?"),
    ):
        assert {part.method for part in parts} == {Method.WHISPER}


def test_an_edit_where_answers_are_private_leaves_nothing_public_R_U4_R_C5() -> None:
    """What all see goes; what stands in direct messages is changed there."""
    place = incoming().place.model_copy(update={"private": True})
    came = incoming(place, action=Action.EDITED)
    parts = post.edited(reply(), came, ["11", "8/12"])
    assert [(p.method, p.message) for p in parts] == [
        (Method.WHISPER, None),
        (Method.DELETE, "11"),
        (Method.DELETE, "8/12"),
    ]
    assert len({p.nonce for p in parts}) == 3
    [direct] = post.edited(reply(), came, ["8/12"])
    assert (direct.method, direct.message) == (Method.UPDATE, "8/12")


# --- several messages -------------------------------------------------------------


def test_a_long_answer_is_split_between_quotations_R_C4() -> None:
    """Each whole; sources, small print and buttons on the last message."""
    quotes = [quoted(1_500, n, letter) for n in (1, 2) for letter in "ab"]
    parts = post.answer(reply(*quotes), incoming())
    assert len(parts) == 2
    for quote in quotes:
        [piece] = quote.pieces
        assert sum(piece.text in text([part]) for part in parts) == 1
    assert not buttons(parts[0])
    assert "`[2]` [Mouth care]" in text(parts[-1:])
    assert set(buttons(parts[-1])) == {
        "sources:a-1",
        "why:a-1",
        "ask:a-1",
        "helpful:a-1",
        "not_helpful:a-1",
        "ask_person:a-1",
    }


def test_what_introduces_stays_with_its_quotation_R_C4() -> None:
    """A heading and an introduction are never the last of a message."""
    body = (
        quoted(2_500),
        Heading(text="GUIDELINES"),
        Paragraph(text="A Hospital writes:"),
        quoted(2_000, 2),
    )
    first, second = post.answer(reply(*body), incoming())
    assert "GUIDELINES" not in text([first])
    assert texts(second)[0].startswith("### GUIDELINES\n\nA Hospital writes:\n\n> 2a")


def test_our_own_words_are_cut_at_sentences_R_C4() -> None:
    """A long fallback goes on in the next message, with a whole sentence."""
    sentence = "This is a sentence of the fallback. "
    long = compose(refused(), WORDING, TODAY).model_copy(
        update={"body": (Paragraph(text=sentence * 150),)}
    )
    parts = post.answer(long, incoming())
    assert len(parts) == 2
    assert texts(parts[0])[0].endswith("fallback.")


def test_our_own_words_are_not_cut_inside_a_quote_R_C4() -> None:
    """A claim that quotes two sentences keeps them together."""
    inside = "\u201cOne thing is so. Another thing is so.\u201d "
    claim = Paragraph(text=("It says " + inside) * 90)
    parts = post.answer(
        compose(refused(), WORDING, TODAY).model_copy(update={"body": (claim,)}),
        incoming(),
    )
    for part in parts:
        said = texts(part)[0]
        assert said.count("\u201c") == said.count("\u201d")


def test_a_quotation_for_which_no_message_is_large_enough_R_C4() -> None:
    """It is left out whole, and that is said."""
    parts = post.answer(reply(quoted(5_000), quoted(100, 2)), incoming())
    assert "Left out for length: 1 more passage" in text(parts)
    assert "1aa" not in text(parts)
    assert "2aa" in text(parts)


# --- one message ------------------------------------------------------------------


def one(shown: Reply) -> str:
    """The one message that answers an interaction."""
    [part] = post.answer(shown, incoming(callback=answers()))
    assert check_message(part.payload, "webhook_edit") == []
    return text([part])


def test_what_was_not_found_gives_way_first_R_C3() -> None:
    """Then introductions; every quotation and source is still there."""
    lead = Paragraph(text="A Hospital writes in Mouth care: " + "so " * 50)
    doses = missing("Not found: " + "doses; " * 60)
    shown = one(reply(lead, quoted(1_500), lead, quoted(1_500, 2), doses))
    assert ("1aa" in shown, "2aa" in shown) == (True, True)
    assert (shown.count("A Hospital writes"), "Not found" in shown) == (2, False)
    shorter = one(reply(lead, quoted(1_700), lead, quoted(1_700, 2), doses))
    assert ("1aa" in shorter, "2aa" in shorter) == (True, True)
    assert shorter.count("A Hospital writes") == 1
    assert "`[2]` [Mouth care](https://example.org/d2)" in shorter


def test_details_of_sources_give_way_before_a_quotation_R_C3() -> None:
    """Publisher and section stand behind the button; title, age and link stay."""
    details = {"publisher": "The Hospital " * 15, "section": "Section " * 25}
    sources = [s.model_copy(update=details) for s in reply().sources]
    shown = one(reply(quoted(1_750), quoted(1_750, 2), sources=tuple(sources)))
    assert ("1aa" in shown, "2aa" in shown) == (True, True)
    assert "The Hospital" not in shown
    assert "[Mouth care](https://example.org/d1) · published 2026-01-10" in shown


def test_later_quotations_give_way_before_sources_R_C3() -> None:
    """Whole ones, with a note; all sources stay."""
    shown = one(reply(*(quoted(1_500, n) for n in (1, 2, 1, 2))))
    assert shown.count("> ") == 2
    assert "Left out for length: 2 more passages" in shown
    assert "`[1]`" in shown and "`[2]` [Mouth care]" in shown


def test_sources_give_way_last_R_C3() -> None:
    """Where a hundred of them do not fit, no quotation is left, and banners stay."""
    source = reply().sources[0]
    many = [
        source.model_copy(update={"number": n, "document": f"d{n}"})
        for n in range(1, 101)
    ]
    emergency = Banner(kind="emergency", text="Call 112.")
    shown = one(reply(quoted(1_500), sources=tuple(many), banners=(emergency,)))
    assert "1aa" not in shown
    assert "Call 112." in shown
    assert "`[20]`" in shown
    assert "more sources" in shown


def test_the_question_is_shown_where_nobody_sees_it_R_C2() -> None:
    """A command shows its name, not what was asked."""
    shown = one(reply())
    assert shown.startswith("**Question:** How?")
    assert "Question" not in text(post.answer(reply(), incoming()))


def test_nothing_stands_above_an_emergency_R_M6() -> None:
    """Nor the question of a command, which Discord does not show."""
    emergency = Banner(kind="emergency", text="Call 112.")
    shown = one(reply(banners=(emergency,)))
    assert shown.index("Call 112.") < shown.index("**Question:** How?")


def test_a_first_notice_stands_in_the_reply_R_U6() -> None:
    """One message, with the notice below an emergency and above the rest."""
    emergency = Banner(kind="emergency", text="Call 112.")
    header = Banner(kind="header", text="Basis")
    shown = with_notice(
        reply(banners=(emergency, header)), "Questions are stored.", "header"
    )
    assert [banner.text for banner in shown.banners] == [
        "Call 112.",
        "Questions are stored.",
        "Basis",
    ]


# --- what else stands there -------------------------------------------------------


def test_a_refusal_links_only_what_the_pack_names_R_M5() -> None:
    """The homepages of its wording; nothing of its text or of what came near."""
    shown = compose(pointed(), POINTING, TODAY)
    [part] = post.answer(shown, incoming())
    named = {link.url for link in POINTING.links}
    assert links(part.payload) == named
    assert not unfurls(part.payload)
    assert "• [An Institute](https://institute.example/)" in text([part])
    [alone] = post.answer(shown, incoming(callback=answers(private=True)))
    assert links(alone.payload) == named


def test_addresses_in_texts_are_no_links_R_V7() -> None:
    """Neither in banners nor in notices."""
    kinds = ("emergency", "header", "notice", "understood")
    told = tuple(Banner(kind=kind, text="See https://evil.example.") for kind in kinds)
    for parts in (
        post.answer(reply(banners=told, sources=()), incoming()),
        post.notice("See https://evil.example.", incoming()),
        post.whisper("See https://evil.example.", incoming()),
    ):
        for part in parts:
            assert links(part.payload) == set()


def test_a_refusal_can_be_found_helpful_or_not_R_C1() -> None:
    """As an answer can."""
    [part] = post.answer(compose(refused(), WORDING, TODAY), incoming())
    assert buttons(part) == {
        "why:a-1": "Why?",
        "tell_me:a-1": "Tell me when it can be answered",
        "ask:a-1": "Ask a follow-up",
        "helpful:a-1": "Helpful",
        "not_helpful:a-1": "Not helpful",
        "ask_person:a-1": "Ask a person",
    }


@pytest.mark.parametrize("heading", ["", " ", "\u200b"])
def test_a_heading_without_words_is_not_shown_R_C4(heading: str) -> None:
    """No bare "###", wherever it stands."""
    body = (Heading(text=heading), quoted(100))
    for shown in (reply(*body), reply(*body, answered=False)):
        parts = post.answer(shown, incoming())
        assert all(line.strip() != "###" for line in text(parts).split("\n"))
        assert text(parts).startswith("> 1aa") or "1aa" not in text(parts)


def test_why_names_pages_and_never_their_text_R_D5() -> None:
    """Title, section, link, and how near; the numbers of the gate; what would help."""
    [part] = post.why(compose(refused(), WORDING, TODAY), incoming())
    shown = text([part])
    assert "-# how close: 0.21 of the 0.70 needed" in shown
    assert (
        "-# **Pages that came close**\n-# • [Nearby > A part](https://example.org/d9)"
    ) in shown
    assert "LOW_SCORE" not in shown
    twice = shown_near(2)
    assert twice.count("Pages that came close") == 1
    assert twice.count("-# • [Nearby") == 2
    assert "What would help" in shown


def shown_near(number: int) -> str:
    """ "Why?" of a refusal to which so many pages came near."""
    made = compose(refused(), WORDING, TODAY)
    why = made.why.model_copy(update={"nearest": made.why.nearest * number})
    return text(post.why(made.model_copy(update={"why": why}), incoming()))


def test_sources_are_whole_R_D5() -> None:
    """Publisher, section and age; where there is none, that is said."""
    [part] = post.sources(reply(), incoming())
    assert (
        "`[1]` [Mouth care](https://example.org/d1) (A Hospital) · "
        "published 2026-01-10, 10 months old\n-# • At home"
    ) in text([part])
    twice = [s.model_copy(update={"document": "d1"}) for s in reply().sources]
    away = twice[1].model_copy(update={"section": "Away"})
    [part] = post.sources(reply(sources=(twice[0], away)), incoming())
    assert "-# `[1]` `[2]` [Mouth care]" in text([part])
    assert "-# • `[1]` At home\n-# • `[2]` [Away](https" in text([part])
    [none] = post.sources(reply(sources=()), incoming())
    assert "cites no sources" in text([none])


def test_a_person_is_told_what_was_asked_and_found_R_C1() -> None:
    """Who asks, where, the remark, the evidence; nobody is notified by it."""
    came = incoming(action=Action.ASK_PERSON, reason="It is urgent. @everyone")
    [part] = post.handover(reply(), came, "How do I rinse?")
    shown = text([part])
    assert shown.startswith("<@4> in <#2> would like a person to answer this:")
    assert "Question: How do I rinse?" in shown
    assert "Remark: It is urgent. \\@everyone" in shown
    assert "> Rinse." in shown
    assert pings(part.payload) == []


def test_a_message_is_as_long_as_discord_lets_it() -> None:
    """The limit is counted over all of its texts."""
    [part] = post.answer(reply(quoted(3_600)), incoming())
    assert TEXT - 400 < sum(map(len, texts(part))) <= TEXT


def test_a_rest_loses_nothing_R_A3() -> None:
    """What one message does not hold comes in several."""
    rest = tuple(quoted(3_000, n) for n in (1, 2, 3))
    came = incoming(action=Action.MORE, callback=answers(private=True))
    parts = post.more(reply(quoted(10), more=rest), came)
    assert len(parts) == 3
    assert "Left out" not in text(parts)


# --- what may be asked instead ------------------------------------------------------

SHORT = ("How is it treated?", "Mouth care: Rinsing", "What helps?")
HOSTILE = "@everyone **bold** [click](https://evil.example) <@1> " + "x" * 90


def offering(*labels: str, **more: object) -> Reply:
    """A refusal that offers these."""
    made = compose(refused(), WORDING, TODAY)
    choices = tuple(Offered(number=n, label=each) for n, each in enumerate(labels, 1))
    return made.model_copy(update={"choices": choices, **more})


def test_a_hostile_title_is_letters_R_Q5_R_V7() -> None:
    """In a button and in a list: nobody is called, and nothing leads anywhere."""
    for label in (HOSTILE[:60], HOSTILE):
        [part] = post.answer(offering(label), incoming())
        assert pings(part.payload) == []
        assert not unfurls(part.payload)
        assert all("evil" not in link for link in links(part.payload))


def test_every_message_is_one_of_components_v2_R_C2() -> None:
    """Posts, edits, recalls and asides alike: an edit without the flag is refused, and
    with it neither content nor embeds may be sent."""
    made, asked = reply(), incoming(ALONE)
    parts = [
        *post.answer(made, asked),
        *post.edited(made, asked, ["1"]),
        *post.edited(with_notice(made, "Withdrawn.", "notice"), asked, ["1"]),
        *post.notice("Busy.", asked),
        *post.told("It can be answered.", asked),
        *post.whisper("Thanks.", asked),
        *post.more(made, asked),
        *post.sources(made, asked),
        *post.why(made, asked),
        *post.handover(made, asked, "Which?"),
    ]
    shown = [part for part in parts if part.method is not Method.DELETE]
    for part in [*shown, *filter(None, map(plain, shown))]:
        flags = part.payload["flags"]
        assert isinstance(flags, int) and flags & COMPONENTS_V2
        assert not {"content", "embeds"} & part.payload.keys()
