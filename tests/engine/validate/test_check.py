"""A draft through all validators: what is shown, what is dropped, what is rejected."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.packs import load
from engine.records import (
    Answer,
    Citation,
    Claim,
    DraftSection,
    Intent,
    Reason,
    Section,
)
from engine.validate.check import Rejected, Verified, check, enforcement_event
from engine.validate.material import Material
from tests.engine.small_pack import intent as an_intent
from tests.engine.small_pack import question as a_question
from tests.engine.validate.drafts import (
    GUIDANCE,
    GUIDE,
    SECOND,
    checked,
    chunks_of,
    claim,
    codes,
    draft,
    medical_pack,
    pack_of,
    room,
    shown,
)

DIES = "Chemotherapy causes cancer cells to die."
THERAPY = "Tamoxifen is a hormone therapy for breast cancer."
JOINT = "Joint pain is common."


@pytest.fixture(scope="module")
def place() -> Material:
    """Evidence: the first chunks of two guides, numbered 1 and 2."""
    return room((chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0]))


@pytest.fixture(scope="module")
def clinic() -> Material:
    """The same evidence in a medical pack; the gate opened on two documents."""
    chunks = (chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0])
    return room(chunks, medical_pack(), required_documents=2, sensitive=True)


# --- what passes ------------------------------------------------------------------


def test_quotations_are_shown_verbatim_R_I7(place: Material) -> None:
    """Each is the exact slice of the canonical text at its offsets."""
    verdict = checked(
        place, claim(DIES, 1, quotation=True), claim(JOINT, 2, quotation=True)
    )
    assert isinstance(verdict, Verified)
    assert shown(verdict) == [DIES, JOINT]
    for part in verdict.answer.sections[0].claims:
        quote = part.quotes[0]
        chunk = next(c for c in place.chunks if c.id == quote.chunk)
        assert (
            chunk.text[quote.start - chunk.start : quote.end - chunk.start] == part.text
        )
    assert verdict.tally.supported == 2
    assert (verdict.quotations, verdict.unanchored) == (2, 0)


def test_citations_are_numbered_anew_by_appearance(place: Material) -> None:
    """Evidence numbers of the draft are not those of the answer."""
    verdict = checked(place, claim(JOINT, 2, quotation=True), claim(DIES, 1))
    assert isinstance(verdict, Verified)
    assert [c.document for c in verdict.answer.citations] == ["second", "guide"]
    assert [c.citations for c in verdict.answer.sections[0].claims] == [(1,), (2,)]


def test_prose_with_markers_is_cited_to_the_sentence_R_V9(place: Material) -> None:
    """The citation is the supporting sentence, not the whole chunk."""
    verdict = checked(place, claim(f"{THERAPY[:-1]} [1]. Joint pain is common [2]."))
    assert isinstance(verdict, Verified)
    assert shown(verdict) == [THERAPY, JOINT]
    first = verdict.answer.citations[0]
    chunk = place.chunks[0]
    assert chunk.text[first.start - chunk.start : first.end - chunk.start] == THERAPY


def test_a_quotation_in_prose_keeps_its_marks_when_whole_R_V2(place: Material) -> None:
    """What stands between them is the source's own sentence."""
    verdict = checked(
        place, claim(f'The drug lowers the risk of breast cancer: "{DIES}"', 1)
    )
    assert shown(verdict) == [
        f"The drug lowers the risk of breast cancer: \u201c{DIES}\u201d"
    ]


def test_a_framed_quotation_is_shown_as_one_R_V2(place: Material) -> None:
    """Nothing is said beside it, so it is a block quotation."""
    verdict = checked(place, claim(f'The page says: "{DIES}"', 1))
    assert isinstance(verdict, Verified)
    assert verdict.answer.sections[0].claims[0].quotation
    assert shown(verdict) == [DIES]


def test_a_piece_of_a_sentence_is_shown_whole_beside_the_prose_R_I7(
    place: Material,
) -> None:
    """Its marks go; the whole sentence follows as a quotation."""
    verdict = checked(place, claim('Chemotherapy causes "cancer cells to die".', 1))
    assert shown(verdict) == [DIES, DIES]
    assert isinstance(verdict, Verified)
    assert [c.quotation for c in verdict.answer.sections[0].claims] == [False, True]


