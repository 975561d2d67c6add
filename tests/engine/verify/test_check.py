"""A draft through all validators: what is shown, what is dropped, what is rejected."""

import pytest

from engine.model.codes import Reason
from engine.model.draft import Draft, DraftClaim, DraftSection, Selected
from engine.model.question import Intent
from engine.policy.rules import Material
from engine.text.quotable import _quote as quoted
from engine.verify.check import Rejected, Verified, check, enforcement_event
from tests.engine.small_pack import intent as an_intent
from tests.engine.small_pack import question as a_question
from tests.engine.verify.drafts import (
    GUIDANCE,
    GUIDE,
    SECOND,
    checked,
    chunks_of,
    codes,
    draft,
    medical_pack,
    pack_of,
    room,
    selecting,
    shown,
)

DOSE = (
    "Adults usually take 20 mg once a day for 5 to 10 years, unless the doctor says "
    "otherwise."
)
DIES = "Chemotherapy causes cancer cells to die."
THERAPY = "Tamoxifen is a hormone therapy for breast cancer."
FLASHES = "It may also cause hot flashes."
JOINT = "Joint pain is common."


@pytest.fixture(scope="module")
def place() -> Material:
    """Evidence: the first chunks of two guides, numbered 1 and 2."""
    return room((chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0]), question="Why?")


@pytest.fixture(scope="module")
def clinic() -> Material:
    """The same evidence in a medical pack; the gate opened on two documents."""
    chunks = (chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0])
    return room(chunks, medical_pack(), "Why?", required_documents=2, sensitive=True)


# --- what is shown ----------------------------------------------------------------


def test_what_is_selected_is_shown_word_for_word_R_V2_R_I7(place: Material) -> None:
    """Each run is the exact slice of the canonical text at its offsets."""
    verdict = checked(place, selecting(place, DIES), selecting(place, JOINT))
    assert shown(verdict) == [DIES, JOINT]
    assert isinstance(verdict, Verified)
    for part in verdict.answer.sections[0].claims:
        for quote in part.quotes:
            chunk = next(c for c in place.chunks if c.id == quote.chunk)
            start = quote.start - chunk.start
            assert chunk.text[start : quote.end - chunk.start] == quote.text
    assert verdict.tally.supported == 2


def test_a_sentence_brings_what_it_leans_on_R_A14(place: Material) -> None:
    """What stands between sentences is marked as left out."""
    verdict = checked(place, selecting(place, FLASHES))
    assert shown(verdict) == [f"{THERAPY} {FLASHES}"]
    far = checked(place, selecting(place, FLASHES, DIES))
    assert shown(far) == [f"{THERAPY} {FLASHES}\n[\u2026]\n{DIES}"]


def test_a_list_item_brings_its_lead_in_R_A14() -> None:
    """What stands between the two is marked as left out."""
    place = room(chunks_of(GUIDE)[1:], question="Why?")
    verdict = checked(place, selecting(place, "hair loss"))
    told = "Side effects include:\n[\u2026]\nhair loss, which can be complete"
    assert shown(verdict) == [told]


def test_a_line_with_a_colon_brings_its_list_R_A14() -> None:
    """A lead-in never dangles."""
    place = room(chunks_of(GUIDE)[1:], question="Why?")
    (told,) = shown(checked(place, selecting(place, "Side effects include:")))
    assert told.startswith("Side effects include:")
    assert told.endswith("hot flashes")


def test_sentences_of_another_chunk_that_touch_are_shown_R_A14_R_I8() -> None:
    """No white space between two that a third leans on, and both stand elsewhere."""
    text = "# Filgrastim\n\nThese medicines help:\n\n- Filgrastim is said to be "
    text += "\u201cnew.\u201dIt helps the marrow. It works within days.\n"
    (last,) = chunks_of(text, tokens=8)[-1:]
    place = room((last,), question="Why?")
    (told,) = shown(checked(place, selecting(place, "It works")))
    assert told.split("\n")[-3:] == [
        "Filgrastim is said to be \u201cnew.",
        "\u201dIt helps the marrow.",
        "It works within days.",
    ]


