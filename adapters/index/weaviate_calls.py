"""Calls to a Weaviate server: each has a deadline, and each failure is an IndexFailed.

The client retries a refused gRPC call for a minute, and its channel may wait two
minutes before it connects again. So every call runs under a deadline of ours, and a
client without a connection is replaced before the next call.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
import weaviate
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.exceptions import (
    AuthenticationFailedError,
    InsufficientPermissionsError,
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateRetryError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
)

from engine.model.errors import IndexAway, IndexFailed

DEADLINE_S = 3.0  # of one search, and so the most that a dead port costs an asker
GRPC_PORT = 50051
_CLOSING_S = 1.0
_SHOWN = 300  # characters of the server's message
_AWAY = {502, 503, 504}

_AUTHORITY, _GRPC_AUTHORITY = "SSL_CERT_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"
_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"

Answer = TypeVar("Answer")
Client = weaviate.WeaviateAsyncClient

_NOBODY = (
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateRetryError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
    httpx.TransportError,
    OSError,
    TimeoutError,
)
_REFUSED = (AuthenticationFailedError, InsufficientPermissionsError)
_FULL = (
    "its disk or its memory is nearly full, so it takes no writes: make room there and "
    "start it again"
)
# A part of the server's message, and the remedy.
_REMEDIES = (
    ("read-only", _FULL),
    ("read only", _FULL),
    ("not enough memory", "it is out of memory: give it more, or set a quantizer"),
    ("no space left", "its disk is full: make room there"),
    ("status code: 401", "it wants another key: set GROUNDRULE_WEAVIATE_KEY"),
    ("unauthenticated", "it wants another key: set GROUNDRULE_WEAVIATE_KEY"),
    ("anonymous", "it wants a key: set GROUNDRULE_WEAVIATE_KEY"),
)


class Unreachable(IndexAway):
    """The server did not answer in time; the same call may succeed later."""


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server and its deadlines.

    Args:
        url: http or https address of its REST interface; https is TLS for both ports.
        grpc: a port on the same host, or host:port.
        key: its API key, None for anonymous access.
        deadline: seconds for one search, and for the other reads of a question.
        patience: seconds for one step of a write, and for retries of a write; a
            restarted server is ready in 10.
    """

    url: str
    grpc: str = str(GRPC_PORT)
    key: str | None = field(default=None, repr=False)
    deadline: float = DEADLINE_S
    patience: float = 30.0

    @property
    def place(self) -> str:
        """Return the address without the parts that may be secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}:{self.port}"

    @property
    def secure(self) -> bool:
        return urlsplit(self.url).scheme == "https"

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or (443 if self.secure else 80)

    @property
    def grpc_host(self) -> str:
        """Return the host of the gRPC port: the URL's unless another is given."""
        return self.grpc.rpartition(":")[0] or self.host

    @property
    def grpc_port(self) -> int:
        return int(self.grpc.rpartition(":")[2])


@dataclass(eq=False, slots=True)
class _Line:
    """One connected client, closed once it is stale and unused."""

    client: Client
    users: int = 0
    stale: bool = False


