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
from adapters.slack.text import escaped

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
    """What a unit shows; `text` says the same to a notification.

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
        """What one person sees cannot be changed, what all see has to go."""
        return method is Method.POST

    def pages(self, shown: message.Message, incoming: Incoming) -> Sequence[Payload]:
        units = [unit for element in shown.elements for unit in _units(element)]
        return pages(units) or pages(
            [*_words(message.Words(Rank.WORDS, message.NOTHING))]
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
        """A reply in somebody's thread notifies them as it is."""
        return payload


SLACK = Posts(SlackWriter())


# --- elements ---------------------------------------------------------------------


@singledispatch
def _units(element: message.Element) -> Units:
    """What shows an element; each has a function of its own below."""
    raise TypeError(type(element).__name__)


def _unit(rank: Rank, text: str, *shown: Block) -> Unit[Said]:
    return Unit(rank, Said(text, shown))


def _listed(rank: Rank, text: str, *lines: Block) -> Unit[Said]:
    return Unit(rank, Said(text, (blocks.rich(*lines),), listed=True))


@_units.register
def _words(said: message.Words) -> Units:
    """Our own words, in as many units as they need; a mark opens the first one."""
    before: tuple[Block, ...] = ()
    if said.kind in _EMOJI:
        before = (blocks.emoji(_EMOJI[said.kind]), blocks.run(" "))
    if said.label:
        before = (blocks.run(f"{said.label} ", bold=True),)
    style = {
        "bold": said.kind == "emergency",
        "italic": said.kind in ("header", "understood"),
    }
    for piece in words(said.text):
        shown = [
            blocks.person(person) if person else blocks.run(run, **style)
            for run, person in runs(piece, said.people)
        ]
        yield _unit(said.rank, piece, blocks.rich(blocks.line(*before, *shown)))
        before = ()


@_units.register
def _title(title: message.Title) -> Units:
    if title.text:
        yield _unit(title.rank, title.text, blocks.header(title.text))


@_units.register
def _cited(statement: message.Cited) -> Units:
    block = statement.block
    if isinstance(block, Quotation):
        yield from _quotation(block, statement.addresses)
        return
    text = block.text.strip()
    cited = blocks.marks(block.numbers, statement.addresses)
    shown = [blocks.run(text), *cited] if text else cited
    told = f"{text} {marks(block.numbers)}"
    yield _unit(Rank.EVIDENCE, told, blocks.rich(blocks.line(*shown)))


def _quotation(quotation: Quotation, addresses: Mapping[int, str | None]) -> Units:
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
            lines.append(blocks.run(_prose(piece), bold=piece.form == "heading"))
    cited = blocks.marks(quotation.numbers, addresses)
    if lines:
        elements.append(blocks.quote(*lines, *cited))
    elif elements and cited:  # behind code, which has no room for them
        elements.append(blocks.quote(*cited[1:]))
    if elements:
        told = "\n".join(map(_prose, quotation.pieces))
        told = f"{told} {marks(quotation.numbers)}".strip()
        yield _unit(Rank.EVIDENCE, told, blocks.rich(*elements))


def _prose(piece: Piece) -> str:
    text = " ".join(piece.text.split())
    return item(text) if piece.form == "item" else text


@_units.register
def _links(links: message.Links) -> Units:
    for page in links.homepages:
        title = _short(page.title or page.url)
        shown = blocks.line(blocks.run(BULLET), blocks.link(page.url, title))
        yield _listed(Rank.WORDS, f"{BULLET}{title}: {page.url}", shown)


@_units.register
def _choices(choices: message.Choices) -> Units:
    """A button each, with its number where it is long; the text says them too."""
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
    yield _unit(Rank.FIXED, text, *shown)


@_units.register
def _source(source: message.Source) -> Units:
    cited, gap = source.cited, "\n" if source.placed else " · "
    publisher = f" ({_short(cited.publisher)})" if cited.publisher else ""
    demo = " [demo text]" if cited.demo else ""
    rest = publisher + demo + (f"{gap}{_short(cited.dated)}" if cited.dated else "")
    title, numbers = _short(cited.title) or message.UNTITLED, f"{each(cited.numbers)} "
    shown = [blocks.run(numbers, bold=True), blocks.link(cited.url, title)]
    shown += [blocks.run(rest)] if rest else []
    lines = (*_label(source.label), blocks.line(*shown))
    yield _listed(Rank.SOURCE, f"{numbers}{title}{rest}", *lines)


