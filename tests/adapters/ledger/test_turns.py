"""Who of one process writes next."""

import asyncio

import pytest

from adapters.ledger.transactions import MOST_IN_A_ROW, Turns
from engine.model.errors import LedgerBusy


class _Line:
    """Takes turns by name; `order` is who had one."""

    def __init__(self, places: int = 1) -> None:
        self.turns = Turns(places)
        self.order: list[str] = []
        self.go = asyncio.Event()

    async def stand(self, name: str, *, urgent: bool = False) -> None:
        async with self.turns.turn(urgent=urgent):
            self.order.append(name)
            await self.go.wait()


async def _moment() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_urgent_go_first_and_the_others_in_their_order_R_C3() -> None:
    """What waits already is overtaken; what has its turn is not."""
    line = _Line()
    async with asyncio.TaskGroup() as group:
        for name in ("first", "second", "third"):
            group.create_task(line.stand(name))
        await _moment()
        group.create_task(line.stand("event", urgent=True))
        await _moment()
        assert line.order == ["first"]
        line.go.set()
    assert line.order == ["first", "event", "second", "third"]


async def test_events_without_a_pause_keep_nobody_waiting_for_ever_R_C3() -> None:
    """What was answered is shown also while events come in all the time."""
    line = _Line()
    async with asyncio.TaskGroup() as group:
        group.create_task(line.stand("first"))
        await _moment()
        for name in ("reply", "claim"):
            group.create_task(line.stand(name))
        for number in range(3 * MOST_IN_A_ROW):
            group.create_task(line.stand(f"event {number}", urgent=True))
        await _moment()
        line.go.set()
    assert line.order.index("reply") == 1 + MOST_IN_A_ROW
    assert line.order.index("claim") == 2 + 2 * MOST_IN_A_ROW
    events = [name for name in line.order if name.startswith("event")]
    assert events == [f"event {number}" for number in range(3 * MOST_IN_A_ROW)]


async def test_one_place_of_several_is_kept_for_the_urgent_R_C3() -> None:
    """Whoever waits for a database within their turn keeps no event from it."""
    line = _Line(places=3)
    for _ in range(2):
        line.go.clear()
        line.order.clear()
        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(line.stand(name))
            await _moment()
            assert line.order == ["a", "b"]
            group.create_task(line.stand("event", urgent=True))
            await _moment()
            assert line.order == ["a", "b", "event"]
            line.go.set()
        assert line.order == ["a", "b", "event", "c"]


async def test_who_gave_up_takes_nobodys_turn() -> None:
    """Cancelled while waiting, or in the moment in which the turn came."""
    line = _Line()
    first = asyncio.create_task(line.stand("first"))
    gone = asyncio.create_task(line.stand("gone"))
    late = asyncio.create_task(line.stand("late"))
    last = asyncio.create_task(line.stand("last"))
    await _moment()
    gone.cancel()
    line.go.set()
    await first
    late.cancel()
    await last
    assert "gone" not in line.order
    async with line.turns.turn(urgent=False):
        pass


async def test_a_turn_that_never_comes_is_a_busy_ledger_R_I10(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody waits for ever; whoever comes later has a turn again."""
    monkeypatch.setattr("adapters.ledger.transactions.PATIENCE_S", 0.01)
    turns = Turns(1)
    async with turns.turn(urgent=False):
        with pytest.raises(LedgerBusy):
            async with turns.turn(urgent=True):
                pass
    monkeypatch.undo()
    async with turns.turn(urgent=False):
        pass


async def test_a_failure_gives_the_turn_back() -> None:
    """The error is the caller's own."""
    turns = Turns(1)
    with pytest.raises(ZeroDivisionError):
        async with turns.turn(urgent=False):
            raise ZeroDivisionError
    async with turns.turn(urgent=False):
        pass


def test_event_loops_of_several_threads_take_turns() -> None:
    """A pack is taken in beside the loop that serves; nothing is counted wrong."""
    turns = Turns(1)
    inside, most, had = 0, 0, 0

    async def stand() -> None:
        nonlocal inside, most, had
        for _ in range(100):
            async with turns.turn(urgent=False):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1
                had += 1

    async def both() -> None:
        others = [asyncio.to_thread(asyncio.run, stand()) for _ in range(2)]
        await asyncio.gather(stand(), stand(), *others)

    asyncio.run(both())
    assert (most, had) == (1, 400)