def test_the_answer_carries_the_attribution_R_V10(place: Material) -> None:
    """The pack's line; over a selection, its other one."""
    verdict = checked(place, claim(DIES, 1, quotation=True))
    assert isinstance(verdict, Verified)
    assert verdict.answer.attribution == "From {title}:"


# --- what is dropped --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Chemotherapy causes cancer cells to live.", "partial"),
        ("Paracetamol helps against every headache.", "unsupported"),
        (f"I think {THERAPY}", "prohibited"),
        ("Ty\u200bpically, it may also cause hot flashes.", "invisible"),
        (
            "It may also cause hot flashes, see https://evil.example/x.",
            "foreign_address",
        ),
        ("x" * 5_000, "too_long"),
    ],
)
def test_what_may_not_be_shown_is_dropped_and_told(
    place: Material, text: str, code: str
) -> None:
    """The rest of the draft stands; every loss has a finding."""
    verdict = checked(place, claim(JOINT, 2, quotation=True), claim(text, 1))
    assert code in codes(verdict)
    assert text not in shown(verdict)
    assert shown(verdict)[0] == JOINT


def test_a_claim_beyond_its_source_is_replaced_by_the_source_R_V4(
    place: Material,
) -> None:
    """What the source does say is quoted, and the change is noted."""
    verdict = checked(place, claim("Chemotherapy causes cancer cells to live.", 1))
    assert shown(verdict) == [DIES]
    assert verdict.tally.partial == 1
    assert "quoted instead" in verdict.findings[0].message


def test_an_unanchored_quotation_loses_its_marks_R_V2(place: Material) -> None:
    """The claim is otherwise supported, so it stays, without the marks."""
    verdict = checked(place, claim('Tamoxifen may "also cause hot flashes!"', 1))
    assert shown(verdict) == ["Tamoxifen may also cause hot flashes!"]
    assert verdict.unanchored == verdict.tally.fabricated_quotes == 1


def test_a_fabricated_block_quotation_is_dropped_R_V2(place: Material) -> None:
    """A quotation is all that the claim is."""
    verdict = checked(
        place, claim(DIES, 1), claim("Tamoxifen cures.", 1, quotation=True)
    )
    assert shown(verdict) == [DIES]
    assert verdict.tally.fabricated_quotes == 1


def test_a_quotation_of_another_passage_is_not_anchored_R_V1(place: Material) -> None:
    """Swapped numbers: the sentence stands in 2, not in 1."""
    verdict = checked(place, claim(JOINT, 1, quotation=True))
    assert isinstance(verdict, Rejected)


def test_a_citation_that_does_not_support_is_taken_off_R_V1(place: Material) -> None:
    """Only passages that carry the sentence are counted."""
    verdict = checked(place, claim(THERAPY, 1, 2))
    assert isinstance(verdict, Verified)
    assert [c.document for c in verdict.answer.citations] == ["guide"]
    assert "unsupporting" in codes(verdict)


def test_an_uncited_factual_sentence_is_dropped_R_V9(place: Material) -> None:
    """True or not: no number, no sentence; it is counted among the findings."""
    verdict = checked(place, claim(DIES, 1), claim("Joint pain is common."))
    assert shown(verdict) == [DIES]
    assert codes(verdict) == ["uncited"]


@pytest.mark.parametrize("numbers", [(), (1,)])
def test_the_packs_own_sentences_need_no_citation_R_M2(
    place: Material, numbers: tuple[int, ...]
) -> None:
    """A fixed text stands beside an answer in the pack's own letters, uncited."""
    hidden = GUIDANCE.replace("oncologist", "onco\u200blogist").lower()
    verdict = checked(place, claim(DIES, 1), claim(hidden, *numbers))
    assert shown(verdict) == [DIES, GUIDANCE]
    assert isinstance(verdict, Verified)
    assert verdict.answer.sections[0].claims[1].citations == ()


