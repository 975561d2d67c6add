"""One neutral message: what a reply shows, in which order, before any platform's form.

Slack, Discord and the terminal each have a writer that gives every element its form and
words nothing but labels. `layout.paged` says which elements give way where a platform
has no room for all of them.
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
LONGEST_ASKED = 500  # characters of a question that is repeated
LONGEST_ID = 80  # characters of an audit id; a longer one is none of ours

Tone = Literal["emergency", "answered", "refused"]


# --- elements ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """Our own words, which may be split where they are too long.

    Attributes:
        kind: a banner's, or "plain".
        label: stands in bold before them.
        people: ids of those whom the text names as mentions.
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
    """What may be asked instead (R-Q5); a button each, which carries the audit id."""

    offered: tuple[Offered, ...]
    audit_id: str


@dataclass(frozen=True, slots=True)
class Source:
    """A cited document: its numbers, its link, its age.

    Attributes:
        label: stands above the first of a list.
        placed: whether its places follow.
        brief: whether there is no room for more than title and age.
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
    """A page that came near; `label` stands above the first of a list."""

    title: str
    url: str | None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of a decision, each with its name."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SmallPrint:
    """What stands below a reply: the demo label, its reference, what to ask next.

    Attributes:
        lines: in small print.
        audit_id: that the buttons carry; None where there are none.
        buttons: action and label of each that the reply offers.
        people: whether a person can be asked.
    """

    lines: tuple[str, ...]
    audit_id: str | None = None
    buttons: tuple[tuple[str, str], ...] = ()
    people: bool = False


@dataclass(frozen=True, slots=True)
class Handover:
    """Who would like a person to answer which question, and where it was asked."""

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
        tone: what an outcome is; None where the message is none.
        single: whether it has to be one message where the platform answers once.
        title: what it is, where that does not show by itself.
    """

    elements: tuple[Element, ...]
    tone: Tone | None = None
    single: bool = False
    title: str = ""


# --- from a reply -----------------------------------------------------------------


def whole(reply: Reply, question: str = "", *, people: bool = False) -> Message:
    """An outcome with its sources and what may be asked next.

    Args:
        reply: the outcome in words.
        question: repeated where nobody else sees it; empty where it is seen.
        people: whether a person can be asked.
    """
    elements = (
        *_banners(reply),
        *_question(question),
        *_body(reply.body, reply),
        *_choices(reply),
        *_sources(reply),
        small_print(reply, buttons=True, people=people),
    )
    urgent = any(banner.kind == "emergency" for banner in reply.banners)
    tone: Tone = "answered" if reply.answered else "refused"
    return Message(elements, "emergency" if urgent else tone)


def rest(reply: Reply) -> Message:
    """What of an answer was not shown at once (R-A3)."""
    return Message((*_body(reply.more, reply), small_print(reply)))


def sources(reply: Reply) -> Message:
    """The documents that are cited, each with the places that its numbers mean."""
    listed = tuple(_sources(reply, placed=True)) or (Words(Rank.WORDS, NO_SOURCES),)
    return Message((*listed, small_print(reply)), single=True, title=SOURCES)


def why(reply: Reply) -> Message:
    """How the decision came about and what came near: never its text (R-D5)."""
    return Message((*_why(reply), small_print(reply)), single=True)


def fixed(text: str, people: Sequence[str] = ()) -> Message:
    """A fixed text that is no part of a reply; `people` stand in it as mentions."""
    words = Words(Rank.WORDS, inert(text), people=tuple(people))
    return Message((words,), single=True)


def handover(reply: Reply, incoming: Incoming, question: str) -> Message:
    """A question for a person, with what the bot said."""
    elements = (
        Handover(incoming, question),
        *_banners(reply),
        *_body(reply.body, reply),
        *_sources(reply),
        small_print(reply),
    )
    return Message(elements)


def small_print(
    reply: Reply, *, buttons: bool = False, people: bool = False
) -> SmallPrint:
    """What stands below; without a record there is nothing to ask for."""
    known = audit_id(reply)
    reference = f"Reference {known}, for whoever runs me" if known else None
    lines = tuple(line for line in (reply.demo_label, reference) if line)
    if not (buttons and known):
        return SmallPrint(lines)
    offered = tuple((button.action, button.label) for button in reply.buttons)
    return SmallPrint(lines, known, offered, people)


def audit_id(reply: Reply) -> str | None:
    """The id that the buttons of a reply carry; None where it can have none."""
    known = reply.audit_id
    return known if known and len(known) <= LONGEST_ID else None


def ranked(body: Sequence[Block], *, answered: bool) -> Iterator[tuple[Rank, Block]]:
    """Each block of a body with what it is.

    In an answer, words of ours that cite nothing introduce the quotation below them, or
    end the body with what was not found.
    """
    for number, block in enumerate(body):
        below = body[number + 1 : number + 2]
        yield _rank(block, below[0] if below else None, answered), block


def _rank(block: Block, below: Block | None, answered: bool) -> Rank:
    if isinstance(block, Heading):
        return Rank.HEADING
    if not answered:
        return Rank.WORDS
    if isinstance(block, Quotation) or block.numbers:
        return Rank.EVIDENCE
    if below is None:
        return Rank.NOT_FOUND
    return Rank.INTRODUCTION if isinstance(below, Quotation) else Rank.WORDS


def _banners(reply: Reply) -> Iterator[Element]:
    """What stands on top, in the order of the reply (R-F3)."""
    for banner in reply.banners:
        yield Words(Rank.BANNER, banner.text, banner.kind)


def _question(text: str) -> Iterator[Element]:
    asked = clipped(one_line(text), LONGEST_ASKED)
    if asked:
        yield Words(Rank.BANNER, asked, label="Question:")


def _body(body: Sequence[Block], reply: Reply) -> Iterator[Element]:
    """What the reply says, every statement with the numbers of its sources."""
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


def _choices(reply: Reply) -> Iterator[Element]:
    known = audit_id(reply)
    if reply.choices and known:
        yield Choices(reply.choices, known)


def _sources(reply: Reply, *, placed: bool = False) -> Iterator[Element]:
    """A line for each document that is cited; `placed`: and for each of its places."""
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


def _why(reply: Reply) -> Iterator[Element]:
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
    """The reply with a notice on top, below an emergency: of first use, of a recall."""
    kinds = [banner.kind for banner in reply.banners]
    at = next((n for n, known in enumerate(kinds) if known != "emergency"), len(kinds))
    notice = Banner(kind=kind, text=text)
    banners = (*reply.banners[:at], notice, *reply.banners[at:])
    return reply.model_copy(update={"banners": banners})
