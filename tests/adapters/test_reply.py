"""An outcome in words: order, quotes, sources, reasons, and all of it inert."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.forms import cut_quote
from adapters.packs import load
from adapters.reply import Block, Paragraph, Quotation, Reply, compose, inert, one_line
from adapters.sources import CHOSEN, CitedPlace, describe_age, documents
from engine.conclude.fallback import refuse
from engine.model.answer import Answer, Claim, Quote, Section
from engine.model.codes import Reason
from engine.model.document import BlockKind, Sentence
from engine.model.outcome import Choice, Outcome
from engine.model.question import Basis, ChosenSection
from engine.parse.context import join_context
from tests.adapters.outcomes import (
    POINTING,
    TODAY,
    WORDING,
    answered,
    chunk,
    citation,
    listing,
    outcome,
    parted,
    pointed,
    quotation,
    refused,
)
from tests.conftest import ROOT


def reply(of: Outcome) -> Reply:
    return compose(of, WORDING, TODAY)


def test_the_top_has_one_order_R_F3() -> None:
    """Emergency, header, notices; then how the question was understood."""
    made = answered(
        chunk("Rinse."), emergency="Call 112.", header="Basis: x", notices=("A", "B")
    )
    read = {"follow_up": True, "text": "How to rinse for kids?"}
    asked = made.question.model_copy(update={"previous": "Does it hurt?"})
    update = {"intent": made.intent.model_copy(update=read), "question": asked}
    shown = reply(made.model_copy(update=update)).banners
    assert [(b.kind, b.text) for b in shown] == [
        ("emergency", "Call 112."),
        ("header", "Basis: x"),
        ("notice", "A"),
        ("notice", "B"),
        ("understood", "I read this together with: “Does it hurt?”"),
    ]


def test_a_follow_up_shows_what_it_was_read_together_with_R_A16_R_U14() -> None:
    """In the words that stood there; nothing is composed."""
    made = answered(chunk("Rinse."))
    read = {"follow_up": True, "text": "why mouth sores for kids?"}
    asked = made.question.model_copy(
        update={"previous": join_context("Sores", "why  mouth sores")}
    )
    update = {"intent": made.intent.model_copy(update=read), "question": asked}
    (shown,) = reply(made.model_copy(update=update)).banners
    told = "I read this together with: “why mouth sores → Sores”"
    assert (shown.kind, shown.text) == ("understood", told)


def test_talk_is_not_said_to_be_read_together_and_points_nowhere_R_U10_R_U14() -> None:
    """ "cheers, that helped" after a question: thanks alone, and nothing behind it."""
    made = refused()
    result = made.result.model_copy(update={"reason": Reason.FIXED_TEXT})
    asked = made.question.model_copy(update={"previous": "what is a node"})
    intent = made.intent.model_copy(update={"follow_up": True, "text": "a node?"})
    changed = {"result": result, "question": asked, "intent": intent}
    shown = reply(made.model_copy(update=changed))
    assert not any(banner.kind == "understood" for banner in shown.banners)
    assert made.nearest and shown.why.nearest == ()


def test_what_was_understood_as_written_is_not_repeated_R_U2() -> None:
    """However many blanks and capitals were typed."""
    made = answered(chunk("Rinse."))
    asked = made.question.model_copy(update={"text": "how  to rinse?"})
    read = {"follow_up": True, "text": "How to rinse?"}
    intent = made.intent.model_copy(update=read)
    shown = made.model_copy(update={"intent": intent, "question": asked})
    assert reply(shown).banners == ()


def test_corrections_are_shown_R_U2() -> None:
    """A reader sees which typing errors were read as what."""
    made = refused()
    intent = made.intent.model_copy(update={"corrections": (("chmo", "chemo"),)})
    (banner,) = reply(made.model_copy(update={"intent": intent})).banners
    assert banner.text == 'Read "chmo" as "chemo".'


def test_what_the_glossary_spells_out_is_no_correction_R_U2() -> None:
    """It stands in brackets behind the asker's own word, and needs no line."""
    made = refused()
    read = {"corrections": (("pt", "patient"),), "text": "has my pt (patient) a cold"}
    intent = made.intent.model_copy(update=read)
    assert reply(made.model_copy(update={"intent": intent})).banners == ()


