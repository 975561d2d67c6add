"""A reader on any server with the common rerank API.

Cohere, Jina, vLLM, Infinity and llama.cpp share one form: `query` and `documents` in
the request, `results` (or `data`) with `index` and `relevance_score` (or `score`) in
the reply. Text Embeddings Inference has its own: `texts`, and a plain list. Passages
leave this machine, so the application sends only those that may.

Scores are probabilities on most servers and log-odds on some (llama.cpp); a setting
decides, since a number between 0 and 1 could be either. They only order passages until
`python -m evals calibrate` has fitted a calibration for that reader.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from adapters.breaker import Breaker
from adapters.model_server import Lasting, Passing, Target, post_json, split_url
from adapters.retrying import Pauses, again
from engine.model.errors import ReaderFailed
from engine.model.ports import Clock, Readable, ReaderScore

LARGEST_REPLY = 4 * 1024 * 1024  # bytes
LONGEST_TEXT = 4_000  # characters of a passage, cut here instead of by the server
ATTEMPTS = 2
PAUSES = Pauses(0.2)
LARGEST_ODDS = 30.0  # of a score of 0 or 1, whose log-odds are infinite

Dialect = Literal["rerank", "tei"]
Scores = Literal["probabilities", "log_odds"]


@dataclass(frozen=True, slots=True)
class RerankServer:
    """The address and the options of a reader's server.

    Attributes:
        url: the complete address to post to, such as http://host:8000/v1/rerank.
        model: the model's name there.
        dialect: `rerank`, or `tei` for Text Embeddings Inference.
        scores: whether its scores are probabilities or log-odds.
        key: sent as a bearer token; None sends none.
        seconds: time limit of one question, retries included.
        daily: passages that may be sent a day; 0 sets no limit.
    """

    url: str
    model: str = ""
    dialect: Dialect = "rerank"
    scores: Scores = "probabilities"
    key: str | None = field(default=None, repr=False)
    seconds: float = 2.0
    daily: int = 0


class RemoteReader:
    """`engine.model.ports.Reader` over HTTP.

    Args:
        server: the server and its options.
        clock: gives the day of the budget.

    Raises:
        ReaderFailed: the address is not an HTTP URL.
    """

    def __init__(self, server: RerankServer, clock: Clock) -> None:
        parts = split_url(server.url, "the reader's address", ReaderFailed)
        self._server = server
        self._clock = clock
        self._breaker = Breaker("the reader", ReaderFailed)
        self._spent: tuple[str, int] = ("", 0)
        self.host = parts.hostname or ""
        self.name = f"remote/{parts.netloc.rpartition('@')[2]}/{server.model or '-'}"

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        """Score each passage, in order, without the place of the answer.

        Raises:
            ReaderFailed: there is no reply in time, the reply does not have one score
                for each passage, the breaker is open, or the day's budget is spent.
        """
        if not passages:
            return ()
        self._breaker.check()
        self._spend(len(passages))
        server = self._server
        body = self._make_body(question, [_write_text(each) for each in passages])
        target = Target(server.url, server.key)
        retrying = again(Passing, PAUSES, ATTEMPTS, within=server.seconds)
        try:
            async with asyncio.timeout(server.seconds):
                reply: object = await retrying(
                    post_json, target, body, None, LARGEST_REPLY
                )
        except (Passing, TimeoutError) as error:
            self._breaker.failed()
            why = str(error) or f"no answer within {server.seconds:g} s"
            raise ReaderFailed(f"the reader at {self.host} failed: {why}") from error
        except Lasting as error:
            raise ReaderFailed(
                f"the reader at {self.host} answered {error}: check its address, model "
                "and key"
            ) from error
        scores = _read_scores(reply, len(passages), self.host)
        self._breaker.answered()
        return [ReaderScore(self._log_odds(score)) for score in scores]

    def _log_odds(self, score: float) -> float:
        if self._server.scores == "log_odds":
            return max(-LARGEST_ODDS, min(LARGEST_ODDS, score))
        if not 0.0 <= score <= 1.0:
            raise ReaderFailed(
                f"the reader at {self.host} answered the score {score:g}, which is no "
                "probability: set GROUNDRULE_READER_SCORES=log_odds"
            )
        odds = math.log(max(score, 1e-13) / max(1.0 - score, 1e-13))
        return max(-LARGEST_ODDS, min(LARGEST_ODDS, odds))

    def _spend(self, passages: int) -> None:
        today = self._clock.now().date().isoformat()
        day, spent = self._spent
        spent = (spent if day == today else 0) + passages
        if self._server.daily and spent > self._server.daily:
            raise ReaderFailed(
                f"the reader's budget of {self._server.daily} passages a day is spent"
            )
        self._spent = (today, spent)

    def _make_body(self, question: str, texts: list[str]) -> Mapping[str, Any]:
        if self._server.dialect == "tei":
            return {"query": question, "texts": texts, "truncate": True}
        return {
            "model": self._server.model,
            "query": question,
            "documents": texts,
            "top_n": len(texts),
        }


def _write_text(passage: Readable) -> str:
    """Write a passage in the form of the packaged readers, with bounded length."""
    whole = f"{passage.path}. {passage.text}" if passage.path else passage.text
    return whole[:LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")


def _read_scores(reply: object, count: int, host: str) -> list[float]:
    """Read one finite score for each passage, by index."""
    rows = reply
    if isinstance(reply, dict):
        rows = reply.get("results", reply.get("data"))
    scores: dict[int, float] = {}
    for row in rows if isinstance(rows, list) else ():
        index = row.get("index") if isinstance(row, dict) else None
        score = row.get("relevance_score", row.get("score")) if index is not None else 0
        if (
            type(index) is not int
            or index in scores
            or isinstance(score, bool)
            or not isinstance(score, int | float)
            or not math.isfinite(score)
        ):
            break
        scores[index] = float(score)
    if sorted(scores) != list(range(count)):
        raise ReaderFailed(
            f"the reader at {host} did not answer with one score for each passage"
        )
    return [scores[at] for at in range(count)]
