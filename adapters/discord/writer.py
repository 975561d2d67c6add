"""Discord's form of a message: elements to Markdown, Markdown to pages of components.

Nothing is worded here but labels. Only sources, what came near and the homepages of a
refusal can be followed; every other text does nothing but be read. A payload is a
message of Components V2 that any call can carry. The answer to an interaction is one
message, shortened until it fits; one to a message is as many as it takes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Literal

from adapters import message
from adapters.discord import components, markdown
from adapters.discord.components import Component
from adapters.discord.names import PRIVATE, YES
from adapters.inert import inert
from adapters.layout import BULLET, Paper, Rank, Unit, clipped, paged, prose
from adapters.mail import Action, Incoming, Method, Payload, numbered
from adapters.mentions import runs
from adapters.posts import Posts
from adapters.reply import DID_YOU_MEAN, NONE_OF_THESE, Quotation

PAGES = 5  # messages of one reply: as many as Discord takes at once in a channel
WORDS = 3_000  # characters of our own words in one unit, markup counted
TITLE = 200  # characters of a title, a section or a publisher
BRIEF = 80  # of a title where there is no room for more
LINE = 500  # of a line in small print

_MARKS = {"emergency": "🚨 ", "notice": "⚠️ "}
_COLOURS = {"emergency": 0xC62828, "answered": 0x2E7D32, "refused": 0x757575}
_GAP = {"above": "\n\n", "below": "\n"}


@dataclass(frozen=True, slots=True)
class Said:
    """Some Markdown, and whether it is below the line; None: as what is before."""

    text: str
    part: Literal["above", "below"] | None = "above"


Units = Iterator[Unit[Said]]


class DiscordWriter:
    """Writes messages for Discord; see `Writer`."""

    letters = Method.WHISPER

    def method(self, incoming: Incoming) -> Method:
        """See `Writer`.

        Where a place became private after the interaction was acknowledged for
        everybody to see, its answer goes another way.
        """
        place = incoming.place
        if incoming.callback:
            private = incoming.callback.get(PRIVATE) == YES
            return Method.WHISPER if place.private and not private else Method.RESPOND
        if place.private and not place.direct:
            return Method.WHISPER
        return Method.POST

    def alone(self, incoming: Incoming) -> Method:
        return Method.WHISPER

    def unseen(self, incoming: Incoming) -> bool:
        return bool(incoming.callback) and incoming.action is Action.ASK

    def replaces(self, method: Method, old: str) -> bool:
        """See `Writer`; a direct message may hold anything, others what all may see."""
        return method is not Method.WHISPER or "/" in old

    def pages(self, shown: message.Message, incoming: Incoming) -> Sequence[Payload]:
        """See `Writer`; details of sources give way before a quotation."""
        once = shown.single or (shown.tone is not None and bool(incoming.callback))
        most = 1 if once else PAGES
        shown = replace(shown, elements=_put_question_first(shown.elements))
        units = [*_render_all(shown)]
        pages = _make_pages(units, most)
        if shown.tone is not None and _count_quoted(pages) < _count_quoted([units]):
            pages = _make_pages([*_render_all(shown, brief=True)], most)
        below = [row for element in shown.elements for row in _make_rows(element)]
        colour = _COLOURS.get(shown.tone or "")
        return [
            _make_message(page, below if page is pages[-1] else (), colour)
            for page in pages
        ]

    def payload(self, page: Payload, method: Method, name: str) -> Payload:
        return page

    def notifying(self, payload: Payload) -> Payload:
        allowed = {**components.notify_none(), "replied_user": True}
        return {**payload, "allowed_mentions": allowed}


DISCORD = Posts(DiscordWriter())


# --- elements ---------------------------------------------------------------------


def _put_question_first(
    elements: Sequence[message.Element],
) -> tuple[message.Element, ...]:
    """Put the question on top of the elements, below an emergency's notice."""

    def place(element: message.Element) -> int:
        if not isinstance(element, message.Words):
            return 2
        return 0 if element.kind == "emergency" else 2 - bool(element.label)

    return tuple(sorted(elements, key=place))