@pytest.mark.parametrize(
    ("written", "read_as"), [("chemo", "chemotherapy"), ("rinze", "Brush")]
)
def test_what_changed_nothing_is_not_told_R_U2(written: str, read_as: str) -> None:
    """A word cut short, and one that nothing quoted holds."""
    made = answered(chunk("Rinse after chemotherapy."))
    intent = made.intent.model_copy(update={"corrections": ((written, read_as),)})
    assert reply(made.model_copy(update={"intent": intent})).banners == ()


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("chemo", "chemotherapy"),
        ("neutropenic", "neutropenia"),
        ("diarrhoea", "diarrhea"),
        ("can't sleep", "insomnia"),
    ],
)
def test_only_what_may_be_misread_is_told_R_U2(written: str, read_as: str) -> None:
    """Nobody needs to hear that a British word, or a plain one, was understood."""
    made = refused()
    intent = made.intent.model_copy(update={"corrections": ((written, read_as),)})
    shown = reply(made.model_copy(update={"intent": intent}))
    assert not any(banner.kind == "understood" for banner in shown.banners)


def test_each_document_is_introduced_once_in_the_packs_words() -> None:
    """Two quotations of one document stand under one line."""
    first, second = chunk("Rinse.", "c1"), chunk("Brush.", "c2")
    other = chunk("Drink.", "c3", "d2")
    body = reply(answered(first, second, other)).body
    assert [type(block) for block in body] == [
        Paragraph,
        Quotation,
        Quotation,
        Paragraph,
        Quotation,
    ]
    assert body[0] == Paragraph(text="A Hospital writes in Mouth care > At home:")


def test_a_title_cannot_fill_a_placeholder() -> None:
    """A document called "{publisher}" is named as it is."""
    cited = chunk("Rinse.").model_copy(update={"title": "{0.__class__} {publisher"})
    body = reply(answered(cited)).body
    assert body[0] == Paragraph(
        text="A Hospital writes in {0.__class__} {publisher > Mouth care > At home:"
    )


def test_a_quotation_keeps_every_character_and_its_forms_R_I7() -> None:
    """Prose, list and code are told apart; joined they are the quoted text."""
    text = "#Rinse\nDo this:\n-Take salt.\n-Take water.\n`run --now\nThen stop."
    (_, block) = reply(answered(chunk(text))).body
    assert isinstance(block, Quotation)
    assert [(p.form, p.text) for p in block.pieces] == [
        ("heading", "Rinse"),
        ("prose", "Do this:"),
        ("item", "Take salt."),
        ("item", "Take water."),
        ("code", "run --now"),
        ("prose", "Then stop."),
    ]
    assert block.numbers == (1,)


def test_code_keeps_the_indentation_of_its_first_line_R_I7() -> None:
    """Without it the first line stands further out than those that go with it."""
    block = "    try:\n        run()\n"
    sentence = Sentence(start=0, end=len(block), kind=BlockKind.CODE)
    held = chunk("x").model_copy(
        update={"text": block, "end": len(block), "sentences": (sentence,)}
    )
    quote = Quote(
        chunk=held.id, document="d", version="v", start=0, end=len(block), text=block
    )
    assert cut_quote(quote, held) == [("code", "    try:\n        run()")]


def test_a_quote_of_an_unknown_chunk_is_shown_whole() -> None:
    """Selected text has no chunks in a gate; the quote is still shown."""
    made = answered(chunk("Rinse.\n-Take salt.")).model_copy(update={"gate": None})
    block = reply(made).body[1]
    assert isinstance(block, Quotation)
    assert [p.text for p in block.pieces] == ["Rinse.\nTake salt."]


def test_what_a_quotation_leaves_out_is_marked_R_A14() -> None:
    """A mark of its own stands between runs that do not touch, and nowhere else."""
    (_, block) = reply(listing()).body
    assert isinstance(block, Quotation)
    said = [("prose", "Do this:"), ("prose", "[\u2026]"), ("item", "Take water.")]
    assert [(p.form, p.text) for p in block.pieces] == said
    made = listing()
    assert isinstance(made.result, Answer)
    (claim,) = made.result.sections[0].claims
    first, second = claim.quotes
    near = second.model_copy(update={"start": first.end + 2, "end": first.end + 13})
    claims = (claim.model_copy(update={"quotes": (first, near)}),)
    sections = (Section(heading="", claims=claims),)
    result = made.result.model_copy(update={"sections": sections})
    (_, block) = reply(made.model_copy(update={"result": result})).body
    assert isinstance(block, Quotation)
    assert "[\u2026]" not in [piece.text for piece in block.pieces]


