"""The preview draws all of what is posted, once, and nothing in it works."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.mail import Action, Part, Payload, Platform
from adapters.reply import Quotation, Reply, compose
from bot.messages import wording
from bot.preview import discord as preview_discord
from bot.preview import markdown as preview_markdown
from bot.preview import slack as preview_slack
from bot.preview.elements import Undrawable, link, texts
from bot.preview.page import DRAWS, Exchange, page, samples, scenes
from bot.wiring import FACES
from config.settings import PACKS
from tests.adapters.outcomes import TODAY, WORDING, listing
from tests.adapters.slack.replies import HOSTILE, answer, asked, replies
from tests.bot.command import Command, command
from tests.bot.pages import Read, read
from tests.conftest import ROOT
from tests.demo import Demo

SCRIPTS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>@import 'https://evil.example'</style>",
    "javascript:alert(1)",
    "&lt;b&gt; &#60; ]]> <!-- -->",
)
DANGEROUS = frozenset({"script", "iframe", "object", "embed", "form", "link", "base"})
FETCHING = frozenset({"img", "image", "audio", "video", "source", "track", "use"})
PICTURES = ("slack-answer", "slack-refusal", "discord-answer", "discord-refusal")
LARGEST_PICTURE = 150_000
Spoken = Callable[[Payload], Iterator[str]]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


# --- what a payload says, read without the code that draws ------------------------


def said_by_slack(node: object) -> Iterator[str]:
    """Every text of Block Kit, in order; of Slack's own emoji there is only a name."""
    if isinstance(node, list):
        for each in node:
            yield from said_by_slack(each)
    elif isinstance(node, dict):
        named = {"user": "user_id", "channel": "channel_id"}
        inside = named.get(str(node.get("type")), "text")
        shown = node.get(inside)
        if isinstance(shown, str):
            yield shown
        for name, each in node.items():
            if name not in ("metadata", inside) or isinstance(each, dict):
                yield from said_by_slack(each)


def said_by_discord(node: object) -> Iterator[str]:
    """Every text of Components V2, in order, without the targets of its links."""
    if isinstance(node, list):
        for each in node:
            yield from said_by_discord(each)
    elif isinstance(node, dict):
        if isinstance(shown := node.get("content"), str):
            yield re.sub(r"\]\(https?://[^\s()]+\)", "", shown)
        if isinstance(label := node.get("label"), str):
            yield label  # no Markdown there
        yield from said_by_discord(node.get("components"))


def said(part: Part, platform: Platform) -> str:
    """The letters and digits that a part shows."""
    if platform is Platform.SLACK:
        return letters("".join(said_by_slack(part.payload["blocks"])))
    return letters("".join(said_by_discord(dict(part.payload))))


def drawn(part: Part, platform: Platform) -> str:
    return letters("".join(texts(DRAWS[platform](part.payload))))


def shown(*exchanges: Exchange) -> Read:
    return read(page(scenes(exchanges)))


def exchange(reply: Reply, **changes: object) -> Exchange:
    made = Exchange(
        name="one",
        title="An answer",
        pack="textbook",
        pack_title="A textbook",
        question="What helps a sore mouth?",
        reply=reply,
        views=("answer", "sources", "why"),
    )
    return made.model_copy(update=changes)


# --- the stored replies -----------------------------------------------------------


def test_stored_replies_show_every_kind() -> None:
    """An answer, one in several posts, a refusal, an emergency, and each view."""
    stored = samples()
    kinds = {banner.kind for each in stored for banner in each.reply.banners}
    assert {each.reply.answered for each in stored} == {True, False}
    assert "emergency" in kinds
    assert {view for each in stored for view in each.views} == {
        "answer",
        "more",
        "sources",
        "why",
    }
    posts = [
        {platform: len(parts) for platform, parts in scene.parts.items()}
        for scene in scenes(stored)
    ]
    assert any(
        set(counts) == {*Platform} and min(counts.values()) > 1 for counts in posts
    )


