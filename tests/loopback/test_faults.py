"""The fault proxy: each way in which a connection goes wrong, switched as it stands."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from tests.loopback.faults import FaultProxy, Mode

ANSWER = b"pong" * 50
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
async def proxy() -> AsyncIterator[FaultProxy]:
    """A proxy in front of a server that answers each piece with 200 bytes."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(ConnectionResetError):
            while await reader.read(100):
                writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, FaultProxy(server.sockets[0].getsockname()[1]) as made:
        yield made


@pytest.fixture
async def pair(proxy: FaultProxy) -> AsyncIterator[Pair]:
    """One connection through the proxy, over which one answer came already."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"ping")
    assert await reader.readexactly(len(ANSWER)) == ANSWER
    yield reader, writer
    writer.close()


async def test_a_reset_ends_what_stands(proxy: FaultProxy, pair: Pair) -> None:
    """The client sees an error, and can connect again."""
    proxy.reset()
    with pytest.raises(ConnectionResetError):
        await pair[0].read(1)
    assert proxy.accepted == 1
    _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.close()


async def test_in_reset_mode_the_next_piece_ends_a_connection(
    proxy: FaultProxy, pair: Pair
) -> None:
    """Also one that stood before the mode was switched."""
    proxy.mode = Mode.RESET
    pair[1].write(b"ping")
    with pytest.raises(ConnectionResetError):
        await pair[0].read(1)


async def test_a_half_open_connection_swallows_and_never_recovers(
    proxy: FaultProxy, pair: Pair
) -> None:
    """Silence, no end; a new connection works once the mode is back."""
    proxy.mode = Mode.HALF_OPEN
    pair[1].write(b"ping")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(pair[0].read(1), 0.1)
    proxy.mode = Mode.PASS
    pair[1].write(b"ping")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(pair[0].read(1), 0.1)
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"ping")
    assert await reader.readexactly(len(ANSWER)) == ANSWER
    writer.close()


async def test_an_answer_can_be_cut_short(proxy: FaultProxy, pair: Pair) -> None:
    """The first bytes come, then the end."""
    proxy.mode, proxy.limit = Mode.TRUNCATE, 7
    pair[1].write(b"ping")
    assert await pair[0].read() == ANSWER[:7]


@pytest.mark.parametrize("mode", [Mode.DELAY, Mode.SLOW])
async def test_an_answer_can_be_late_or_slow(
    proxy: FaultProxy, pair: Pair, mode: Mode
) -> None:
    """It is whole, and takes its time."""
    proxy.mode, proxy.delay, proxy.rate = mode, 0.1, 2_000
    loop = asyncio.get_running_loop()
    began = loop.time()
    pair[1].write(b"ping")
    assert await pair[0].readexactly(len(ANSWER)) == ANSWER
    assert loop.time() - began > 0.09


async def test_a_proxy_without_a_target_resets(proxy: FaultProxy) -> None:
    """The server behind it is down."""
    proxy.target = 1
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    with pytest.raises(ConnectionResetError):
        await reader.read(1)
    writer.close()
