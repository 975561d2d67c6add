"""The look of a reply on Slack and Discord: its shape, and what it quotes.

An outcome is rendered by the renderers that the bot itself posts with. The first-use
notice is left out, and both platforms show every pack, even one that forbids a
platform: no reply may depend on that.

A shape is the structure of a payload without its texts: types, styles, buttons by what
they do, and how many there are of each. The words are kept as one hash, so that words
changed on purpose are told apart from a block that was lost.

The quote blocks of the payloads are read without any code that renders them, and
compared with the quotations of the outcome: every letter, and all of it. Blanks,
bullets, the numbers of sources and the mark of what is left out are no part of a
quotation.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Any

from adapters.discord import names as discord_names
from adapters.inert import inert
from adapters.mail import Action, Incoming, Part, Place, Platform
from adapters.reply import Reply, compose
from adapters.slack.names import RESPONSE_URL
from bot.wiring import RENDERERS
from engine.model.answer import Answer
from engine.model.outcome import Outcome
from engine.policy.pack import Pack
from evals.forms import Shape, Shown
from evals.reading import OMITTED, visible
from evals.store import digest

# As long as the ledger's, and the same in every run.
AUDIT_ID = "aaaaaaaaaaaa"

_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
_CALLBACKS: Mapping[Platform, Mapping[str, str]] = {
    Platform.SLACK: {RESPONSE_URL: "https://hooks.slack.com/commands/1"},
    Platform.DISCORD: {
        discord_names.APPLICATION: "1",
        discord_names.INTERACTION: "1",
        discord_names.TOKEN: "1",
        discord_names.PRIVATE: discord_names.YES,
    },
}


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a reply comes to be shown.

    `alone`: only the asker sees it, through the callback of an interaction.
    """

    name: str
    action: Action
    alone: bool


