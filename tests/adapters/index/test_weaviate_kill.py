"""kill -9 of a Weaviate server, and of its writer: nothing is lost, nothing twice."""

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from adapters.index.upkeep import SHARED
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Calls
from adapters.index.weaviate_shelf import At, Kind, Names, Quantizer, Shelf
from adapters.index.weaviate_writer import Object, Writer
from engine.model.errors import IndexFailed
from engine.model.ports import SearchQuery
from engine.model.question import Scope
from tests.adapters.index.crash_writer import CHUNKS, IDENTITY, versions
from tests.adapters.index.weaviate_crash_writer import opened
from tests.adapters.index.whole import assert_whole
from tests.contracts.index_entries import PACK, find
from tests.scenarios.stage import until
from tests.weaviate_server import LocalServer

pytestmark = pytest.mark.servers

KILLS = 5
PROOF = 50
BACK_S = 10.0  # after the server is ready, without a restart of ours (issue 5)
LONGEST_LIFE_S = 3.0
PAUSE_S = 0.05  # between two tries
DOCUMENTS = 7
TRIES = 20

Address = tuple[str, str, str, str]

many = pytest.mark.parametrize(
    "kills", [KILLS, pytest.param(PROOF, marks=pytest.mark.prove)]
)


@pytest.fixture(scope="module")
def mortal(
    tmp_path_factory: pytest.TempPathFactory, weaviate_program: Path
) -> Iterator[LocalServer]:
    """A server that is killed again and again; nobody else uses it."""
    server = LocalServer(tmp_path_factory.mktemp("mortal"), weaviate_program)
    server.start()
    yield server
    server.stop()


@dataclass
class Story:
    """What a writer had stored and what readers saw meanwhile."""

    stored: dict[str, int] = field(default_factory=dict)
    answers: int = 0
    refusals: int = 0
    wrong: list[str] = field(default_factory=list)


@pytest.fixture
def place(mortal: LocalServer, tmp_path: Path) -> Address:
    """Of an empty index on it: address, gRPC port, installation, ledger's folder."""
    return mortal.url, str(mortal.ports.grpc), uuid4().hex, str(tmp_path)


@pytest.fixture
async def index(place: Address) -> AsyncIterator[WeaviateIndex]:
    """The index there, opened once for a whole test."""
    made = opened(*place)
    yield made
    await made.close()


async def write(index: WeaviateIndex, story: Story) -> None:
    """Put version after version; one that failed is put again until it is stored."""
    n = 0
    while True:
        put = versions(n)
        document = put[0].chunk.document
        try:
            await index.put(PACK, document, put)
        except IndexFailed:
            await asyncio.sleep(PAUSE_S)
            continue
        story.stored[document] = n
        n += 1


async def ask(index: WeaviateIndex, story: Story) -> None:
    """Search all the while: an answer is whole and not stale, or there is none."""
    while True:
        before = dict(story.stored)
        try:
            found = await find(index, "number", limit=1_000)
        except IndexFailed:
            story.refusals += 1
            await asyncio.sleep(PAUSE_S)
            continue
        story.answers += 1
        seen: dict[str, set[str]] = {}
        for candidate in found:
            chunk = candidate.chunk
            seen.setdefault(chunk.document, set()).add(chunk.version)
        if len(found) != CHUNKS * len(seen) or any(len(v) > 1 for v in seen.values()):
            story.wrong.append(f"{len(found)} chunks of {seen}")
        for document, n in before.items():
            if max((int(v[1:]) for v in seen.get(document, ())), default=-1) < n:
                story.wrong.append(f"{document} is older than {n}: {seen}")


