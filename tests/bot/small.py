"""An application whose index is empty: every question is refused, at once.

The corridor is the real one, the ledger too. What the pack `long` says takes several
messages on every platform.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bot.serving.readiness import Readiness
from bot.wiring import Application
from engine import Calibration, Engine, Ports
from engine.model.errors import UsageError
from engine.model.ports import (
    Candidate,
    CorpusStatistics,
    Encoded,
    Readable,
    ReaderScore,
    SearchQuery,
)
from engine.model.question import Scope
from engine.policy.pack import Pack
from engine.rank.calibration import GENERAL, SURE, Linear, Place
from engine.rank.reading import Reading
from tests.engine.small_pack import data

TOPIC = "a topic of which there is much to say and which nobody asks about; " * 50
_NOTHING = Linear(names=(), mean=(), scale=(), weights=())


class NoIndex:
    """The Index port over nothing."""

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        return ()

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        return CorpusStatistics(0, 0, {})

    async def close(self) -> None:
        """There is nothing to close."""


class NoEmbedder:
    """The Embedder port where nothing is ever compared."""

    name, dimension, reduced = "none", 4, 4

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        return [self.encode_question(text) for text in texts]

    def encode_question(self, text: str) -> Encoded:
        return Encoded(
            np.zeros(4, np.float32),
            np.zeros((0, 4), np.float32),
            np.zeros((0, 2), np.int32),
        )


class NoReader:
    """The Reader port where nothing is ever found to read."""

    name = "none"

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        assert not passages
        return ()


def packs() -> Mapping[str, Pack]:
    """Small packs; `closed` may not be used on Discord, `other` names its date."""
    wording = data()["wording"] | {"paused": "On holiday.", "first_use": "Stored: all."}
    made: Mapping[str, Any] = {
        "small": {},
        "other": {"title": "Other", "analysis_date_header": True},
        "closed": {"title": "Closed", "platforms_forbidden": ["discord"]},
        "long": {
            "topics": [f"{n} {TOPIC}" for n in range(5)],
            "wording": wording | {"covered": "I know: {topics}."},
        },
    }
    return {
        name: Pack.model_validate(data(**{"id": name, "wording": wording, **changes}))
        for name, changes in made.items()
    }


class SmallApplication(Application):
    """The real application, but for packs, index and embedder."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.installed = packs()

    def pack(self, name: str) -> Pack:
        if name not in self.installed:
            raise UsageError(f"no pack is called {name!r}")
        return self.installed[name]

    def first_questions(self, name: str) -> tuple[str, ...]:
        return (f"What is {name}?",)

    def pack_names(self) -> list[str]:
        return sorted(self.installed)

    @cached_property
    def readiness(self) -> Readiness:
        """Every pack is ready: it has no documents to take in."""

        async def nothing() -> None:
            """There is nothing to take in."""

        return Readiness(lambda pack: nothing())

    async def warm(self) -> None:
        """There is nothing to load."""

    async def packs_in_use(self) -> Mapping[str, Pack]:
        """None has documents to take in."""
        return {}

    def engine(self, pack: Pack) -> Engine:
        ports = Ports(
            index=NoIndex(),  # type: ignore[arg-type]
            embedder=NoEmbedder(),
            ledger=self.ledger,
            clock=self.clock,
            observer=self.observer,
        )
        fitted = Calibration(
            embedder="none",
            reader="none",
            order=_NOTHING,
            relevance=_NOTHING,
            reading=_NOTHING,
            floor=0.0,
            places={GENERAL: Place(even=0.0, sure=SURE)},
            selected=0.0,
        )
        return Engine({pack.id: pack}, ports, Reading(NoReader(), fitted))
