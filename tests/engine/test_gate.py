"""The evidence gate: every reason, its order, and every boundary as written."""

from datetime import timedelta
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from adapters.packs import load
from engine.gate import blocked_event, decide
from engine.model.codes import Reason
from engine.model.document import Thing
from engine.model.evidence import Evidence, Trace
from engine.model.gate import Closed, GateDecision, Open
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.rank.compose import compose
from tests.engine.small_pack import (
    TODAY,
    chunk,
    data,
    evidence,
    intent,
    question,
    small_pack,
    source,
)

PACK = small_pack()
OLD = TODAY - timedelta(days=101)


def gate(
    found: Evidence, asked: Intent | None = None, pack: Pack = PACK
) -> GateDecision:
    return decide(found, asked or intent(), pack, pack.register())


def reason(found: Evidence, asked: Intent | None = None, pack: Pack = PACK) -> Reason:
    """Why the gate stayed closed."""
    decision = gate(found, asked, pack)
    assert isinstance(decision, Closed), decision
    return decision.reason


def tier_one(relevance: float, document: str = "g", **changes: Any) -> Chunk:
    return chunk(relevance, document, source="one", **changes)


def opens(*chunks: Chunk, asked: Intent | None = None, pack: Pack = PACK) -> bool:
    return isinstance(gate(evidence(chunks), asked, pack), Open)


# --- openings and their boundaries ------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (0.51, 0.51, True),
        (0.5, 0.9, False),
        (0.9, 0.5, False),
        (0.50001, 0.50001, True),
        (1.0, 0.49, False),
    ],
)
def test_two_documents_above_a_half_open_R_G1(
    first: float, second: float, expected: bool
) -> None:
    """0.5 itself is not above 0.5."""
    assert opens(chunk(first, "a"), chunk(second, "b")) is expected


@pytest.mark.parametrize(("relevance", "opened"), [(0.5001, True), (0.5, False)])
def test_two_documents_open_the_shipped_pack_above_a_half_R_G1(
    relevance: float, opened: bool
) -> None:
    """No other figure of the pack raises it, and what decided is on record."""
    root = Path(__file__).resolve().parents[2]
    pack = load(root / "config" / "packs" / "oncology")
    name = next(s.id for s in pack.sources if s.trusted and not s.guideline)
    found = evidence(
        [chunk(relevance, document, source=name) for document in "ab"],
        answerability=relevance,
    )
    decision = decide(found, intent(), pack, pack.register())
    assert isinstance(decision, Open) is opened
    assert decision.numbers["needed"] == 0.5


@pytest.mark.parametrize(
    ("relevance", "expected"),
    [(0.7, False), (0.70001, True), (0.69, False), (1.0, True)],
)
def test_one_tier_one_guideline_opens_above_seven_tenths_R_G1(
    relevance: float, expected: bool
) -> None:
    """0.7 itself is not above 0.7."""
    assert opens(tier_one(relevance)) is expected


def test_two_chunks_of_one_document_are_one_source_R_G2() -> None:
    """One source means one document."""
    found = evidence([chunk(0.9, "a"), chunk(0.8, "a")])
    assert reason(found) is Reason.LOW_DIVERSITY


def test_what_opened_is_on_record_R_I3() -> None:
    """The answer has to cite as many documents as the opening asked for."""
    one = gate(evidence([tier_one(0.8), chunk(0.9, "b")]))
    assert isinstance(one, Open)
    assert (one.rule, one.tier_one, one.required_documents) == ("guideline", True, 1)
    two = gate(evidence([tier_one(0.6), chunk(0.9, "b"), chunk(0.4, "c")]))
    assert isinstance(two, Open)
    assert (two.rule, two.tier_one, two.required_documents) == ("two", False, 2)
    assert [c.document for c in two.chunks] == ["g", "b"]
    assert two.documents == 2
    assert two.minimum_citations == 2


