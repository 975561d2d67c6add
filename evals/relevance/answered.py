"""Ask labelled questions as a person would, a tap included, and say what came."""

from collections.abc import AsyncIterator, Iterator, Sequence
from enum import StrEnum

from bot.assistant import Asked, Assistant, find_fault, take_choice
from bot.wiring import Application
from engine.model.answer import Answer
from engine.model.errors import EnvironmentFailed
from engine.model.frozen import Frozen
from engine.model.outcome import Outcome, Refusal
from engine.policy.pack import Pack
from evals.relevance.collect import keep_letters
from evals.relevance.collections import Collection
from evals.relevance.own import Kind, Line

KINDS: tuple[Kind, ...] = ("plain", "everyday", "paraphrased", "near_miss")
ALL = "all"


class Verdict(StrEnum):
    """What came of a question, as columns of the table.

    `RIGHT` is an answer that shows the labelled words, `TAP` a refusal one of whose
    choices shows them, `WRONG` an answer without them. A question that no document
    answers is `ANSWERED` or `REFUSED`.
    """

    RIGHT = "right"
    TAP = "by a tap"
    WRONG = "wrong"
    REFUSED = "refused"
    ANSWERED = "answered"


class Row(Frozen):
    """One question with its label, and what came of it; `shown` by which tap."""

    collection: str
    kind: Kind
    question: str
    page: str | None
    quote: str | None
    verdict: Verdict
    reason: str | None
    tap: int | None
    shown: str


async def ask_all(
    application: Application, pack: Pack, collection: Collection
) -> AsyncIterator[Row]:
    """Ask every question of a collection, in order.

    Raises:
        EnvironmentFailed: one could not be asked.
    """
    assistant = Assistant(application, frozenset())
    for line in collection.questions:
        outcome = await _ask(assistant, pack, Asked(text=line.question))
        tap, shown = None, _show(outcome)
        if not outcome.answered and line.quote:
            tap, shown = await _tap(assistant, pack, outcome, line.quote)
        result = outcome.result
        yield Row(
            collection=collection.name,
            kind=line.kind or "near_miss",
            question=line.question,
            page=line.page,
            quote=line.quote,
            verdict=_judge(line, outcome, tap),
            reason=str(result.reason) if isinstance(result, Refusal) else None,
            tap=tap,
            shown=shown,
        )


async def _ask(assistant: Assistant, pack: Pack, asked: Asked) -> Outcome:
    outcome = await assistant.ask(pack, asked)
    fault = find_fault(outcome)
    if fault is not None:
        raise EnvironmentFailed(f"{asked.text}: {fault.reason}, {fault.explanation}")
    return outcome


async def _tap(
    assistant: Assistant, pack: Pack, refused: Outcome, quote: str
) -> tuple[int | None, str]:
    """Take each choice of a refusal; return the first that shows a quote, and what
    that shows."""
    for number in range(1, len(refused.choices) + 1):
        taken = take_choice(refused, number)
        if taken is not None:
            shown = _show(await _ask(assistant, pack, taken))
            if is_shown(quote, shown):
                return number, shown
    return None, ""


def _judge(line: Line, outcome: Outcome, tap: int | None) -> Verdict:
    if not outcome.answered:
        return Verdict.REFUSED if tap is None else Verdict.TAP
    if line.quote is None:
        return Verdict.ANSWERED
    return Verdict.RIGHT if is_shown(line.quote, _show(outcome)) else Verdict.WRONG


def _show(outcome: Outcome) -> str:
    """Return the sentences of an answer, those behind "Show more" too."""
    if not isinstance(outcome.result, Answer):
        return ""
    sections = outcome.result.sections
    return " ".join(claim.text for section in sections for claim in section.claims)


def is_shown(quote: str, shown: str) -> bool:
    """Tell whether letters and digits of a quote are shown, whatever their layout.

    A row of a table is shown with other marks than its file has.
    """
    return keep_letters(quote) in keep_letters(shown)


def write_table(rows: Sequence[Row]) -> Iterator[str]:
    """Tabulate what came, by collection and kind, and of all."""
    heads = "".join(f"{verdict:>10}" for verdict in Verdict)
    yield f"{'collection':20}{'kind':13}{'asked':>6}{heads}"
    names = [*dict.fromkeys(row.collection for row in rows), ALL]
    for name in names:
        some = [row for row in rows if name in {row.collection, ALL}]
        for kind in KINDS:
            yield _count(name, kind, [row for row in some if row.kind == kind])
        labelled = [row for row in some if row.quote is not None]
        yield _count(name, "with answer", labelled)


def _count(name: str, kind: str, rows: Sequence[Row]) -> str:
    counts = "".join(f"{sum(r.verdict is c for r in rows):10}" for c in Verdict)
    return f"{name:20}{kind:13}{len(rows):6}{counts}"
