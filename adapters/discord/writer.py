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
    """Some Markdown, and whether it stands below the line; None: as what is before."""

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
        """A direct message may hold anything, others what all may see."""
        return method is not Method.WHISPER or "/" in old

    def pages(self, shown: message.Message, incoming: Incoming) -> Sequence[Payload]:
        """See `Writer`; details of sources give way before a quotation."""
        once = shown.single or (shown.tone is not None and bool(incoming.callback))
        most = 1 if once else PAGES
        shown = replace(shown, elements=_question_first(shown.elements))
        units = [*_all(shown)]
        pages = _pages(units, most)
        if shown.tone is not None and _quoted(pages) < _quoted([units]):
            pages = _pages([*_all(shown, brief=True)], most)
        below = [row for element in shown.elements for row in _rows(element)]
        colour = _COLOURS.get(shown.tone or "")
        return [
            _message(page, below if page is pages[-1] else (), colour) for page in pages
        ]

    def payload(self, page: Payload, method: Method, name: str) -> Payload:
        return page

    def notifying(self, payload: Payload) -> Payload:
        allowed = {**components.nobody(), "replied_user": True}
        return {**payload, "allowed_mentions": allowed}


DISCORD = Posts(DiscordWriter())


# --- elements ---------------------------------------------------------------------


def _question_first(elements: Sequence[message.Element]) -> tuple[message.Element, ...]:
    """The elements with the question on top, below an emergency's notice."""

    def place(element: message.Element) -> int:
        if not isinstance(element, message.Words):
            return 2
        return 0 if element.kind == "emergency" else 2 - bool(element.label)

    return tuple(sorted(elements, key=place))


def _all(shown: message.Message, *, brief: bool = False) -> Units:
    if shown.title:
        yield Unit(Rank.FIXED, Said(_heading(shown.title)))
    for element in shown.elements:
        if brief and isinstance(element, message.Source):
            element = replace(element, brief=True)
        yield from _units(element)


@singledispatch
def _units(element: message.Element) -> Units:
    """What shows an element; each has a function of its own below."""
    raise TypeError(type(element).__name__)


@_units.register
def _words(words: message.Words) -> Units:
    """Our own words, in as many units as they need; none where there is nothing."""

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

    for piece in _pieces(words.text, form):
        yield Unit(words.rank, Said(piece))


@_units.register
def _title(title: message.Title) -> Units:
    for piece in _pieces(title.text, _heading):
        yield Unit(title.rank, Said(piece))


def _pieces(text: str, form: Callable[[str], str]) -> Iterator[str]:
    for piece in prose(text.strip(), lambda part: len(form(part)) <= WORDS):
        if not markdown.blank(piece):
            yield form(piece).strip()


def _heading(text: str) -> str:
    return f"### {markdown.plain(text)}"


@_units.register
def _cited(cited: message.Cited) -> Units:
    block = cited.block
    if isinstance(block, Quotation):
        shown = markdown.quotation(block)
    else:
        marks = markdown.cited(block.numbers)
        shown = f"{markdown.plain(block.text.strip())} {marks}".strip()
    yield Unit(Rank.EVIDENCE, Said(shown))


@_units.register
def _links(links: message.Links) -> Units:
    named = ((_cut(page.title or page.url), page.url) for page in links.homepages)
    lines = "\n".join(markdown.listed(title, url) for title, url in named)
    yield Unit(Rank.WORDS, Said(lines))


@_units.register
def _choices(choices: message.Choices) -> Units:
    """By number where a button has no room for it."""
    shown = [markdown.strong(markdown.plain(DID_YOU_MEAN))]
    if not _fit_buttons(choices):
        shown += [f"{one.number}\\. {_short(one.label)}" for one in choices.offered]
    yield Unit(Rank.FIXED, Said("\n".join(shown)))


@_units.register
def _source(source: message.Source) -> Units:
    cited, brief = source.cited, source.brief
    title = clipped(cited.title, BRIEF if brief else TITLE) or message.UNTITLED
    shown = f"{_marks(cited.numbers)} {markdown.link(title, cited.url)}"
    if cited.publisher and not brief:
        shown += f" ({_short(cited.publisher)})"
    if cited.demo:
        shown += r" \[demo text\]"
    yield _small(f"{shown} · {_short(cited.dated)}" if cited.dated else shown)