def test_treatment_asks_for_two_chunks_unless_a_guideline_opened_R_G3() -> None:
    """The intent's minimum counts usable chunks."""
    asked = intent(query_type="treatment")
    loose = PACK.gate.model_copy(
        update={
            "openings": (
                *PACK.gate.openings,
                PACK.gate.openings[1].model_copy(update={"documents": 1}),
            )
        }
    )
    pack = PACK.model_copy(update={"gate": loose})
    assert reason(evidence([chunk(0.9)]), asked, pack) is Reason.LOW_DIVERSITY
    assert opens(chunk(0.9), chunk(0.8), asked=asked, pack=pack)
    assert opens(tier_one(0.71), asked=asked, pack=pack)
    assert opens(chunk(0.9), pack=pack)


@pytest.mark.parametrize(
    ("relevance", "expected"),
    [(0.7, None), (0.69999, Reason.LOW_SCORE), (0.5, Reason.LOW_SCORE)],
)
def test_textbook_bands_R_G5(
    root: Path, relevance: float, expected: Reason | None
) -> None:
    """0.7 itself is used; one passage is enough."""
    pack = load(root / "config" / "packs" / "textbook")
    found = evidence([chunk(relevance, source="ros2-docs")])
    decision = gate(found, intent(query_type="definition"), pack)
    if expected is None:
        assert isinstance(decision, Open)
    else:
        assert isinstance(decision, Closed)
        assert decision.reason is expected


def test_persuasive_sources_open_only_in_number_R_G10() -> None:
    """A legal pack: one binding chunk, or two of any authority."""
    pack = small_pack(
        domain="legal",
        gate={
            "openings": [
                {
                    "name": "binding",
                    "documents": 1,
                    "relevance": 0.5,
                    "comparison": ">=",
                    "authority": "binding",
                },
                {
                    "name": "persuasive",
                    "documents": 1,
                    "chunks": 2,
                    "relevance": 0.5,
                    "comparison": ">=",
                },
            ]
        },
        sources=[source("two"), source("act", authority="binding")],
    )
    assert opens(chunk(0.5, source="act"), pack=pack)
    assert reason(evidence([chunk(0.9)]), pack=pack) is Reason.LOW_DIVERSITY
    assert opens(chunk(0.5), chunk(0.6), pack=pack)


# --- reasons in their order -------------------------------------------------------


def test_nothing_retrieved_R_G2() -> None:
    """NO_RESULTS also where the corpus knows no word, for there was nothing to know."""
    assert reason(evidence()) is Reason.NO_RESULTS
    topical = small_pack(topics=["a"])
    assert reason(evidence(known_words=False), pack=topical) is Reason.NO_RESULTS


def test_all_removed_by_safety_filters_R_G2() -> None:
    """Untrusted candidates went first, so the filters took the trusted ones."""
    told = {"candidates": 5, "removed_untrusted": 3, "removed_filtered": 2}
    trace = Trace(query_type="general", **told)
    decision = gate(compose([], intent(), PACK, trace))
    assert isinstance(decision, Closed)
    assert decision.reason is Reason.FILTERED_OUT
    assert decision.numbers == {"removed": 2}


@pytest.mark.parametrize(
    "found",
    [
        evidence(trace={"candidates": 3, "removed_untrusted": 3}),
        evidence([chunk(0.99, source="news"), chunk(0.99, "b", source="news")]),
        evidence([chunk(0.99, source="nobody"), chunk(0.9, "b", source="nobody")]),
    ],
)
def test_untrusted_and_unregistered_sources_never_count_R_G9(found: Evidence) -> None:
    """LOW_TRUST only where no trusted chunk remains."""
    assert reason(found) is Reason.LOW_TRUST


def test_untrusted_chunks_are_not_handed_on_R_G9() -> None:
    """They neither open the gate nor pass it."""
    news = chunk(0.99, "n", source="news")
    assert reason(evidence([chunk(0.9, "a"), news])) is Reason.LOW_DIVERSITY
    decision = gate(evidence([news, chunk(0.9, "a"), chunk(0.9, "b")]))
    assert isinstance(decision, Open)
    assert news not in decision.chunks


@pytest.mark.parametrize("best", [0.0, 0.29999, 0.3, 0.5])
def test_low_score_R_G2(best: float) -> None:
    """Best below 0.3, or none above the loosest opening."""
    assert reason(evidence([chunk(best, "a"), chunk(best, "b")])) is Reason.LOW_SCORE


