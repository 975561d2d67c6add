"""A process that has just started, and an index of which it has not read all."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from adapters.index import weaviate_catalogue
from adapters.index.weaviate import WeaviateIndex
from bot.serving.readiness import Readiness
from bot.wiring import Application
from config.settings import Settings
from engine.documents.passage import encode_chunks
from engine.model.errors import IndexUnread
from engine.model.question import Scope
from engine.policy.pack import Pack
from tests.adapters.index.held import Held
from tests.adapters.index.on_server import Open, index, make
from tests.contracts.index_entries import PACK, chunk, entries, find, texts
from tests.weaviate_server import LocalServer

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

DOCUMENTS = 4
DEADLINE = 1.0


@pytest.fixture(autouse=True)
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue is read document by document, as if it were a large one."""
    monkeypatch.setattr(weaviate_catalogue, "_WINDOW", 1)
    monkeypatch.setattr(weaviate_catalogue, "_AT_ONCE", 1)


def held_back(index: WeaviateIndex, at: int) -> Held:
    """Let an index read so many documents and stop until it is told to go on."""
    held = Held(index._shelf, at)
    index._catalogue._shelf = held
    return held


async def fill(index: WeaviateIndex) -> None:
    """Put some documents in."""
    for number in range(DOCUMENTS):
        await index.put(PACK, f"d{number}", entries(f"d{number}", "fatigue"))


async def test_a_question_before_the_catalogue_is_read_is_told_so_R_I10(
    index: WeaviateIndex, make: Open
):
    """Refused in time; the reading goes on, and the next question is answered."""
    await fill(index)
    cold = make(deadline=DEADLINE)
    held = held_back(cold, DOCUMENTS - 1)
    for ask in (
        lambda: find(cold, "fatigue"),
        lambda: cold.statistics(Scope(pack=PACK)),
        lambda: cold.fetch_tokens(PACK, ["d0:v1:0"]),
    ):
        with pytest.raises(IndexUnread, match=r"still being read .*75%.*again"):
            await ask()
    held.go.set()
    assert len(await cold.versions(PACK)) == DOCUMENTS
    assert texts(await find(cold, "fatigue")) == {"fatigue"}


async def nothing_to_take_in(pack: Pack) -> None:
    """There are no demo texts."""


async def test_a_worker_is_ready_only_when_its_catalogue_is_read(
    weaviate: LocalServer, tmp_path: Path
):
    """However long that takes: a question has a deadline, the start has none."""
    given = {
        "data": tmp_path,
        "index": "weaviate",
        "WEAVIATE_URL": weaviate.url,
        "weaviate_grpc": str(weaviate.ports.grpc),
        "weaviate_name": uuid4().hex,
        "weaviate_deadline": DEADLINE,
        "slack_pack": PACK,
    }
    settings = Settings.model_validate(given)
    async with Application(settings) as application:
        search = application.search
        for number in range(DOCUMENTS):
            name = f"d{number}"
            put = encode_chunks(search.embedder, [chunk(name, 0, "fatigue")])
            await search.index.put(PACK, name, put)
    async with Application(settings) as cold:
        cold.readiness = Readiness(nothing_to_take_in)
        index = cold.search.index
        assert isinstance(index, WeaviateIndex)
        held = held_back(index, DOCUMENTS - 1)
        warming = asyncio.create_task(cold.warm())
        await held.stopped.wait()
        with pytest.raises(IndexUnread):
            await index.statistics(Scope(pack=PACK))
        assert not warming.done()
        held.go.set()
        await warming
        held_back(index, 0)  # of the catalogue, nothing is read for a question
        assert (await index.statistics(Scope(pack=PACK))).documents == DOCUMENTS
