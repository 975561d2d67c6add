"""Ask cases and make rows: bounded, each failure within its own case, and resumable.

Imports the standard library alone, so that a thousand cases cost what their answers
cost.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from evals.forms import Case, Json, Row, Source

Work = TypeVar("Work")
LIMIT_S = 600.0  # of one case; how long a question may take is the pack's to say


@dataclass(frozen=True, slots=True)
class Item:
    """A case to be asked once; `key` is the content address of the request."""

    case: Case
    repeat: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to an item: the row, its documents, and what it took.

    `took` is a line of timings.jsonl without case and repeat.
    """

    row: Row
    sources: tuple[Source, ...] = ()
    took: Json = field(default_factory=dict)


Ask = Callable[[Item], Awaitable[Answered]]


async def run(
    items: Sequence[Item],
    ask: Ask,
    *,
    concurrency: int = 1,
    limit: float = LIMIT_S,
    done: Callable[[Answered], None] = lambda answered: None,
) -> list[Answered]:
    """Ask every item; one that fails, or takes too long, becomes a row with an error.

    Args:
        items: in the order in which they are begun.
        ask: asks one; what it raises becomes its row's error.
        concurrency: how many are asked at the same time.
        limit: seconds that one may take.
        done: called with each as it comes; what it raises ends the run.

    Returns:
        One for each item, in their order.

    Raises:
        ValueError: there is nothing to ask, an item comes twice, or none may be asked.
    """
    if not items:
        raise ValueError("there is no case to ask")
    if len({(item.case.id, item.repeat) for item in items}) < len(items):
        raise ValueError("a case comes twice with the same repeat")
    if concurrency < 1:
        raise ValueError("at least one case has to be asked at a time")
    found: dict[int, Answered] = {}

    async def one(place: tuple[int, Item]) -> None:
        at, item = place
        found[at] = await _ask_bounded(item, ask, limit)
        done(found[at])

    await work_through(enumerate(items), one, concurrency)
    return [found[at] for at in range(len(items))]


async def work_through(
    items: Iterable[Work], work: Callable[[Work], Awaitable[None]], at_once: int
) -> None:
    """Work through items in their order, `at_once` at the same time.

    The error of the first that fails is raised as it is, and the others are cancelled.
    """
    left = iter(items)

    async def one_by_one() -> None:
        for item in left:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(one_by_one())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors


async def _ask_bounded(item: Item, ask: Ask, limit: float) -> Answered:
    """Ask one item; whatever the case does ends as its row, here and nowhere else."""
    try:
        async with asyncio.timeout(limit):
            answered = await ask(item)
    except TimeoutError as error:
        return make_failed(item, f"not done after {limit:g} s: {error}".rstrip(": "))
    except Exception as error:  # a crash is a row that counts, never a gap
        return make_failed(item, f"{type(error).__name__}: {error}")
    if (answered.row.case, answered.row.repeat) != (item.case.id, item.repeat):
        return make_failed(item, f"its row is that of {answered.row.case}")
    return answered


def make_failed(item: Item, why: str) -> Answered:
    """Make the row of an item that could not be asked."""
    row = Row(case=item.case.id, repeat=item.repeat, key=item.key, error=why)
    return Answered(row)


def repeat_cases(cases: Iterable[Case], repeats: int) -> Iterator[Item]:
    """Yield every case as often as it is to be asked."""
    for repeat in range(repeats):
        for case in cases:
            yield Item(case, repeat)
