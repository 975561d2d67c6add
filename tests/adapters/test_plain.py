"""Parts without their layout."""

from datetime import UTC, datetime
from typing import Any

from adapters.discord.writer import DISCORD as discord_post
from adapters.mail import Action, Incoming, Method, Part, Place, Platform
from adapters.plain import plain, simple
from adapters.slack.blocks import actions, button
from adapters.slack.writer import SLACK as slack_post
from tests.platforms.slack_limits import check_blocks

TEXT = "Take <b>care</b> & rest.\n\nThen ask again."


def asked(platform: Platform) -> Incoming:
    """A question somewhere."""
    place = Place(platform=platform, tenant="1", channel="2", message="3")
    return Incoming(
        event="e",
        platform=platform,
        action=Action.ASK,
        place=place,
        person="4",
        received=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_slack_loses_its_blocks_and_no_word_R_C3() -> None:
    """The text is escaped; metadata and all that protects stay."""
    [part] = slack_post.notice(TEXT, asked(Platform.SLACK))
    bare = plain(part)
    assert bare is not None
    assert (bare.nonce, bare.method) == (part.nonce, Method.POST)
    assert "blocks" not in bare.payload
    said = str(bare.payload["text"])
    assert "Take &lt;b&gt;care&lt;/b&gt; &amp; rest." in said
    assert "Then ask again." in said
    left = {k: v for k, v in bare.payload.items() if k != "text"}
    assert left == {k: v for k, v in part.payload.items() if k in left}
    assert left["metadata"]


def test_links_keep_their_addresses_and_buttons_go_R_C3() -> None:
    """What is cited can still be found."""
    link = {"type": "link", "text": "Page 3", "url": "https://example.org/?a&b"}
    runs = [{"type": "text", "text": "[1] "}, link]
    section = {"type": "rich_text_section", "elements": runs}
    button = {"type": "button", "text": {"type": "plain_text", "text": "Sources"}}
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "R&D"}},
        {"type": "rich_text", "elements": [section]},
        {"type": "actions", "elements": [button]},
    ]
    part = Part(nonce="n", method=Method.POST, payload={"blocks": blocks})
    bare = plain(part)
    assert bare is not None
    assert bare.payload == {
        "text": "R&amp;D\n[1] Page 3 (https://example.org/?a&amp;b)"
    }


def test_slack_takes_paragraphs_where_it_refuses_the_layout_R_C3() -> None:
    """Quotations character by character, marks with their addresses, whom it names; no
    paragraph is longer than Slack takes."""
    quoted = "Use `*` & <b>, never _x_: see note 3."
    long = "One sentence. " * 400
    blocks = [
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [{"type": "user", "user_id": "U1"}],
                },
                {
                    "type": "rich_text_quote",
                    "elements": [
                        {"type": "text", "text": quoted},
                        {"type": "link", "text": "[1]", "url": "https://a.org/?b&c"},
                    ],
                },
                {
                    "type": "rich_text_section",
                    "elements": [{"type": "text", "text": long}],
                },
            ],
        },
        actions(button("sources", "Sources", value="a-1")),
    ]
    payload: Any = {"text": "preview", "blocks": blocks, "parse": "none"}
    made = simple(Part(nonce="n", method=Method.UPDATE, message="1", payload=payload))
    assert made is not None
    assert (made.message, made.payload["text"]) == ("1", "preview")
    shown: Any = made.payload["blocks"]
    assert check_blocks(shown, "message") == []
    assert shown.pop() == blocks[-1]
    texts = [block["text"]["text"] for block in shown]
    assert texts[0] == f"@U1\n{quoted}[1] (https://a.org/?b&c)"
    assert "".join("".join(texts).split()).endswith("".join(long.split()))


def test_discord_shows_one_text_R_C3() -> None:
    """Nobody is notified by it either."""
    [part] = discord_post.notice(TEXT, asked(Platform.DISCORD))
    bare = plain(part)
    assert bare is not None
    shown = bare.payload["components"]
    assert isinstance(shown, list)
    assert len(shown) == 1
    assert "Then ask again." in str(shown[0])
    assert bare.payload["allowed_mentions"] == {"parse": []}


def test_discord_keeps_its_buttons_where_it_refuses_the_layout_R_C3() -> None:
    """Below one text."""
    row = {"type": 1, "components": [{"type": 2, "custom_id": "sources:a-1"}]}
    box = {"type": 17, "components": [{"type": 10, "content": TEXT}]}
    payload: Any = {"flags": 1 << 15, "components": [box, row]}
    made = simple(Part(nonce="n", method=Method.POST, payload=payload))
    assert made is not None
    assert made.payload["components"] == [{"type": 10, "content": TEXT}, row]


def test_what_cannot_be_said_whole_is_not_said() -> None:
    """Too long, or nothing but buttons, or no layout."""
    long = [{"type": 10, "content": "x" * 4_001}]
    payloads: list[Any] = [{"components": long}, {"blocks": []}, {"text": "as it is"}]
    for payload in payloads:
        part = Part(nonce="n", method=Method.POST, payload=payload)
        assert plain(part) is None
        assert simple(part) is None
