"""Outcome to a platform-free reply: what is said, in which order, as plain nouns.

Slack, Discord and the terminal only render a `Reply`; none of them words anything.
Every text in it is inert (R-V7): what is taken out can move a cursor, forge a link,
colour a warning away or turn characters round. Nothing that a reader would read is
taken out, so an escape sequence leaves its harmless letters behind and cannot hide what
follows it.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator

from adapters.authorship import drafting, worded_by
from adapters.forms import Form, cut
from engine.corpus_records import Frozen
from engine.fallback import homepages
from engine.policy import Wording
from engine.records import (
    Answer,
    Basis,
    Chunk,
    Citation,
    Claim,
    Closed,
    Intent,
    Nearest,
    Open,
    Outcome,
    Reason,
    Refusal,
)

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_TAGS = range(0xE0000, 0xE0080)
_LINE_ENDS = ("\n", "\v", "\f", "\r", "\x85", "\u2028", "\u2029")
_INERT = str.maketrans(
    {chr(code): "\ufffd" for code in _CONTROLS}
    | {chr(code): None for code in (*_DIRECTIONS, *_TAGS)}
    | {end: "\n" for end in _LINE_ENDS}
    | {"\t": "\t"}
)


def inert(text: str) -> str:
    """The text without control characters; tabs and line ends stay."""
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return encodable.replace("\r\n", "\n").translate(_INERT)


def one_line(text: str) -> str:
    """The inert text on one line, runs of white space as one space."""
    return " ".join(inert(text).split())


def many(number: int, noun: str) -> str:
    """A number with its noun: "1 answer", "2 answers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


Inert = Annotated[str, AfterValidator(inert)]
Line = Annotated[str, AfterValidator(one_line)]

# --- the nouns --------------------------------------------------------------------


class Banner(Frozen):
    """What stands above the body, in this order: emergency, header, notices (R-F3)."""

    kind: Literal["emergency", "header", "notice", "understood"]
    text: Inert


class Piece(Frozen):
    """A verbatim run of a quotation that is set in one form."""

    form: Form
    text: Inert


class Heading(Frozen):
    kind: Literal["heading"] = "heading"
    text: Line


class Paragraph(Frozen):
    """Our own words or a validated claim; `numbers` are the sources it cites."""

    kind: Literal["paragraph"] = "paragraph"
    text: Inert
    numbers: tuple[int, ...] = ()


class Quotation(Frozen):
    """One verbatim quotation, cut only where its document starts a new block."""

    kind: Literal["quotation"] = "quotation"
    pieces: tuple[Piece, ...]
    numbers: tuple[int, ...]


Block = Heading | Paragraph | Quotation


class Homepage(Frozen):
    """The homepage of an organisation that the pack trusts (R-M5)."""

    title: Line
    url: Line


class SourceLine(Frozen):
    """One numbered source: where it stands and how old it is."""

    number: int
    title: Line
    publisher: Line | None
    section: Line
    dated: Line
    url: Line | None
    demo: bool


class Pointer(Frozen):
    """A page that came near: title, section and link, never its text (R-D5)."""

    title: Line
    section: Line
    url: Line | None
    relevance: float


class Why(Frozen):
    """How the decision came about: the gate, its numbers, what came near (R-D5)."""

    verdict: Line
    numbers: tuple[tuple[Line, Line], ...]
    nearest: tuple[Pointer, ...]
    helps: Line | None = None


class Button(Frozen):
    """Something the reader may ask for next; each platform offers it its own way."""

    action: Literal["sources", "why", "ask_again"]
    label: Line


class Reply(Frozen):
    """An outcome in words, ready for any platform.

    Attributes:
        links: what a refusal points to, below its body: with the sources and what came
            near, the only addresses that a reader can follow.
        worded_by: the model that worded it; None where the sources are quoted.
    """

    answered: bool
    banners: tuple[Banner, ...]
    body: tuple[Block, ...]
    links: tuple[Homepage, ...] = ()
    sources: tuple[SourceLine, ...]
    demo_label: Line | None
    audit_id: Line | None
    why: Why
    buttons: tuple[Button, ...]
    worded_by: Line | None = None


