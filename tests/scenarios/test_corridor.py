"""Real demo texts through `Engine.ask`: what every answer and every refusal holds."""

import json
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

import jsonschema
import pytest

from adapters.ledger.report import Report
from engine import Answer, Outcome, Reason, Refusal, RefusalReason, record_of
from engine.model.answer import Citation, Claim
from engine.model.document import Document
from engine.model.gate import Closed, Open
from engine.model.record import format_attribution, plain_text
from tests.demo import ANSWERABLE, NAMES, Room, must_refuse, quotes

ENOUGH = 0.75  # of the demo questions must be answered, or nothing here is shown


def of(asked: Sequence[Outcome], pack: str) -> list[Outcome]:
    return [o for o in asked if o.question.pack == pack]


def answers(asked: Sequence[Outcome]) -> list[Answer]:
    return [o.result for o in asked if isinstance(o.result, Answer)]


async def document(room: Room, cited: Citation, pack: str) -> Document:
    """The stored version that a citation names."""
    found = await room.ledger.document(cited.document, cited.version, pack)
    assert found is not None
    return found


# --- what is answered, what is refused --------------------------------------------


@pytest.mark.parametrize("pack", NAMES)
def test_what_the_texts_say_is_answered_R_A3(
    asked: tuple[Outcome, ...], pack: str
) -> None:
    """Useful without a model, on questions in the words of the texts."""
    found = [o for o in of(asked, pack) if o.question.text in ANSWERABLE[pack]]
    refused = [o.question.text for o in found if not o.answered]
    assert len(refused) <= (1 - ENOUGH) * len(found), refused


@pytest.mark.parametrize("pack", NAMES)
def test_must_refuse_fixtures_are_refused_R_U8(
    asked: tuple[Outcome, ...], pack: str
) -> None:
    """Every refusal carries one of the four reasons, a reason code and a fallback."""
    texts = must_refuse(pack)
    found = [o for o in of(asked, pack) if o.question.text in texts]
    assert len(found) == len(texts)
    for outcome in found:
        assert isinstance(outcome.result, Refusal), outcome.question.text
        assert outcome.result.shown_reason in RefusalReason
        assert outcome.result.fallback


def test_a_comparison_that_no_source_makes_is_refused_R_G6(
    asked: tuple[Outcome, ...],
) -> None:
    """Full of words that the textbook holds, and answered nowhere in it."""
    (outcome,) = (o for o in asked if o.question.text == "Is ROS 2 better than ROS 1?")
    assert isinstance(outcome.result, Refusal)
    assert isinstance(outcome.gate, Closed)


@pytest.mark.parametrize("text", ["", " ", "?", "\x00", "\N{GRINNING FACE}" * 3])
@pytest.mark.parametrize("pack", NAMES)
async def test_a_question_without_words_is_told_so_R_G5(
    room: Room, pack: str, text: str
) -> None:
    """A fixed text asks for a sentence (R-U10); nothing fails over it."""
    outcome = await room.ask(pack, text)
    assert isinstance(outcome.result, Refusal)
    assert outcome.reason is Reason.FIXED_TEXT
    assert outcome.result.fallback.endswith("Please ask in a sentence.")
    assert room.observer.counted("engine_failed") == 0


# --- quotations and citations -----------------------------------------------------