def test_what_stands_beside_the_passage_keeps_its_lines_R_A14() -> None:
    """A list that goes on behind its chunk is still a list; code is still code."""
    cited = chunk("Do this:\n-Take salt.")
    text = "Take salt.\nTake water.\nWait."
    end = cited.start + 9 + len(text)
    quote = (
        quotation(1, cited)
        .quotes[0]
        .model_copy(update={"text": text, "start": 9, "end": end})
    )
    assert cut_quote(quote, cited) == [
        ("item", "Take salt."),
        ("item", "Take water."),
        ("item", "Wait."),
    ]
    away = {"start": 500, "end": 600}
    lines = quote.model_copy(update={**away, "text": "One.\nTwo."})
    assert cut_quote(lines, cited) == [("prose", "One."), ("prose", "Two.")]
    code = quote.model_copy(update={**away, "text": "if wet:\n    dry()"})
    assert cut_quote(code, cited) == [("code", "if wet:\n    dry()")]


def test_prose_keeps_its_citations_and_what_is_missing_is_named_R_A12() -> None:
    """A model's claim and the pack's line about what the sources lack."""
    cited = chunk("Rinse.")
    answer = Answer(
        sections=(
            Section(heading="CARE", claims=(Claim(text="Rinse it.", citations=(1,)),)),
        ),
        citations=(citation(1, cited),),
        not_found=("how often", "with what"),
    )
    heading, claim, missing = reply(outcome(answer)).body
    assert heading.text == "CARE"
    assert claim == Paragraph(text="Rinse it.", numbers=(1,))
    assert missing.text == "Not found in the sources: how often; with what"


def test_a_source_shows_where_it_stands_and_how_old_it_is() -> None:
    """Number, title, publisher, section without the title again, date and age."""
    (source,) = reply(answered(chunk("Rinse."))).sources
    assert (source.number, source.title, source.publisher) == (
        1,
        "Mouth care",
        "A Hospital",
    )
    assert source.section == "At home"
    assert source.dated == "published 2026-01-10, 10 months old"
    assert source.url == "https://example.org/d1"


def test_sources_are_told_by_document() -> None:
    """Each once with all its numbers; a section once with its marks."""
    here, there = chunk("Rinse."), chunk("Drink.", "c3", "d2")
    away = chunk("Brush.", "c2").model_copy(update={"section": ("Away",)})
    again = chunk("Wait.", "c4").model_copy(update={"section": ("Away",)})
    first, second = documents(reply(answered(here, there, away, again)).sources)
    assert (first.title, first.numbers) == ("Mouth care", (1, 3, 4))
    url = "https://example.org/d1"
    assert first.places == (
        CitedPlace(numbers=(1,), section="At home", url=url),
        CitedPlace(numbers=(3, 4), section="Away", url=url),
    )
    assert second.numbers == (2,)


def test_a_selected_message_is_called_so_R_A6() -> None:
    """It has no date, and needs none."""
    made = answered(chunk("Rinse."))
    assert isinstance(made.result, Answer)
    chosen = citation(1, chunk("Rinse."), source="selection", published=None)
    result = made.result.model_copy(update={"citations": (chosen,)})
    shown = reply(made.model_copy(update={"result": result}))
    assert shown.sources[0].dated == CHOSEN
    assert shown.why.verdict == (
        "The text that you chose answers this, so I may quote it."
    )


def test_a_page_without_a_date_says_so() -> None:
    """The day of retrieval is named as such; no date is invented."""
    cited = chunk("Rinse.")
    made = answered(cited)
    assert isinstance(made.result, Answer)
    for changes, dated in (
        ({"published": None}, "undated"),
        (
            {"published": None, "in_force_from": date(2013, 6, 19)},
            "in force since 2013-06-19",
        ),
        (
            {"in_force_from": date(2013, 6, 19), "in_force_to": date(2014, 2, 1)},
            "in force from 2013-06-19 to 2014-02-01; published 2026-01-10, 10 months "
            "old",
        ),
        (
            {"published": None, "retrieved": date(2026, 11, 20)},
            "retrieved 2026-11-20, 2 days old",
        ),
    ):
        result = made.result.model_copy(
            update={"citations": (citation(1, cited, **changes),)}
        )
        (source,) = reply(made.model_copy(update={"result": result})).sources
        assert source.dated == dated


