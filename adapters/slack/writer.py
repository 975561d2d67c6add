"""Slack's form of a message: elements to blocks, blocks to pages, pages to payloads.

Nothing is worded here but labels. In quotations runs of white space are folded, but in
code every character is kept. How much fits on a page was measured, see PAGE.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from itertools import groupby

from pydantic import JsonValue

from adapters import message
from adapters.inert import inert
from adapters.layout import (
    BULLET,
    Paper,
    Rank,
    Unit,
    clipped,
    each,
    item,
    marks,
    paged,
    prose,
)
from adapters.mail import Action, Incoming, Method, Payload, numbered
from adapters.mentions import runs
from adapters.posts import Posts
from adapters.reply import DID_YOU_MEAN, NONE_OF_THESE, Piece, Quotation
from adapters.slack import blocks
from adapters.slack.blocks import Block
from adapters.slack.names import FEEDBACK, RESPONSE_URL
from adapters.slack.text import escape

METADATA = "groundrule_part"  # event_type of the metadata that holds a part's nonce
ARCHIVES = "https://slack.com/archives"

PAGES = 3  # a response URL takes five posts
# Slack took 9,597 characters of text in 15,561 of JSON, and refused 11,341 in 17,694
# (slackapi/bolt-js#2867). We count the JSON, and stay below both.
PAGE = 12_000
BLOCKS = 45  # of 50
WORDS = 4_000  # characters of our own words in one unit
PREVIEW = 2_000  # characters of `text`, which notifications show
TITLE = 300  # characters of a title, a section or a publisher

_EMOJI = {"emergency": "rotating_light", "notice": "warning"}
_DIRECTLY = "Please write to them directly."
_IN_THREAD = "Please answer in its thread, where they will see it."
_QUIET: Payload = {"parse": "none", "link_names": False}
_UNFURLED: Payload = {"unfurl_links": False, "unfurl_media": False}


@dataclass(frozen=True, slots=True)
class Said:
    """The blocks of a unit; `text` says the same to a notification.

    A `listed` unit is one block of rich text, which neighbours of its kind share.
    """

    text: str
    blocks: tuple[Block, ...]
    listed: bool = False
    size: int = field(init=False)

    def __post_init__(self) -> None:
        length = sum(len(json.dumps(b, ensure_ascii=False)) for b in self.blocks)
        object.__setattr__(self, "size", length)


Units = Iterator[Unit[Said]]


class SlackWriter:
    """Writes messages for Slack; see `Writer`."""

    letters = Method.POST

    def method(self, incoming: Incoming) -> Method:
        return self.alone(incoming) if incoming.place.private else Method.POST

    def alone(self, incoming: Incoming) -> Method:
        """See `Writer`; a response URL works in any channel."""
        if RESPONSE_URL in incoming.callback:
            return Method.RESPOND
        return Method.POST if incoming.place.direct else Method.WHISPER

    def unseen(self, incoming: Incoming) -> bool:
        return incoming.place.message is None  # a command or a selection

    def replaces(self, method: Method, old: str) -> bool:
        """See `Writer`; one person's message cannot be changed, all's has to go.

        one person's cannot be changed, all's has to.
        """
        return method is Method.POST

    def pages(self, shown: message.Message, incoming: Incoming) -> Sequence[Payload]:
        units = [unit for element in shown.elements for unit in _render(element)]
        return make_pages(units) or make_pages(
            [*_render_words(message.Words(Rank.WORDS, message.NOTHING))]
        )

    def payload(self, page: Payload, method: Method, name: str) -> Payload:
        payload: dict[str, JsonValue] = {**page, **_QUIET}
        if method in (Method.POST, Method.UPDATE):
            payload["metadata"] = {
                "event_type": METADATA,
                "event_payload": {"nonce": name},
            }
        if method in (Method.POST, Method.RESPOND):
            payload |= _UNFURLED
        if method is Method.RESPOND:
            payload |= {"response_type": "ephemeral", "replace_original": False}
        return payload

    def notifying(self, payload: Payload) -> Payload:
        """Return the payload as it is: a reply in somebody's thread notifies them."""
        return payload


SLACK = Posts(SlackWriter())


# --- elements ---------------------------------------------------------------------


@singledispatch
def _render(element: message.Element) -> Units:
    """Render an element; each kind has a function of its own below."""
    raise TypeError(type(element).__name__)


def _make_unit(rank: Rank, text: str, *shown: Block) -> Unit[Said]:
    return Unit(rank, Said(text, shown))


def _make_listed(rank: Rank, text: str, *lines: Block) -> Unit[Said]:
    return Unit(rank, Said(text, (blocks.rich(*lines),), listed=True))


@_render.register
def _render_words(said: message.Words) -> Units:
    """Render our own words, in as many units as needed; a mark opens the first one."""
    before: tuple[Block, ...] = ()
    if said.kind in _EMOJI:
        before = (blocks.emoji(_EMOJI[said.kind]), blocks.run(" "))
    if said.label:
        before = (blocks.run(f"{said.label} ", bold=True),)
    style = {
        "bold": said.kind == "emergency",
        "italic": said.kind in ("header", "understood"),
    }
    for piece in split_words(said.text):
        shown = [
            blocks.person(person) if person else blocks.run(run, **style)
            for run, person in runs(piece, said.people)
        ]
        yield _make_unit(said.rank, piece, blocks.rich(blocks.line(*before, *shown)))
        before = ()


