"""The shipped system, broken on purpose in one place each, and the metric meant for it.

Nothing of a row is edited: a function of the engine or an adapter, or a value of the
loaded pack, is another one while the world is asked.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from engine.validate.claims import Judgement, Verdict
from engine.validate.claims import judge as judged
from engine.validate.parts import Part
from engine.validate.statements import Bench

from adapters.index.snapshot import Versions
from adapters.reply import Quotation
from adapters.reply import _claim as worded
from engine.gate import _too_low as too_low
from engine.outcome import _once as once
from engine.policy import Pack
from engine.records import Claim, Quote, Reason, Section
from engine.retrieve.passages import Range
from engine.retrieve.search import Searcher
from engine.retrieve.search import scope as scoped
from engine.validate.check import _built as built
from engine.validate.citations import Statement
from engine.validate.quotes import Anchored
from engine.validate.quotes import anchor as anchored
from tests.evals.sensitivity.breaking import Broken, gate, instead, openings, policy
from tests.evals.sensitivity.worlds import (
    BYLAWS,
    CHANGED,
    DRAFTED,
    ONCOLOGY,
    TEXTBOOK,
    World,
)

REGRESSIONS: dict[str, "Regression"] = {}


@dataclass(frozen=True)
class Regression:
    """A way to break the system, where it shows, and the metric meant for it."""

    name: str
    world: World
    metric: str
    broken: Callable[[], Broken]


def shows(world: World, metric: str) -> Callable[..., Callable[[], Iterator[None]]]:
    """Enter a regression in the table, under its own name."""

    def enter(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
        name = function.__name__
        manager = contextmanager(function)
        REGRESSIONS[name] = Regression(name, world, metric, manager)
        return function

    return enter


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
    with instead({"engine.gate._recent": lambda *_: True}):
        yield


@shows(BYLAWS, "refusal_kind")
def a_refusal_gives_another_reason() -> Iterator[None]:
    def other(best: float, pack: Pack) -> object:
        return too_low(best, pack).model_copy(update={"reason": Reason.NO_RESULTS})

    with instead({"engine.gate._too_low": other}):
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
        held = pack.retrieval.model_copy(update={"caps": {}})
        return pack.model_copy(update={"retrieval": held})

    with policy(change):
        yield


@shows(BYLAWS, "absent")
def stale_law_is_used() -> Iterator[None]:
    def timeless(*asked: Any) -> object:
        return scoped(*asked).model_copy(update={"as_of": None})

    with instead({"engine.retrieve.search.scope": timeless}):
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
    with instead({"engine.retrieve.compose.instructs": lambda _: False}):
        yield


@shows(CHANGED, "evidence_dependence")
def evidence_is_remembered_by_question() -> Iterator[None]:
    """A cache that forgot that the documents are part of its key."""
    real, known = Searcher.search, {}

    async def search(self: Searcher, question: Any, *rest: Any) -> object:
        if question.text not in known:
            known[question.text] = await real(self, question, *rest)
        return known[question.text]

    with instead({"engine.retrieve.search.Searcher.search": search}):
        yield


@shows(TEXTBOOK, "refusal_kind")
def a_selection_is_ignored() -> Iterator[None]:
    async def evidence(self: Any, intent: Any, statistics: Any) -> object:
        desk = self._desk
        return await desk.searcher.search(desk.question, intent, desk.pack, statistics)

    with instead({"engine.ask._Steps._evidence": evidence}):
        yield


# --- what is asked ----------------------------------------------------------------


@shows(TEXTBOOK, "abstention")
def a_follow_up_stands_alone() -> Iterator[None]:
    with instead({"engine.follow_up.resolve": lambda *_, **__: None}):
        yield


@shows(BYLAWS, "routing")
def every_question_is_a_general_one() -> Iterator[None]:
    with instead({"engine.intent._rule": lambda _, pack: pack.intents[-1]}):
        yield


@shows(BYLAWS, "missing_facts")
def missing_facts_are_not_asked_for() -> Iterator[None]:
    with instead({"engine.intent._missing": lambda *_: ()}):
        yield


# --- what stands on top -----------------------------------------------------------


@shows(BYLAWS, "banners")
def the_date_header_is_lost() -> Iterator[None]:
    with instead({"engine.outcome.header": lambda *_: None}):
        yield


@shows(BYLAWS, "banners")
def a_notice_is_doubled() -> Iterator[None]:
    def twice(texts: Any, result: Any) -> object:
        return once(texts, result) * 2

    with instead({"engine.outcome._once": twice}):
        yield


@shows(BYLAWS, "banners")
def notices_are_lost() -> Iterator[None]:
    with instead({"engine.outcome.notices": lambda *_: ()}):
        yield


@shows(ONCOLOGY, "banners")
def the_emergency_notice_is_lost() -> Iterator[None]:
    nobody = {name: lambda *_: None for name in _EMERGENCY}
    with instead(nobody):
        yield


_EMERGENCY = ("engine.intent.emergency", "engine.outcome.emergency")


@shows(BYLAWS, "states")
def an_old_source_counts_as_fresh() -> Iterator[None]:
    with instead({"engine.outcome._stale": lambda *_: False}):
        yield


@shows(BYLAWS, "states")
def any_source_counts_as_binding() -> Iterator[None]:
    with instead({"engine.outcome._binding": lambda *_: True}):
        yield


# --- what is said -----------------------------------------------------------------


@shows(ONCOLOGY, "facts")
def the_sentence_beside_the_right_one_is_quoted() -> Iterator[None]:
    def beside(chunk: Any, at: int) -> tuple[Range, ...]:
        other = at + 1 if at + 1 < len(chunk.sentences) else at - 1
        return (Range(max(0, other), max(0, other)),)

    with instead({"engine.answer.extract.readable": beside}):
        yield


@shows(DRAFTED, "figure_fidelity")
def the_figure_validator_is_off() -> Iterator[None]:
    def lenient(*asked: Any) -> Judgement:
        found = judged(*asked)
        near = found.ground is not None
        return replace(found, verdict=Verdict.SUPPORTED) if near else found

    with instead({"engine.validate.statements.judge": lenient}):
        yield


@shows(DRAFTED, "support")
def uncited_claims_are_let_through() -> Iterator[None]:
    def uncited(self: Bench, statement: Statement) -> list[Part]:
        return [Part(statement.text)]

    with instead({"engine.validate.statements.Bench._uncited": uncited}):
        yield


def loose(quotation: str, chunk: Any, folded: Any, shown: Any = ()) -> object:
    """Anchors what stands nowhere at the first sentence of its length."""
    found = anchored(quotation, chunk, folded, shown)
    if found is not None:
        return found
    first = chunk.sentences[0]
    quote = Quote(
        text=quotation,
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=first.start,
        end=first.end,
    )
    return Anchored(quote, whole=True, sentences=(0, 0))


_UNANCHORED = {
    "engine.validate.statements.anchor": loose,
    "adapters.ledger.proof.prove": lambda *_: None,
}


@shows(DRAFTED, "quote_anchor")
def quotations_of_a_model_are_not_anchored() -> Iterator[None]:
    with instead(_UNANCHORED):
        yield


@shows(TEXTBOOK, "quote_anchor")
def the_extractor_alters_a_word() -> Iterator[None]:
    def altered(chunk: Any, part: Any) -> str:
        start, end = part.span(chunk)
        text = str(chunk.text[start - chunk.start : end - chunk.start])
        return text.replace(" the ", " each ", 1)

    with instead({**_UNANCHORED, "engine.answer.extract._text": altered}):
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

    with instead({"engine.validate.check._built": exchanged}):
        yield


@shows(DRAFTED, "sections")
def the_section_contract_is_ignored() -> Iterator[None]:
    with instead({"engine.drafts.first_section": lambda *_: None}):
        yield


@shows(DRAFTED, "not_found")
def what_was_not_found_is_dropped() -> Iterator[None]:
    with instead({"engine.validate.check._missing": lambda *_: ()}):
        yield


@shows(DRAFTED, "markup")
def markup_is_let_through() -> Iterator[None]:
    with instead({"engine.validate.statements.inert": lambda text, *_: text}):
        yield


@shows(TEXTBOOK, "served_text")
def a_quotation_is_cut_when_it_is_shown() -> Iterator[None]:
    def cut(claim: Claim, chunks: Any) -> object:
        block = worded(claim, chunks)
        if not isinstance(block, Quotation):
            return block
        return block.model_copy(update={"pieces": block.pieces[:1]})

    with instead({"adapters.reply._claim": cut}):
        yield


# --- where it is shown ------------------------------------------------------------


@shows(DRAFTED, "platform_limits")
def a_long_reply_is_not_split() -> Iterator[None]:
    with instead({"adapters.layout._paged": lambda units, _: [list(units)]}):
        yield
