"""`verify`: the proof of stored answers, offline and without a model."""

import asyncio
from typing import Annotated

import typer

from adapters.ledger.report import Report
from adapters.reply import many, one_line
from bot.console import say, tell
from bot.documents.proof import find_differences
from bot.options import Options, group
from bot.wiring import Application, read_settings
from engine.model.errors import EnvironmentFailed, UsageError

HELP = """Prove stored answers: every quote at its place in the stored document.

\b
  groundrule verify 3f9a01c2d4e5
  groundrule verify --all

Recomputed from stored bytes: the chain of records, the documents' hashes, each quote
at its offsets, and which pack was bound to which channel; with --all also whether the
index says of documents what the ledger says. No language model and no network is used,
but for an index on a server. Exit code 1 where anything differs; each is named.
"""
DIFFERS = 1

app = group()


@app.command(help=HELP)
def verify(
    ctx: typer.Context,
    answer: Annotated[
        str | None,
        typer.Argument(metavar="ANSWER_ID", show_default=False),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Every answer, document, membership and binding."),
    ] = False,
) -> None:
    if (answer is None) == (not every):
        raise UsageError("verify needs an answer's id, or --all")
    raise typer.Exit(asyncio.run(_verify(ctx.obj, answer)))


async def _verify(options: Options, answer: str | None) -> int:
    settings = read_settings(options.data)
    async with Application(settings, only_read=True) as application:
        ledger = application.ledger
        report = await (ledger.verify(answer) if answer else ledger.verify_all())
        changed = 0 if answer else await _compare_index(application)
    _show(report)
    return DIFFERS if changed or not report.ok else 0


async def _compare_index(application: Application) -> int:
    """Name the documents of which an index and the ledger differ; return how many.

    An index that cannot be read proves nothing, and is said not to have been compared.
    """
    settings = application.settings
    if settings.index == "embedded" and not (application.data / "index").is_dir():
        return 0
    number = 0
    try:
        for name in application.pack_names():
            for corpus in await application.corpora(application.pack(name)):
                async for told in find_differences(corpus):
                    number += 1
                    say(f"index changed: {one_line(told)}; reindex --fresh mends it")
    except (EnvironmentFailed, UsageError) as error:
        say(f"not compared with the index: {error}")
    return number


def _show(report: Report) -> None:
    for failure in report.failures:
        entry = f" in entry {failure.sequence}" if failure.sequence is not None else ""
        answer = f" of answer {failure.audit_id}" if failure.audit_id else ""
        say(f"{failure.fault.value}{entry}{answer}: {one_line(failure.detail)}")
    if report.more:
        say(f"and {report.more} more")
    failures = many(len(report.failures) + report.more, "failure")
    counts = (
        many(report.answers, "answer"),
        many(report.quotes, "quote"),
        many(report.versions, "document version"),
        many(report.entries, "chain link"),
        f"{report.forgotten} forgotten",
    )
    said = "verified" if report.ok else failures
    tell(f"{said}: {', '.join(counts)}; head {report.head[:16]}")
