"""Run a question pack: evidence first, in order, then an answer for each.

Evidence is gathered question by question; answers of a model are waited for beside it,
as many at once as `--jobs` allows. Under the strict gate the first question without
evidence ends the run, and nothing after it is started.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from adapters import plugins
from bot.inspection.run_folder import RunFolder, RunLog, as_json
from engine.inspection.drafting import Asking, Draft, write_draft
from engine.inspection.ports import Inspector, Preflight
from engine.inspection.question_pack import Inquiry, Mode, QuestionPack
from engine.inspection.records import (
    NOT_FOUND,
    Decided,
    Finding,
    Gathered,
    Problem,
    Result,
    Status,
    collect_blocks,
    is_gate_open,
)
from engine.inspection.rules import decide
from engine.inspection.settling import (
    diagnose,
    explain,
    find_status,
    format_answer,
    make_findings,
)

Bypass = Literal["auto", "on", "off"]
NOTHING = Decided(verdict="NONE")


@dataclass(frozen=True, slots=True)
class Plan:
    """How a pack is run.

    Attributes:
        mode: for every question, in place of its own.
        bypass: whether a model may only analyse what was found.
        strict: empty evidence ends the run.
        only: ids of questions, all where there is none.
        jobs: answers at once.
    """

    mode: Mode | None = None
    bypass: Bypass = "auto"
    strict: bool = False
    only: tuple[str, ...] = ()
    jobs: int = 1

    def mode_of(self, inquiry: Inquiry, pack: QuestionPack) -> Mode:
        return self.mode or inquiry.answer_mode or pack.answer_mode

    def analyses(self, found: bool) -> bool:
        """Tell whether NOT FOUND is no answer."""
        return self.bypass == "on" or (self.bypass == "auto" and found)

    def questions(self, pack: QuestionPack) -> tuple[Inquiry, ...]:
        chosen = self.only or tuple(each.id for each in pack.questions)
        return tuple(each for each in pack.questions if each.id in chosen)


@dataclass(slots=True)
class Ran:
    """The results of a run; `aborted` is the question that ended it."""

    results: list[Result] = field(default_factory=list)
    aborted: str | None = None
    unstarted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Runner:
    """A pack, the evidence of a repository, a model or none, and a result folder."""

    pack: QuestionPack
    preflight: Preflight
    inspector: Callable[[], Inspector]
    folder: RunFolder
    log: RunLog

    async def run(self, plan: Plan, done: Callable[[Result], None]) -> Ran:
        """Run every question of the plan; `done` is told of each as it ends."""
        ran = Ran()
        asked = plan.questions(self.pack)
        turn = asyncio.Semaphore(plan.jobs)
        results: dict[str, Result] = {}

        async def answer(inquiry: Inquiry, found: tuple[Gathered, ...]) -> None:
            async with turn:
                results[inquiry.id] = await self._ask(inquiry, found, plan)
                done(results[inquiry.id])

        try:
            async with asyncio.TaskGroup() as group:
                for at, inquiry in enumerate(asked):
                    found = await asyncio.to_thread(self._gather, inquiry)
                    if plan.strict and not is_gate_open(found):
                        ran.aborted = inquiry.id
                        ran.unstarted = tuple(each.id for each in asked[at + 1 :])
                        results[inquiry.id] = self._close(inquiry, found, plan)
                        break
                    if plan.mode_of(inquiry, self.pack) == "llm" and is_gate_open(
                        found
                    ):
                        group.create_task(answer(inquiry, found))
                    else:
                        judged = self._judge(inquiry, found, plan)
                        results[inquiry.id] = self._keep(judged)
                        done(results[inquiry.id])
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        ran.results = [results[each.id] for each in asked if each.id in results]
        return ran

    def _gather(self, inquiry: Inquiry) -> tuple[Gathered, ...]:
        found = []
        for step in inquiry.preflights:
            each = self.preflight.gather(step)
            found.append(each)
            told = {
                "question": inquiry.id,
                "preflight": step.id,
                "kind": step.kind,
                "blocks": len(each.blocks),
                "beyond": each.beyond,
                "files": each.files,
                "unread": each.missed,
                "dropped": each.dropped,
            }
            self.log.write("question.preflight", told)
        return tuple(found)

    def _close(
        self, inquiry: Inquiry, found: tuple[Gathered, ...], plan: Plan
    ) -> Result:
        """Keep the question that ends the run as failed."""
        self.log.write("run.aborted", {"question": inquiry.id})
        made = self._judge(inquiry, found, plan)
        why = "no evidence, and the strict gate is on"
        return self._keep(made.model_copy(update={"status": Status.FAILED, "why": why}))

    def _judge(
        self, inquiry: Inquiry, found: tuple[Gathered, ...], plan: Plan
    ) -> Result:
        analyse_only = plan.analyses(is_gate_open(found))
        decided = decide(inquiry, found, analyse_only=analyse_only)
        made = _make_result(inquiry, found, decided, _check(inquiry, decided, found))
        mode = plan.mode_of(inquiry, self.pack)
        return made.model_copy(update={"mode": mode, "analyse_only": analyse_only})

    async def _ask(
        self, inquiry: Inquiry, found: tuple[Gathered, ...], plan: Plan
    ) -> Result:
        """Ask the model, or keep what it said before over the same evidence."""
        key = self._hash_inputs(inquiry, found, plan)
        earlier = self.folder.read_kept(inquiry.id, key)
        if earlier is not None and earlier.status is not Status.ERROR:
            self.log.write("question.resumed", {"question": inquiry.id})
            return earlier
        analyse_only = plan.analyses(True)
        draft = await self._draft(inquiry, found, analyse_only)
        made = _judge_draft(inquiry, found, draft)
        update = {"mode": "llm", "analyse_only": analyse_only}
        return self._keep(made.model_copy(update=update), key)

    async def _draft(
        self, inquiry: Inquiry, found: tuple[Gathered, ...], analyse_only: bool
    ) -> Draft:
        asking = Asking(
            inspector=self.inspector(),
            analyse_only=analyse_only,
            check=lambda decided: _check(inquiry, decided, found),
            log=self.log.write,
        )
        return await write_draft(inquiry, collect_blocks(found), asking)

    def _hash_inputs(
        self, inquiry: Inquiry, found: Sequence[Gathered], plan: Plan
    ) -> str:
        """Hash what a model's answer depends on."""
        held = [
            inquiry.model_dump(mode="json", by_alias=True),
            [each.model_dump(mode="json") for each in found],
            plan.bypass,
            self.inspector().name,
        ]
        return sha256(as_json(held).encode()).hexdigest()

    def _keep(self, result: Result, key: str = "") -> Result:
        told = {
            "question": result.question,
            "status": result.status.value,
            "verdict": result.verdict,
            "citations": len(result.citations),
            "why": result.why,
        }
        if result.diagnosis:
            fields = {"question": result.question, "cause": result.diagnosis}
            self.log.write("question.not_found.diagnosed", fields)
        self.folder.keep(result, key)
        self.log.write("question.done", told)
        return result


