"""A batch of questions, line by line, through the assistant."""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bot.assistant import Asked, Assistant
from bot.batch import Item, Line, Outcomes, Record, hash_item, read_lines
from bot.calibrations import load_urgency
from bot.console import say
from bot.debug import make_contract
from bot.documents.reindex import current_members
from bot.wiring import Application
from engine.model.codes import Reason
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.outcome import Outcome
from engine.model.record import record_of
from engine.policy.pack import Pack
from engine.text.talk import classify_talk

BAD_LINE, ENVIRONMENT = 1, 4


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
        self._behind: dict[str, bool] = {}
        self._complete = True

    async def run(
        self,
        questions: Path,
        file: BinaryIO,
        outcomes: Outcomes | None,
        progress: Callable[[int], None],
    ) -> int:
        """Answer every line; return the worst exit code.

        Args:
            questions: the file's name, for remarks.
            file: the opened questions file.
            outcomes: where records go; standard output where None.
            progress: told how many bytes are done.

        Raises:
            UsageError: the outcomes file holds those of a pack that no line asks.
            EnvironmentFailed: an outcome could not be recorded or written.
        """
        if outcomes is not None:
            self._refuse_others(file, outcomes)
        worst = 0
        for line in read_lines(file):
            problem = self._find_problem(line)
            if problem or line.item is None:
                say(f"{questions}:{line.number}: {problem}")
                worst = max(worst, BAD_LINE)
            else:
                item = _fill_in(line.item, self._default)
                worst = max(worst, await self._answer(item, outcomes))
            progress(line.end)
        if outcomes is not None and self._complete:
            outcomes.finish()
        return worst

    def _refuse_others(self, file: BinaryIO, outcomes: Outcomes) -> None:
        """Refuse outcomes of packs that this batch does not ask: they would be lost."""
        items = [line.item for line in read_lines(file) if line.item is not None]
        file.seek(0)
        asked = {item.pack or self._default.pack for item in items}
        others = outcomes.packs - asked
        if others:
            raise UsageError(
                "the --out file holds outcomes of another pack "
                f"({', '.join(sorted(others))}): name another --out"
            )

    def _find_problem(self, line: Line) -> str:
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
        if await self._is_behind(pack):
            self._complete = False
            return ENVIRONMENT
        wanted = hash_item(item, await self._hash_corpus(pack))
        kept = outcomes.next(wanted) if outcomes is not None else None
        if kept is not None:
            return self._judge(kept)
        asked = Asked(
            text=item.question, id=wanted, selection=item.selection, as_of=item.as_of
        )
        record = await self._record(pack, asked)
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

    async def _record(self, pack: Pack, asked: Asked) -> Record:
        kind = classify_talk(asked.text)
        if kind is not None:
            return self._assistant.record_talk(pack, kind, asked.text, asked.id)
        outcome = await self._assistant.ask(pack, asked)
        return await as_json(self._application, outcome, pack)

    async def _is_behind(self, pack: Pack) -> bool:
        """Tell whether the index lacks what the ledger holds; looked at once a pack."""
        if pack.id not in self._behind:
            corpus = self._application.corpus(pack)
            members = await current_members(corpus)
            current = {member.document: member.version for member in members.values()}
            behind = dict(await corpus.index.versions(pack.id)) != current
            if behind:
                say(
                    f"the index of {pack.id} is not what its ledger holds, so its "
                    "lines are not answered: run `groundrule reindex`, then this "
                    "command again"
                )
            self._behind[pack.id] = behind
        return self._behind[pack.id]

    async def _hash_corpus(self, pack: Pack) -> str:
        """Hash what an outcome of a pack depends on besides the question."""
        if pack.id not in self._corpora:
            search = self._application.search
            fitted = load_urgency(search.embedder)
            state = hashlib.sha256()
            for part in (
                pack.hash,
                json.dumps(self._assistant.tags),
                repr(search.identity),
                self._application.reading.calibration.model_dump_json(),
                fitted.model_dump_json() if fitted else "",
                await self._application.ledger.corpus_hash(pack.id),
            ):
                state.update(part.encode() + b"\n")
            self._corpora[pack.id] = state.hexdigest()
        return self._corpora[pack.id]


async def as_json(application: Application, outcome: Outcome, pack: Pack) -> Record:
    """Return the record of an outcome as stored, with the debug contract where on."""
    created = None
    if outcome.audit_id:
        created = (await application.ledger.read(outcome.audit_id)).created
    record: dict[str, object] = record_of(outcome, created).model_dump(mode="json")
    debug = application.settings.debug
    return {**record, "debug": make_contract(outcome, pack)} if debug else record


def _fill_in(item: Item, default: Item) -> Item:
    return item.model_copy(
        update={
            "pack": item.pack or default.pack,
            "as_of": item.as_of or default.as_of,
            "selection": item.selection or default.selection,
        }
    )
