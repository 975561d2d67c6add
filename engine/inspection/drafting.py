"""A model's draft for one question: asked, judged, asked again, or given up.

No draft passes that breaks the contract. Taken from one are only places of the
evidence, a verdict of the question, values of fixed sets, and gaps in its own words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.inspection.contract import (
    CITATIONS,
    VERDICT,
    Reply,
    find_gaps,
    find_places,
    list_problems,
    parse_reply,
)
from engine.inspection.ports import Drafted, Inspector, Request
from engine.inspection.question_pack import Inquiry
from engine.inspection.records import (
    INSUFFICIENT,
    NOT_FOUND,
    Attempt,
    Block,
    Decided,
    Problem,
)
from engine.model.places import Place
from engine.model.prompt import Failure

MOST_CHARACTERS = 60_000  # of evidence in one prompt
WIDER = 4  # times as many blocks, the second time

Fields = Mapping[str, object]
Check = Callable[[Decided], tuple[Problem, ...]]


@dataclass(frozen=True, slots=True)
class Asking:
    """The dependencies of drafting.

    Args:
        inspector: the model.
        analyse_only: NOT FOUND is no answer where there is evidence.
        check: the objections of the question's validators.
        log: takes an event and its fields.
    """

    inspector: Inspector
    analyse_only: bool
    check: Check
    log: Callable[[str, Fields], None]


@dataclass(slots=True)
class Draft:
    """The result of drafting: a decision or none, and every attempt."""

    decided: Decided | None = None
    fields: tuple[tuple[str, str], ...] = ()
    attempts: list[Attempt] = field(default_factory=list)
    offered: int = 0
    failure: Failure | None = None

    @property
    def why(self) -> str:
        """The reason why there is no decision."""
        if self.failure is not None:
            return f"the model gave no answer ({self.failure})"
        last = self.attempts[-1].problems if self.attempts else ()
        return "; ".join(f"{each.rule}: {each.explanation}" for each in last)


async def write_draft(
    inquiry: Inquiry, blocks: tuple[Block, ...], asking: Asking
) -> Draft:
    """Get a draft that keeps the contract, or every attempt that did not.

    Where the model found nothing in the first blocks and there are more, those are
    shown once; where it cannot take more at a time, its first decision is kept.
    """
    asking.log(
        "question.chat.prepare",
        {
            "question": inquiry.id,
            "strict_response_template": inquiry.strict_response_template,
            "retry_on_schema_fail": inquiry.retry_on_schema_fail,
            "schema_retry_attempts": inquiry.schema_retry_attempts,
            "analyse_only": asking.analyse_only,
        },
    )
    made = await _ask(inquiry, _fit_blocks(blocks, inquiry.top_k), asking)
    empty = made.decided is not None and made.decided.verdict in (
        NOT_FOUND,
        INSUFFICIENT,
    )
    wanted = empty or _found_nothing(made)
    more = _fit_blocks(blocks, inquiry.top_k * WIDER)
    if not (wanted and inquiry.adaptive_top_k and len(more) > made.offered):
        return made
    fields = {"question": inquiry.id, "shown": made.offered, "now": len(more)}
    asking.log("question.chat.adaptive_top_k", fields)
    again = await _ask(inquiry, more, asking)
    if again.failure is not None and made.decided is not None:
        told = {"question": inquiry.id, "failure": again.failure}
        asking.log("question.chat.adaptive_top_k.failed", told)
        made.attempts += again.attempts
        return made
    again.attempts = [*made.attempts, *again.attempts]
    return again


def _found_nothing(made: Draft) -> bool:
    """Return whether the last attempt was rejected only because it found nothing."""
    last = made.attempts[-1].problems if made.attempts else ()
    return bool(last) and all(each.rule in ("not_found", "gaps") for each in last)


def _fit_blocks(blocks: tuple[Block, ...], most: int) -> tuple[Block, ...]:
    """Return the first blocks that fit into a prompt."""
    room = MOST_CHARACTERS
    held: list[Block] = []
    for block in blocks[:most]:
        room -= len(block.path) + sum(len(line.text) + 16 for line in block.lines)
        if room < 0 and held:
            break
        held.append(block)
    return tuple(held)


async def _ask(inquiry: Inquiry, blocks: tuple[Block, ...], asking: Asking) -> Draft:
    retries = inquiry.schema_retry_attempts if inquiry.retry_on_schema_fail else 0
    made = Draft(offered=len(blocks))
    feedback: tuple[str, ...] = ()
    for attempt in range(retries + 1):
        said = await asking.inspector.inspect(
            _make_request(inquiry, blocks, asking, feedback)
        )
        if _is_unanswered(said):
            made.failure = said.prompt.failure
            made.attempts.append(Attempt(text="", prompt=said.prompt))
            return made
        judged = _judge(said.text, inquiry, blocks, asking)
        made.attempts.append(
            Attempt(text=said.text, problems=judged.problems, prompt=said.prompt)
        )
        told = {"question": inquiry.id, "attempt": attempt}
        if not judged.problems:
            asking.log("question.chat.schema_retry.satisfied", told)
            made.decided, made.fields = judged.decided, judged.fields
            return made
        reasons = ", ".join(dict.fromkeys(p.rule for p in judged.problems))
        asking.log("question.chat.schema_retry.rejected", {**told, "rules": reasons})
        feedback = tuple(problem.explanation for problem in judged.problems)
    asking.log("question.chat.schema_retry.exhausted", {"question": inquiry.id})
    return made


def _make_request(
    inquiry: Inquiry,
    blocks: tuple[Block, ...],
    asking: Asking,
    feedback: tuple[str, ...],
) -> Request:
    none = INSUFFICIENT if asking.analyse_only else NOT_FOUND
    head = f"{VERDICT}={'|'.join((*inquiry.verdicts, none))}\n{CITATIONS}=path:line"
    return Request(
        question=inquiry.question,
        blocks=blocks,
        verdicts=(*inquiry.verdicts, none),
        schema_text=inquiry.response_schema or head,
        analyse_only=asking.analyse_only,
        feedback=feedback,
    )


def _is_unanswered(said: Drafted) -> bool:
    return said.prompt.failure not in (None, Failure.UNREADABLE)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A draft with its problems, and with its decision where it has none."""

    problems: tuple[Problem, ...]
    decided: Decided
    fields: tuple[tuple[str, str], ...]


