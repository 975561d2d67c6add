"""The neutral message of a reply: its elements in order, before a platform's form.

Slack and Discord each have a writer that gives every element its form and adds only
labels. `layout.paged` drops elements where a platform has no room for all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from adapters.inert import inert, one_line
from adapters.layout import Rank, clipped
from adapters.mail import Incoming
from adapters.reply import (
    Banner,
    Block,
    Heading,
    Homepage,
    Offered,
    Paragraph,
    Quotation,
    Reply,
)
from adapters.sources import CitedDocument, documents

NO_SOURCES = "This reply cites no sources."
NOTHING = "There is nothing to show."
UNTITLED = "Untitled"
SOURCES, NEAR, WHY = "Sources", "Pages that came close", "Why?"
LONGEST_ASKED = 500  # characters of a repeated question
LONGEST_ID = 80  # characters of an audit id; a longer one is not ours

Tone = Literal["emergency", "answered", "refused"]


# --- elements ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """Our own words, which may be split where they are too long.

    Attributes:
        kind: the kind of a banner, or "plain".
        label: shown in bold before them.
        people: ids of the people whom the text mentions.
    """

    rank: Rank
    text: str
    kind: Literal["plain", "emergency", "header", "notice", "understood"] = "plain"
    label: str = ""
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Title:
    """A heading."""

    text: str
    rank: Rank = Rank.HEADING


@dataclass(frozen=True, slots=True)
class Cited:
    """A quotation or a validated claim, with the addresses of the sources it cites."""

    block: Quotation | Paragraph
    addresses: Mapping[int, str | None]


@dataclass(frozen=True, slots=True)
class Links:
    """The homepages that a refusal points to."""

    homepages: tuple[Homepage, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of a refusal, with a button each, which has the audit id."""

    offered: tuple[Offered, ...]
    audit_id: str


@dataclass(frozen=True, slots=True)
class Source:
    """A cited document: its numbers, its link, its age.

    Attributes:
        label: shown above the first of a list.
        placed: whether its places follow.
        brief: whether there is room for title and age only.
    """

    cited: CitedDocument
    label: str = ""
    placed: bool = False
    brief: bool = False


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place in a cited document, with its numbers where there are several places."""

    numbers: tuple[int, ...]
    section: str
    url: str | None


@dataclass(frozen=True, slots=True)
class Near:
    """A page that came close; `label` is shown above the first of a list."""

    title: str
    url: str | None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of a decision, each with its name."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SmallPrint:
    """The end of a reply: the demo label, its reference, and its buttons.

    Attributes:
        lines: lines in small print.
        audit_id: the audit id of the buttons; None where there are none.
        buttons: action and label of each button.
        people: whether a person can be asked.
    """

    lines: tuple[str, ...]
    audit_id: str | None = None
    buttons: tuple[tuple[str, str], ...] = ()
    people: bool = False


@dataclass(frozen=True, slots=True)
class Handover:
    """The event of "Ask a person", and the question."""

    incoming: Incoming
    question: str


Element = (
    Words
    | Title
    | Cited
    | Links
    | Choices
    | Source
    | SourcePlace
    | Near
    | Figures
    | SmallPrint
    | Handover
)


@dataclass(frozen=True, slots=True)
class Message:
    """Elements in their order.

    Attributes:
        tone: the kind of an outcome; None for other messages.
        single: whether it has to be one message where the platform answers once.
        title: the title, where the contents do not show it.
    """

    elements: tuple[Element, ...]
    tone: Tone | None = None
    single: bool = False
    title: str = ""


# --- from a reply -----------------------------------------------------------------


def whole(reply: Reply, question: str = "", *, people: bool = False) -> Message:
    """Make the message of an outcome with its sources and buttons.

    Args:
        reply: the outcome in words.
        question: the question to repeat; empty where it is visible above.
        people: whether a person can be asked.
    """
    elements = (
        *_list_banners(reply),
        *_list_question(question),
        *_list_body(reply.body, reply),
        *_list_choices(reply),
        *_list_sources(reply),
        small_print(reply, buttons=True, people=people),
    )
    urgent = any(banner.kind == "emergency" for banner in reply.banners)
    tone: Tone = "answered" if reply.answered else "refused"
    return Message(elements, "emergency" if urgent else tone)


def rest(reply: Reply) -> Message:
    """Make the message with the rest of an answer."""
    return Message((*_list_body(reply.more, reply), small_print(reply)))


def sources(reply: Reply) -> Message:
    """Make the message with the cited documents and the places of their numbers."""
    listed = tuple(_list_sources(reply, placed=True)) or (
        Words(Rank.WORDS, NO_SOURCES),
    )
    return Message((*listed, small_print(reply)), single=True, title=SOURCES)


def why(reply: Reply) -> Message:
    """Make the message that explains the decision and lists close pages, not texts."""
    return Message((*_list_why(reply), small_print(reply)), single=True)


def fixed(text: str, people: Sequence[str] = ()) -> Message:
    """Make the message of a fixed text; `people` are mentioned in it."""
    words = Words(Rank.WORDS, inert(text), people=tuple(people))
    return Message((words,), single=True)


def handover(reply: Reply, incoming: Incoming, question: str) -> Message:
    """Make the message with a question for a person and the bot's reply."""
    elements = (
        Handover(incoming, question),
        *_list_banners(reply),
        *_list_body(reply.body, reply),
        *_list_sources(reply),
        small_print(reply),
    )
    return Message(elements)


