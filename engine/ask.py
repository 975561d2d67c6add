"""The corridor: one question through the rooms, in order, to one audited outcome.

Intent, search, gate, answer, validation, outcome, audit. A closed gate ends the walk
before anything is written (R-I1); a draft that a validator rejects is never shown
(R-A9); every outcome is in the ledger before anybody sees it (R-I10); the deadline is
in here, so that a question that ran out of time has its record too. The one broad
except of the core stands in `Engine._walk`: whatever goes wrong ends as a refusal with
a reason (R-I8).
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from engine import intent as intents
from engine.answer.extract import write
from engine.dates import today_in
from engine.errors import EmbedderFailed, LedgerFailed, LedgerFull, UsageError
from engine.events import blocked, complete, rejected
from engine.gate import decide
from engine.outcome import Walk, settle
from engine.policy import Pack
from engine.ports import Clock, CorpusStatistics, Embedder, Index, Ledger, Observer
from engine.records import Closed, Intent, Open, Outcome, Question, Reason
from engine.retrieve.relevance import Calibration
from engine.retrieve.search import Searcher
from engine.retrieve.selection import judge_selection, read_selection
from engine.validate.check import Rejected, Verified, check
from engine.validate.material import Rules, material


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything outside that the engine uses, by port."""

    index: Index
    embedder: Embedder
    ledger: Ledger
    clock: Clock
    observer: Observer


class Engine:
    """Answers questions for some packs over one index.

    Args:
        packs: by id.
        ports: index, embedder, ledger, clock, observer.
        calibration: of this embedder; without one there is no relevance, and so no
            engine (R-G6).

    Raises:
        EmbedderFailed: the calibration belongs to another embedder.
    """

    def __init__(
        self, packs: Mapping[str, Pack], ports: Ports, calibration: Calibration
    ) -> None:
        if calibration.embedder != ports.embedder.name:
            raise EmbedderFailed(
                f"the calibration was fitted for {calibration.embedder}, not for "
                f"{ports.embedder.name}: fit one with `python -m evals calibrate`"
            )
        self._packs = packs
        self._ports = ports
        self._searcher = Searcher(ports.index, ports.embedder, calibration)
        self._rules = {name: Rules.of(pack) for name, pack in packs.items()}

    async def ask(self, question: Question, ledger: Ledger | None = None) -> Outcome:
        """Answer or refuse, on record.

        Args:
            question: names one of this engine's packs.
            ledger: where to write the audit record instead of the engine's own ledger;
                delivery hands one bound to its transaction.

        Raises:
            UsageError: the question names a pack that this engine does not have.
        """
        pack = self._packs.get(question.pack)
        if pack is None:
            raise UsageError(f"there is no pack {question.pack!r} here")
        started = self._ports.clock.monotonic()
        walk = await self._walk(question, pack)
        elapsed = 1000 * (self._ports.clock.monotonic() - started)
        times = {**walk.milliseconds, "total": elapsed}
        outcome = settle(walk.model_copy(update={"milliseconds": times}), pack)
        outcome = await self._recorded(outcome, pack, ledger or self._ports.ledger)
        self._report(outcome, walk)
        return outcome

    async def _walk(self, question: Question, pack: Pack) -> Walk:
        """Through the rooms; what a room could not do becomes the walk's reason."""
        today = today_in(pack.time_zone, self._ports.clock.now())
        walk = Walk(question=question, intent=intents.unread(question, pack, today))
        steps = _Steps(self, question, pack, walk)
        try:
            async with asyncio.timeout(pack.budget.seconds):
                await steps.run()
        except TimeoutError:
            steps.stop(Reason.BUDGET_EXCEEDED, "The time for one question ran out.")
        except Exception as error:  # R-I8: nobody is left without a reply
            self._ports.observer.count("engine_failed", {"error": type(error).__name__})
            self._ports.observer.event(
                "engine_failed",
                {
                    "event": "engine_failed",
                    "sessionId": question.session,
                    "error": type(error).__name__,
                    "code": getattr(error, "code", "UNEXPECTED"),
                },
            )
            steps.stop(Reason.INTERNAL, "Something failed while I was looking.")
        return steps.walk

    async def _recorded(self, outcome: Outcome, pack: Pack, ledger: Ledger) -> Outcome:
        """The outcome with its audit id, or the fixed text where there is none."""
        try:
            audit_id = await ledger.record(outcome)
        except LedgerFailed as error:
            full = "the disk is full" if isinstance(error, LedgerFull) else str(error)
            self._ports.observer.count("audit_failed", {"code": error.code})
            bare = Walk(
                question=outcome.question,
                intent=intents.unread(
                    outcome.question,
                    pack,
                    today_in(pack.time_zone, self._ports.clock.now()),
                ),
                reason=Reason.AUDIT_FAILED,
                explanation=f"The record could not be stored: {full}",
            )
            return settle(bare, pack)
        return outcome.model_copy(update={"audit_id": audit_id})

    def _report(self, outcome: Outcome, walk: Walk) -> None:
        """One event a question, and one more where the gate or a validator said no."""
        observer = self._ports.observer
        observer.count("questions", {"pack": outcome.question.pack})
        if isinstance(walk.gate, Closed):
            observer.count("evidence_gate_blocked", {"reason": walk.gate.reason})
            event = blocked(walk)
            observer.event(str(event["event"]), event)
        event = complete(outcome)
        observer.event(str(event["event"]), event)
        observer.observe("response_time_ms", outcome.milliseconds.get("total", 0.0))


