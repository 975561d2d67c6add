"""The command line: its verbs and the options before them.

`groundrule --help` imports none of them, and `ask` does not pay for `ingest`.
"""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from bot.options import Options
from bot.verbs import add_verbs, command_line

HELP = """Answers with what your sources say, and where, or says no.

\b
Start:    groundrule ask "Why does fatigue after chemotherapy not go away
          with sleep?" --pack oncology
Your own: groundrule start NAME DIR-or-URL
Trouble:  groundrule doctor

Verbs with --tags show what somebody may see who holds these access tags; all others are
for whoever runs the bot.

Exit codes: 0 all met, 1 a check failed or a document or line was bad, 2 usage or
configuration, 3 inconclusive, 4 the environment (disk, index, database, model).
"""

VERBS = {
    "start": "Make an assistant of a folder or a website, and try it.",
    "ask": "Answer one question, or a file of questions.",
    "chat": "Hold a conversation over one pack.",
    "serve": "Answer on Slack and Discord.",
    "admin": "Show health, gaps, outcomes, sources and reports in a browser.",
    "ingest": "Take a document or a folder of documents into a pack.",
    "sources": "List a pack's documents, or withdraw one.",
    "recall": "Posted answers whose sources were withdrawn: show them, mark them.",
    "report": "What a pack did in a week, as lines, a page or a post.",
    "questions": "Questions that passages answer: write, add, review, list.",
    "gaps": "What was asked and not answered: list, attach, close, export.",
    "pack": "Check, show, tune or lock a policy pack, or write a new one.",
    "run-pack": "Ask a question pack of a repository, for people and for CI.",
    "anchors": "Rebuild quote anchors and report their coverage.",
    "replay": "Ask stored questions again, without a model: what would change.",
    "verify": "Prove stored answers against stored documents, offline.",
    "mydata": "Say how much of a person is stored.",
    "forget": "Delete what a person asked and said, everywhere.",
    "expire": "Delete what was asked longer ago than may be kept.",
    "doctor": "Say what is configured, what is missing and what to do.",
    "reindex": "Make the index agree with the ledger.",
    "backup": "Write ledger and documents to one file.",
    "restore": "Bring a backup back and rebuild the index from it.",
    "work": "Answer what waits in the inbox; `serve` starts this.",
}


app = command_line(HELP)


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
    ctx.obj = Options(data=data, program=_name_program(ctx, data))


def make_command() -> Any:
    """Make the command line as one callable."""
    return add_verbs(app, "bot.commands", VERBS)


def _name_program(ctx: typer.Context, data: Path | None) -> str:
    """Say how to start this program again on the same data, for hints."""
    name = ctx.info_name or "groundrule"
    return name if data is None else f"{name} --data {quote(str(data))}"
