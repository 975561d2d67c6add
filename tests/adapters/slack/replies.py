"""Replies for tests of how Slack shows them: made by hand, and by hypothesis."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from adapters.mail import Action, Incoming, Place, Platform
from adapters.reply import (
    Banner,
    Button,
    Heading,
    Homepage,
    Offered,
    Paragraph,
    Piece,
    Pointer,
    Quotation,
    Reply,
    SourceLine,
    Why,
)

URL = "https://example.org/"


def asked(**changes: object) -> Incoming:
    """A question in a channel."""
    place = Place(
        platform=Platform.SLACK, tenant="T1", channel="C1", thread="1.1", message="1.1"
    )
    made = Incoming(
        event="Ev1",
        platform=Platform.SLACK,
        action=Action.ASK,
        place=place,
        person="U1",
        text="What helps a sore mouth?",
        received=datetime(2026, 11, 22, tzinfo=UTC),
    )
    return made.model_copy(update=changes)


def source(number: int, **changes: object) -> SourceLine:
    """A numbered source."""
    made = SourceLine(
        number=number,
        document=f"d{number}",
        title=f"Mouth care {number}",
        publisher="A Hospital",
        section="At home",
        dated="published 2026-01-10, 10 months old",
        url=f"{URL}{number}",
        demo=False,
    )
    return made.model_copy(update=changes)


def quotation(text: str, *numbers: int) -> Quotation:
    """A quotation in one piece."""
    return Quotation(pieces=(Piece(form="prose", text=text),), numbers=numbers)


WHY = Why(
    verdict="Two documents of the sources answer this, so I may quote them.",
    code="two documents",
    numbers=(("how close each source is", "[1] 0.91"),),
    nearest=(
        Pointer(title="Nearby", section="A part", url=f"{URL}near", relevance=0.21),
    ),
    helps="a newer version of the pages named here",
)
BUTTONS = (
    Button(action="sources", label="Sources"),
    Button(action="why", label="Why?"),
)


def reply(*body: Heading | Paragraph | Quotation, **changes: object) -> Reply:
    """An answer with two sources."""
    made = Reply(
        answered=True,
        banners=(),
        body=body or (quotation("Rinse it.", 1),),
        sources=(source(1), source(2)),
        demo_label=None,
        audit_id="a-1",
        why=WHY,
        buttons=BUTTONS,
    )
    return made.model_copy(update=changes)


def answer() -> Reply:
    """An answer in all its forms."""
    return reply(
        Heading(text="What helps"),
        Paragraph(text="A Hospital writes in Mouth care 1:"),
        Quotation(
            pieces=(
                Piece(form="heading", text="Rinse"),
                Piece(form="prose", text="Do this\nthree times a day:"),
                Piece(form="item", text="Take salt."),
                Piece(form="item", text="2. Take water."),
                Piece(form="code", text="mix --salt\n    --water"),
            ),
            numbers=(1,),
        ),
        Paragraph(text="Salt water is gentle.", numbers=(1, 2)),
        Paragraph(text="Not found in the sources: how often"),
        banners=(
            Banner(kind="header", text="Analysis date basis: 2026-11-22 (today)"),
            Banner(kind="notice", text="One source is older than a year."),
        ),
        sources=(source(1), source(2, demo=True, url=None)),
        demo_label="Demo texts, not for care.",
    )


def refusal(**changes: object) -> Reply:
    """A refusal that may be asked again in the sources' own words."""
    text = "That matters.\n\nThe documents do not hold this: https://evil.example/."
    return reply(
        Paragraph(text=text),
        answered=False,
        links=(Homepage(title="Help", url="https://help.example/"),),
        sources=(),
        buttons=(
            Button(action="why", label="Why?"),
            Button(action="ask_again", label="Ask again in the sources' own words"),
        ),
        **changes,
    )


def offered(labels: Sequence[str]) -> tuple[Offered, ...]:
    """What a refusal offers to ask instead."""
    return tuple(
        Offered(number=number, label=label) for number, label in enumerate(labels, 1)
    )


