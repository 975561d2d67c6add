"""Conversion of an outcome to a reply in words, independent of platforms.

Slack, Discord and the terminal only render a `Reply`; none of them adds words. Every
text in it is inert.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal

from adapters.authorship import selected_by
from adapters.forms import Form, cut_quote
from adapters.inert import Inert, Line
from adapters.inert import inert as inert
from adapters.inert import many as many
from adapters.inert import one_line as one_line
from adapters.sources import SourceLine as SourceLine
from adapters.sources import source_line
from adapters.why import Pointer as Pointer
from adapters.why import Why as Why
from adapters.why import explain
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
from engine.text.english import american
from engine.text.patterns import fold
from engine.text.quotable import OMITTED, TOUCHING, is_cut
from engine.text.words import stem, words

# --- records ----------------------------------------------------------------------


class Banner(Frozen):
    """A text above the body; the order is emergency, header, notices."""

    kind: Literal["emergency", "header", "notice", "understood"]
    text: Inert


class Piece(Frozen):
    """A verbatim run of a quotation in one form, or the mark `OMITTED`."""

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

    A piece `OMITTED` marks text of the document that is left out in between, or the
    rest of a long sentence.
    """

    kind: Literal["quotation"] = "quotation"
    pieces: tuple[Piece, ...]
    numbers: tuple[int, ...]


Block = Heading | Paragraph | Quotation


class Homepage(Frozen):
    """The homepage of an organisation that the pack trusts."""

    title: Line
    url: Line


class Button(Frozen):
    """A next action of the reader; each platform offers it in its form."""

    action: Literal["more", "sources", "why", "ask_again", "tell_me"]
    label: Line


