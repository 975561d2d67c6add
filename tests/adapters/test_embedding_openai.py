"""The remote embedder against a loopback server that speaks the real format."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from adapters.embedding_openai import Endpoint, OpenAIEmbedder
from engine.model.errors import EmbedderFailed
from tests.adapters.pauses import Pauses

Reply = Callable[[dict], tuple[int, dict[str, str], bytes]]


def vector_of(text: str) -> list[float]:
    """Four numbers that depend on the text."""
    return [float(len(text)), float(text.count("a")), 1.0, 2.0]


def embeddings(request: dict) -> tuple[int, dict[str, str], bytes]:
    """A reply as api.openai.com gives it, here in reverse order."""
    data = [
        {"object": "embedding", "index": at, "embedding": vector_of(text)}
        for at, text in enumerate(request["input"])
    ]
    usage = {"prompt_tokens": 8, "total_tokens": 8}
    body = {"object": "list", "data": data[::-1], "model": "m", "usage": usage}
    return 200, {}, json.dumps(body).encode()


@dataclass
class Server:
    """A scripted endpoint: the replies in turn, the last one for good."""

    url: str
    replies: list[Reply]
    requests: list[dict] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    def next_reply(self, request: dict) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        return reply(request)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on a free port of the loopback interface."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            state.keys.append(self.headers.get("Authorization"))
            assert self.path == "/v1/embeddings"
            status, headers, body = state.next_reply(
                json.loads(self.rfile.read(length))
            )
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            """Stay silent."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Server(f"http://127.0.0.1:{http.server_port}/v1", [embeddings])
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    yield state
    http.shutdown()
    thread.join()
    http.server_close()


def embedder(server: Server, **changes) -> OpenAIEmbedder:
    """An embedder on the server that does not pause."""
    settings = {"model": "m", "dimension": 4, "pause": 0.0, "key": "secret-key"}
    return OpenAIEmbedder(Endpoint(server.url, **{**settings, **changes}))


def failing(status: int, headers: dict[str, str] | None = None) -> Reply:
    """A reply with an error status."""
    return lambda request: (status, headers or {}, b'{"error": {"message": "no"}}')


def saying(body: object) -> Reply:
    """A reply with any JSON."""
    return lambda request: (200, {}, json.dumps(body).encode())


def test_vectors_come_back_in_order_and_batched(server):
    """Replies are put in order by their index; texts go out in batches."""
    texts = ["a", "bb", "ccc", "dada", "e" * 9]
    encoded = embedder(server, batch=2).encode(texts)
    for text, one in zip(texts, encoded, strict=True):
        expected = np.array(vector_of(text), dtype=np.float32)
        assert one.vector == pytest.approx(expected / np.linalg.norm(expected))
        assert np.array_equal(one.tokens, one.vector[np.newaxis])
        assert one.spans.tolist() == [[0, len(text)]]
    assert [request["input"] for request in server.requests] == [
        ["a", "bb"],
        ["ccc", "dada"],
        ["e" * 9],
    ]
    assert server.requests[0]["model"] == "m"
    assert set(server.keys) == {"Bearer secret-key"}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_failures_are_tried_again(server, status):
    """A busy endpoint is asked again, at most as often as allowed."""
    server.replies[:] = [failing(status, {"Retry-After": "0"}), embeddings]
    assert len(embedder(server).encode(["a"])) == 1
    server.replies[:] = [failing(status)]
    server.requests.clear()
    with pytest.raises(EmbedderFailed, match=f"attempt 3 of 3: HTTP {status}"):
        embedder(server).encode(["a"])
    assert len(server.requests) == 3


def test_a_proxys_password_is_in_no_error(server, monkeypatch):
    """A proxy that refuses names itself with it."""
    place = server.url.removeprefix("http://").removesuffix("/v1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", f"http://corp:hunter2@{place}")
    elsewhere = Server("https://embeddings.example/v1", [])
    with pytest.raises(EmbedderFailed, match="ClientHttpProxyError: HTTP 501") as said:
        embedder(elsewhere).encode(["a"])
    assert "hunter2" not in str(said.value)


def test_the_pause_is_as_long_as_the_endpoint_asks(server, monkeypatch):
    """Not the short one of the settings."""
    pauses = Pauses(monkeypatch, "tenacity.asyncio")
    server.replies[:] = [failing(429, {"Retry-After": "0.25"}), embeddings]
    embedder(server).encode(["a"])
    assert pauses.seconds == 0.25


async def test_a_running_loop_is_no_hindrance(server):
    """The engine encodes a question where its own loop runs."""
    assert len(embedder(server).encode(["a"])) == 1


@pytest.mark.parametrize("status", [400, 401, 404])
def test_lasting_failures_are_not(server, status):
    """A wrong key or model fails at once; the message does not hold the key."""
    server.replies[:] = [failing(status)]
    with pytest.raises(EmbedderFailed, match=f"HTTP {status}") as caught:
        embedder(server).encode(["a"])
    assert len(server.requests) == 1
    assert "secret-key" not in str(caught.value)


def test_a_redirect_is_not_followed(server):
    """The key stays with the host it was meant for."""
    server.replies[:] = [failing(307, {"Location": "http://127.0.0.1:9/v1"})]
    with pytest.raises(EmbedderFailed, match="HTTP 307"):
        embedder(server).encode(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"data": []},
        {"data": [{"index": 1, "embedding": [1, 2, 3, 4]}]},
        {"data": [{"index": 0, "embedding": [1, 2, 3]}]},
        {"data": [{"index": 0, "embedding": [0, 0, 0, 0]}]},
        {"data": [{"index": 0, "embedding": ["x", 2, 3, 4]}]},
        {"data": [{"index": 0, "embedding": [float("nan"), 2, 3, 4]}]},
    ],
)
def test_a_reply_without_the_vectors_is_refused(server, body):
    """Never a partial batch, never a vector of another shape."""
    server.replies[:] = [saying(body)]
    with pytest.raises(EmbedderFailed):
        embedder(server).encode(["a"])


def test_an_endpoint_that_is_not_there_is_named(server):
    """The message names the URL."""
    with pytest.raises(EmbedderFailed, match=r"127\.0\.0\.1:9/v1 failed"):
        OpenAIEmbedder(Endpoint("http://127.0.0.1:9/v1", "m", 4, pause=0.0)).encode(
            ["a"]
        )


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/v1", "", "localhost"])
def test_only_http_urls_are_taken(url):
    """A file or a bare host is no endpoint."""
    with pytest.raises(EmbedderFailed, match="must begin with https"):
        OpenAIEmbedder(Endpoint(url, "m", 4))


def test_the_key_is_not_shown():
    """Settings may be logged."""
    assert "secret" not in repr(Endpoint("https://x/v1", "m", 4, key="secret"))
