"""`ask`: one question, or a file of questions, to replies or records."""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from adapters.terminal import Terminal
from bot.assistant import Asked, Assistant
from bot.batch import FAULTS, Item, Outcomes, Record
from bot.batch_run import BatchRun, as_json
from bot.console import byte_bar, out, tell
from bot.options import HeldTags, Options, PackName, group, names, plain
from bot.wiring import Application, read_settings
from engine.errors import UsageError
from engine.policy import Pack
from engine.question.talk import Talk, talk

HELP = """Answer one question, or a file of questions, from a pack's sources.

\b
  python -m bot ask "How is capecitabine taken?" --pack oncology
  python -m bot ask "What is a QoS profile?" --pack textbook --json
  python -m bot ask --batch questions.jsonl --out outcomes.jsonl --pack textbook

A line of a batch is a string, or an object with "question" and, where wanted, "id",
"pack", "as_of" and "selection". The same command goes on where an earlier run stopped.

A refusal is a result: exit code 0, or 1 with --fail-on-refusal.
"""
REFUSED, ENVIRONMENT = 1, 4

app = group()


@dataclass(frozen=True, slots=True)
class Manner:
    """How outcomes are shown and judged."""

    json: bool
    why: bool
    full: bool
    fail_on_refusal: bool

    def exit_code(self, record: Record) -> int:
        """The exit code that a record asks for."""
        if record["reason_code"] in FAULTS:
            return ENVIRONMENT
        return REFUSED if self.fail_on_refusal and record["was_refusal"] else 0


@app.command(help=HELP)
def ask(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", show_default=False)
    ] = None,
    pack: PackName = None,
    batch: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Questions, one a line.")
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where a batch's records go."),
    ] = None,
    as_record: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON.")
    ] = False,
    as_of: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="Answer as on this date."
        ),
    ] = None,
    selection: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Answer from this text alone.")
    ] = None,
    tags: HeldTags = "",
    verbatim: Annotated[
        bool,
        typer.Option(
            "--verbatim", help="In the sources' own words: no model is asked."
        ),
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Show gate, numbers and nearest passages.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show all of a long answer at once.")
    ] = False,
    fail_on_refusal: Annotated[
        bool,
        typer.Option("--fail-on-refusal", help="Exit with 1 where there is no answer."),
    ] = False,
) -> None:
    if (question is None) == (batch is None) or (
        question is not None and not question.strip()
    ):
        raise UsageError('ask needs a question, as in ask "…", or --batch FILE')
    if target is not None and batch is None:
        raise UsageError("--out belongs to --batch")
    if verbatim and batch is not None:
        raise UsageError("--verbatim is for one question, not for --batch")
    item = Item(
        question=plain(question or ""),
        pack=pack,
        as_of=as_of.date() if as_of else None,
        selection=plain(selection) if selection else None,
    )
    manner = Manner(as_record, why, full, fail_on_refusal)
    asking = _Asking(ctx.obj, manner, tags)
    work = (
        asking.one(item, verbatim=verbatim)
        if batch is None
        else asking.file(item, batch, target)
    )
    raise typer.Exit(asyncio.run(work))


class _Asking:
    """One run of the command."""

    def __init__(self, options: Options, manner: Manner, tags: str) -> None:
        self._settings = read_settings(options.data)
        self._program = options.program
        self._manner = manner
        self._tags = frozenset(names(tags))

    async def one(self, item: Item, *, verbatim: bool) -> int:
        """Ask one question and show its outcome; the exit code."""
        async with Application(self._settings) as application:
            assistant = Assistant(application, self._tags)
            pack = await assistant.pack(application.chosen(item.pack))
            kind = talk(item.question)
            if kind is not None:
                self._speak(assistant, pack, kind, item.question)
                return 0
            asked = Asked(
                text=item.question,
                selection=item.selection,
                as_of=item.as_of,
                verbatim=verbatim,
            )
            outcome = await assistant.ask(pack, asked)
            record = await as_json(application, outcome, pack)
            if self._manner.json:
                _print(record)
            else:
                reply = assistant.word(pack, outcome, whole=self._manner.full)
                Terminal(out(), self._program).show(reply, why=self._manner.why)
                if "debug" in record:
                    _print(record["debug"])
            return self._manner.exit_code(record)

    def _speak(
        self, assistant: Assistant, pack: Pack, kind: Talk, question: str
    ) -> None:
        """Talk is answered as talk (R-U10)."""
        if self._manner.json:
            _print(assistant.talk_record(pack, kind, question))
        else:
            tell(assistant.spoken(pack, kind))

    async def file(self, default: Item, questions: Path, target: Path | None) -> int:
        """Ask a file of questions; the worst exit code."""
        with (
            _opened(questions) as file,
            Outcomes(target) if target else nullcontext() as outcomes,
        ):
            async with Application(self._settings) as application:
                assistant = Assistant(application, self._tags)
                if default.pack is not None:
                    await assistant.pack(default.pack)
                judge = self._manner.exit_code
                run = BatchRun(application, assistant, default, judge)
                size = os.fstat(file.fileno()).st_size
                with byte_bar("questions", size) as progress:
                    return await run.through(questions, file, outcomes, progress)


@contextmanager
def _opened(questions: Path) -> Iterator[BinaryIO]:
    try:
        file = open(questions, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise UsageError(f"cannot read {questions} ({error.strerror})") from error
    with file, tempfile.TemporaryFile() as copy:
        if file.seekable():
            yield file
            return
        shutil.copyfileobj(file, copy)  # a pipe: it is read twice
        copy.seek(0)
        yield copy


def _print(content: object) -> None:
    sys.stdout.write(json.dumps(content, ensure_ascii=False) + "\n")
