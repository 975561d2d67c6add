"""Put a case before the engine over one opened corpus, and make its row."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from bot.messages.wording import spoken
from engine.model.errors import BudgetExceeded, UsageError, VerificationFailed
from engine.model.outcome import Outcome
from engine.model.question import Question
from engine.pipeline.choices import apply_choice
from engine.policy.pack import Pack
from engine.text.talk import classify_talk
from evals.cases.messages import MESSAGES
from evals.forms import Change, Json, Source
from evals.record import manifest
from evals.record.cassettes import REPEAT
from evals.record.corpora import Opened
from evals.record.platforms import AUDIT_ID
from evals.record.rows import (
    describe_source,
    list_versions,
    make_row,
    make_talk_row,
    sum_costs,
)
from evals.record.runner import Answered, Item

ASKER = "evals"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The most that some questions may take, by the pack's own budget."""

    questions: int
    calls: int
    tokens: int
    usd: float

    def __str__(self) -> str:
        return (
            f"{self.questions} questions to a model: at most {self.calls} calls, "
            f"{self.tokens} tokens, ${self.usd:.2f}"
        )


def estimate(pack: Pack, questions: int) -> Estimate:
    """Estimate what so many questions may take at most."""
    budget = pack.budget
    return Estimate(
        questions=questions,
        calls=questions * budget.model_calls,
        tokens=questions * budget.tokens,
        usd=questions * budget.cost,
    )


class Budget:
    """Pays for questions until nothing is left.

    Args:
        most: US dollars that may be spent; None: as much as it takes.

    Raises:
        UsageError: it is no sum of money.
    """

    def __init__(self, most: float | None = None) -> None:
        if most is not None and not 0 <= most < float("inf"):
            raise UsageError(f"--max-usd {most}: give US dollars, such as 2.50")
        self._most = most
        self._unknown = False
        self.spent = 0.0

    def check(self) -> None:
        """Pass while there is money left, or no limit.

        Raises:
            BudgetExceeded: nothing more may be asked.
        """
        if self._most is None:
            return
        if self._unknown:
            raise BudgetExceeded(
                "what the model costs is not known, so --max-usd cannot be held: set "
                "GROUNDRULE_MODEL_PRICES"
            )
        if self.spent >= self._most:
            raise BudgetExceeded(
                f"not asked: ${self.spent:.2f} of --max-usd {self._most:g} are spent"
            )

    def pay(self, usd: float | None) -> None:
        """Pay for a question; None: its price is not known."""
        self._unknown = self._unknown or usd is None
        self.spent += usd or 0.0


def sum_timings(timings: Iterable[Json]) -> Json:
    """Sum up what the rows of a run took; `asked` are those not from the cache."""
    lines: Sequence[Json] = list(timings)
    asked = [line for line in lines if not line.get("cached")]
    costs = [line.get("cost") for line in asked]
    return {
        "rows": len(lines),
        "asked": len(asked),
        "milliseconds": sum(
            float(line.get("milliseconds", {}).get("total", 0.0)) for line in asked
        ),
        "tokens": sum(sum(line.get("tokens", {}).values()) for line in asked),
        "cost": None if None in costs else round(sum(cost or 0.0 for cost in costs), 6),
    }


@dataclass(frozen=True, slots=True)
class Site:
    """The place of a case: documents, the changes in them, and the day."""

    documents: Path
    changes: tuple[Change, ...]
    today: date


class CaseAsker:
    """Asks the engine over one opened corpus."""

    def __init__(self, pack: Pack, opened: Opened, site: Site, budget: Budget) -> None:
        self._pack = pack
        self._opened = opened
        self._site = site
        self._budget = budget

    async def ask(self, item: Item) -> Answered:
        """Ask one question and make its row.

        Raises:
            BudgetExceeded: nothing more may be spent.
            GroundruleError: what the engine was made with cannot be opened.
        """
        self._budget.check()
        REPEAT.set(item.repeat)
        question = self._make_question(item)
        kind = classify_talk(question.text) if item.case.suite == MESSAGES else None
        if kind is not None:
            first = self._opened.application.first_questions(self._pack.id)
            return Answered(make_talk_row(item, kind, spoken(self._pack, kind, first)))
        began = time.monotonic()
        outcome = await self._ask_engine(question, item.case.chooses)
        seconds = time.monotonic() - began  # the clock of the engine may not move
        spent = sum_costs(outcome)
        spent["milliseconds"]["total"] = round(1000 * seconds, 1)
        self._budget.pay(spent["cost"])
        row = make_row(item, outcome, self._pack, self._site.today)
        if row.error is not None:
            cause = self._opened.listener.failure(question.session)
            row = replace(row, error=f"{row.error} {cause}".rstrip())
            return Answered(row, took=spent)
        return Answered(row, await self._read_sources(outcome), spent)

    async def _ask_engine(self, question: Question, chooses: int) -> Outcome:
        """Ask a question, or take the choice that its refusal offers.

        Raises:
            UsageError: nothing is offered under this number.
        """
        engine = self._opened.application.engine(self._pack)
        outcome = await engine.ask(question)
        if not chooses:
            return outcome
        if chooses > len(outcome.choices):
            raise UsageError(
                f"{len(outcome.choices)} choices are offered, no {chooses}"
            )
        changed = apply_choice(outcome.choices[chooses - 1], outcome.intent)
        changed["id"] = manifest.hash_content(question.id)[:32]
        changed["chosen_from"] = AUDIT_ID  # the same in every run
        return await engine.ask(question.model_copy(update=changed))

    def _make_question(self, item: Item) -> Question:
        case, name = item.case, f"{item.case.id}/{item.repeat}"
        return Question(
            id=manifest.hash_content(name)[:32],
            session=name,
            text=case.question,
            pack=self._pack.id,
            asker=ASKER,
            tags=frozenset(case.tags),
            selection=case.selection,
            previous=case.previous,
            about=case.about,
            as_of=case.as_of,
        )

    async def _read_sources(self, outcome: Outcome) -> tuple[Source, ...]:
        """Read the documents of an outcome from the ledger.

        Raises:
            VerificationFailed: it does not hold one.
        """
        ledger, register = self._opened.application.ledger, self._pack.register()
        found = []
        for name, version in sorted(list_versions(outcome)):
            document = await ledger.document(name, version, self._pack.id)
            if document is None:
                raise VerificationFailed(f"{name}: the ledger lacks what was cited")
            path = self._opened.path(document.path)
            found.append(describe_source(document, path, register))
        return tuple(found)
