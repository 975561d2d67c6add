"""The gateway of a loopback Discord: sessions, heartbeats, resuming, ways to fail."""

import asyncio
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.loopback.discord_records import DM, Channel, Json, Message
from tests.loopback.discord_world import MESSAGE_CONTENT, TOKEN, World

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME = 0, 1, 2, 3, 4, 6
RECONNECT, REQUEST_MEMBERS, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 7, 8, 9, 10, 11

GUILDS, GUILD_MEMBERS, PRESENCES = 1 << 0, 1 << 1, 1 << 8
GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 9, 1 << 12
PRIVILEGED = GUILD_MEMBERS | PRESENCES | MESSAGE_CONTENT
KNOWN_INTENTS = (1 << 26) - 1
ALWAYS = 0  # an event that needs no intent

UNKNOWN_OPCODE, DECODE_ERROR, NOT_AUTHENTICATED, WRONG_TOKEN = 4001, 4002, 4003, 4004
TWICE_AUTHENTICATED, INVALID_SEQ, TOO_FAST = 4005, 4007, 4008
INVALID_INTENTS, DISALLOWED_INTENTS = 4013, 4014

LARGEST_FRAME = 4_096
MOST_FRAMES, WINDOW = 120, 60.0  # of one connection
LONGEST_HISTORY = 20_000  # events kept for a RESUME


@dataclass(eq=False)
class Connection:
    """One socket: what goes out waits in a queue, so that order is kept.

    A deaf connection gets heartbeats acknowledged and no events; a frozen one gets
    nothing at all.
    """

    socket: web.WebSocketResponse
    request: web.Request
    session: "Session | None" = None
    deaf: bool = False
    frozen: bool = False
    outgoing: asyncio.Queue[str | int] = field(default_factory=asyncio.Queue)
    frames: deque[float] = field(default_factory=deque)

    def send(self, op: int, data: object = None) -> None:
        """Put a payload that is no event on its way."""
        if not self.frozen:
            payload = {"op": op, "d": data, "s": None, "t": None}
            self.outgoing.put_nowait(json.dumps(payload))

    def pass_on(self, event: Json) -> None:
        """Put an event on its way."""
        if not self.frozen and not self.deaf:
            self.outgoing.put_nowait(json.dumps({"op": DISPATCH, **event}))

    def end(self, code: int) -> None:
        """Close after all that waits has gone out."""
        self.outgoing.put_nowait(code)

    def cut(self) -> None:
        """End the connection at once, without a close frame."""
        if self.request.transport:
            self.request.transport.abort()

    async def write(self) -> None:
        """Send what is put on its way until the connection ends."""
        while not self.socket.closed:
            item = await self.outgoing.get()
            try:
                if isinstance(item, int):
                    await self.socket.close(code=item)
                else:
                    await self.socket.send_str(item)
            except ConnectionError:
                return

    def too_fast(self) -> bool:
        """Whether this frame is one too many."""
        now = time.monotonic()
        while self.frames and self.frames[0] < now - WINDOW:
            self.frames.popleft()
        self.frames.append(now)
        return len(self.frames) > MOST_FRAMES


@dataclass(eq=False)
class Session:
    """What one IDENTIFY began; outlives its connections for a while."""

    intents: int
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    connection: Connection | None = None
    ended: float | None = None
    seq: int = 0
    history: deque[Json] = field(default_factory=lambda: deque(maxlen=LONGEST_HISTORY))

    def event(self, name: str, data: object) -> None:
        """Count an event, keep it for a RESUME and pass it on."""
        self.seq += 1
        event: Json = {"t": name, "s": self.seq, "d": data}
        self.history.append(event)
        if self.connection:
            self.connection.pass_on(event)

    def missed(self, seq: int) -> list[Json] | None:
        """The events after `seq`, oldest first; None when some are lost."""
        if self.history and self.history[0]["s"] > seq + 1:
            return None
        return [event for event in self.history if event["s"] > seq]


