"""Replies of a language model's provider: bounded, and without our secrets.

DSPy reads a body to its end without a limit. Its transport is replaced when one of its
engines is stored; a test over the loopback fails if another release of DSPy stores them
elsewhere.
"""

import json
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager

from dspy._vendor.lm15.transports import (
    AsyncTransportResponse,
    ProtocolError,
    StdlibAsyncTransport,
    TransportRequest,
)
from dspy.clients.engines.lm15_engine import AsyncLM15Engine

LARGEST_REPLY = 1024 * 1024  # bytes; an answer has some thousands
SHORTEST_SECRET = 8  # characters; a shorter one may be a word
HIDDEN = b"[secret]"


class Engines(dict[Hashable, object]):
    """DSPy's engines by event loop and settings; each gets our transport.

    Args:
        secrets: texts to remove from every reply.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__()
        self._secrets = [s for s in secrets if len(s) >= SHORTEST_SECRET]

    def __setitem__(self, key: Hashable, engine: object) -> None:
        if isinstance(engine, AsyncLM15Engine):
            asked = engine.config.transport_kwargs()
            engine.router._transport = _Transport(self._secrets, asked)
        super().__setitem__(key, engine)


class _Transport(StdlibAsyncTransport):
    """DSPy's own transport, with bounded replies."""

    def __init__(self, secrets: Sequence[str], asked: dict[str, float]) -> None:
        super().__init__(**asked)
        self._secrets = secrets

    @asynccontextmanager
    async def stream(
        self, request: TransportRequest
    ) -> AsyncIterator[AsyncTransportResponse]:
        """Send one request; its reply is read completely before it is passed on."""
        async with super().stream(request) as response:
            yield AsyncTransportResponse(
                status=response.status,
                reason=response.reason,
                headers=response.headers,
                http_version=response.http_version,
                chunks=_read_whole(response, self._secrets),
                release=_release_nothing,
            )


async def _read_whole(
    response: AsyncTransportResponse, secrets: Sequence[str]
) -> AsyncIterator[bytes]:
    """Read the body as one chunk, with the secrets removed.

    Raises:
        ProtocolError: it is longer than LARGEST_REPLY.
    """
    body = bytearray()
    async for chunk in response:
        body += chunk
        if len(body) > LARGEST_REPLY:
            raise ProtocolError(f"the reply is longer than {LARGEST_REPLY} bytes")
    said = bytes(body)
    for secret in secrets:
        plain = json.dumps(secret)[1:-1]
        for form in (secret, plain, plain.replace("/", "\\/")):
            said = said.replace(form.encode(), HIDDEN)
    yield said


async def _release_nothing(body_consumed: bool) -> None:
    """Do nothing, because reading a reply to its end releases its connection."""