def test_a_heading_is_no_statement_R_I3(place: Material) -> None:
    """It is shown above what stands under it, and nothing rests on it."""
    heading = Draft(
        sections=(
            DraftSection(
                heading="",
                claims=(DraftClaim(sentences=(Selected(chunk=1, sentence=0),)),),
            ),
        )
    )
    verdict = check(heading, place)
    assert isinstance(verdict, Rejected)
    assert codes(verdict)[0] == "not_closed"


def test_citations_are_numbered_anew_by_appearance(place: Material) -> None:
    """Evidence numbers of the draft are not those of the answer."""
    verdict = checked(place, selecting(place, JOINT), selecting(place, DIES))
    assert isinstance(verdict, Verified)
    assert [c.document for c in verdict.answer.citations] == ["second", "guide"]


def test_the_answer_carries_the_attribution_R_V10(place: Material) -> None:
    """The pack's line; over a selection, its other one."""
    verdict = checked(place, selecting(place, DIES))
    assert isinstance(verdict, Verified)
    assert verdict.answer.attribution == place.rules.attribution


def test_nothing_is_shown_twice(place: Material) -> None:
    """A repetition tells nothing new."""
    verdict = checked(place, selecting(place, DIES), selecting(place, DIES))
    assert shown(verdict) == [DIES]
    assert "repeated" in codes(verdict)


def test_a_heading_that_no_contract_has_is_not_shown_R_A2(place: Material) -> None:
    """A heading is text of a draft, too."""
    verdict = checked(place, selecting(place, DIES), heading="Stop your treatment")
    assert isinstance(verdict, Verified)
    assert [section.heading for section in verdict.answer.sections] == [""]
    assert "heading" in codes(verdict)


def test_fixed_texts_are_named_by_id_R_M2(clinic: Material) -> None:
    """Only those of the pack, each once, below the answer, without a citation."""
    claims = (selecting(clinic, DIES), selecting(clinic, JOINT))
    verdict = checked(clinic, *claims, texts=("text-1", "text-1", "text-9", "evil"))
    assert isinstance(verdict, Verified)
    assert shown(verdict)[-1] == GUIDANCE
    assert codes(verdict).count("unknown_text") == 2


def test_fixed_texts_alone_are_no_answer_R_I3(clinic: Material) -> None:
    """Nothing without a citation is ever shown alone."""
    assert isinstance(checked(clinic, texts=("text-1",)), Rejected)


def test_what_is_not_found_comes_from_the_gate_R_A12() -> None:
    """The parts that it stayed closed for; a draft has no say in it."""
    chunks = (chunks_of(GUIDE)[0],)
    place = room(chunks, question="Why?", missing=("what it costs",))
    verdict = checked(place, selecting(place, DIES))
    assert isinstance(verdict, Verified)
    assert verdict.answer.not_found == ("what it costs",)


def test_a_pack_may_refuse_to_answer_in_part_R_A12() -> None:
    """Where it says so, a missing part refuses the whole."""
    pack = pack_of()
    answer = pack.answer.model_copy(update={"partial": "refuse"})
    pack = pack.model_copy(update={"answer": answer})
    place = room((chunks_of(GUIDE)[0],), pack, "Why?", missing=("what it costs",))
    verdict = checked(place, selecting(place, DIES))
    assert isinstance(verdict, Rejected)
    assert verdict.reason is Reason.INSUFFICIENT_CONTEXT


# --- what a model wrote beside numbers --------------------------------------------


