"""From an open gate to a verdict on what may be said: the order of R-A13, in one place.

Where a model is configured and the pack allows one, it drafts from the passages of the
gate; the validators judge; what they objected to goes back at most as often as the pack
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
LEAST_S = 1.0  # a call that has less time is not begun
LEAST_TOKENS = 400  # of an answer
PER_TOKEN = 3  # characters; fewer than in plain English, so that estimates are high
MOST_FEEDBACK, LONGEST_FEEDBACK = 10, 240  # objections, characters of one

ABSTAINED = "abstained"  # the model says that the passages hold no answer
LATE = "out_of_time"  # a call that was wanted and allowed was not begun for time

Verdict = Verified | Rejected
Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True)
class Models:
    """The language models of an engine; without a writer every answer is verbatim."""

    writer: Writer | None = None
    judge: Judge | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """One question and what drafting an answer to it takes.

    `left` are its seconds; `stop` is set when nobody wants an answer any more.
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
        """Whether a model may be asked."""
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
    """What happened on the way, kept as it happens: a deadline loses nothing of it."""

    prompts: list[Prompt] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)  # seconds into the question
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """All calls together."""
        total = Usage()
        for prompt in self.prompts:
            total += prompt.usage
        return total

    def note(
        self, code: str, message: str, severity: Literal["note", "drop"] = "note"
    ) -> None:
        """Put on record what was decided; "why" shows it."""
        found = Finding(
            validator="model", code=code, severity=severity, message=message
        )
        self.notes.append(found)


async def answer(opened: Open, bench: Bench, trail: Trail) -> Verdict:
    """Return what may be said about a question that the gate opened for.

    Args:
        opened: the gate's decision.
        bench: the question and its rules.
        trail: gets every model call, rejected draft and decision.

    Raises:
        BudgetExceeded: calls took more tokens or money than one question may.
        Stopped: nobody wants an answer any more.
    """
    if bench.stop.is_set():
        raise Stopped
    selected = bench.question.selection is not None
    stuff = gather_material(opened, bench.intent, bench.rules, selection=selected)
    if not bench.modelled:
        return _verbatim(opened, bench, stuff)
    verdict = await _modelled(opened, bench, stuff, trail)
    if isinstance(verdict, Verified):
        return verdict
    if verdict is None:
        trail.note("deterministic", "the model failed, so the sources are quoted")
        return _verbatim(opened, bench, stuff)
    abstains = any(found.code == ABSTAINED for found in verdict.findings)
    if bench.pack.answer.on_rejected_draft == "deterministic" and not abstains:
        trail.note("deterministic", "no draft passed, so the sources are quoted")
        return _verbatim(opened, bench, stuff)
    return verdict


def _verbatim(opened: Open, bench: Bench, stuff: Material) -> Verdict:
    compose = write_sections if stuff.contract else write
    if bench.question.evidence is not None or is_named_whole(opened, bench.pack):
        compose = write_whole
    return check(compose(opened, bench.intent, bench.pack), stuff)


# --- with a model -----------------------------------------------------------------


async def _modelled(
    opened: Open, bench: Bench, stuff: Material, trail: Trail
) -> Verdict | None:
    """Return the verdict on the last draft; None where the model brought none.

    A draft that says that a few passages hold nothing is no failed one: all passages
    are read once, where the pack allows.
    """
    assert bench.models.writer is not None
    numbers = _first(opened, bench.pack.answer.passages)
    feedback: tuple[str, ...] = ()
    verdict: Verdict | None = None
    tries = 1 + bench.pack.answer.schema_retry_attempts
    while tries:
        order = _order(opened, numbers, bench, feedback, trail)
        if order is None:
            return verdict
        written = await _said(bench.models.writer.write(order), bench)
        _spend(written.prompt, bench, trail)
        if written.prompt.failure not in (None, Failure.UNREADABLE):
            return verdict
        more = bench.pack.answer.adaptive and len(numbers) < len(opened.chunks)
        if written.status == "not_found" and not bench.analysing and more:
            trail.note("widened", f"nothing in {len(numbers)} passages: all are read")
            numbers = tuple(range(1, len(opened.chunks) + 1))
            continue
        verdict = await _verdict(written, bench, stuff, trail)
        if isinstance(verdict, Verified) or verdict.findings[-1].code == ABSTAINED:
            return verdict
        trail.rejected.append(verdict)
        feedback = tuple(_feedback(verdict.findings))
        tries -= 1
    return verdict


