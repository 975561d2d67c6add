"""`ask`: one question, or a file of questions, to replies or records."""

import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from adapters.terminal import Terminal
from bot.assistant import Asked, Assistant, take_choice
from bot.batch import FAULTS, Item, Outcomes, Record
from bot.batch_run import BatchRun, as_json
from bot.console import byte_bar, out, say, tell
from bot.messages.wording import NOTED_AS_GAP, NOTED_BEFORE
from bot.options import HeldTags, Options, PackName, group, plain, split_names
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError
from engine.model.outcome import Outcome
from engine.policy.pack import Pack
from engine.text.talk import Talk, classify_talk

HELP = """Answer one question, or a file of questions, from a pack's sources.

\b
  groundrule ask "How is capecitabine taken?" --pack oncology
  groundrule ask "What is a QoS profile?" --pack textbook --json
  groundrule ask --batch questions.jsonl --out outcomes.jsonl --pack textbook

A line of a batch is a string, or an object with "question" and, where wanted, "id",
"pack", "as_of" and "selection". The same command goes on where an earlier run stopped.

Where a refusal asks "Did you mean", a terminal takes a number; elsewhere --choose
ID.NUMBER asks what the refusal with that id offers.

A refusal is a result: exit code 0, or 1 with --fail-on-refusal.
"""
REFUSED, ENVIRONMENT = 1, 4

app = group()


@dataclass(frozen=True, slots=True)
class Manner:
    """How outcomes are shown, and which exit code they get."""

    json: bool
    why: bool
    full: bool
    fail_on_refusal: bool

    def exit_code(self, record: Record) -> int:
        """Return the exit code of a record."""
        if record["reason_code"] in FAULTS:
            return ENVIRONMENT
        return REFUSED if self.fail_on_refusal and record["was_refusal"] else 0


Asking = Annotated[str | None, typer.Argument(metavar="QUESTION", show_default=False)]
Batch = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Questions, one a line.")
]
Target = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Where a batch's records go."),
]
AsRecord = Annotated[bool, typer.Option("--json", help="Print the record as JSON.")]
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _parse_day(given: str) -> date:
    """Parse the day that an option names.

    Raises:
        BadParameter: it is no day, or not written like 2024-03-01.
    """
    if _DAY.fullmatch(given):
        try:
            return date.fromisoformat(given)
        except ValueError as error:
            raise typer.BadParameter(f"there is no day {given}: {error}.") from error
    raise typer.BadParameter(
        f"{given!r} is no day: write year, month and day, as in 2024-03-01."
    )


AsOf = Annotated[
    date | None,
    typer.Option(
        parser=_parse_day, metavar="YYYY-MM-DD", help="Answer as on this date."
    ),
]
Selection = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Answer from this text alone.")
]
Verbatim = Annotated[
    bool,
    typer.Option("--verbatim", help="In the sources' own words: no model is asked."),
]
ShowWhy = Annotated[
    bool, typer.Option("--why", help="Show gate, numbers and nearest passages.")
]
Full = Annotated[
    bool, typer.Option("--full", help="Show all of a long answer at once.")
]
FailOnRefusal = Annotated[
    bool,
    typer.Option("--fail-on-refusal", help="Exit with 1 where there is no answer."),
]
Choosing = Annotated[
    str | None,
    typer.Option(metavar="ID.NUMBER", help="Ask what the refusal with this id offers."),
]


@app.command(help=HELP)
def ask(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    question: Asking = None,
    pack: PackName = None,
    batch: Batch = None,
    target: Target = None,
    as_record: AsRecord = False,
    as_of: AsOf = None,
    selection: Selection = None,
    tags: HeldTags = "",
    choose: Choosing = None,
    verbatim: Verbatim = False,
    why: ShowWhy = False,
    full: Full = False,
    fail_on_refusal: FailOnRefusal = False,
) -> None:
    ways = sum(way is not None for way in (question, batch, choose))
    if ways != 1 or (question is not None and not question.strip()):
        raise UsageError('ask needs a question, as in ask "…", or --batch FILE')
    if target is not None and batch is None:
        raise UsageError("--out belongs to --batch")
    if verbatim and batch is not None:
        raise UsageError("--verbatim is for one question, not for --batch")
    item = Item(
        question=plain(question or ""),
        pack=pack,
        as_of=as_of,
        selection=plain(selection) if selection else None,
    )
    manner = Manner(as_record, why, full, fail_on_refusal)
    asking = _Asking(ctx.obj, manner, tags)
    if choose is not None:
        work = asking.ask_choice(choose)
    elif batch is None:
        work = asking.ask_one(item, verbatim=verbatim)
    else:
        work = asking.ask_file(item, batch, target)
    raise typer.Exit(asyncio.run(work))


