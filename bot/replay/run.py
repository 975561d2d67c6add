"""Ask a stored outcome again through the pipeline, and compare it with what it was."""

import hashlib
from collections.abc import Iterator, Mapping
from enum import StrEnum

from adapters.ledger.history import Stored
from bot.batch import FAULTS
from bot.calibrations import load_urgency
from bot.replay.parts import Silent, StoredWriter, Unwritten
from bot.wiring import Application
from engine import Engine, Ports
from engine.model.codes import FailureState, Reason
from engine.model.document import shelves_of
from engine.model.frozen import Frozen
from engine.model.outcome import Outcome
from engine.model.question import Basis, Question
from engine.model.record import Record, record_of
from engine.parse.dates import today_in
from engine.pipeline.drafting import Models
from engine.policy.pack import Pack

# Nothing was decided about the question, then or now.
UNDECIDED = FAULTS | {Reason.BUDGET_EXCEEDED, Reason.STOPPED}
SHOWN = 3  # figures after the point in what is told of numbers


class Verdict(StrEnum):
    """The verdict on an outcome that was asked again."""

    SAME = "same"
    CHANGED = "changed"
    NEEDS_MODEL = "needs_model"  # the gate opens as it did; a model would have to draft
    NOT_DECIDED = "not_decided"  # a fault of the environment, then or now
    FORGOTTEN = "forgotten"  # the question's text is gone


class Seen(Frozen):
    """The part of an outcome that is compared: never how it is worded."""

    answered: bool
    reason: Reason | None
    documents: tuple[str, ...]
    quotes: tuple[str, ...]
    states: tuple[FailureState, ...]

    @property
    def said(self) -> str:
        """In a few words."""
        if not self.answered:
            return f"refused ({self.reason})"
        return f"answered from {', '.join(self.documents)}"


class Replayed(Frozen):
    """One stored outcome and what it would be today; `why` only where that differs."""

    stored: Stored
    verdict: Verdict
    before: Seen
    now: Seen | None = None
    why: tuple[str, ...] = ()


class Replay:
    """Asks stored questions again, of no model and without a trace.

    Args:
        application: index, embedder and ledger.
        pack: today's, which need not be the installed one.
    """

    def __init__(self, application: Application, pack: Pack) -> None:
        search = application.search
        self.pack = pack
        self._ledger = application.ledger
        self._clock = application.clock
        self._writer = StoredWriter()
        ports = Ports(
            index=search.index,
            embedder=search.embedder,
            ledger=Unwritten(self._ledger),
            clock=self._clock,
            observer=Silent(),
            models=Models(writer=self._writer),
            offers=False,
        )
        heard = load_urgency(search.embedder)
        self._engine = Engine({pack.id: pack}, ports, application.reading, heard)
        self._current: dict[str, Mapping[str, str]] = {}

    async def ask(self, question: Question) -> Outcome:
        """Ask the pipeline, for an answer in the sources' own words."""
        self._writer.record = None
        verbatim = question.model_copy(update={"verbatim": True})
        return await self._engine.ask(verbatim)

    async def replay(self, stored: Stored) -> Replayed:
        """Ask a stored question once more, and compare."""
        settled = self.judge_unasked(stored)
        if settled is not None:
            before = extract_seen(stored.record)
            return Replayed(stored=stored, verdict=settled, before=before)
        return await self.compare(stored, await self.ask_today(stored))

    def judge_unasked(self, stored: Stored) -> Verdict | None:
        """Judge an outcome without asking; None where it must be asked."""
        if not stored.record.question:
            return Verdict.FORGOTTEN
        return Verdict.NOT_DECIDED if self.is_undecided(stored.record) else None

    def is_undecided(self, record: Record) -> bool:
        """Tell whether nothing was decided, for a fault of the environment."""
        return record.reason_code in UNDECIDED

    async def ask_today(self, stored: Stored) -> Record:
        """Ask a stored question, and return what its record would be today."""
        self._writer.record = stored.record
        return record_of(await self._engine.ask(question_of(stored)))

    def hash_question(self, stored: Stored) -> str:
        """Hash all that an outcome is computed from, except pack and index.

        Outcomes that share it come to the same on one day, whoever asked.
        """
        record = stored.record
        day = today_in(self.pack.time_zone, self._clock.now())
        parts = [
            day.isoformat(),
            question_of(stored).model_dump_json(exclude={"id", "session", "asker"}),
        ]
        if record.mode == "llm":
            draft = {"sections", "sources", "model", "prompt_version"}
            parts.append(record.model_dump_json(include=draft))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    async def compare(self, stored: Stored, today: Record) -> Replayed:
        """Compare a stored outcome with what it would be today."""
        record = stored.record
        before, now = extract_seen(record), extract_seen(today)
        verdict = _judge(record, before, today, now)
        why: tuple[str, ...] = ()
        if verdict is Verdict.CHANGED:
            current = await self._read_versions(stored.tenant)
            why = tuple(_find_causes(record, today, current))
        return Replayed(stored=stored, verdict=verdict, before=before, now=now, why=why)

    async def _read_versions(self, tenant: str) -> Mapping[str, str]:
        """Map documents to the versions that may be quoted to a tenant today."""
        if tenant not in self._current:
            found: dict[str, str] = {}
            for shelf in shelves_of(self.pack.id, tenant):
                found |= await self._ledger.current_versions(shelf)
            self._current[tenant] = found
        return self._current[tenant]