class Gateway:
    """All sessions of the bot, and what they said.

    `identifies` and `resumes` are the payloads as they came; `address` is where the
    READY event sends a client that resumes (a proxy, if one stands before).
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.address = ""
        self.identifies: list[Json] = []
        self.resumes: list[Json] = []
        self.heartbeats = 0
        self.closes: list[int | None] = []
        self._sessions: dict[str, Session] = {}
        self._connections: list[Connection] = []

    # -- what tests do to it

    @property
    def connected(self) -> int:
        """How many sessions have a connection."""
        return sum(1 for s in self._sessions.values() if s.connection)

    def ask_to_reconnect(self) -> None:
        """Op 7 to every connection."""
        for connection in self._connections:
            connection.send(RECONNECT)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Op 9 to every connection; without `resumable` the sessions are gone."""
        for connection in self._connections:
            connection.send(INVALID_SESSION, resumable)
        if not resumable:
            self._sessions.clear()

    def close(self, code: int = 4000) -> None:
        """A close frame to every connection."""
        for connection in self._connections:
            connection.end(code)

    def cut(self) -> None:
        """A reset of every connection."""
        for connection in self._connections:
            connection.cut()

    def deafen(self) -> None:
        """No event on the connections there are; the next ones hear again.

        What is not sent can still be resumed.
        """
        for connection in self._connections:
            connection.deaf = True

    def freeze(self) -> None:
        """Nothing at all on the connections there are, not even acknowledgements."""
        for connection in self._connections:
            connection.frozen = True

    # -- events

    def dispatch(self, name: str, data: object, intent: int = GUILDS) -> None:
        """An event to every session that asked for its kind."""
        self._dispatch(name, lambda _: data, intent)

    def tell(self, name: str, message: Message) -> None:
        """An event about a message, with its content for who may read that."""
        bot, channel = self.world.bot, message.channel
        if message.ephemeral or not channel.readable:
            return

        def seen(session: Session) -> Json:
            full = bool(session.intents & MESSAGE_CONTENT)
            return message.json(None if full else bot) | self._place(message)

        self._dispatch(name, seen, heard_by(channel))

    def forget(self, message: Message) -> None:
        """The event that a message was deleted."""
        channel = message.channel
        gone: Json = {"id": message.id, "channel_id": channel.id}
        if channel.guild:
            gone["guild_id"] = channel.guild.id
        if not message.ephemeral:
            self.dispatch("MESSAGE_DELETE", gone, heard_by(channel))

    def _place(self, message: Message) -> Json:
        guild = message.channel.guild
        if guild is None:
            return {}
        return {
            "guild_id": guild.id,
            "member": guild.member(message.author, full=False),
        }

    def _dispatch(
        self, name: str, data: Callable[[Session], object], intent: int
    ) -> None:
        for session in self._sessions.values():
            if not intent or session.intents & intent:
                session.event(name, data(session))

    # -- the protocol

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection from HELLO to its end."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        connection = Connection(socket, request)
        self._connections.append(connection)
        beat = self.world.timing.heartbeat
        connection.send(HELLO, {"heartbeat_interval": int(beat * 1000)})
        try:
            async with asyncio.TaskGroup() as group:
                writing = group.create_task(connection.write())
                await self._listen(connection)
                writing.cancel()
        finally:
            self._connections.remove(connection)
            self.closes.append(socket.close_code)
            self._left(connection)
        return socket

    async def _listen(self, connection: Connection) -> None:
        patience = 2 * self.world.timing.heartbeat + 1
        while not connection.socket.closed:
            try:
                frame = await connection.socket.receive(timeout=patience)
            except TimeoutError:
                await connection.socket.close(code=4000)
                return
            if frame.type is not WSMsgType.TEXT:
                return
            code = self._hear(connection, frame.data)
            if code:
                await connection.socket.close(code=code)
                return

    def _left(self, connection: Connection) -> None:
        session = connection.session
        if session is None or session.connection is not connection:
            return
        session.connection, session.ended = None, time.monotonic()
        if connection.socket.close_code in (1000, 1001):
            self._sessions.pop(session.id, None)
        self.world.record("left", session=session.id)

    def _hear(self, connection: Connection, frame: str) -> int | None:
        """Take one payload in; the code to close with, if any."""
        if connection.too_fast():
            return TOO_FAST
        payload = _decoded(frame)
        if payload is None:
            return DECODE_ERROR
        op, said = payload["op"], payload.get("d")
        data: Json = said if isinstance(said, dict) else {}
        if op == HEARTBEAT:
            self.heartbeats += 1
            self.world.notify()
            connection.send(HEARTBEAT_ACK)
            return None
        if op in (IDENTIFY, RESUME):
            return self._enter(connection, op, data)
        if connection.session is None:
            return NOT_AUTHENTICATED
        if op == REQUEST_MEMBERS:
            self._show_members(connection.session, data)
            return None
        return None if op in (PRESENCE, VOICE) else UNKNOWN_OPCODE

    def _enter(self, connection: Connection, op: int, data: Json) -> int | None:
        if connection.session:
            return TWICE_AUTHENTICATED
        (self.identifies if op == IDENTIFY else self.resumes).append(data)
        if data.get("token") != TOKEN:
            return WRONG_TOKEN
        code = (self._identify if op == IDENTIFY else self._resume)(connection, data)
        self.world.record("identify" if op == IDENTIFY else "resume", code=code)
        return code

    def _identify(self, connection: Connection, data: Json) -> int | None:
        intents = data.get("intents")
        if not isinstance(intents, int) or intents & ~KNOWN_INTENTS:
            return INVALID_INTENTS
        if intents & PRIVILEGED & ~self.world.privileged:
            return DISALLOWED_INTENTS
        session = Session(intents, connection=connection)
        connection.session = self._sessions[session.id] = session
        guilds = self.world.guilds.values()
        ready = {
            "v": 10,
            "user": self.world.bot.json(),
            "guilds": [{"id": guild.id, "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.address,
            "application": {"id": self.world.bot.id, "flags": 0},
            "private_channels": [],
        }
        session.event("READY", ready)
        if intents & GUILDS:
            for guild in guilds:
                session.event("GUILD_CREATE", guild.created(self.world.bot))
        return None

    def _resume(self, connection: Connection, data: Json) -> int | None:
        session = self._sessions.get(data.get("session_id", ""))
        seq = data.get("seq")
        if session is None or self._expired(session) or not isinstance(seq, int):
            connection.send(INVALID_SESSION, False)
            return None
        if seq > session.seq:
            return INVALID_SEQ
        missed = session.missed(seq)
        if missed is None:
            connection.send(INVALID_SESSION, False)
            return None
        if session.connection:
            session.connection.end(4000)
        session.connection, session.ended = connection, None
        connection.session = session
        for event in missed:
            connection.pass_on(event)
        session.event("RESUMED", {"_trace": []})
        return None

    def _expired(self, session: Session) -> bool:
        life = self.world.timing.session_life
        return session.ended is not None and time.monotonic() - session.ended > life

    def _show_members(self, session: Session, data: Json) -> None:
        """Answer op 8 through the events: a cheap probe of whether they arrive."""
        guild = self.world.guilds[str(data["guild_id"])]
        asked = {str(user) for user in data.get("user_ids", [])}
        found = [user for key, (user, _) in guild.members.items() if key in asked]
        chunk: Json = {
            "guild_id": guild.id,
            "members": [guild.member(user) for user in found],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": sorted(asked - {user.id for user in found}),
        }
        if "nonce" in data:
            chunk["nonce"] = data["nonce"]
        session.event("GUILD_MEMBERS_CHUNK", chunk)


def heard_by(channel: Channel) -> int:
    """The intent without which nothing is heard of a channel's messages."""
    return DIRECT_MESSAGES if channel.kind == DM else GUILD_MESSAGES


def _decoded(frame: str) -> Json | None:
    """The payload of a frame, or None when it is none."""
    if len(frame.encode()) > LARGEST_FRAME:
        return None
    try:
        payload = json.loads(frame)
    except ValueError:
        return None
    known = isinstance(payload, dict) and isinstance(payload.get("op"), int)
    return payload if known else None