def emergency() -> Reply:
    """A refusal below a notice that comes before everything."""
    return refusal(
        banners=(
            Banner(kind="emergency", text="Call your emergency number now."),
            Banner(kind="understood", text="Understood as: What now?"),
        )
    )


def long_answer() -> Reply:
    """An answer that needs several messages and loses nothing."""
    sentence = "Rinse with salt water after every meal and before the night. "
    body = [
        block
        for number in range(1, 7)
        for block in (
            Paragraph(text=f"A Hospital writes in Mouth care {number}:"),
            quotation(f"{number}. " + (sentence * 70).strip(), number),
        )
    ]
    return reply(*body, sources=tuple(source(n) for n in range(1, 7)))


# --- by hypothesis ----------------------------------------------------------------

HOSTILE = (
    "<!channel> <!here> <!everyone> <!subteam^S1|@nurses>",
    "<@U2> <#C2|secret> @here @channel @everyone",
    "<https://evil.example|click> [click](https://evil.example) ![i](https://evil.example/i.png)",
    "https://evil.example mailto:a@evil.example evil.example tel:123",
    "```\n</code> *bold* _it_ ~gone~ `code` > quote",
    "\u202egnp.exe\u202c \u2066x\u2069 \U000e0041 \u200b\u200d",
    "&lt;!here&gt; &amp;lt;!here&amp;gt;",
    "<!date^1392734382^{date}^https://evil.example|x>",
    ":rotating_light: :smile: |||",
    "",
    " \n\t ",
)
hostile = st.sampled_from(HOSTILE) | st.text(max_size=60)
texts = st.builds(
    lambda text, times: text * times,
    hostile,
    st.sampled_from([1, 1, 1, 2, 40, 700]),
)
urls = st.sampled_from(
    [None, "", f"{URL}a", f"{URL}b?c=d&e=<f>|g", URL + "x" * 2_900, URL + "x" * 3_000]
) | st.sampled_from(["javascript:alert(1)", "ftp://example.org/", "https://a b"])
numbers = st.lists(st.integers(1, 9), max_size=4).map(tuple)
banners = st.builds(
    Banner,
    kind=st.sampled_from(["emergency", "header", "notice", "understood"]),
    text=texts,
)
buttons = st.builds(
    Button, action=st.sampled_from(["sources", "why", "ask_again"]), label=texts
)


def _few(one: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(one, max_size=4).map(tuple)


def _many(
    make: Callable[[st.SearchStrategy[str]], st.SearchStrategy[object]],
) -> st.SearchStrategy[tuple[object, ...]]:
    """A few, some of them very long, or thousands of one kind."""
    thousands = st.builds(lambda one: (one,) * 2_000, make(hostile))
    return _few(make(texts)) | thousands


def _blocks(text: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    forms = st.sampled_from(["prose", "item", "code", "row", "heading"])
    pieces = _few(st.builds(Piece, form=forms, text=text))
    return (
        st.builds(Heading, text=text)
        | st.builds(Paragraph, text=text, numbers=numbers)
        | st.builds(Quotation, pieces=pieces, numbers=numbers)
    )


def _sources(text: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    return st.builds(
        SourceLine,
        number=st.integers(1, 9),
        document=st.sampled_from(["d1", "d2", "d3"]),
        title=text,
        publisher=st.none() | text,
        section=text,
        dated=text,
        url=urls,
        demo=st.booleans(),
    )


def _pointers(text: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    relevance = st.floats(0.0, 1.0)
    return st.builds(Pointer, title=text, section=text, url=urls, relevance=relevance)


replies = st.builds(
    Reply,
    answered=st.booleans(),
    banners=_few(banners),
    body=_many(_blocks),
    links=_few(st.builds(Homepage, title=texts, url=urls.filter(bool))),
    sources=_many(_sources),
    demo_label=st.none() | texts,
    audit_id=st.none() | texts,
    why=st.builds(
        Why,
        verdict=texts,
        numbers=_few(st.tuples(texts, texts)),
        nearest=_many(_pointers),
        helps=st.none() | texts,
    ),
    buttons=_few(buttons),
    choices=st.lists(hostile, max_size=3).map(offered),
)
