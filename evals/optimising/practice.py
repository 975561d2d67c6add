"""The corridor as a place to practise: which drafts it orders, and what they come to.

The engine is the one that is shipped, over the documents of the suites. Its writer
hands in the draft that is to be judged, so gate, validators and wording are the real
ones, and the metrics judge the row that comes of it. A judge model is not asked here;
it is in the comparison that follows.
"""

import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from engine.drafts.drafting import Models
from engine.drafts.orders import Order, Written
from engine.drafts.prompts import Failure, Prompt
from engine.policy.pack import Pack
from evals.decide import WRONG
from evals.deciding.pairing import measure
from evals.forms import Case, Result, Row, Score, Suite
from evals.metrics import catalogue
from evals.record import TODAY
from evals.recording.corpora import Corpora
from evals.recording.costs import Purse
from evals.recording.desk import Desk, Site
from evals.recording.models import SharedModels
from evals.recording.runner import Answered, Item, through
from evals.score import score

Seen = Callable[[Answered], None]
_COUNTED = frozenset({Result.PASS, Result.FAIL, Result.ERROR})


@dataclass(slots=True)
class _Hand:
    """What the writer hands in for one question, and what it was asked for."""

    written: Written | None = None
    orders: list[Order] = field(default_factory=list)


_HAND: ContextVar[_Hand] = ContextVar("HAND")


class Handing(SharedModels):
    """The models of an engine whose drafts are handed in; no provider is asked."""

    def of(self, pack: Pack) -> Models:
        """A writer alone."""
        return Models(writer=self)

    async def write(self, order: Order) -> Written:
        """The draft at hand; it is not mended, so no second one follows objections."""
        hand = _HAND.get()
        hand.orders.append(order)
        if hand.written is None or order.feedback:
            said = Prompt(
                module=order.signature, model="none", program="", failure=Failure.OPEN
            )
            return Written(draft=None, prompt=said)
        return hand.written


@dataclass(frozen=True, slots=True)
class Lesson:
    """A case of training, with the first draft that the corridor orders for it."""

    case: Case
    order: Order


@dataclass(frozen=True, slots=True)
class Mark:
    """What a draft came to: the mean of the gate metrics, 0 where a rule was broken."""

    score: float
    why: str


class Practice:
    """Training cases, each with the engine that is asked.

    Args:
        desks: by the id of the case.
        cases: by id.
        seen: told of every row.
    """

    def __init__(
        self, desks: Mapping[str, Desk], cases: Mapping[str, Case], seen: Seen
    ) -> None:
        self._seen = seen
        self._desks = desks
        self._cases = cases
        self._numbers = itertools.count()
        self._metrics = catalogue.load(
            n for n, weight in catalogue.weights().items() if weight != "advice"
        )
        self._weights = catalogue.weights()

    @property
    def size(self) -> int:
        """How many cases there are."""
        return len(self._cases)

    async def lessons(self, at_once: int) -> Sequence[Lesson]:
        """The cases for which a draft is ordered, in the order of their ids."""
        found: list[Lesson] = []

        async def one(case: Case) -> None:
            hand = _Hand()
            await self._row(case, hand)
            found.extend(Lesson(case, order) for order in hand.orders[:1])

        await through(self._cases.values(), one, at_once)
        return sorted(found, key=lambda lesson: lesson.case.id)

    async def mark(self, case: str, written: Written) -> Mark:
        """What a draft for a case comes to in the corridor."""
        asked = self._cases[case]
        row, scores = await self._row(asked, _Hand(written))
        broken = [s for s in scores if self._invariant(s) and s.result in WRONG]
        if broken:
            return Mark(0.0, f"a rule that must never be broken: {_said(broken)}")
        if row.record is not None and row.answered and row.record["mode"] != "llm":
            return Mark(0.0, f"no reader saw this draft: {_objections(row)}")
        judged = [s for s in scores if not self._invariant(s) and s.result in _COUNTED]
        if not judged:
            return Mark(0.0, "no gate metric could judge what came of it")
        mean = sum(map(measure, judged)) / len(judged)
        wrong = [each for each in judged if each.result is not Result.PASS]
        said = _said(wrong) if wrong else "all gate metrics passed"
        return Mark(mean, f"{said}. {_objections(row)}".strip())

    def _invariant(self, found: Score) -> bool:
        return self._weights[found.metric] == "invariant"

    async def _row(self, case: Case, hand: _Hand) -> tuple[Row, Sequence[Score]]:
        _HAND.set(hand)
        number = next(self._numbers)  # no two questions are the same one
        answered = await self._desks[case.id].ask(Item(case, number))
        self._seen(answered)
        sources = {source.version: source for source in answered.sources}
        cases = {case.id: case}
        return answered.row, score(cases, [answered.row], sources, self._metrics)


@asynccontextmanager
async def practice(
    corpora: Corpora,
    pack: Pack,
    placed: Iterable[tuple[Path, Suite]],
    seen: Seen = lambda answered: None,
) -> AsyncIterator[Practice]:
    """Open the documents of training cases, those of one site once.

    Cases that change documents are left out: each would need documents of its own.

    Args:
        corpora: with `Handing` models.
        pack: that is asked.
        placed: suites of training cases, with the folders of their documents.
        seen: told of every row.

    Raises:
        UsageError: a corpus cannot be made.
        EnvironmentFailed: the same, for a reason outside.
    """
    desks: dict[str, Desk] = {}
    cases: dict[str, Case] = {}
    opened: dict[Site, Desk] = {}
    async with AsyncExitStack() as stack:
        for documents, suite in placed:
            site = Site(documents, (), suite.today or TODAY)
            plain = [c for c in suite.cases if not c.changes and c.original is None]
            if plain and site not in opened:
                place = corpora.opened(site.documents, site.changes, site.today)
                here = await stack.enter_async_context(place)
                opened[site] = Desk(pack, here, site, Purse())
            for case in plain:
                desks[case.id], cases[case.id] = opened[site], case
        yield Practice(desks, cases, seen)


def _said(scores: Iterable[Score]) -> str:
    return "; ".join(f"{each.metric}: {each.why}" for each in scores)


def _objections(row: Row) -> str:
    """What the validators took out of the draft, or rejected it for."""
    found = row.record["findings"] if row.record else ()
    said = [each["message"] for each in found if each["severity"] != "note"]
    return f"The validators objected: {'; '.join(said)}" if said else ""