@_render.register
def _render_title(title: message.Title) -> Units:
    if title.text:
        yield _make_unit(title.rank, title.text, blocks.header(title.text))


@_render.register
def _render_cited(statement: message.Cited) -> Units:
    block = statement.block
    if isinstance(block, Quotation):
        yield from _render_quotation(block, statement.addresses)
        return
    text = block.text.strip()
    cited = blocks.marks(block.numbers, statement.addresses)
    shown = [blocks.run(text), *cited] if text else cited
    told = f"{text} {marks(block.numbers)}"
    yield _make_unit(Rank.EVIDENCE, told, blocks.rich(blocks.line(*shown)))


def _render_quotation(
    quotation: Quotation, addresses: Mapping[int, str | None]
) -> Units:
    elements: list[Block] = []
    lines: list[Block] = []
    for piece in quotation.pieces:
        if not piece.text.strip():
            continue
        if piece.form == "code":
            elements += [blocks.quote(*lines)] if lines else []
            elements.append(blocks.code(piece.text))
            lines = []
        else:
            lines += [blocks.run("\n")] if lines else []
            lines.append(blocks.run(_flatten(piece), bold=piece.form == "heading"))
    cited = blocks.marks(quotation.numbers, addresses)
    if lines:
        elements.append(blocks.quote(*lines, *cited))
    elif elements and cited:  # behind code, which has no room for them
        elements.append(blocks.quote(*cited[1:]))
    if elements:
        told = "\n".join(map(_flatten, quotation.pieces))
        told = f"{told} {marks(quotation.numbers)}".strip()
        yield _make_unit(Rank.EVIDENCE, told, blocks.rich(*elements))


def _flatten(piece: Piece) -> str:
    text = " ".join(piece.text.split())
    return item(text) if piece.form == "item" else text


@_render.register
def _render_links(links: message.Links) -> Units:
    for page in links.homepages:
        title = _shorten(page.title or page.url)
        shown = blocks.line(blocks.run(BULLET), blocks.link(page.url, title))
        yield _make_listed(Rank.WORDS, f"{BULLET}{title}: {page.url}", shown)


@_render.register
def _render_choices(choices: message.Choices) -> Units:
    """Render a button each, with its number where it is long, and a text."""
    offered = choices.offered
    long = any(len(choice.label) > blocks.LABEL for choice in offered)
    lines = [blocks.line(blocks.run(DID_YOU_MEAN, bold=True))]
    told = [f"{choice.number}. {choice.label}" for choice in offered]
    if long:
        lines += [blocks.line(blocks.run(text)) for text in told]
    row = [
        blocks.button(
            numbered(Action.CHOOSE, choice.number),
            str(choice.number) if long else choice.label or str(choice.number),
            value=choices.audit_id,
        )
        for choice in offered
    ]
    none = blocks.button(Action.NONE_OF_THESE, NONE_OF_THESE, value=choices.audit_id)
    text = "\n".join((DID_YOU_MEAN, *told))
    shown = (blocks.rich(*lines), blocks.actions(*row, none))
    yield _make_unit(Rank.FIXED, text, *shown)


@_render.register
def _render_source(source: message.Source) -> Units:
    cited, gap = source.cited, "\n" if source.placed else " · "
    publisher = f" ({_shorten(cited.publisher)})" if cited.publisher else ""
    demo = " [demo text]" if cited.demo else ""
    rest = publisher + demo + (f"{gap}{_shorten(cited.dated)}" if cited.dated else "")
    title, numbers = (
        _shorten(cited.title) or message.UNTITLED,
        f"{each(cited.numbers)} ",
    )
    shown = [blocks.run(numbers, bold=True), blocks.link(cited.url, title)]
    shown += [blocks.run(rest)] if rest else []
    lines = (*_make_label(source.label), blocks.line(*shown))
    yield _make_listed(Rank.SOURCE, f"{numbers}{title}{rest}", *lines)


@_render.register
def _render_place(place: message.SourcePlace) -> Units:
    mark = f"{BULLET}{each(place.numbers)} " if place.numbers else BULLET
    yield _make_linked(Rank.SOURCE, mark, place.section, place.url)


@_render.register
def _render_near(near: message.Near) -> Units:
    yield _make_linked(Rank.EVIDENCE, BULLET, near.title, near.url, near.label)


@_render.register
def _render_figures(figures: message.Figures) -> Units:
    """Render all of them in one line of small print."""
    told = (f"{_shorten(name)}: {_shorten(value)}" for name, value in figures.pairs)
    text = " · ".join(told)
    yield _make_unit(Rank.SOURCE, text, blocks.context(text))


