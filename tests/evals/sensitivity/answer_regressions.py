"""Regressions of what is said: selection, closure, quotations, citations, layout."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from adapters.reply import Paragraph, Quotation
from adapters.reply import _make_block as worded
from engine.model.answer import Claim, Quote, Section
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.policy.pack import Pack
from engine.policy.rules import Material, gather_material
from engine.text.quotable import Range, RenderedQuotation, render_quotation
from engine.text.quotable import _quote as quoted
from engine.verify.check import _build_section as built
from tests.evals.sensitivity.breaking import Broken, instead, policy
from tests.evals.sensitivity.drafting import UNCITED
from tests.evals.sensitivity.seeding import shows
from tests.evals.sensitivity.worlds import DRAFTED, ONCOLOGY, TEXTBOOK

# --- what is said -----------------------------------------------------------------


@shows(ONCOLOGY, "facts")
def the_sentence_beside_the_right_one_is_quoted() -> Iterator[None]:
    def beside(chunk: Any, at: int) -> Range:
        other = at + 1 if at + 1 < len(chunk.sentences) else at - 1
        return Range(max(0, other), max(0, other))

    with instead({"engine.draft.extract.expand": beside}):
        yield


@shows(DRAFTED, "facts")
def closure_is_off() -> Iterator[None]:
    """A list item without the line that introduces it."""

    def alone(chunk: Chunk, sentences: Any) -> RenderedQuotation:
        bare = {"leans_on": (), "announces": None}
        held = tuple(s.model_copy(update=bare) for s in chunk.sentences)
        return render_quotation(chunk.model_copy(update={"sentences": held}), sentences)

    with instead({"engine.verify.selections.render_quotation": alone}):
        yield


@shows(DRAFTED, "absent")
def what_is_said_of_others_is_shown() -> Iterator[None]:
    """A section about children, where nobody asked about them."""

    def change(pack: Pack) -> Pack:
        held = pack.answer.model_copy(update={"populations": ()})
        return pack.model_copy(update={"answer": held})

    with policy(change):
        yield


@shows(DRAFTED, "facts")
def a_selection_beside_the_question_passes() -> Iterator[None]:
    """It holds no time, where the question is for how many days.

    What the gate opened for, which does, would be shown with it.
    """
    places = {"engine.verify.selections.find_nearest": lambda _: ()}
    with instead(
        {**places, "engine.text.answers.AnswerRequirements.find_lack": lambda *_: None}
    ):
        yield


@shows(DRAFTED, "verbatim")
def words_of_our_own_are_shown() -> Iterator[None]:
    """Behind each quotation the same with another figure, as if its source said so."""

    def worded(section: Any, cited: Any) -> Section:
        made = built(section, cited)
        claims = [each for claim in made.claims for each in (claim, *_reworded(claim))]
        return made.model_copy(update={"claims": tuple(claims)})

    with instead({"engine.verify.check._build_section": worded}):
        yield


def _reworded(claim: Claim) -> Iterator[Claim]:
    text = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), claim.text)
    if claim.quotes and text != claim.text:
        yield Claim(text=text, citations=claim.citations)


@shows(DRAFTED, "verbatim")
def uncited_claims_are_let_through() -> Iterator[None]:
    def uncited(section: Any, cited: Any) -> Section:
        made = built(section, cited)
        claims = (*made.claims, Claim(text=UNCITED, citations=()))
        return made.model_copy(update={"claims": claims})

    with instead({"engine.verify.check._build_section": uncited}):
        yield


def _unproven(change: Callable[[Quote], Quote]) -> Broken:
    """Other quotes than the sources hold, and nobody proves them before the record."""

    def other(chunk: Chunk, span: Span) -> Quote:
        return change(quoted(chunk, span))

    places = {"engine.text.quotable._quote": other}
    return instead({**places, "adapters.ledger.messages.prove": lambda *_: None})


@shows(DRAFTED, "verbatim")
def a_selected_sentence_is_altered() -> Iterator[None]:
    def altered(quote: Quote) -> Quote:
        text = quote.text.replace(" the ", " each ", 1)
        return quote.model_copy(update={"text": text})

    with _unproven(altered):
        yield


@shows(TEXTBOOK, "verbatim")
def quotes_are_stored_at_other_places() -> Iterator[None]:
    def moved(quote: Quote) -> Quote:
        places = {"start": quote.start + 1, "end": quote.end + 1}
        return quote.model_copy(update=places)

    with _unproven(moved):
        yield


@shows(DRAFTED, "verbatim")
def what_is_left_out_is_not_marked() -> Iterator[None]:
    with instead({"adapters.reply.TOUCHING": 10**9}):
        yield


@shows(ONCOLOGY, "citation")
def citations_name_the_wrong_passage() -> Iterator[None]:
    def exchanged(section: Any, cited: Any) -> Section:
        made, of = built(section, cited), len(cited.citations)
        claims = tuple(
            claim.model_copy(
                update={"citations": tuple(n % of + 1 for n in claim.citations)}
            )
            for claim in made.claims
        )
        return made.model_copy(update={"claims": claims})

    with instead({"engine.verify.check._build_section": exchanged}):
        yield


@shows(DRAFTED, "sections")
def the_section_contract_is_ignored() -> Iterator[None]:
    """Neither asked of the draft, nor put in order or completed afterwards."""
    unasked = {
        "engine.pipeline.drafting.check_first_section": lambda *_: None,
        "engine.verify.check._arrange": lambda sections, _: sections,
        "engine.verify.check._find_incomplete": lambda *_: None,
        "engine.verify.check._complete": lambda built, *_: built,
    }
    with instead(unasked):
        yield


@shows(DRAFTED, "not_found")
def what_was_not_found_is_dropped() -> Iterator[None]:
    def answered(*asked: Any, **more: Any) -> Material:
        return replace(gather_material(*asked, **more), missing=())

    with instead({"engine.pipeline.drafting.gather_material": answered}):
        yield


@shows(DRAFTED, "markup")
def a_quotation_is_shown_as_our_own_words() -> Iterator[None]:
    """What a source writes like a tag stands outside every quotation then."""

    def own(claim: Claim, chunks: Any) -> Paragraph:
        return Paragraph(text=claim.text, numbers=claim.citations)

    with instead({"adapters.reply._make_block": own}):
        yield


@shows(TEXTBOOK, "verbatim")
def a_quotation_is_cut_when_it_is_shown() -> Iterator[None]:
    def cut(claim: Claim, chunks: Any) -> object:
        block = worded(claim, chunks)
        if not isinstance(block, Quotation):
            return block
        return block.model_copy(update={"pieces": block.pieces[:1]})

    with instead({"adapters.reply._make_block": cut}):
        yield
