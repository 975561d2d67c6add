"""`sources`: a pack's documents: fetched, listed, and taken out of it (R-U1, R-R10)."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from adapters.reply import one_line
from bot.commands import sources_sync
from bot.console import rows, say, tell
from bot.documents.writing import one_writer
from bot.options import Options, PackName, TenantName, group, tenant
from bot.recall.telling import say_recalled
from bot.wiring import Application, read_settings
from engine.documents.records import Membership, VersionState, shelf_of
from engine.errors import UsageError

HELP = """Fetch a pack's documents, list them, or withdraw one.

\b
  python -m bot sources sync mrd --all
  python -m bot sources list --pack oncology
  python -m bot sources withdraw https://www.cancer.gov/page --pack oncology
"""
LIST_HELP = """List a pack's documents.

\b
  python -m bot sources list --pack oncology
  python -m bot sources list --pack oncology --every | grep withdrawn
  python -m bot sources list --pack oncology --tenant slack:T0123ABC

Columns are separated by tabs, so that other programs can read them; what they are
called is said on standard error.
"""
WITHDRAW_HELP = """Take a document out of a pack; answers given stay verifiable.

\b
  python -m bot sources withdraw DOCUMENT --pack oncology

DOCUMENT is an id as `sources list` shows it. It stays out: `ingest` names its file and
leaves it out, unless --again. Posted answers that cite it are counted: `recall`.
"""

HEAD = ("document", "state", "version", "source", "title")

app = group(HELP)
app.command("sync", help=sources_sync.HELP)(sources_sync.sync)


@app.command("list", help=LIST_HELP)
def list_documents(
    ctx: typer.Context,
    pack: PackName = None,
    every: Annotated[
        bool, typer.Option("--every", help="Superseded and withdrawn ones, too.")
    ] = False,
    alone: TenantName = None,
) -> None:
    asyncio.run(_list(ctx.obj, pack, tenant(alone), every=every))


@app.command(help=WITHDRAW_HELP)
def withdraw(
    ctx: typer.Context,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", show_default=False)],
    pack: PackName = None,
    alone: TenantName = None,
) -> None:
    asyncio.run(_withdraw(ctx.obj, pack, tenant(alone), document))


async def _list(options: Options, name: str | None, whose: str, *, every: bool) -> None:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(application.chosen(name))
        shelf = shelf_of(pack.id, whose)
        held = await application.ledger.memberships(shelf)
    shown = [m for m in held if every or m.state is VersionState.CURRENT]
    current = [m for m in held if m.state is VersionState.CURRENT]
    real = any(not m.demo for m in current)
    rows(HEAD, (_columns(m, real=real) for m in shown), "no document")
    if real and any(m.demo for m in shown):
        say("unused: demo texts are not searched beside documents of your own")


def _columns(member: Membership, *, real: bool) -> Sequence[str]:
    """What is listed of a document; `real`: the pack has some that are no demo."""
    state = member.state.value
    if member.demo:
        current = member.state is VersionState.CURRENT
        state += ", demo, unused" if real and current else ", demo"
    return (member.document, state, member.version[:12], member.source, member.title)


async def _withdraw(
    options: Options, name: str | None, whose: str, document: str
) -> None:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(application.chosen(name))
        corpus = application.corpus(pack, whose)
        with one_writer(application.data):
            # The index goes first: what is still in the ledger can be withdrawn again.
            await corpus.index.withdraw(pack.id, document, whose)
            versions = await application.ledger.withdraw(corpus.shelf, document)
        if not versions:
            raise UsageError(
                f"the pack {corpus.name} has no document {document!r}: see "
                f"`{options.program} sources list --pack {pack.id}`"
            )
        tell(one_line(f"withdrawn: {document}"))
        await say_recalled(application, pack, document)
