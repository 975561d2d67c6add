"""A `Reply` as units for Slack messages: banners, body, sources, why, small print.

Nothing is worded here but labels. In quotations runs of white space are folded, but in
code every character is kept.
"""

from collections.abc import Collection, Iterator

from adapters.layout import BULLET, Rank, Unit, clipped, each, item, marks, ranked
from adapters.mail import Action, numbered
from adapters.mentions import runs
from adapters.reply import (
    DID_YOU_MEAN,
    NONE_OF_THESE,
    Banner,
    Heading,
    Paragraph,
    Piece,
    Pointer,
    Quotation,
    Reply,
    SourceLine,
    inert,
    one_line,
)
from adapters.slack import blocks
from adapters.slack.names import FEEDBACK
from adapters.slack.pages import Said, words
from adapters.sources import CitedDocument, CitedPlace, documents

TITLE = 300  # characters of a title, a section or a publisher
ASKED = 500  # characters of a question that is repeated
AUDIT_ID = 100  # a longer one is none of ours

Units = Iterator[Unit[Said]]


def said(
    text: str, rank: Rank = Rank.WORDS, *before: blocks.Block, **style: bool
) -> Units:
    """Our own words, in as many units as they need; `before` opens the first one."""
    for piece in words(text):
        shown = blocks.line(*before, blocks.run(piece, **style))
        yield _unit(rank, piece, blocks.rich(shown))
        before = ()


def fixed(text: str, people: Collection[str] = ()) -> Units:
    """A fixed text that only one person sees; `people` stand in it as mentions."""
    for piece in words(text):
        shown = [
            blocks.person(person) if person else blocks.run(run)
            for run, person in runs(piece, people)
        ]
        yield _unit(Rank.WORDS, piece, blocks.rich(blocks.line(*shown)))


def _unit(rank: Rank, text: str, *shown: blocks.Block) -> Unit[Said]:
    return Unit(rank, Said(text, shown))


def _listed(rank: Rank, text: str, *lines: blocks.Block) -> Unit[Said]:
    return Unit(rank, Said(text, (blocks.rich(*lines),), listed=True))


def heading(text: str) -> Unit[Said]:
    """A heading, which may not be empty."""
    return _unit(Rank.HEADING, text, blocks.header(text))


def question(text: str) -> Units:
    """The question, where nobody else can see it."""
    asked = clipped(one_line(text), ASKED)
    if asked:
        yield from said(asked, Rank.BANNER, blocks.run("Question: ", bold=True))


def banners(reply: Reply) -> Units:
    """What stands on top, in the order of the reply (R-F3)."""
    for banner in reply.banners:
        yield from _banner(banner)


def _banner(banner: Banner) -> Units:
    match banner.kind:
        case "emergency":
            before = (blocks.emoji("rotating_light"), blocks.run(" "))
            return said(banner.text, Rank.BANNER, *before, bold=True)
        case "notice":
            before = (blocks.emoji("warning"), blocks.run(" "))
            return said(banner.text, Rank.BANNER, *before)
        case "header" | "understood":
            return said(banner.text, Rank.BANNER, italic=True)


# --- the body ---------------------------------------------------------------------


def body(reply: Reply) -> Units:
    """What the reply says, every statement with the marks of its sources."""
    sources = {source.number: source for source in reply.sources}
    for rank, block in ranked(reply):
        match block:
            case Heading():
                if block.text:
                    yield heading(block.text)
            case Quotation():
                yield from _quotation(block, sources)
            case Paragraph(numbers=()):
                yield from said(block.text, rank)
            case Paragraph():
                yield _claim(block, sources)
    for link in reply.links:
        title = _short(link.title or link.url)
        shown = blocks.line(blocks.run(BULLET), blocks.link(link.url, title))
        yield _listed(Rank.WORDS, f"{BULLET}{title}: {link.url}", shown)


def _claim(claim: Paragraph, sources: dict[int, SourceLine]) -> Unit[Said]:
    text = claim.text.strip()
    cited = blocks.marks(claim.numbers, sources)
    runs = [blocks.run(text), *cited] if text else cited
    told = f"{text} {marks(claim.numbers)}"
    return _unit(Rank.EVIDENCE, told, blocks.rich(blocks.line(*runs)))


def _quotation(quotation: Quotation, sources: dict[int, SourceLine]) -> Units:
    elements: list[blocks.Block] = []
    lines: list[blocks.Block] = []
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
    cited = blocks.marks(quotation.numbers, sources)
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


def choices(reply: Reply) -> Units:
    """What may be asked instead: a button each, with its number where it is long."""
    audit_id = _audit_id(reply)
    if not reply.choices or audit_id is None:
        return
    long = any(len(offered.label) > blocks.LABEL for offered in reply.choices)
    lines = [blocks.line(blocks.run(DID_YOU_MEAN, bold=True))]
    told = [f"{offered.number}. {offered.label}" for offered in reply.choices]
    if long:
        lines += [blocks.line(blocks.run(text)) for text in told]
    row = [
        blocks.button(
            numbered(Action.CHOOSE, offered.number),
            str(offered.number) if long else offered.label or str(offered.number),
            value=audit_id,
        )
        for offered in reply.choices
    ]
    row.append(blocks.button(Action.NONE_OF_THESE, NONE_OF_THESE, value=audit_id))
    text = "\n".join((DID_YOU_MEAN, *told))
    yield _unit(Rank.FIXED, text, blocks.rich(*lines), blocks.actions(*row))


