"""`admin`: the administrators' pages, without any platform."""

import asyncio
import signal
from typing import Annotated

import typer

from bot.admin.guard import Guard, build_guard
from bot.admin.reading import PageReader
from bot.admin.site import AdminSite, serve_admin
from bot.commands.serve import parse_address
from bot.console import tell
from bot.options import Options, group
from bot.serving.platforms import Address
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError

HELP = """Show health, gap board, outcomes, sources and reports in a browser.

\b
  groundrule admin 9470                 http://127.0.0.1:9470, on this machine alone
  groundrule serve --admin 9470         the same beside the platforms

Until Ctrl-C or SIGTERM. Questions are masked, and who asked is not shown; what was
asked with access tags is shown where GROUNDRULE_ADMIN_TAGS names all of them. At
another address than this machine's it is served only with GROUNDRULE_ADMIN_TOKEN, a
password that browsers ask for, or GROUNDRULE_ADMIN_LOGIN, the header in which your
proxy says who logged in; then GROUNDRULE_ADMIN_OWNERS says who sees which pack.
"""

app = group()


@app.command(help=HELP)
def admin(
    ctx: typer.Context,
    at: Annotated[
        str, typer.Argument(metavar="[HOST:]PORT", help="Where.", show_default=False)
    ],
) -> None:
    options: Options = ctx.obj
    application = Application(read_settings(options.data))
    where = parse_address(at, "admin")
    if where is None:
        raise UsageError("admin: give a port, or HOST:PORT")
    asked = build_guard(application.settings, where.host, where.port)
    asyncio.run(_serve(application, where, asked))


async def _serve(application: Application, where: Address, asked: Guard) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sign, told.set)
    async with application:
        tags = frozenset(application.settings.admin_tags)
        site = AdminSite(PageReader(application, tags), asked)
        async with serve_admin(site, where.host, where.port) as port:
            tell(f"administrators' pages at http://{where.host}:{port}/")
            await told.wait()
