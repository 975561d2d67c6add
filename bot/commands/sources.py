"""`sources`: a pack's documents: fetched, listed, and taken out of it."""

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated

import typer

from adapters.loaders.sandbox import Parser
from adapters.reply import one_line
from bot.commands import sources_sync
from bot.commands.ingest import FAILED, show
from bot.console import bar, print_rows, say, tell
from bot.documents import rereading
from bot.documents.ingest import Summary
from bot.documents.writing import one_writer
from bot.gaps.closing import check_gaps
from bot.options import OPERATOR, Options, PackName, TenantName, group, parse_tenant
from bot.recall.marking import say_recalled
from bot.wiring import Application, read_settings
from engine.model.document import Membership, VersionState, shelf_of
from engine.model.errors import UsageError

HELP = """Fetch a pack's documents, list them, or withdraw one.

\b
  groundrule sources sync mrd --all
  groundrule sources list --pack oncology
  groundrule sources withdraw https://www.cancer.gov/page --pack oncology
  groundrule sources reread --pack oncology
"""
HELP += OPERATOR
LIST_HELP = """List a pack's documents.

\b
  groundrule sources list --pack oncology
  groundrule sources list --pack oncology --every | grep withdrawn
  groundrule sources list --pack oncology --tenant slack:T0123ABC

Columns are separated by tabs, so that other programs can read them; what they are
called is said on standard error.
"""
WITHDRAW_HELP = """Take a document out of a pack; answers given stay verifiable.

\b
  groundrule sources withdraw DOCUMENT --pack oncology

DOCUMENT is an id as `sources list` shows it. It stays out: `ingest` names its file and
leaves it out, unless --again. Posted answers that cite it are counted: `recall`.
"""

REREAD_HELP = """Read again the texts that loaders of an earlier release read.

\b
  groundrule sources reread --pack oncology
  groundrule doctor | grep loaders

A loader that is mended reads a file otherwise, and what it stored before stays as it
was until then. Each file is read where it lay; a document keeps its source and its
access tags. What is refused today is named and taken out until its file is mended;
what is gone is named and stays. Posted answers whose text changed are counted: see
`recall`. Exit code 1 where something could not be read.
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
    asyncio.run(_list(ctx.obj, pack, parse_tenant(alone), every=every))


@app.command(help=WITHDRAW_HELP)
def withdraw(
    ctx: typer.Context,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", show_default=False)],
    pack: PackName = None,
    alone: TenantName = None,
) -> None:
    asyncio.run(_withdraw(ctx.obj, pack, parse_tenant(alone), document))


@app.command(help=REREAD_HELP)
def reread(ctx: typer.Context, pack: PackName = None) -> None:
    raise typer.Exit(asyncio.run(_reread(ctx.obj, pack)))


async def _reread(options: Options, name: str | None) -> int:
    """Read all shelves of a pack again, because a loader knows none."""
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(application.choose_pack(name))
        summary, started = Summary(), time.monotonic()
        with one_writer(application.data), Parser() as parser:
            for corpus in await application.corpora(pack):
                wanted = await rereading.list_files(corpus)
                with bar(corpus.name, len(wanted)) as steps:
                    summary.add(await rereading.reread(corpus, parser, steps))
        show(summary, time.monotonic() - started)
        await check_gaps(application, pack)
        await say_recalled(application, pack)
    return FAILED if summary.failures else 0


async def _list(options: Options, name: str | None, whose: str, *, every: bool) -> None:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(application.choose_pack(name))
        shelf = shelf_of(pack.id, whose)
        held = await application.ledger.memberships(shelf)
    shown = [m for m in held if every or m.state is VersionState.CURRENT]
    current = [m for m in held if m.state is VersionState.CURRENT]
    real = any(not m.demo for m in current)
    print_rows(HEAD, (_list_columns(m, real=real) for m in shown), "no document")
    if real and any(m.demo for m in shown):
        say("unused: demo texts are not searched beside documents of your own")


def _list_columns(member: Membership, *, real: bool) -> Sequence[str]:
    """List what is shown of a document; `real`: the pack has more than demo texts."""
    state = member.state.value
    if member.demo:
        current = member.state is VersionState.CURRENT
        state += ", demo, unused" if real and current else ", demo"
    return (member.document, state, member.version[:12], member.source, member.title)


async def _withdraw(
    options: Options, name: str | None, whose: str, document: str
) -> None:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(application.choose_pack(name))
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
