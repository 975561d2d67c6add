"""The packaged readers, and the one behind a server (R-G11)."""

import asyncio
from collections.abc import Sequence

import pytest

from adapters import reader as readers
from adapters.clock import SystemClock
from adapters.reader import (
    APART,
    KeptScores,
    make_large_reader,
    make_small_reader,
    measure_difference,
)
from adapters.reader_remote import RemoteReader, RerankServer
from config.settings import read as read_settings
from engine.model.errors import ReaderFailed
from engine.model.ports import Readable, ReaderScore
from tests.contracts.reader_contract import FEVER, HAIR, PASSAGES, ReaderContract
from tests.loopback.rerank import Failure, rerank_server

QUESTION = "From which temperature on do I have a fever?"


class TestSmall(ReaderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def reader(cls):
        return make_small_reader()


@pytest.mark.servers
class TestLarge(ReaderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def reader(cls):
        return make_large_reader(read_settings().cache)


class TestRemote(ReaderContract):
    @pytest.fixture(scope="class", params=["rerank", "tei"])
    @classmethod
    def reader(cls, request):
        with rerank_server() as server:
            where = RerankServer(server.url, "small", dialect=request.param, seconds=60)
            yield RemoteReader(where, SystemClock())


async def test_this_machine_scores_ten_pairs_as_it_was_stored_r_g11():
    assert await measure_difference(make_small_reader()) < APART


def test_the_start_lies_in_the_answering_sentence():
    text = "Hats are sold in the shop. " * 2 + HAIR.text
    (score,) = make_small_reader().read_all(
        "When does hair grow back?", [Readable("Hair", text)]
    )
    assert score.start is not None
    assert text.index("Hair grows") <= score.start < len(text)


def test_the_best_window_of_a_long_passage_counts():
    far = Readable(FEVER.path, "The ward has a garden. " * 120 + FEVER.text)
    (score,) = make_small_reader().read_all(QUESTION, [far])
    (near,) = make_small_reader().read_all(QUESTION, [FEVER])
    assert score.log_odds > near.log_odds - 2.0
    assert score.start is not None and score.start > 2_000


def test_a_passage_beyond_the_limit_is_refused_and_not_cut():
    with pytest.raises(ReaderFailed, match="limit of 40000"):
        make_small_reader().read_all(QUESTION, [Readable("", "x" * 40_001)])


def test_a_damaged_file_is_named_with_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "small.onnx").write_bytes(b"cut off")
    monkeypatch.setattr(readers, "SMALL", tmp_path / "small.onnx")
    with pytest.raises(ReaderFailed, match=r"small.onnx .*git checkout"):
        make_small_reader().read_all(QUESTION, [FEVER])


def test_a_large_reader_that_was_not_built_says_how(tmp_path):
    with pytest.raises(ReaderFailed, match="make reader"):
        make_large_reader(tmp_path).read_all(QUESTION, [FEVER])


class _Counting:
    name = "counting"

    def __init__(self) -> None:
        self.read_pairs: list[tuple[str, Readable]] = []

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        self.read_pairs += [(question, passage) for passage in passages]
        return [ReaderScore(float(len(passage.text))) for passage in passages]


def test_no_pair_is_read_twice_and_old_ones_are_forgotten():
    counting = _Counting()
    kept = KeptScores(counting, kept=3)
    first = asyncio.run(kept.read(QUESTION, PASSAGES))
    again = asyncio.run(kept.read(QUESTION, (FEVER, FEVER, HAIR)))
    assert again == [first[2], first[2], first[0]]
    assert len(counting.read_pairs) == 3
    asyncio.run(kept.read("Another question?", PASSAGES))
    asyncio.run(kept.read(QUESTION, [FEVER]))
    assert len(counting.read_pairs) == 7


@pytest.fixture
def server():
    with rerank_server() as running:
        yield running


def _remote(server, **fields) -> RemoteReader:
    fields = {"model": "small", "seconds": 60.0, **fields}
    return RemoteReader(RerankServer(server.url, **fields), SystemClock())


def test_what_is_sent_is_the_common_form_and_no_more(server):
    reader = _remote(server, key="secret-key")
    asyncio.run(reader.read(QUESTION, [HAIR]))
    assert server.asked == [
        {
            "model": "small",
            "query": QUESTION,
            "documents": [f"{HAIR.path}. {HAIR.text}"],
            "top_n": 1,
        }
    ]
    assert server.keys == ["Bearer secret-key"]
    assert "secret-key" not in repr(reader._server) + reader.name


def test_what_passes_is_asked_again(server):
    server.failures = [Failure(503)]
    assert len(asyncio.run(_remote(server).read(QUESTION, PASSAGES))) == 3
    assert len(server.asked) == 2


def test_a_server_that_asks_for_more_time_than_there_is_is_not_asked_again(server):
    server.failures = [Failure(429, retry_after="600")]
    with pytest.raises(ReaderFailed, match="HTTP 429"):
        asyncio.run(_remote(server).read(QUESTION, PASSAGES))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (Failure(401), "HTTP 401 Unauthorized: check its address, model and key"),
        (Failure(302), "HTTP 302"),
        (Failure(body="<html>"), "no JSON"),
        (Failure(body="{}"), "one score for each passage"),
        (Failure(body='{"results": [{"index": 0, "relevance_score": 0.5}]}'), "one s"),
        (Failure(body='[{"index": 0, "score": 1}, {"index": 0, "score": 1}]'), "one s"),
        (Failure(body='[{"index": 0, "score": NaN}, {"index": 1, "score": 1}]'), "one"),
        (Failure(body='[{"index": 0, "score": "1"}, {"index": 1, "score": 1}]'), "one"),
        (Failure(body='[{"index": 0, "score": 7}, {"index": 1, "score": 1}]'), "log_o"),
        (Failure(body='[{"index": true, "score": 1}, {"index": 1, "score": 1}]'), "on"),
        (Failure(body=" " * (4 * 1024 * 1024 + 1)), "too long"),
    ],
)
def test_another_answer_than_a_score_each_is_a_failure(server, failure, told):
    server.failures = [failure]
    with pytest.raises(ReaderFailed, match=told):
        asyncio.run(_remote(server).read(QUESTION, [HAIR, FEVER]))


def test_a_server_that_hangs_is_left_in_time(server):
    server.failures = [Failure(after_s=3.0)]
    with pytest.raises(ReaderFailed, match=r"no answer within 0.2 s"):
        asyncio.run(_remote(server, seconds=0.2).read(QUESTION, [HAIR]))


def test_a_server_that_fails_again_and_again_is_left_alone(server):
    reader = _remote(server)
    server.failures = [Failure(500)] * 10
    for _ in range(5):
        with pytest.raises(ReaderFailed, match="HTTP 500"):
            asyncio.run(reader.read(QUESTION, [HAIR]))
    with pytest.raises(ReaderFailed, match="a pause"):
        asyncio.run(reader.read(QUESTION, [HAIR]))
    assert len(server.asked) == 10


def test_the_day_s_budget_is_kept(server):
    reader = _remote(server, daily=4)
    asyncio.run(reader.read(QUESTION, PASSAGES))
    with pytest.raises(ReaderFailed, match="budget of 4 passages"):
        asyncio.run(reader.read(QUESTION, PASSAGES))
    assert len(server.asked) == 1


@pytest.mark.parametrize("url", ["", "ftp://host/x", "http://", "host:80/rerank"])
def test_an_address_that_is_none_is_refused_at_once(url):
    with pytest.raises(ReaderFailed, match="must begin with https"):
        RemoteReader(RerankServer(url), SystemClock())
