"""The timing of one question's stages, for a trace.

A span holds no word of what was asked, found or answered.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

Attribute = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Span:
    """One timed stretch of a question.

    `start` and `end` are seconds since the question came in.
    """

    name: str
    start: float
    end: float
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


class Spans:
    """The spans of one question, kept as they end, also where they end in an error.

    Args:
        elapsed: seconds since the question came in.
    """

    def __init__(self, elapsed: Callable[[], float]) -> None:
        self._elapsed = elapsed
        self._ended: list[Span] = []

    @contextmanager
    def of(self, room: str) -> Iterator[None]:
        """Record the time spent in the `with` block as a span of this name."""
        start = self._elapsed()
        try:
            yield
        finally:
            self._ended.append(Span(room, start, self._elapsed()))

    def add(self, span: Span) -> None:
        """Add a span that was measured elsewhere."""
        self._ended.append(span)

    def whole(self, name: str, attributes: Mapping[str, Attribute]) -> tuple[Span, ...]:
        """Return a span of the whole question up to now, then its spans by start."""
        parts = sorted(self._ended, key=lambda span: span.start)
        return (Span(name, 0.0, self._elapsed(), attributes), *parts)
