"""`reindex`: make the index from the ledger, beside one of another embedder."""

import asyncio
from collections.abc import Collection, Mapping
from typing import Annotated

import typer

from adapters.index.upkeep import TenantInactive
from adapters.reply import many
from bot.console import bar, say, tell
from bot.documents.corpus import Corpus
from bot.documents.reindex import current_members, reindex, superseded_members
from bot.documents.writing import one_writer
from bot.options import Options, group
from bot.wiring import Application, read_settings
from engine.model.errors import DocumentError
from engine.questions.records import Questions

HELP = """Make the index agree with the ledger.

\b
  groundrule reindex            # put in what is missing, take out what is gone
  groundrule reindex --fresh    # the index is damaged: make it again

What a workspace or server has alone (`ingest --tenant`) is brought up with the rest.
After a change of embedder or chunker the new index is made beside the old one, which is
deleted when the new one is complete. A run that was cut off goes on; with --fresh on a
server it begins anew, and deletes what the one before had begun. What was replaced or
withdrawn is deleted, too: on a server when that is a minute ago, in a folder where it
is more than the rest.
"""

# Shelf -> document -> the questions that its passages answer.
Asked = Mapping[str, Mapping[str, Questions]]

app = group()


@app.command("reindex", help=HELP)
def run(
    ctx: typer.Context,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make this embedder's index from nothing.")
    ] = False,
) -> None:
    asyncio.run(_run(ctx.obj, fresh=fresh))


async def _run(options: Options, *, fresh: bool) -> None:
    async with Application(read_settings(options.data)) as application:
        with one_writer(application.data):
            documents = await bring_up(application, fresh=fresh)
    tell(f"{many(documents, 'document')} indexed")


async def bring_up(
    application: Application,
    *,
    fresh: bool = False,
    histories: bool = False,
    asked: Asked | None = None,
) -> int:
    """Bring the index of every pack to its ledger; return how many documents went in.

    Args:
        application: the parts of the process.
        fresh: delete the index first.
        histories: put documents of several versions in again.
        asked: the questions that documents had when they were indexed; those whose
            questions differ now are put in again.

    Raises:
        DocumentError: documents cannot be indexed; all others are done.
        TenantInactive: a tenant is switched off on the server; all others are done.
    """
    packs = [application.pack(name) for name in application.pack_names()]
    done, problems = 0, list[TenantInactive | DocumentError]()
    home = application.search.home
    left = await home.begin(fresh=fresh)
    if left:
        say(f"deleted what {many(left, 'earlier run')} began and did not end")
    for pack in packs:
        for corpus in await application.corpora(pack):
            try:
                wanted = await _find_changed(application, corpus, asked or {})
                if histories:
                    wanted |= (await superseded_members(corpus)).keys()
                done += await _bring_up(corpus, wanted)
            except (TenantInactive, DocumentError) as error:
                problems.append(error)
    dropped = await home.finish()
    if dropped:
        say(f"{many(dropped, 'passage')} of earlier versions deleted")
    if problems:
        said = "; ".join(dict.fromkeys(map(str, problems)))
        away = any(isinstance(error, TenantInactive) for error in problems)
        kind = TenantInactive if away else DocumentError
        raise kind(f"{said}; all else is done")
    return done


async def _find_changed(
    application: Application, corpus: Corpus, before: Asked
) -> set[str]:
    """Find the documents whose questions differ from those before."""
    if corpus.shelf not in before:
        return set()
    earlier = before[corpus.shelf]
    now = await application.ledger.all_questions(corpus.shelf)
    both = earlier.keys() | now.keys()
    return {name for name in both if earlier.get(name) != now.get(name)}


async def _bring_up(corpus: Corpus, wanted: Collection[str]) -> int:
    members = await current_members(corpus)
    with bar(corpus.name, len(members)) as steps:
        done = await reindex(corpus, steps, wanted)
    say(f"{corpus.name}: {many(len(members), 'document')} as in the ledger")
    return done
