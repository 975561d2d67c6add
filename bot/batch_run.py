"""A batch of questions, line by line, through the assistant."""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bot.assistant import Asked, Assistant
from bot.batch import Item, Line, Outcomes, Record, key, lines
from bot.console import say
from bot.debug import contract
from bot.reindex import current_members
from bot.wiring import Application
from engine.audit import record_of
from engine.errors import EnvironmentFailed
from engine.policy import Pack
from engine.records import Outcome, Reason

BAD_LINE = 1


class BatchRun:
    """Answers the lines of one questions file, in order.

    Args:
        application: the parts of the process.
        assistant: asks.
        default: what lines without a pack, date or selection of their own get.
        judge: the exit code that a record asks for.
    """

    def __init__(
        self,
        application: Application,
        assistant: Assistant,
        default: Item,
        judge: Callable[[Record], int],
    ) -> None:
        self._application = application
        self._assistant = assistant
        self._default = default
        self._judge = judge
        self._corpora: dict[str, str] = {}

    async def through(
        self,
        questions: Path,
        file: BinaryIO,
        outcomes: Outcomes | None,
        progress: Callable[[int], None],
    ) -> int:
        """Answer every line; the worst exit code.

        Args:
            questions: the file's name, for remarks.
            file: the opened questions file.
            outcomes: where records go; standard output where None.
            progress: told how many bytes are done.

        Raises:
            EnvironmentFailed: an outcome could not be recorded or written.
        """
        worst = 0
        for line in lines(file):
            problem = self._problem(line)
            if problem or line.item is None:
                say(f"{questions}:{line.number}: {problem}")
                worst = max(worst, BAD_LINE)
            else:
                item = _filled(line.item, self._default)
                worst = max(worst, await self._answer(item, outcomes))
            progress(line.end)
        if outcomes is not None:
            outcomes.finish()
        return worst

    def _problem(self, line: Line) -> str:
        if line.item is None:
            return line.problem
        name = line.item.pack or self._default.pack
        if name is None:
            return "names no pack, and there is no --pack"
        if name not in self._application.pack_names():
            return f"no pack is called {name!r}"
        return ""

    async def _answer(self, item: Item, outcomes: Outcomes | None) -> int:
        pack = await self._assistant.pack(item.pack or "")
        wanted = key(item, await self._corpus(pack))
        kept = outcomes.next(wanted) if outcomes is not None else None
        if kept is not None:
            return self._judge(kept)
        asked = Asked(
            text=item.question, id=wanted, selection=item.selection, as_of=item.as_of
        )
        outcome = await self._assistant.ask(pack, asked)
        record = as_json(outcome, pack, debug=self._application.settings.debug)
        if record["reason_code"] == Reason.AUDIT_FAILED:
            raise EnvironmentFailed(
                "the ledger cannot take this outcome: make room or mend it, and run "
                "the same command again; it goes on where it stopped"
            )
        if outcomes is not None:
            outcomes.append(item, record)
        else:
            line = json.dumps({**record, "id": item.id}, ensure_ascii=False)
            sys.stdout.write(line + "\n")
        return self._judge(record)

    async def _corpus(self, pack: Pack) -> str:
        """What an outcome of a pack depends on besides the question."""
        if pack.id not in self._corpora:
            members = await current_members(self._application.corpus(pack))
            held = sorted((m.document, m.version) for m in members.values())
            state = json.dumps([pack.hash, self._assistant.tags, held])
            self._corpora[pack.id] = hashlib.sha256(state.encode()).hexdigest()
        return self._corpora[pack.id]


def as_json(outcome: Outcome, pack: Pack, *, debug: bool) -> Record:
    """The record of an outcome (R-D1), with the debug contract where that is on."""
    record: dict[str, object] = record_of(outcome).model_dump(mode="json")
    return {**record, "debug": contract(outcome, pack)} if debug else record


def _filled(item: Item, default: Item) -> Item:
    return item.model_copy(
        update={
            "pack": item.pack or default.pack,
            "as_of": item.as_of or default.as_of,
            "selection": item.selection or default.selection,
        }
    )
