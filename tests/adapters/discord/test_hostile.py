"""Whatever a reply holds: no limit broken, nobody pinged, nothing foreign to follow.

A link must be that of a source, of a page that came near or of a refusal's homepage.
"""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.discord.markdown import link
from adapters.discord.writer import DISCORD as post
from adapters.mail import Method, Part
from adapters.reply import (
    Banner,
    Button,
    Heading,
    Homepage,
    Offered,
    Paragraph,
    Piece,
    Pointer,
    Quotation,
    Reply,
    SourceLine,
    Why,
)
from tests.adapters.discord.letters import answers, incoming
from tests.adapters.discord.test_markdown import TEXTS
from tests.platforms.discord_limits import Call, check_message
from tests.platforms.discord_reach import links, pings, unfurls

CALLS: dict[Method, tuple[Call, ...]] = {
    Method.POST: ("create",),
    Method.RESPOND: ("webhook_edit", "create"),
    Method.WHISPER: ("webhook_edit", "create"),
    Method.UPDATE: ("edit",),
}
HUGE = st.builds(str.__mul__, TEXTS, st.sampled_from([1, 1, 1, 20, 300]))
WORDS = HUGE.map(lambda text: text[:6_000])
URLS = st.sampled_from(
    [
        None,
        "https://ok.example/page",
        "https://ok.example/a(b)[c]",
        "https://ok.example/" + "x" * 2_000,
        "javascript:alert(1)",
        "https://ok.example/ @everyone",
    ]
)
NUMBERS = st.lists(st.integers(1, 30), max_size=4).map(tuple)
FORMS = st.sampled_from(["prose", "item", "code", "row", "heading"])
PIECES = st.builds(Piece, form=FORMS, text=WORDS)
QUOTATIONS = st.builds(
    Quotation,
    pieces=st.lists(PIECES, min_size=1, max_size=3).map(tuple),
    numbers=NUMBERS,
)
BLOCKS = st.one_of(
    st.builds(Heading, text=WORDS),
    st.builds(Paragraph, text=WORDS, numbers=NUMBERS),
    QUOTATIONS,
)
SOURCES = st.builds(
    SourceLine,
    number=st.integers(1, 999),
    document=st.sampled_from(["d1", "d2", "d3"]),
    title=WORDS,
    publisher=st.none() | WORDS,
    section=WORDS,
    dated=WORDS,
    url=URLS,
    demo=st.booleans(),
)
REPLIES = st.builds(
    Reply,
    answered=st.just(True),
    banners=st.lists(
        st.builds(
            Banner,
            kind=st.sampled_from(["emergency", "header", "notice", "understood"]),
            text=WORDS,
        ),
        max_size=3,
    ).map(tuple),
    body=st.lists(BLOCKS, max_size=8).map(tuple),
    links=st.lists(
        st.builds(Homepage, title=WORDS, url=URLS.filter(bool)), max_size=3
    ).map(tuple),
    sources=st.lists(SOURCES, max_size=12).map(tuple),
    demo_label=st.none() | WORDS,
    audit_id=st.none() | st.just("abc123") | WORDS,
    why=st.builds(
        Why,
        verdict=WORDS,
        numbers=st.lists(st.tuples(WORDS, WORDS), max_size=5).map(tuple),
        nearest=st.lists(
            st.builds(
                Pointer,
                title=WORDS,
                section=WORDS,
                url=URLS,
                relevance=st.floats(0, 1),
            ),
            max_size=5,
        ).map(tuple),
        helps=st.none() | WORDS,
    ),
    buttons=st.lists(
        st.builds(
            Button, action=st.sampled_from(["sources", "why", "ask_again"]), label=WORDS
        ),
        max_size=3,
    ).map(tuple),
    choices=st.lists(
        st.builds(
            Offered, number=st.integers(1, 3), label=WORDS.map(lambda t: t[:200])
        ),
        max_size=3,
        unique_by=lambda offered: offered.number,
    ).map(tuple),
)
NORMALLY = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def hold(parts: Sequence[Part], allowed: set[str]) -> None:
    """Hold every part to the limits of every call that may carry it."""
    assert parts
    for part in parts:
        for call in CALLS[part.method]:
            assert check_message(part.payload, call) == []
        assert pings(part.payload) == []
        assert not unfurls(part.payload)
        assert links(part.payload) <= allowed


def own(reply: Reply) -> set[str]:
    """The addresses that a reply may lead to."""
    pages = (*reply.links, *reply.sources, *reply.why.nearest)
    shown = (link("x", page.url) for page in pages)
    return {each.removeprefix("[x](")[:-1] for each in shown if each != "x"}


def harmless(reply: Reply) -> None:
    """As an answer in a channel, to an interaction, as an edit, sources and why."""
    public, alone = incoming(), incoming(callback=answers(private=True))
    hold(post.answer(reply, public), own(reply))
    [one] = post.answer(reply, alone)
    hold([one], own(reply))
    hold(post.edited(reply, public, ["1"]), own(reply))
    for parts in (post.sources(reply, alone), post.why(reply, alone)):
        assert len(parts) == 1
        hold(parts, own(reply))


@NORMALLY
@given(REPLIES)
def test_a_hostile_reply_does_nothing_R_V7_R_C4(reply: Reply) -> None:
    """However it is shown."""
    harmless(reply)


@pytest.mark.prove
@settings(NORMALLY, max_examples=2_000)
@given(REPLIES)
def test_two_thousand_hostile_replies_do_nothing_R_V7_R_C4(reply: Reply) -> None:
    """The same, at length."""
    harmless(reply)


@NORMALLY
@given(REPLIES, WORDS, WORDS)
def test_a_hostile_question_does_nothing_R_V7(
    reply: Reply, question: str, remark: str
) -> None:
    """Passed on to a person, and shown above the reply."""
    asked = incoming(callback=answers(), text=question, reason=remark)
    hold(post.handover(reply, asked, question), own(reply))
    hold(post.answer(reply, asked), own(reply))


@NORMALLY
@given(st.lists(QUOTATIONS, min_size=1, max_size=5))
def test_quotations_are_whole_or_not_there_R_C3_R_C4(
    quotes: list[Quotation],
) -> None:
    """Nothing of a quotation that did not fit is left over."""
    reply = _bare(quotes)
    for parts in (
        post.answer(reply, incoming()),
        post.answer(reply, incoming(callback=answers())),
    ):
        shown = [line for part in parts for line in _lines(part)]
        whole = [line for quote in quotes for line in _quoted(quote)]
        kept = [line for line in shown if line.startswith(">")]
        left = iter(whole)
        assert all(line in left for line in kept)  # in order, and nothing else


def _bare(quotes: Sequence[Quotation]) -> Reply:
    return Reply(
        answered=True,
        banners=(),
        body=tuple(quotes),
        sources=(),
        demo_label=None,
        audit_id=None,
        why=Why(verdict="", numbers=(), nearest=()),
        buttons=(),
    )


def _lines(part: Part) -> list[str]:
    shown = part.model_dump(mode="json")["payload"]["components"][0]["components"]
    return [line for c in shown for line in c.get("content", "").split("\n")]


def _quoted(quote: Quotation) -> list[str]:
    reply = _bare([quote])
    return [
        line for line in _lines(post.answer(reply, incoming())[0]) if line[0:1] == ">"
    ]
