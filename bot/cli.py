"""The command line: its verbs, each in a module that is imported when the verb is used.

`python -m bot --help` imports none of them, and `ask` does not pay for `ingest`.
"""

from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from bot.options import Options
from engine.errors import EnvironmentFailed

HELP = """Answers with what your sources say, and where, or says no.

\b
Start:    python -m bot ask "Why does fatigue after chemotherapy not go away
          with sleep?" --pack oncology
Your own: python -m bot ingest DIR --pack oncology
Trouble:  python -m bot doctor

Exit codes: 0 all met, 1 a check failed or a document or line was bad, 2 usage or
configuration, 3 inconclusive, 4 the environment (disk, index, database, model).
"""

VERBS = {
    "ask": "Answer one question, or a file of questions.",
    "chat": "Hold a conversation over one pack.",
    "serve": "Answer on Slack and Discord.",
    "preview": "Draw how replies look on Slack and Discord, as an HTML page.",
    "ingest": "Take a document or a folder of documents into a pack.",
    "sources": "List a pack's documents, or withdraw one.",
    "pack": "Check or lock a policy pack, or start a new one.",
    "anchors": "Rebuild quote anchors and report their coverage.",
    "verify": "Prove stored answers against stored documents, offline.",
    "doctor": "Say what is configured, what is missing and what to do.",
    "reindex": "Make the index agree with the ledger.",
    "backup": "Write ledger and documents to one file.",
    "restore": "Bring a backup back and rebuild the index from it.",
    "work": "Answer what waits in the inbox; `serve` starts this.",
}


class Verbs(TyperGroup):
    """Shows every verb, imports the one that is used."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Replace the verb's stub by the command of its module."""
        name, stub, rest = super().resolve_command(ctx, args)
        if name is None or stub is None:
            return name, stub, rest
        return name, get_command(_module(name).app), rest


def _module(name: str) -> Any:
    """The module of a verb.

    Raises:
        EnvironmentFailed: a package that it needs is not installed.
    """
    try:
        return import_module(f"bot.commands.{name}")
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if missing.split(".")[0] in ("bot", "adapters", "engine", "config"):
            raise
        raise EnvironmentFailed(
            f"the package {missing} is not installed: run `make env`"
        ) from error


app = typer.Typer(
    cls=Verbs,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def options(
    ctx: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Folder of everything that is written; else GROUNDRULE_DATA, else "
            "a folder of the user's.",
        ),
    ] = None,
) -> None:
    ctx.obj = Options(data=data, program=_program(ctx, data))


def command() -> Any:
    """The command line as one callable, with a stub for each verb."""
    group = get_command(app)
    if not isinstance(group, Verbs):
        raise TypeError("the command line must be a group of verbs")
    for name, help_line in VERBS.items():
        group.add_command(TyperCommand(name, help=help_line), name)
    return group


def _program(ctx: typer.Context, data: Path | None) -> str:
    """How to start this program again on the same data, for hints."""
    name = ctx.info_name or "groundrule"
    return name if data is None else f"{name} --data {quote(str(data))}"