def _make_linked(
    rank: Rank, mark: str, title: str, url: str | None, label: str = ""
) -> Unit[Said]:
    """Make a line of a list that leads to a page."""
    title = _shorten(title) or message.UNTITLED
    shown = blocks.line(blocks.run(mark), blocks.link(url, title))
    return _make_listed(rank, f"{mark}{title}", *_make_label(label), shown)


def _make_label(label: str) -> list[Block]:
    return [blocks.line(blocks.run(label, bold=True))] if label else []


def _shorten(text: str) -> str:
    return clipped(text, TITLE)


@_render.register
def _render_small_print(small: message.SmallPrint) -> Units:
    """Render the lines beside each other, a row of buttons, and two thumbs."""
    shown = [blocks.context(*small.lines)] if small.lines else []
    if known := small.audit_id:
        labels: dict[str, str] = {
            action: text for action, text in small.buttons if text
        }
        if small.people:
            labels[Action.ASK_PERSON] = "Ask a person"
        row = [blocks.button(a, label, value=known) for a, label in labels.items()]
        shown += [blocks.actions(*row)] if row else []
        helpful = f"{Action.HELPFUL}:{known}"
        shown.append(blocks.thumbs(FEEDBACK, helpful, f"{Action.NOT_HELPFUL}:{known}"))
    if shown:
        yield _make_unit(Rank.FIXED, "\n".join(small.lines), *shown)


@_render.register
def _render_handover(handover: message.Handover) -> Units:
    """Render who asks, what, their note, and where, with a link to their message."""
    incoming, text = handover.incoming, " would like a person to answer this:"
    who = blocks.line(blocks.person(incoming.person), blocks.run(text))
    yield _make_unit(Rank.FIXED, f"Somebody{text}", blocks.rich(who))
    for piece in split_words(inert(handover.question)):
        yield _make_unit(
            Rank.BANNER, piece, blocks.rich(blocks.quote(blocks.run(piece)))
        )
    yield from _render_words(
        message.Words(Rank.BANNER, inert(incoming.reason or ""), label="Note:")
    )
    yield _render_origin(incoming)
    yield from _render(message.Title("What the bot said"))


def _render_origin(incoming: Incoming) -> Unit[Said]:
    """Say where a question was asked, and how to answer it.

    A link of this form leads into the workspace of whoever follows it.
    """
    place, about = incoming.place, incoming.about
    channel = {"type": "channel", "channel_id": place.channel}
    if place.direct:
        shown = [blocks.run(f"Asked in a conversation with me. {_DIRECTLY}")]
    elif not about:
        shown = [blocks.run("Asked privately in "), channel]
        shown.append(blocks.run(f". {_DIRECTLY}"))
    else:
        address = f"{ARCHIVES}/{place.channel}/p{about.replace('.', '')}"
        if place.thread is not None:
            address += f"?thread_ts={place.thread}&cid={place.channel}"
        shown = [blocks.run("Asked in "), channel, blocks.run(": ")]
        shown += [blocks.link(address, "the message"), blocks.run(f". {_IN_THREAD}")]
    told = "".join(run.get("text", "a channel") for run in shown)
    return _make_unit(Rank.FIXED, told, blocks.rich(blocks.line(*shown)))


# --- pages ------------------------------------------------------------------------


def make_pages(units: Sequence[Unit[Said]]) -> list[Payload]:
    """Make the messages that show these units, or as many of them as fit."""
    return [_make_page(page) for page in paged(units, Paper(PAGES, _fits, _make_note))]


def split_words(text: str) -> list[str]:
    """Split our own words into pieces that fit into a unit; none for white space."""
    text = clipped(text.strip(), PAGES * PAGE)
    return prose(text, lambda piece: len(piece) <= WORDS) if text else []


def _fits(units: Sequence[Unit[Said]]) -> bool:
    size = sum(unit.shown.size for unit in units)
    return size <= PAGE and len(_join_blocks(units)) <= BLOCKS


def _make_note(text: str) -> Said:
    return Said(text, (blocks.rich(blocks.line(blocks.run(text, italic=True))),))


def _join_blocks(units: Sequence[Unit[Said]]) -> list[Block]:
    made: list[Block] = []
    for listed, neighbours in groupby(units, lambda unit: unit.shown.listed):
        shown = [block for unit in neighbours for block in unit.shown.blocks]
        if listed:
            lines = (part for block in shown for part in block["elements"])
            shown = [blocks.rich(*lines)]
        made += shown
    return made


def _make_page(units: Sequence[Unit[Said]]) -> Payload:
    """Make one message; its text, which notifications show, is escaped."""
    said: list[str] = []
    for unit in units:
        text = escape(unit.shown.text)
        if len("\n".join([*said, text])) > PREVIEW:
            break
        said.append(text)
    text = "\n".join(said) or _make_opening(units[0])
    shown: list[JsonValue] = [*_join_blocks(units)]
    return {"text": text, "blocks": shown}


def _make_opening(unit: Unit[Said]) -> str:
    """Make a notification of a unit that is too long for one; no quotation is cut."""
    if unit.rank is Rank.EVIDENCE:
        return "…"
    return escape(clipped(unit.shown.text, PREVIEW // len("&amp;")))
