"""Regressions on the way to an answer: the gate, the search, the question, the top."""

from collections.abc import Iterator
from typing import Any

from adapters.index.snapshot import Versions
from engine.conclude.settle import _once as once
from engine.gate import _close_too_low as too_low
from engine.model.codes import Reason
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.search.search import Searcher
from engine.search.search import make_scope as scoped
from tests.evals.sensitivity.breaking import gate, instead, openings, policy
from tests.evals.sensitivity.seeding import shows
from tests.evals.sensitivity.worlds import BYLAWS, CHANGED, ONCOLOGY, TEXTBOOK

# --- the gate ---------------------------------------------------------------------


@shows(ONCOLOGY, "abstention")
def a_threshold_is_lowered() -> Iterator[None]:
    low = {"best": 0.0, "used": 0.0, "answerability": 0.0}
    with gate(**low), openings(relevance=0.0):
        yield


@shows(TEXTBOOK, "abstention")
def a_threshold_is_raised() -> Iterator[None]:
    with gate(used=0.999):
        yield


@shows(BYLAWS, "refusal_kind")
def diversity_is_lowered() -> Iterator[None]:
    with openings(documents=1):
        yield


@shows(ONCOLOGY, "refusal_kind")
def recency_is_ignored() -> Iterator[None]:
    with instead({"engine.gate._is_recent": lambda *_: True}):
        yield


@shows(BYLAWS, "refusal_kind")
def a_refusal_gives_another_reason() -> Iterator[None]:
    def other(best: float, intent: Intent, pack: Pack) -> object:
        low = too_low(best, intent, pack)
        return low.model_copy(update={"reason": Reason.NO_RESULTS})

    with instead({"engine.gate._close_too_low": other}):
        yield


@shows(ONCOLOGY, "source_mix")
def minimum_citations_are_lowered() -> Iterator[None]:
    def change(pack: Pack) -> Pack:
        held = pack.citations.model_copy(update={"minimum_sensitive": 1})
        return pack.model_copy(update={"citations": held})

    with policy(change):
        yield


# --- what is searched -------------------------------------------------------------


@shows(BYLAWS, "source_mix")
def a_source_cap_is_ignored() -> Iterator[None]:
    def change(pack: Pack) -> Pack:
        held = pack.retrieval.model_copy(update={"caps": ()})
        return pack.model_copy(update={"retrieval": held})

    with policy(change):
        yield


@shows(BYLAWS, "absent")
def stale_law_is_used() -> Iterator[None]:
    def timeless(*asked: Any) -> object:
        return scoped(*asked).model_copy(update={"as_of": None})

    with instead({"engine.search.search.make_scope": timeless}):
        yield


@shows(BYLAWS, "absent")
def access_tags_are_ignored() -> Iterator[None]:
    real = Versions.visible

    def visible(self: Versions, scope: Any, sources: Any = None) -> object:
        every = frozenset[str]().union(*self.taggings)
        return real(self, scope.model_copy(update={"tags": every}), sources)

    with instead({"adapters.index.snapshot.Versions.visible": visible}):
        yield


@shows(BYLAWS, "absent")
def a_hostile_passage_is_quoted() -> Iterator[None]:
    with instead({"engine.search.search.is_withheld": lambda _: False}):
        yield


@shows(CHANGED, "evidence_dependence")
def evidence_is_remembered_by_question() -> Iterator[None]:
    """A cache that forgot that the documents are part of its key."""
    real, known = Searcher.search, {}

    async def search(self: Searcher, question: Any, *rest: Any) -> object:
        if question.text not in known:
            known[question.text] = await real(self, question, *rest)
        return known[question.text]

    with instead({"engine.search.search.Searcher.search": search}):
        yield


@shows(TEXTBOOK, "refusal_kind")
def a_selection_is_ignored() -> Iterator[None]:
    async def evidence(self: Any, intent: Any, statistics: Any) -> object:
        desk = self._desk
        return await desk.searcher.search(desk.question, intent, desk.pack, statistics)

    with instead({"engine.pipeline.ask._Pipeline._find_evidence": evidence}):
        yield


# --- what is asked ----------------------------------------------------------------


@shows(TEXTBOOK, "abstention")
def a_follow_up_stands_alone() -> Iterator[None]:
    """No rule, second reading or exchange joins it to what went before (R-U14)."""
    joining = ("resolve", "together", "put_in")
    alone = {
        f"engine.parse.follow_up.{name}": lambda *_, **__: None for name in joining
    }
    alone["engine.parse.follow_up.exchanges"] = lambda *_: ()
    with instead(alone):
        yield


@shows(BYLAWS, "routing")
def every_question_is_a_general_one() -> Iterator[None]:
    with instead({"engine.parse.intent._find_rule": lambda _, pack: pack.intents[-1]}):
        yield


@shows(BYLAWS, "missing_facts")
def missing_facts_are_not_asked_for() -> Iterator[None]:
    with instead({"engine.parse.intent._find_missing": lambda *_: ()}):
        yield


# --- what stands on top -----------------------------------------------------------


@shows(BYLAWS, "banners")
def the_date_header_is_lost() -> Iterator[None]:
    with instead({"engine.conclude.settle.format_header": lambda *_: None}):
        yield


@shows(BYLAWS, "banners")
def a_notice_is_doubled() -> Iterator[None]:
    def twice(texts: Any, result: Any) -> object:
        return once(texts, result) * 2

    with instead({"engine.conclude.settle._once": twice}):
        yield


@shows(BYLAWS, "banners")
def notices_are_lost() -> Iterator[None]:
    with instead({"engine.conclude.settle.list_notices": lambda *_: ()}):
        yield


@shows(ONCOLOGY, "banners")
def the_emergency_notice_is_lost() -> Iterator[None]:
    nobody = {name: lambda *_: None for name in _EMERGENCY}
    with instead(nobody):
        yield


_EMERGENCY = (
    "engine.policy.pack.find_emergency_notice",
    "engine.conclude.settle.find_emergency_notice",
)


@shows(BYLAWS, "states")
def an_old_source_counts_as_fresh() -> Iterator[None]:
    with instead({"engine.conclude.settle.is_stale": lambda *_: False}):
        yield


@shows(BYLAWS, "states")
def any_source_counts_as_binding() -> Iterator[None]:
    with instead({"engine.conclude.settle.has_binding": lambda *_: True}):
        yield
