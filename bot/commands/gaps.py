"""`gaps`: what was asked and not answered, and what closes it."""

import asyncio
import json as encoding
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from adapters.ledger.gaps import Board, Gap, GapState
from adapters.reply import many, one_line
from bot.console import export_lines, print_rows, say, tell
from bot.documents.question_files import Line as Attached
from bot.documents.question_upkeep import Upkeep
from bot.documents.writing import one_writer
from bot.gaps.closing import Closing
from bot.gaps.collecting import collect
from bot.gaps.exporting import write_labels, write_suite
from bot.gaps.viewing import Line, Shown, View, Viewer
from bot.options import (
    DocumentId,
    FirstWords,
    Heading,
    HeldTags,
    Options,
    TenantName,
    group,
    parse_tenant,
    plain,
    split_names,
)
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError
from engine.policy.pack import Pack

HELP = """What people asked and did not get, grouped by what it means.

\b
  groundrule gaps list oncology
  groundrule gaps show oncology 3f2a
  groundrule gaps attach oncology 3f2a "Can I swim?" --document ID --section Swimming
  groundrule gaps close oncology 3f2a
  groundrule gaps export oncology --to gaps.yaml

Refused questions, "None of these" and "Not helpful" come together here, masked and
without who asked. A gap closes when the gate opens for its questions: by a document
(looked at after every `ingest`) or by a passage that a question is attached to. Then
those who asked to be told, or said that a reply was not what they needed, are told in
its thread, once. What was asked with access tags is shown to who names them with
--tags. The same can be done in a browser: groundrule admin.
"""
LIST_HELP = """List gaps, the one asked last first.

\b
  groundrule gaps list oncology
  groundrule gaps list oncology --every | grep dismissed
  groundrule gaps list oncology --json

Columns are separated by tabs, so that other programs can read them; what they are
called is said on standard error.
"""
SHOW_HELP = """Show a gap: its questions, the pages that came nearest, why it is open.

\b
  groundrule gaps show oncology 3f2a
"""
ATTACH_HELP = """Attach a question, in your own words, to the passage that answers it.

\b
  groundrule gaps attach oncology 3f2a "Can I swim?" --document ID --section Swimming
  groundrule gaps attach oncology 3f2a "Can I swim?" --document ID --quote "One may"

The words are yours, because they stay with the document: those of the askers are
deleted with them. The gap closes where the gate opens for what was asked; else it stays
open, the reason is said, and the exit code is 1.
"""
CLOSE_HELP = """Close a gap where the gate opens for it, or take it off the board.

\b
  groundrule gaps close oncology 3f2a
  groundrule gaps close oncology 3f2a --not-ours "about another clinic"
  groundrule gaps close oncology 3f2a --again

Exit code 1 where the gate stays closed: then the gap stays open.
"""
EXPORT_HELP = """Write gaps as eval cases: refuse while open, answer once closed.

\b
  groundrule gaps export oncology --to gaps.yaml
  groundrule gaps export oncology --labels --to labelled.jsonl

With --labels they become labelled questions for `evals calibrate --questions`: each
that somebody attached to a passage, with it, and each dismissed one as a question that
no page answers. What is open says neither, and is counted.
"""
STAYS_OPEN = 1
HEAD = ("id", "state", "questions", "last", "tenant", "reasons", "question")

app = group(HELP)

PackGiven = Annotated[str, typer.Argument(metavar="PACK", show_default=False)]
GapGiven = Annotated[str, typer.Argument(metavar="GAP", show_default=False)]


@dataclass(frozen=True, slots=True)
class Context:
    """The parts that the verbs work with."""

    application: Application
    pack: Pack
    board: Board
    view: View


Work = Callable[[Context], Awaitable[int]]


