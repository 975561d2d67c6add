"""Running cases: bounded, in order, and a crash is a row that counts."""

import asyncio

import pytest

from evals.forms import Case, Expected, Row
from evals.record.runner import Answered, Item, repeat_cases, run, work_through


def items(number: int) -> list[Item]:
    """So many cases, each to be asked once."""
    expected = Expected(outcome="answer")
    made = (Case(id=f"c{n:03}", question="?", expected=expected) for n in range(number))
    return list(repeat_cases(made, 1))


def row(item: Item) -> Answered:
    """A row that says nothing."""
    return Answered(Row(case=item.case.id, repeat=item.repeat, key=item.key))


class CaseAsker:
    """Answers when it is told to, and counts who waits."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.waiting = self.most = 0

    async def ask(self, item: Item) -> Answered:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        if self.waiting == 3:
            self.open.set()
        await self.open.wait()
        self.waiting -= 1
        return row(item)


async def test_four_crashes_of_a_hundred_are_four_error_rows_R_E2() -> None:
    """A case that crashes stays in the denominator, and takes no other with it."""

    async def ask(item: Item) -> Answered:
        if item.case.id in ("c003", "c030", "c060", "c090"):
            raise RuntimeError("crashed")
        return row(item)

    found = await run(items(100), ask, concurrency=7)
    assert [each.row.case for each in found] == [i.case.id for i in items(100)]
    errors = [each.row for each in found if each.row.error is not None]
    assert [each.case for each in errors] == ["c003", "c030", "c060", "c090"]
    assert {each.error for each in errors} == {"RuntimeError: crashed"}
    assert not any(each.answered or each.refused for each in errors)


async def test_only_so_many_are_asked_at_the_same_time() -> None:
    """A provider is never asked more than the plan allows."""
    desk = CaseAsker()
    await run(items(10), desk.ask, concurrency=3)
    assert desk.most == 3


async def test_a_case_that_never_ends_is_an_error_R_E2() -> None:
    """The limit of one case ends it, and the next one is asked."""

    async def ask(item: Item) -> Answered:
        if item.case.id == "c000":
            await asyncio.Event().wait()
        return row(item)

    first, second = await run(items(2), ask, limit=0.01)
    assert first.row.error == "not done after 0.01 s"
    assert second.row.error is None


async def test_a_row_of_another_case_is_an_error() -> None:
    """What answers for the wrong case has not answered."""

    async def ask(item: Item) -> Answered:
        return Answered(Row(case="other"))

    (found,) = await run(items(1), ask)
    assert found.row.case == "c000"
    assert found.row.error == "its row is that of other"


async def test_nothing_to_ask_is_refused() -> None:
    """An empty run, a case twice, or nobody to ask: never a run that passes."""

    async def ask(item: Item) -> Answered:
        return row(item)

    with pytest.raises(ValueError, match="no case"):
        await run([], ask)
    with pytest.raises(ValueError, match="twice"):
        await run([*items(1), *items(1)], ask)
    with pytest.raises(ValueError, match="at a time"):
        await run(items(1), ask, concurrency=0)


async def test_what_cannot_be_kept_ends_the_run() -> None:
    """A full disk is raised as it is, and no further case is begun."""
    asked = []

    async def ask(item: Item) -> Answered:
        asked.append(item)
        return row(item)

    def done(answered: Answered) -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        await run(items(5), ask, done=done)
    assert len(asked) == 1


async def test_a_run_that_is_cancelled_is_no_row() -> None:
    """Who stops a run gets no rows that say that cases failed."""
    told: list[Answered] = []
    begun = asyncio.Event()

    async def ask(item: Item) -> Answered:
        begun.set()
        await asyncio.Event().wait()
        return row(item)

    task = asyncio.create_task(run(items(2), ask, concurrency=2, done=told.append))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == []


async def test_work_is_begun_in_order() -> None:
    """Items are taken one after the other, whoever works."""
    begun = []

    async def work(number: int) -> None:
        begun.append(number)

    await work_through(range(6), work, 2)
    assert begun == list(range(6))


def test_repeats_are_items_of_their_own() -> None:
    """Every repeat has its own place in the record, and its own address."""
    (case,) = (item.case for item in items(1))
    assert [(i.case.id, i.repeat) for i in repeat_cases([case], 2)] == [
        ("c000", 0),
        ("c000", 1),
    ]