@pytest.mark.parametrize(
    ("basis", "as_of", "dated"),
    [
        (Basis.TODAY, TODAY, "published 2026-01-10, 10 months old"),
        (
            Basis.EXPLICIT,
            date(2026, 1, 20),
            "published 2026-01-10, 10 days old on 2026-01-20",
        ),
        (
            Basis.APPLICATION_DATE,
            date(2026, 3, 10),
            "published 2026-01-10, 8 weeks old on 2026-03-10",
        ),
        (
            Basis.EXPLICIT,
            date(2025, 1, 1),
            "published 2026-01-10, after 2025-01-01",
        ),
    ],
)
def test_an_age_is_that_on_the_analysis_date_R_F5(
    basis: Basis, as_of: date, dated: str
) -> None:
    """Where that is another day than today it is named."""
    made = answered(chunk("Rinse."))
    intent = made.intent.model_copy(update={"basis": basis, "as_of": as_of})
    (source,) = reply(made.model_copy(update={"intent": intent})).sources
    assert source.dated == dated


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-1, "dated in the future"),
        (0, "0 days old"),
        (1, "1 day old"),
        (13, "13 days old"),
        (14, "2 weeks old"),
        (60, "8 weeks old"),
        (61, "2 months old"),
        (327, "10 months old"),
        (730, "23 months old"),
        (731, "2 years old"),
        (3700, "10 years old"),
    ],
)
def test_age_in_plain_words(days: int, words: str) -> None:
    """Ages are rounded down, so that nothing looks newer than it is named."""
    assert describe_age(TODAY - timedelta(days=days), TODAY) == words


def test_demo_documents_are_labelled() -> None:
    """The label stands in the reply as soon as one source is a demo."""
    made = answered(chunk("Rinse."))
    assert reply(made).demo_label is None
    assert isinstance(made.result, Answer)
    demo = (made.result.citations[0].model_copy(update={"demo": True}),)
    result = made.result.model_copy(update={"citations": demo})
    shown = reply(made.model_copy(update={"result": result}))
    assert shown.demo_label == WORDING.demo_label
    assert shown.sources[0].demo


def test_a_refusal_says_its_fallback_and_nothing_else_R_I4() -> None:
    """Pointers stand behind "why", never in the body."""
    shown = reply(refused())
    assert not shown.answered
    assert shown.body == (Paragraph(text="That matters. See https://example.org."),)
    assert shown.sources == ()


def test_the_homepages_of_a_refusal_are_data_R_M5() -> None:
    """Title and address from the pack; the text is what stands above them."""
    shown = compose(pointed(), POINTING, TODAY)
    assert shown.body == (Paragraph(text="That matters. See https://example.org."),)
    assert [(link.title, link.url) for link in shown.links] == [
        ("An Institute", "https://institute.example/"),
        ("A Society", "https://society.example/cancer"),
    ]


def test_the_homepages_of_the_oncology_pack_R_M5() -> None:
    """NCI, WHO and ACS, in every refusal that names them."""
    pack = load(ROOT / "config" / "packs" / "oncology")
    refusal = refuse(Reason.NO_RESULTS, pack)
    shown = compose(outcome(refusal), pack.wording, TODAY)
    assert [link.url for link in shown.links] == [
        "https://www.cancer.gov/",
        "https://www.who.int/health-topics/cancer",
        "https://www.cancer.org/",
    ]
    (block,) = shown.body
    assert isinstance(block, Paragraph)
    assert block.text.endswith(pack.wording.turn_to)
    assert "http" not in block.text


def test_an_address_in_a_text_is_no_link_R_M5_R_V7() -> None:
    """Nor are homepages that a refusal does not end with, or that an answer has."""
    assert reply(refused()).links == ()
    assert compose(refused(), POINTING, TODAY).links == ()
    assert compose(answered(chunk("Rinse.")), POINTING, TODAY).links == ()


