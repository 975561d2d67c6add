"""A Weaviate server that is gone, slow or full: an error in time, later an answer."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from pathlib import Path

import pytest
import weaviate as client

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server, Unreachable
from adapters.index.weaviate_shelf import Names
from engine.model.errors import IndexAway
from engine.model.question import Scope
from tests.adapters.index.on_server import (
    IDENTITY,
    Open,
    index,
    keys_of,
    make,
    open_ledger,
)
from tests.contracts.index_entries import PACK, entries, find, texts
from tests.loopback.faults import FaultProxy, Mode
from tests.weaviate_server import LocalServer

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

DEADLINE = 1.0
WRITE = 3 * DEADLINE  # which is tried again
SPARE = 1.0  # for a busy machine


@dataclass(frozen=True)
class Spoiled:
    """An index whose connections to the server go through two proxies."""

    index: WeaviateIndex
    rest: FaultProxy
    calls: FaultProxy

    def spoil(self, mode: Mode, *, rest: bool = True, calls: bool = True) -> None:
        """Let connections go wrong from now on, also those that stand."""
        for proxy, wanted in ((self.rest, rest), (self.calls, calls)):
            if wanted:
                proxy.mode = mode
                proxy.freeze() if mode is Mode.HALF_OPEN else proxy.reset()

    def heal(self) -> None:
        """The server is reachable again."""
        for proxy in (self.rest, self.calls):
            proxy.mode = Mode.PASS
            proxy.reset()


@pytest.fixture
async def spoiled(
    make: Open, index: WeaviateIndex, weaviate_url: str, weaviate_grpc: int
) -> AsyncIterator[Spoiled]:
    """One document that an index behind proxies has found once."""
    await index.put(PACK, "a", entries("a", "fatigue", "rash"))
    async with (
        FaultProxy(int(weaviate_url.rpartition(":")[2])) as rest,
        FaultProxy(weaviate_grpc) as calls,
    ):
        behind = make(deadline=DEADLINE, rest=rest.port, calls=calls.port)
        assert await find(behind, "fatigue")
        yield Spoiled(behind, rest, calls)
        await behind.close()


async def fails_in_time(asked: Awaitable[object], seconds: float = DEADLINE) -> None:
    """An error that says what to do, and no later than the deadline."""
    started = time.monotonic()
    with pytest.raises(Unreachable, match=r"WEAVIATE_URL|overloaded"):
        await asked
    assert time.monotonic() - started < seconds + SPARE


@pytest.mark.parametrize("mode", [Mode.RESET, Mode.HALF_OPEN])
async def test_a_dead_server_costs_no_more_than_the_deadline(
    spoiled: Spoiled, mode: Mode
):
    """Nothing is ever taken for "nothing found", and the server is used again."""
    spoiled.spoil(mode)
    for _ in range(2):
        await fails_in_time(find(spoiled.index, "fatigue"))
    await fails_in_time(spoiled.index.fetch_tokens(PACK, ["a:v1:0"]))
    await fails_in_time(spoiled.index.put(PACK, "b", entries("b", "fatigue")), WRITE)
    spoiled.heal()
    assert texts(await find(spoiled.index, "fatigue")) == {"fatigue", "rash"}


@pytest.mark.parametrize("mode", [Mode.RESET, Mode.HALF_OPEN])
async def test_a_dead_grpc_port_costs_no_more_than_the_deadline(
    spoiled: Spoiled, mode: Mode
):
    """The client alone would try for a minute."""
    spoiled.spoil(mode, rest=False)
    await fails_in_time(find(spoiled.index, "fatigue"))
    await asyncio.gather(
        *(fails_in_time(find(spoiled.index, "fatigue")) for _ in range(8))
    )
    spoiled.heal()
    assert await find(spoiled.index, "fatigue")


async def test_a_dead_rest_port_stops_no_search_that_is_connected(spoiled: Spoiled):
    """Searches go by gRPC; writing needs both."""
    spoiled.spoil(Mode.RESET, calls=False)
    assert await find(spoiled.index, "fatigue")
    put = entries("a", "fatigue two", version="v2")
    await fails_in_time(spoiled.index.put(PACK, "a", put), WRITE)
    spoiled.heal()
    await spoiled.index.put(PACK, "a", put)
    assert texts(await find(spoiled.index, "fatigue")) == {"fatigue two"}


async def test_a_slow_server_fails_in_time(spoiled: Spoiled):
    """A trickle of bytes is no answer."""
    spoiled.rest.rate = spoiled.calls.rate = 50
    spoiled.spoil(Mode.SLOW)
    await fails_in_time(find(spoiled.index, "fatigue"))


async def test_all_calls_of_one_answer_end_together_in_time(
    spoiled: Spoiled, make: Open
):
    """Each within its own deadline, they took a process that had just started 17 s."""
    spoiled.rest.delay = spoiled.calls.delay = 0.3 * DEADLINE
    spoiled.spoil(Mode.DELAY)
    chunk = entries("a", "fatigue")[0].chunk
    for ask in (
        lambda cold: find(cold, "fatigue"),
        lambda cold: cold.statistics(Scope(pack=PACK, tenant="team-1")),
        lambda cold: cold.fetch_tokens(PACK, ["a:v1:0"], "team-1"),
        lambda cold: cold.neighbours(PACK, chunk, 1, "team-1"),
        lambda cold: cold.versions(PACK),
    ):
        ports = {"rest": spoiled.rest.port, "calls": spoiled.calls.port}
        await fails_in_time(ask(make(deadline=DEADLINE, **ports)))


async def test_a_wrong_grpc_port_fails_in_time(
    make: Open, index: WeaviateIndex, weaviate_url: str
):
    """That of REST, for instance."""
    await index.put(PACK, "a", entries("a", "fatigue"))
    wrong = make(deadline=DEADLINE, calls=1)
    await fails_in_time(find(wrong, "fatigue"))


async def test_a_read_only_server_answers_and_takes_no_writes(
    make: Open, index: WeaviateIndex, weaviate_url: str, weaviate_grpc: int
):
    """As it becomes when disk or memory is nearly full; the error says so."""
    await index.put(PACK, "a", entries("a", "fatigue"))
    await _set_all(weaviate_url, weaviate_grpc, "READONLY")
    for writer in (index, make()):
        with pytest.raises(IndexAway, match="make room"):
            await writer.put(PACK, "a", entries("a", "rash", version="v2"))
    assert texts(await find(index, "fatigue")) == {"fatigue"}
    await _set_all(weaviate_url, weaviate_grpc, "READY")
    await index.put(PACK, "a", entries("a", "rash", version="v2"))
    assert texts(await find(index, "rash")) == {"rash"}


async def _set_all(url: str, grpc: int, status: str) -> None:
    """Let every shard take writes, or none."""
    async with client.use_async_with_local(
        port=int(url.rpartition(":")[2]), grpc_port=grpc, skip_init_checks=True
    ) as connected:
        for name in await connected.collections.list_all():
            if name.startswith("GroundruleTest"):
                shards = connected.collections.use(name).config
                await shards.update_shards(status)


async def test_a_server_without_memory_answers_and_takes_no_writes(
    tmp_path: Path, weaviate_program: Path
):
    """A refusal that says what is lacking; what was there is still found."""
    names, ledger = Names("memory", IDENTITY), open_ledger(tmp_path)
    server = LocalServer(tmp_path, weaviate_program)
    server.start()
    address = Server(server.url, str(server.ports.grpc), patience=WRITE)
    index = WeaviateIndex(address, names, keys_of(ledger))
    try:
        await index.put(PACK, "a", entries("a", "fatigue"))
        server.stop()
        server.start(GOMEMLIMIT="20MiB")
        with pytest.raises(IndexAway, match="out of memory"):
            await index.put(PACK, "b", entries("b", "rash"))
        assert texts(await find(index, "fatigue")) == {"fatigue"}
    finally:
        await index.close()
        await ledger.close()
        server.kill()
