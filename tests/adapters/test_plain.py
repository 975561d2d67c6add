"""Parts without their layout."""

from datetime import UTC, datetime
from typing import Any

from adapters.discord.writer import DISCORD as discord_post
from adapters.mail import Action, Incoming, Method, Part, Place, Platform
from adapters.plain import plain
from adapters.slack.writer import SLACK as slack_post

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


def test_what_cannot_be_said_whole_is_not_said() -> None:
    """Too long, or nothing but buttons, or no layout."""
    long = [{"type": 10, "content": "x" * 4_001}]
    payloads: list[Any] = [{"components": long}, {"blocks": []}, {"text": "as it is"}]
    for payload in payloads:
        assert plain(Part(nonce="n", method=Method.POST, payload=payload)) is None