# --- from an outcome --------------------------------------------------------------


def compose(outcome: Outcome, wording: Wording, today: date) -> Reply:
    """Word an outcome.

    Args:
        outcome: what the engine returned.
        wording: the fixed texts of the outcome's pack.
        today: the day from which the age of a source is counted, unless the question
            was answered for another day (R-F5); then that day is, and is named.
    """
    result = outcome.result
    if isinstance(result, Answer):
        body = tuple(_answer(result, _chunks(outcome), wording))
        sources = tuple(_source(c, outcome.intent, today) for c in result.citations)
        links: tuple[Homepage, ...] = ()
    else:
        text, links = _refusal(result, wording)
        body, sources = (Paragraph(text=text),), ()
    return Reply(
        answered=isinstance(result, Answer),
        banners=tuple(_banners(outcome)),
        body=body,
        links=links,
        sources=sources,
        demo_label=wording.demo_label if any(s.demo for s in sources) else None,
        audit_id=outcome.audit_id,
        why=_why(outcome),
        buttons=tuple(_buttons(outcome, wording)),
        worded_by=worded_by(outcome),
    )


def _banners(outcome: Outcome) -> Iterable[Banner]:
    if outcome.emergency:
        yield Banner(kind="emergency", text=outcome.emergency)
    if outcome.header:
        yield Banner(kind="header", text=outcome.header)
    for notice in outcome.notices:
        yield Banner(kind="notice", text=notice)
    intent = outcome.intent
    if intent.follow_up:
        yield Banner(kind="understood", text=f"Understood as: {intent.text}")
    elif intent.corrections:
        pairs = intent.corrections
        read = ", ".join(f'"{wrong}" as "{right}"' for wrong, right in pairs)
        yield Banner(kind="understood", text=f"Read {read}.")


def _answer(
    answer: Answer, chunks: dict[str, Chunk], wording: Wording
) -> Iterable[Block]:
    cited = {citation.number: citation for citation in answer.citations}
    for section in answer.sections:
        if section.heading:
            yield Heading(text=section.heading)
        introduced = None
        for claim in section.claims:
            source = cited[claim.citations[0]] if claim.citations else None
            quoted = claim.quotation and claim.quotes
            if quoted and source is not None and source.document != introduced:
                introduced = source.document
                yield Paragraph(text=_introduction(answer.attribution, source))
            yield _claim(claim, chunks)
    if answer.not_found:
        yield Paragraph(text=_not_found(wording, answer.not_found))


def _introduction(attribution: str, source: Citation) -> str:
    """The pack's line for one document; its placeholders are plain replacements."""
    return attribution.replace("{title}", source.title).replace(
        "{publisher}", source.publisher or source.source
    )


def _not_found(wording: Wording, missing: Sequence[str]) -> str:
    listed = "; ".join(missing)
    if "{missing}" in wording.not_found:
        return wording.not_found.replace("{missing}", listed)
    return f"{wording.not_found.rstrip(' :')}: {listed}"


def _claim(claim: Claim, chunks: dict[str, Chunk]) -> Block:
    if claim.quotation and claim.quotes:
        pieces = [
            Piece(form=form, text=text)
            for quote in claim.quotes
            for form, text in cut(quote, chunks.get(quote.chunk))
        ]
        return Quotation(pieces=tuple(pieces), numbers=claim.citations)
    return Paragraph(text=claim.text, numbers=claim.citations)


def _refusal(refusal: Refusal, wording: Wording) -> tuple[str, tuple[Homepage, ...]]:
    """The text, and the homepages that the engine wrote at its end (R-M5)."""
    written = homepages(wording)
    if not written or not refusal.fallback.endswith(written):
        return refusal.fallback, ()
    links = (Homepage(title=link.title, url=link.url) for link in wording.links)
    return refusal.fallback.removesuffix(written).rstrip("\n"), tuple(links)


def _source(citation: Citation, intent: Intent, today: date) -> SourceLine:
    section = [part for part in citation.section if part != citation.title]
    return SourceLine(
        number=citation.number,
        title=citation.title,
        publisher=citation.publisher,
        section=" > ".join(section),
        dated=_dated(citation, intent, today),
        url=citation.url,
        demo=citation.demo,
    )


