"""The pipeline: one question through the stages, in order, to one audited outcome.

Intent, search, gate, answer, validation, outcome, audit. A closed gate ends it
before anything is drafted; a draft that a validator rejects is never shown; every
outcome is in the ledger before it is shown to anyone. The deadline is enforced in here,
so that a question that ran out of time is recorded too. The one broad except of the
core is in `Engine._contained`: every failure ends as a refusal.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial

from engine.conclude.settle import Progress, settle
from engine.gate import decide
from engine.model.answer import Finding
from engine.model.codes import Reason
from engine.model.errors import (
    BudgetExceeded,
    EmbedderFailed,
    IndexAway,
    LedgerFull,
    Stopped,
    UsageError,
    VerificationFailed,
)
from engine.model.evidence import Evidence
from engine.model.gate import Open
from engine.model.outcome import Outcome
from engine.model.ports import (
    Clock,
    CorpusStatistics,
    Embedder,
    Index,
    Ledger,
    Observer,
    Recorder,
)
from engine.model.question import Intent, Question, Scope
from engine.model.spans import Spans
from engine.parse import intent as intents
from engine.parse.dates import today_in
from engine.parse.urgency import Listener, Urgency, is_feeling_alone
from engine.pipeline.choices import choose
from engine.pipeline.drafting import DraftContext, Models, Trail, answer
from engine.pipeline.events import describe_outcome, rejected_event
from engine.pipeline.observed import (
    Contained,
    report_calls,
    report_error,
    report_question,
)
from engine.pipeline.page import judge_named, judge_page
from engine.pipeline.partial import Judged, find_days, judge_parts, judge_readings
from engine.policy.authority import check_binding
from engine.policy.pack import Pack
from engine.policy.rules import Rules
from engine.rank.reading import Reading
from engine.search.copies import Copies
from engine.search.described import DescribedIndex
from engine.search.pages import find_pages
from engine.search.search import Searcher, make_scope
from engine.search.section import find_section_evidence
from engine.search.selection import add_known_words, judge_selection, read_selection
from engine.search.siblings import add_siblings
from engine.text.patterns import take_from_below
from engine.text.talk import UNDONE
from engine.verify.check import Verified

RECORDING = 10.0  # seconds that a ledger may take for one record


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of the engine; models are optional."""

    index: Index
    embedder: Embedder
    ledger: Ledger
    clock: Clock
    observer: Observer
    models: Models = field(default_factory=Models)
    offers: bool = True  # whether refusals say what to ask instead


class Engine:
    """Answers questions for some packs over one index.

    Args:
        packs: by id.
        ports: index, embedder, ledger, clock, observer.
        reading: the reader of passages, fitted for this embedder; without it there is
            no relevance, and so no engine.
        urgency: the classifier of emergencies; without it the packs' patterns decide
            alone.

    Raises:
        EmbedderFailed: the calibration belongs to another embedder.
    """

    def __init__(
        self,
        packs: Mapping[str, Pack],
        ports: Ports,
        reading: Reading,
        urgency: Urgency | None = None,
    ) -> None:
        for fitted, verb in (
            (reading.calibration, "calibrate"),
            (urgency, "urgency fit"),
        ):
            if fitted is not None and fitted.embedder != ports.embedder.name:
                raise EmbedderFailed(
                    f"the calibration was fitted for {fitted.embedder}, not for "
                    f"{ports.embedder.name}: fit one with `python -m evals {verb}`"
                )
        self._packs = packs
        self._ports = replace(ports, observer=Contained(ports.observer))
        index = DescribedIndex(ports.index, ports.ledger, packs)
        self._searcher = Searcher(index, ports.embedder, reading)
        self._listener = Listener(ports.embedder, urgency)
        self._copies = Copies()
        self._rules = {name: Rules.of(pack) for name, pack in packs.items()}

    async def ask(
        self,
        question: Question,
        ledger: Recorder | None = None,
        stop: asyncio.Event | None = None,
    ) -> Outcome:
        """Answer or refuse, on record.

        Args:
            question: names one of this engine's packs.
            ledger: where to write the record instead; delivery hands its transaction.
            stop: set when nobody wants an answer any more; it ends a model's call.

        Raises:
            UsageError: the question names a pack that this engine does not have.
        """
        pack = self._packs.get(question.pack)
        if pack is None:
            raise UsageError(f"there is no pack {question.pack!r} here")
        rules = self._rules[pack.id]
        steps = _Pipeline(
            _Context(
                question=question,
                pack=pack,
                rules=rules,
                searcher=self._searcher,
                listener=self._listener,
                ports=self._ports,
                copies=self._copies,
                stop=stop or asyncio.Event(),
            )
        )
        with self._contained(question, steps.fail):
            await steps.run()
        with self._contained(question, steps.withhold):
            await steps.record(ledger or self._ports.ledger)
        with self._contained(question, lambda _: None):
            steps.report()
            report_question(self._ports.observer, steps.progress, steps.outcome, pack)
        return steps.outcome

    @contextmanager
    def _contained(
        self, question: Question, failed: Callable[[Exception], None]
    ) -> Iterator[None]:
        """Pass an error of the `with` block to `failed` and, if unexpected, to the
        observer.
        """
        try:
            yield
        except (BudgetExceeded, Stopped) as error:
            failed(error)
        except Exception as error:  # nobody is left without a reply
            failed(error)
            report_error(self._ports.observer, question, error)