def test_candidates_that_composing_dropped_are_a_low_score_R_G2() -> None:
    """Something was retrieved, so it is not NO_RESULTS."""
    found = evidence(trace={"candidates": 30}, nearest=(chunk(0.2),))
    decision = gate(found)
    assert isinstance(decision, Closed)
    assert decision.reason is Reason.LOW_SCORE
    assert decision.numbers["best"] == 0.2


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"published": OLD}, False),
        ({"published": OLD + timedelta(days=1)}, True),
        ({"published": None, "retrieved": TODAY}, True),
        ({"published": None, "retrieved": OLD}, False),
        ({"published": None}, False),
        ({"published": TODAY + timedelta(days=9)}, False),
    ],
)
def test_time_sensitive_questions_need_one_recent_passage_R_G2(
    dates: dict[str, Any], expected: bool
) -> None:
    """Undated and dated ahead are not recent; the hundredth day still is."""
    asked = intent(time_sensitive=True)
    found = evidence([tier_one(0.9, **dates)])
    decision = gate(found, asked)
    assert isinstance(decision, Open) is expected
    if isinstance(decision, Closed):
        assert decision.reason is Reason.RECENCY_FAIL
    assert isinstance(gate(found), Open)


def test_a_time_sensitive_gate_opens_on_recent_passages_alone_R_G2() -> None:
    """An old passage neither counts nor is handed on beside a recent one."""
    asked = intent(time_sensitive=True)
    old, recent = chunk(0.9, "a", published=OLD), chunk(0.9, "b", published=TODAY)
    assert reason(evidence([old, recent]), asked) is Reason.LOW_DIVERSITY
    third = chunk(0.8, "c", published=TODAY)
    decision = gate(evidence([old, recent, third]), asked)
    assert isinstance(decision, Open)
    assert decision.chunks == (recent, third)


def test_an_unknown_analysis_date_fails_a_time_sensitive_question_R_I8() -> None:
    """A check that could not run has failed."""
    asked = intent(time_sensitive=True, as_of=None)
    assert reason(evidence([tier_one(0.9)]), asked) is Reason.RECENCY_FAIL


@pytest.mark.parametrize(
    ("answerability", "expected"), [(0.5, True), (0.49999, False), (0.0, False)]
)
def test_evidence_that_does_not_answer_closes_last_R_I6(
    answerability: float, expected: bool
) -> None:
    """Everything else passed, and still no answer."""
    decision = gate(evidence([tier_one(0.9)], answerability=answerability))
    assert isinstance(decision, Open) is expected
    if isinstance(decision, Closed):
        assert decision.reason is Reason.INSUFFICIENT_CONTEXT


# Each fault with what it does to the evidence of an open gate. In the order of R-G2,
# between the question's own reasons and the evidence's.
FAULTS = (
    Reason.UNSUPPORTED_LANGUAGE,
    Reason.OUT_OF_SCOPE,
    Reason.LOW_TRUST,
    Reason.LOW_SCORE,
    Reason.RECENCY_FAIL,
    Reason.LOW_DIVERSITY,
    Reason.INSUFFICIENT_CONTEXT,
)


def faulty(faults: frozenset[Reason]) -> tuple[Evidence, Intent]:
    """Evidence and intent that have exactly these faults."""
    low = Reason.LOW_SCORE in faults
    old = Reason.RECENCY_FAIL in faults
    alone = Reason.LOW_DIVERSITY in faults
    changes = {
        "source": "news" if Reason.LOW_TRUST in faults else "two",
        "published": OLD if old else TODAY,
    }
    chunks = [
        chunk(0.2 if low else 0.9, document, **changes)
        for document in ("a" if alone else "ab")
    ]
    found = evidence(
        chunks,
        answerability=0.1 if Reason.INSUFFICIENT_CONTEXT in faults else 0.9,
    )
    asked = intent(
        time_sensitive=True,
        language="de" if Reason.UNSUPPORTED_LANGUAGE in faults else "en",
        in_scope=Reason.OUT_OF_SCOPE not in faults,
    )
    return found, asked