def small_print(
    reply: Reply, *, buttons: bool = False, people: bool = False
) -> SmallPrint:
    """Make the small print; without a record it has no buttons."""
    known = audit_id(reply)
    reference = f"Reference {known}, for whoever runs me" if known else None
    lines = tuple(line for line in (reply.demo_label, reference) if line)
    if not (buttons and known):
        return SmallPrint(lines)
    offered = tuple((button.action, button.label) for button in reply.buttons)
    return SmallPrint(lines, known, offered, people)


def audit_id(reply: Reply) -> str | None:
    """Return the audit id for the buttons of a reply, or None."""
    known = reply.audit_id
    return known if known and len(known) <= LONGEST_ID else None


def ranked(body: Sequence[Block], *, answered: bool) -> Iterator[tuple[Rank, Block]]:
    """List each block of a body with its rank.

    In an answer, words of ours without a citation introduce the quotation below them,
    or, at the end of the body, state what was not found.
    """
    for number, block in enumerate(body):
        below = body[number + 1 : number + 2]
        yield _find_rank(block, below[0] if below else None, answered), block


def _find_rank(block: Block, below: Block | None, answered: bool) -> Rank:
    if isinstance(block, Heading):
        return Rank.HEADING
    if not answered:
        return Rank.WORDS
    if isinstance(block, Quotation) or block.numbers:
        return Rank.EVIDENCE
    if below is None:
        return Rank.NOT_FOUND
    return Rank.INTRODUCTION if isinstance(below, Quotation) else Rank.WORDS


def _list_banners(reply: Reply) -> Iterator[Element]:
    """List the banners on top, in the order of the reply."""
    for banner in reply.banners:
        yield Words(Rank.BANNER, banner.text, banner.kind)


def _list_question(text: str) -> Iterator[Element]:
    asked = clipped(one_line(text), LONGEST_ASKED)
    if asked:
        yield Words(Rank.BANNER, asked, label="Question:")


def _list_body(body: Sequence[Block], reply: Reply) -> Iterator[Element]:
    """List the statements of a body with the numbers of their sources."""
    addresses = {source.number: source.url for source in reply.sources}
    for rank, block in ranked(body, answered=reply.answered):
        match block:
            case Heading():
                yield Title(block.text)
            case Paragraph(numbers=()):
                yield Words(rank, block.text)
            case Quotation() | Paragraph():
                yield Cited(block, addresses)
    if reply.links:
        yield Links(reply.links)


def _list_choices(reply: Reply) -> Iterator[Element]:
    known = audit_id(reply)
    if reply.choices and known:
        yield Choices(reply.choices, known)


def _list_sources(reply: Reply, *, placed: bool = False) -> Iterator[Element]:
    """List each cited document, and with `placed` each of its places."""
    label = SOURCES
    for cited in documents(reply.sources):
        yield Source(cited, label, placed=placed)
        label = ""
        several = len(cited.places) > 1
        for place in cited.places if placed else ():
            if place.section:
                numbers = place.numbers if several else ()
                url = place.url if place.url != cited.url else None
                yield SourcePlace(numbers, place.section, url)


def _list_why(reply: Reply) -> Iterator[Element]:
    yield Title(WHY, Rank.BANNER)
    yield Words(Rank.WORDS, reply.why.verdict)
    label = NEAR
    for near in reply.why.nearest:
        title = f"{near.title} > {near.section}" if near.section else near.title
        yield Near(title, near.url, label)
        label = ""
    if reply.why.helps:
        yield Words(Rank.WORDS, f"What would help: {reply.why.helps}")
    if reply.why.numbers:
        yield Figures(reply.why.numbers)


def with_notice(reply: Reply, text: str, kind: Literal["header", "notice"]) -> Reply:
    """Add a notice to the top of a reply, below an emergency."""
    kinds = [banner.kind for banner in reply.banners]
    at = next((n for n, known in enumerate(kinds) if known != "emergency"), len(kinds))
    notice = Banner(kind=kind, text=text)
    banners = (*reply.banners[:at], notice, *reply.banners[at:])
    return reply.model_copy(update={"banners": banners})
