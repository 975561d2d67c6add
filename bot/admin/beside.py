"""The administrators' site beside what serves platforms: a thread with its own parts.

A look at a long board or a week takes a while; an acknowledgement must not wait for it.
So the site has an event loop, a ledger and an index of its own.
"""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from bot.admin.guard import Guard
from bot.admin.reading import Connections, PageReader
from bot.admin.site import AdminSite, serve_admin
from bot.serving.platforms import Address
from bot.wiring import Application


@asynccontextmanager
async def serve_beside(
    application: Application, where: Address, guard: Guard, connections: Connections
) -> AsyncIterator[int]:
    """Serve while the context lasts, and give the port.

    Raises:
        EnvironmentFailed: nothing can be served at this address.
    """
    begun: Future[int] = Future()
    ending = threading.Event()

    async def serve() -> None:
        tags = frozenset(application.settings.admin_tags)
        async with application.another() as own:
            site = AdminSite(PageReader(own, tags, connections), guard)
            async with serve_admin(site, where.host, where.port) as port:
                begun.set_result(port)
                await asyncio.to_thread(ending.wait)

    with ThreadPoolExecutor(1, "admin") as thread:
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(thread, lambda: asyncio.run(serve()))
        port = asyncio.wrap_future(begun)
        try:
            first: set[asyncio.Future[Any]] = {running, port}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running  # says why it did not begin
            yield await port
        finally:
            ending.set()
            await asyncio.wait({running})