def _judge(
    text: str, inquiry: Inquiry, blocks: tuple[Block, ...], asking: Asking
) -> _Judged:
    names = frozenset(line.name for line in inquiry.schema_lines)
    reply = parse_reply(text, names)
    found = list_problems(reply, inquiry, blocks, analyse_only=asking.analyse_only)
    decided = Decided(
        verdict=reply.verdict or NOT_FOUND,
        shown=() if found else _cut_cited(reply, blocks),
        gaps=find_gaps(reply, inquiry),
    )
    found = found or asking.check(decided)
    return _Judged(found, decided, _keep_closed_lines(reply, inquiry))


def _keep_closed_lines(reply: Reply, inquiry: Inquiry) -> tuple[tuple[str, str], ...]:
    """Return the lines whose values are of a fixed set: only these are shown."""
    return tuple(
        (line.name, reply.lines[line.name])
        for line in inquiry.schema_lines
        if line.values and line.name != VERDICT and line.name in reply.lines
    )


def _cut_cited(reply: Reply, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the cited places, each once."""
    return tuple(dict.fromkeys(_cut_block(each, blocks) for each in find_places(reply)))


def _cut_block(cited: Place, blocks: tuple[Block, ...]) -> Block:
    """Return a cited place with the lines of it that the evidence holds."""
    held = next(block for block in blocks if cited.within(block.place))
    inside = tuple(
        line for line in held.lines if cited.first <= line.number <= cited.last
    )
    return held.model_copy(
        update={
            "first": cited.first,
            "last": cited.last,
            "lines": inside or held.lines,
        }
    )