def _first(opened: Open, most: int) -> tuple[int, ...]:
    """Return the numbers of the best passages, from as many documents as R-I3 wants."""
    taken: list[int] = []
    documents: set[str] = set()
    for number, chunk in enumerate(opened.chunks, start=1):
        new = chunk.witness not in documents
        if len(taken) < most or (new and len(documents) < opened.required_documents):
            taken.append(number)
            documents.add(chunk.witness)
    return tuple(taken)


def _order(
    opened: Open,
    numbers: Sequence[int],
    bench: Bench,
    feedback: tuple[str, ...],
    trail: Trail,
) -> Order | None:
    """Return what to write; None, and a note, where the budget has no room for a
    call.
    """
    rule = bench.pack.rule(bench.intent.query_type)
    passages = tuple(_offered(opened, numbers))
    if not passages or not _has_room(_length(passages), bench, trail):
        return None
    return Order(
        signature=rule.signature,
        question=bench.intent.text,
        passages=passages,
        texts=bench.pack.sensitive.by_id,
        headings=tuple(section.heading for section in rule.sections),
        analyse_only=bench.analysing,
        feedback=feedback,
        seconds=bench.left() - RESERVED_S,
        tokens=bench.pack.budget.tokens - trail.usage.tokens,
    )


def _has_room(characters: int, bench: Bench, trail: Trail) -> bool:
    """Return whether one more call about so much text may be made; a note where not."""
    budget, spent = bench.pack.budget, trail.usage
    seconds = bench.left() - RESERVED_S
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


def _offered(opened: Open, numbers: Sequence[int]) -> Iterator[Passage]:
    """Yield the passages as sentences that may be selected, numbered through."""
    given = 0
    for number in numbers:
        chunk = opened.chunks[number - 1]
        sentences: list[Offered] = []
        for at, sentence in enumerate(chunk.sentences):
            if is_selectable(sentence):
                given += 1
                sentences.append(_sentence(chunk, number, at, given))
        if sentences:
            yield Passage(
                title=chunk.title,
                section=chunk.section,
                dated=chunk.published or chunk.retrieved,
                sentences=tuple(sentences),
            )


def _sentence(chunk: Chunk, number: int, at: int, given: int) -> Offered:
    sentence = chunk.sentences[at]
    end = sentence.announces.end if sentence.announces else sentence.end
    inside = sentence.end if end > chunk.end else end
    return Offered(
        number=given,
        selected=Selected(chunk=number, sentence=at),
        text=read_text_at(chunk, sentence.start, inside),
        before=tuple(read_text_at(chunk, s.start, s.end) for s in sentence.leans_on),
    )


def _length(passages: Sequence[Passage]) -> int:
    """Return the characters of all that is offered."""
    return sum(
        len(sentence.text) + sum(map(len, sentence.before))
        for passage in passages
        for sentence in passage.sentences
    )


async def _said(asking: Coroutine[Any, Any, Asked], bench: Bench) -> Asked:
    """What a model says; where it is stopped, what is known of the call.

    Raises:
        Stopped: nothing is known of it.
    """
    call, stop = asyncio.create_task(asking), asyncio.create_task(bench.stop.wait())
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


def _spend(prompt: Prompt, bench: Bench, trail: Trail) -> None:
    """Count a call; one too many, or that was stopped, ends the question (R-A7)."""
    budget = bench.pack.budget
    trail.prompts.append(prompt)
    trail.ended.append(budget.seconds - bench.left())
    if bench.stop.is_set():
        raise Stopped
    spent = trail.usage
    if spent.tokens > budget.tokens:
        raise BudgetExceeded(f"{spent.tokens} tokens of {budget.tokens}")
    if spent.cost is None:
        trail.note("price_unknown", "no price is known for this model: cost not kept")
    elif spent.cost > budget.cost:
        raise BudgetExceeded(f"${spent.cost:.4f} of ${budget.cost:.2f}")