@pytest.mark.parametrize("stored", samples(), ids=lambda each: each.name)
def test_stored_replies_quote_the_demo_texts_R_I7(stored: Exchange) -> None:
    """Each quotation stands in the pack's demo texts."""
    corpus = (PACKS / stored.pack / "corpus").rglob("*.md")
    held = letters("".join(file.read_text("utf-8") for file in corpus))
    quotations = [b for b in stored.reply.body if isinstance(b, Quotation)]
    assert bool(quotations) is stored.reply.answered
    for quotation in quotations:
        for piece in quotation.pieces:
            assert letters(piece.text) in held, piece.text


def test_every_text_of_every_part_stands_once_on_the_page() -> None:
    """What is posted and what is drawn are the same, part by part."""
    found = shown(*samples())
    posted = {
        part.nonce: said(part, platform)
        for scene in scenes(samples())
        for platform, parts in scene.parts.items()
        for part in parts
    }
    assert {nonce: letters(text) for nonce, text in found.parts.items()} == posted


def test_the_same_replies_give_the_same_page() -> None:
    """So that a change of the page is a change of ours."""
    assert page(scenes(samples())) == page(scenes(samples()))


def test_a_forbidden_platform_shows_what_the_bot_says_there_R_C6() -> None:
    """There is no reply on it, and nothing to press."""
    medical = next(each for each in samples() if each.forbidden == ("discord",))
    first, *pressed = scenes([medical])
    [part] = first.parts[Platform.DISCORD]
    text = wording.forbidden(medical.pack_title, Platform.DISCORD)
    assert drawn(part, Platform.DISCORD) == letters(text)
    assert all(set(scene.parts) == {Platform.SLACK} for scene in pressed)


# --- hostile ----------------------------------------------------------------------


@pytest.mark.parametrize("text", [*SCRIPTS, *HOSTILE])
def test_hostile_text_is_inert_R_V7(text: str) -> None:
    """No element, no attribute and no link comes out of a text."""
    plain = shown(exchange(answer()))
    hostile = exchange(answer(), question=text, title=text, pack_title=text, pack=text)
    found = shown(hostile)
    assert found.tags == plain.tags
    assert found.links == plain.links
    assert {each[:2] for each in found.attributes} == {
        each[:2] for each in plain.attributes
    }


def small(reply: Reply) -> Reply:
    """A page of thousands of units takes too long.

    The names of numbers are our own.
    """
    why = reply.why.model_copy(
        update={
            "numbers": tuple(("best", value) for _, value in reply.why.numbers),
            "nearest": reply.why.nearest[:4],
        }
    )
    few = {"body": reply.body[:6], "sources": reply.sources[:6], "why": why}
    return reply.model_copy(update=few)


@settings(
    suppress_health_check=[*HealthCheck],
    phases=[Phase.reuse, Phase.generate],  # to shrink a page takes minutes
    max_examples=25,
)
@given(
    reply=replies.map(small),
    script=st.sampled_from(SCRIPTS),
    platform=st.sampled_from([*Platform]),
)
def test_any_reply_is_drawn_whole_and_inert_R_V7(
    reply: Reply, script: str, platform: Platform
) -> None:
    """Nothing is lost, nothing unknown is met, nothing works but links to the web."""
    banners = tuple(
        banner.model_copy(update={"text": banner.text + script})
        for banner in reply.banners
    )
    reply = reply.model_copy(update={"banners": banners})
    face = FACES[platform]
    incoming = asked()
    for way in (face.answer, face.sources, face.why):
        for part in way(reply, incoming):
            assert drawn(part, platform) == said(part, platform)
    found = shown(exchange(reply))
    assert not found.tags.keys() & (DANGEROUS | FETCHING)
    assert all(name != "style" and name[:2] != "on" for _, name, _ in found.attributes)
    assert all(url.startswith(("https://", "http://")) for url in found.links)