class _Steps:
    """One walk, kept as it grows, so that a failure finds what was there before it."""

    def __init__(
        self, engine: Engine, question: Question, pack: Pack, walk: Walk
    ) -> None:
        self._engine = engine
        self._question = question
        self._pack = pack
        self.walk = walk

    def stop(self, reason: Reason, explanation: str) -> None:
        """End the walk without an answer."""
        self.walk = self.walk.model_copy(
            update={"answer": None, "reason": reason, "explanation": explanation}
        )

    def _add(self, **found: object) -> None:
        self.walk = self.walk.model_copy(update=found)

    async def run(self) -> None:
        """Intent, search, gate, answer, validation."""
        ports, pack = self._engine._ports, self._pack
        statistics = await ports.index.statistics(pack.id)
        today = today_in(pack.time_zone, ports.clock.now())
        intent = intents.read(self._question, pack, statistics, today)
        self._add(intent=intent)
        await self._gather(intent, statistics)
        selected = self._question.selection is not None
        assert self.walk.evidence is not None
        decision = decide(
            self.walk.evidence, intent, pack, pack.register(), selection=selected
        )
        self._add(gate=decision)
        if not isinstance(decision, Open):
            return
        if intent.missing_facts:
            self.stop(Reason.INSUFFICIENT_FACTS, "")
            return
        self._answer(decision, intent)

    async def _gather(self, intent: Intent, statistics: CorpusStatistics) -> None:
        """Evidence from the index, or from the selection alone."""
        engine, question, pack = self._engine, self._question, self._pack
        if question.selection is None:
            evidence = await engine._searcher.search(question, intent, pack, statistics)
        else:
            chunks = await read_selection(question, pack, engine._ports.ledger)
            evidence = judge_selection(
                engine._searcher, intent, pack, statistics, chunks
            )
        self._add(evidence=evidence, milliseconds=dict(evidence.trace.milliseconds))

    def _answer(self, opened: Open, intent: Intent) -> None:
        """A draft, and only what the validators let through of it."""
        draft = write(opened, intent, self._pack)
        verdict = check(
            draft,
            material(
                opened,
                intent,
                self._engine._rules[self._pack.id],
                selection=self._question.selection is not None,
            ),
        )
        self._add(findings=verdict.findings, tally=verdict.tally)
        if isinstance(verdict, Verified):
            self._add(answer=verdict.answer)
            return
        assert isinstance(verdict, Rejected)
        self.stop(verdict.reason, "")
        observer = self._engine._ports.observer
        event = rejected(self._question, intent, verdict)
        observer.count("citation_enforcement_failed", {"pack": self._pack.id})
        observer.event(str(event["event"]), event)
