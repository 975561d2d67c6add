"""Whether a judge finds each claim carried by what it cites: advice until proven.

The same prompt is put to the labels and to the rows, so that what the labels show of
the judge holds for the rows. Imported only where a judged metric was asked for.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pydantic import BaseModel

from evals.advice.judges import (
    Counts,
    Estimate,
    Label,
    Permit,
    compared,
    corrected,
    permit,
)
from evals.advice.ragas_bridge import Asks
from evals.forms import Result, Row, Score, Source, Weight
from evals.metrics.metric import Finding, abstained, not_asked, scored
from evals.score import STUMBLES
from evals.served.reading import claims, passages

NAME = "judged_support"
AT_ONCE = 8
_TASK = """Decide whether passages carry a statement.

They carry it where somebody who knows the passages alone would say: this is what they
say. They do not where a figure, a unit, a negation, a condition or a person is another,
or where the statement says more than they do.

Reply with JSON alone: {"why": "one sentence", "carried": true or false}
"""


class Verdict(BaseModel):
    """What a judge says of a statement; the reason first, so that it is one."""

    why: str
    carried: bool


@dataclass(frozen=True, slots=True)
class Believed:
    """What a judged rate is worth.

    Attributes:
        judged_good, judged: claims that the judge called carried, of all it judged.
        counts: its verdicts on the sealed labels.
        rate: the corrected share of carried claims; None where nothing can be said.
        permit: whether it may gate.
        weight: "gate" where it may, else "advice".
    """

    judged_good: int
    judged: int
    counts: Counts
    rate: Estimate | None
    permit: Permit
    weight: Weight


def prompt(claim: str, texts: Sequence[str]) -> str:
    """What the judge is sent."""
    listed = "\n\n".join(f"Passage {n}:\n{text}" for n, text in enumerate(texts, 1))
    return f"{_TASK}\n{listed}\n\nStatement:\n{claim}\n"


def version() -> str:
    """SHA-256 of the task: labels speak of the judge under this one alone."""
    return sha256(_TASK.encode()).hexdigest()


async def assessed(asks: Asks, labels: Iterable[Label]) -> dict[str, bool | None]:
    """The judge's verdicts on labels, by id; None where it gave none."""
    own = [label for label in labels if label.metric == NAME]
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(label: Label) -> bool | None:
        async with turns:
            try:
                return (await _verdict(asks, label.claim, label.passages)).carried
            except STUMBLES:
                return None

    async with asyncio.TaskGroup() as group:
        tasks = {label.id: group.create_task(one(label)) for label in own}
    return {name: task.result() for name, task in tasks.items()}


async def judge(
    asks: Asks, rows: Iterable[Row], sources: Mapping[str, Source]
) -> list[Score]:
    """Score rows: as many scores as rows.

    A row for which one verdict is missing is an ERROR.
    """
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(row: Row) -> Score:
        async with turns:
            return scored(NAME, row, await _found(asks, row, sources))

    held = list(rows)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(row)) for row in held]
    return sorted((t.result() for t in tasks), key=lambda s: (s.case, s.repeat))


def believed(
    scores: Iterable[Score],
    labels: Sequence[Label],
    verdicts: Mapping[str, bool | None],
) -> Believed:
    """What the judge's rate over claims is worth, by its verdicts on the labels."""
    own = [label for label in labels if label.metric == NAME]
    marks = [mark for s in scores if s.metric == NAME for mark in s.marks]
    good = sum(bool(mark["carried"]) for mark in marks)
    counts, allowed = compared(own, verdicts), permit(own, verdicts)
    known = bool(marks and counts.good and counts.bad)
    return Believed(
        judged_good=good,
        judged=len(marks),
        counts=counts,
        rate=corrected(good, len(marks), counts) if known else None,
        permit=allowed,
        weight="gate" if allowed.granted else "advice",
    )


async def _verdict(asks: Asks, claim: str, texts: Sequence[str]) -> Verdict:
    found = await asks.ask(prompt(claim, texts), Verdict)
    if not isinstance(found, Verdict):
        raise TypeError(f"{asks.name} gave no verdict")
    return found


async def _found(asks: Asks, row: Row, sources: Mapping[str, Source]) -> Finding:
    if row.record is None:
        return Finding(result=Result.ERROR, why=row.error or "the row has no record")
    if row.refused:
        return abstained()
    marks = []
    try:
        for claim in claims(row):
            texts = [text for _, text in passages(claim, row, sources)]
            said = await _verdict(asks, claim.text, texts) if texts else None
            marks.append(
                {
                    "claim": claim.text[:80],
                    "carried": said is not None and said.carried,
                    "why": said.why if said else "cites nothing",
                }
            )
    except STUMBLES as error:
        return Finding(result=Result.ERROR, why=f"{type(error).__name__}: {error}")
    if not marks:
        return not_asked("the answer claims nothing")
    wrong = [mark for mark in marks if not mark["carried"]]
    return Finding(
        result=Result.FAIL if wrong else Result.PASS,
        value=1 - len(wrong) / len(marks),
        why="; ".join(f"“{m['claim']}” {m['why']}" for m in wrong) or "all carried",
        marks=tuple(marks),
    )
