"""A `Reply` as units of Discord Markdown: banners, body, sources, why, small print.

Nothing is worded here but labels. Only sources, what came near and the homepages of a
refusal can be followed; every other text does nothing but be read.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from adapters.discord import markdown
from adapters.discord.components import LABEL
from adapters.layout import BULLET, Rank, Unit, clipped, prose, ranked
from adapters.mentions import runs
from adapters.reply import (
    DID_YOU_MEAN,
    Banner,
    Block,
    Heading,
    Offered,
    Pointer,
    Quotation,
    Reply,
    inert,
    one_line,
)
from adapters.sources import CitedDocument, CitedPlace, documents

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


def fixed(text: str, people: Collection[str] = ()) -> str:
    """A fixed text that is no part of a reply; `people` stand in it as mentions."""
    shown = (
        run if person else markdown.plain(run)
        for run, person in runs(inert(text), people)
    )
    return "".join(shown)


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


def choices(reply: Reply) -> Units:
    """What may be asked instead, by number where a button has no room for it."""
    if not reply.choices or audit_id(reply) is None:
        return
    shown = [markdown.strong(markdown.plain(DID_YOU_MEAN))]
    if not fit(reply.choices):
        shown += [f"{each.number}\\. {_short(each.label)}" for each in reply.choices]
    yield Unit(Rank.FIXED, Said("\n".join(shown)))


def fit(choices: Iterable[Offered]) -> bool:
    """Whether every choice fits a button."""
    return all(len(each.label) <= LABEL for each in choices)


# --- sources and why --------------------------------------------------------------


def listed(reply: Reply, *, brief: bool = False) -> Units:
    """A line for each document that is cited: its numbers, its link, its age."""
    for cited in documents(reply.sources):
        yield _small(_document(cited, brief=brief))


def placed(reply: Reply) -> Units:
    """The documents that are cited, and below each the places that its numbers mean."""
    for cited in documents(reply.sources):
        yield _small(_document(cited))
        several = len(cited.places) > 1
        for place in cited.places:
            if place.section:
                yield _small(_place(place, cited, numbered=several))


def _small(shown: str) -> Unit[Said]:
    return Unit(Rank.SOURCE, Said(markdown.small(shown), "below"))


def _document(cited: CitedDocument, *, brief: bool = False) -> str:
    title = clipped(cited.title, BRIEF if brief else TITLE) or "Untitled"
    shown = f"{_marks(cited.numbers)} {markdown.link(title, cited.url)}"
    if cited.publisher and not brief:
        shown += f" ({_short(cited.publisher)})"
    if cited.demo:
        shown += r" \[demo text\]"
    return f"{shown} · {_short(cited.dated)}" if cited.dated else shown


def _place(place: CitedPlace, cited: CitedDocument, *, numbered: bool) -> str:
    mark = f"{BULLET}{_marks(place.numbers)} " if numbered else BULLET
    url = place.url if place.url != cited.url else None
    return f"{mark}{markdown.link(_cut(place.section), url)}"


def _marks(numbers: Iterable[int]) -> str:
    return " ".join(markdown.cited([number]) for number in numbers)


def why(reply: Reply) -> Units:
    """How the decision came about and what came near: never its text (R-D5)."""
    yield Unit(Rank.BANNER, Said("### Why?"))
    yield from words(reply.why.verdict)
    label = [markdown.strong("Pages that came close")]
    for near in reply.why.nearest:
        yield _small("\n".join([*label, _near(near)]))
        label = []
    if reply.why.helps:
        yield from words(f"What would help: {reply.why.helps}")
    for name, value in reply.why.numbers:
        yield _small(markdown.plain(f"{_cut(name)}: {_cut(value)}"))


def _near(near: Pointer) -> str:
    place = f"{near.title} > {near.section}" if near.section else near.title
    return markdown.listed(_cut(place) or "Untitled", near.url)


def _cut(text: str) -> str:
    return clipped(text, TITLE)


def _short(text: str) -> str:
    return markdown.plain(_cut(text))


# --- below ------------------------------------------------------------------------


def small_print(reply: Reply) -> Units:
    """The demo label and the id of the record."""
    lines = (
        reply.demo_label,
        (known := audit_id(reply)) and f"Reference {known}, for whoever runs me",
    )
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