def test_discarded_words_are_counted_and_not_kept_R_V2(place: Material) -> None:
    """The record says how many there were, and nothing of what they said."""
    verdict = checked(place, selecting(place, DIES), discarded=7)
    assert shown(verdict) == [DIES]
    [noted] = [f for f in verdict.findings if f.code == "discarded"]
    assert noted.severity == "note"
    assert noted.message.endswith(": 7")
    assert noted.claim == ""


def test_a_quote_that_is_not_at_its_place_is_counted_R_V2(
    place: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is none by construction; were it broken, the record would show it."""

    def made(start: int) -> int:
        other = {"text": "Else.", "start": start}
        monkeypatch.setattr(
            "engine.text.quotable._quote",
            lambda chunk, span: quoted(chunk, span).model_copy(update=other),
        )
        verdict = checked(place, selecting(place, DIES))
        assert isinstance(verdict, Verified)
        return verdict.tally.fabricated_quotes

    assert (made(0), made(10**6)) == (1, 1)


# --- whether it answers -----------------------------------------------------------


def test_a_question_for_a_dose_needs_one_R_V4() -> None:
    """A true sentence without the figure that was asked for is no answer."""
    chunks = (chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0])
    place = room(chunks, question="What is the usual dose of tamoxifen?")
    beside = checked(place, selecting(place, DIES))
    assert isinstance(beside, Rejected)
    assert beside.reason is Reason.INSUFFICIENT_CONTEXT
    assert shown(checked(place, selecting(place, DOSE))) == [DOSE]


@pytest.mark.parametrize(
    ("question", "answered"),
    [("Is fatigue common?", False), ("Is fatigue common in a child?", True)],
)
def test_a_page_about_others_does_not_answer_R_V4(
    question: str, answered: bool
) -> None:
    """What stands under a heading about children answers no question without them."""
    pack = pack_of()
    rules = pack.answer.model_copy(
        update={"populations": (("children", "child", "childhood"),)}
    )
    text = "# Childhood leukemia\n\nFatigue is common after treatment of leukemia.\n"
    place = room(chunks_of(text), pack.model_copy(update={"answer": rules}), question)
    verdict = checked(place, selecting(place, "Fatigue"))
    assert isinstance(verdict, Verified) is answered


def test_a_judge_takes_a_quotation_away_R_V4(place: Material) -> None:
    """What is left is counted again."""
    both = draft(selecting(place, DIES), selecting(place, JOINT))
    assert shown(check(both, place, frozenset({DIES}))) == [JOINT]
    assert isinstance(check(both, place, frozenset({DIES, JOINT})), Rejected)


# --- what rejects -----------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        DraftClaim(sentences=(Selected(chunk=3, sentence=0),)),
        DraftClaim(sentences=(Selected(chunk=1, sentence=999),)),
    ],
)
def test_what_was_not_offered_rejects_the_draft_R_V1(
    place: Material, wrong: DraftClaim
) -> None:
    """One invented source makes the whole draft untrustworthy."""
    verdict = checked(place, selecting(place, JOINT), wrong)
    assert isinstance(verdict, Rejected)
    assert verdict.reason is Reason.CITATION_MISMATCH


def test_an_unknown_number_rejects_the_draft_and_is_named_R_V1(place: Material) -> None:
    """Whoever asks again says which; a few of very many."""
    numbers = (0, 99, *range(1000, 2000))
    verdict = checked(place, selecting(place, JOINT), unknown=numbers)
    assert isinstance(verdict, Rejected)
    assert verdict.reason is Reason.CITATION_MISMATCH
    (found,) = verdict.findings
    assert found.message.endswith("not offered: 0, 99, 1000, 1001, 1002")


def test_sensitive_content_needs_two_citations_R_I3_R_G7(clinic: Material) -> None:
    """One is discarded with the whole draft; two distinct ones pass."""
    one = checked(clinic, selecting(clinic, DIES))
    assert isinstance(one, Rejected)
    assert one.reason is Reason.INSUFFICIENT_CITATIONS
    assert one.citations == 1
    two = checked(clinic, selecting(clinic, DIES), selecting(clinic, JOINT))
    assert isinstance(two, Verified)
    assert two.answer.minimum_citations == 2


def test_two_passages_of_one_document_do_not_make_two_documents_R_I3(
    clinic: Material,
) -> None:
    """The gate opened on two documents, so the answer rests on two."""
    claims = [selecting(clinic, DIES), selecting(clinic, THERAPY)]
    assert isinstance(checked(clinic, *claims), Rejected)


def test_one_guideline_may_carry_two_distinct_passages_R_I3() -> None:
    """Where the gate opened on one guideline, two sentences of it are two citations."""
    place = room((chunks_of(GUIDE)[0],), medical_pack(), "Why?", sensitive=True)
    verdict = checked(place, selecting(place, DIES), selecting(place, THERAPY))
    assert isinstance(verdict, Verified)
    assert len(verdict.answer.citations) == 2


def test_a_lead_in_is_no_second_citation_R_I3() -> None:
    """Two items of a list are two passages, one item with its lead-in is one."""
    place = room(chunks_of(GUIDE)[1:], medical_pack(), "Why?", sensitive=True)
    assert isinstance(checked(place, selecting(place, "hair loss")), Rejected)
    two = checked(place, selecting(place, "hair loss"), selecting(place, "nausea"))
    assert isinstance(two, Verified)


def test_an_empty_draft_and_a_huge_one_are_rejected(place: Material) -> None:
    """Nothing to show, or too much to check."""
    assert isinstance(check(Draft(sections=()), place), Rejected)
    many = [selecting(place, DIES)] * 301
    assert codes(checked(place, *many)) == ["unreadable"]


def test_half_a_character_rejects_the_draft_R_I8(place: Material) -> None:
    """A lone surrogate is no text; no validator is asked about it."""
    for words in ({"heading": "half \ud800"}, {"texts": ("\ud800",)}):
        verdict = checked(place, selecting(place, DIES), **words)
        assert codes(verdict) == ["unreadable"]


# --- the event --------------------------------------------------------------------


def test_the_event_has_exactly_its_keys_and_masks_people_R_M4_R_S6(
    clinic: Material,
) -> None:
    """Once per rejected draft; nobody's address in it, at most 200 characters."""
    heading = f"Write to jo@example.org. {'x ' * 300}"
    verdict = checked(clinic, selecting(clinic, DIES), heading=heading)
    assert isinstance(verdict, Rejected)
    asked = a_question("I am jo@example.org, what now?")
    intent: Intent = an_intent(name="INFORMATIONAL_SYMPTOMS", sensitive=True)
    event = enforcement_event(asked, intent, verdict)
    assert list(event) == [
        "event",
        "sessionId",
        "messageId",
        "query",
        "intent",
        "citationCount",
        "responsePreview",
    ]
    assert event["event"] == "citation_enforcement_failed"
    assert event["intent"] == "INFORMATIONAL_SYMPTOMS"
    assert event["citationCount"] == verdict.citations
    assert "jo@" not in f"{event}"
    assert len(str(event["responsePreview"])) <= 200


def test_the_preview_of_a_rejected_draft_is_what_it_chose_R_M4(
    clinic: Material,
) -> None:
    """The heading, and the sentences under it; none of a passage that is not there."""
    beyond = DraftClaim(sentences=(Selected(chunk=9, sentence=0),))
    verdict = checked(clinic, selecting(clinic, DIES), beyond, heading="Cells")
    assert isinstance(verdict, Rejected)
    assert verdict.text == f"Cells\n{DIES}"


def test_words_of_opinion_are_shown_only_as_a_source_has_them_R_V5(
    place: Material,
) -> None:
    """No word of a model is; "Typically" stands in the sentence that was chosen."""
    said = selecting(place, "Typically, women stop")
    assert shown(checked(place, said)) == ["Typically, women stop after five years."]