def _render_all(shown: message.Message, *, brief: bool = False) -> Units:
    if shown.title:
        yield Unit(Rank.FIXED, Said(_write_heading(shown.title)))
    for element in shown.elements:
        if brief and isinstance(element, message.Source):
            element = replace(element, brief=True)
        yield from _render(element)


@singledispatch
def _render(element: message.Element) -> Units:
    """Render an element; each kind has a function of its own below."""
    raise TypeError(type(element).__name__)


@_render.register
def _render_words(words: message.Words) -> Units:
    """Render our own words, in as many units as needed; none where they are blank."""

    def form(text: str) -> str:
        shown = "".join(
            run if person else markdown.plain(run)
            for run, person in runs(text, words.people)
        )
        marked = _MARKS.get(words.kind, "") + shown
        match words.kind:
            case "emergency":
                return markdown.strong(marked)
            case "header" | "understood":
                return markdown.small(marked)
        return f"**{words.label}** {marked}" if words.label else marked

    for piece in _split(words.text, form):
        yield Unit(words.rank, Said(piece))


@_render.register
def _render_title(title: message.Title) -> Units:
    for piece in _split(title.text, _write_heading):
        yield Unit(title.rank, Said(piece))


def _split(text: str, form: Callable[[str], str]) -> Iterator[str]:
    for piece in prose(text.strip(), lambda part: len(form(part)) <= WORDS):
        if not markdown.is_blank(piece):
            yield form(piece).strip()


def _write_heading(text: str) -> str:
    return f"### {markdown.plain(text)}"


@_render.register
def _render_cited(cited: message.Cited) -> Units:
    block = cited.block
    if isinstance(block, Quotation):
        shown = markdown.quote_block(block)
    else:
        marks = markdown.cite(block.numbers)
        shown = f"{markdown.plain(block.text.strip())} {marks}".strip()
    yield Unit(Rank.EVIDENCE, Said(shown))


@_render.register
def _render_links(links: message.Links) -> Units:
    named = ((_shorten(page.title or page.url), page.url) for page in links.homepages)
    lines = "\n".join(markdown.list_item(title, url) for title, url in named)
    yield Unit(Rank.WORDS, Said(lines))


@_render.register
def _render_choices(choices: message.Choices) -> Units:
    """Render choices by number where a button has no room for them."""
    shown = [markdown.strong(markdown.plain(DID_YOU_MEAN))]
    if not _fit_buttons(choices):
        shown += [
            f"{one.number}\\. {_shorten_plain(one.label)}" for one in choices.offered
        ]
    yield Unit(Rank.FIXED, Said("\n".join(shown)))


@_render.register
def _render_source(source: message.Source) -> Units:
    cited, brief = source.cited, source.brief
    title = clipped(cited.title, BRIEF if brief else TITLE) or message.UNTITLED
    shown = f"{_cite_each(cited.numbers)} {markdown.link(title, cited.url)}"
    if cited.publisher and not brief:
        shown += f" ({_shorten_plain(cited.publisher)})"
    if cited.demo:
        shown += r" \[demo text\]"
    yield _make_small(
        f"{shown} · {_shorten_plain(cited.dated)}" if cited.dated else shown
    )


@_render.register
def _render_place(place: message.SourcePlace) -> Units:
    mark = f"{BULLET}{_cite_each(place.numbers)} " if place.numbers else BULLET
    yield _make_small(f"{mark}{markdown.link(_shorten(place.section), place.url)}")


@_render.register
def _render_near(near: message.Near) -> Units:
    line = markdown.list_item(_shorten(near.title) or message.UNTITLED, near.url)
    yield _make_small(f"{markdown.strong(near.label)}\n{line}" if near.label else line)


@_render.register
def _render_figures(figures: message.Figures) -> Units:
    for name, value in figures.pairs:
        yield _make_small(markdown.plain(f"{_shorten(name)}: {_shorten(value)}"))


@_render.register
def _render_small_print(small: message.SmallPrint) -> Units:
    for line in small.lines:
        shown = markdown.small(markdown.plain(clipped(line, LINE)))
        yield Unit(Rank.FIXED, Said(shown, "below"))