def _dated(citation: Citation, intent: Intent, today: date) -> str:
    then = citation.published or citation.retrieved
    if then is None:
        return "undated"
    said = f"{'published' if citation.published else 'retrieved'} {then}"
    if intent.basis is Basis.TODAY or intent.as_of is None:
        return f"{said}, {age(then, today)}"
    if then > intent.as_of:
        return f"{said}, after {intent.as_of}"
    return f"{said}, {age(then, intent.as_of)} on {intent.as_of}"


def age(then: date, today: date) -> str:
    """The age of a source in plain words; a date in the future is named as such."""
    days = (today - then).days
    if days < 0:
        return "dated in the future"
    for limit, length, unit in ((14, 1, "day"), (61, 7, "week"), (731, 30.44, "month")):
        if days < limit:
            return f"{many(int(days / length), unit)} old"
    return f"{many(int(days / 365.25), 'year')} old"


def _buttons(outcome: Outcome, wording: Wording) -> Iterable[Button]:
    if isinstance(outcome.result, Answer):
        yield Button(action="sources", label="Sources")
    yield Button(action="why", label="Why?")
    if (
        isinstance(outcome.result, Refusal)
        and wording.ask_again
        and isinstance(outcome.gate, Open)
    ):
        yield Button(action="ask_again", label=wording.ask_again)


# --- why --------------------------------------------------------------------------

SHOWN = 0.005  # a passage below would be listed with a relevance of 0.00

_ABOUT = 'a document of a registered source that answers in plain words: "{question}"'
_HELPS = {
    Reason.LOW_TRUST: "the same statement in a source that the pack's register trusts",
    Reason.RECENCY_FAIL: "a newer version of the pages named here",
    Reason.LOW_DIVERSITY: "a second document, from another page, that says it too",
    Reason.INSUFFICIENT_CITATIONS: "a second passage that supports the same statement",
    Reason.OUT_OF_SCOPE: None,
    Reason.UNSUPPORTED_LANGUAGE: None,
    Reason.INSUFFICIENT_FACTS: None,
    Reason.BUDGET_EXCEEDED: None,
    Reason.BUSY: None,
    Reason.PROVIDER_FAILED: None,
    Reason.INTERNAL: None,
    Reason.AUDIT_FAILED: None,
}


def _why(outcome: Outcome) -> Why:
    result, gate = outcome.result, outcome.gate
    numbers: dict[str, float] = {}
    helps = None
    if isinstance(result, Refusal):
        verdict = f"{result.explanation} ({result.reason})"
        numbers = dict(result.numbers)
        about = _ABOUT.format(question=outcome.intent.text)
        helps = _HELPS.get(result.reason, about)
    elif isinstance(gate, Open):
        verdict = (
            f'The evidence gate opened by the rule "{gate.rule}": '
            f"{many(len(gate.chunks), 'passage')} of {many(gate.documents, 'document')}"
        )
    else:
        verdict = "Answered from the selected text alone"
    if isinstance(result, Answer):
        numbers |= {
            f"relevance of source {citation.number}": citation.relevance
            for citation in result.citations
        }
    if isinstance(gate, Closed):
        numbers = dict(gate.numbers) | numbers
    return Why(
        verdict=verdict,
        numbers=(
            *(_number(name, value) for name, value in numbers.items()),
            *drafting(outcome),
        ),
        nearest=tuple(_pointer(n) for n in outcome.nearest if n.relevance >= SHOWN),
        helps=helps,
    )


def _number(name: str, value: float) -> tuple[str, str]:
    shown = f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"
    return name.replace("_", " "), shown


def _pointer(near: Nearest) -> Pointer:
    return Pointer(
        title=near.title,
        section=near.section.removeprefix(near.title).removeprefix(" > "),
        url=near.url,
        relevance=near.relevance,
    )


def _chunks(outcome: Outcome) -> dict[str, Chunk]:
    if not isinstance(outcome.gate, Open):
        return {}
    return {chunk.id: chunk for chunk in outcome.gate.chunks}
