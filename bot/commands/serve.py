"""`serve`: the bot on Slack and Discord, until it is told to end."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated

import typer

from adapters.mail import Platform
from adapters.metrics import serve_metrics
from adapters.observer import EventsObserver
from bot.admin.beside import serve_beside
from bot.admin.guard import build_guard
from bot.console import say
from bot.health.serving import HealthSite
from bot.health.serving import serve_health as watched
from bot.health.state import Health, read_health
from bot.options import Options, group
from bot.reports.schedule import read_channels
from bot.serving.instance import one_server
from bot.serving.platforms import Address, list_configured, plan_openings
from bot.serving.preparing import prepare
from bot.serving.serve import Service, end_by
from bot.serving.workers import Staff
from bot.wiring import Application, read_settings
from config import settings as configuration
from engine.model.errors import UsageError

HELP = """Answer on Slack and Discord until Ctrl-C or SIGTERM.

\b
  groundrule serve                     each platform that there is a token for
  groundrule serve --no-discord        Slack alone
  groundrule serve --http 3000         Slack over HTTP, behind your proxy
  groundrule serve --admin 9470        and the administrators' pages (see `admin`)

Tokens: GROUNDRULE_SLACK_BOT_TOKEN and GROUNDRULE_SLACK_APP_TOKEN,
GROUNDRULE_DISCORD_TOKEN. A channel answers from the pack that an administrator binds to
it (/ask-admin bind PACK, /pack bind), else from GROUNDRULE_SLACK_PACK or
GROUNDRULE_DISCORD_PACK.
"""
HOST = "127.0.0.1"

app = group()


@app.command(help=HELP)
def serve(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    slack: Annotated[
        bool | None, typer.Option("--slack/--no-slack", help="Serve Slack.")
    ] = None,
    discord: Annotated[
        bool | None, typer.Option("--discord/--no-discord", help="Serve Discord.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="Processes that answer.")
    ] = 2,
    http: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve Slack's requests over HTTP."),
    ] = None,
    admin: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve the administrators' pages."),
    ] = None,
) -> None:
    options: Options = ctx.obj
    application = Application(read_settings(options.data))
    wanted = {Platform.SLACK: slack, Platform.DISCORD: discord}
    given = list_configured(application.settings)
    platforms = frozenset(
        platform
        for platform in Platform
        if wanted[platform] or (wanted[platform] is None and platform in given)
    )
    if not platforms:
        raise UsageError(
            "there is nothing to serve: set GROUNDRULE_SLACK_BOT_TOKEN or "
            "GROUNDRULE_DISCORD_TOKEN, or name a platform"
        )
    command = [sys.executable, "-m", "bot", "--data", str(application.data), "work"]
    staff = Staff(workers, command)
    sites = Sites(http=parse_address(http), admin=parse_address(admin, "--admin"))
    asyncio.run(serve_platforms(application, platforms, staff, sites))


@dataclass(frozen=True, slots=True)
class Sites:
    """Where HTTP is served: Slack's requests, and the administrators' pages."""

    http: Address | None = None
    admin: Address | None = None


async def serve_platforms(
    application: Application,
    platforms: frozenset[Platform],
    staff: Staff,
    sites: Sites,
) -> None:
    """Serve platforms until SIGTERM or SIGINT.

    Args:
        application: the parts of this process.
        platforms: those to serve.
        staff: the worker processes.
        sites: where HTTP is served.

    Raises:
        UsageError: a token or a pack is missing or wrong.
        EnvironmentFailed: the database or a platform failed for good.
    """
    async with application:
        opened = plan_openings(application, platforms, sites.http)
        read_channels(application)
        if sites.admin is not None:
            build_guard(application.settings, sites.admin.host, sites.admin.port)
        with (
            one_server(application.data, platforms) as homes,
            _serve_metrics(application),
        ):
            await prepare(application, platforms)
            service = Service(application, opened, staff, homes, end_by)
            pages = _serve_admin(application, service, sites.admin)
            async with _serve_health(application, service), pages:
                await service.run()


def _serve_metrics(application: Application) -> AbstractContextManager[object]:
    """Serve the metrics where the settings ask for them."""
    variable = configuration.name("metrics")
    where = parse_address(application.settings.metrics, variable)
    observer = application.observer
    if where is None or not isinstance(observer, EventsObserver):
        return nullcontext()
    return serve_metrics(observer, where.host, where.port)


@asynccontextmanager
async def _serve_health(
    application: Application, service: Service
) -> AsyncIterator[None]:
    """Serve the health where the settings ask for it."""
    where = parse_address(application.settings.health, configuration.name("health"))
    if where is None:
        yield
        return

    async def look() -> Health:
        return await read_health(application, service.connections)

    site = HealthSite(look, application.observer)
    async with watched(site, where.host, where.port):
        yield


@asynccontextmanager
async def _serve_admin(
    application: Application, service: Service, where: Address | None
) -> AsyncIterator[None]:
    """Serve the administrators' pages where they are asked for."""
    if where is None:
        yield
        return
    asked = build_guard(application.settings, where.host, where.port)
    async with serve_beside(
        application, where, asked, lambda: service.connections
    ) as port:
        say(f"groundrule: administrators' pages at http://{where.host}:{port}/")
        yield


def parse_address(typed: str | None, asked_by: str = "--http") -> Address | None:
    """Parse where to serve HTTP: a port, or a host and a port.

    Raises:
        UsageError: it is neither.
    """
    if typed is None:
        return None
    host, _, port = typed.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"{asked_by} {typed}: give a port, or HOST:PORT")
    return Address(host or HOST, int(port))