@pytest.mark.parametrize("size", range(len(FAULTS) + 1))
def test_the_first_reason_in_order_wins_R_G2(size: int) -> None:
    """Over every subset of faults; without any the gate is open."""
    for chosen in combinations(FAULTS, size):
        found, asked = faulty(frozenset(chosen))
        decision = gate(found, asked)
        if chosen:
            assert isinstance(decision, Closed), chosen
            assert decision.reason is chosen[0], chosen
        else:
            assert isinstance(decision, Open)


def test_every_grid_point_agrees_with_the_rule_R_G1() -> None:
    """Two chunks over all combinations of relevance, document, tier and trust."""
    steps = (0.0, 0.29, 0.3, 0.5, 0.51, 0.7, 0.71, 1.0)
    origins = ("one", "two", "news")
    for (a, b), (x, y), same in product(
        product(steps, steps), product(origins, origins), (False, True)
    ):
        chunks = [
            chunk(a, "a", source=x),
            chunk(b, "a" if same else "b", source=y),
        ]
        trusted = [c for c in chunks if c.source != "news"]
        two = len({c.document for c in trusted if c.relevance > 0.5}) >= 2
        guideline = any(c.source == "one" and c.relevance > 0.7 for c in trusted)
        assert opens(*chunks) is (two or guideline), (a, b, x, y, same)


# --- the question itself ----------------------------------------------------------


def test_unknown_words_lie_outside_a_pack_with_topics_R_G5() -> None:
    """Without topics the search's own reasons tell."""
    found = evidence([chunk(0.2)], known_words=False)
    assert reason(found, pack=small_pack(topics=["a"])) is Reason.OUT_OF_SCOPE
    assert reason(found) is Reason.LOW_SCORE


def test_general_and_follow_up_questions_are_judged_alike_R_M3() -> None:
    """They are recorded, and the gate does not know them."""
    found = evidence([chunk(0.9, "a"), chunk(0.5, "b")])
    for asked in (intent(general=True), intent(follow_up=True), intent(personal=False)):
        assert gate(found, asked) == gate(found)


# --- selected text ----------------------------------------------------------------


def test_a_selection_is_sufficient_or_not_R_A6() -> None:
    """Outside medical packs no source, number or date is asked of it."""
    pack = small_pack(domain="technical")
    chosen = evidence([chunk(0.6, source="selection", published=None)])
    decision = decide(chosen, intent(), pack, {}, selection=True)
    assert isinstance(decision, Open)
    assert decision.required_documents == 1
    for weak in (
        evidence([chunk(0.49, source="selection")]),
        evidence(),
    ):
        closed = decide(weak, intent(), pack, {}, selection=True)
        assert isinstance(closed, Closed)
        assert closed.reason is Reason.INSUFFICIENT_CONTEXT


def test_a_medical_selection_passes_the_ordinary_rules_R_A6() -> None:
    """It counts as a passage of its registered source; every refusal reads alike."""
    register = PACK.register()
    registered = evidence([tier_one(0.8)])
    assert isinstance(
        decide(registered, intent(), PACK, register, selection=True), Open
    )
    unknown = evidence([chunk(0.9, source="selection")])
    closed = decide(unknown, intent(), PACK, register, selection=True)
    assert isinstance(closed, Closed)
    assert closed.reason is Reason.INSUFFICIENT_CONTEXT


# --- the event --------------------------------------------------------------------


def test_the_event_has_exactly_the_keys_R_G8() -> None:
    """The query is masked, then cut to 200 characters."""
    found = evidence([chunk(0.2)])
    closed = gate(found)
    assert isinstance(closed, Closed)
    text = "My mail is jo@example.org. " + "x" * 400
    event = blocked_event(question(text), intent(), closed, found)
    assert list(event) == [
        "event",
        "reasonCode",
        "reason",
        "queryType",
        "chunkCount",
        "sessionId",
        "query",
    ]
    assert event["event"] == "evidence_gate_blocked"
    assert event["reasonCode"] == "LOW_SCORE"
    assert event["chunkCount"] == 1
    assert str(event["query"]).startswith("My mail is [e-mail]. xxx")
    assert len(str(event["query"])) == 200


# --- openings by query type -------------------------------------------------------


