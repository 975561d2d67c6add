"""Who and what there is on a loopback Discord: users, guilds, commands."""

import json
from typing import Annotated, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic import ValidationError as Invalid

from tests.loopback.discord_errors import Refused, answer, done, invalid, unknown
from tests.loopback.discord_records import Channel, Guild, Json
from tests.loopback.discord_rest import API, body
from tests.loopback.discord_world import World
from tests.platforms.shapes import Problem

CHAT_INPUT, ON_USER, ON_MESSAGE = 1, 2, 3
MOST_COMMANDS = {CHAT_INPUT: 100, ON_USER: 15, ON_MESSAGE: 15}

Name = Annotated[str, StringConstraints(pattern=r"^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$")]
Description = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Option(BaseModel):
    """An argument of a command, or a command below it."""

    type: Annotated[int, Field(ge=1, le=11)]
    name: Name
    description: Description
    options: Annotated[list["Option"], Field(max_length=25)] = []


class Slash(BaseModel):
    """A command that is typed."""

    model_config = ConfigDict(extra="allow")
    type: Literal[1] = 1
    name: Name
    description: Description
    options: Annotated[list[Option], Field(max_length=25)] = []


class Context(BaseModel):
    """A command in the menu of a message or a person."""

    model_config = ConfigDict(extra="allow")
    type: Literal[2, 3]
    name: Annotated[str, StringConstraints(min_length=1, max_length=32)]
    description: Literal[""] = ""


_COMMAND: TypeAdapter[Slash | Context] = TypeAdapter(Slash | Context)


