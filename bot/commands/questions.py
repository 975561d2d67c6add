"""`questions`: those that the passages of a pack answer."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from adapters.reply import inert, many, one_line
from bot.console import bar, export_lines, out, print_rows, say, tell
from bot.documents.question_files import Line, format_lines
from bot.documents.question_upkeep import Kept, Upkeep
from bot.documents.question_writing import Plan, Writing, Written
from bot.documents.writing import one_writer
from bot.options import (
    OPERATOR,
    DocumentId,
    FirstWords,
    Heading,
    Options,
    TenantName,
    group,
    parse_tenant,
)
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError
from engine.model.prompt import Usage
from engine.questions.records import PassageQuestion

HELP = """Questions that the passages of a pack answer.

\b
  groundrule questions write oncology --budget 2.50
  groundrule questions add oncology "Can I swim?" --document ID --section Swimming
  groundrule questions list oncology
  groundrule questions review oncology --by "Dr Ada Lovelace"
  groundrule questions export oncology --to questions.jsonl
  groundrule questions remove oncology 3f2a91c07d

They are compared with what somebody asks; no model is asked then, and only the passage
is ever shown. A question is used once its passage speaks of it without its help, and
the gate opens for it there. What the front matter of a document says is only offered to
choose from until somebody reviewed it.
"""
HELP += OPERATOR
WRITE_HELP = """Ask the configured model for questions that passages answer.

\b
  groundrule questions write oncology --estimate
  groundrule questions write oncology --budget 2.50
  groundrule questions write textbook --document demo/ros2-qos --most 5

What it will take is printed before it starts. Each passage is asked for once: a run
that was cut off, or whose budget was spent, goes on where it was. A question is kept
where the sentences that the model named hold its figures, its names and the kind of
answer that it asks for, and the gate opens for it on that passage; others are dropped
and counted. Documents with access tags, and those of one workspace or server, are sent
to no model unless the pack says `questions: {restricted_to_model: true}`.
"""
ADD_HELP = """Attach a question to a passage.

\b
  groundrule questions add oncology "Can I swim?" --document ID --section Swimming
  groundrule questions add oncology "Can I swim?" --document ID --quote "People may"

It is kept out of use, and the reason is said, where the gate stays closed: exit code 1.
"""
LIST_HELP = """List questions, and the passages that they are attached to.

\b
  groundrule questions list oncology
  groundrule questions list oncology --document demo/tamoxifen | grep out

Columns are separated by tabs, so that other programs can read them; what they are
called is said on standard error.
"""
REVIEW_HELP = """Look through questions that nobody has reviewed.

\b
  groundrule questions review oncology --by "Dr Ada Lovelace"

Each is shown below its passage; type k to keep it, e to rewrite it, d to drop it, q
to stop. Every decision is stored at once, so the next run goes on.
"""
EXPORT_HELP = """Write the questions in use as lines of questions.jsonl.

\b
  groundrule questions export oncology --to questions.jsonl
"""
REMOVE_HELP = """Take a question out of use for good.

\b
  groundrule questions remove oncology ID

