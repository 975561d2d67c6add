"""Outcomes: states and their precedence, notices, header, emergency, what is shown."""

from datetime import date, timedelta
from typing import Any

import pytest

from engine.conclude.notices import format_header, tell_day
from engine.conclude.settle import Progress, find_withholding, list_notices, settle
from engine.model import reasons
from engine.model.answer import Answer, Citation, Claim, Section
from engine.model.codes import FailureState, Reason
from engine.model.gate import Closed, Open
from engine.model.outcome import Outcome, Refusal
from engine.model.question import Basis
from engine.model.record import record_of
from engine.parse.intent import carry_findings
from engine.policy.pack import Pack
from tests.engine.model.test_reasons import subsets
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
GATE = Open(
    rule="two",
    chunks=(chunk(0.9, "a"), chunk(0.8, "b")),
    documents=2,
    tier_one=False,
    minimum_citations=2,
)
SHOWN = {
    FailureState.NONE,
    FailureState.STALE_VOLATILE_SOURCE,
    FailureState.NO_BINDING_AUTHORITY,
}


def answer(text: str = "It is treated.", **changes: Any) -> Answer:
    """An answer of one claim with one citation."""
    cited = Citation.model_validate(
        {
            "number": 1,
            "chunk": "c",
            "document": "d",
            "version": "v",
            "source": "two",
            "title": "T",
            "section": (),
            "start": 0,
            "end": 5,
            "relevance": 0.9,
            "published": TODAY,
            **changes,
        }
    )
    claims = (Claim(text=text, citations=(1,)),)
    return Answer(sections=(Section(heading="", claims=claims),), citations=(cited,))


def settled(pack: Pack = PACK, **walk: Any) -> Outcome:
    """The outcome of a walk through an open gate."""
    base = {"question": question(), "intent": intent(), "gate": GATE}
    return settle(Progress.model_validate(base | walk), pack)


def test_an_answer_passes_untouched() -> None:
    """NONE adds nothing (R-F3)."""
    outcome = settled(answer=answer())
    assert outcome.result == answer()
    assert outcome.states == (FailureState.NONE,)
    assert outcome.notices == ()
    assert outcome.header is None
    assert outcome.emergency is None


# --- every subset of states -------------------------------------------------------


@pytest.mark.parametrize("states", subsets(), ids=lambda s: "+".join(sorted(s)) or "-")
def test_every_subset_of_states_R_F2_R_F3(states: frozenset[FailureState]) -> None:
    """All are on record; the first decides the notices; each must allow the body."""
    outcome = settled(answer=answer(), states=states)
    order = [state for state in FailureState if state in states]
    assert list(outcome.states) == (order or [FailureState.NONE])
    assert outcome.answered is (states <= SHOWN)
    first = outcome.states[0]
    if first in {FailureState.NONE, FailureState.OUT_OF_SCOPE_SOURCE}:
        expected: list[str] = []
    elif first in SHOWN:
        expected = [f"Notice {state}." for state in order]
    else:
        expected = [f"Notice {first}."]
    assert list(outcome.notices) == expected
    if isinstance(outcome.result, Refusal):
        blocking = next(state for state in order if state not in SHOWN)
        assert outcome.result.reason is reasons.reason_of(blocking)
        assert outcome.result.fallback


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_ends_as_a_refusal_with_its_state_R_F4(reason: Reason) -> None:
    """An answer that came with a reason against it is not shown."""
    outcome = settled(answer=answer(), reason=reason)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is reason
    assert outcome.states == (reasons.failure_state_for(reason),)


def test_a_pack_may_withhold_more_R_I9() -> None:
    """A stale answer may be refused altogether."""
    tables = {
        state: notice.model_copy(update={"show_body": False})
        for state, notice in PACK.notices.items()
    }
    pack = PACK.model_copy(update={"notices": tables})
    states = (FailureState.STALE_VOLATILE_SOURCE,)
    assert find_withholding(states, pack) is FailureState.STALE_VOLATILE_SOURCE
    assert find_withholding(states, PACK) is None
    outcome = settled(pack, answer=answer(), states=frozenset(states))
    assert isinstance(outcome.result, Refusal)


# --- failing closed ---------------------------------------------------------------


@pytest.mark.parametrize(
    "walk",
    [
        {},
        {"gate": None, "answer": answer()},
        {"gate": None},
        {"states": frozenset({FailureState.STALE_VOLATILE_SOURCE})},
    ],
)
def test_a_walk_that_proves_nothing_is_refused_R_I8(walk: dict[str, Any]) -> None:
    """No answer without an open gate, and no silence without a reason."""
    outcome = settled(**walk)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INTERNAL