@asynccontextmanager
async def going_on(*work: "asyncio._CoroutineLike[None]") -> AsyncIterator[None]:
    """Let these run for the block; one that fails fails the test."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for error in ended:
        if not isinstance(error, asyncio.CancelledError):
            raise AssertionError("work ended early") from error


async def restart(server: LocalServer) -> None:
    """End it as a crash would, and start it again."""
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)


async def until_answered(index: WeaviateIndex) -> float:
    """Seconds until the same index answers again."""
    began = time.monotonic()
    while True:
        with suppress(IndexFailed):
            await find(index, "number")
            return time.monotonic() - began
        await asyncio.sleep(PAUSE_S)


async def assert_found_by_vector(index: WeaviateIndex, tenant: str = SHARED) -> None:
    """The vector index finds every chunk by its own vector, without a word."""
    current = await index.versions(PACK, tenant)
    for version in current.values():
        entries = versions(int(version[1:]))
        found = await index.search(
            SearchQuery(
                (), entries[0].vector, Scope(pack=PACK, tenant=tenant), limit=1_000
            )
        )
        cosines = {candidate.chunk.id: candidate.cosine for candidate in found}
        assert len(cosines) == CHUNKS * len(current)
        for entry in entries:
            assert cosines[entry.chunk.id] == pytest.approx(1, abs=1e-3)


@many
async def test_a_server_killed_while_it_is_written_to_loses_nothing(
    mortal: LocalServer, place: Address, index: WeaviateIndex, kills: int
) -> None:
    """Writers and readers go on by themselves, and no reader sees half a document."""
    chance, story = random.Random(kills), Story()
    async with going_on(write(index, story), ask(index, story), ask(index, story)):
        for _ in range(kills):
            await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))
            await restart(mortal)
            assert await until_answered(index) <= BACK_S
        last = max(story.stored.values())
        await until(lambda: min(story.stored.values()) > last, BACK_S, "a round more")
    assert story.wrong == []
    assert story.answers > kills
    fresh = opened(*place)
    for one in (index, fresh):
        await assert_whole(one, story.stored)
        await assert_found_by_vector(one)
    await fresh.close()


@many
async def test_a_server_killed_while_it_is_asked_answers_again(
    mortal: LocalServer, index: WeaviateIndex, kills: int
) -> None:
    """In between it says that it cannot, and never that there is nothing."""
    chance, story = random.Random(kills + 1), Story()
    for n in range(DOCUMENTS):
        put = versions(n)
        await index.put(PACK, put[0].chunk.document, put)
        story.stored[put[0].chunk.document] = n
    async with going_on(*(ask(index, story) for _ in range(4))):
        for _ in range(kills):
            await asyncio.sleep(chance.uniform(0, LONGEST_LIFE_S))
            await restart(mortal)
            assert await until_answered(index) <= BACK_S
    assert story.wrong == []
    assert story.answers > kills
    assert story.refusals >= kills
    await assert_whole(index, story.stored)
    await assert_found_by_vector(index)


class Careless(Writer):
    """A writer that leaves the last vectors in the server's memory."""

    held: Sequence[Object] = ()

    async def _insert(self, at: At, objects: Sequence[Object]) -> None:
        """Put a version's own object into the same batch as its passages."""
        if objects[-1].properties["kind"] == Kind.TOKENS.value:
            self.held = objects
        else:
            await super()._insert(at, [*self.held, *objects])
            self.held = ()


@pytest.mark.parametrize("tenant", [SHARED, "team-1"])
async def test_what_a_kill_took_is_mended_and_outlives_the_next_kill(
    mortal: LocalServer, place: Address, index: WeaviateIndex, tenant: str
) -> None:
    """`reindex` puts in again what the index calls broken; until then it is searched.

    What one workspace has alone is looked after as what all may see.
    """
    names, keys = Names(place[2], IDENTITY), index._keys
    shelf = Shelf(Calls(mortal.address()), names, keys)
    writer = Careless(shelf, IDENTITY, Quantizer.RQ)
    doubts = None
    for n in range(TRIES):  # a kill takes something in one try of two
        put = versions(n)
        await writer.put(PACK, put[0].chunk.document, put, tenant)
        await restart(mortal)
        doubts = await index.doubts()
        if doubts is not None:
            break
    await shelf.calls.close()
    assert doubts is not None
    assert "groundrule reindex`" in doubts
    held = await index.versions(PACK, tenant)
    await index.begin()
    found = await index.versions(PACK, tenant)
    broken = [document for document in held if found[document] != held[document]]
    assert broken
    assert len(await find(index, "number", tenant=tenant)) == CHUNKS * len(held)
    for document in broken:
        put = versions(int(held[document].removeprefix("v")))
        await index.put(PACK, document, put, tenant)
    assert await index.versions(PACK, tenant) == held
    assert await index.doubts() is None
    await restart(mortal)
    await until_answered(index)
    assert await index.doubts() is None
    await assert_found_by_vector(index, tenant)


def started(root: Path, place: Address, first: int) -> subprocess.Popen[str]:
    """Start the writing process."""
    module = "tests.adapters.index.weaviate_crash_writer"
    return subprocess.Popen(
        [sys.executable, "-m", module, *place, str(first)],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
    )


@many
async def test_a_killed_writer_leaves_nothing_half_done(
    root: Path, place: Address, kills: int
) -> None:
    """The next writer goes on, and readers see every document whole."""
    chance = random.Random(kills + 2)
    acknowledged: dict[str, int] = {}
    first = 0
    reader = opened(*place)
    for _ in range(kills):
        child = started(root, place, first)
        printed = [child.stdout.readline() for _ in range(chance.randint(1, 5))]
        await asyncio.sleep(chance.uniform(0, 0.2))
        child.kill()
        rest, _ = child.communicate()
        assert child.returncode == -9
        numbers = [int(line) for line in [*printed, *rest.splitlines()]]
        acknowledged.update({f"d{n % DOCUMENTS}": n for n in numbers})
        first = numbers[-1] + 1
        await assert_whole(reader, acknowledged)
    await reader.close()