async def test_every_quote_is_a_slice_of_the_stored_version_R_I7(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """Character for character, at its offsets."""
    checked = 0
    for outcome in asked:
        for quote in quotes(outcome):
            stored = await room.ledger.document(
                quote.document, quote.version, outcome.question.pack
            )
            assert stored is not None
            assert stored.text[quote.start : quote.end] == quote.text
            checked += 1
    assert checked > 20


async def test_a_quote_begins_and_ends_with_a_sentence_R_I7(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """Whole sentences, so that no qualifier is cut off (R-A3 too)."""
    for outcome in asked:
        for quote in quotes(outcome):
            stored = await room.ledger.document(
                quote.document, quote.version, outcome.question.pack
            )
            assert stored is not None
            assert quote.start in {s.start for s in stored.sentences}
            assert quote.end in {s.end for s in stored.sentences}


async def test_an_oncology_answer_has_two_distinct_citations_R_I3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """At stored offsets, not overlapping, of as many documents as opened the gate."""
    for outcome in of(asked, "oncology"):
        if not isinstance(outcome.result, Answer):
            continue
        cited = outcome.result.citations
        assert len(cited) >= 2
        assert isinstance(outcome.gate, Open)
        needed = outcome.gate.required_documents
        assert len({c.document for c in cited}) >= needed
        for one, other in combinations(cited, 2):
            same = (one.document, one.version) == (other.document, other.version)
            assert not same or one.end <= other.start or other.end <= one.start
        for citation in cited:
            stored = await document(room, citation, outcome.question.pack)
            assert 0 <= citation.start < citation.end <= len(stored.text)


def test_only_what_the_gate_opened_on_is_cited_R_V1(
    asked: tuple[Outcome, ...],
) -> None:
    """Every citation is one of the chunks of this question."""
    for outcome in asked:
        if isinstance(outcome.result, Answer):
            assert isinstance(outcome.gate, Open)
            chunks = {chunk.id for chunk in outcome.gate.chunks}
            assert {c.chunk for c in outcome.result.citations} <= chunks


# --- reads as an answer -----------------------------------------------------------


def test_no_quotation_repeats_another_R_A3(asked: tuple[Outcome, ...]) -> None:
    """Spans of one document do not overlap, and no text stands twice."""
    for outcome in asked:
        found = quotes(outcome)
        assert len({q.text for q in found}) == len(found)
        for one, other in combinations(found, 2):
            if one.document == other.document:
                assert one.end <= other.start or other.end <= one.start


def claims(outcome: Outcome) -> list[Claim]:
    """The claims of an answer in order; none of a refusal."""
    if not isinstance(outcome.result, Answer):
        return []
    return [claim for section in outcome.result.sections for claim in section.claims]


def test_a_document_is_quoted_in_its_own_order_R_A3(
    asked: tuple[Outcome, ...],
) -> None:
    """Behind what answers best, documents stand in a row, and each runs forwards."""
    for outcome in asked:
        found = [quote for claim in claims(outcome)[1:] for quote in claim.quotes]
        seen = [q.document for q in found]
        runs = [d for at, d in enumerate(seen) if at == 0 or seen[at - 1] != d]
        assert len(runs) == len(set(runs))
        for before, after in pairwise(found):
            if before.document == after.document:
                assert before.start < after.start


async def test_a_list_comes_with_its_lead_in_R_A3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """An item is quoted only beside the sentence that introduces it."""
    items = 0
    for outcome in asked:
        found = quotes(outcome)
        for quote in found:
            stored = await room.ledger.document(
                quote.document, quote.version, outcome.question.pack
            )
            assert stored is not None
            for sentence in stored.sentences:
                inside = quote.start <= sentence.start < quote.end
                if not inside or sentence.lead_in is None:
                    continue
                items += 1
                assert any(
                    q.document == quote.document
                    and q.start <= sentence.lead_in.start < q.end
                    for q in found
                )
    assert items > 10


def test_no_quotation_ends_in_the_air_R_A3(asked: tuple[Outcome, ...]) -> None:
    """None ends with a colon, and no run of one without what it announces."""
    for outcome in asked:
        told = [claim.text.rstrip() for claim in claims(outcome)]
        assert not [text for text in told if text.endswith(":")]


def test_what_is_shown_is_what_passed_R_A9(asked: tuple[Outcome, ...]) -> None:
    """The body holds nothing but claims, their numbers and the pack's own lines."""
    for outcome in asked:
        body = plain_text(outcome)
        if not isinstance(outcome.result, Answer):
            assert body == outcome.result.fallback
            continue
        for section in outcome.result.sections:
            for claim in section.claims:
                assert claim.text in body
                body = body.replace(claim.text, "", 1)
        line = outcome.result.attribution
        introduced = [format_attribution(line, c) for c in outcome.result.citations]
        left = [line for line in body.splitlines() if line.strip("“”[]0123456789 ")]
        assert set(left) <= set(introduced)


def test_the_textbook_answers_whole_or_not_at_all_R_A12(
    asked: tuple[Outcome, ...],
) -> None:
    """Nothing was dropped from an answer, and none names what it lacks."""
    for outcome in of(asked, "textbook"):
        if isinstance(outcome.result, Answer):
            assert outcome.result.not_found == ()
            assert not [f for f in outcome.findings if f.severity != "note"]


# --- on record --------------------------------------------------------------------


async def test_verify_passes_on_every_stored_answer_R_D3(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """Each by its id, and all together."""
    every: Report = await room.ledger.verify_all()
    assert every.ok
    assert every.answers >= len(answers(asked))
    first = next(o for o in asked if o.answered)
    assert first.audit_id is not None
    assert (await room.ledger.verify(first.audit_id)).ok


async def test_a_record_fits_the_committed_schema_R_D1(
    room: Room, asked: tuple[Outcome, ...], root: Path
) -> None:
    """As it is handed on, and as the ledger gives it back."""
    schema = json.loads((root / "docs" / "record.schema.json").read_text("utf-8"))
    for outcome in asked:
        jsonschema.validate(record_of(outcome).model_dump(mode="json"), schema)
    assert asked[0].audit_id is not None
    stored = await room.ledger.read(asked[0].audit_id)
    jsonschema.validate(stored.model_dump(mode="json"), schema)


def test_the_record_tells_how_the_evidence_came_about_R_R9(
    asked: tuple[Outcome, ...],
) -> None:
    """Query type, candidates by arm and sources by type, answered or refused."""
    for outcome in asked:
        trace = record_of(outcome).retrieval
        if isinstance(outcome.result, Refusal) and (
            outcome.result.reason is Reason.FIXED_TEXT
        ):
            continue  # nothing is looked up for it
        assert trace is not None
        assert trace.query_type == outcome.intent.query_type
        assert trace.bm25_candidates + trace.dense_candidates >= trace.candidates
        assert set(trace.milliseconds) >= {"encode", "search", "judge"}
        if outcome.answered:
            assert sum(trace.sources_by_type.values()) > 0
            assert {s.score for s in record_of(outcome).sources}


# --- the question -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "I want to kill myself. What is DPD deficiency?",
        "I want to kill myself.",
        "i'm going to kill myself, was soll ich tun und wie ist das",
    ],
)
async def test_an_emergency_is_told_first_R_M6(room: Room, text: str) -> None:
    """Whatever the gate says, the question is then handled as any other."""
    outcome = await room.ask("oncology", text)
    assert outcome.emergency == room.packs["oncology"].wording.emergencies[0].text


@pytest.mark.parametrize(
    ("pack", "text", "where"),
    [
        ("textbook", "gazbo sim world file", "demo/gazebo-worlds-sdf"),
        ("oncology", "How is 5FU given?", "demo/capecitabine-and-fluorouracil"),
        ("oncology", "side effects of chemo", "demo/chemotherapy-what-to-expect"),
        ("oncology", "low platlet count signs", "demo/low-blood-counts"),
    ],
)
async def test_everyday_words_and_typing_errors_find_their_page_R_U2(
    room: Room, pack: str, text: str, where: str
) -> None:
    """Among the first three pages, answered or not."""
    outcome = await room.ask(pack, text)
    assert where in [near.document_id for near in outcome.nearest[:3]]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Was ist ein Knoten in ROS 2 und wie startet man ihn?", "de"),
        ("¿Qué es un nodo y cómo puedo iniciar el nodo?", "es"),
        ("什么是机器人", "zh"),
    ],
)
async def test_another_language_is_refused_in_it_R_U3(
    room: Room, text: str, language: str
) -> None:
    """In the words that the pack has for it."""
    outcome = await room.ask("textbook", text)
    words = room.packs["textbook"].wording.unsupported_language
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.UNSUPPORTED_LANGUAGE
    assert outcome.result.fallback == words[language]