@_units.register
def _place(place: message.SourcePlace) -> Units:
    mark = f"{BULLET}{_marks(place.numbers)} " if place.numbers else BULLET
    yield _small(f"{mark}{markdown.link(_cut(place.section), place.url)}")


@_units.register
def _near(near: message.Near) -> Units:
    line = markdown.listed(_cut(near.title) or message.UNTITLED, near.url)
    yield _small(f"{markdown.strong(near.label)}\n{line}" if near.label else line)


@_units.register
def _figures(figures: message.Figures) -> Units:
    for name, value in figures.pairs:
        yield _small(markdown.plain(f"{_cut(name)}: {_cut(value)}"))


@_units.register
def _small_print(small: message.SmallPrint) -> Units:
    for line in small.lines:
        shown = markdown.small(markdown.plain(clipped(line, LINE)))
        yield Unit(Rank.FIXED, Said(shown, "below"))


@_units.register
def _handover(handover: message.Handover) -> Units:
    """Who asks and where, the question, and the remark of who asked it."""
    incoming = handover.incoming
    channel = incoming.place.thread or incoming.place.channel
    who = f"<@{incoming.person}>" if incoming.person.isdecimal() else "Somebody"
    where = f" in <#{channel}>" if channel.isdecimal() else ""
    asks = f"{who}{where} would like a person to answer this:"
    yield Unit(Rank.FIXED, Said(asks))
    for line, text in (("Question", handover.question), ("Remark", incoming.reason)):
        if shown := clipped(inert(text or "").strip(), WORDS // 4):
            yield from _words(message.Words(Rank.BANNER, f"{line}: {shown}"))


def _small(shown: str) -> Unit[Said]:
    return Unit(Rank.SOURCE, Said(markdown.small(shown), "below"))


def _marks(numbers: Iterable[int]) -> str:
    return " ".join(markdown.cited([number]) for number in numbers)


def _cut(text: str) -> str:
    return clipped(text, TITLE)


def _short(text: str) -> str:
    return markdown.plain(_cut(text))


# --- buttons ----------------------------------------------------------------------


def _rows(element: message.Element) -> Iterable[Component]:
    """The rows of buttons that an element has below the message."""
    match element:
        case message.Choices():
            made = [*_offered(element)]
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


def _offered(choices: message.Choices) -> Iterator[Component]:
    """What may be asked instead, and saying that it is none of it."""
    known, fit = choices.audit_id, _fit_buttons(choices)
    for choice in choices.offered:
        name = f"{numbered(Action.CHOOSE, choice.number)}:{known}"
        yield components.button(name, (fit and choice.label) or str(choice.number))
    yield components.button(f"{Action.NONE_OF_THESE}:{known}", NONE_OF_THESE)


def _fit_buttons(choices: message.Choices) -> bool:
    return all(len(choice.label) <= components.LABEL for choice in choices.offered)


# --- pages ------------------------------------------------------------------------


def _pages(units: Sequence[Unit[Said]], most: int) -> list[list[Unit[Said]]]:
    """The messages of some units: one at least, because nobody is left without."""
    paper = Paper(pages=most, fits=_fits, note=_note)
    return paged(units, paper) or [[Unit(Rank.FIXED, Said(message.NOTHING))]]


def _fits(page: Sequence[Unit[Said]]) -> bool:
    gap = len(_GAP["above"])
    return sum(len(unit.shown.text) + gap for unit in page) <= components.TEXT


def _note(text: str) -> Said:
    return Said(markdown.small(markdown.plain(text)), None)


def _quoted(pages: Sequence[Sequence[Unit[Said]]]) -> int:
    return sum(unit.rank is Rank.EVIDENCE for page in pages for unit in page)


def _message(
    page: Sequence[Unit[Said]], below: Sequence[Component], colour: int | None
) -> Payload:
    shown: list[Component] = []
    for part, texts in _sections(page):
        shown += [components.separator()] if shown else []
        shown.append(components.text(_GAP[part].join(texts)))
    return components.message(shown, below, colour)


def _sections(page: Sequence[Unit[Said]]) -> list[tuple[str, list[str]]]:
    """The texts above and below the line, in order."""
    found: list[tuple[str, list[str]]] = []
    for unit in page:
        part = unit.shown.part or (found[-1][0] if found else "above")
        if not found or found[-1][0] != part:
            found.append((part, []))
        found[-1][1].append(unit.shown.text)
    return found
