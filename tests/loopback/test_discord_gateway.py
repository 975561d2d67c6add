"""Connections that end, fall silent or lie, with the client of production."""

import asyncio
import json

import discord
import pytest
from aiohttp import ClientSession

from tests.loopback.discord import DiscordServer
from tests.loopback.discord_gateway import HELLO, INVALID_SEQ, INVALID_SESSION
from tests.loopback.discord_probe import Probe, running
from tests.loopback.discord_records import Json
from tests.loopback.discord_world import TOKEN, Timing
from tests.loopback.faults import FaultProxy, Mode

QUICK = Timing(heartbeat=0.05)
PATIENCE_S = 0.3  # of a client that hears nothing


async def resumed(server: DiscordServer, times: int) -> None:
    """Once the client has resumed so often."""
    await server.until(lambda: len(server.gateway.resumes) == times)


async def test_a_resume_brings_what_was_missed_in_order(
    server: DiscordServer, probe: Probe
) -> None:
    """Nothing is lost and nothing heard twice, however often the connection ends."""
    told: list[str] = []
    for resumes in range(1, 5):
        told += (f"{when} {resumes}" for when in ("before", "meanwhile", "after"))
        server.people.whisper(told[-3])
        server.gateway.cut()
        server.people.whisper(told[-2])
        await resumed(server, resumes)
        server.people.whisper(told[-1])
    assert await probe.has_heard(len(told)) == told
    assert len(server.gateway.identifies) == 1


async def test_op_7_makes_the_client_resume(
    server: DiscordServer, probe: Probe
) -> None:
    """The platform asks for a new connection; what is said meanwhile arrives."""
    server.gateway.ask_to_reconnect()
    server.people.whisper("meanwhile")
    assert await probe.has_heard(1) == ["meanwhile"]
    assert len(server.gateway.resumes) == 1
    assert server.gateway.closes == [4000]


@pytest.mark.parametrize("resumable", [True, False])
async def test_op_9_says_whether_to_resume(
    server: DiscordServer, probe: Probe, resumable: bool
) -> None:
    """A session that is gone costs an IDENTIFY."""
    gateway = server.gateway
    gateway.invalidate(resumable=resumable)
    await server.until(lambda: len(gateway.resumes) + len(gateway.identifies) == 2)
    assert len(gateway.resumes) == int(resumable)
    server.people.whisper("after")
    assert (await probe.has_heard(1))[-1] == "after"


async def test_a_session_that_ended_long_ago_is_not_resumed() -> None:
    """The platform forgets, and what was said meanwhile is lost."""
    async with (
        DiscordServer(Timing(session_life=0)) as server,
        running(server, Probe()) as probe,
    ):
        server.gateway.cut()
        server.people.whisper("lost")
        await server.until(lambda: len(server.gateway.identifies) == 2)
        server.people.whisper("heard")
        assert await probe.has_heard(1) == ["heard"]


@pytest.mark.parametrize(("code", "ends"), [(4000, False), (4004, True)])
async def test_close_codes_end_or_renew_the_connection(
    server: DiscordServer, code: int, ends: bool
) -> None:
    """After most codes the client resumes; a wrong token is the end."""
    async with running(server, Probe()) as probe:
        server.gateway.close(code)
        if ends:
            await server.until(lambda: not server.gateway.connected)
        else:
            await server.until(lambda: server.gateway.resumes)
        assert len(server.gateway.resumes) == int(not ends)
        assert probe.user


IDENTIFY: Json = {"op": 2, "d": {"token": TOKEN, "intents": 1}}


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (["no json"], 4002),
        ([{"op": 1, "d": "x" * 4_096}], 4002),
        ([{"op": 3, "d": {}}], 4003),
        ([{"op": 2, "d": {"token": "wrong", "intents": 1}}], 4004),
        ([IDENTIFY, IDENTIFY], 4005),
        ([IDENTIFY, {"op": 42}], 4001),
        ([{"op": 1, "d": None}] * 121, 4008),
        ([{"op": 2, "d": {"token": TOKEN, "intents": 1 << 30}}], 4013),
        ([{"op": 2, "d": {"token": TOKEN, "intents": 1 << 15}}], 4014),
    ],
)
async def test_wrong_frames_close_the_connection(
    server: DiscordServer, frames: list[object], code: int
) -> None:
    """Each with its own code."""
    async with ClientSession() as session, session.ws_connect(server.socket()) as ws:
        for frame in frames:
            await ws.send_str(frame if isinstance(frame, str) else json.dumps(frame))
        async for _ in ws:
            pass
        assert ws.close_code == code