async def test_an_explicit_date_is_said_on_top_R_F5(room: Room) -> None:
    """On answers and refusals; today alone needs no header in these packs."""
    dated = await room.ask("oncology", "What is DPD deficiency as of 1 March 2024?")
    assert dated.header == "Analysis date basis: 2024-03-01 (explicit_as_of)"
    assert (await room.ask("oncology", "What is DPD deficiency?")).header is None
    pack = room.packs["oncology"].model_copy(update={"analysis_date_header": True})
    today = await room.but(packs={"oncology": pack}).ask("oncology", "xyzzy plugh?")
    assert (today.header or "").endswith("(today)")


@pytest.mark.parametrize(
    ("day", "answers"), [("1 July 2026", True), ("1 March 2020", False)]
)
async def test_what_is_younger_than_the_analysis_date_is_not_used_R_F5(
    room: Room, day: str, answers: bool
) -> None:
    """A page of 2026 says nothing of 2020, and the reply says that it was left out."""
    outcome = await room.ask("oncology", f"What is DPD deficiency as of {day}?")
    assert outcome.answered is answers
    left_out = "Sources published after 2020-03-01 were not used."
    assert (left_out in outcome.notices) is not answers
    assert outcome.trace is not None
    assert bool(outcome.trace.removed_younger) is not answers
    used = outcome.result.citations if isinstance(outcome.result, Answer) else ()
    assert all(c.published and str(c.published) <= "2026-07-01" for c in used)
    if not answers:
        assert (outcome.nearest, outcome.gate and outcome.gate.verdict) == (
            (),
            "closed",
        )


async def test_a_follow_up_is_understood_without_a_model_R_A11(room: Room) -> None:
    """The same evidence as the whole question, in the same words."""
    leaning = await room.ask(
        "textbook", "How do you prevent it?", previous="What is integral windup?"
    )
    whole = await room.ask("textbook", "How do you prevent integral windup?")
    assert leaning.intent.follow_up
    assert leaning.intent.text == whole.intent.text
    assert quotes(leaning) == quotes(whole)
    assert quotes(whole)
