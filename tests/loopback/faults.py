"""What goes wrong between a bot and a platform, on purpose, for every platform.

`Faults` makes a loopback server fail its next calls, also after it did what was asked:
the message is posted and the caller never hears of it. `FaultProxy` stands in front of
any loopback port and spoils the connection itself.
"""

import asyncio
import socket
import struct
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Literal, Self

from aiohttp import web

# --- faults of calls --------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """How one call fails.

    `done` says that the call took effect before it failed. `answer` is given as it
    stands; a call that hangs ends with the server or with the caller's patience, and a
    dropped one sees its connection reset.
    """

    kind: Literal["answer", "hang", "drop"]
    done: bool = False
    status: int = 500
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


def answered(
    status: int, body: str = "{}", headers: Mapping[str, str] | None = None
) -> Fault:
    """A refusal before anything happened: 429 with its headers, 5xx."""
    return Fault("answer", status=status, body=body, headers=headers or {})


def failed_after(status: int = 500, body: str = "{}") -> Fault:
    """The call took effect, and an error is reported."""
    return Fault("answer", done=True, status=status, body=body)


def garbled(body: str = '{"ok": tru', *, done: bool = False) -> Fault:
    """Status 200 with a body that is not JSON."""
    return Fault("answer", done=done, status=200, body=body)


def hung(*, done: bool = False) -> Fault:
    """No answer ever comes."""
    return Fault("hang", done=done)


def dropped(*, done: bool = True) -> Fault:
    """The connection is reset instead of an answer; by default the call took effect."""
    return Fault("drop", done=done)


class Faults:
    """The faults of a server's next calls, by the name of the call."""

    def __init__(self) -> None:
        self._next: defaultdict[str, deque[Fault]] = defaultdict(deque)

    def add(self, call: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of this name fail; "*" means those of any name."""
        self._next[call].extend([fault] * times)

    def take(self, call: str) -> Fault | None:
        """The fault of this call, which is then used up; None when it goes well."""
        for name in (call, "*"):
            if self._next[name]:
                return self._next[name].popleft()
        return None

    def clear(self) -> None:
        """From now on calls go well."""
        self._next.clear()


async def carried_out(
    fault: Fault | None,
    request: web.Request,
    handle: Callable[[], Awaitable[web.StreamResponse]],
) -> web.StreamResponse:
    """Answer a request as its fault says, doing first what was asked if it says so."""
    if fault is None:
        return await handle()
    if fault.done:
        await handle()
    if fault.kind == "hang":
        await asyncio.Event().wait()
    if fault.kind == "drop":
        if request.transport is not None:
            _reset(request.transport)
        return web.Response(status=500)
    return web.Response(
        status=fault.status,
        body=fault.body.encode(),
        headers={**fault.headers},
        content_type=fault.content_type,
    )


def _reset(transport: asyncio.BaseTransport) -> None:
    """End a connection with a reset, so the other side gets an error and no end."""
    sock = transport.get_extra_info("socket")
    if sock is not None and sock.fileno() >= 0:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if isinstance(transport, asyncio.WriteTransport):
        transport.abort()


# --- faults of connections --------------------------------------------------------


class Mode(StrEnum):
    """What a proxy does with each piece of data; switched while connections live."""

    PASS = "pass"
    DELAY = "delay"  # each piece waits `delay` seconds
    SLOW = "slow"  # `rate` bytes a second
    RESET = "reset"  # each connection is reset at its next piece of data
    HALF_OPEN = "half_open"  # accepted and swallowed; such a connection never recovers
    TRUNCATE = "truncate"  # `limit` more bytes of the reply, then an orderly end


class FaultProxy:
    """A TCP proxy on loopback that spoils the connections through it."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.mode = Mode.PASS
        self.delay = 0.1
        self.rate = 10_000
        self.limit = 20
        self.accepted = 0
        self._server: asyncio.Server | None = None
        self._links: set[_Link] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.reset()
        await asyncio.gather(*(link.over.wait() for link in self._links))
        await self._server.wait_closed()

    def reset(self) -> None:
        """Reset every connection now."""
        for link in self._links:
            link.reset()

    def freeze(self) -> None:
        """Let every present connection be half-open; new ones follow the mode."""
        for link in self._links:
            link.swallowing = True

    @property
    def open(self) -> int:
        """How many connections stand."""
        return len(self._links)

    async def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.accepted += 1
        link = _Link(self, writer)
        self._links.add(link)
        try:
            await link.run(reader)
        finally:
            self._links.discard(link)
            link.over.set()


class _Link:
    """One connection through the proxy, with its two directions."""

    def __init__(self, proxy: FaultProxy, client: asyncio.StreamWriter) -> None:
        self.proxy = proxy
        self.client = client
        self.server: asyncio.StreamWriter | None = None
        self.over = asyncio.Event()
        self.swallowing = False
        self.left: int | None = None

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Pass data both ways until one side ends or the proxy resets."""
        try:
            answers, self.server = await asyncio.open_connection(
                "127.0.0.1", self.proxy.target
            )
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass(reader, self.server, reply=False))
                group.create_task(self._pass(answers, self.client, reply=True))
        except (OSError, ExceptionGroup):
            self.reset()  # the target is down, or one side went away
        finally:
            for writer in (self.client, self.server):
                if writer is not None:
                    writer.close()

    def reset(self) -> None:
        for writer in (self.client, self.server):
            if writer is not None:
                _reset(writer.transport)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: bool
    ) -> None:
        while data := await reader.read(65_536):
            if await self._spoil(data, writer, reply):
                return
        if not self.swallowing:
            writer.close()

    async def _spoil(
        self, data: bytes, writer: asyncio.StreamWriter, reply: bool
    ) -> bool:
        """Do to one piece what the mode says; True when this direction is over."""
        proxy = self.proxy
        if self.swallowing or proxy.mode is Mode.HALF_OPEN:
            self.swallowing = True
            return False
        if proxy.mode is Mode.RESET:
            self.reset()
            return True
        if proxy.mode is Mode.TRUNCATE and reply:
            self.left = proxy.limit if self.left is None else self.left
            data, self.left = data[: self.left], self.left - len(data)
        if proxy.mode is Mode.DELAY:
            await asyncio.sleep(proxy.delay)
        await self._write(data, writer)
        if self.left is not None and self.left <= 0:
            writer.close()
            return True
        return False

    async def _write(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        while data:
            slow = self.proxy.mode is Mode.SLOW
            step = max(1, self.proxy.rate // 20) if slow else len(data)
            piece, data = data[:step], data[step:]
            if slow:
                await asyncio.sleep(len(piece) / self.proxy.rate)
            writer.write(piece)
            await writer.drain()
