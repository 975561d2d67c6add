"""From an open gate to a verdict on the answer.

Where a model is configured and the pack allows one, it drafts from the passages of the
gate; the validators judge; their objections go back at most as often as the pack
says. A model that fails is followed by the deterministic answer, and so is a rejected
draft where the pack says so; else the refusal offers the sources' own words. A model is
asked nowhere else, and nothing here runs without an `Open`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from engine.draft.contracted import write_sections
from engine.draft.extract import write
from engine.draft.outline import write_outline
from engine.draft.whole import is_named_whole, write_whole
from engine.model.answer import Answer, ClaimTally, Finding
from engine.model.codes import Reason
from engine.model.draft import Draft, Offered, Order, Passage, Selected, Written
from engine.model.errors import BudgetExceeded, Stopped
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.ports import Judge, Writer
from engine.model.prompt import Failure, Prompt, Usage
from engine.model.question import Intent, Question
from engine.policy.contract import check_first_section
from engine.policy.pack import Pack
from engine.policy.rules import Material, Rules, gather_material
from engine.text.closure import is_selectable
from engine.text.markup import make_inert
from engine.text.quotable import read_text_at
from engine.text.words import STOPWORDS, words
from engine.verify.check import Rejected, Verified, check

RESERVED_S = 2.0  # of the question's time, for the deterministic answer and the record
LEAST_S = 1.0  # a call with less time is not started
LEAST_TOKENS = 400  # of an answer
PER_TOKEN = 3  # characters; fewer than in plain English, so that estimates are high
MOST_FEEDBACK, LONGEST_FEEDBACK = 10, 240  # objections, characters of one

ABSTAINED = "abstained"  # the model says that the passages hold no answer
LATE = "out_of_time"  # a call that was allowed was not started, for lack of time

Verdict = Verified | Rejected
Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True)
class Models:
    """The language models of an engine; without a writer every answer is verbatim."""

    writer: Writer | None = None
    judge: Judge | None = None


@dataclass(frozen=True, slots=True)
class DraftContext:
    """One question with everything that is needed to draft an answer.

    `left` returns the seconds left; `stop` is set when the answer is no longer wanted.
    """

    question: Question
    intent: Intent
    pack: Pack
    rules: Rules
    models: Models
    left: Callable[[], float]
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def modelled(self) -> bool:
        """True where a model may be asked."""
        question = self.question
        verbatim = question.verbatim or question.evidence is not None
        allowed = self.pack.answer.mode == "llm" and not verbatim
        return allowed and self.models.writer is not None

    @property
    def analysing(self) -> bool:
        """True where gaps are to be named: `auto` means on, since an open gate has
        evidence.
        """
        return self.pack.answer.quote_bypass != "off"


@dataclass(slots=True)
class Trail:
    """The log of model calls, rejected drafts and decisions, kept at a deadline."""

    prompts: list[Prompt] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)  # seconds into the question
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """The sum of all calls."""
        total = Usage()
        for prompt in self.prompts:
            total += prompt.usage
        return total

    def note(
        self, code: str, message: str, severity: Literal["note", "drop"] = "note"
    ) -> None:
        """Record a decision; "why" shows it."""
        found = Finding(
            validator="model", code=code, severity=severity, message=message
        )
        self.notes.append(found)


async def answer(opened: Open, context: DraftContext, trail: Trail) -> Verdict:
    """Draft and judge an answer to a question that the gate opened for.

    Args:
        opened: the gate's decision.
        context: the question and its rules.
        trail: gets every model call, rejected draft and decision.

    Raises:
        BudgetExceeded: calls took more tokens or money than one question may.
        Stopped: the answer is no longer wanted.
    """
    if context.stop.is_set():
        raise Stopped
    selected = context.question.selection is not None
    stuff = gather_material(opened, context.intent, context.rules, selection=selected)
    if opened.headings or context.intent.page or not context.modelled:
        return _quote_sources(opened, context, stuff)
    verdict = await _draft_with_model(opened, context, stuff, trail)
    if isinstance(verdict, Verified):
        return verdict
    if verdict is None:
        trail.note("deterministic", "the model failed, so the sources are quoted")
        return _quote_sources(opened, context, stuff)
    abstains = any(found.code == ABSTAINED for found in verdict.findings)
    if context.pack.answer.on_rejected_draft == "deterministic" and not abstains:
        trail.note("deterministic", "no draft passed, so the sources are quoted")
        return _quote_sources(opened, context, stuff)
    return verdict


def _quote_sources(opened: Open, context: DraftContext, stuff: Material) -> Verdict:
    compose = write_sections if stuff.contract else write
    named = is_named_whole(opened, context.pack) and not opened.headings
    if context.question.evidence is not None or named:
        compose = write_whole
    if context.intent.page:
        compose = write_outline
    return check(compose(opened, context.intent, context.pack), stuff)


# --- with a model -----------------------------------------------------------------


async def _draft_with_model(
    opened: Open, context: DraftContext, stuff: Material, trail: Trail
) -> Verdict | None:
    """Return the verdict on the last draft; None where the model wrote none.

    A draft that finds nothing in a few passages has not failed: all passages are read
    once, where the pack allows.
    """
    assert context.models.writer is not None
    numbers = _choose_first(opened, context.pack.answer.passages)
    feedback: tuple[str, ...] = ()
    verdict: Verdict | None = None
    tries = 1 + context.pack.answer.schema_retry_attempts
    while tries:
        order = _make_order(opened, numbers, context, feedback, trail)
        if order is None:
            return verdict
        written = await _await_reply(context.models.writer.write(order), context)
        _spend(written.prompt, context, trail)
        if written.prompt.failure not in (None, Failure.UNREADABLE):
            return verdict
        more = context.pack.answer.adaptive and len(numbers) < len(opened.chunks)
        if written.status == "not_found" and not context.analysing and more:
            trail.note("widened", f"nothing in {len(numbers)} passages: all are read")
            numbers = tuple(range(1, len(opened.chunks) + 1))
            continue
        verdict = await _judge_draft(written, context, stuff, trail)
        if isinstance(verdict, Verified) or verdict.findings[-1].code == ABSTAINED:
            return verdict
        trail.rejected.append(verdict)
        feedback = tuple(_list_feedback(verdict.findings))
        tries -= 1
    return verdict


def _choose_first(opened: Open, most: int) -> tuple[int, ...]:
    """Return the numbers of the best passages, from enough documents."""
    taken: list[int] = []
    documents: set[str] = set()
    for number, chunk in enumerate(opened.chunks, start=1):
        new = chunk.witness not in documents
        if len(taken) < most or (new and len(documents) < opened.required_documents):
            taken.append(number)
            documents.add(chunk.witness)
    return tuple(taken)


def _make_order(
    opened: Open,
    numbers: Sequence[int],
    context: DraftContext,
    feedback: tuple[str, ...],
    trail: Trail,
) -> Order | None:
    """Make an order; None, and a note, where the budget has no room for a call."""
    rule = context.pack.rule(context.intent.query_type)
    passages = tuple(_offer_passages(opened, numbers))
    if not passages or not _has_room(_count_characters(passages), context, trail):
        return None
    return Order(
        signature=rule.signature,
        question=context.intent.text,
        passages=passages,
        texts=context.pack.sensitive.by_id,
        headings=tuple(section.heading for section in rule.sections),
        analyse_only=context.analysing,
        feedback=feedback,
        seconds=context.left() - RESERVED_S,
        tokens=context.pack.budget.tokens - trail.usage.tokens,
    )


def _has_room(characters: int, context: DraftContext, trail: Trail) -> bool:
    """Return whether the budget allows one more call; add a note where it does not."""
    budget, spent = context.pack.budget, trail.usage
    seconds = context.left() - RESERVED_S
    left = budget.tokens - spent.tokens
    needed = characters // PER_TOKEN + LEAST_TOKENS
    dear = spent.calls >= budget.model_calls or left < needed
    if dear or seconds < LEAST_S:
        trail.note(
            "budget" if dear else LATE,
            f"no further call: {spent.calls} of {budget.model_calls} calls, "
            f"{spent.tokens} of {budget.tokens} tokens, {max(seconds, 0):.1f} s left",
        )
        return False
    return True


def _offer_passages(opened: Open, numbers: Sequence[int]) -> Iterator[Passage]:
    """Yield the passages as sentences that may be selected, numbered through."""
    given = 0
    for number in numbers:
        chunk = opened.chunks[number - 1]
        sentences: list[Offered] = []
        for at, sentence in enumerate(chunk.sentences):
            if is_selectable(sentence):
                given += 1
                sentences.append(_offer_sentence(chunk, number, at, given))
        if sentences:
            yield Passage(
                title=chunk.title,
                section=chunk.section,
                dated=chunk.published or chunk.retrieved,
                sentences=tuple(sentences),
            )


def _offer_sentence(chunk: Chunk, number: int, at: int, given: int) -> Offered:
    sentence = chunk.sentences[at]
    end = sentence.announces.end if sentence.announces else sentence.end
    inside = sentence.end if end > chunk.end else end
    return Offered(
        number=given,
        selected=Selected(chunk=number, sentence=at),
        text=read_text_at(chunk, sentence.start, inside),
        before=tuple(read_text_at(chunk, s.start, s.end) for s in sentence.leans_on),
    )


def _count_characters(passages: Sequence[Passage]) -> int:
    """Count the characters of all offered sentences."""
    return sum(
        len(sentence.text) + sum(map(len, sentence.before))
        for passage in passages
        for sentence in passage.sentences
    )


async def _await_reply(
    asking: Coroutine[Any, Any, Asked], context: DraftContext
) -> Asked:
    """Await a model's reply; where it is stopped, what is known of the call.

    Raises:
        Stopped: nothing is known of it.
    """
    call, stop = asyncio.create_task(asking), asyncio.create_task(context.stop.wait())
    try:
        await asyncio.wait({call, stop}, return_when=asyncio.FIRST_COMPLETED)
        call.cancel(Failure.STOPPED)
        await asyncio.wait({call})
    finally:
        call.cancel()
        stop.cancel()
    if call.cancelled():
        raise Stopped
    return call.result()


def _spend(prompt: Prompt, context: DraftContext, trail: Trail) -> None:
    """Count a call.

    Raises:
        BudgetExceeded: it took too many tokens, or too much money.
        Stopped: the answer is no longer wanted.
    """
    budget = context.pack.budget
    trail.prompts.append(prompt)
    trail.ended.append(budget.seconds - context.left())
    if context.stop.is_set():
        raise Stopped
    spent = trail.usage
    if spent.tokens > budget.tokens:
        raise BudgetExceeded(f"{spent.tokens} tokens of {budget.tokens}")
    if spent.cost is None:
        trail.note("price_unknown", "no price is known for this model: cost not kept")
    elif spent.cost > budget.cost:
        raise BudgetExceeded(f"${spent.cost:.4f} of ${budget.cost:.2f}")


async def _judge_draft(
    written: Written, context: DraftContext, stuff: Material, trail: Trail
) -> Verdict:
    """Return the verdict of the validators on a draft, then of the judge.

    The judge can only take away.
    """
    if written.draft is None:
        said = "names no sentence: answer with the numbers of sentences alone"
        return _turn_down(Reason.INSUFFICIENT_CITATIONS, "unreadable", said)
    claims = [c for section in written.draft.sections for c in section.claims]
    if not claims and not written.draft.unknown:
        return _reject_empty(written, context)
    wrong = check_first_section(written.draft, stuff)
    verdict = check(written.draft, stuff)
    if wrong is not None:
        rejected = _reject(Reason.INSUFFICIENT_CITATIONS, wrong)
        return replace(rejected, tally=verdict.tally)
    if isinstance(verdict, Rejected) or context.models.judge is None:
        return verdict
    return await _remove_doubted(verdict, written.draft, context, stuff, trail)


def _reject_empty(written: Written, context: DraftContext) -> Verdict:
    """Return the outcome of a draft that claims nothing."""
    named: tuple[str, ...] = ()
    if context.analysing and written.status == "insufficient":
        named = find_gaps(written.gaps, context.intent.text)
    if context.analysing and not named:
        said = "name what the passages lack in the question's own words, "
        said += "or say what they hold"
        return _turn_down(Reason.INSUFFICIENT_CONTEXT, "no_gaps", said)
    said = "the passages do not hold an answer"
    found = _turn_down(Reason.INSUFFICIENT_CONTEXT, ABSTAINED, said)
    return replace(found, gaps=named)


def _turn_down(reason: Reason, code: str, message: str) -> Rejected:
    found = Finding(validator="model", code=code, severity="reject", message=message)
    return _reject(reason, found)


def _reject(reason: Reason, found: Finding) -> Rejected:
    return Rejected(reason, (found,), ClaimTally(), 0, "")


def _list_feedback(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the objections of the validators, for the next draft."""
    objected = [f for f in findings if f.severity != "note"]
    for finding in objected[:MOST_FEEDBACK]:
        about = f": “{finding.claim}”" if finding.claim else ""
        yield f"{finding.message}{about}"[:LONGEST_FEEDBACK]


