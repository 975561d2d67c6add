"""A small HTTP port for those who watch: /health and /metrics, off by default.

Beside whatever serves the platforms, so it is there in Socket Mode and on Discord too.
Nothing that anybody asked is told, only counts.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from adapters.metrics import Metrics
from adapters.observer import EventsObserver
from bot.health.families import HealthFamilies
from bot.health.state import Health
from bot.serving.listening import serve_site
from config import settings as configuration
from engine.model.ports import Observer

FRESH_S = 15.0  # a look is told for so long before the next one

Look = Callable[[], Awaitable[Health]]


class HealthSite:
    """Answers whoever watches, by looks that are a few seconds old at most.

    Args:
        look: looks at everything.
        observer: of this process; its counters stand beside the gauges.
    """

    def __init__(self, look: Look, observer: Observer) -> None:
        self._look = look
        self._observer = observer
        self._one = asyncio.Lock()
        self._seen: tuple[float, Health] | None = None

    def application(self) -> web.Application:
        """What is served, for a server of one's own."""
        application = web.Application()
        application.add_routes(
            [web.get("/health", self._health), web.get("/metrics", self._metrics)]
        )
        return application

    async def seen(self) -> Health:
        """The last look, or a new one where that is too old; one at a time."""
        async with self._one:
            now = asyncio.get_running_loop().time()
            if self._seen is None or now - self._seen[0] > FRESH_S:
                self._seen = (now, await self._look())
            return self._seen[1]

    async def _health(self, request: web.Request) -> web.Response:
        found = await self.seen()
        status = 200 if found.ok else 503
        return web.json_response(found.model_dump(mode="json"), status=status)

    async def _metrics(self, request: web.Request) -> web.Response:
        registry = CollectorRegistry()
        registry.register(HealthFamilies(await self.seen()))
        if isinstance(self._observer, EventsObserver):
            registry.register(Metrics(self._observer))
        body = generate_latest(registry)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})


def serving(site: HealthSite, host: str, port: int) -> AbstractAsyncContextManager[int]:
    """Serve while the context lasts; `listening` says what it gives and raises."""
    setting = configuration.name("health")
    return serve_site(site.application(), host, port, "health", setting)