WAYS = (
    Way("mention", Action.ASK, alone=False),
    Way("command", Action.ASK, alone=True),
    Way("more", Action.MORE, alone=True),
    Way("sources", Action.SOURCES, alone=True),
    Way("why", Action.WHY, alone=True),
    Way("handover", Action.ASK_PERSON, alone=False),
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """The messages of one platform for an outcome that is shown in one way."""

    platform: Platform
    way: str
    parts: Sequence[Part]


def render(outcome: Outcome, pack: Pack, today: date) -> Iterator[Rendered]:
    """Yield the messages of an outcome for both platforms, in each way to show it.

    The payloads are the same for the same outcome, whatever its audit id is. The way
    "more" is left out where nothing is left to show.

    Args:
        outcome: what the engine came to.
        pack: whose words it is said in.
        today: the day from which the age of a source is counted.
    """
    known = outcome.model_copy(update={"audit_id": AUDIT_ID})
    reply = compose(known, pack.wording, today)
    whole = compose(known, pack.wording, today, whole=True)
    for platform in RENDERERS:
        for way in WAYS:
            if way.action is Action.MORE and not reply.more:
                continue
            shown = whole if way.action is Action.ASK_PERSON else reply
            parts = _render_parts(shown, outcome.question.text, way, platform)
            yield Rendered(platform, way.name, parts)


def _render_parts(
    reply: Reply, asked: str, way: Way, platform: Platform
) -> Sequence[Part]:
    renderer, question = RENDERERS[platform], inert(asked)
    incoming = _make_incoming(question, way, platform)
    match way.action:
        case Action.MORE:
            return renderer.more(reply, incoming)
        case Action.SOURCES:
            return renderer.sources(reply, incoming)
        case Action.WHY:
            return renderer.why(reply, incoming)
        case Action.ASK_PERSON:
            return renderer.handover(reply, incoming, question)
        case _:
            return renderer.answer(reply, incoming)


def _make_incoming(question: str, way: Way, platform: Platform) -> Incoming:
    place = Place(
        platform=platform,
        tenant="1",
        channel="C1",
        message=None if way.alone else "1",
        private=way.alone,
    )
    return Incoming(
        event=way.name,
        platform=platform,
        action=way.action,
        place=place,
        person="1",
        text=question,
        about=place.message,
        audit_id=AUDIT_ID,
        callback=_CALLBACKS[platform] if way.alone else {},
        received=_MOMENT,
    )


# --- what is quoted -------------------------------------------------------------

MOST = 3  # faults of a reply that are listed
_BARRED = frozenset({"rich_text_quote", "rich_text_preformatted"})
_ASIDE = frozenset({"handover"})  # also quotes the question
_FIRST, _REST = "mention", "more"  # together they show all of an answer
_NUMBERS = re.compile(r"(?:\[\d+(?:,\d+)*\])+\Z")
_SET = re.compile(r"\\([^0-9A-Za-z\s])|\*\*|`(?=\[[\d, ]+\]`)|(?<=\])`")
_LAST = re.compile(r"`\[[\d, ]+\]`\Z")
_FENCE = "```"


def find_faults(outcome: Outcome, every: Iterable[Rendered]) -> tuple[str, ...]:
    """Find what platforms quote that the outcome does not, and what of it none
    shows."""
    quoted = dict.fromkeys(_list_quotations(outcome))
    asked = _strip(inert(outcome.question.text))
    seen: dict[Platform, set[str]] = {}
    found: list[str] = []
    for one in every:
        shown = [
            _strip(text) for part in one.parts for text in find_quotes(part.payload)
        ]
        for text in filter(None, shown):
            if text not in quoted and not (one.way in _ASIDE and text in asked):
                found.append(f"{one.platform} {one.way} quotes “{text[:60]}”")
        if one.way in (_FIRST, _REST):
            seen.setdefault(one.platform, set()).update(shown)
    for platform, texts in seen.items():
        lost = (text for text in quoted if text not in texts)
        found += (f"{platform} does not show “{text[:60]}”" for text in lost)
    return tuple(found[:MOST])


def _list_quotations(outcome: Outcome) -> Iterator[str]:
    result = outcome.result
    for section in result.sections if isinstance(result, Answer) else ():
        for claim in section.claims:
            if claim.quotation and claim.quotes:
                yield _strip(inert("".join(quote.text for quote in claim.quotes)))


def _strip(text: str) -> str:
    """Strip a quotation of what is no part of it, and of blanks."""
    said = "".join(visible(text.replace("\u2022", " ").replace(OMITTED, " ")).split())
    return _NUMBERS.sub("", said)


def find_quotes(payload: Any) -> Iterator[str]:
    """Yield the texts of the quote blocks of a payload, of Slack or of Discord."""
    if isinstance(payload, Mapping):
        held = payload.get("elements")
        if payload.get("type") == "rich_text" and isinstance(held, list):
            barred = [each for each in held if each.get("type") in _BARRED]
            texts = (block.get("elements", ()) for block in barred)
            yield "\n".join(
                "".join(str(each.get("text", "")) for each in held) for held in texts
            )
        elif payload.get("type") not in ("plain_text", "mrkdwn"):
            for value in payload.values():
                yield from find_quotes(value)
    elif isinstance(payload, list | tuple):
        for value in payload:
            yield from find_quotes(value)
    elif isinstance(payload, str):
        yield from _find_quoted_lines(payload)


def _find_quoted_lines(text: str) -> Iterator[str]:
    """Yield the runs of quoted lines of Markdown; one also ends behind its numbers."""
    held: list[str] = []
    fenced = False
    for line in (*text.split("\n"), ""):
        inside = line.startswith(">") and line[1:2] in ("", " ")
        said = line[2:]
        if inside and said == _FENCE:
            fenced = not fenced
        elif inside:
            held.append(said if fenced else _SET.sub(r"\1", said))
        if held and (not inside or (not fenced and _LAST.search(said))):
            yield "\n".join(held)
            held = []


# --- shapes ---------------------------------------------------------------------

SHORT = 6  # of the outline of a way that is not spelled out
# The names of a button; in Discord's the reply's id follows a colon.
_BUTTONS = frozenset({"action_id", "custom_id"})
# Figures of "Why?" differ in their last digit between processors, so they are left out.
_FIGURED = frozenset(way.name for way in WAYS if way.action is Action.WHY)
_FIGURE = re.compile(r"\d")


def describe_look(outcome: Outcome, pack: Pack, today: date, served: str) -> Shown:
    """Describe the look of an outcome on every platform.

    Args:
        outcome: what the engine came to.
        pack: whose words it is said in.
        today: the day from which the age of a source is counted.
        served: the text of a terminal, which counts among the words.
    """
    every = tuple(render(outcome, pack, today))
    said = [served, *(text for one in every for text in _list_words(one))]
    return Shown(
        shapes=_group_by_platform(every),
        words=digest("\n".join(said)),
        faults=find_faults(outcome, every),
    )


def draw_shape(value: Any) -> str:
    """Write the structure of JSON without its texts."""
    if isinstance(value, Mapping):
        kind = value.get("type", "")
        inside = [_shape_field(name, held) for name, held in sorted(value.items())]
        return f"{kind}({' '.join(filter(None, inside))})"
    if isinstance(value, list | tuple):
        return f"[{_count_runs(map(draw_shape, value))}]"
    return "…" if isinstance(value, str) else str(value)


def _shape_field(name: str, held: Any) -> str:
    if name == "type":
        return ""
    if name in _BUTTONS:
        return f"{name}={str(held).partition(':')[0]}"
    if name == "style" and isinstance(held, str):
        return f"style={held}"
    if isinstance(held, str):
        return name
    nested = isinstance(held, Mapping | list | tuple)
    return f"{name}{'' if nested else '='}{draw_shape(held)}"


def draw_outline(value: Any) -> str:
    """Write the types of JSON and what its buttons do, for people to read."""
    if isinstance(value, Mapping):
        named = (str(value[name]).partition(":")[0] for name in _BUTTONS & value.keys())
        kind = " ".join([str(value.get("type", "")), *named]).strip()
        lists = (held for _, held in sorted(value.items()) if isinstance(held, list))
        return kind + "".join(map(draw_outline, lists))
    if isinstance(value, list):
        return f"[{_count_runs(map(draw_outline, value))}]" if value else ""
    return ""


def _count_runs(shapes: Iterable[str]) -> str:
    runs = ((one, len([*same])) for one, same in groupby(shapes))
    return ", ".join(f"{count}x {one}" if count > 1 else one for one, count in runs)


def _group_by_platform(every: Iterable[Rendered]) -> Mapping[str, Shape]:
    whole: dict[str, list[str]] = {}
    ways: dict[str, list[str]] = {}
    for one in every:
        platform = str(one.platform)
        parts = (f"{part.method} {draw_shape(part.payload)}" for part in one.parts)
        whole.setdefault(platform, []).extend(f"{one.way} {part}" for part in parts)
        ways.setdefault(platform, []).append(f"{one.way} {_outline_way(one)}")
    return {
        name: Shape(hash=digest("\n".join(parts)), outline="; ".join(ways[name]))
        for name, parts in whole.items()
    }


def _outline_way(one: Rendered) -> str:
    """Outline a way; in full for the first, as a hash for the others, to keep it
    short."""
    said = " ".join(draw_outline(part.payload) for part in one.parts)
    return said if one.way == WAYS[0].name else digest(said)[:SHORT]


def _list_words(one: Rendered) -> Iterator[str]:
    for part in one.parts:
        for text in _walk_texts(part.payload):
            yield _FIGURE.sub("0", text) if one.way in _FIGURED else text


def _walk_texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for _, held in sorted(value.items()):
            yield from _walk_texts(held)
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _walk_texts(held)
    elif isinstance(value, str):
        yield value