# --- the judge --------------------------------------------------------------------


async def _remove_doubted(
    verdict: Verified,
    draft: Draft,
    context: DraftContext,
    stuff: Material,
    trail: Trail,
) -> Verdict:
    """Remove the quotations that a judge doubts, and check the rest again."""
    asked = list(_list_statements(verdict.answer))
    doubted = await _find_doubted(asked, context, trail)
    if not doubted:
        return verdict
    again = check(draft, stuff, frozenset(doubted))
    objections = tuple(
        Finding(
            validator="judge", code="objected", severity="drop", message=why, claim=text
        )
        for text, why in doubted.items()
    )
    return replace(again, findings=(*verdict.findings, *objections, *again.findings))


async def _find_doubted(
    asked: Sequence[tuple[str, str]], context: DraftContext, trail: Trail
) -> Mapping[str, str]:
    """Return the quotations that a judge doubts, with reasons; all where it cannot be
    asked.
    """
    assert context.models.judge is not None
    if not _has_room(sum(len(said) + len(by) for said, by in asked), context, trail):
        return {text: "nothing is left for the judge" for text, _ in asked}
    seconds = context.left() - RESERVED_S
    judging = context.models.judge.judge(context.intent.text, asked, seconds)
    judged = await _await_reply(judging, context)
    _spend(judged.prompt, context, trail)
    return {objection.text: objection.explanation for objection in judged.objections}


