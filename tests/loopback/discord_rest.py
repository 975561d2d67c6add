"""The REST door of a loopback Discord: who may call, what was called, what fails."""

import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from tests.loopback.discord_errors import Refused, answer, unauthorized
from tests.loopback.discord_rates import Rates
from tests.loopback.discord_records import Json
from tests.loopback.discord_world import TOKEN, World
from tests.loopback.faults import Fault, Faults, carried_out

API = "/api/v10"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Call:
    """One call as it came; `status` is 0 until there is an answer."""

    route: str
    path: str
    payload: object
    at: float
    status: int = 0


class Rest:
    """Every call passes here on its way to the route that answers it.

    `calls` are all of them in order, `unknown` those for which there is no route.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.rates = Rates()
        self.calls: list[Call] = []
        self._faults = Faults()
        self._routes: set[str] = set()

    @property
    def counts(self) -> Counter[str]:
        """How often each route was called."""
        return Counter(call.route for call in self.calls)

    @property
    def unknown(self) -> list[str]:
        """The calls that no route answers."""
        return [call.path for call in self.calls if not call.route]

    @property
    def invalid(self) -> int:
        """The calls that count towards the platform's ban: 10,000 in ten minutes."""
        return sum(call.status in (401, 403, 429) for call in self.calls)

    def application(self, *routes: web.RouteDef) -> web.Application:
        """The web application, with the routes of all rooms."""
        app = web.Application(middlewares=[self._pass])
        app.router.add_routes(routes)
        self._routes = {
            f"{route.method} {resource.canonical.removeprefix(API)}"
            for resource in app.router.resources()
            for route in resource
        }
        return app

    def fail(self, route: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a route fail.

        Raises:
            LookupError: there is no such route.
        """
        if route not in self._routes:
            raise LookupError(f"no route {route!r}; there are {sorted(self._routes)}")
        self._faults.add(route, fault, times)

    @web.middleware
    async def _pass(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        if resource is None or not resource.canonical.startswith(API):
            return await self._outside(request, handler)
        route = f"{request.method} {resource.canonical.removeprefix(API)}"
        call = self._note(request, route, await request.read())
        info = request.match_info
        major = info.get("channel") or info.get("token") or info.get("guild") or ""
        fault = self._faults.take(route) or self.rates.refuse(route, major)
        response = await carried_out(
            fault, request, lambda: self._answer(request, handler, route)
        )
        response.headers.update(self.rates.headers(route, major))
        call.status = response.status
        self.world.record("call", route=route, status=call.status)
        return response

    async def _outside(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """The gateway and the control desk; else a path that nobody knows."""
        if request.match_info.http_exception is None:
            return await handler(request)
        self._note(request, "", await request.read()).status = 404
        self.world.record("call", route=request.path, status=404)
        return answer({"message": "404: Not Found", "code": 0}, 404)

    def _note(self, request: web.Request, route: str, body: bytes) -> Call:
        path = f"{request.method} {request.path.removeprefix(API)}"
        call = Call(route, path, _loose(body), time.monotonic())
        self.calls.append(call)
        return call

    async def _answer(
        self, request: web.Request, handler: Handler, route: str
    ) -> web.StreamResponse:
        by_token = "{token}" in route  # interactions carry their own
        try:
            if not by_token and request.headers.get("Authorization") != f"Bot {TOKEN}":
                raise unauthorized()
            return await handler(request)
        except Refused as refused:
            return answer(refused.body, refused.status)


async def body(request: web.Request) -> Json:
    """The JSON object of a call.

    Raises:
        Refused: it is no JSON object.
    """
    found = _loose(await request.read())
    if request.content_type != "application/json" or not isinstance(found, dict):
        raise Refused(400, 50109, "The request body contains invalid JSON.")
    return found


def _loose(text: bytes) -> object:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text.decode(errors="replace")