class Calls:
    """The calls to one server; it connects at the first and again after a failure."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._line: _Line | None = None
        self._connecting = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    async def call(
        self,
        doing: str,
        ask: Callable[[Client], Awaitable[Answer]],
        deadline: float | None = None,
    ) -> Answer:
        """Make one call.

        Args:
            doing: the activity, for the message ("searching").
            ask: make the call.
            deadline: seconds; None for that of a search.

        Raises:
            Unreachable: no answer within the deadline, or no server there.
            IndexAway: the server refuses, or has no disk space or memory left.
            IndexFailed: it failed.
        """
        seconds = self.server.deadline if deadline is None else deadline
        try:
            async with asyncio.timeout(seconds):
                return await self._make_call(ask)
        except _NOBODY as error:
            raise self._make_unanswered(doing, error, seconds) from error
        except _REFUSED as error:
            raise IndexAway(
                f"the Weaviate server at {self.server.place} refused {doing}: the key "
                "in GROUNDRULE_WEAVIATE_KEY lacks the right; make the roles "
                "as docs/weaviate.md says"
            ) from error
        except (WeaviateBaseError, ValueError, TypeError) as error:
            raise self.refused(doing, _read_message(error)) from error

    @asynccontextmanager
    async def within(self, doing: str) -> AsyncIterator[None]:
        """Limit all calls of the block together to the deadline of a search.

        Args:
            doing: the activity, for the message ("searching").

        Raises:
            Unreachable: they did not end in time.
        """
        seconds = self.server.deadline
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError as error:
            raise Unreachable(
                f"the Weaviate server at {self.server.place} took longer than "
                f"{seconds:g} s for {doing}: see that it is not overloaded, or allow "
                "more in GROUNDRULE_WEAVIATE_DEADLINE"
            ) from error

    async def close(self) -> None:
        """Close the connection; later calls fail."""
        self._closed = True
        line, self._line = self._line, None
        if line is not None:
            line.stale = True
            self._let_go(line)
        await asyncio.gather(*self._closing)

    async def _make_call(self, ask: Callable[[Client], Awaitable[Answer]]) -> Answer:
        line = await self._connect()
        line.users += 1
        gone = True  # also if cancelled by the deadline, because a client is cheap
        try:
            answer = await ask(line.client)
            gone = False
        except (WeaviateBaseError, ValueError, TypeError) as error:
            gone = _is_gone(error)
            raise
        finally:
            line.users -= 1
            if gone:
                self._give_up(line)
            self._let_go(line)
        return answer

    async def _connect(self) -> _Line:
        if self._closed:
            raise IndexFailed("the index is closed")
        async with self._connecting:
            if self._line is None:
                line = _Line(self._make_client(), stale=True)
                try:
                    await line.client.connect()
                    line.stale = False
                finally:
                    self._let_go(line)
                self._line = line
            return self._line

    def _make_client(self) -> Client:
        server = self.server
        waits = Timeout(init=server.deadline, query=server.patience, insert=60)
        return weaviate.use_async_with_custom(
            http_host=server.host,
            http_port=server.port,
            http_secure=server.secure,
            grpc_host=server.grpc_host,
            grpc_port=server.grpc_port,
            grpc_secure=server.secure,
            auth_credentials=Auth.api_key(server.key) if server.key else None,
            additional_config=AdditionalConfig(
                timeout=waits,
                # Without it neither this nor proxies of the environment are used.
                trust_env=server.secure and _AUTHORITY in os.environ,
            ),
            skip_init_checks=True,
        )

    def _give_up(self, line: _Line) -> None:
        line.stale = True
        if self._line is line:
            self._line = None

    def _let_go(self, line: _Line) -> None:
        """Close a stale and unused client, without waiting for it."""
        if line.stale and line.users == 0:
            closing = asyncio.create_task(_close(line.client))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _make_unanswered(
        self, doing: str, error: Exception, seconds: float
    ) -> IndexAway:
        server = self.server
        if _is_untrusted(error):
            return IndexAway(
                f"the certificate of the Weaviate server at {server.place} (gRPC "
                f"{server.grpc_host}:{server.grpc_port}) is not trusted here: name the "
                f"file of its authority in {_AUTHORITY} and in {_GRPC_AUTHORITY}, or "
                "give it one for this address"
            )
        late = isinstance(error, TimeoutError)
        what = f"did not answer within {seconds:g} s" if late else "cannot be reached"
        return Unreachable(
            f"the Weaviate server at {server.place} (gRPC {server.grpc_host}:"
            f"{server.grpc_port}) {what} while {doing}: see that it runs, that "
            "WEAVIATE_URL and GROUNDRULE_WEAVIATE_GRPC are right, and try again"
        )

    def refused(self, doing: str, said: str) -> IndexFailed:
        """Make an error for people of the server's message."""
        place = self.server.place
        for sign, remedy in _REMEDIES:
            if sign in said.lower():
                return IndexAway(f"the Weaviate server at {place}: {remedy}")
        kind = Unreachable if "UNAVAILABLE" in said else IndexFailed
        short = " ".join(said.split())[:_SHOWN]
        return kind(f"the Weaviate server at {place} failed {doing}: {short}")


async def _close(client: Client) -> None:
    with suppress(WeaviateBaseError, httpx.HTTPError, TimeoutError):
        async with asyncio.timeout(_CLOSING_S):
            await client.close()


def _is_untrusted(error: BaseException | None) -> bool:
    """Tell whether a certificate was refused, by the chain of causes of an error."""
    while error is not None:
        if _UNTRUSTED in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_gone(error: Exception) -> bool:
    """Tell whether an error casts doubt on the connection itself."""
    if isinstance(error, UnexpectedStatusCodeError):
        return error.status_code in _AWAY
    return isinstance(error, _NOBODY) or "UNAVAILABLE" in str(error)


def _read_message(error: Exception) -> str:
    if isinstance(error, UnexpectedStatusCodeError):
        away = "UNAVAILABLE " if error.status_code in _AWAY else ""
        return f"{away}{error.status_code} {error}"
    return str(error)
