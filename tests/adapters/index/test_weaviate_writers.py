"""Several writers of one Weaviate index: what is acknowledged is found afterwards."""

import asyncio
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_shelf import list_collections
from engine.model.errors import LedgerBusy
from tests.adapters.index.on_server import Open, index, make
from tests.adapters.index.weaviate_busy_writer import COMMON, pages
from tests.contracts.index_entries import PACK, entries, find, texts

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

ROUNDS = 60
STOPS = 3
PATIENCE_S = 60.0  # more than a stopped writer is waited for


class Started:
    """Processes that write to the index of a test; none outlives it."""

    def __init__(self, root: Path, place: Sequence[str]) -> None:
        self._root = root
        self._place = place
        self.running: list[subprocess.Popen[str]] = []

    def one(self, name: str, rounds: int = ROUNDS) -> subprocess.Popen[str]:
        """Start one more."""
        module = "tests.adapters.index.weaviate_busy_writer"
        child = subprocess.Popen(
            [sys.executable, "-m", module, *self._place, name, str(rounds)],
            cwd=self._root,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.running.append(child)
        return child


@pytest.fixture
def start(
    root: Path, make: Open, weaviate_url: str, weaviate_grpc: int, tmp_path: Path
):
    """Starts processes that write to the index of the test."""
    installation = make()._shelf.names.installation
    place = (weaviate_url, str(weaviate_grpc), installation, str(tmp_path))
    started = Started(root, place)
    yield started
    for child in started.running:
        with child:  # which closes its pipe at the end
            child.kill()


def told(lines: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Document -> the version acknowledged last, and what was refused."""
    words = [line.strip().split(maxsplit=2) for line in lines]
    stored = {document: what for how, document, what in words if how == "stored"}
    return stored, [what for how, _, what in words if how == "refused"]


def number_of(version: str) -> int:
    """The round that it was put in."""
    return int(version.rpartition(".")[2])


async def assert_found(reader: WeaviateIndex, stored: dict[str, str]) -> None:
    """Every document whole in the version acknowledged last."""
    held = await reader.versions(PACK)
    assert {document: held.get(document) for document in stored} == stored
    wanted = {text for item in stored.items() for text in pages(*item)}
    assert texts(await find(reader, "fatigue", limit=1_000)) >= wanted


async def test_two_processes_that_put_at_once_lose_nothing_R_R1(
    make: Open, index: WeaviateIndex, start: Started
):
    """One waits for the other; what could not be stored says so."""
    children = [start.one(name) for name in ("left", "right")]
    ended = await asyncio.gather(
        *(asyncio.to_thread(child.communicate) for child in children)
    )
    assert [child.returncode for child in children] == [0, 0]
    stored, common = {}, set()
    for out, _ in ended:
        mine, refused = told(out.splitlines())
        assert refused == []
        assert len(mine) == 6
        common.add(mine.pop(COMMON))
        stored |= mine
    reader = make()
    last = (await reader.versions(PACK))[COMMON]
    assert last in common
    await assert_found(reader, stored | {COMMON: last})
    assert reader.refused == 0
    assert await reader.doubts() is None


async def test_of_two_first_writers_one_makes_the_index(make: Open, start: Started):
    """The other puts into the same, or says that it did not."""
    children = [start.one(name, rounds=6) for name in ("left", "right")]
    ended = await asyncio.gather(
        *(asyncio.to_thread(child.communicate) for child in children)
    )
    stored = {}
    for out, _ in ended:
        stored |= told(out.splitlines())[0]
    stored.pop(COMMON)
    assert stored
    reader = make()
    await assert_found(reader, stored)
    assert len(await list_collections(reader._calls, reader._shelf.names)) == 1


async def test_a_writer_that_stood_still_loses_nothing_of_another(
    make: Open, start: Started
):
    """Stopped at any moment, then let go on, and killed in the end."""
    writer, chance = make(deadline=PATIENCE_S), random.Random(8)
    child = start.one("child", rounds=10_000)
    lines = [await asyncio.to_thread(child.stdout.readline)]
    mine = {}
    for number in range(STOPS):
        await asyncio.sleep(chance.uniform(0, 0.1))
        child.send_signal(signal.SIGSTOP)
        document, version = f"mine-{number}", "v1"
        put = entries(document, *pages(document, version), version=version)
        goes_on = signal.SIGCONT if number < STOPS - 1 else signal.SIGKILL
        try:
            await writer.put(PACK, document, put)
        except LedgerBusy:  # it stopped inside a transaction of the ledger
            child.send_signal(goes_on)
            await writer.put(PACK, document, put)
        mine[document] = version
        child.send_signal(goes_on)
    lines += (await asyncio.to_thread(child.communicate))[0].splitlines()
    stored, _ = told([line for line in lines if len(line.split()) > 2])
    await assert_found(make(), mine)
    await writer.put(PACK, "last", entries("last", *pages("last", "v1")))
    held = await make().versions(PACK)
    for document, version in stored.items():  # it may have been killed before it said
        assert number_of(held[document]) >= number_of(version)
    now = {document: held[document] for document in stored}
    await assert_found(make(), now | {"last": "v1"})


async def test_a_writer_goes_on_in_the_index_that_took_the_place_of_its_own(
    make: Open, index: WeaviateIndex
):
    """After another process's `reindex --fresh`, without a search in between."""
    writer, idle, keeper = make(), make(), make()
    for one in (writer, idle):
        await one.put(PACK, "a", entries("a", "fatigue old"))
    await keeper.begin(fresh=True)
    await keeper.put(PACK, "a", entries("a", "fatigue new"))
    await keeper.take_over()
    await writer.put(PACK, "b", entries("b", "fatigue later"))
    assert texts(await find(make(), "fatigue")) == {"fatigue new", "fatigue later"}
    await idle.withdraw(PACK, "a")
    assert texts(await find(make(), "fatigue")) == {"fatigue later"}


async def test_nothing_is_acknowledged_in_an_index_that_nobody_reads_any_more(
    make: Open, index: WeaviateIndex
):
    """Another is in force, and what the writer knew is about to be deleted."""
    writer, keeper = make(), make()
    await writer.put(PACK, "a", entries("a", "fatigue old"))
    await keeper.begin(fresh=True)
    names, mine = keeper._shelf.names, (await keeper._shelf.needed()).name
    await keeper._keys.take_over(names.index, mine, names.family)
    await writer.put(PACK, "b", entries("b", "fatigue later"))
    await keeper.take_over()
    assert texts(await find(make(), "fatigue")) == {"fatigue later"}
