"""`recall`: posted answers that cite what was withdrawn or replaced."""

import asyncio
import json as encoding
from collections import Counter
from typing import Annotated

import typer

from adapters.ledger.recalls import Affected
from adapters.reply import many
from bot.console import bar, print_rows, say, tell
from bot.options import OPERATOR, Options, group
from bot.recall.marking import Marking, list_changeable
from bot.wiring import Application, read_settings

HELP = """Posted answers whose sources were withdrawn or replaced since.

\b
  groundrule recall show oncology
  groundrule recall mark oncology --document https://www.cancer.gov/page

An answer that was given stays verifiable; whoever reads it in a channel does not know
that its source is gone. `mark` says so on top of it, with a button to ask again.
"""
HELP += OPERATOR
SHOW_HELP = """List answers that cite what is gone, oldest first.

\b
  groundrule recall show oncology
  groundrule recall show oncology --document demo/tamoxifen --json

Which answer, when it was asked for, what happened to its source and since when, the
source's document, how many messages show it, whether it is marked. Columns are
separated by tabs; what they are called is said on standard error. Nothing that anybody
asked is shown.
"""
MARK_HELP = """Mark these answers in Slack and Discord, each once.

\b
  groundrule recall mark oncology
  groundrule recall mark oncology --document demo/tamoxifen

`serve` posts the marks, within the platforms' limits. A run that was cut off is
completed by the next. What one person alone saw in a channel cannot be changed.
"""

HEAD = ("answer", "asked", "state", "since", "document", "messages", "marked")

app = group(HELP)

PackGiven = Annotated[str, typer.Argument(metavar="PACK", show_default=False)]
Document = Annotated[
    str | None, typer.Option("--document", metavar="ID", help="Of this one alone.")
]


@app.command(help=SHOW_HELP)
def show(
    ctx: typer.Context,
    pack: PackGiven,
    document: Document = None,
    json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
) -> None:
    asyncio.run(_show(ctx.obj, pack, document, json=json))


@app.command(help=MARK_HELP)
def mark(ctx: typer.Context, pack: PackGiven, document: Document = None) -> None:
    asyncio.run(_mark(ctx.obj, pack, document))


async def _show(
    options: Options, name: str, document: str | None, *, json: bool
) -> None:
    async with Application(read_settings(options.data)) as application:
        gone = await Marking(application, application.pack(name)).find_affected(
            document
        )
    found = [_list_columns(one) for one in gone]
    if json:
        named = [dict(zip(HEAD, row, strict=True)) for row in found]
        tell(encoding.dumps(named, indent=2))
        return
    print_rows(HEAD, found, "no answer was posted that cites what is gone")


async def _mark(options: Options, name: str, document: str | None) -> None:
    counts = Counter[str]()
    async with Application(read_settings(options.data)) as application:
        marking = Marking(application, application.pack(name))
        found = await marking.find_affected(document)
        with bar("answers", len(found)) as steps:
            for one in found:
                counts[await _mark_one(marking, one)] += 1
                steps.file()
    tell(f"{many(counts['marked'], 'answer')} marked, {counts['before']} before")
    if counts["nowhere"]:
        say(f"{many(counts['nowhere'], 'answer')} stand in no message to be changed")


async def _mark_one(marking: Marking, one: Affected) -> str:
    if one.marked is not None:
        return "before"
    return "marked" if await marking.mark(one) else "nowhere"


def _list_columns(one: Affected) -> tuple[object, ...]:
    created = one.stored.record.created
    gone = max(one.gone, key=lambda each: each.changed)
    return (
        one.stored.audit_id,
        created.date().isoformat() if created else "",
        gone.state.value,
        gone.changed[:10],
        ", ".join(sorted({each.document for each in one.gone})),
        len(list_changeable(one)),
        (one.marked or "")[:10] or "not marked",
    )