@pytest.mark.parametrize(
    "text",
    [
        "Take all your medications now, and more of them.",
        "You should talk to your nurse or doctor about your treatment, and more.",
        "It is normal to feel afraid, and you can be more so.",
        "Bring all your medications with you.",
        f"{GUIDANCE[:-1]} and more.",
        f"> {GUIDANCE}",
        "Ask the team.",
    ],
)
def test_no_sentence_is_put_together_of_harmless_words_R_I3_R_V9(text: str) -> None:
    """Uncited is dropped, whatever its words; so is the pack's wording of a refusal."""
    evidence = (chunks_of(GUIDE)[0], chunks_of(SECOND, "second")[0])
    root = Path(__file__).parents[3]
    for pack in (medical_pack(), load(root / "config" / "packs" / "oncology")):
        room_of = room(evidence, pack, required_documents=2, sensitive=True)
        alone = checked(room_of, claim(text))
        assert isinstance(alone, Rejected)
        assert alone.reason is Reason.INSUFFICIENT_CITATIONS
        cited = claim(DIES, 1, quotation=True), claim(JOINT, 2, quotation=True)
        beside = checked(room_of, *cited, claim(text))
        assert shown(beside) == [DIES, JOINT]
        assert "uncited" in codes(beside)


def test_a_sentence_quoted_twice_is_shown_once(place: Material) -> None:
    """A repetition tells nothing new."""
    verdict = checked(
        place, claim(DIES, 1, quotation=True), claim(DIES, 1, quotation=True)
    )
    assert shown(verdict) == [DIES]


@pytest.mark.parametrize(
    ("heading", "numbers", "kept"),
    [
        ("Tamoxifen", (1,), True),
        ("Tamoxifen", (1, 1), True),
        ("Letrozole", (1,), False),
        ("Tamoxifen", (1, 2), False),
        ("It cures cancer", (1,), False),
        ("LIMITATIONS", (1, 2), True),
    ],
)
def test_a_heading_is_that_of_every_claim_below_it_R_A9(
    place: Material, heading: str, numbers: tuple[int, ...], kept: bool
) -> None:
    """The contract's, or the claims' own; never that of another source."""
    where = replace(place, contract=("LIMITATIONS",))
    said = {1: (DIES, THERAPY), 2: (JOINT, JOINT)}
    claims = [claim(said[n][at], n, quotation=True) for at, n in enumerate(numbers)]
    verdict = check(draft(*claims, heading=heading), where)
    assert isinstance(verdict, Verified)
    assert verdict.answer.sections[0].heading == (heading if kept else "")
    assert ("heading" in codes(verdict)) is not kept


def test_what_was_not_found_is_told_by_the_gate_alone_R_A12(place: Material) -> None:
    """A draft cannot know it: its own words for it are noted and never shown."""
    named = ("the usual dose", "tamoxifen cures", "dose @everyone", "")
    verdict = checked(place, claim(DIES, 1), not_found=named)
    assert isinstance(verdict, Verified)
    assert verdict.answer.not_found == ()
    assert codes(verdict) == ["not_found"] * 4
    closed = room(place.chunks, missing=("what it costs",))
    verdict = checked(closed, claim(DIES, 1), not_found=named)
    assert isinstance(verdict, Verified)
    assert verdict.answer.not_found == ("what it costs",)


def test_a_later_part_that_nothing_shown_speaks_of_is_told_R_A12(
    place: Material,
) -> None:
    """By its rare words, whoever drafted the answer."""
    question = "Does joint pain occur, and who invented letrozole?"
    where = replace(place, question=question, rare=("invented",))
    for mode in ("deterministic", "llm"):
        verdict = checked(where, claim(JOINT, 2, quotation=True), mode=mode)
        assert isinstance(verdict, Verified)
        assert verdict.answer.not_found == ("who invented letrozole",)


# --- what is rejected -------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 3, 999, -1])
def test_a_number_outside_the_evidence_rejects_the_draft_R_V1(
    place: Material, number: int
) -> None:
    """One invented source makes the whole draft untrustworthy."""
    verdict = checked(place, claim(DIES, 1), claim(JOINT, number))
    assert isinstance(verdict, Rejected)
    assert verdict.reason is Reason.CITATION_MISMATCH


def test_a_marker_outside_the_evidence_rejects_the_draft_R_V1(place: Material) -> None:
    """Markers count like the typed field."""
    verdict = checked(place, claim("Joint pain is common [2][7].", 2))
    assert isinstance(verdict, Rejected)
    assert verdict.reason is Reason.CITATION_MISMATCH


