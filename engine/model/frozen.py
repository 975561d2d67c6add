"""The base of every noun: immutable models, spans of text, probabilities.

All offsets are code-point offsets into a canonical text; `end` is exclusive.
"""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Offset = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]


class Frozen(BaseModel):
    """Base of every noun: immutable, unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(Frozen):
    """Half-open range [start, end) of code points in a canonical text."""

    start: Offset
    end: Offset

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"span ends ({self.end}) before it starts ({self.start})")
        return self

    def of(self, text: str) -> str:
        """Return the exact slice of `text`."""
        return text[self.start : self.end]