def _check(
    inquiry: Inquiry, decided: Decided, found: Sequence[Gathered]
) -> tuple[Problem, ...]:
    """Run the question's validators."""
    blocks = collect_blocks(found)
    return tuple(
        problem
        for name in inquiry.validators
        for problem in plugins.load_validator(name)(inquiry, decided, blocks)
    )


def _make_result(
    inquiry: Inquiry,
    found: tuple[Gathered, ...],
    decided: Decided,
    flaws: tuple[Problem, ...],
) -> Result:
    status, why = find_status(inquiry, decided), explain(inquiry, decided)
    if flaws:
        status = Status.FAILED
        why = "; ".join(f"{each.rule}: {each.explanation}" for each in flaws)
    return Result(
        question=inquiry.id,
        mode="deterministic",
        analyse_only=False,
        status=status,
        verdict=decided.verdict,
        why=why,
        answer=format_answer(decided),
        decided=decided,
        gathered=found,
        findings=_collect_findings(inquiry, decided, found),
        diagnosis=diagnose(decided.verdict, inquiry, found, len(collect_blocks(found))),
    )


def _judge_draft(inquiry: Inquiry, found: tuple[Gathered, ...], draft: Draft) -> Result:
    """Judge a model's draft; without one that passed, the question failed."""
    decided = draft.decided or NOTHING
    made = _make_result(inquiry, found, decided, ())
    update: dict[str, object] = {
        "attempts": tuple(draft.attempts),
        "answer": format_answer(decided, draft.fields),
        "diagnosis": diagnose(decided.verdict, inquiry, found, draft.offered),
    }
    if draft.decided is None:
        last = draft.attempts[-1].problems if draft.attempts else ()
        said_nothing = any(each.rule in ("not_found", "gaps") for each in last)
        verdict = NOT_FOUND if said_nothing else decided.verdict
        update["diagnosis"] = diagnose(verdict, inquiry, found, draft.offered)
        failed = Status.FAILED if draft.failure is None else Status.ERROR
        update |= {
            "status": failed,
            "why": draft.why,
            "answer": f"No answer: {draft.why}\n",
            "findings": (),
        }
    return made.model_copy(update=update)


def _collect_findings(
    inquiry: Inquiry, decided: Decided, found: Sequence[Gathered]
) -> tuple[Finding, ...]:
    """Collect findings of an unexpected verdict, and of the question's extractors."""
    made = list(make_findings(inquiry, decided))
    for name in inquiry.extractors:
        made += plugins.load_extractor(name)(inquiry, collect_blocks(found))
    return tuple(dict.fromkeys(made))
