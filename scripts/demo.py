"""Run the demo: three questions answered from the demo texts, one refused."""

import asyncio
import sys

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from adapters.terminal import Terminal, make_console
from bot.__main__ import run
from bot.assistant import Asked, Assistant
from bot.commands.reindex import bring_up
from bot.console import say
from bot.documents.writing import one_writer
from bot.wiring import Application, read_settings
from engine.model.errors import IndexFailed

PROGRAM = "groundrule"
QUESTIONS = (
    ("oncology", "Why does fatigue after chemotherapy not go away with sleep?"),
    ("oncology", "What temperature counts as a fever during chemotherapy?"),
    ("textbook", "What does the derivative gain of a PID controller do?"),
    ("textbook", "Is ROS 2 better than ROS 1?"),
)


async def show(out: Console) -> int:
    """Ask the questions; return 0 where three were answered and the last was
    refused."""
    answered: list[bool] = []
    terminal = Terminal(out, PROGRAM)
    async with Application(read_settings()) as application:
        await prepare(application)
        assistant = Assistant(application, frozenset())
        for name, text in QUESTIONS:
            pack = await assistant.pack(name)
            outcome = await assistant.ask(pack, Asked(text=text))
            answered.append(outcome.answered)
            out.print(Rule(style="dim"))
            command = f'$ {PROGRAM} ask "{text}" --pack {name}'
            out.print(Text(command, style="bold"), soft_wrap=True)
            out.print()
            terminal.show(assistant.word(pack, outcome), why=not outcome.answered)
            out.print()
    out.print(Rule(style="dim"))
    out.print("Your own: groundrule start NAME DIR-or-URL")
    return 0 if answered == [True, True, True, False] else 1


async def prepare(application: Application) -> None:
    """Make the index again where an older release left one that no longer fits."""
    try:
        _ = application.search.index
    except IndexFailed:
        say("The index was made by an older release: making it again.")
        with one_writer(application.data):
            await bring_up(application)


def main() -> None:
    """Run the demo and exit."""
    run(lambda: asyncio.run(show(make_console(sys.stdout))))


if __name__ == "__main__":
    main()
