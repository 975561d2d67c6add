"""`ingest`: a document or a folder of documents into a pack."""

import asyncio
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace as alter
from pathlib import Path
from typing import Annotated

import typer

from adapters.index.upkeep import SHARED
from adapters.loaders.sandbox import Parser, list_served
from adapters.reply import many
from bot.console import bar, say, tell
from bot.documents.demo import FOLDER
from bot.documents.ingest import Job, Summary, ingest, look
from bot.documents.writing import one_writer
from bot.gaps.closing import check_gaps
from bot.options import (
    Options,
    PackName,
    TenantName,
    group,
    parse_access_tags,
    parse_tenant,
)
from bot.recall.marking import say_recalled
from bot.wiring import Application, read_settings
from engine.model.document import IngestAction
from engine.model.errors import UsageError

HELP = """Take a document or a folder of documents into a pack.

\b
  groundrule ingest documents/ --pack oncology
  groundrule ingest notes.md --pack textbook --source course-documents
  groundrule ingest documents/ --pack oncology --prune
  groundrule ingest internal/ --pack oncology --tags staff
  groundrule ingest ours/ --pack oncology --tenant slack:T0123ABC

Safe to repeat: what has not changed is left alone, and a run that was cut off goes on.
Each file's source is found by --source, by `source:` in its front matter, by the `url:`
there or by its path, as the pack's register says; what a web page's own markup says of
it does not count. A bad file is named and the rest goes in: exit code 1. A file that is
gone stays in force unless --prune. A file with the id of another one is named and left
out unless --replace, what was withdrawn unless --again. A `url:` that lies below no
address of its source in the register is named and not linked; --strict-links refuses
the file. With --tenant, only questions from that Slack workspace or Discord server find
the documents. What was asked before and is answered now closes its gap (`gaps`), and
who wanted to know is told.
"""
ACTIONS: tuple[IngestAction, ...] = (
    "added",
    "changed",
    "unchanged",
    "pruned",
    "skipped",
    "failed",
)
FAILED = 1
MANY = 4  # places of one reason, from which on the first is named and the rest counted
# "skipped: PLACE: REASON"; a message without a reason is all place
_PLACED = re.compile(r"(?s)\A((?:skipped|left out): )?(.*?)((?:: .*)?)\Z")

app = group()


@app.command("ingest", help=HELP)
def run(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="DIR|FILE", show_default=False)],
    pack: PackName = None,
    source: Annotated[
        str | None, typer.Option(metavar="ID", help="The source of every file.")
    ] = None,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Withdraw what is gone from below DIR."),
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Let files take over the ids of others."),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Take in what was withdrawn, too.")
    ] = False,
    tags: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Access tags for every document."),
    ] = None,
    strict_links: Annotated[
        bool,
        typer.Option("--strict-links", help="Refuse a url that its source lacks."),
    ] = False,
    alone: TenantName = None,
) -> None:
    if prune and path.is_file():
        raise UsageError("--prune goes with a folder")
    job = Job(
        path,
        source=source,
        tags=parse_access_tags(tags),
        prune=prune,
        replace=replace,
        again=again,
        strict_links=strict_links,
    )
    raise typer.Exit(asyncio.run(take_in(ctx.obj, pack, parse_tenant(alone), job)))


async def take_in(options: Options, name: str | None, whose: str, job: Job) -> int:
    """Take documents in and say what came of it; return the exit code."""
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(application.choose_pack(name))
        folder = look(job.path, list_served(pack.sources))
        demo = application.settings.packs / pack.id / FOLDER
        own = job.source is not None or whose != SHARED
        # Demo texts' questions were tried when they were written, as on first use.
        job = alter(job, demo=not own and job.path.resolve() == demo.resolve())
        started = time.monotonic()
        with (
            one_writer(application.data),
            Parser() as parser,
            bar(pack.id, len(folder.files)) as steps,
        ):
            corpus = application.corpus(pack, whose)
            summary = await ingest(corpus, parser, job, folder, steps)
        show(summary, time.monotonic() - started)
        await check_gaps(application, pack)
        if summary.actions["changed"] or summary.actions["pruned"]:
            await say_recalled(application, pack)
    return FAILED if summary.failures else 0


def group_messages(messages: Iterable[str]) -> Iterator[str]:
    """Group messages of a place and a reason; of many, give the first and a count."""
    places: dict[tuple[str, str], list[str]] = {}
    for message in messages:
        kind, place, reason = _PLACED.findall(message)[0]
        places.setdefault((kind, reason), []).append(place)
    for (kind, reason), found in places.items():
        if len(found) < MANY:
            yield from (f"{kind}{place}{reason}" for place in found)
        else:
            yield f"{kind}{found[0]} and {len(found) - 1} more{reason}"


def show(summary: Summary, seconds: float) -> None:
    """Say by name what failed or was left out, and count the rest.

    Names go to standard error, counts to standard output. A reason that many share is
    told once. Below the counts, which rule found the source of how many documents, and
    which globs took those whose source was not named.
    """
    for note in group_messages((*summary.notes, *summary.summarize_remarks())):
        say(note)
    for failure in group_messages(summary.failures):
        say(f"failed: {failure}")
    counts = ", ".join(f"{summary.actions[action]} {action}" for action in ACTIONS)
    tell(counts)
    by_source: dict[str, list[str]] = {}
    for (source, rule), number in sorted(summary.bound.items()):
        by_source.setdefault(source, []).append(f"{number} by {rule}")
    for source, rules in by_source.items():
        say(f"source {source}: {', '.join(rules)}")
    for source, globs in sorted(summary.globs.items()):
        say(
            f"source {source}: nobody named it; the pack's register takes what lies "
            f"below {', '.join(sorted(globs))}; --source names another"
        )
    if summary.chunks and seconds:
        rate = summary.chunks / max(seconds, 0.001)
        say(f"{many(summary.chunks, 'chunk')} in {seconds:.1f} s, {rate:.0f} a second")
