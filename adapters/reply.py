"""Outcome to a platform-free reply: what is said, in which order, as plain nouns.

Slack, Discord and the terminal only render a `Reply`; none of them words anything.
Every text in it is inert (R-V7).
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal

from adapters.authorship import selected_by
from adapters.forms import Form, cut
from adapters.inert import Inert, Line
from adapters.inert import inert as inert
from adapters.inert import many as many
from adapters.inert import one_line as one_line
from adapters.sources import SourceLine as SourceLine
from adapters.sources import source_line
from adapters.why import Pointer as Pointer
from adapters.why import Why as Why
from adapters.why import why
from engine.conclude.fallback import list_homepages
from engine.model.answer import Answer, Claim, Quote, Section
from engine.model.frozen import Frozen
from engine.model.gate import Open
from engine.model.outcome import Outcome, Refusal
from engine.model.passage import Chunk
from engine.model.reasons import DOCUMENT_HELPS
from engine.model.record import introduce_places
from engine.parse.context import parts
from engine.policy.pack import Wording
from engine.text.patterns import fold
from engine.text.quotable import OMITTED, TOUCHING, is_cut
from engine.text.words import stem, words

# --- the nouns --------------------------------------------------------------------


class Banner(Frozen):
    """What stands above the body, in this order: emergency, header, notices (R-F3)."""

    kind: Literal["emergency", "header", "notice", "understood"]
    text: Inert


class Piece(Frozen):
    """A verbatim run of a quotation that is set in one form, or the mark `OMITTED`."""

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
    """One verbatim quotation, cut only where its document starts a new block.

    A piece that says `OMITTED` stands where its document says more in between, or where
    a long sentence goes on behind it (R-A14).
    """

    kind: Literal["quotation"] = "quotation"
    pieces: tuple[Piece, ...]
    numbers: tuple[int, ...]


Block = Heading | Paragraph | Quotation


class Homepage(Frozen):
    """The homepage of an organisation that the pack trusts (R-M5)."""

    title: Line
    url: Line


class Button(Frozen):
    """Something the reader may ask for next; each platform offers it its own way."""

    action: Literal["more", "sources", "why", "ask_again", "tell_me"]
    label: Line


class Offered(Frozen):
    """What may be asked instead, by its number from 1 (R-Q5)."""

    number: int
    label: Line


DID_YOU_MEAN = "Did you mean:"
TOGETHER = "I read this together with: “{before}”"
LONGEST_BEFORE = 160  # characters of the question before that are shown
NONE_OF_THESE = "None of these"
TELL_ME = "Tell me when it can be answered"


class Reply(Frozen):
    """An outcome in words, ready for any platform.

    Attributes:
        more: the rest of the body, with its own headings and introductions; shown when
            it is asked for (R-A3).
        links: what a refusal points to, below its body: with the sources and what came
            near, the only addresses that a reader can follow.
        choices: what a refusal offers to ask instead, below its body.
        selected_by: says which model chose what is quoted; None where none did.
    """

    answered: bool
    banners: tuple[Banner, ...]
    body: tuple[Block, ...]
    more: tuple[Block, ...] = ()
    links: tuple[Homepage, ...] = ()
    sources: tuple[SourceLine, ...]
    demo_label: Line | None
    audit_id: Line | None
    why: Why
    buttons: tuple[Button, ...]
    choices: tuple[Offered, ...] = ()
    selected_by: Line | None = None


def untold(reply: Reply) -> Reply:
    """The reply where nothing can be said later: one person alone sees it."""
    kept = tuple(button for button in reply.buttons if button.action != "tell_me")
    return reply.model_copy(update={"buttons": kept})


# --- from an outcome --------------------------------------------------------------


def compose(
    outcome: Outcome, wording: Wording, today: date, *, whole: bool = False
) -> Reply:
    """Word an outcome.

    Args:
        outcome: what the engine returned.
        wording: the fixed texts of the outcome's pack.
        today: the day from which the age of a source is counted, unless the question
            was answered for another day (R-F5); then that day is, and is named.
        whole: whether all of an answer stands in the body, with nothing behind it; so
            does what is on no record, which nothing could be shown of later.
    """
    result = outcome.result
    more: tuple[Block, ...] = ()
    if isinstance(result, Answer):
        parted = not whole and outcome.audit_id is not None
        behind = _parted(result, more=True) if parted else []
        first = _parted(result, more=False) if behind else result.sections
        chunks = _chunks(outcome)
        body = (*_said(result, first, chunks), *_missing(result, wording))
        more = tuple(_said(result, behind, chunks))
        sources = tuple(source_line(c, outcome.intent, today) for c in result.citations)
        links: tuple[Homepage, ...] = ()
    else:
        text, links = _refusal(result, wording)
        body, sources = (Paragraph(text=text), *_gaps(result, wording)), ()
    return Reply(
        answered=isinstance(result, Answer),
        banners=tuple(_banners(outcome)),
        body=body,
        more=more,
        links=links,
        sources=sources,
        demo_label=wording.demo_label if any(s.demo for s in sources) else None,
        audit_id=outcome.audit_id,
        why=why(outcome),
        buttons=tuple(_buttons(outcome, wording, more=bool(more))),
        choices=_choices(outcome),
        selected_by=selected_by(outcome),
    )


def _banners(outcome: Outcome) -> Iterable[Banner]:
    if outcome.emergency:
        yield Banner(kind="emergency", text=outcome.emergency)
    if outcome.header:
        yield Banner(kind="header", text=outcome.header)
    for notice in outcome.notices:
        yield Banner(kind="notice", text=notice)
    intent = outcome.intent
    if outcome.question.chosen_from is not None:
        if outcome.answered and outcome.question.text:
            yield Banner(kind="understood", text=f"You chose: {outcome.question.text}")
    elif intent.follow_up and not (outcome.spoken or _same(outcome)):
        yield Banner(kind="understood", text=_understood(outcome))
    else:
        read = ", ".join(
            f'"{wrong}" as "{right}"' for wrong, right in _misread(outcome)
        )
        if read:
            yield Banner(kind="understood", text=f"Read {read}.")


def _misread(outcome: Outcome) -> Sequence[tuple[str, str]]:
    """The words that were read as others, as far as that says something (R-U2).

    Not to somebody in distress, nor where a word is only cut short ("chemo"); beside
    an answer only a word of what it quotes.
    """
    if outcome.emergency or outcome.spoken:
        return ()
    pairs = [
        (wrong, right)
        for wrong, right in outcome.intent.corrections
        if not fold(right).lower().startswith(fold(wrong).lower())
    ]
    if not isinstance(outcome.result, Answer):
        return pairs
    claims = [claim for part in outcome.result.sections for claim in part.claims]
    titles = [" ".join((c.title, *c.section)) for c in outcome.result.citations]
    quoted = _stems(" ".join((*(claim.text for claim in claims), *titles)))
    return [pair for pair in pairs if quoted & _stems(pair[1])]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(fold(text))}


def _understood(outcome: Outcome) -> str:
    """What a follow-up was read together with, in the words that stood there."""
    said = (
        " ".join(each.split()) for each in reversed(parts(outcome.question.previous))
    )
    before = " \N{RIGHTWARDS ARROW} ".join(said)
    short = (
        f"{before[:LONGEST_BEFORE].rstrip()}…" if before[LONGEST_BEFORE:] else before
    )
    return TOGETHER.format(before=short)


def _same(outcome: Outcome) -> bool:
    """Whether a question was understood as it was written."""
    asked = outcome.question.text
    return words(fold(asked)) == words(fold(outcome.intent.text))


def _parted(answer: Answer, *, more: bool) -> list[Section]:
    """The sections with those of their claims that stand behind "Show more", or not."""
    parted = []
    for section in answer.sections:
        claims = tuple(claim for claim in section.claims if claim.more is more)
        if claims:
            parted.append(section.model_copy(update={"claims": claims}))
    return parted


def _said(
    answer: Answer, sections: Iterable[Section], chunks: dict[str, Chunk]
) -> Iterable[Block]:
    for section in sections:
        if section.heading:
            yield Heading(text=section.heading)
        for each in introduce_places(section, answer):
            if isinstance(each, str):
                yield Paragraph(text=each)
            else:
                yield _claim(each, chunks)


def _missing(answer: Answer, wording: Wording) -> Iterable[Block]:
    """The parts of the question that nothing answers (R-A12)."""
    if answer.not_found:
        yield Paragraph(text=_not_found(wording, answer.not_found))


def _gaps(refusal: Refusal, wording: Wording) -> Iterable[Block]:
    """What the passages lack, where a draft named it (R-A5)."""
    if refusal.gaps:
        yield Paragraph(text=_not_found(wording, refusal.gaps))


def _not_found(wording: Wording, missing: Sequence[str]) -> str:
    listed = "; ".join(missing)
    if "{missing}" in wording.not_found:
        return wording.not_found.replace("{missing}", listed)
    return f"{wording.not_found.rstrip(' :')}: {listed}"


def _claim(claim: Claim, chunks: dict[str, Chunk]) -> Block:
    if claim.quotation and claim.quotes:
        pieces = tuple(_pieces(claim.quotes, chunks))
        return Quotation(pieces=pieces, numbers=claim.citations)
    return Paragraph(text=claim.text, numbers=claim.citations)


def _pieces(quotes: Sequence[Quote], chunks: dict[str, Chunk]) -> Iterable[Piece]:
    """The runs of a quotation, with a mark between those that do not touch."""
    before: Quote | None = None
    for quote in quotes:
        if before is not None and quote.start - before.end > TOUCHING:
            yield Piece(form="prose", text=OMITTED)
        for form, text in cut(quote, chunks.get(quote.chunk)):
            yield Piece(form=form, text=text)
        before = quote
    known = chunks.get(before.chunk) if before else None
    if before is not None and known is not None and is_cut(known, before):
        yield Piece(form="prose", text=OMITTED)


def _refusal(refusal: Refusal, wording: Wording) -> tuple[str, tuple[Homepage, ...]]:
    """The text, and the homepages that the engine wrote at its end (R-M5)."""
    written = list_homepages(wording)
    if not written or not refusal.fallback.endswith(written):
        return refusal.fallback, ()
    links = (Homepage(title=link.title, url=link.url) for link in wording.links)
    return refusal.fallback.removesuffix(written).rstrip("\n"), tuple(links)


def _buttons(outcome: Outcome, wording: Wording, *, more: bool) -> Iterable[Button]:
    if more:
        yield Button(action="more", label="Show more")
    if isinstance(outcome.result, Answer):
        yield Button(action="sources", label="Sources")
    yield Button(action="why", label="Why?")
    if (
        not (outcome.answered or outcome.spoken)
        and wording.ask_again
        and isinstance(outcome.gate, Open)
    ):
        yield Button(action="ask_again", label=wording.ask_again)
    if _document_helps(outcome):
        yield Button(action="tell_me", label=TELL_ME)


def _document_helps(outcome: Outcome) -> bool:
    """Whether it stands on the gap board, so that it may be answered one day (R-D6)."""
    result, asked = outcome.result, outcome.question
    refused = isinstance(result, Refusal) and result.reason in DOCUMENT_HELPS
    alone = asked.selection is None and asked.evidence is None
    calm = not (outcome.emergency or outcome.intent.urgent)
    return refused and alone and calm


def _choices(outcome: Outcome) -> tuple[Offered, ...]:
    """None of what is on no record: nobody could say later what was chosen."""
    offered = outcome.choices if outcome.audit_id is not None else ()
    return tuple(
        Offered(number=number, label=choice.label)
        for number, choice in enumerate(offered, 1)
    )


def _chunks(outcome: Outcome) -> dict[str, Chunk]:
    if not isinstance(outcome.gate, Open):
        return {}
    return {chunk.id: chunk for chunk in outcome.gate.chunks}
