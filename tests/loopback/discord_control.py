"""Commands for a loopback Discord that runs in a process of its own, over HTTP.

`POST /control/do/ACT` lets a person act, `POST /control/gateway/ACT` spoils the
connections, `POST /control/fail` arranges faults, `GET /control/state` tells what
happened. Arguments are a JSON object; people, channels and messages are named by id.
"""

from collections.abc import Callable

from aiohttp import web

from tests.loopback.discord_errors import answer
from tests.loopback.discord_gateway import Gateway
from tests.loopback.discord_people import People
from tests.loopback.discord_records import Json
from tests.loopback.discord_rest import Rest, body
from tests.loopback.discord_world import World
from tests.loopback.faults import Fault

_PEOPLE = ("say", "mention", "whisper", "slash", "menu", "press")
_GATEWAY = ("cut", "ask_to_reconnect", "invalidate", "deafen", "freeze")


class Control:
    """The desk from which another process drives the server."""

    def __init__(
        self, world: World, people: People, gateway: Gateway, rest: Rest
    ) -> None:
        self.world = world
        self.gateway = gateway
        self.rest = rest
        self._acts: dict[str, Callable[..., object]] = {"fail": self._fail}
        self._acts |= {f"do/{name}": getattr(people, name) for name in _PEOPLE}
        self._acts |= {f"gateway/{name}": getattr(gateway, name) for name in _GATEWAY}

    def routes(self) -> list[web.RouteDef]:
        """Its paths, outside the API."""
        return [
            web.get("/control/state", self.state),
            web.post("/control/{act:.+}", self.act),
        ]

    async def act(self, request: web.Request) -> web.Response:
        """Do one thing; says the id of what came of it."""
        act = self._acts.get(request.match_info["act"])
        if act is None:
            return answer({"error": f"there are {sorted(self._acts)}"}, 404)
        asked = await body(request)
        try:
            given = {name: self._resolve(name, v) for name, v in asked.items()}
            made = act(**given)
        except (LookupError, TypeError) as error:
            return answer({"error": str(error)}, 400)
        return answer({"id": getattr(made, "id", None)})

    async def state(self, _: web.Request) -> web.Response:
        """Where things are and what was counted."""
        world = self.world
        state: Json = {
            "bot": world.bot.id,
            "alice": world.alice.id,
            "general": world.general.id,
            "gateway": self.gateway.address,
            "connected": self.gateway.connected,
            "identifies": len(self.gateway.identifies),
            "resumes": len(self.gateway.resumes),
            "posts": [post.line() for post in world.posts],
            "responses": len(world.responses),
            "calls": dict(self.rest.counts),
        }
        return answer(state)

    def _resolve(self, name: str, value: object) -> object:
        known: dict[str, Json] = {
            "author": self.world.users,
            "channel": self.world.channels,
            "message": self.world.messages,
            "reply_to": self.world.messages,
        }
        return known[name][str(value)] if name in known else value

    def _fail(self, route: str, fault: Json, times: int = 1) -> None:
        self.rest.fail(route, Fault(**fault), times)
