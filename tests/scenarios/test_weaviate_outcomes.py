"""The demo suites over a Weaviate server come out as over the embedded index."""

from collections.abc import AsyncIterator

import pytest

from bot.wiring import Application
from engine import Answer, Outcome
from engine.model.answer import Citation
from engine.model.ports import SearchQuery
from engine.model.question import Scope
from tests.demo import ANSWERABLE, NAMES, Demo, Room, make

pytestmark = pytest.mark.servers

TOP = 10


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, weaviate_url: str, weaviate_grpc: int
) -> Demo:
    """The same texts with their index on the server."""
    return make(
        tmp_path_factory.mktemp("served") / "data",
        index="weaviate",
        WEAVIATE_URL=weaviate_url,
        weaviate_grpc=str(weaviate_grpc),
        weaviate_name="outcomes",
        weaviate_deadline=10,
    )


@pytest.fixture
async def served_room(served: Demo) -> AsyncIterator[Room]:
    """An engine over the server."""
    async with served.open() as opened:
        yield opened


def shown(outcome: Outcome) -> tuple[object, ...]:
    """What somebody gets to see of an outcome: the citations, or why there are none."""
    if not isinstance(outcome.result, Answer):
        return outcome.question.text, outcome.result.reason
    cited: tuple[Citation, ...] = outcome.result.citations
    return outcome.question.text, *((c.chunk, c.start, c.end) for c in cited)


def test_the_demo_suites_come_out_the_same_R_R1(
    served: Demo, asked: tuple[Outcome, ...]
):
    """Answered with the same passages, or refused for the same reason."""
    found = served.ask_all()
    assert [shown(outcome) for outcome in found] == [
        shown(outcome) for outcome in asked
    ]


async def test_the_first_ten_are_the_same_R_R1(room: Room, served_room: Room):
    """With the same scores, so no difference needs an explanation.

    It could come from the graph search alone, which the server begins above 40,000
    passages; docs/index-benchmark.md has what that misses.
    """
    for pack in NAMES:
        for text in ANSWERABLE[pack]:
            vector = room.ports.embedder.encode_question(text).vector
            query = SearchQuery(tuple(text.split()), vector, Scope(pack=pack))
            here = await room.ports.index.search(query)
            there = await served_room.ports.index.search(query)
            assert [c.chunk.id for c in there[:TOP]] == [c.chunk.id for c in here[:TOP]]
            for one, other in zip(there[:TOP], here[:TOP], strict=True):
                assert one.cosine == pytest.approx(other.cosine, abs=1e-5)
                assert (one.bm25 or 0) == pytest.approx(other.bm25 or 0, rel=1e-5)


async def test_a_pack_that_is_taken_in_meanwhile_breaks_no_connection(
    served: Demo,
) -> None:
    """`serve` does that on another event loop, and no client works on two."""
    async with Application(served.settings, embedder=served.embedder) as application:
        for _ in range(2):
            for name in NAMES:
                await application.readiness.begin(application.pack(name))
                index = application.search.index
                assert await index.versions(name)
