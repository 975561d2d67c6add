"""`chat`: a conversation over one pack in the terminal."""

import asyncio
import readline  # noqa: F401 (gives `input` its line editing and history)
import sys

import typer

from adapters.reply import Reply
from adapters.terminal import Terminal
from bot.assistant import Asked, Assistant, take_choice
from bot.console import out, say, tell
from bot.messages.wording import NOTED_AS_GAP, NOTED_BEFORE
from bot.options import HeldTags, Options, PackName, group, split_names
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError
from engine.model.outcome import Outcome
from engine.parse.context import find_context, find_title
from engine.policy.pack import Pack
from engine.text.talk import classify_talk

HELP = """Hold a conversation over one pack.

\b
  groundrule chat --pack textbook

A question may lean on the one before it ("And for children?"). In the conversation:

\b
  /more           the rest of the last answer, where it was long
  /why            how the last decision came about, and what came near
  /sources        the sources of the last answer
  /again          the last question once more, in the sources' own words
  /select TEXT    answer from this text alone; /select without text ends that
  /pack NAME      go on with another pack
  1, 2, 3         what a refusal offers under that number; 0 for none of these
  /help  /quit
"""
NONE = "0"  # says that no choice was meant; another number may be a fact
COMMANDS = """/more, /why, /sources, /again, /select TEXT, /pack NAME, /help, /quit"""

app = group()


@app.command(help=HELP)
def chat(
    ctx: typer.Context,
    pack: PackName = None,
    tags: HeldTags = "",
) -> None:
    held = frozenset(split_names(tags))
    options: Options = ctx.obj
    application = Application(read_settings(options.data))
    assistant = Assistant(application, held)
    name = application.choose_pack(pack)
    with asyncio.Runner() as runner:
        try:
            begun = runner.run(assistant.pack(name))
            _Conversation(runner, assistant, begun, options.program).hold()
        finally:
            runner.run(application.close())


class _Conversation:
    """One conversation: reads lines until the end of input or /quit."""

    def __init__(
        self, runner: asyncio.Runner, assistant: Assistant, pack: Pack, program: str
    ) -> None:
        self._runner = runner
        self._assistant = assistant
        self._pack = pack
        self._terminal = Terminal(out(), program, "/why", "/more", None)
        self._selection: str | None = None
        self._previous: str | None = None
        self._about = ""
        self._asked: Asked | None = None
        self._reply: Reply | None = None
        self._outcome: Outcome | None = None

    def hold(self) -> None:
        """Answer line after line."""
        prompted = sys.stdin.isatty() and sys.stdout.isatty()
        if prompted:
            say(f"{self._pack.title}. {COMMANDS}")
        while True:
            try:
                line = input("> " if prompted else "").strip()
            except (EOFError, KeyboardInterrupt):
                return
            if line == "/quit":
                return
            if line.startswith("/"):
                self._obey(line)
            elif line == NONE or (line.isdecimal() and self._has_choices()):
                self._choose(self._outcome, int(line))
            elif line:
                self._answer(line)

    def _answer(self, text: str) -> None:
        kind = classify_talk(text)
        if kind is not None:
            tell(self._assistant.answer_talk(self._pack, kind))
            return
        before = {"previous": self._previous, "about": self._about}
        self._ask(Asked(text=text, selection=self._selection, **before))

    def _has_choices(self) -> bool:
        return self._outcome is not None and bool(self._outcome.choices)

    def _choose(self, refused: Outcome | None, number: int) -> None:
        """Ask what the last refusal offers, or note that none of it is meant."""
        if refused is None or not self._has_choices():
            say("There is nothing to choose from: type a question.")
            return
        asked = take_choice(refused, number)
        if asked is not None:
            self._ask(asked)
        elif number == 0 and refused.audit_id is not None:
            kept = self._assistant.none_of_these(refused.audit_id)
            say(NOTED_AS_GAP if self._runner.run(kept) else NOTED_BEFORE)
        else:
            say(f"Type a number from 0 to {len(refused.choices)}, or a question.")

    def _ask(self, asked: Asked) -> None:
        self._asked = asked
        outcome = self._runner.run(self._assistant.ask(self._pack, asked))
        self._outcome = outcome
        context = find_context(outcome)
        if context:
            self._previous, self._about = context, find_title(outcome)
        self._reply = self._assistant.word(self._pack, outcome)
        self._terminal.show(self._reply)

    def _obey(self, line: str) -> None:
        """Do what a /command says; an unknown one is answered with the known."""
        name, _, rest = line.partition(" ")
        rest = rest.strip()
        if name == "/more" and self._reply is not None:
            self._terminal.more(self._reply)
        elif name == "/why" and self._reply is not None:
            self._terminal.why(self._reply)
        elif name == "/sources" and self._reply is not None:
            self._terminal.sources(self._reply)
        elif name == "/again" and self._asked is not None:
            self._ask(self._asked.model_copy(update={"verbatim": True}))
        elif name in ("/more", "/why", "/sources", "/again"):
            say("Ask something first.")
        elif name == "/select":
            self._selection = rest or None
            say("Answering from that text alone." if rest else "The text is let go.")
        elif name == "/pack" and rest:
            self._change_pack(rest)
        elif name in ("/help", "/pack"):
            say(COMMANDS)
        else:
            say(f"There is no command {name}: {COMMANDS}")

    def _change_pack(self, name: str) -> None:
        try:
            self._pack = self._runner.run(self._assistant.pack(name))
        except UsageError as error:
            say(str(error))
            return
        self._previous = self._selection = self._reply = self._asked = None
        self._about = ""
        self._outcome = None
        say(self._pack.title)