# --- sources and why --------------------------------------------------------------


def listed(reply: Reply) -> Units:
    """A line for each document that is cited: its numbers, its link, its age."""
    label = [blocks.line(blocks.run("Sources", bold=True))]
    for cited in documents(reply.sources):
        told, shown = _document(cited, " · ")
        yield _listed(Rank.SOURCE, told, *label, shown)
        label = []


def placed(reply: Reply) -> Units:
    """The documents that are cited, and below each the places that its numbers mean."""
    label = [blocks.line(blocks.run("Sources", bold=True))]
    for cited in documents(reply.sources):
        told, shown = _document(cited, "\n")
        yield _listed(Rank.SOURCE, told, *label, shown)
        label = []
        several = len(cited.places) > 1
        for place in cited.places:
            if place.section:
                yield _place(place, cited, numbered=several)


def _document(cited: CitedDocument, gap: str) -> tuple[str, blocks.Block]:
    """In words and as a line."""
    publisher = f" ({_short(cited.publisher)})" if cited.publisher else ""
    demo = " [demo text]" if cited.demo else ""
    rest = publisher + demo + (f"{gap}{_short(cited.dated)}" if cited.dated else "")
    title = _short(cited.title) or "Untitled"
    runs = [
        blocks.run(f"{each(cited.numbers)} ", bold=True),
        blocks.link(cited.url, title),
        *([blocks.run(rest)] if rest else []),
    ]
    return f"{each(cited.numbers)} {title}{rest}", blocks.line(*runs)


def _place(place: CitedPlace, cited: CitedDocument, *, numbered: bool) -> Unit[Said]:
    mark = f"{BULLET}{each(place.numbers)} " if numbered else BULLET
    section = _short(place.section)
    link = blocks.link(place.url if place.url != cited.url else None, section)
    shown = blocks.line(blocks.run(mark), link)
    return _listed(Rank.SOURCE, f"{mark}{section}", shown)


def why(reply: Reply) -> Units:
    """How the decision came about and what came near: never its text (R-D5)."""
    yield heading("Why?")
    yield from said(reply.why.verdict)
    label = [blocks.line(blocks.run("Pages that came close", bold=True))]
    for near in reply.why.nearest:
        yield _near(near, label)
        label = []
    if reply.why.helps:
        yield from said(f"What would help: {reply.why.helps}")
    if told := [
        f"{_short(name)}: {_short(value)}" for name, value in reply.why.numbers
    ]:
        text = " · ".join(told)
        yield _unit(Rank.SOURCE, text, blocks.context(text))


def _near(near: Pointer, label: list[blocks.Block]) -> Unit[Said]:
    place = f"{near.title} > {near.section}" if near.section else near.title
    title = _short(place) or "Untitled"
    runs = (blocks.run(BULLET), blocks.link(near.url, title))
    return _listed(Rank.EVIDENCE, f"{BULLET}{title}", *label, blocks.line(*runs))


def _short(text: str) -> str:
    return clipped(text, TITLE)


# --- below ------------------------------------------------------------------------


def small_print(reply: Reply, *, buttons: bool, people: bool = False) -> Units:
    """The demo label, the id of the record, and what may be asked next.

    Args:
        reply: the reply.
        buttons: whether to offer anything.
        people: whether to offer to ask a person.
    """
    audit_id = _audit_id(reply)
    lines = (
        reply.demo_label,
        audit_id and f"Reference {audit_id}, for whoever runs me",
    )
    texts = [text for text in lines if text]
    shown = [blocks.context(*texts)] if texts else []
    if buttons and audit_id:
        shown += _buttons(reply, audit_id, people)
    if shown:
        yield _unit(Rank.FIXED, "\n".join(texts), *shown)


def _audit_id(reply: Reply) -> str | None:
    """The id that the buttons of a reply carry; None where it can have none."""
    known = reply.audit_id
    return known if known and len(known) <= AUDIT_ID else None


def _buttons(reply: Reply, audit_id: str, people: bool) -> list[blocks.Block]:
    labels: dict[str, str] = {b.action: b.label for b in reply.buttons if b.label}
    if people:
        labels[Action.ASK_PERSON] = "Ask a person"
    row = [blocks.button(a, label, value=audit_id) for a, label in labels.items()]
    thumbs = blocks.thumbs(
        FEEDBACK,
        f"{Action.HELPFUL}:{audit_id}",
        f"{Action.NOT_HELPFUL}:{audit_id}",
    )
    return [*([blocks.actions(*row)] if row else []), thumbs]


def handed_over(person: str, asked: str, note: str) -> Units:
    """A question for a person, with the note of who asked it."""
    text = " would like a person to answer this:"
    who = blocks.line(blocks.person(person), blocks.run(text))
    yield _unit(Rank.FIXED, f"Somebody{text}", blocks.rich(who))
    for piece in words(inert(asked)):
        yield _unit(Rank.BANNER, piece, blocks.rich(blocks.quote(blocks.run(piece))))
    yield from said(inert(note), Rank.BANNER, blocks.run("Note: ", bold=True))
