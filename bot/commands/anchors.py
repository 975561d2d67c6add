"""`anchors`: rebuild quote anchors, and report how many passages have enough."""

import asyncio
from typing import Annotated

import typer

from adapters.reply import many
from bot.console import bar, tell
from bot.documents.reindex import current_members, measure_anchors, reindex
from bot.documents.writing import one_writer
from bot.options import Options, PackName, group
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError

HELP = """Rebuild quote anchors, and report their coverage.

\b
  groundrule anchors rebuild --all --pack oncology
  groundrule anchors report --pack oncology
"""
REBUILD_HELP = """Rebuild the anchors of documents from the ledger, and report coverage.

\b
  groundrule anchors rebuild --all --pack oncology
  groundrule anchors rebuild demo/tamoxifen --pack oncology
"""

app = group(HELP)


@app.command(help=REBUILD_HELP)
def rebuild(
    ctx: typer.Context,
    documents: Annotated[
        list[str] | None, typer.Argument(metavar="DOCUMENT...", show_default=False)
    ] = None,
    pack: PackName = None,
    every: Annotated[bool, typer.Option("--all", help="Every document.")] = False,
) -> None:
    if every == bool(documents):
        raise UsageError("anchors rebuild needs document ids, or --all")
    asyncio.run(_rebuild(ctx.obj, pack, documents))


@app.command(help="Report how many passages have the anchors they should have.")
def report(
    ctx: typer.Context,
    pack: PackName = None,
) -> None:
    asyncio.run(_report(ctx.obj, pack))


async def _rebuild(
    options: Options, name: str | None, documents: list[str] | None
) -> None:
    async with Application(read_settings(options.data)) as application:
        corpus = application.corpus(application.pack(application.choose_pack(name)))
        members = await current_members(corpus)
        unknown = [wanted for wanted in documents or () if wanted not in members]
        if unknown:
            raise UsageError(f"no current document is called {unknown[0]!r}")
        with (
            one_writer(application.data),
            bar(f"{corpus.pack.id} anchors", len(members)) as steps,
        ):
            done = await reindex(corpus, steps, documents or members)
        tell(f"{many(done, 'document')} rebuilt")
    await _report(options, name)


async def _report(options: Options, name: str | None) -> None:
    async with Application(read_settings(options.data)) as application:
        corpus = application.corpus(application.pack(application.choose_pack(name)))
        found = await measure_anchors(corpus)
    tell(
        f"{many(found.items, 'passage')}, {many(found.anchors, 'anchor')}: "
        f"{found.covered} ({found.share:.1%}) with {found.target} anchors, or with all "
        "that a shorter passage can have"
    )