def test_what_a_quotation_leaves_out_is_drawn_R_A14() -> None:
    """On both platforms, between the runs."""
    reply = compose(listing(), WORDING, TODAY)
    for scene in scenes([exchange(reply, views=("answer",))]):
        for platform, parts in scene.parts.items():
            text = "".join(t for p in parts for t in texts(DRAWS[platform](p.payload)))
            assert text.index("Do this:") < text.index("[…]") < text.index("Take water")


@pytest.mark.parametrize("platform", Platform)
def test_a_handover_is_drawn(platform: Platform) -> None:
    """Also what a person gets whom a question is passed on to."""
    pressed = asked(action=Action.ASK_PERSON, person="123456", reason="Please look.")
    parts = FACES[platform].handover(answer(), pressed, "How often?")
    for part in parts:
        read_ = drawn(part, platform)
        assert read_ == said(part, platform)
    assert "Howoften" in "".join(drawn(part, platform) for part in parts)


# --- what is unknown --------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        {"type": "section", "text": {"type": "mrkdwn", "text": "x"}},
        {"type": "image", "image_url": "https://evil.example/x.png", "alt_text": "x"},
        {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        {"type": "header", "text": {"type": "plain_text", "text": "x", "emoji": True}},
        {"type": "divider", "block_id": "x"},
        {"type": "rich_text", "elements": [{"type": "rich_text_table"}]},
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [{"type": "broadcast", "range": "here"}],
                }
            ],
        },
        {"type": "actions", "elements": [{"type": "datepicker"}]},
        {"type": "context_actions", "elements": [{"type": "icon_button"}]},
        {},
    ],
    ids=lambda block: str(block.get("type")),
)
def test_an_unknown_block_is_an_error(block: Payload) -> None:
    """The preview never leaves out what it cannot draw."""
    with pytest.raises(Undrawable, match="Slack: the preview cannot draw"):
        preview_slack.draw({"text": "x", "blocks": [dict(block)]})


@pytest.mark.parametrize(
    "run",
    [
        {"type": "text", "text": "x", "style": {"blink": True}},
        {"type": "link", "url": "javascript:alert(1)", "text": "x"},
        {"type": "emoji", "name": "smile"},
    ],
)
def test_an_unknown_run_is_an_error(run: Payload) -> None:
    """A style, a link that leads off the web, an emoji that is none of ours."""
    section = {"type": "rich_text_section", "elements": [dict(run)]}
    blocks = [{"type": "rich_text", "elements": [section]}]
    with pytest.raises(Undrawable):
        preview_slack.draw({"text": "x", "blocks": blocks})


@pytest.mark.parametrize(
    "component",
    [
        {"type": 12, "items": [{"media": {"url": "https://evil.example/x.png"}}]},
        {"type": 17, "components": [], "spoiler": True},
        {"type": 10, "content": "x", "id": 7},
        {
            "type": 1,
            "components": [{"type": 2, "style": 5, "url": "https://x.example"}],
        },
        {},
    ],
)
def test_an_unknown_component_is_an_error(component: Payload) -> None:
    """The preview never leaves out what it cannot draw."""
    payload = {"flags": 1 << 15, "components": [dict(component)]}
    with pytest.raises(Undrawable, match="Discord: the preview cannot draw"):
        preview_discord.draw(payload)


@pytest.mark.parametrize(
    "payload", [{}, {"blocks": []}, {"components": [{"type": 14}]}]
)
@pytest.mark.parametrize("platform", Platform)
def test_an_empty_message_is_an_error(platform: Platform, payload: Payload) -> None:
    """As on the platforms themselves."""
    with pytest.raises(Undrawable):
        DRAWS[platform](payload)


