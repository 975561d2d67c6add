"""Cases to rows: bounded, one case's failure never another's, a cut-off run goes on.

Standard library alone, so that a thousand cases cost what their answers cost.
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
    """What asking brought: the row, its documents, and what it took.

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
        done: told of each as it comes; what it raises ends the run.

    Returns:
        One for each item, in their order.

    Raises:
        ValueError: there is nothing to ask, an item stands twice, or nobody may ask.
    """
    if not items:
        raise ValueError("there is no case to ask")
    if len({(item.case.id, item.repeat) for item in items}) < len(items):
        raise ValueError("a case stands twice with the same repeat")
    if concurrency < 1:
        raise ValueError("at least one case has to be asked at a time")
    found: dict[int, Answered] = {}

    async def one(place: tuple[int, Item]) -> None:
        at, item = place
        found[at] = await _boundary(item, ask, limit)
        done(found[at])

    await through(enumerate(items), one, concurrency)
    return [found[at] for at in range(len(items))]


async def through(
    items: Iterable[Work], work: Callable[[Work], Awaitable[None]], at_once: int
) -> None:
    """Work through items, so many at the same time, begun in their order.

    What the first that fails raises is raised as it is, and the others are cancelled.
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


async def _boundary(item: Item, ask: Ask, limit: float) -> Answered:
    """The one place of evaluations where whatever a case does ends as its row."""
    try:
        async with asyncio.timeout(limit):
            answered = await ask(item)
    except TimeoutError as error:
        return failed(item, f"not done after {limit:g} s: {error}".rstrip(": "))
    except Exception as error:  # R-E2: a crash is a row that counts, never a gap
        return failed(item, f"{type(error).__name__}: {error}")
    if (answered.row.case, answered.row.repeat) != (item.case.id, item.repeat):
        return failed(item, f"its row is that of {answered.row.case}")
    return answered


def failed(item: Item, why: str) -> Answered:
    """An item that could not be asked, as a row."""
    row = Row(case=item.case.id, repeat=item.repeat, key=item.key, error=why)
    return Answered(row)


def repeated(cases: Iterable[Case], repeats: int) -> Iterator[Item]:
    """Every case as often as it is to be asked."""
    for repeat in range(repeats):
        for case in cases:
            yield Item(case, repeat)
