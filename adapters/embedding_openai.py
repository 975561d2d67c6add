"""An embedder behind any OpenAI-compatible `/embeddings` endpoint.

Such an endpoint returns one pooled vector a text and nothing about its tokens. The
pooled vector is the only token row and spans the whole text, so late interaction
becomes the cosine of passages. The calibration has to be fitted on that.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adapters.embedding import normalise
from adapters.model_server import Lasting, Passing, Target, post_json, split_url
from adapters.retrying import Pauses, again
from engine.model.errors import EmbedderFailed
from engine.model.ports import Encoded, Floats
from engine.text.legible import legible

LARGEST_REPLY = 64 * 1024 * 1024  # bytes
LONGEST_PAUSE = 10.0  # seconds, whatever Retry-After asks for


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address and the options of an endpoint.

    Args:
        url: base URL, for example `https://api.openai.com/v1`; `/embeddings` is added.
        model: name of the model at the endpoint.
        dimension: dimension of its vectors; another one in a reply is an error.
        key: sent as bearer token; None sends none.
        seconds: time limit of one request, reply included.
        attempts: most requests for the same texts.
        pause: seconds before the second attempt; doubled before each further one.
        batch: texts of one request.
    """

    url: str
    model: str
    dimension: int
    key: str | None = field(default=None, repr=False)
    seconds: float = 30.0
    attempts: int = 3
    pause: float = 0.5
    batch: int = 32


class OpenAIEmbedder:
    """`engine.model.ports.Embedder` over HTTP. Blocks; call it from a thread.

    Raises:
        EmbedderFailed: the URL is not an HTTP URL, the endpoint cannot be reached
            within its attempts, or its reply does not have the requested vectors.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        split_url(endpoint.url, "the embedder's base URL", EmbedderFailed)
        self._endpoint = endpoint
        self.name = f"openai-api/{endpoint.model}/{endpoint.dimension}"
        self.dimension = endpoint.dimension
        self.reduced = endpoint.dimension

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode passages, in order, all or none."""
        encoded: list[Encoded] = []
        for first in range(0, len(texts), self._endpoint.batch):
            batch = texts[first : first + self._endpoint.batch]
            vectors = self._request_vectors([legible(text) or " " for text in batch])
            encoded += (
                make_pooled(vector, text)
                for vector, text in zip(vectors, batch, strict=True)
            )
        return encoded

    def encode_question(self, text: str) -> Encoded:
        """Encode a question, in the same way as a passage."""
        return self.encode([text])[0]

    def _request_vectors(self, texts: Sequence[str]) -> list[Floats]:
        """Request in a thread, because an event loop may be running in this one."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._post(texts)).result()

    async def _post(self, texts: Sequence[str]) -> list[Floats]:
        to = self._endpoint
        url = to.url.rstrip("/") + "/embeddings"
        target = Target(url, to.key, proxied=True)
        body = {"model": to.model, "input": list(texts), "encoding_format": "float"}
        pauses = Pauses(to.pause, most_asked=LONGEST_PAUSE)
        retrying = again(Passing, pauses, to.attempts)
        try:
            reply: object = await retrying(
                post_json, target, body, to.seconds, LARGEST_REPLY
            )
            return self._read(reply, len(texts))
        except (Passing, Lasting) as error:
            attempt = retrying.statistics["attempt_number"]
            raise EmbedderFailed(
                f"the embedding endpoint {to.url} failed on attempt {attempt} of "
                f"{to.attempts}: {error}"
            ) from error

    def _read(self, reply: Any, count: int) -> list[Floats]:
        """Read the vectors of a reply by their index and check each."""
        try:
            rows = {item["index"]: item["embedding"] for item in reply["data"]}
            vectors = [np.array(rows[at], dtype=np.float32) for at in range(count)]
        except (ValueError, KeyError, TypeError) as error:
            raise Lasting("the reply is not a list of embeddings") from error
        for vector in vectors:
            if vector.shape != (self.dimension,):
                raise Lasting(
                    f"a vector has shape {vector.shape}, the settings say "
                    f"{self.dimension}"
                )
            if not np.isfinite(vector).all() or not vector.any():
                raise Lasting("a vector is zero or holds no numbers")
        return vectors


def make_pooled(vector: Floats, text: str) -> Encoded:
    """Make the encoding of a text from its pooled vector alone."""
    row = normalise(np.asarray(vector, dtype=np.float32))
    return Encoded(row, row[np.newaxis], np.array([[0, len(text)]], dtype=np.int32))
