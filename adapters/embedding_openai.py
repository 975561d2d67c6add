"""An embedder behind any OpenAI-compatible `/embeddings` endpoint.

Such an endpoint returns one pooled vector a text and nothing about its tokens. The
pooled vector is the only token row and spans the whole text, so late interaction
becomes the cosine of passages. The calibration has to be fitted on that.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

import numpy as np

from adapters.embedding import normalise
from engine.model.errors import EmbedderFailed
from engine.model.ports import Encoded, Floats
from engine.text.legible import legible

LARGEST_REPLY = 64 * 1024 * 1024  # bytes
LONGEST_PAUSE = 10.0  # seconds, whatever Retry-After asks for
_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}


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
    key: str | None = None
    seconds: float = 30.0
    attempts: int = 3
    pause: float = 0.5
    batch: int = 32

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r}, {self.model!r})"  # never the key


class _Failed(Exception):
    """One request failed; `again` says whether a retry may help."""

    def __init__(self, message: str, again: bool, after: float = 0.0) -> None:
        super().__init__(message)
        self.again = again
        self.after = after


def _make_opener() -> OpenerDirector:
    """Make an opener without redirects, which could send the key to another host."""
    opener = OpenerDirector()
    opener.add_handler(ProxyHandler())
    opener.add_handler(HTTPHandler())
    opener.add_handler(HTTPSHandler())
    opener.add_handler(HTTPDefaultErrorHandler())
    opener.add_handler(HTTPErrorProcessor())
    return opener


class OpenAIEmbedder:
    """`engine.model.ports.Embedder` over HTTP. Blocks; call it from a thread.

    Raises:
        EmbedderFailed: the URL is not an HTTP URL, the endpoint cannot be reached
            within its attempts, or its reply does not have the requested vectors.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        parts = urlsplit(endpoint.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise EmbedderFailed(
                f"the embedder's base URL {endpoint.url!r} must begin with https:// "
                "(or http:// for a server of your own)"
            )
        self._endpoint = endpoint
        self._opener = _make_opener()
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
        for attempt in range(1, self._endpoint.attempts + 1):
            try:
                return self._ask(texts)
            except _Failed as error:
                if not error.again or attempt == self._endpoint.attempts:
                    raise EmbedderFailed(
                        f"the embedding endpoint {self._endpoint.url} failed on "
                        f"attempt {attempt} of {self._endpoint.attempts}: {error}"
                    ) from error
                pause = self._endpoint.pause * 2 ** (attempt - 1)
                time.sleep(min(max(pause, error.after), LONGEST_PAUSE))
        raise EmbedderFailed("the embedding endpoint may not be asked: no attempts")

    def _ask(self, texts: Sequence[str]) -> list[Floats]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._endpoint.key:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        body = {
            "model": self._endpoint.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        request = Request(
            self._endpoint.url.rstrip("/") + "/embeddings",
            data=json.dumps(body).encode(),
            headers=headers,
        )
        deadline = time.monotonic() + self._endpoint.seconds
        try:
            with self._opener.open(request, timeout=self._endpoint.seconds) as reply:
                data = b"".join(_read_blocks(reply, deadline))
        except HTTPError as error:
            with error:
                after = _read_seconds(error.headers.get("Retry-After"))
                raise _Failed(
                    f"HTTP {error.code} {error.reason}", error.code in _RETRIED, after
                ) from error
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise _Failed(f"{reason}", again=True) from error
        return self._read(data, len(texts))

    def _read(self, data: bytes, count: int) -> list[Floats]:
        """Read the vectors of a reply by their index and check each."""
        try:
            reply: Mapping[str, list[dict[str, object]]] = json.loads(data)
            rows = {item["index"]: item["embedding"] for item in reply["data"]}
            vectors = [np.array(rows[at], dtype=np.float32) for at in range(count)]
        except (ValueError, KeyError, TypeError) as error:
            raise _Failed(
                "the reply is not a list of embeddings", again=False
            ) from error
        for vector in vectors:
            if vector.shape != (self.dimension,):
                raise _Failed(
                    f"a vector has shape {vector.shape}, the settings say "
                    f"{self.dimension}",
                    again=False,
                )
            if not np.isfinite(vector).all() or not vector.any():
                raise _Failed("a vector is zero or holds no numbers", again=False)
        return vectors


def make_pooled(vector: Floats, text: str) -> Encoded:
    """Make the encoding of a text from its pooled vector alone."""
    row = normalise(np.asarray(vector, dtype=np.float32))
    return Encoded(row, row[np.newaxis], np.array([[0, len(text)]], dtype=np.int32))


def _read_blocks(reply: HTTPResponse, deadline: float) -> Iterator[bytes]:
    total = 0
    while block := reply.read(65_536):
        total += len(block)
        if total > LARGEST_REPLY:
            raise _Failed(
                f"the reply is longer than {LARGEST_REPLY} bytes", again=False
            )
        if time.monotonic() > deadline:
            raise _Failed("the reply took too long", again=True)
        yield block


def _read_seconds(header: str | None) -> float:
    """Read Retry-After in seconds; 0 for its other form, a date."""
    return float(header) if header and header.isdecimal() else 0.0