def test_a_closed_gate_keeps_its_reason_and_numbers_R_D5() -> None:
    """Whatever else was handed over."""
    closed = Closed(
        reason=Reason.LOW_SCORE, explanation="Too far.", numbers={"best": 0.2}
    )
    outcome = settled(gate=closed, answer=answer())
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.explanation == "Too far."
    assert outcome.result.numbers == {"best": 0.2}
    assert outcome.states == (FailureState.INSUFFICIENT_EVIDENCE,)


# --- states that are found here ---------------------------------------------------


@pytest.mark.parametrize(
    ("dates", "stale"),
    [
        ({"published": TODAY - timedelta(days=30)}, False),
        ({"published": TODAY - timedelta(days=31)}, True),
        ({"published": None, "retrieved": TODAY}, False),
        ({"published": None}, True),
    ],
)
def test_a_volatile_source_past_its_window_R_F6(
    dates: dict[str, Any], stale: bool
) -> None:
    """Shown with the notice; an undated source cannot show that it is fresh."""
    pack = small_pack(sources=[source("two", volatility="volatile", window_days=30)])
    outcome = settled(pack, answer=answer(**dates))
    expected = FailureState.STALE_VOLATILE_SOURCE if stale else FailureState.NONE
    assert outcome.states == (expected,)
    assert outcome.answered


def test_staleness_is_that_of_the_analysis_date_R_F6() -> None:
    """A source was fresh on the day that the question asks about."""
    pack = small_pack(sources=[source("two", volatility="volatile", window_days=30)])
    then = date(2020, 1, 1)
    cited = answer(published=then)
    asked = intent(as_of=then, basis=Basis.EXPLICIT)
    assert settled(pack, answer=cited, intent=asked).states == (FailureState.NONE,)
    assert settled(pack, answer=cited).states == (FailureState.STALE_VOLATILE_SOURCE,)


def test_no_binding_authority_R_F1() -> None:
    """Shown with a notice; not raised where the answer cites a binding source."""
    pack = small_pack(sources=[source("two"), source("act", authority="binding")])
    asked = intent(needs_binding=True)
    found = evidence(GATE.chunks)
    outcome = settled(pack, answer=answer(), intent=asked, evidence=found)
    assert outcome.states == (FailureState.NO_BINDING_AUTHORITY,)
    assert outcome.notices == ("Notice NO_BINDING_AUTHORITY.",)
    assert outcome.answered
    bound = settled(pack, answer=answer(source="act"), intent=asked, evidence=found)
    assert bound.states == (FailureState.NONE,)


def test_missing_facts_ask_for_them_R_F7() -> None:
    """Instead of the answer."""
    asked = intent(missing_facts=("your province",))
    for walk in ({"answer": answer()}, {}):
        outcome = settled(intent=asked, **walk)
        assert outcome.states == (FailureState.INSUFFICIENT_FACTS,)
        assert isinstance(outcome.result, Refusal)
        assert "Please tell me: your province." in outcome.result.fallback
        assert outcome.notices == ("Notice INSUFFICIENT_FACTS.",)


# --- on top -----------------------------------------------------------------------


def test_a_notice_stands_once_R_F3() -> None:
    """Not again where the body opens with it, however its quotes are curled."""
    states = frozenset({FailureState.STALE_VOLATILE_SOURCE})
    text = "Notice  STALE_VOLATILE_SOURCE. It is treated."
    assert settled(answer=answer(text), states=states).notices == ()
    same = {
        state: notice.model_copy(update={"text": "The same."})
        for state, notice in PACK.notices.items()
    }
    pack = PACK.model_copy(update={"notices": same})
    both = states | {FailureState.NO_BINDING_AUTHORITY}
    assert settled(pack, answer=answer(), states=both).notices == ("The same.",)


def test_every_speaking_state_is_heard_in_order_R_F3() -> None:
    order = (FailureState.STALE_VOLATILE_SOURCE, FailureState.NO_BINDING_AUTHORITY)
    assert list_notices(order, PACK) == (
        "Notice STALE_VOLATILE_SOURCE.",
        "Notice NO_BINDING_AUTHORITY.",
    )