@pytest.mark.parametrize(
    "text",
    [
        "*x*",
        "_x_",
        "~~x~~",
        "||x||",
        "# x",
        "- x",
        "1. x",
        ">>> x",
        "[x](javascript:alert)",
        "https://evil.example",
        "<https://evil.example>",
        "@everyone",
        "<t:1>",
        ":smile:",
        "discord.gg/x",
        "> ```\n> x",
        "**x",
        "\\",
    ],
)
def test_markdown_that_is_not_ours_is_an_error(text: str) -> None:
    """A sign that Discord would take for markup, and we do not mean as such."""
    with pytest.raises(Undrawable):
        preview_markdown.draw(text)


def test_a_link_leads_to_the_web() -> None:
    """And tells it nothing."""
    made = link("https://example.org/", "there")
    assert made.get("rel") == "noreferrer noopener nofollow"
    with pytest.raises(Undrawable):
        link("data:text/html,x", "x")


# --- the page ---------------------------------------------------------------------


def test_the_page_fetches_nothing_and_runs_nothing() -> None:
    """Its policy allows its own style alone, by its hash; nothing is linked in."""
    found = shown(*samples())
    digest = base64.b64encode(hashlib.sha256(found.style.encode()).digest()).decode()
    [policy] = [
        value
        for tag, name, value in found.attributes
        if tag == "meta" and name == "content" and "default-src" in value
    ]
    assert "default-src 'none'" in policy
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not found.tags.keys() & (DANGEROUS | FETCHING)
    assert "url(" not in found.style
    assert "@import" not in found.style
    names = {name for _, name, _ in found.attributes}
    assert not names & {"src", "srcset", "style", "action", "background"}
    assert all(tag == "a" for tag, name, _ in found.attributes if name == "href")


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_of_the_readme_are_small(picture: str) -> None:
    """Each is a PNG that loads quickly."""
    taken = (ROOT / "docs" / "images" / f"{picture}.png").read_bytes()
    assert taken.startswith(b"\x89PNG")
    assert len(taken) <= LARGEST_PICTURE


# --- the command ------------------------------------------------------------------


@pytest.fixture
def bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line on a data folder of the test."""
    return command(tmp_path / "data", monkeypatch, capsys)


def test_preview_draws_the_stored_replies(bot: Command, tmp_path: Path) -> None:
    """Into a file, or onto standard output; no data folder is made for it."""
    file = tmp_path / "preview.html"
    ended = bot("preview", "--out", file)
    assert (ended.code, ended.out) == (0, "")
    assert str(file) in ended.err
    assert file.read_text("utf-8") == bot("preview").out
    assert not (tmp_path / "data").exists()


def test_preview_draws_the_stored_replies_of_one_pack(bot: Command) -> None:
    """And says which packs there are where there are none of it."""
    drawn_ = read(bot("preview", "--pack", "oncology").out)
    assert len(drawn_.parts) < len(read(bot("preview").out).parts)
    ended = bot("preview", "--pack", "cardiology")
    assert ended.code == 2
    assert "oncology, textbook" in ended.err


def test_preview_asks_a_pack(
    demo: Demo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers come with sources and why, refusals with why."""
    bot = command(demo.data, monkeypatch, capsys)
    questions = ("What is integral windup?", "Is ROS 2 better than ROS 1?")
    ended = bot("preview", "--pack", "textbook", *questions)
    assert ended.code == 0
    found = read(ended.out)
    ids = {
        value
        for tag, name, value in found.attributes
        if (tag, name) == ("section", "id")
    }
    assert ids == {
        "question-1-answer",
        "question-1-sources",
        "question-1-why",
        "question-2-answer",
        "question-2-why",
    }


def test_preview_says_what_is_wrong_R_P2(bot: Command, tmp_path: Path) -> None:
    """No pack, an empty question, a file that cannot be written."""
    assert bot("preview", "What?").code == 2
    assert bot("preview", "--pack", "textbook", " ").code == 2
    ended = bot("preview", "--out", tmp_path / "none" / "x.html")
    assert ended.code == 4
    assert "cannot write" in ended.err