@_render.register
def _render_handover(handover: message.Handover) -> Units:
    """Render who asks and where, the question, and the remark of who asked it."""
    incoming = handover.incoming
    channel = incoming.place.thread or incoming.place.channel
    who = f"<@{incoming.person}>" if incoming.person.isdecimal() else "Somebody"
    where = f" in <#{channel}>" if channel.isdecimal() else ""
    asks = f"{who}{where} would like a person to answer this:"
    yield Unit(Rank.FIXED, Said(asks))
    for line, text in (("Question", handover.question), ("Remark", incoming.reason)):
        if shown := clipped(inert(text or "").strip(), WORDS // 4):
            yield from _render_words(message.Words(Rank.BANNER, f"{line}: {shown}"))


def _make_small(shown: str) -> Unit[Said]:
    return Unit(Rank.SOURCE, Said(markdown.small(shown), "below"))


def _cite_each(numbers: Iterable[int]) -> str:
    return " ".join(markdown.cite([number]) for number in numbers)


def _shorten(text: str) -> str:
    return clipped(text, TITLE)


def _shorten_plain(text: str) -> str:
    return markdown.plain(_shorten(text))


# --- buttons ----------------------------------------------------------------------


def _make_rows(element: message.Element) -> Iterable[Component]:
    """Make the rows of buttons that an element has below the message."""
    match element:
        case message.Choices():
            made = [*_make_choice_buttons(element)]
        case message.SmallPrint(audit_id=str(known)):
            labels = dict(element.buttons) | {Action.ASK: "Ask a follow-up"}
            labels |= {Action.HELPFUL: "Helpful", Action.NOT_HELPFUL: "Not helpful"}
            if element.people:
                labels[Action.ASK_PERSON] = "Ask a person"
            made = [
                components.button(f"{action}:{known}", label or action)
                for action, label in labels.items()
            ]
        case _:
            made = []
    return components.rows(made)


def _make_choice_buttons(choices: message.Choices) -> Iterator[Component]:
    """Make the buttons of what may be asked instead, and of none of it."""
    known, fit = choices.audit_id, _fit_buttons(choices)
    for choice in choices.offered:
        name = f"{numbered(Action.CHOOSE, choice.number)}:{known}"
        yield components.button(name, (fit and choice.label) or str(choice.number))
    yield components.button(f"{Action.NONE_OF_THESE}:{known}", NONE_OF_THESE)


def _fit_buttons(choices: message.Choices) -> bool:
    return all(len(choice.label) <= components.LABEL for choice in choices.offered)


# --- pages ------------------------------------------------------------------------


def _make_pages(units: Sequence[Unit[Said]], most: int) -> list[list[Unit[Said]]]:
    """Put units into messages: one at least, so that there is always a reply."""
    paper = Paper(pages=most, fits=_fits, note=_make_note)
    return paged(units, paper) or [[Unit(Rank.FIXED, Said(message.NOTHING))]]


def _fits(page: Sequence[Unit[Said]]) -> bool:
    gap = len(_GAP["above"])
    return sum(len(unit.shown.text) + gap for unit in page) <= components.TEXT


def _make_note(text: str) -> Said:
    return Said(markdown.small(markdown.plain(text)), None)


def _count_quoted(pages: Sequence[Sequence[Unit[Said]]]) -> int:
    return sum(unit.rank is Rank.EVIDENCE for page in pages for unit in page)


def _make_message(
    page: Sequence[Unit[Said]], below: Sequence[Component], colour: int | None
) -> Payload:
    shown: list[Component] = []
    for part, texts in _collect_sections(page):
        shown += [components.separator()] if shown else []
        shown.append(components.text(_GAP[part].join(texts)))
    return components.message(shown, below, colour)


def _collect_sections(page: Sequence[Unit[Said]]) -> list[tuple[str, list[str]]]:
    """Collect the texts above and below the line, in order."""
    found: list[tuple[str, list[str]]] = []
    for unit in page:
        part = unit.shown.part or (found[-1][0] if found else "above")
        if not found or found[-1][0] != part:
            found.append((part, []))
        found[-1][1].append(unit.shown.text)
    return found