def test_sensitive_content_needs_two_citations_R_I3_R_G7(clinic: Material) -> None:
    """One is discarded with the whole draft; two distinct ones pass."""
    one = checked(clinic, claim(DIES, 1, quotation=True))
    assert isinstance(one, Rejected)
    assert one.reason is Reason.INSUFFICIENT_CITATIONS
    assert one.citations == 1
    two = checked(
        clinic, claim(DIES, 1, quotation=True), claim(JOINT, 2, quotation=True)
    )
    assert isinstance(two, Verified)
    assert two.answer.minimum_citations == 2


JUICE = """# Ibrutinib

## Is grapefruit juice allowed with ibrutinib?

It is not, because it raises the dose.

Is grapefruit juice allowed with ibrutinib?

## Grapefruit juice may cause harm to people who take ibrutinib.

Ask first.
"""


@pytest.mark.parametrize(
    "text",
    [
        "Is grapefruit juice allowed with ibrutinib?",
        "Ibrutinib",
        "Grapefruit juice may cause harm to people who take ibrutinib.",
    ],
)
@pytest.mark.parametrize("quotation", [True, False])
def test_a_heading_or_the_question_is_no_citation_R_I3(
    text: str, quotation: bool
) -> None:
    """Quoted or said in prose, it is dropped, and what is left is one citation."""
    question = "Is grapefruit juice allowed with ibrutinib?"
    where = room(chunks_of(JUICE), medical_pack(), question, sensitive=True)
    for number, chunk in enumerate(where.chunks, 1):
        if text not in chunk.text:
            continue
        answer = claim("It is not, because it raises the dose.", 1, quotation=True)
        beside = claim(text, number, quotation=quotation)
        verdict = checked(where, answer, beside)
        assert isinstance(verdict, Rejected)
        assert verdict.citations == 1
    lenient = room(chunks_of(JUICE), pack_of(), question)
    verdict = checked(lenient, answer, claim(f'It says: "{text}"', 1, 2))
    assert shown(verdict) == ["It is not, because it raises the dose."]


def test_two_passages_of_one_document_do_not_make_two_documents_R_I3(
    clinic: Material,
) -> None:
    """The gate opened on two documents, so the answer rests on two."""
    claims = [claim(DIES, 1, quotation=True), claim(THERAPY, 1, quotation=True)]
    assert isinstance(checked(clinic, *claims), Rejected)


def test_one_guideline_may_carry_two_distinct_passages_R_I3() -> None:
    """Where the gate opened on one guideline, two sentences of it are two citations."""
    chunk = chunks_of(GUIDE)[0]
    alone = room((chunk,), medical_pack(), tier_one=True, sensitive=True)
    claims = [claim(DIES, 1, quotation=True), claim(THERAPY, 1, quotation=True)]
    assert isinstance(checked(alone, *claims), Verified)
    assert isinstance(checked(alone, *claims[:1], *claims[:1]), Rejected)


def test_citations_are_counted_again_after_a_drop_R_A12(clinic: Material) -> None:
    """Two citations minus an unsupported claim are one."""
    verdict = checked(
        clinic, claim(DIES, 1, quotation=True), claim("Joint pain is frequent.", 2)
    )
    assert shown(verdict) == [DIES, JOINT]  # replaced by its source
    verdict = checked(
        clinic, claim(DIES, 1, quotation=True), claim("Joints never ache.", 2)
    )
    assert isinstance(verdict, Rejected)
    assert verdict.reason is Reason.INSUFFICIENT_CITATIONS


def test_guidance_passes_without_citations_and_is_no_answer_R_M2_R_I3(
    clinic: Material, place: Material
) -> None:
    """The requirement's example is not sensitive; alone it answers nothing."""
    cited = claim(DIES, 1, quotation=True), claim(JOINT, 2, quotation=True)
    verdict = checked(clinic, *cited, claim(GUIDANCE))
    assert isinstance(verdict, Verified)
    guidance = verdict.answer.sections[0].claims[2]
    assert (guidance.text, guidance.citations) == (GUIDANCE, ())
    assert not guidance.sensitive
    for where in (clinic, place):
        alone = checked(where, claim(GUIDANCE))
        assert isinstance(alone, Rejected)
        assert alone.reason is Reason.INSUFFICIENT_CITATIONS