def test_widening_is_said_R_I11() -> None:
    """And so is a requirement on sources that was not met (R-R4)."""
    trace = {"widened": True, "requirement_unmet": "two trial records"}
    pack = small_pack(
        retrieval={"widening_allowed": True},
        wording=PACK.wording.model_copy(update={"widened": "Widened."}),
    )
    outcome = settled(pack, answer=answer(), evidence=evidence(trace=trace))
    told = "There is less on this than I look for: two trial records."
    assert outcome.notices == ("Widened.", told)
    refused = settled(pack, reason=Reason.LOW_SCORE, evidence=evidence(trace=trace))
    assert told not in refused.notices


@pytest.mark.parametrize("walk", [{"answer": answer()}, {"reason": Reason.LOW_SCORE}])
def test_an_emergency_comes_first_whatever_follows_R_M6(walk: dict[str, Any]) -> None:
    """The question is then handled as any other, for the same reason."""
    asked = question("He is unresponsive. How is it treated?")
    urgent = intent(urgent=True, kind="collapse")
    outcome = settled(intent=urgent, question=asked, **walk)
    calm = settled(**walk)
    assert outcome.emergency == "Call for help."
    assert (outcome.answered, outcome.states) == (calm.answered, calm.states)
    if isinstance(outcome.result, Refusal) and isinstance(calm.result, Refusal):
        assert outcome.result.reason is calm.result.reason


def test_below_an_emergency_a_refusal_is_short_R_M6_R_M5() -> None:
    """No second notice, no word of what is missing, no links: distress alone."""
    asked = question("He is unresponsive. How is it treated?")
    urgent = intent(urgent=True)
    outcome = settled(intent=urgent, question=asked, reason=Reason.LOW_SCORE)
    assert isinstance(outcome.result, Refusal)
    assert outcome.notices == ()
    assert outcome.result.fallback == "I am here.\n\nCall the team."


@pytest.mark.parametrize(
    "walk",
    [
        {"reason": Reason.INTERNAL},
        {"reason": Reason.PROVIDER_FAILED},
        {
            "reason": Reason.INSUFFICIENT_CONTEXT,
            "question": question(selection="A text."),
        },
    ],
)
def test_no_notice_says_what_nobody_knows_R_F3(walk: dict[str, Any]) -> None:
    """A fault says nothing of the documents, nor does a selection."""
    outcome = settled(**walk)
    assert outcome.states == (FailureState.INSUFFICIENT_EVIDENCE,)
    assert outcome.notices == ()
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.fallback


@pytest.mark.parametrize("reason", [None, *Reason])
def test_the_date_header_is_on_every_reply_of_a_pack_that_asks_R_F5(
    reason: Reason | None,
) -> None:
    """On refusals and errors too."""
    pack = small_pack(analysis_date_header=True)
    outcome = settled(pack, answer=answer(), reason=reason)
    assert outcome.header == "Analysis date basis: 2026-11-22 (today)"


def test_a_moved_date_is_never_silent_R_F5() -> None:
    """Also in a pack that does not ask for the header."""
    day = date(2024, 3, 1)
    assert format_header(PACK, Basis.TODAY, day) is None
    line = "Analysis date basis: 2024-03-01 (explicit_as_of)"
    assert format_header(PACK, Basis.EXPLICIT, day) == line
    applied = format_header(PACK, Basis.APPLICATION_DATE, day)
    assert applied == "Analysis date basis: 2024-03-01 (application_date)"


# --- behind "why" -----------------------------------------------------------------


def test_pointers_name_the_nearest_trusted_pages_once_R_D5() -> None:
    """At most five, best first, without their text."""
    near = [chunk(0.1 * n, f"d{n}") for n in range(1, 8)]
    found = evidence(
        [chunk(0.65, "d6")], nearest=(*near, chunk(0.99, "x", source="news"))
    )
    outcome = settled(reason=Reason.LOW_SCORE, evidence=found)
    pointed = [near.document_id for near in outcome.nearest]
    assert pointed == ["d7", "d6", "d5", "d4", "d3"]
    assert outcome.nearest[1].relevance == 0.65
    assert not hasattr(outcome.nearest[0], "text")


def test_a_refusal_says_when_pages_came_near_R_M5_R_D5() -> None:
    """Only those that "why" shows; a relevance that would read 0.00 is not near."""
    wording = PACK.wording.model_copy(update={"nearby": "Pages are behind Why."})
    pack = PACK.model_copy(update={"wording": wording})

    def fallback(relevance: float, source: str = "two") -> str:
        found = evidence([chunk(relevance, source=source)])
        outcome = settled(pack, reason=Reason.LOW_SCORE, evidence=found)
        assert isinstance(outcome.result, Refusal)
        assert bool(outcome.nearest) is ("behind Why" in outcome.result.fallback)
        return outcome.result.fallback

    assert "Pages are behind Why." in fallback(0.2)
    assert "behind Why" not in fallback(0.004)
    assert "behind Why" not in fallback(0.2, source="news")


