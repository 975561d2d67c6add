"""Questions from the terminal to outcomes: packs, demo texts, ids, one session."""

import uuid
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from adapters.ledger.mail_records import none_of_these
from adapters.reply import Reply, compose
from bot.batch import FAULTS
from bot.console import say
from bot.documents.demo import take_in_demo
from bot.documents.reindex import current_members
from bot.messages.wording import as_record, spoken
from bot.wiring import Application
from engine.model.errors import EnvironmentFailed
from engine.model.frozen import Frozen
from engine.model.outcome import Outcome, Refusal
from engine.model.question import ChosenSection, Question
from engine.model.record import Record
from engine.parse.dates import today_in
from engine.pipeline.choices import apply_choice
from engine.policy.pack import Pack
from engine.text.talk import Talk

ASKER = "terminal"


class Asked(Frozen):
    """A question as a person typed it, and what goes with it."""

    text: str
    id: str | None = None
    selection: str | None = None
    previous: str | None = None
    about: str = ""
    as_of: date | None = None
    verbatim: bool = False
    chosen_from: str | None = None
    evidence: ChosenSection | None = None


def take_choice(source: Outcome | Record, number: int) -> Asked | None:
    """Return what a refusal offered under a number; None where it offered nothing."""
    if not 0 < number <= len(source.choices) or source.audit_id is None:
        return None
    changed = apply_choice(source.choices[number - 1], source.intent)
    before = source.question.text if isinstance(source, Outcome) else source.question
    told = {"chosen_from": source.audit_id, "previous": before or None}
    return Asked.model_validate({**changed, **told})


class Assistant:
    """Asks the engines of one process on behalf of one person at a terminal.

    Args:
        application: the parts of the process.
        tags: the access tags that the person holds.
    """

    def __init__(self, application: Application, tags: frozenset[str]) -> None:
        self.tags = sorted(tags)
        self._application = application
        self._session = str(uuid.uuid4())
        self._ready: set[str] = set()

    async def pack(self, name: str) -> Pack:
        """Return a pack that is ready to be asked; an empty one gets its demo texts.

        Raises:
            UsageError: there is no such pack, or it is wrong.
            EnvironmentFailed: ledger, index or embedder failed.
        """
        pack = self._application.pack(name)
        if name not in self._ready:
            await self._prepare(pack)
            self._ready.add(name)
        return pack

    async def ask(self, pack: Pack, asked: Asked) -> Outcome:
        """Ask one question."""
        question = Question(
            id=asked.id or str(uuid.uuid4()),
            session=self._session,
            text=asked.text,
            pack=pack.id,
            asker=ASKER,
            tags=frozenset(self.tags),
            selection=asked.selection,
            previous=asked.previous,
            about=asked.about,
            as_of=asked.as_of,
            verbatim=asked.verbatim,
            chosen_from=asked.chosen_from,
            evidence=asked.evidence,
        )
        outcome = await self._application.engine(pack).ask(question)
        failed = find_fault(outcome)
        if failed is not None:
            said = f"{failed.reason}: {failed.explanation.rstrip('.')}"
            say(f"groundrule: {said}. Run `groundrule doctor`.")
        return outcome

    async def none_of_these(self, audit_id: str) -> bool:
        """Keep that nothing of what a refusal offered was meant; False if known.

        False where that stood there.
        """
        verdict = none_of_these(audit_id, ASKER)
        return await self._application.mailbox.feedback(verdict)

    def answer_talk(self, pack: Pack, kind: Talk) -> str:
        """Answer talk in the pack's words."""
        return spoken(pack, kind, self._application.first_questions(pack.id))

    def record_talk(
        self, pack: Pack, kind: Talk, question: str, name: str | None = None
    ) -> Mapping[str, object]:
        """Answer talk as JSON; `name` is the question's id."""
        first = self._application.first_questions(pack.id)
        return as_record(pack, kind, first, question, name or str(uuid.uuid4()))

    def word(self, pack: Pack, outcome: Outcome, *, whole: bool = False) -> Reply:
        """Word the reply to an outcome, ages counted from the pack's today.

        `whole`: all of an answer at once.
        """
        today = today_in(pack.time_zone, self._application.clock.now())
        return compose(outcome, pack.wording, today, whole=whole)

    async def _prepare(self, pack: Pack) -> None:
        application = self._application
        _say_once(application.data / "cache" / f"first-use-{pack.id}", pack)
        corpus = application.corpus(pack)
        await take_in_demo(corpus, application.settings.packs, application.data)
        indexed = await corpus.index.versions(pack.id)
        current = await current_members(corpus)
        missing = sum(indexed.get(m.document) != m.version for m in current.values())
        if missing:
            say(
                f"{missing} of {len(current)} documents are not in the index: an "
                "ingestion is running, or run `groundrule reindex`"
            )


def _say_once(mark: Path, pack: Pack) -> None:
    """Say on first use what is stored, and what this is not.

    Raises:
        EnvironmentFailed: the data folder cannot be written.
    """
    if mark.exists():
        return
    say(pack.wording.first_use)
    try:
        mark.parent.mkdir(exist_ok=True)
        mark.touch()
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {mark} ({error.strerror})") from error


def find_fault(outcome: Outcome) -> Refusal | None:
    """Return the refusal where the environment failed; None where it did not."""
    result = outcome.result
    if isinstance(result, Refusal) and result.reason in FAULTS:
        return result
    return None
