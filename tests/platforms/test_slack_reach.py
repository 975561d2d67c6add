"""Whom a Slack message disturbs and where it leads: each form found, its twin not."""

from typing import Any

import pytest

from tests.platforms.slack_reach import links, pings

Json = dict[str, Any]
QUIET = {"unfurl_links": False, "unfurl_media": False, "parse": "none"}


def marked(text: str, **more: Any) -> Json:
    """A quiet message with one section."""
    block = {"type": "section", "text": {"type": "mrkdwn", "text": text, **more}}
    return {"text": "fallback", "blocks": [block], **QUIET}


def rich(*elements: Json) -> Json:
    section = {"type": "rich_text_section", "elements": list(elements)}
    return {
        "text": "a",
        "blocks": [{"type": "rich_text", "elements": [section]}],
    } | QUIET


def markdown(text: str) -> Json:
    return {"text": "a", "blocks": [{"type": "markdown", "text": text}], **QUIET}


SHOUTS = [
    "<!channel>",
    "<!here|here>",
    "<!everyone>",
    "<!group>",
    "<!subteam^S1|@all>",
    "<@U2>",
    "<@W2|name>",
    "`<!channel>`",
    "> quoted <!here>",
]


@pytest.mark.parametrize("text", SHOUTS)
def test_a_mention_is_found_wherever_it_stands_R_V7(text: str) -> None:
    """In the text, a section, a Markdown block; also inside code and quotes."""
    assert pings({"text": text, **QUIET})
    assert pings(marked(text, verbatim=True))
    assert pings(markdown(text))


@pytest.mark.parametrize(
    "text",
    ["&lt;!channel&gt;", "<#C1>", "<!date^1^{date}|then>", "<@U1>", "a < b > c"],
)
def test_what_disturbs_nobody_is_not_found_R_V7(text: str) -> None:
    """Escaped marks, channels, dates, and a person who may be mentioned."""
    assert pings(marked(text, verbatim=True), allowed={"U1"}) == []


def test_a_name_counts_where_slack_may_parse_it_R_V7() -> None:
    """`@here` is harmless only where nothing is added to the text."""
    assert pings(marked("ask @here")) == ["@here may be parsed"]
    assert pings(marked("ask @here", verbatim=True)) == []


@pytest.mark.parametrize(
    "element",
    [
        {"type": "user", "user_id": "U2"},
        {"type": "usergroup", "usergroup_id": "S1"},
        {"type": "broadcast", "range": "here"},
    ],
)
def test_a_rich_text_mention_is_found_R_V7(element: Json) -> None:
    """The three elements that notify; a person who may be mentioned is not one."""
    assert pings(rich(element), allowed={"U1"})
    assert pings(rich({"type": "user", "user_id": "U1"}), allowed={"U1"}) == []


@pytest.mark.parametrize(
    "change",
    [
        {"unfurl_links": True},
        {"unfurl_media": None},
        {"link_names": True},
        {"parse": "full"},
        {"attachments": [{"text": "a"}]},
    ],
)
def test_a_switch_that_disturbs_is_found_R_V7(change: Json) -> None:
    """Previews, linked names, full parsing, and attachments that nobody judges."""
    assert pings({"text": "a", **QUIET}) == []
    assert pings({"text": "a", **QUIET, **change})


def test_only_posts_fetch_previews() -> None:
    """An edit has no such argument, so it needs none."""
    assert pings({"text": "a", "ts": "1.1"}, method="chat.update") == []
    assert len(pings({"text": "a"})) == 2


LED = {
    "<https://a.example/x?y=1&amp;z=2|text>": "https://a.example/x?y=1&z=2",
    "<https://a.example>": "https://a.example",
    "<mailto:a@b.example|write>": "mailto:a@b.example",
    "`<https://a.example|in code>`": "https://a.example",
    "<!date^1^{date}^https://a.example|then>": "https://a.example",
    "<a.example|text>": "a.example",
}


@pytest.mark.parametrize("text", LED)
def test_a_marked_link_is_found_R_V7(text: str) -> None:
    """Every form of Slack's own link mark, whatever surrounds it."""
    assert links(marked(text, verbatim=True)) == {LED[text]}


BARE = {
    "see https://a.example/x.": "https://a.example/x",
    "(https://a.example)": "https://a.example",
    "at www.evil.com/x, now": "http://www.evil.com/x",
    "read README.md": "http://README.md",
    "write to a.b@evil.org": "mailto:a.b@evil.org",
    "пример.рф": "http://пример.рф",
    "open slack://user?id=1": "slack://user?id=1",
}


@pytest.mark.parametrize("text", BARE)
def test_slack_links_bare_addresses_by_itself_R_V7(text: str) -> None:
    """Counted in the text, in sections and in Markdown; a verbatim section has none."""
    assert links({"text": text}) == {BARE[text]}
    assert links(marked(text)) == {BARE[text]}
    assert links(markdown(text)) == {BARE[text]}
    assert links(marked(text, verbatim=True)) == set()
    assert links({"text": text, "parse": "none"}) == set()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[t](https://a.example)", "https://a.example"),
        ("![i](https://a.example/i.png)", "https://a.example/i.png"),
        ("<https://a.example>", "https://a.example"),
        ("[t][1]\n\n[1]: https://a.example", "https://a.example"),
        ("[t](javascript:alert)", "javascript:alert"),
        ("&#104;ttps://a.example", "https://a.example"),
        ("```\nhttps://a.example\n```", "https://a.example"),
    ],
)
def test_a_markdown_link_is_found_R_V7(text: str, address: str) -> None:
    """Inline, image, autolink, reference, entity, script, and inside a code fence."""
    assert address in links(markdown(text))


def test_links_of_elements_are_found_R_V7() -> None:
    """Buttons, menus, rich text; what an image would fetch as well."""
    button = {"type": "button", "url": "https://a.example"}
    overflow = {"type": "overflow", "options": [{"url": "https://b.example"}]}
    image = {"type": "image", "image_url": "https://c.example"}
    blocks = [{"type": "actions", "elements": [button, overflow]}, image]
    assert links({"blocks": blocks}) == {
        "https://a.example",
        "https://b.example",
        "https://c.example",
    }
    assert links(rich({"type": "link", "url": "https://d.example"})) == {
        "https://d.example"
    }
    assert links(rich({"type": "text", "text": "https://d.example"})) == set()


def test_what_nobody_sees_leads_nowhere() -> None:
    """Metadata and values travel to programs, not to readers."""
    hidden = {"event_type": "a", "event_payload": {"url": "https://a.example"}}
    assert links({"text": "a", "metadata": hidden}) == set()
