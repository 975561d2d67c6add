"""A `Reply` as units of Discord Markdown: banners, body, sources, why, small print.

Nothing is worded here but labels. Only sources, what came near and the homepages of a
refusal can be followed; every other text does nothing but be read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from adapters.discord import markdown
from adapters.layout import BULLET, Rank, Unit, clipped, prose, ranked
from adapters.reply import (
    Banner,
    Block,
    Heading,
    Pointer,
    Quotation,
    Reply,
    SourceLine,
    inert,
    one_line,
)

WORDS = 3_000  # characters of our own words in one unit, markup counted
TITLE = 200  # characters of a title, a section or a publisher
BRIEF = 80  # of a title where there is no room for more
ASKED = 500  # of a question that is repeated
AUDIT_ID = 80  # a longer one is none of ours

_MARKS = {"emergency": "🚨 ", "notice": "⚠️ "}


@dataclass(frozen=True, slots=True)
class Said:
    """Some Markdown, and whether it stands below the line; None: as what is before."""

    text: str
    part: Literal["above", "below"] | None = "above"


Units = Iterator[Unit[Said]]
Form = Callable[[str], str]


def words(text: str, rank: Rank = Rank.WORDS, form: Form = markdown.plain) -> Units:
    """Our own words, in as many units as they need; none where there is nothing."""
    for piece in prose(text.strip(), lambda part: len(form(part)) <= WORDS):
        if not markdown.blank(piece):
            yield Unit(rank, Said(form(piece).strip()))


def fixed(text: str) -> str:
    """A fixed text that is no part of a reply."""
    return markdown.plain(inert(text))


def note(text: str) -> Said:
    """A few words on what is missing, where it would have stood."""
    return Said(markdown.small(markdown.plain(text)), None)


def question(text: str) -> Units:
    """The question, where it cannot be seen above the reply."""
    asked = clipped(one_line(text), ASKED)
    if asked:
        shown = f"**Question:** {markdown.plain(asked)}"
        yield Unit(Rank.BANNER, Said(shown))


def banners(reply: Reply) -> Units:
    """What stands on top, in the order of the reply (R-F3)."""
    for banner in reply.banners:
        yield from words(banner.text, Rank.BANNER, partial(_top, banner))


def _top(banner: Banner, text: str) -> str:
    mark = _MARKS.get(banner.kind, "")
    match banner.kind:
        case "emergency":
            return markdown.strong(mark + markdown.plain(text))
        case "notice":
            return mark + markdown.plain(text)
        case "header" | "understood":
            return markdown.small(markdown.plain(text))


# --- the body ---------------------------------------------------------------------


def body(reply: Reply) -> Units:
    """What the reply says, every statement with the numbers of its sources."""
    for rank, block in ranked(reply):
        if rank is Rank.EVIDENCE:
            yield Unit(rank, Said(_evidence(block)))
        elif isinstance(block, Heading):
            yield from words(block.text, rank, _heading)
        elif not isinstance(block, Quotation):
            yield from words(block.text, rank)
    if reply.links:
        named = ((_cut(link.title or link.url), link.url) for link in reply.links)
        lines = "\n".join(markdown.listed(title, url) for title, url in named)
        yield Unit(Rank.WORDS, Said(lines))


def _heading(text: str) -> str:
    return f"### {markdown.plain(text)}"


def _evidence(block: Block) -> str:
    if isinstance(block, Quotation):
        return markdown.quotation(block)
    numbers = () if isinstance(block, Heading) else block.numbers
    return f"{markdown.plain(block.text.strip())} {markdown.cited(numbers)}".strip()


# --- sources and why --------------------------------------------------------------


def listed(reply: Reply, *, brief: bool = False) -> Units:
    """One line for each source: where it stands, how old it is, and its link."""
    for source in reply.sources:
        yield Unit(Rank.SOURCE, Said(_source(source, brief), "below"))


def _source(source: SourceLine, brief: bool) -> str:
    title = clipped(source.title, BRIEF if brief else TITLE) or "Untitled"
    shown = f"{markdown.cited([source.number])} {markdown.link(title, source.url)}"
    if source.publisher and not brief:
        shown += f" ({_short(source.publisher)})"
    if source.demo:
        shown += r" \[demo text\]"
    places = (source.dated,) if brief else (source.section, source.dated)
    for place in filter(None, places):
        shown += f" · {_short(place)}"
    return markdown.small(shown)


def why(reply: Reply) -> Units:
    """How the decision came about and what came near: never its text (R-D5)."""
    yield Unit(Rank.BANNER, Said("### Why?"))
    yield from words(reply.why.verdict)
    for name, value in reply.why.numbers:
        line = markdown.plain(f"{BULLET}{_cut(name)}: {_cut(value)}")
        yield Unit(Rank.SOURCE, Said(markdown.small(line), "below"))
    label = [markdown.strong("Nearest passages")]
    for near in reply.why.nearest:
        shown = markdown.small("\n".join([*label, _near(near)]))
        yield Unit(Rank.SOURCE, Said(shown, "below"))
        label = []
    if reply.why.helps:
        yield from words(f"What would help: {reply.why.helps}")


def _near(near: Pointer) -> str:
    place = f"{near.title} > {near.section}" if near.section else near.title
    shown = markdown.listed(_cut(place) or "Untitled", near.url)
    return f"{shown} ({near.relevance:.2f})"


def _cut(text: str) -> str:
    return clipped(text, TITLE)


def _short(text: str) -> str:
    return markdown.plain(_cut(text))


# --- below ------------------------------------------------------------------------


def small_print(reply: Reply) -> Units:
    """The demo label and the id to verify the reply by."""
    lines = (reply.demo_label, (known := audit_id(reply)) and f"Audit id {known}")
    for line in filter(None, lines):
        shown = markdown.small(markdown.plain(clipped(line, ASKED)))
        yield Unit(Rank.FIXED, Said(shown, "below"))


def audit_id(reply: Reply) -> str | None:
    """The id that the buttons of a reply carry; None where it can have none."""
    known = reply.audit_id
    return known if known and len(known) <= AUDIT_ID else None


def handed_over(person: str, channel: str, asked: str, remark: str) -> Units:
    """A question for a person, with the remark of who asked it."""
    who = f"<@{person}>" if person.isdecimal() else "Somebody"
    where = f" in <#{channel}>" if channel.isdecimal() else ""
    asks = f"{who}{where} would like a person to answer this:"
    yield Unit(Rank.FIXED, Said(asks))
    for line, text in (("Question", asked), ("Remark", remark)):
        shown = clipped(inert(text).strip(), WORDS // 4)
        if shown:
            yield from words(f"{line}: {shown}", Rank.BANNER)
