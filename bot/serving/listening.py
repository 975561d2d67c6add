"""An HTTP site at an address, for as long as a context lasts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from engine.model.errors import EnvironmentFailed

STOPPING_S = 3.0


@asynccontextmanager
async def serve_site(
    site: web.Application, host: str, port: int, what: str, setting: str
) -> AsyncIterator[int]:
    """Serve a site, and give its port, where 0 chose one.

    An error tells `what` could not be served, and the setting of its address.

    Raises:
        EnvironmentFailed: nothing can be served at this address.
    """
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=STOPPING_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host.strip("[]"), port).start()
        except OSError as error:
            raise EnvironmentFailed(
                f"cannot show {what} at {host}:{port} ({error.strerror}): "
                f"choose another address with {setting}"
            ) from error
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
