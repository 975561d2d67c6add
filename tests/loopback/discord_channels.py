"""Messages and threads of channels, as the API of a loopback Discord serves them."""

from aiohttp import web

from tests.loopback.discord_directory import channel_of
from tests.loopback.discord_errors import Refused, answer, done, unknown, wrong
from tests.loopback.discord_messages import Scribe
from tests.loopback.discord_records import TEXT, Channel, Json, Message
from tests.loopback.discord_rest import API, body
from tests.loopback.discord_world import World

ARCHIVING = (None, 60, 1440, 4320, 10080)  # minutes of silence
LONGEST_NAME = 100


class Channels:
    """Answers every call about the messages of a channel."""

    def __init__(self, world: World, scribe: Scribe) -> None:
        self.world = world
        self.scribe = scribe

    def routes(self) -> list[web.RouteDef]:
        """Its part of the API."""
        here = f"{API}/channels/{{channel}}"
        message = f"{here}/messages/{{message}}"
        return [
            web.get(f"{here}/messages", self.history),
            web.post(f"{here}/messages", self.create),
            web.get(message, self.read),
            web.patch(message, self.edit),
            web.delete(message, self.delete),
            web.post(f"{here}/typing", self.type),
            web.post(f"{here}/threads", self.start),
            web.post(f"{message}/threads", self.start_at),
        ]

    async def create(self, request: web.Request) -> web.Response:
        """A new message, or the one there is of the same nonce."""
        channel = channel_of(self.world, request, to_write=True)
        message = self.scribe.write(await body(request), channel, "create")
        return answer(self._shown(message))

    async def read(self, request: web.Request) -> web.Response:
        """A message."""
        return answer(self._shown(self._message(request)))

    async def edit(self, request: web.Request) -> web.Response:
        """Change a message of the bot."""
        message = self._own(request, "edit")
        self.scribe.change(message, await body(request), "edit")
        return answer(self._shown(message))

    async def delete(self, request: web.Request) -> web.Response:
        """Take a message of the bot away."""
        message = self._message(request)
        if message.author is not self.world.bot:
            raise Refused(403, 50013, "Missing Permissions")
        self.scribe.delete(message)
        return done()

    async def history(self, request: web.Request) -> web.Response:
        """The messages of a channel, newest first."""
        channel = channel_of(self.world, request)
        query = request.query
        limit = int(query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise wrong("limit", "NUMBER_TYPE_MAX", "limit is 1 to 100")
        first = int(query.get("after", 0))
        last = int(query.get("before", 1 << 64))
        found = [
            m
            for m in self.world.messages.values()
            if m.channel is channel and not m.deleted and not m.ephemeral
            if first < int(m.id) < last
        ]
        found.sort(key=lambda m: int(m.id), reverse="after" not in query)
        chosen = sorted(found[:limit], key=lambda m: int(m.id), reverse=True)
        return answer([self._shown(message) for message in chosen])

    async def type(self, request: web.Request) -> web.Response:
        """The bot is typing."""
        channel = channel_of(self.world, request, to_write=True)
        channel.typed += 1
        return done()

    async def start(self, request: web.Request) -> web.Response:
        """A thread without a message."""
        channel = channel_of(self.world, request, to_write=True)
        thread = self._thread(channel, await body(request))
        return answer(thread.json(), 201)

    async def start_at(self, request: web.Request) -> web.Response:
        """A thread at a message: one and no more."""
        message = self._message(request)
        channel = channel_of(self.world, request, to_write=True)
        asked = await body(request)
        if message.thread:
            text = "A thread has already been created for this message"
            raise Refused(400, 160004, text)
        return answer(self._thread(channel, asked, message).json(), 201)

    def _thread(
        self, channel: Channel, asked: Json, start: Message | None = None
    ) -> Channel:
        if channel.kind != TEXT:
            text = "Cannot execute action on this channel type"
            raise Refused(400, 50024, text)
        name = asked.get("name")
        if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
            text = f"Must be between 1 and {LONGEST_NAME} in length."
            raise wrong("name", "BASE_TYPE_BAD_LENGTH", text)
        if asked.get("auto_archive_duration") not in ARCHIVING:
            text = f"Value must be one of {ARCHIVING[1:]}."
            raise wrong("auto_archive_duration", "BASE_TYPE_CHOICES", text)
        thread = self.world.thread(channel, name, self.world.bot, start)
        self.world.record("thread", channel=thread.id)
        self.scribe.gateway.dispatch("THREAD_CREATE", thread.json())
        return thread

    def _message(self, request: web.Request) -> Message:
        """The message of a call; what one person alone sees is not found here."""
        channel = channel_of(self.world, request)
        found = self.world.messages.get(request.match_info["message"])
        there = found and not found.deleted and not found.ephemeral
        if not found or not there or found.channel is not channel:
            raise unknown("Message")
        return found

    def _own(self, request: web.Request, what: str) -> Message:
        message = self._message(request)
        if message.author is not self.world.bot:
            text = f"Cannot {what} a message authored by another user"
            raise Refused(403, 50005, text)
        return message

    def _shown(self, message: Message) -> Json:
        """With its content only where the application may read it."""
        from_gateway = self.world.may_read_all
        return message.json(None if from_gateway else self.world.bot)