@_units.register
def _place(place: message.SourcePlace) -> Units:
    mark = f"{BULLET}{each(place.numbers)} " if place.numbers else BULLET
    yield _linked(Rank.SOURCE, mark, place.section, place.url)


@_units.register
def _near(near: message.Near) -> Units:
    yield _linked(Rank.EVIDENCE, BULLET, near.title, near.url, near.label)


@_units.register
def _figures(figures: message.Figures) -> Units:
    """All of them in one line of small print."""
    told = (f"{_short(name)}: {_short(value)}" for name, value in figures.pairs)
    text = " · ".join(told)
    yield _unit(Rank.SOURCE, text, blocks.context(text))


def _linked(
    rank: Rank, mark: str, title: str, url: str | None, label: str = ""
) -> Unit[Said]:
    """A line of a list that leads to a page."""
    title = _short(title) or message.UNTITLED
    shown = blocks.line(blocks.run(mark), blocks.link(url, title))
    return _listed(rank, f"{mark}{title}", *_label(label), shown)


def _label(label: str) -> list[Block]:
    return [blocks.line(blocks.run(label, bold=True))] if label else []


def _short(text: str) -> str:
    return clipped(text, TITLE)


@_units.register
def _small_print(small: message.SmallPrint) -> Units:
    """The lines beside each other, a row of buttons, and two thumbs."""
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
        yield _unit(Rank.FIXED, "\n".join(small.lines), *shown)


@_units.register
def _handover(handover: message.Handover) -> Units:
    """Who asks, what, their note, and where; a link leads to the asker's message."""
    incoming, text = handover.incoming, " would like a person to answer this:"
    who = blocks.line(blocks.person(incoming.person), blocks.run(text))
    yield _unit(Rank.FIXED, f"Somebody{text}", blocks.rich(who))
    for piece in words(inert(handover.question)):
        yield _unit(Rank.BANNER, piece, blocks.rich(blocks.quote(blocks.run(piece))))
    yield from _words(
        message.Words(Rank.BANNER, inert(incoming.reason or ""), label="Note:")
    )
    yield _asked_at(incoming)
    yield from _units(message.Title("What the bot said"))


def _asked_at(incoming: Incoming) -> Unit[Said]:
    """Where a question was asked, and how to answer it.

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
    return _unit(Rank.FIXED, told, blocks.rich(blocks.line(*shown)))


# --- pages ------------------------------------------------------------------------


def pages(units: Sequence[Unit[Said]]) -> list[Payload]:
    """The messages that show these units, or as many of them as fit."""
    return [_page(page) for page in paged(units, Paper(PAGES, _fit, _note))]


def words(text: str) -> list[str]:
    """Our own words in pieces that fit into a unit; none for white space."""
    text = clipped(text.strip(), PAGES * PAGE)
    return prose(text, lambda piece: len(piece) <= WORDS) if text else []


def _fit(units: Sequence[Unit[Said]]) -> bool:
    size = sum(unit.shown.size for unit in units)
    return size <= PAGE and len(_blocks(units)) <= BLOCKS


def _note(text: str) -> Said:
    return Said(text, (blocks.rich(blocks.line(blocks.run(text, italic=True))),))


def _blocks(units: Sequence[Unit[Said]]) -> list[Block]:
    made: list[Block] = []
    for listed, neighbours in groupby(units, lambda unit: unit.shown.listed):
        shown = [block for unit in neighbours for block in unit.shown.blocks]
        if listed:
            lines = (part for block in shown for part in block["elements"])
            shown = [blocks.rich(*lines)]
        made += shown
    return made


def _page(units: Sequence[Unit[Said]]) -> Payload:
    """One message; its text, which notifications show, is escaped."""
    said: list[str] = []
    for unit in units:
        text = escaped(unit.shown.text)
        if len("\n".join([*said, text])) > PREVIEW:
            break
        said.append(text)
    text = "\n".join(said) or _opening(units[0])
    shown: list[JsonValue] = [*_blocks(units)]
    return {"text": text, "blocks": shown}


def _opening(unit: Unit[Said]) -> str:
    """A notification of a unit that is too long for one; no quotation is cut."""
    if unit.rank is Rank.EVIDENCE:
        return "…"
    return escaped(clipped(unit.shown.text, PREVIEW // len("&amp;")))