def test_why_shows_gate_numbers_and_nearest_R_D5() -> None:
    """Title, section and link of what came near, and what document would help."""
    why = reply(refused()).why
    assert (why.verdict, why.code) == ("Nothing comes close enough.", "LOW_SCORE")
    assert why.numbers == (("how close", "0.21 of the 0.70 needed"),)
    assert [(n.title, n.section) for n in why.nearest] == [("Nearby", "A part")]
    assert why.helps
    assert "How?" in why.helps


def test_why_of_an_answer_says_which_rule_opened_the_gate_R_D5() -> None:
    """And how close each source is; the rule's own name is for who runs it."""
    why = reply(answered(chunk("Rinse."), chunk("Drink.", "c2", "d2"))).why
    assert why.verdict == (
        "Two documents of the sources answer this, so I may quote them."
    )
    assert why.code == "two documents"
    assert why.numbers == (("how close each source is", "[1] 0.91, [2] 0.91"),)
    one = reply(answered(chunk("Rinse."))).why
    assert one.verdict.startswith("One document of the sources answers this")


def test_why_of_an_answer_shows_the_number_that_decided_R_G1() -> None:
    made = answered(chunk("Rinse."), chunk("Drink.", "c2", "d2"))
    assert made.gate is not None
    gate = made.gate.model_copy(update={"numbers": {"needed": 0.5}})
    why = reply(made.model_copy(update={"gate": gate})).why
    assert ("how close they had to be", "0.50") in why.numbers


def test_why_of_one_guideline_says_that_one_is_enough_R_D5_R_G1() -> None:
    made = answered(chunk("Rinse."))
    assert made.gate is not None
    gate = made.gate.model_copy(update={"tier_one": True})
    why = reply(made.model_copy(update={"gate": gate})).why
    assert why.verdict == (
        "A source of the first tier answers this, and one of those is enough."
    )


@pytest.mark.parametrize(
    ("numbers", "verdict", "told"),
    [
        (
            {"documents": 1, "documents_needed": 2, "chunks": 3, "chunks_needed": 2},
            "Only one page says this; I need two.",
            (
                ("documents", "1 of the 2 needed"),
                ("passages", "3"),
            ),
        ),
        (
            {"documents": 2, "documents_needed": 2, "chunks": 2, "chunks_needed": 9},
            "Only two passages say this clearly enough; I need 9.",
            (
                ("documents", "2"),
                ("passages", "2 of the 9 needed"),
            ),
        ),
        ({"best": 0.6999}, "Too few.", (("how close", "0.69"),)),
    ],
)
def test_too_few_documents_are_counted_in_words_R_D5(
    numbers: dict[str, float], verdict: str, told: tuple[tuple[str, str], ...]
) -> None:
    """Without code words; what was not reached never looks reached."""
    made = refused()
    few = {
        "reason": Reason.LOW_DIVERSITY,
        "explanation": "Too few.",
        "numbers": numbers,
    }
    result = made.result.model_copy(update=few)
    why = reply(made.model_copy(update={"result": result})).why
    assert why.verdict == verdict
    assert why.numbers == told


def test_buttons_are_data() -> None:
    """A rejected draft offers to ask again; a closed gate does not.

    Both offer to tell when a document answers; an emergency's text does not (R-D6).
    """
    opened = answered(chunk("Rinse."))
    assert [b.action for b in reply(opened).buttons] == ["sources", "why"]
    assert [b.action for b in reply(refused()).buttons] == ["why", "tell_me"]
    rejected = refused().model_copy(update={"gate": opened.gate})
    asked = [b.action for b in reply(rejected).buttons]
    assert asked == ["why", "ask_again", "tell_me"]
    urgent = refused().model_copy(update={"emergency": "Call for help."})
    assert [b.action for b in reply(urgent).buttons] == ["why"]


HOSTILE = "a\x1b]8;;https://evil.example\x07b\x1b[2Jc\u202ed\x9be\r\nf\x00"


def test_a_document_cannot_move_the_cursor_or_forge_a_link_R_V7() -> None:
    """Controls are gone, the letters between them stay visible."""
    assert inert(HOSTILE) == (
        "a\ufffd]8;;https://evil.example\ufffdb\ufffd[2Jcd\ufffde\nf\ufffd"
    )
    assert one_line("a\u2028b \n c") == "a b c"


