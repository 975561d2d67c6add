"""Put labelled questions through the search, up to what relevance is fitted on.

Uses the same view, features and groups as the engine, so that a fit never differs from
what is asked later.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bot.wiring import Application
from engine.model.errors import UsageError
from engine.model.ports import Floats, Ledger
from engine.model.question import Question, Scope
from engine.parse import intent as intents
from engine.parse.dates import today_in
from engine.policy.pack import Pack
from engine.rank.calibration import Linear
from engine.rank.features import Measured, measure
from engine.rank.groups import Group, group_passages
from engine.search.search import Retrieved, SearchBackend, find_candidates
from evals.relevance.cases import Case

SHORTEST = 30  # letters of a part of a labelled place that still tells the answer


@dataclass(frozen=True, slots=True)
class Collected:
    """One case with the measurements of its candidates.

    `gold` holds the texts of the alternatives, letters and digits alone. `labels` says
    for each sentence whether its quotation holds one of them, or is part of one.
    """

    case: Case
    found: Retrieved
    measured: Measured
    gold: tuple[tuple[str, ...], ...]
    labels: Floats

    @property
    def features(self) -> Floats:
        """Return the features, a row for each sentence that may be chosen."""
        return self.measured.features

    def groups(self, order: Linear) -> list[Group]:
        """Group the candidates by document under an order."""
        return group_passages(
            self.found.view, self.found.candidates, self.measured, order
        )

    def holds(self, one: Group, shown: int) -> bool:
        """Tell whether the first passages of a document hold an alternative."""
        text = " ".join(
            keep_letters(p.quotation.text(self.found.candidates[p.candidate].chunk))
            for p in one.passages[:shown]
        )
        return any(all(part in text for part in parts) for parts in self.gold)


async def collect(
    application: Application, pack: Pack, cases: Sequence[Case]
) -> list[Collected]:
    """Measure every case over the pack's index.

    Raises:
        UsageError: a document of a case is not in the ledger.
    """
    search = application.search
    places = SearchBackend(search.index, search.embedder)
    statistics = await search.index.statistics(Scope(pack=pack.id))
    today = today_in(pack.time_zone, application.clock.now())
    texts = Texts(application.ledger, pack.id)
    collected = []
    for case in cases:
        question = Question(
            id=str(uuid.uuid4()), session="evals", text=case.question, pack=pack.id
        )
        intent = intents.read(question, pack, statistics, today)
        found = await find_candidates(places, question, intent, pack, statistics)
        measured = measure(found.view, found.candidates, found.tokens)
        gold = await texts.gold(case)
        collected.append(
            Collected(
                case, found, measured, gold, _label_sentences(found, measured, gold)
            )
        )
    return collected


class Texts:
    """The texts that gold places point to, read from the ledger."""

    def __init__(self, ledger: Ledger, pack: str) -> None:
        self._ledger = ledger
        self._pack = pack
        self._documents: dict[str, str] = {}
        self._read: dict[str, str] = {}

    async def gold(self, case: Case) -> tuple[tuple[str, ...], ...]:
        """Return the alternatives of a case, letters and digits alone."""
        alternatives = []
        for parts in case.gold:
            found = [await self._read_place(p.version, p.start, p.end) for p in parts]
            alternatives.append(tuple(found))
        return tuple(alternatives)

    async def page(self, version: str) -> str:
        """Return the document that a version belongs to.

        Raises:
            UsageError: it is not in the pack's corpus.
        """
        if not self._documents:
            self._documents = {
                m.version: m.document
                for m in await self._ledger.memberships(self._pack)
            }
        if version not in self._documents:
            raise UsageError(
                f"version {version[:12]} of a labelled document is not in the corpus "
                f"of {self._pack}: ingest the documents the suite is labelled on"
            )
        return self._documents[version]

    async def _read_place(self, version: str, start: int, end: int) -> str:
        if version not in self._read:
            name = await self.page(version)
            document = await self._ledger.document(name, version, self._pack)
            if document is None:
                raise UsageError(f"version {version[:12]} of {name} is not readable")
            self._read[version] = document.text
        return keep_letters(self._read[version][start:end])


def _label_sentences(
    found: Retrieved, measured: Measured, gold: Sequence[Sequence[str]]
) -> Floats:
    """Mark with 1 each sentence whose quotation holds an alternative, or is part of
    it."""
    labels = []
    for number, unit in zip(measured.candidate, measured.units, strict=True):
        said = keep_letters(unit.quotation.text(found.candidates[number].chunk))
        labels.append(
            any(
                all(part in said for part in parts)
                or (len(parts) == 1 and len(said) >= SHORTEST and said in parts[0])
                for parts in gold
            )
        )
    return np.array(labels, dtype=np.float32)


def keep_letters(text: str) -> str:
    """Keep letters and digits alone, in lower case: quotations and gold compare so."""
    return "".join(c for c in text.casefold() if c.isalnum())