@app.command("list", help=LIST_HELP)
def list_gaps(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: PackGiven,
    every: Annotated[
        bool, typer.Option("--every", help="Closed and dismissed ones, too.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
    tags: HeldTags = "",
    alone: TenantName = None,
) -> None:
    async def work(context: Context) -> int:
        shown = await context.view.some(() if every else (GapState.OPEN,))
        if json:
            tell(encoding.dumps([_as_json(line) for line in shown.lines], indent=2))
            return 0
        none = "no gap" if every else "no open gap: --every lists the others, too"
        print_rows(HEAD, map(_list_columns, shown.lines), none)
        if shown.hidden:
            say(f"{many(shown.hidden, 'gap')} not shown: name access tags with --tags")
        return 0

    raise typer.Exit(_run(ctx, pack, (tags, alone), work))


@app.command(help=SHOW_HELP)
def show(
    ctx: typer.Context,
    pack: PackGiven,
    gap: GapGiven,
    tags: HeldTags = "",
    alone: TenantName = None,
) -> None:
    async def work(context: Context) -> int:
        for line in _describe(await context.view.show(gap)):
            tell(line)
        return 0

    raise typer.Exit(_run(ctx, pack, (tags, alone), work))


@app.command(help=ATTACH_HELP)
def attach(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: PackGiven,
    gap: GapGiven,
    question: Annotated[str, typer.Argument(show_default=False)],
    document: DocumentId,
    section: Heading = None,
    quote: FirstWords = None,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who says so.")] = "",
    tags: HeldTags = "",
    alone: TenantName = None,
) -> None:
    async def work(context: Context) -> int:
        found = await context.view.gap(gap)
        corpus = context.application.corpus(context.pack, parse_tenant(alone))
        with one_writer(context.application.data):
            line = Attached(document, plain(question), section, quote, "")
            added = await Upkeep(corpus, found.tags).add(line, by)
        if added.kept_out is not None:
            say(f"kept out of use: {one_line(added.text)!r}: {added.kept_out}")
            return STAYS_OPEN
        return await _check(context, found)

    raise typer.Exit(_run(ctx, pack, (tags, alone), work))


@app.command(help=CLOSE_HELP)
def close(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: PackGiven,
    gap: GapGiven,
    not_ours: Annotated[
        str | None,
        typer.Option("--not-ours", metavar="WHY", help="No matter of this pack."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Open a dismissed gap again.")
    ] = False,
    tags: HeldTags = "",
    alone: TenantName = None,
) -> None:
    async def work(context: Context) -> int:
        found = await context.view.gap(gap)
        if again or not_ours is not None:
            board = context.board
            moved = await (
                board.reopen(found.id)
                if again
                else board.dismiss(found.id, plain(not_ours or ""))
            )
            if not moved:
                raise UsageError(f"the gap {found.id} is {found.state}")
            tell(f"{found.id}: {'open again' if again else 'dismissed'}")
            return 0
        return await _check(context, found)

    raise typer.Exit(_run(ctx, pack, (tags, alone), work))


@app.command(help=EXPORT_HELP)
def export(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: PackGiven,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Else standard output.")
    ] = None,
    labelled: Annotated[
        bool, typer.Option("--labels", help="As labelled questions.")
    ] = False,
    tags: HeldTags = "",
    alone: TenantName = None,
) -> None:
    async def work(context: Context) -> int:
        if labelled:
            corpus = context.application.corpus(context.pack, parse_tenant(alone))
            export_lines(
                await _label_gaps(context, Upkeep(corpus, split_names(tags))),
                "question",
                to,
            )
            return 0
        lines = await context.view.lines(GapState.OPEN, GapState.CLOSED)
        export_lines(
            write_suite(context.pack.id, lines).splitlines(), "gap", to, len(lines)
        )
        return 0

    raise typer.Exit(_run(ctx, pack, (tags, alone), work))


async def _label_gaps(context: Context, upkeep: Upkeep) -> list[str]:
    """Write labelled questions; gaps that are open are counted on standard error."""
    left = len(await context.view.lines(GapState.OPEN))
    if left:
        say(
            f"{many(left, 'open gap')} left out: `gaps attach` says which passage "
            "answers, `gaps close --not-ours` that none does"
        )
    return write_labels(
        await upkeep.list_attached(), await context.view.lines(GapState.DISMISSED)
    )


def _run(
    ctx: typer.Context, name: str, seen: tuple[str, str | None], work: Work
) -> int:
    options: Options = ctx.obj
    held, alone = seen
    whose = None if alone is None else parse_tenant(alone)
    viewer = Viewer(tags=frozenset(split_names(held)), tenant=whose)

    async def run() -> int:
        async with Application(read_settings(options.data)) as application:
            pack = application.pack(name)
            await collect(application, pack)
            board = Board(application.ledger)
            view = View(board, pack.id, viewer)
            return await work(Context(application, pack, board, view))

    return asyncio.run(run())


async def _check(context: Context, gap: Gap) -> int:
    """Try the questions of an open gap, and say what came of it."""
    if gap.state is not GapState.OPEN:
        raise UsageError(f"the gap {gap.id} is {gap.state}")
    checked = await Closing(context.application, context.pack).check(gap)
    if not checked.closed:
        say(f"{gap.id} stays open: {one_line(checked.why)}")
        return STAYS_OPEN
    tell(f"{gap.id}: closed, {many(checked.told, 'asker')} told")
    return 0


def _list_columns(line: Line) -> list[str]:
    gap = line.gap
    reasons = ", ".join(f"{n} {reason}" for reason, n in line.reasons.items())
    where = gap.tenant + (f" ({', '.join(sorted(gap.tags))})" if gap.tags else "")
    cells = (gap.id, gap.state.value, str(line.questions), line.newest, where)
    return [*cells, reasons, line.text]


def _as_json(line: Line) -> dict[str, object]:
    content: dict[str, object] = line.model_dump(mode="json", exclude={"gap", "near"})
    gap = line.gap.model_dump(mode="json", exclude={"tags"})
    return gap | {"tags": sorted(line.gap.tags)} | content


def _describe(shown: Shown) -> list[str]:
    gap, line = shown.line.gap, shown.line
    told = [f"{gap.id}  {gap.state.value}, {many(line.questions, 'question')}"]
    if gap.why:
        told.append(f"why: {one_line(gap.why)}")
    for one in shown.asked:
        cause = one.said or one.refused or ""
        told.append("\t".join((one.asked, one.audit_id, cause, one_line(one.text))))
    told += [f"near: {one_line(page)}" for page in shown.nearest]
    return told