class Directory:
    """Answers who the bot is, what it is in, and keeps its commands."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.gateway = ""

    def routes(self) -> list[web.RouteDef]:
        """Its part of the API."""
        mine = f"{API}/applications/{{application}}"
        here = f"{API}/guilds/{{guild}}"
        kept = [
            route
            for path in (f"{mine}/commands", f"{mine}/guilds/{{guild}}/commands")
            for route in (
                web.get(path, self.commands),
                web.put(path, self.overwrite),
                web.post(path, self.add),
                web.delete(path + "/{command}", self.remove),
            )
        ]
        return [
            web.get(f"{API}/users/@me", self.me),
            web.get(f"{API}/users/@me/guilds", self.my_guilds),
            web.post(f"{API}/users/@me/channels", self.open_dm),
            web.get(f"{API}/users/{{user}}", self.user),
            web.get(f"{API}/oauth2/applications/@me", self.about),
            web.get(f"{API}/applications/@me", self.about),
            web.get(f"{API}/gateway", self.way),
            web.get(f"{API}/gateway/bot", self.way),
            web.get(here, self.guild),
            web.get(f"{here}/channels", self.channels),
            web.get(f"{here}/roles", self.roles),
            web.get(f"{here}/threads/active", self.threads),
            web.get(f"{here}/members/{{user}}", self.member),
            web.get(f"{API}/channels/{{channel}}", self.channel),
            *kept,
        ]

    async def me(self, _: web.Request) -> web.Response:
        """The bot."""
        return answer(self.world.bot.json())

    async def about(self, _: web.Request) -> web.Response:
        """The application; it shares the bot's id."""
        about = {
            "id": self.world.bot.id,
            "name": self.world.bot.name,
            "icon": None,
            "description": "",
            "summary": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "00",
            "flags": 0,
            "owner": self.world.alice.json(),
            "team": None,
        }
        return answer(about)

    async def way(self, request: web.Request) -> web.Response:
        """Where the gateway is."""
        limit = {"total": 1000, "remaining": 999, "reset_after": 0}
        more = {"shards": 1, "session_start_limit": {**limit, "max_concurrency": 1}}
        told = more if request.path.endswith("/bot") else {}
        return answer({"url": self.gateway, **told})

    async def my_guilds(self, _: web.Request) -> web.Response:
        """The guilds that the bot is in."""
        guilds = self.world.guilds.values()
        return answer([g.json() | {"permissions": g.granted} for g in guilds])

    async def user(self, request: web.Request) -> web.Response:
        """A person."""
        found = self.world.users.get(request.match_info["user"])
        if found is None:
            raise unknown("User")
        return answer(found.json())

    async def open_dm(self, request: web.Request) -> web.Response:
        """The conversation with a person, begun if need be."""
        asked = (await body(request)).get("recipient_id")
        user = self.world.users.get(str(asked))
        if user is None or user.bot:
            raise Refused(400, 50033, "Invalid Recipient(s)")
        return answer(self.world.dm(user).json())

    async def guild(self, request: web.Request) -> web.Response:
        """A guild."""
        return answer(self._guild(request).json())

    async def channels(self, request: web.Request) -> web.Response:
        """The channels that the bot sees, without threads."""
        return answer([c.json() for c in self._seen(request) if not c.parent])

    async def threads(self, request: web.Request) -> web.Response:
        """The threads that are not archived."""
        threads = [c.json() for c in self._seen(request) if c.parent]
        return answer({"threads": threads, "members": []})

    async def roles(self, request: web.Request) -> web.Response:
        """The roles of a guild."""
        return answer([role.json() for role in self._guild(request).roles])

    async def member(self, request: web.Request) -> web.Response:
        """A member with the roles."""
        guild = self._guild(request)
        found = guild.members.get(request.match_info["user"])
        if found is None:
            raise unknown("Member")
        return answer(guild.member(found[0]))

    async def channel(self, request: web.Request) -> web.Response:
        """A channel."""
        return answer(channel_of(self.world, request).json())

    async def commands(self, request: web.Request) -> web.Response:
        """The commands there are."""
        return answer(list(self._commands(request).values()))

    async def overwrite(self, request: web.Request) -> web.Response:
        """Exactly these commands."""
        kept = self._commands(request)
        listed = json.loads(await request.read())
        made = [self._command(request, entry) for entry in listed]
        for kind, most in MOST_COMMANDS.items():
            names = [c["name"] for c in made if c["type"] == kind]
            if len(names) > most or len(set(names)) < len(names):
                text = f"too many commands of type {kind}, or two of one name"
                raise invalid([Problem((), "APPLICATION_COMMANDS_DUPLICATE", text)])
        kept.clear()
        kept.update({command["id"]: command for command in made})
        return answer(made)

    async def add(self, request: web.Request) -> web.Response:
        """One more command, or a new form of one."""
        kept = self._commands(request)
        made = self._command(request, await body(request))
        kept[made["id"]] = made
        return answer(made, 201)

    async def remove(self, request: web.Request) -> web.Response:
        """One command less."""
        if self._commands(request).pop(request.match_info["command"], None) is None:
            raise unknown("application command")
        return done()

    def _commands(self, request: web.Request) -> dict[str, Json]:
        if request.match_info["application"] != self.world.bot.id:
            raise unknown("Application")
        guild = request.match_info.get("guild")
        if guild and guild not in self.world.guilds:
            raise unknown("Guild")
        return self.world.commands.setdefault(guild, {})

    def _command(self, request: web.Request, entry: Json) -> Json:
        """A command as it is kept: of the same name and type, with the same id."""
        try:
            read = _COMMAND.validate_python(entry)
        except Invalid as error:
            problems = [
                Problem(e["loc"], "BASE_TYPE_INVALID", e["msg"]) for e in error.errors()
            ]
            raise invalid(problems) from error
        before = self._commands(request).values()
        same = (c for c in before if (c["name"], c["type"]) == (read.name, read.type))
        number = next((c["id"] for c in same), None) or self.world.snowflake()
        return {
            **entry,
            "id": number,
            "application_id": self.world.bot.id,
            "version": self.world.snowflake(),
            "type": read.type,
            "description": read.description,
            "default_member_permissions": entry.get("default_member_permissions"),
            "guild_id": request.match_info.get("guild"),
        }

    def _guild(self, request: web.Request) -> Guild:
        found = self.world.guilds.get(request.match_info["guild"])
        if found is None:
            raise unknown("Guild")
        return found

    def _seen(self, request: web.Request) -> list[Channel]:
        return [c for c in self._guild(request).channels if c.readable]


def channel_of(
    world: World, request: web.Request, *, to_write: bool = False
) -> Channel:
    """The channel of a call.

    Raises:
        Refused: there is none, or the bot may not see it or not write in it.
    """
    found = world.channels.get(request.match_info["channel"])
    if found is None:
        raise unknown("Channel")
    above = found.parent or found
    if not (found.readable and above.readable):
        raise Refused(403, 50001, "Missing Access")
    if to_write and not (found.writable and above.writable):
        raise Refused(403, 50013, "Missing Permissions")
    if to_write and found.recipient and found.recipient.closed:
        raise Refused(403, 50007, "Cannot send messages to this user")
    return found