def question_of(stored: Stored) -> Question:
    """Rebuild a stored question as it was asked.

    In the sources' own words where no model drafted what was shown.
    """
    record = stored.record
    explicit = record.analysis_date.basis is Basis.EXPLICIT
    return Question(
        id=record.question_id,
        session="replay",
        text=record.question,
        pack=record.pack,
        tenant=stored.tenant,
        tags=stored.tags,
        selection=stored.selection,
        previous=stored.previous,
        about=record.about,
        as_of=record.analysis_date.as_of if explicit else None,
        verbatim=record.verbatim or record.mode != "llm",
        chosen_from=record.chosen_from,
        evidence=record.evidence,
    )


def extract_seen(record: Record) -> Seen:
    """Extract what of a record is compared."""
    return Seen(
        answered=not record.was_refusal,
        reason=record.reason_code,
        documents=tuple(dict.fromkeys(s.document_id for s in record.sources)),
        quotes=tuple(sorted(q.text for s in record.sources for q in s.quotes)),
        states=record.failure_states,
    )


def _judge(before: Record, was: Seen, today: Record, now: Seen) -> Verdict:
    if now.reason in UNDECIDED:
        return Verdict.NOT_DECIDED
    opened = [r.gate is not None and r.gate.verdict == "open" for r in (before, today)]
    if was.reason is not None and before.prompts and all(opened):
        return Verdict.NEEDS_MODEL
    return Verdict.SAME if was == now else Verdict.CHANGED


def _find_causes(
    before: Record, today: Record, current: Mapping[str, str]
) -> Iterator[str]:
    """Yield the differences that may be the cause, the likeliest first."""
    for source in before.sources:
        version = current.get(source.document_id)
        if version is None:
            yield f"{source.document_id} is no longer in the pack"
        elif version != source.version:
            yield f"{source.document_id} has another version"
    if before.pack_hash != today.pack_hash:
        was = f"{before.pack_version} ({before.pack_hash[:8]})"
        yield f"the pack: {was}, now {today.pack_version} ({today.pack_hash[:8]})"
    yield from _compare_gates(before, today)
    if before.failure_states != today.failure_states:
        states = (", ".join(r.failure_states) for r in (before, today))
        yield "the states: " + ", now ".join(states)
    new = {s.document_id for s in today.sources} - {
        s.document_id for s in before.sources
    }
    if new and not before.was_refusal:
        yield f"found besides: {', '.join(sorted(new))}"
    known = {f.code for f in before.findings}
    for finding in today.findings:
        if finding.severity != "note" and finding.code not in known:
            yield f"{finding.validator}: {finding.code}"


def _compare_gates(before: Record, today: Record) -> Iterator[str]:
    """Yield the numbers that the gate compared, where they differ."""
    was, now = before.gate, today.gate
    if was is None or now is None:
        return
    if (was.verdict, was.reason) != (now.verdict, now.reason):
        sides = (f"{g.verdict} {g.reason or g.rule or ''}".strip() for g in (was, now))
        yield "the gate: " + ", now ".join(sides)
    for name in sorted({*was.numbers, *now.numbers}):
        values = [_format_figure(gate.numbers.get(name)) for gate in (was, now)]
        if values[0] != values[1]:
            yield f"{name}: {values[0]}, now {values[1]}"


def _format_figure(value: float | None) -> str:
    return "none" if value is None else f"{round(value, SHOWN):g}"
