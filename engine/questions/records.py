"""The nouns of stored questions: a question that a passage answers, with its origin; a
model's proposals, and the port of the model.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Protocol

from pydantic import BeforeValidator, Field, StringConstraints

from engine.model.frozen import Frozen, Span
from engine.model.passage import Chunk
from engine.model.prompt import Prompt, Usage
from engine.text.legible import legible

LONGEST = 300  # characters of a question
MOST = 2_000  # questions of one version
FRONT_MATTER = (
    "front matter"  # in the place of a question that the document itself holds
)

# Legible text: no two questions look alike, and none is longer than it looks.
Text = Annotated[
    str,
    BeforeValidator(lambda said: legible(said) if isinstance(said, str) else said),
    StringConstraints(strip_whitespace=True, min_length=3, max_length=LONGEST),
]


class Origin(StrEnum):
    """The author of a question."""

    PERSON = "person"
    HEADING = "heading"
    MODEL = "model"


class PassageQuestion(Frozen):
    """A question that a passage of one version of a document answers.

    Attributes:
        document: its id.
        version: of the document, whose offsets `span` and `sentences` are.
        span: what the question points to; it belongs to the passage where that begins.
        section: the headings above it.
        sentences: those that answer, as a model named them; else empty.
        origin: its author, with `model` and `prompt`, the prompt's version, for a
            model.
        place: the file that holds it, and where in it; empty without a file.
        created: when it came.
        reviewed_by: the reviewer, and `reviewed` the time; empty before a review.
        kept_out: why it is out of use; None for one in use.
    """

    text: Text
    document: str
    version: str
    span: Span
    section: tuple[str, ...] = ()
    sentences: tuple[Span, ...] = ()
    origin: Origin
    model: str = ""
    prompt: str = ""
    place: str = ""
    created: datetime
    reviewed_by: str = ""
    reviewed: datetime | None = None
    kept_out: Annotated[str, Field(max_length=LONGEST)] | None = None

    @property
    def only_offered(self) -> bool:
        """True where it may be offered to choose from, and answers nothing by itself.

        A document's own question is its author's claim, until it is reviewed.
        """
        where = self.place.rpartition(": ")[2]
        return self.reviewed is None and where.startswith(f"{FRONT_MATTER}[")

    @property
    def id(self) -> str:
        """The question's id: the same for the same words of the same passage."""
        named = f"{self.document}\n{self.version}\n{self.span.start}\n{self.text}"
        return hashlib.sha256(named.encode()).hexdigest()[:10]

    @property
    def same(self) -> tuple[int, str]:
        """The key that is equal for duplicates within a version: the place and the
        words.
        """
        return self.span.start, self.text.casefold()


Questions = tuple[PassageQuestion, ...]


def keep_used(questions: Iterable[PassageQuestion]) -> Questions:
    """Keep the questions that are searched."""
    return tuple(question for question in questions if question.kept_out is None)


class Proposed(Frozen):
    """A question as a model wrote it, with the sentences that it named.

    `flaw` says what is wrong with it before it is tried.
    """

    text: str
    sentences: tuple[Span, ...] = ()
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposals of one model call; empty where `prompt.failure` says why."""

    proposed: tuple[Proposed, ...]
    prompt: Prompt


class Questioner(Protocol):
    """Asks a model which questions a passage answers."""

    version: str

    @property
    def name(self) -> str:
        """The name of the model."""
        ...

    @property
    def key(self) -> str:
        """A hash of everything besides the passage that a reply depends on."""
        ...

    def rendered(self, chunk: Chunk) -> str:
        """Render a passage as the model reads it; "" without quotable sentences."""
        ...

    def estimate(self, chunk: Chunk) -> Usage:
        """Estimate the usage of one call, rather too much than too little."""
        ...

    async def write(self, chunk: Chunk) -> Proposals:
        """Write the questions of a passage; a provider that fails raises nothing."""
        ...