def test_every_text_of_a_reply_is_inert_R_V7() -> None:
    """Title, section, link, quote, notice and pointer alike."""
    cited = chunk(HOSTILE.replace("\r\n", " "))
    cited = cited.model_copy(update={"title": HOSTILE, "section": (HOSTILE,)})
    shown = reply(answered(cited, notices=(HOSTILE,), header=HOSTILE))
    near = refused().nearest[0].model_copy(update={"title": HOSTILE, "url": HOSTILE})
    pointed = reply(refused().model_copy(update={"nearest": (near,)}))
    for text in (shown.model_dump_json(), pointed.model_dump_json()):
        for mark in ("\\u001b", "\\u0000", "\u009b", "\u202e"):
            assert mark not in text


@given(st.text())
def test_inert_text_holds_no_control_R_V7(text: str) -> None:
    """Whatever comes in, only line ends and tabs control anything."""
    controls = {c for c in inert(text) if ord(c) < 32 or 0x7F <= ord(c) < 0xA0}
    assert controls <= {"\n", "\t"}
    assert inert(inert(text)) == inert(text)


def test_a_passage_of_no_relevance_is_no_pointer_R_D5() -> None:
    """What would be listed with 0.00 did not come near."""
    far = refused().nearest[0].model_copy(update={"relevance": 0.004})
    assert reply(refused().model_copy(update={"nearest": (far,)})).why.nearest == ()


# --- the rest of an answer --------------------------------------------------------


def words(blocks: tuple[Block, ...]) -> list[str]:
    """The text of each block."""
    return [
        " ".join(piece.text for piece in block.pieces)
        if isinstance(block, Quotation)
        else block.text
        for block in blocks
    ]


def test_the_rest_of_an_answer_stands_behind_a_button_R_A3() -> None:
    """With heading and introduction; fixed texts and what is missing come at once."""
    introduced = "A Hospital writes in Mouth care > At home:"
    shown = reply(parted(False, True, True))
    assert words(shown.body) == [
        "STEPS",
        introduced,
        "Step 1.",
        "Ask your team.",
        "Not found in the sources: how often",
    ]
    told = ["STEPS", introduced, "Step 2.", introduced, "Step 3."]
    assert words(shown.more) == told
    assert [button.action for button in shown.buttons] == ["more", "sources", "why"]
    assert [source.number for source in shown.sources] == [1, 2, 3]


def test_a_short_answer_has_no_such_button_R_A3() -> None:
    """Nor has one that is shown whole, or that nothing could be recalled of."""
    long, short = parted(False, True), parted(False, False)
    unrecorded = long.model_copy(update={"audit_id": None})
    whole = compose(long, WORDING, TODAY, whole=True)
    for made in (reply(short), reply(unrecorded), whole):
        assert made.more == ()
        assert [button.action for button in made.buttons] == ["sources", "why"]
        assert "Step 2." in words(made.body)
        assert words(made.body).count("STEPS") == 1


# --- what may be asked instead ------------------------------------------------------

CHOICE = Choice(
    section="Care > Rinsing",
    label="Care: Rinsing",
    document_id="d1",
    title="Care",
    question_id="c1",
)


def test_why_says_what_was_offered_and_what_was_chosen_R_Q5() -> None:
    """By number and by the id of the refusal; a section is not measured."""
    offering = refused().model_copy(update={"choices": (CHOICE,)})
    assert ("choices offered", "1") in reply(offering).why.numbers
    opened = answered(chunk("Rinse."))
    place = ChosenSection(document_id="d1", section="Care > Rinsing")
    took = {"chosen_from": "a-0", "evidence": place}
    question = opened.question.model_copy(update=took)
    shown = reply(opened.model_copy(update={"question": question}))
    assert shown.why.verdict.startswith("You chose this section")
    assert shown.why.numbers[:2] == (
        ("chosen from", "a-0"),
        ("how close each source is", "chosen"),
    )
    assert shown.banners[-1].text == f"You chose: {question.text}"


def test_what_is_on_no_record_offers_nothing_R_Q5() -> None:
    """Nobody could say later what was chosen."""
    offering = refused().model_copy(update={"choices": (CHOICE,)})
    assert [each.label for each in reply(offering).choices] == ["Care: Rinsing"]
    bare = offering.model_copy(update={"audit_id": None})
    assert reply(bare).choices == ()