async def resume(session: ClientSession, server: DiscordServer, said: Json) -> int:
    """The op, or the close code, that a RESUME is answered with."""
    async with session.ws_connect(server.socket()) as ws:
        assert (await ws.receive_json())["op"] == HELLO
        await ws.send_json({"op": 6, "d": {"token": TOKEN, **said}})
        frame = await ws.receive()
        return ws.close_code or int(frame.json()["op"])


async def test_what_never_was_cannot_be_resumed(server: DiscordServer) -> None:
    """Op 9 for an unknown session, 4007 for a sequence in the future."""
    async with ClientSession() as session, session.ws_connect(server.socket()) as ws:
        await ws.send_json(IDENTIFY)
        events = [await ws.receive_json() for _ in range(2)]
        name = events[1]["d"]["session_id"]
        unknown: Json = {"session_id": "unknown", "seq": 1}
        assert await resume(session, server, unknown) == INVALID_SESSION
        future: Json = {"session_id": name, "seq": 99}
        assert await resume(session, server, future) == INVALID_SEQ


async def test_a_frozen_connection_is_left() -> None:
    """No acknowledgement, no event: the client goes and resumes."""
    async with (
        DiscordServer(QUICK) as server,
        running(server, Probe(patience=PATIENCE_S)) as probe,
    ):
        server.gateway.freeze()
        server.people.whisper("into the void")
        assert await probe.has_heard(1) == ["into the void"]
        assert server.gateway.resumes


async def test_a_client_comes_back_through_the_proxy() -> None:
    """The READY event names the proxy that stands before the gateway."""
    async with (
        DiscordServer() as server,
        FaultProxy(server.port) as proxy,
        running(server, Probe(), proxy.port) as probe,
    ):
        opened = proxy.accepted
        proxy.reset()
        server.people.whisper("meanwhile")
        assert await probe.has_heard(1) == ["meanwhile"]
        assert len(server.gateway.resumes) == 1
        assert proxy.accepted > opened


async def test_a_half_open_connection_is_left() -> None:
    """The proxy swallows everything, and the client comes back through it."""
    async with (
        DiscordServer(QUICK) as server,
        FaultProxy(server.port) as proxy,
        running(server, Probe(patience=PATIENCE_S), proxy.port) as probe,
    ):
        proxy.mode = Mode.HALF_OPEN
        server.people.whisper("into the void")
        await probe.changes.until(lambda: probe.parted, "the client to give up")
        proxy.mode = Mode.PASS
        assert await probe.has_heard(1) == ["into the void"]
        assert server.gateway.resumes


async def test_a_deaf_connection_deceives_the_client() -> None:
    """Heartbeats are acknowledged and nothing arrives: only a probe can tell."""
    async with (
        DiscordServer(QUICK) as server,
        running(server, Probe(patience=1.0)) as probe,
    ):
        guild = probe.get_guild(int(server.world.home.id))
        assert guild and probe.user
        me = [probe.user.id]
        assert await guild.query_members(user_ids=me, cache=False)
        server.gateway.deafen()
        server.people.whisper("unheard")
        beats = server.gateway.heartbeats
        await server.until(lambda: server.gateway.heartbeats > beats + 10)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await guild.query_members(user_ids=me, cache=False)
        assert (probe.heard, server.gateway.resumes) == ([], [])
        assert isinstance(probe.ws, discord.gateway.DiscordWebSocket)
        await probe.ws.close(4000)  # what a watchdog does
        assert await probe.has_heard(1) == ["unheard"]


async def test_every_connection_of_the_bot_hears_every_event(
    server: DiscordServer, probe: Probe
) -> None:
    """Two processes with one token both hear: who answers is for them to settle."""
    async with running(server, Probe()) as second:
        server.people.whisper("to both")
        assert await probe.has_heard(1) == await second.has_heard(1) == ["to both"]