def test_the_pack_is_on_record_R_I12() -> None:
    pack = PACK.model_copy(update={"hash": "abc"})
    outcome = settled(pack, answer=answer())
    assert (outcome.pack_version, outcome.pack_hash) == ("1.0.0", "abc")


SPOKEN = {"kind": "fear", "text": "i am so scared"}
COMFORTING = small_pack(
    wording={
        **PACK.wording.model_dump(exclude_none=True),
        "fixed": {"fear": "That is a lot to carry. A counsellor can help."},
    }
)


@pytest.mark.parametrize("told", [SPOKEN, {"kind": "small", "text": "lol"}])
def test_a_fixed_text_is_no_refusal_on_record_R_M8_R_U10(told: dict[str, str]) -> None:
    """No reason that a document could mend, no state, and nothing is missing."""
    outcome = settled(COMFORTING, intent=intent(**told), reason=Reason.LOW_SCORE)
    record = record_of(outcome)
    assert (record.was_refusal, record.refusal_reason) == (False, None)
    assert record.reason_code is Reason.FIXED_TEXT
    assert record.reason_code not in reasons.DOCUMENT_HELPS
    assert outcome.states == (FailureState.NONE,)
    assert outcome.notices == ()


def test_a_fault_stays_one_where_a_fixed_text_would_answer_R_I8() -> None:
    outcome = settled(COMFORTING, intent=intent(**SPOKEN), reason=Reason.INTERNAL)
    assert not outcome.spoken
    assert record_of(outcome).was_refusal


def test_an_answer_is_not_replaced_by_comfort_R_M8() -> None:
    """One sentence stands above what the pages say."""
    outcome = settled(COMFORTING, intent=intent(**SPOKEN), answer=answer())
    assert outcome.answered
    assert outcome.notices == ("That is a lot to carry.",)


@pytest.mark.parametrize("given", [{"answer": answer()}, {"reason": Reason.LOW_SCORE}])
def test_comfort_stands_above_answer_and_refusal_R_M8(given: dict[str, Any]) -> None:
    """Where fear was told beside the question; the refusal is one still."""
    asked = intent(text="does it hurt", felt="fear")
    outcome = settled(COMFORTING, intent=asked, **given)
    assert outcome.notices[0] == "That is a lot to carry."
    assert not outcome.spoken


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"basis": Basis.TODAY}, []),
        (
            {"basis": Basis.EXPLICIT},
            ["This is for 2022-04-29, the day that you named."],
        ),
        (
            {"basis": Basis.APPLICATION_DATE},
            ["This is for 2022-04-29, the day of the application."],
        ),
    ],
)
def test_the_words_of_the_header_are_told_in_plain_ones_R_F5(
    changed: dict[str, Any], told: list[str]
) -> None:
    """ "(explicit_as_of)" is a word of the program; nobody else knows it."""
    read = intent(as_of=date(2022, 4, 29), **changed)
    assert list(tell_day(read, PACK)) == told


def test_what_goes_on_from_a_talk_greets_nobody_R_U14() -> None:
    """ "And today?" was heard as a greeting, and answered with one."""
    heard, read = intent(kind="hello"), intent(follow_up=True)
    assert carry_findings(read, heard, question("And today?")).kind == "question"
    assert carry_findings(read, heard, question("hello there")).kind == "hello"
    assert carry_findings(intent(), heard, question("And today?")).kind == "hello"


@pytest.mark.parametrize("kind", ["dying", "fear"])
def test_a_reply_to_a_feeling_holds_its_words_alone_R_M8(kind: str) -> None:
    """No notice, no links, no word of sources."""
    kinds = {"fixed": {"dying": "I am sorry. Ask them.", "fear": "That is hard. Call."}}
    pack = small_pack(wording={**data()["wording"], **kinds})
    walk = Progress(
        question=question("Is it going to kill me?"),
        intent=intent(kind=kind),
        reason=Reason.FIXED_TEXT,
    )
    outcome = settle(walk, pack)
    assert isinstance(outcome.result, Refusal)
    assert outcome.notices == ()
    assert outcome.result.fallback == kinds["fixed"][kind]