async def _verdict(
    written: Written, bench: Bench, stuff: Material, trail: Trail
) -> Verdict:
    """Return the validators on one draft, then the judge, who can only take away."""
    if written.draft is None:
        said = "names no sentence: answer with the numbers of sentences alone"
        return _turned_down(Reason.INSUFFICIENT_CITATIONS, "unreadable", said)
    claims = [c for section in written.draft.sections for c in section.claims]
    if not claims and not written.draft.unknown:
        return _without_claims(written, bench)
    wrong = check_first_section(written.draft, stuff)
    verdict = check(written.draft, stuff)
    if wrong is not None:
        rejected = _rejected(Reason.INSUFFICIENT_CITATIONS, wrong)
        return replace(rejected, tally=verdict.tally)
    if isinstance(verdict, Rejected) or bench.models.judge is None:
        return verdict
    return await _judged(verdict, written.draft, bench, stuff, trail)


def _without_claims(written: Written, bench: Bench) -> Verdict:
    """Return the outcome of a draft that claims nothing."""
    named: tuple[str, ...] = ()
    if bench.analysing and written.status == "insufficient":
        named = gaps(written.gaps, bench.intent.text)
    if bench.analysing and not named:
        said = "name what the passages lack in the question's own words, "
        said += "or say what they hold"
        return _turned_down(Reason.INSUFFICIENT_CONTEXT, "no_gaps", said)
    said = "the passages do not hold an answer"
    found = _turned_down(Reason.INSUFFICIENT_CONTEXT, ABSTAINED, said)
    return replace(found, gaps=named)


def _turned_down(reason: Reason, code: str, message: str) -> Rejected:
    found = Finding(validator="model", code=code, severity="reject", message=message)
    return _rejected(reason, found)


def _rejected(reason: Reason, found: Finding) -> Rejected:
    return Rejected(reason, (found,), ClaimTally(), 0, "")


def _feedback(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what the validators objected to, for the next draft."""
    objected = [f for f in findings if f.severity != "note"]
    for finding in objected[:MOST_FEEDBACK]:
        about = f": “{finding.claim}”" if finding.claim else ""
        yield f"{finding.message}{about}"[:LONGEST_FEEDBACK]


# --- the judge --------------------------------------------------------------------


async def _judged(
    verdict: Verified, draft: Draft, bench: Bench, stuff: Material, trail: Trail
) -> Verdict:
    """Return the answer without what a judge doubts; what is left is counted again."""
    asked = list(_statements(verdict.answer))
    doubted = await _doubted(asked, bench, trail)
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


async def _doubted(
    asked: Sequence[tuple[str, str]], bench: Bench, trail: Trail
) -> Mapping[str, str]:
    """Return the quotations that a judge doubts, and why; all where it may not be
    asked.
    """
    assert bench.models.judge is not None
    if not _has_room(sum(len(said) + len(by) for said, by in asked), bench, trail):
        return {text: "nothing is left for the judge" for text, _ in asked}
    seconds = bench.left() - RESERVED_S
    judging = bench.models.judge.judge(bench.intent.text, asked, seconds)
    judged = await _said(judging, bench)
    _spend(judged.prompt, bench, trail)
    return {objection.text: objection.explanation for objection in judged.objections}


def _statements(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield every quotation that was drafted, with the title and section above it."""
    cited = {citation.number: citation for citation in answer.citations}
    for section in answer.sections:
        for claim in section.claims:
            if claim.citations and not claim.row:
                source = cited[claim.citations[0]]
                yield claim.text, " > ".join((source.title, *source.section))


MOST_GAPS = 5


def gaps(named: Sequence[str], question: str) -> tuple[str, ...]:
    """Return the parts of a question that a draft names word for word; of others,
    none.
    """
    found = (_part(text, question) for text in named[:MOST_GAPS])
    return tuple(dict.fromkeys(part for part in found if part))


def _part(text: str, question: str) -> str:
    """Return where the words of a text stand in the question, in a row; "" where
    nowhere.
    """
    wanted = words(text)
    if STOPWORDS.issuperset(wanted):
        return ""
    pieces = question.split()
    for start in range(len(pieces)):
        for end, said in _rows(pieces, start):
            if said == wanted:
                shown = " ".join(pieces[start:end])
                return make_inert(shown.strip(" ,;:.?!"))
            if len(said) >= len(wanted):
                break
    return ""


def _rows(pieces: Sequence[str], start: int) -> Iterator[tuple[int, list[str]]]:
    said: list[str] = []
    for end in range(start, len(pieces)):
        said += words(pieces[end])
        yield end + 1, said