def _list_statements(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield every drafted quotation, with the title and section above it."""
    cited = {citation.number: citation for citation in answer.citations}
    for section in answer.sections:
        for claim in section.claims:
            if claim.citations and not claim.row:
                source = cited[claim.citations[0]]
                yield claim.text, " > ".join((source.title, *source.section))


MOST_GAPS = 5


def find_gaps(named: Sequence[str], question: str) -> tuple[str, ...]:
    """Keep the parts of a question that a draft names word for word."""
    found = (_find_part(text, question) for text in named[:MOST_GAPS])
    return tuple(dict.fromkeys(part for part in found if part))


def _find_part(text: str, question: str) -> str:
    """Return the first run of words in the question that equals a text, or ""."""
    wanted = words(text)
    if STOPWORDS.issuperset(wanted):
        return ""
    pieces = question.split()
    for start in range(len(pieces)):
        for end, said in _iterate_runs(pieces, start):
            if said == wanted:
                shown = " ".join(pieces[start:end])
                return make_inert(shown.strip(" ,;:.?!"))
            if len(said) >= len(wanted):
                break
    return ""


def _iterate_runs(pieces: Sequence[str], start: int) -> Iterator[tuple[int, list[str]]]:
    said: list[str] = []
    for end in range(start, len(pieces)):
        said += words(pieces[end])
        yield end + 1, said
