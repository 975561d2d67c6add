"""Parts that fail, wait or count: each wraps a real one and changes one thing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from engine.model.ports import Candidate, SearchQuery


@dataclass
class Breaking:
    """A real part of which one method raises."""

    part: Any
    method: str
    error: BaseException

    def __getattr__(self, name: str) -> Any:
        if name != self.method:
            return getattr(self.part, name)
        return self._raise

    def _raise(self, *arguments: object, **named: object) -> None:
        raise self.error


@dataclass
class Waiting:
    """A real part of which one method never comes back."""

    part: Any
    method: str

    def __getattr__(self, name: str) -> Any:
        return self._wait if name == self.method else getattr(self.part, name)

    async def _wait(self, *arguments: object, **named: object) -> None:
        await asyncio.Event().wait()


@dataclass
class Rescored:
    """A real index whose candidates come with other scores."""

    part: Any
    change: Callable[[Candidate], Candidate]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.part, name)

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        return tuple(self.change(c) for c in await self.part.search(query))


def scaled(candidate: Candidate) -> Candidate:
    """BM25 on another scale, as another index has it."""
    bm25 = None if candidate.bm25 is None else candidate.bm25 * 7
    return replace(candidate, bm25=bm25)


@dataclass
class Counting:
    """A function that is counted on its way through."""

    real: Callable[..., Any]
    calls: list[tuple[object, ...]] = field(default_factory=list)

    def __call__(self, *arguments: object, **named: object) -> Any:
        self.calls.append(arguments)
        return self.real(*arguments, **named)


@dataclass
class FixedClock:
    """Always the same moment; every look at the stopwatch finds `step` seconds gone."""

    moment: datetime = datetime(2026, 11, 22, 12, tzinfo=UTC)
    step: float = 0.001
    passed: float = 0.0

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        self.passed += self.step
        return self.passed
