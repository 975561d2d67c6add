"""A reply as Slack and Discord show it, side by side, on one page that fetches nothing.

What is drawn are the parts that would be posted, so the page shows what goes out and
not what the reply says. Fonts and distances are close to the platforms', not theirs.
The page has no script, and its policy (CSP) allows nothing but its own style.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

from pydantic import TypeAdapter

from adapters.inert import Line
from adapters.mail import Action, Incoming, Method, Part, Payload, Place, Platform
from adapters.reply import Reply
from bot.messages import wording
from bot.preview import discord as preview_discord
from bot.preview import slack as preview_slack
from bot.preview.elements import element, icon, written
from bot.wiring import FACES
from engine.documents.records import Frozen
from engine.policy.pack import Pack

STYLE = Path(__file__).with_name("page.css")
SAMPLES = Path(__file__).with_name("samples.json")
PERSON = "Robin"
NAME = "Groundrule"
TIME = "10:24"  # of everything on the page, so that the same replies give the same page

DRAWS: Mapping[Platform, Callable[[Payload], Element]] = {
    Platform.SLACK: preview_slack.draw,
    Platform.DISCORD: preview_discord.draw,
}
ABOUT = (
    "Drawn from the blocks and components that the bot posts. "
    "Fonts and distances are close to the platforms', not theirs."
)
_ALONE = {
    Platform.SLACK: "Only visible to you",
    Platform.DISCORD: "Only you can see this",
}
_QUOTE = (
    "M10.6 6.4C7.6 7.8 6 10.2 6 13.2c0 2.2 1.2 3.6 2.9 3.6 1.5 0 2.6-1.1 2.6-2.6 "
    "0-1.5-1-2.5-2.4-2.5-.2 0-.4 0-.5.1.3-1.4 1.1-2.7 2.7-3.6z"
    "m7.5 0c-3 1.4-4.6 3.8-4.6 6.8 0 2.2 1.2 3.6 2.9 3.6 1.5 0 2.6-1.1 2.6-2.6 "
    "0-1.5-1-2.5-2.4-2.5-.2 0-.4 0-.5.1.3-1.4 1.1-2.7 2.7-3.6z"
)
_EYE = "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm7 0a3 3 0 1 0 6 0 3 3 0 1 0-6 0"

View = Literal["answer", "more", "sources", "why", "board"]
_PRESSED: Mapping[View, str] = {
    "more": "Show more",
    "sources": "Sources",
    "why": "Why?",
}


class Shown(Frozen):
    """What stands on the page under one title.

    Attributes:
        name: unique on a page; begins the ids of its elements.
        title: above it.
        pack: id of the pack.
        pack_title: of the pack, as people know it.
        forbidden: platforms on which the pack must not be used (R-C6).
    """

    name: str
    title: Line
    pack: str
    pack_title: Line
    forbidden: tuple[str, ...] = ()


class Exchange(Shown):
    """A question with its reply; `views` are the reply, and what its buttons bring."""

    question: Line
    reply: Reply
    views: tuple[View, ...]


def exchange(name: str, pack: Pack, question: str, reply: Reply) -> Exchange:
    """A question to a pack with its reply, in every view that it has."""
    views: list[View] = ["answer", "why"]
    if reply.answered:
        views.insert(1, "sources")
    if reply.more:
        views.insert(1, "more")
    return Exchange(
        name=name,
        title="An answer" if reply.answered else "A refusal",
        pack=pack.id,
        pack_title=pack.title,
        forbidden=pack.platforms_forbidden,
        question=question,
        reply=reply,
        views=tuple(views),
    )


@dataclass(frozen=True, slots=True)
class Scene:
    """One view of an exchange, or a board: what each platform is sent."""

    exchange: Shown
    view: View
    parts: Mapping[Platform, Sequence[Part]]

    @property
    def name(self) -> str:
        return f"{self.exchange.name}-{self.view}"


def samples() -> tuple[Exchange, ...]:
    """Stored exchanges over the demo texts; scripts/preview_samples.py renews them."""
    return TypeAdapter(tuple[Exchange, ...]).validate_json(SAMPLES.read_bytes())


def scenes(exchanges: Iterable[Exchange]) -> Iterator[Scene]:
    """What would be posted; where a pack is forbidden there is nothing to press."""
    for each in exchanges:
        for view in each.views:
            here = [p for p in Platform if view == "answer" or not _forbids(each, p)]
            yield Scene(each, view, {p: _parts(each, view, p) for p in here})


def page(shown: Iterable[Scene]) -> str:
    """An HTML page.

    Raises:
        Undrawable: a part holds what the preview does not know.
    """
    drawn = [_scene(scene) for scene in shown]
    body = element("main", "", _top(), *drawn)
    style = STYLE.read_text(encoding="utf-8") + "".join(sorted(_accents(body)))
    html = element("html", "", _head(style), element("body", "", body), lang="en")
    return f"<!doctype html>\n{written(html)}\n"


# --- what is posted ---------------------------------------------------------------


def _parts(shown: Exchange, view: View, platform: Platform) -> Sequence[Part]:
    face, incoming = FACES[platform], _incoming(shown, view, platform)
    if _forbids(shown, platform):
        return face.notice(wording.forbidden(shown.pack_title, platform), incoming)
    if view == "more":
        return face.more(shown.reply, incoming)
    if view == "sources":
        return face.sources(shown.reply, incoming)
    if view == "why":
        return face.why(shown.reply, incoming)
    return face.answer(shown.reply, incoming)


def _forbids(shown: Exchange, platform: Platform) -> bool:
    return platform.value in shown.forbidden


def _incoming(shown: Exchange, view: View, platform: Platform) -> Incoming:
    """The mention of the bot in a channel, or the press of a button below its reply."""
    where = Place(platform=platform, tenant="1", channel="C1", thread="1", message="1")
    return Incoming(
        event=f"{shown.name}-{view}",
        platform=platform,
        action=Action(view) if view in _PRESSED else Action.ASK,
        place=where,
        person="1",
        text=shown.question,
        audit_id=shown.reply.audit_id,
        received=datetime(2026, 11, 22, tzinfo=UTC),
    )


# --- the page ---------------------------------------------------------------------


def _head(style: str) -> Element:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    meta = {"http-equiv": "Content-Security-Policy", "content": policy}
    guarded = element("meta")
    guarded.attrib.update(meta)
    return element(
        "head",
        "",
        element("meta", charset="utf-8"),
        guarded,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", "", f"{NAME}: how replies look"),
        element("style", "", style),
    )


def _accents(body: Element) -> set[str]:
    """A rule for each colour that a container has."""
    colours = {each.get("data-accent") for each in body.iter("div")}
    named = {colour for colour in colours if colour}
    rule = '.container[data-accent="{0}"]{{border-left-color:#{0}!important}}\n'
    return {rule.format(colour) for colour in named}


def _top() -> Element:
    choices = []
    for name in ("System", "Light", "Dark"):
        given = {"checked": "checked"} if name == "System" else {}
        chosen = element(
            "input", "", type="radio", name="theme", id=name.lower(), **given
        )
        choices.append(element("label", "", chosen, name))
    return element(
        "header",
        "top",
        element("h1", "", "How replies look"),
        element("p", "", ABOUT),
        element("fieldset", "theme", element("legend", "", "Colours"), *choices),
    )


def _scene(scene: Scene) -> Element:
    shown, pressed = scene.exchange, _PRESSED.get(scene.view)
    title = f"{shown.title}: “{pressed}” pressed" if pressed else shown.title
    windows = [_window(scene, platform) for platform in scene.parts]
    return element(
        "section",
        "scene",
        element("h2", "", title),
        element("p", "about", f"Pack: {shown.pack_title}"),
        element("div", "pair", *windows),
        id=scene.name,
    )


def _window(scene: Scene, platform: Platform) -> Element:
    parts = scene.parts[platform]
    shown, alone = scene.exchange, scene.view in _PRESSED
    asked = (_asked(shown),) if isinstance(shown, Exchange) and not alone else ()
    bar = element(
        "div",
        "bar",
        element("b", "", platform.capitalize()),
        element("span", "channel", f"# {scene.exchange.pack}"),
    )
    said = (_said(part, platform) for part in parts)
    return element(
        "article",
        f"window {platform}",
        bar,
        element("div", "messages", *asked, *said),
        id=f"{scene.name}-{platform}",
    )


def _asked(shown: Exchange) -> Element:
    mention = element("span", "mention", f"@{NAME}")
    question = element("div", "question", mention, f" {shown.question}")
    face = element("div", "avatar person", PERSON[0], aria_hidden="true")
    said = element("div", "said", _author(PERSON), question)
    return element("div", "message", face, said)


def _said(part: Part, platform: Platform) -> Element:
    badge = element("span", "badge", "APP")
    drawn = DRAWS[platform](part.payload)
    inside = [
        _author(NAME, badge),
        element("div", "part", drawn, data_nonce=part.nonce),
    ]
    if part.method in (Method.WHISPER, Method.RESPOND):
        text = element("span", "", _ALONE[platform])
        above = platform is Platform.SLACK  # Discord says it below
        alone = element("div", "alone", icon("eye", _EYE), text)
        inside.insert(0 if above else len(inside), alone)
    face = element("div", "avatar bot", icon("quote", _QUOTE), aria_hidden="true")
    return element("div", "message", face, element("div", "said", *inside))


def _author(name: str, *after: Element) -> Element:
    time = element("time", "", TIME)
    return element("div", "author", element("b", "name", name), *after, time)
