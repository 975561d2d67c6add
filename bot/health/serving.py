"""A small HTTP port for monitoring: /health and /metrics, off by default.

Beside whatever serves the platforms, so it is there in Socket Mode and on Discord too.
It tells counts, and nothing that was asked.
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
    """Answers monitors, by looks that are a few seconds old at most.

    Args:
        look: looks at everything.
        observer: of this process; its counters come with the gauges.
    """

    def __init__(self, look: Look, observer: Observer) -> None:
        self._look = look
        self._observer = observer
        self._lock = asyncio.Lock()
        self._seen: tuple[float, Health] | None = None

    def application(self) -> web.Application:
        """Build the application that a server serves."""
        application = web.Application()
        application.add_routes(
            [
                web.get("/health", self._show_health),
                web.get("/metrics", self._show_metrics),
            ]
        )
        return application

    async def read(self) -> Health:
        """Return the last look, or a new one where that is too old; one at a time."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._seen is None or now - self._seen[0] > FRESH_S:
                self._seen = (now, await self._look())
            return self._seen[1]

    async def _show_health(self, request: web.Request) -> web.Response:
        found = await self.read()
        status = 200 if found.ok else 503
        return web.json_response(found.model_dump(mode="json"), status=status)

    async def _show_metrics(self, request: web.Request) -> web.Response:
        registry = CollectorRegistry()
        registry.register(HealthFamilies(await self.read()))
        if isinstance(self._observer, EventsObserver):
            registry.register(Metrics(self._observer))
        body = generate_latest(registry)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})


def serve_health(
    site: HealthSite, host: str, port: int
) -> AbstractAsyncContextManager[int]:
    """Serve while the context lasts; `serve_site` says what it gives and raises."""
    setting = configuration.name("health")
    return serve_site(site.application(), host, port, "health", setting)
