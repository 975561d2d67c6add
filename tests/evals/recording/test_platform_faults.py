"""Outcomes as the bot would post them, and what a platform would refuse of them."""

from datetime import date

import pytest

from adapters import packs
from adapters.mail import Method, Part, Platform
from adapters.reply import Reply
from config.settings import PACKS
from engine.outcome.reasons import shown
from engine.question import intent as intents
from engine.records import Outcome, Question, Reason, Refusal
from evals.forms import Case, Expected
from evals.recording.platform_faults import LONGEST, MOST, platform_faults
from evals.recording.rows import row_of, served
from evals.recording.runner import Item
from tests.adapters.outcomes import parted
from tests.evals.sensitivity.breaking import instead

PACK = packs.load(PACKS / "textbook")
TODAY = date(2026, 7, 1)
CASE = Case(id="a", question="Why?", expected=Expected(outcome="refuse"))
SENTENCE = "The reading room of the library is open on every day of the week. "


def refused(said: str = "I do not know.", **changes: object) -> Outcome:
    """A refusal with a text and an explanation."""
    result = Refusal(
        reason=Reason.OUT_OF_SCOPE,
        shown_reason=shown(Reason.OUT_OF_SCOPE),
        explanation="Something.",
        fallback=said,
    )
    made = Outcome(
        question=Question(id="q", session="s", text="Why?", pack=PACK.id),
        intent=intents.blank(PACK),
        result=result,
    )
    return made.model_copy(update=changes)


def unsplit(outcome: Outcome) -> tuple[str, ...]:
    """The faults of an outcome where whatever is to be shown goes into one message."""
    with instead({"adapters.layout._paged": lambda units, _: [list(units)]}):
        return platform_faults(outcome, PACK, TODAY)


@pytest.mark.parametrize("times", [1, 100, 1_000])
def test_what_is_shipped_is_taken_by_both_platforms_R_C4(times: int) -> None:
    """However long it is: it is split, or shortened."""
    assert platform_faults(refused(SENTENCE * times), PACK, TODAY) == ()


def test_a_message_that_is_too_long_names_platform_way_and_place_R_C4() -> None:
    """In each way to show an answer that takes it whole, on both platforms."""
    faults = unsplit(refused(SENTENCE * 300))
    whole = [
        f"{platform} {way} 1"
        for platform in Platform
        for way in ("mention", "command", "handover")
    ]
    assert sorted({fault.partition(":")[0] for fault in faults}) == sorted(whole)
    assert any("at most 4000 in all" in fault for fault in faults)


@pytest.mark.parametrize("way", ["sources", "why"])
@pytest.mark.parametrize("platform", Platform)
def test_what_the_buttons_bring_is_judged_too_R_C4(
    platform: Platform, way: str
) -> None:
    """An empty message is one that each platform refuses."""
    empty = Part(nonce="1", method=Method.WHISPER, payload={})
    with instead({f"adapters.{platform}.post.{way}": lambda *_: (empty,)}):
        faults = platform_faults(refused(), PACK, TODAY)
    assert {fault.partition(":")[0] for fault in faults} == {f"{platform} {way} 1"}


@pytest.mark.parametrize("platform", Platform)
def test_the_rest_of_an_answer_is_judged_too_R_A3_R_C4(platform: Platform) -> None:
    """Where there is one; a person is sent the whole answer in one."""
    empty = Part(nonce="1", method=Method.WHISPER, payload={})
    sent: list[Reply] = []

    def handover(reply: Reply, *_: object) -> tuple[Part, ...]:
        sent.append(reply)
        return ()

    ways = {
        f"adapters.{platform}.post.more": lambda *_: (empty,),
        f"adapters.{platform}.post.handover": handover,
    }
    with instead(ways):
        faults = platform_faults(parted(False, True), PACK, TODAY)
        assert platform_faults(parted(False, False), PACK, TODAY) == ()
    assert {fault.partition(":")[0] for fault in faults} == {f"{platform} more 1"}
    assert [reply.more for reply in sent] == [(), ()]


def test_what_is_served_is_the_whole_answer_R_A3() -> None:
    """Metrics judge its rest, too."""
    text = served(parted(False, True), PACK, TODAY)
    assert "Step 1." in text and "Step 2." in text
    assert "To see the rest" not in text


def test_faults_are_few_short_and_the_same_each_time_R_C4() -> None:
    """Whatever the audit id of the outcome is; how many more there are is said."""
    notices = tuple(f"Notice {number}." for number in range(100))
    bad = refused(SENTENCE * 300, notices=notices, audit_id="one")
    with instead({"evals.platforms.slack_limits._unlike": _many}):
        faults = unsplit(bad)
        assert unsplit(bad.model_copy(update={"audit_id": None})) == faults
    assert len(faults) == MOST + 1
    assert faults[-1].startswith("… and ")
    assert max(map(len, faults)) == LONGEST


def _many(blocks: object) -> list[str]:
    return [f"blocks: {'x' * LONGEST} {number}" for number in range(MOST)]


def test_a_row_holds_its_faults_and_an_error_none_R_C4_R_E2() -> None:
    """Of what was not asked nothing is known, so that it is not called fine."""
    row = row_of(Item(CASE), refused(), PACK, TODAY)
    assert row.platform_faults == ()
    with instead({"adapters.layout._paged": lambda units, _: [list(units)]}):
        broken = row_of(Item(CASE), refused(SENTENCE * 300), PACK, TODAY)
    assert broken.platform_faults
    fault = Refusal(
        reason=Reason.INTERNAL,
        shown_reason=shown(Reason.INTERNAL),
        explanation="Something.",
        fallback="Something went wrong.",
    )
    failed = row_of(Item(CASE), refused(result=fault), PACK, TODAY)
    assert failed.error
    assert failed.platform_faults is None