ID is what `questions list` shows. A file that says it does not bring it back.
"""
KEPT_OUT, FAILED = 1, 1
HEAD = ("id", "state", "origin", "document", "section", "question")
CACHE = Path("cache") / "questions"
# What a verb does, and the exit code that it comes to.
Work = Callable[[Application, Upkeep], Awaitable[int]]

PackGiven = Annotated[str, typer.Argument(metavar="PACK", show_default=False)]
Document = Annotated[
    str | None, typer.Option("--document", metavar="ID", help="Of this one alone.")
]
Reviewer = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who says so; it is stored.")
]

app = group(HELP)


@app.command(help=WRITE_HELP)
def write(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: PackGiven,
    budget: Annotated[
        float | None,
        typer.Option(metavar="USD", min=0.0, help="Stop before more is spent."),
    ] = None,
    most: Annotated[
        int, typer.Option(min=1, max=5, help="Questions of one passage.")
    ] = 3,
    document: Document = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it will take, and stop.")
    ] = False,
    alone: TenantName = None,
) -> None:
    async def work(application: Application, kept: Upkeep) -> int:
        questioner = application.models.questioner(most)
        folder = application.data / CACHE
        writing = Writing(kept.corpus, questioner, folder, budget)
        plan = await writing.plan(document)
        if document is not None and not (plan.work or plan.hidden):
            raise UsageError(f"{kept.corpus.name} has no document {document!r}")
        _show_plan(plan)
        unpriced = plan.usage.cost is None and plan.passages > plan.cached
        if budget is not None and unpriced:
            raise UsageError(
                "--budget: no price is known for this model: set "
                "GROUNDRULE_MODEL_PRICES, or leave the option out"
            )
        if estimate:
            return 0
        with bar("passages", plan.passages) as steps:
            done = await writing.run(plan, steps.file)
        return _show_written(done)

    raise typer.Exit(asyncio.run(_run(ctx.obj, pack, alone, work)))


@app.command(help=ADD_HELP)
def add(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: PackGiven,
    question: Annotated[str, typer.Argument(show_default=False)],
    document: DocumentId,
    section: Heading = None,
    quote: FirstWords = None,
    by: Reviewer = "",
    alone: TenantName = None,
) -> None:
    async def work(application: Application, kept: Upkeep) -> int:
        added = await kept.add(Line(document, question, section, quote, ""), by)
        if added.kept_out is None:
            tell(f"{added.id}: in use")
            return 0
        say(f"kept out of use: {one_line(added.text)!r}: {added.kept_out}")
        return KEPT_OUT

    raise typer.Exit(asyncio.run(_run(ctx.obj, pack, alone, work)))


@app.command("list", help=LIST_HELP)
def list_questions(
    ctx: typer.Context,
    pack: PackGiven,
    document: Document = None,
    alone: TenantName = None,
) -> None:
    async def work(application: Application, kept: Upkeep) -> int:
        found = await kept.list_all(document)
        print_rows(
            HEAD, map(_list_columns, found), "no question is attached to a passage"
        )
        return 0

    asyncio.run(_run(ctx.obj, pack, alone, work, writes=False))


@app.command(help=REVIEW_HELP)
def review(
    ctx: typer.Context,
    pack: PackGiven,
    by: Annotated[
        str, typer.Option("--by", metavar="NAME", help="Who reviews; it is stored.")
    ],
    document: Document = None,
    alone: TenantName = None,
) -> None:
    async def work(application: Application, kept: Upkeep) -> int:
        waiting = await kept.list_unreviewed(document)
        for number, one in enumerate(waiting, 1):
            if not await _review(kept, one, f"{number}/{len(waiting)}", by):
                break
        return 0

    asyncio.run(_run(ctx.obj, pack, alone, work))


@app.command(help=EXPORT_HELP)
def export(
    ctx: typer.Context,
    pack: PackGiven,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Else standard output.")
    ] = None,
    alone: TenantName = None,
) -> None:
    async def work(application: Application, kept: Upkeep) -> int:
        text = format_lines(await kept.export_lines())
        export_lines(text.splitlines(), "question", to)
        return 0

    asyncio.run(_run(ctx.obj, pack, alone, work, writes=False))


@app.command(help=REMOVE_HELP)
def remove(
    ctx: typer.Context,
    pack: PackGiven,
    name: Annotated[str, typer.Argument(metavar="ID", show_default=False)],
    alone: TenantName = None,
) -> None:
    async def work(application: Application, kept: Upkeep) -> int:
        removed = await kept.remove(name)
        tell(one_line(f"removed: {removed.text}"))
        return 0

    asyncio.run(_run(ctx.obj, pack, alone, work))


async def _run(
    options: Options,
    name: str,
    alone: str | None,
    work: Work,
    *,
    writes: bool = True,
) -> int:
    """Do the work on a pack's corpus, as the only writer where it writes."""
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(name)
        kept = Upkeep(application.corpus(pack, parse_tenant(alone)))
        with one_writer(application.data) if writes else nullcontext():
            return await work(application, kept)


async def _review(kept: Upkeep, one: Kept, place: str, by: str) -> bool:
    """Ask about one question; return False to stop."""
    way = dict.fromkeys((one_line(one.document.title), *one.section))
    tell(f"\n{place}  {' > '.join(way)}")
    shown = out()
    shown.print(Text(inert(one.passage)), soft_wrap=not shown.is_terminal)
    tell(f"QUESTION: {one_line(one.question.text)}")
    while True:
        answer = _read_line("[k]eep, [e]dit, [d]rop, [q]uit: ").lower()
        if answer in ("q", ""):
            return False
        if answer == "k":
            await kept.keep(one, by)
            return True
        if answer == "d":
            await kept.remove(one.question.id)
            return True
        if answer == "e":
            edited = await kept.edit(one, _read_line("the question: "), by)
            if edited.kept_out is not None:
                say(f"kept out of use: {edited.kept_out}")
            return True


def _list_columns(kept: PassageQuestion) -> Sequence[str]:
    used = "only offered, not reviewed" if kept.only_offered else "in use"
    state = used if kept.kept_out is None else kept.kept_out
    origin = kept.model or kept.place or kept.origin.value
    section = " > ".join(kept.section)
    return (kept.id, state, origin, kept.document, section, kept.text)


def _read_line(prompt: str) -> str:
    """Read a line from the terminal; "" at its end."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _show_plan(plan: Plan) -> None:
    rest = plan.passages - plan.cached
    tell(
        f"{many(plan.passages, 'passage')}, {plan.cached} of them known; {rest} to be "
        f"read: about {_describe_usage(plan.usage)}"
    )
    if plan.hidden:
        say(
            f"{many(plan.hidden, 'document')} limited to some people left out: no "
            "model reads them unless the pack says "
            "`questions: {restricted_to_model: true}`"
        )


def _show_written(done: Written) -> int:
    dropped, usage = sum(done.dropped.values()), _describe_usage(done.usage)
    tell(f"{many(done.kept, 'question')} kept, {dropped} dropped; {usage}")
    for reason, number in done.dropped.most_common():
        say(f"dropped {number}: {reason}")
    if done.left:
        say(f"budget spent: {many(done.left, 'passage')} left; run it again to go on")
    if done.failed:
        say(f"the model failed on {many(done.failed, 'passage')}: run it again")
    return FAILED if done.failed else 0


def _describe_usage(usage: Usage) -> str:
    cost = "cost unknown" if usage.cost is None else f"US$ {usage.cost:.4f}"
    return f"{usage.tokens:,} tokens, {cost}"