@dataclass(frozen=True, slots=True)
class _Context:
    """One question with everything that is needed to answer it."""

    question: Question
    pack: Pack
    rules: Rules
    searcher: Searcher
    listener: Listener
    ports: Ports
    copies: Copies
    stop: asyncio.Event


class _Pipeline:
    """One pass through the stages, stored as it grows: a deadline keeps its results.

    Its outcome is made when the pass has ended: by `run`, or by `fail`.
    """

    outcome: Outcome
    _calm = ""  # the question without the asker's feeling

    def __init__(self, context: _Context, *, trial: bool = False) -> None:
        self._context = context
        self._trial = trial
        self._trail = Trail()
        self._started = context.ports.clock.monotonic()
        self._spans = Spans(self._elapsed)
        self._bare = Progress(
            question=context.question, intent=intents.make_blank(context.pack)
        )
        self.progress = self._bare

    # --- how it ends --------------------------------------------------------------

    async def run(self) -> None:
        """Run the stages to an outcome.

        Raises:
            BudgetExceeded: the deadline passed, also in a stage that never waits.
        """
        today = self._begin()
        seconds = self._context.pack.budget.seconds
        deadline = asyncio.timeout(seconds)
        try:
            async with deadline:
                await self._run_stages(today)
        except TimeoutError as error:
            if not deadline.expired():
                raise  # another timeout: a fault, not our budget
            raise BudgetExceeded(f"not done after {seconds:g} s") from error
        if self._elapsed() > seconds:
            raise BudgetExceeded(f"not done after {seconds:g} s")
        self._settle()

    async def record(self, ledger: Recorder) -> None:
        """Put the outcome on record; a refusal where its quotes are not in the ledger.

        Raises:
            LedgerFailed: there is no record, and so nothing to show.
            TimeoutError: after RECORDING seconds it is unknown whether there is one.
        """
        with self._spans.of("record"):
            audit_id = await self._write_record(ledger)
        self.outcome = self.outcome.model_copy(update={"audit_id": audit_id})

    async def _write_record(self, ledger: Recorder) -> str:
        async with asyncio.timeout(RECORDING):
            try:
                return await ledger.record(self.outcome)
            except VerificationFailed as error:
                report_error(
                    self._context.ports.observer, self._context.question, error
                )
                self.fail(error)
                return await ledger.record(self.outcome)

    def fail(self, error: Exception) -> None:
        """Refuse; keep what was found where the pass only had to end."""
        if isinstance(error, BudgetExceeded):
            told = f"That took more than one question may: {error}."
            self._stop(Reason.BUDGET_EXCEEDED, told)
        elif isinstance(error, Stopped):
            self._stop(Reason.STOPPED, "")
        else:
            self.progress = self._bare.model_copy(
                update={"intent": self.progress.intent}
            )
            if isinstance(error, IndexAway):
                self._stop(Reason.PROVIDER_FAILED, error.told)
            else:
                self._stop(Reason.INTERNAL, "Something failed while I was looking.")
        self._settle()

    def withhold(self, error: Exception) -> None:
        """Set the fixed text for a failed record, without question or answer."""
        code = getattr(error, "code", "UNEXPECTED")
        self._context.ports.observer.count("audit_failed", {"code": code})
        why = "the disk is full" if isinstance(error, LedgerFull) else code
        refused = {
            "reason": Reason.AUDIT_FAILED,
            "explanation": f"The record could not be stored: {why}",
        }
        bare = settle(self._bare.model_copy(update=refused), self._context.pack)
        self.outcome = bare.model_copy(update={"notices": (), "header": None})

    def _stop(self, reason: Reason, explanation: str) -> None:
        """End without an answer."""
        self._add(answer=None, reason=reason, explanation=explanation)

    def _settle(self) -> None:
        times = {**self.progress.milliseconds, "total": 1000 * self._elapsed()}
        prompts = tuple(self._trail.prompts)
        if prompts:
            times["model"] = 1000 * self._trail.usage.seconds
        self._add(milliseconds=times, prompts=prompts)
        self.outcome = settle(self.progress, self._context.pack)

    def _add(self, **found: object) -> None:
        self.progress = self.progress.model_copy(update=found)

    def _elapsed(self) -> float:
        """Return the seconds since the question came in."""
        return self._context.ports.clock.monotonic() - self._started

    def _share_elapsed(self) -> float:
        """Return the share of the question's time that is gone."""
        return self._elapsed() / self._context.pack.budget.seconds

    # --- the stages ---------------------------------------------------------------

    def _begin(self) -> date:
        """Classify urgency first, so that no later failure hides it; then set the day.

        Patterns run before the classifier, which may fail.
        """
        context = self._context
        self._restart(intents.make_unread(context.question, context.pack, None))
        heard = context.listener.hear(context.question, context.pack)
        changed = {"urgent": heard.urgent, "kind": heard.kind, "felt": heard.felt}
        self._calm = heard.calm
        told = self.progress.intent.model_copy(update=changed)
        self._restart(told, heard.findings)
        today = today_in(context.pack.time_zone, context.ports.clock.now())
        self._restart(told.model_copy(update={"as_of": today}), heard.findings)
        return today

    def _restart(self, intent: Intent, findings: tuple[Finding, ...] = ()) -> None:
        changed = {"intent": intent, "findings": findings}
        self.progress = self._bare = self._bare.model_copy(update=changed)

    async def _run_stages(self, today: date) -> None:
        """Run intent, search, gate, answer, validation."""
        context = self._context
        question, pack = context.question, context.pack
        visible = Scope(pack=pack.id, tenant=question.tenant, tags=question.tags)
        with self._spans.of("intent"):  # of what is current: no date is read yet
            statistics = await context.ports.index.statistics(visible)
            if question.selection is not None:
                statistics = add_known_words(statistics, question.selection)
            intent = intents.read(question, pack, statistics, today)
            heard = intents.carry_findings(intent, self._bare.intent, question)
            self._add(intent=intents.detect_order(heard, question, pack))
            intent = self.progress.intent
            self._add(pages=await find_pages(context.searcher, question, intent, pack))
        if self._stopped(intent):
            return
        judge = partial(self._in_parts, statistics=statistics)
        judged = await judge_page(context.searcher, question, intent, pack, judge)
        if judged is None:
            judged = await judge_named(context.searcher, question, intent, pack)
            intent = intent.model_copy(update={"page": "table" if judged else ""})
        if judged is None:
            others = intents.list_readings(
                question, intent, pack, statistics, self._calm
            )
            rivals = intents.list_rivals(question, intent, pack, statistics)
            about = intents.read_about(question, intent, pack, statistics)
            intent, judged = await judge_readings(intent, others, judge, rivals, about)
        evidence, decision = judged
        look = partial(self._find_evidence, statistics=statistics)
        decision = await check_binding(decision, intent, pack, look)
        held = await find_days(decision, evidence, intent, pack, look)
        self._add(intent=intent, evidence=evidence, gate=decision, held=held)
        if isinstance(decision, Open):
            with self._spans.of("answer"):
                await self._answer(decision, intent)
        if self.progress.answer is None and context.ports.offers and not self._trial:
            await self._offer(today)

    def _stopped(self, intent: Intent) -> bool:
        """End before anything is searched, where a rule says so; tell if it ended."""
        context = self._context
        question, pack = context.question, context.pack
        if intent.kind in UNDONE:
            self._stop(Reason.FIXED_TEXT, "")
        elif intent.missing_facts and intents.asks_for_facts(question, intent, pack):
            self._stop(Reason.INSUFFICIENT_FACTS, "")
        elif intents.says_nothing(question, intent):
            self._stop(Reason.OUT_OF_SCOPE, "")
        elif is_feeling_alone(question, intent, pack) and not self._calm:
            self._stop(Reason.FIXED_TEXT, "")
        return self.progress.reason is not None

    async def _offer(self, today: date) -> None:
        """Add the choices of a refusal; each is asked here first, without a model."""
        context, started = self._context, self._elapsed()
        bare = replace(context, ports=replace(context.ports, models=Models()))

        async def ask(question: Question) -> Outcome:
            steps = _Pipeline(replace(bare, question=question), trial=True)
            await steps._run_stages(today)
            steps._settle()
            return steps.outcome

        with self._spans.of("choices"):
            found = await choose(self.progress, context.pack, ask, self._share_elapsed)
        times = {"choices": 1000 * (self._elapsed() - started)}
        self._add(choices=found, milliseconds={**self.progress.milliseconds, **times})

    async def _in_parts(self, intent: Intent, statistics: CorpusStatistics) -> Judged:
        pack, question = self._context.pack, self._context.question
        # A title is no part of the question, though it may be "A and B compared".
        titled = take_from_below(question.about, intent.text)
        whole = question.evidence or titled
        parts = () if whole else intents.split_parts(intent, pack, statistics)
        judge = partial(self._judge, statistics=statistics)
        return await judge_parts(await judge(intent), parts, judge, pack)

    async def _judge(self, intent: Intent, statistics: CorpusStatistics) -> Judged:
        """Return the evidence of a question or a part, and the gate's decision."""
        with self._spans.of("retrieve"):
            evidence = await self._find_evidence(intent, statistics)
        if self.progress.evidence is None:
            self._add(evidence=evidence, milliseconds=evidence.trace.milliseconds)
        pack, selected = (
            self._context.pack,
            self._context.question.selection is not None,
        )
        with self._spans.of("gate"):
            question, ledger = self._context.question, self._context.ports.ledger
            copies = self._context.copies
            evidence = await copies.mark_copies(evidence, question, pack, ledger)
            register = pack.register()
            decision = decide(evidence, intent, pack, register, selection=selected)
        return Judged(evidence, decision)

    async def _find_evidence(
        self, intent: Intent, statistics: CorpusStatistics
    ) -> Evidence:
        """Return the evidence from the index, a section, or the selection alone."""
        context = self._context
        question, pack = context.question, context.pack
        if question.evidence is not None:
            return await find_section_evidence(context.searcher, question, intent, pack)
        if question.selection is None:
            return await context.searcher.search(question, intent, pack, statistics)
        chunks = await read_selection(
            question, pack, context.ports.ledger, make_scope(question, intent).as_of
        )
        return judge_selection(context.searcher, intent, pack, statistics, chunks)

    async def _answer(self, opened: Open, intent: Intent) -> None:
        """Draft an answer; only text that the validators accept is added."""
        context, trail = self._context, self._trail
        opened = await add_siblings(
            context.searcher, opened, context.question, intent, context.pack
        )
        self._add(gate=opened)
        drafting = DraftContext(
            question=context.question,
            intent=intent,
            pack=context.pack,
            rules=context.rules,
            models=context.ports.models,
            left=lambda: context.pack.budget.seconds - self._elapsed(),
            stop=context.stop,
        )
        verdict = await answer(opened, drafting, trail)
        earlier = [f for draft in trail.rejected for f in draft.findings]
        findings = (*self._bare.findings, *earlier, *trail.notes, *verdict.findings)
        drafted = [draft for draft in trail.rejected if draft is not verdict]
        tally = sum((draft.tally for draft in drafted), verdict.tally)
        self._add(findings=tuple(dict.fromkeys(findings)), tally=tally)
        if isinstance(verdict, Verified):
            self._add(answer=verdict.answer)
            return
        self._add(reason=verdict.reason, gaps=verdict.gaps)
        if verdict not in trail.rejected:
            trail.rejected.append(verdict)

    def report(self) -> None:
        """Emit one event for each model call and each rejected draft."""
        context, observer = self._context, self._context.ports.observer
        calls = zip(self._trail.prompts, self._trail.ended, strict=True)
        for span in report_calls(observer, context.question, calls):
            self._spans.add(span)
        observer.trace(self._spans.whole("question", describe_outcome(self.outcome)))
        for verdict in self._trail.rejected:
            event = rejected_event(context.question, self.progress.intent, verdict)
            observer.count("citation_enforcement_failed", {"pack": context.pack.id})
            observer.event(str(event["event"]), event)