class _Asking:
    """One run of the command."""

    def __init__(self, options: Options, manner: Manner, tags: str) -> None:
        self._settings = read_settings(options.data)
        self._program = options.program
        self._manner = manner
        self._tags = frozenset(split_names(tags))

    async def ask_one(self, item: Item, *, verbatim: bool) -> int:
        """Ask one question and show its outcome; return the exit code."""
        async with Application(self._settings) as application:
            assistant = Assistant(application, self._tags)
            pack = await assistant.pack(application.choose_pack(item.pack))
            kind = classify_talk(item.question)
            if kind is not None:
                self._speak(assistant, pack, kind, item.question)
                return 0
            asked = Asked(
                text=item.question,
                selection=item.selection,
                as_of=item.as_of,
                verbatim=verbatim,
            )
            return await self._ask(application, assistant, pack, asked)

    async def ask_choice(self, name: str) -> int:
        """Ask what a refusal offered, `ID.NUMBER`; return the exit code."""
        audit_id, _, number = name.partition(".")
        async with Application(self._settings) as application:
            refused = await application.ledger.read(audit_id)
            asked = take_choice(refused, int(number) if number.isdecimal() else 0)
            if asked is None:
                many = len(refused.choices)
                raise UsageError(
                    f"{audit_id} offers {many or 'no'} choices: --choose {audit_id}.1 "
                    "asks the first"
                )
            assistant = Assistant(application, self._tags)
            pack = await assistant.pack(refused.pack)
            return await self._ask(application, assistant, pack, asked)

    async def _ask(
        self, application: Application, assistant: Assistant, pack: Pack, asked: Asked
    ) -> int:
        """Ask, show, and let a person at a terminal choose; return the exit code."""
        outcome = await assistant.ask(pack, asked)
        record = await as_json(application, outcome, pack)
        if self._manner.json:
            _print(record)
            return self._manner.exit_code(record)
        prompted = sys.stdin.isatty() and sys.stdout.isatty()
        terminal = Terminal(out(), self._program)
        if prompted:
            terminal = Terminal(out(), self._program, choose=None)
        reply = assistant.word(pack, outcome, whole=self._manner.full)
        terminal.show(reply, why=self._manner.why)
        if "debug" in record:
            _print(record["debug"])
        if prompted and outcome.choices:
            further = await self._prompt(assistant, outcome)
            if further is not None:
                return await self._ask(application, assistant, pack, further)
        return self._manner.exit_code(record)

    async def _prompt(self, assistant: Assistant, refused: Outcome) -> Asked | None:
        """Let a person at a terminal choose; None where nothing is chosen."""
        prompt = f"0 to {len(refused.choices)}, or Enter to end: "
        try:
            typed = (await asyncio.to_thread(input, prompt)).strip()
        except (EOFError, KeyboardInterrupt):
            return None
        if typed == "0" and refused.audit_id is not None:
            fresh = await assistant.none_of_these(refused.audit_id)
            say(NOTED_AS_GAP if fresh else NOTED_BEFORE)
        return take_choice(refused, int(typed) if typed.isdecimal() else 0)

    def _speak(
        self, assistant: Assistant, pack: Pack, kind: Talk, question: str
    ) -> None:
        """Answer talk as talk."""
        if self._manner.json:
            _print(assistant.record_talk(pack, kind, question))
        else:
            tell(assistant.answer_talk(pack, kind))

    async def ask_file(
        self, default: Item, questions: Path, target: Path | None
    ) -> int:
        """Ask a file of questions; return the worst exit code."""
        with (
            _open_questions(questions) as file,
            Outcomes(target) if target else nullcontext() as outcomes,
        ):
            async with Application(self._settings) as application:
                assistant = Assistant(application, self._tags)
                if default.pack is not None:
                    await assistant.pack(default.pack)
                judge = self._manner.exit_code
                run = BatchRun(application, assistant, default, judge)
                size = os.fstat(file.fileno()).st_size
                with byte_bar(size) as progress:
                    return await run.run(questions, file, outcomes, progress)


@contextmanager
def _open_questions(questions: Path) -> Iterator[BinaryIO]:
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