def test_an_answer_without_a_citation_cannot_be_built_R_I3() -> None:
    """Whoever drafted it, whether it lists none or cites none."""
    cited = Citation(
        number=1,
        chunk="c",
        document="d",
        version="v",
        source="s",
        title="T",
        section=(),
        start=0,
        end=1,
        relevance=0.9,
    )
    sections = (Section(heading="", claims=(Claim(text=GUIDANCE, citations=()),)),)
    for citations in ((), (cited,)):
        with pytest.raises(ValueError, match="no claim cites anything"):
            Answer(sections=sections, citations=citations, minimum_citations=0)


def test_guidance_beside_a_lost_claim_is_no_answer_R_A12(clinic: Material) -> None:
    """What was asked is gone, so nothing is left to be polite about."""
    verdict = checked(clinic, claim(GUIDANCE), claim("Joints never ache.", 2))
    assert isinstance(verdict, Rejected)


def test_general_wording_lowers_no_minimum_R_M3(clinic: Material) -> None:
    """A non-sensitive intent does not help a medical sentence."""
    chunks = clinic.chunks
    general = room(chunks, medical_pack(), required_documents=2, sensitive=False)
    assert isinstance(checked(general, claim(DIES, 1, quotation=True)), Rejected)


def test_a_pack_may_refuse_to_answer_in_part_R_A12() -> None:
    """Where the pack says so, a missing part or a lost claim refuses the whole."""
    tables = pack_of().model_dump()
    tables["answer"]["partial"] = "refuse"
    strict = room(chunks_of(GUIDE), type(pack_of()).model_validate(tables))
    assert isinstance(checked(strict, claim(DIES, 1)), Verified)
    missing = checked(strict, claim(DIES, 1), not_found=("the usual dose",))
    lost = checked(strict, claim(DIES, 1), claim("Joints never ache.", 1))
    for verdict in (missing, lost):
        assert isinstance(verdict, Rejected)
        assert verdict.reason is Reason.INSUFFICIENT_CONTEXT


def test_a_claim_that_its_source_replaced_is_not_a_part_missing_R_A12() -> None:
    """Nothing is lost where the source's own sentence stands for the claim."""
    tables = pack_of().model_dump()
    tables["answer"]["partial"] = "refuse"
    strict = room(chunks_of(GUIDE), type(pack_of()).model_validate(tables))
    for text in ("Chemotherapy causes cancer cells to live.", f"{DIES[:-1]} never."):
        verdict = checked(strict, claim(THERAPY, 1), claim(text, 1))
        assert shown(verdict) == [THERAPY, DIES]
        assert verdict.tally.supported == 1


def test_an_empty_draft_and_a_huge_one_are_rejected(place: Material) -> None:
    """Nothing to show, or too much to check."""
    empty = check(draft(), place)
    huge = checked(place, *[claim(DIES, 1)] * 500)
    for verdict in (empty, huge):
        assert isinstance(verdict, Rejected)
        assert verdict.reason is Reason.INSUFFICIENT_CITATIONS


def test_sections_are_kept_apart(place: Material) -> None:
    """Each section keeps its claims; one without any goes."""
    written = draft(claim(DIES, 1)).model_copy(
        update={
            "sections": (
                DraftSection(heading="Tamoxifen", claims=(claim(DIES, 1),)),
                DraftSection(heading="", claims=(claim("Joints never ache.", 2),)),
                DraftSection(heading="Letrozole", claims=(claim(JOINT, 2),)),
            )
        }
    )
    verdict = check(written, place)
    assert isinstance(verdict, Verified)
    headings = [section.heading for section in verdict.answer.sections]
    assert headings == ["Tamoxifen", "Letrozole"]


# --- the event --------------------------------------------------------------------


def test_the_event_has_exactly_its_keys_and_masks_people_R_M4_R_S6(
    clinic: Material,
) -> None:
    """Once per rejected draft; nobody's address in it, at most 200 characters."""
    verdict = checked(clinic, claim(f"{DIES} Write to jo@example.org. {'x ' * 300}", 1))
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