class Offered(Frozen):
    """A choice of a refusal, by its number from 1."""

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
        more: the rest of the body, with its own headings and introductions, shown on
            request.
        links: the homepages below a refusal. Together with the sources and close pages
            they are the only addresses that a reader can follow.
        choices: the choices below a refusal.
        selected_by: the line that names the model which chose the quotations, or None.
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
    """Drop the "tell me" button of a private reply, as no later message is possible."""
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
            was answered for another day, which is then used and named.
        whole: whether all of an answer is in the body, with no rest. An answer without
            a record is always whole, because its rest could not be shown later.
    """
    result = outcome.result
    more: tuple[Block, ...] = ()
    if isinstance(result, Answer):
        parted = not whole and outcome.audit_id is not None
        behind = _split_sections(result, more=True) if parted else []
        first = _split_sections(result, more=False) if behind else result.sections
        chunks = _map_chunks(outcome)
        body = (*_list_blocks(result, first, chunks), *_list_missing(result, wording))
        more = tuple(_list_blocks(result, behind, chunks))
        sources = tuple(source_line(c, outcome.intent, today) for c in result.citations)
        links: tuple[Homepage, ...] = ()
    else:
        text, links = _split_refusal(result, wording)
        body, sources = (Paragraph(text=text), *_list_gaps(result, wording)), ()
    return Reply(
        answered=isinstance(result, Answer),
        banners=tuple(_list_banners(outcome)),
        body=body,
        more=more,
        links=links,
        sources=sources,
        demo_label=wording.demo_label if any(s.demo for s in sources) else None,
        audit_id=outcome.audit_id,
        why=explain(outcome),
        buttons=tuple(_list_buttons(outcome, wording, more=bool(more))),
        choices=_list_choices(outcome),
        selected_by=selected_by(outcome),
    )


def _list_banners(outcome: Outcome) -> Iterable[Banner]:
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
    elif intent.follow_up and not (outcome.spoken or _is_unchanged(outcome)):
        yield Banner(kind="understood", text=_describe_understood(outcome))
    else:
        read = ", ".join(
            f'"{wrong}" as "{right}"' for wrong, right in _list_misread(outcome)
        )
        if read:
            yield Banner(kind="understood", text=f"Read {read}.")


def _list_misread(outcome: Outcome) -> Sequence[tuple[str, str]]:
    """List corrected words with their corrections, where that is useful to the reader.

    None for somebody in distress, none of the glossary, which only adds a word in
    brackets; with an answer only corrections to words that it quotes.
    """
    if outcome.emergency or outcome.spoken:
        return ()
    read = outcome.intent.text
    pairs = [
        (written, right)
        for written, right in outcome.intent.corrections
        if f"{written} ({right})" not in read and _says_something(written, right)
    ]
    if not isinstance(outcome.result, Answer):
        return pairs
    claims = [claim for part in outcome.result.sections for claim in part.claims]
    titles = [" ".join((c.title, *c.section)) for c in outcome.result.citations]
    quoted = _list_stems(" ".join((*(claim.text for claim in claims), *titles)))
    return [pair for pair in pairs if quoted & _list_stems(pair[1])]


def _says_something(written: str, read: str) -> bool:
    """Return whether a reader learns anything from how a word was read.

    Not of a word that is only cut short ("chemo"), has another ending ("neutropenic")
    or is spelt as the British do, nor of everyday words for a term ("can't sleep").
    """
    one, other = fold(written).lower(), fold(read).lower()
    end = max(len(one), len(other)) - 1
    ending = one[:end] == other[:end]
    alike = other.startswith(one) or ending or american(one) == american(other)
    return not alike and " " not in one


def _list_stems(text: str) -> set[str]:
    return {stem(word) for word in words(fold(text))}


def _describe_understood(outcome: Outcome) -> str:
    """Describe the earlier questions that a follow-up was read together with."""
    said = (
        " ".join(each.split()) for each in reversed(parts(outcome.question.previous))
    )
    before = " \N{RIGHTWARDS ARROW} ".join(said)
    short = (
        f"{before[:LONGEST_BEFORE].rstrip()}…" if before[LONGEST_BEFORE:] else before
    )
    return TOGETHER.format(before=short)


def _is_unchanged(outcome: Outcome) -> bool:
    """Tell whether a question was understood as it was written."""
    asked = outcome.question.text
    return words(fold(asked)) == words(fold(outcome.intent.text))


def _split_sections(answer: Answer, *, more: bool) -> list[Section]:
    """Keep only claims behind "Show more", or only the others, in each section."""
    parted = []
    for section in answer.sections:
        claims = tuple(claim for claim in section.claims if claim.more is more)
        if claims:
            parted.append(section.model_copy(update={"claims": claims}))
    return parted


def _list_blocks(
    answer: Answer, sections: Iterable[Section], chunks: dict[str, Chunk]
) -> Iterable[Block]:
    for section in sections:
        if section.heading:
            yield Heading(text=section.heading)
        for each in introduce_places(section, answer):
            if isinstance(each, str):
                yield Paragraph(text=each)
            else:
                yield _make_block(each, chunks)


def _list_missing(answer: Answer, wording: Wording) -> Iterable[Block]:
    """List a paragraph with the parts of the question without an answer."""
    if answer.not_found:
        yield Paragraph(text=_word_not_found(wording, answer.not_found))


def _list_gaps(refusal: Refusal, wording: Wording) -> Iterable[Block]:
    """List a paragraph with the gaps of the passages that a draft named."""
    if refusal.gaps:
        yield Paragraph(text=_word_not_found(wording, refusal.gaps))


def _word_not_found(wording: Wording, missing: Sequence[str]) -> str:
    listed = "; ".join(missing)
    if "{missing}" in wording.not_found:
        return wording.not_found.replace("{missing}", listed)
    return f"{wording.not_found.rstrip(' :')}: {listed}"


def _make_block(claim: Claim, chunks: dict[str, Chunk]) -> Block:
    if claim.quotation and claim.quotes:
        pieces = tuple(_list_pieces(claim.quotes, chunks))
        return Quotation(pieces=pieces, numbers=claim.citations)
    return Paragraph(text=claim.text, numbers=claim.citations)


def _list_pieces(quotes: Sequence[Quote], chunks: dict[str, Chunk]) -> Iterable[Piece]:
    """List the pieces of a quotation, with a mark between those that do not touch."""
    before: Quote | None = None
    for quote in quotes:
        if before is not None and quote.start - before.end > TOUCHING:
            yield Piece(form="prose", text=OMITTED)
        for form, text in cut_quote(quote, chunks.get(quote.chunk)):
            yield Piece(form=form, text=text)
        before = quote
    known = chunks.get(before.chunk) if before else None
    if before is not None and known is not None and is_cut(known, before):
        yield Piece(form="prose", text=OMITTED)


def _split_refusal(
    refusal: Refusal, wording: Wording
) -> tuple[str, tuple[Homepage, ...]]:
    """Split a refusal into its text and the homepages at its end."""
    written = list_homepages(wording)
    if not written or not refusal.fallback.endswith(written):
        return refusal.fallback, ()
    links = (Homepage(title=link.title, url=link.url) for link in wording.links)
    return refusal.fallback.removesuffix(written).rstrip("\n"), tuple(links)


def _list_buttons(
    outcome: Outcome, wording: Wording, *, more: bool
) -> Iterable[Button]:
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
    if _may_be_told(outcome):
        yield Button(action="tell_me", label=TELL_ME)


def _may_be_told(outcome: Outcome) -> bool:
    """Tell whether a refusal is for the gap board, so that it may be answered later."""
    result, asked = outcome.result, outcome.question
    refused = isinstance(result, Refusal) and result.reason in DOCUMENT_HELPS
    alone = asked.selection is None and asked.evidence is None
    calm = not (outcome.emergency or outcome.intent.urgent)
    return refused and alone and calm


def _list_choices(outcome: Outcome) -> tuple[Offered, ...]:
    """List the choices; none without a record, which a later choice needs."""
    offered = outcome.choices if outcome.audit_id is not None else ()
    return tuple(
        Offered(number=number, label=choice.label)
        for number, choice in enumerate(offered, 1)
    )


def _map_chunks(outcome: Outcome) -> dict[str, Chunk]:
    if not isinstance(outcome.gate, Open):
        return {}
    return {chunk.id: chunk for chunk in outcome.gate.chunks}