def test_an_opening_may_be_for_some_questions_alone_R_G10() -> None:
    """Two chunks of one document where that is enough, elsewhere what the rest says."""
    openings = [
        {
            "name": "binding",
            "documents": 1,
            "relevance": 0.5,
            "comparison": ">=",
            "authority": "binding",
        },
        {
            "name": "persuasive",
            "documents": 1,
            "chunks": 2,
            "relevance": 0.5,
            "comparison": ">=",
            "query_types": ["general"],
        },
    ]
    pack = small_pack(
        domain="legal",
        gate={"openings": openings},
        sources=[source("one", authority="binding"), source("two")],
    )
    two = (chunk(0.5, "a"), chunk(0.6, "a"))
    assert opens(*two, pack=pack)
    assert not opens(two[0], pack=pack)
    other = intent(query_type="treatment", name="INFORMATIONAL_TREATMENT")
    assert not opens(*two, asked=other, pack=pack)
    binding = [chunk(0.5, "law", source="one"), chunk(0.6, "law", source="one")]
    assert opens(*binding, asked=other, pack=pack)
    needed = gate(evidence((two[0],)), pack=pack)
    assert isinstance(needed, Closed)
    assert needed.numbers["documents_needed"] == 1


def test_what_a_guideline_has_to_state_comes_with_it_R_A2() -> None:
    """Its level of evidence stands on its own page, whatever the caps left out."""
    field = {"label": "level", "patterns": [r"\bcategory \d"]}
    rules = [{"heading": "SAYS", "sources": ["one"], "fields": [field]}]
    pack = small_pack(intents=[{**data()["intents"][0], "sections": rules}])
    asked = intent(query_type=pack.intents[0].query_type, name=pack.intents[0].name)
    level = tier_one(0.9, text="It is category 2A.", id="level")
    other = tier_one(0.9, "h", text="It is category 1.", id="other")
    found = evidence([tier_one(0.8)], nearest=(other, level))
    opened = gate(found, asked, pack)
    assert isinstance(opened, Open)
    assert [c.id for c in opened.chunks][1:] == ["level"]
    stated = tier_one(0.8, text="It is category 2A.", id="stated")
    opened = gate(evidence([stated], nearest=(level,)), asked, pack)
    assert isinstance(opened, Open)
    assert len(opened.chunks) == 1  # stated already


# --- what a trial says of itself ---------------------------------------------------


def own(relevance: float, document: str, *names: str) -> Chunk:
    """A passage of a publication about one trial."""
    thing = Thing(start=0, end=5, kind="trial", names=names)
    return chunk(relevance, document, things=(thing,))


@pytest.mark.parametrize(
    ("relevance", "document", "named", "opened"),
    [
        (0.71, "paper", ("paper", "record"), True),
        (0.7, "paper", ("paper", "record"), False),  # as for any of tier 1
        (0.9, "review", ("paper", "record"), False),  # speaks of it, and is not its own
        (0.9, "paper", (), False),  # the question names no trial
        (0.9, "paper", ("other",), False),  # the question names another one
        (0.9, "paper", ("paper", "record", "other"), False),  # and of two, neither
    ],
)
def test_a_trials_own_publication_opens_for_that_trial_alone_R_G1(
    relevance: float, document: str, named: tuple[str, ...], *, opened: bool
) -> None:
    """Its figure stands on no second page; nothing else is opened by one page."""
    rule = {"name": "own", "documents": 1, "relevance": 0.7, "own": True}
    gates = small_pack().gate.model_dump(mode="json")
    gates["openings"] = [rule, *gates["openings"]]
    pack = small_pack(gate=gates)
    every = {
        "paper": own(0.1, "paper", "GALAXY", "UMIN1"),
        "record": own(0.1, "record", "GALAXY"),
        "other": own(0.1, "other", "COBRA"),
        "review": chunk(0.1, "review"),
    }
    every[document] = every[document].model_copy(update={"relevance": relevance})
    found = evidence(tuple(every.values()), trace={"named": named})
    decision = gate(found, pack=pack)
    assert isinstance(decision, Open) is opened
    if isinstance(decision, Open):
        assert (decision.rule, decision.tier_one) == ("own", True)
        assert decision.required_documents == 1
