"""The nouns of the room: a question that a passage answers with its origin, what a
model proposes, and who can be asked for that.
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
FRONT_MATTER = "front matter"  # in the place of what a document says of itself

# As it is read: no two that look alike, and none that is longer than it looks.
Text = Annotated[
    str,
    BeforeValidator(lambda said: legible(said) if isinstance(said, str) else said),
    StringConstraints(strip_whitespace=True, min_length=3, max_length=LONGEST),
]


class Origin(StrEnum):
    """Who or what wrote a question."""

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
        sentences: those that answer, as a model named them; none where nobody did.
        origin: who wrote it, with `model` and `prompt`, the prompt's version, where a
            model did.
        place: the file that says it, and where in it; empty for what no file says.
        created: when it came.
        reviewed_by: who looked at it, and `reviewed` when; empty where nobody did.
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
        """Whether it may be offered to choose from, and answers nothing by itself.

        A document's own question is the word of whoever wrote the document, until
        somebody looked at it.
        """
        where = self.place.rpartition(": ")[2]
        return self.reviewed is None and where.startswith(f"{FRONT_MATTER}[")

    @property
    def id(self) -> str:
        """What it is called: the same for the same words of the same passage."""
        named = f"{self.document}\n{self.version}\n{self.span.start}\n{self.text}"
        return hashlib.sha256(named.encode()).hexdigest()[:10]

    @property
    def same(self) -> tuple[int, str]:
        """What makes two of them one within a version: the place and the words."""
        return self.span.start, self.text.casefold()


Questions = tuple[PassageQuestion, ...]


def in_use(questions: Iterable[PassageQuestion]) -> Questions:
    """Return those that are searched."""
    return tuple(question for question in questions if question.kept_out is None)


class Proposed(Frozen):
    """A question as a model wrote it, with the sentences that it named.

    `flaw` says what is wrong with it before it was tried.
    """

    text: str
    sentences: tuple[Span, ...] = ()
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a model proposed, by one call; nothing where `prompt.failure` says why."""

    proposed: tuple[Proposed, ...]
    prompt: Prompt


class Questioner(Protocol):
    """Asks a model what a passage answers (engine/prompting/questioning.py)."""

    version: str

    @property
    def name(self) -> str:
        """The model's."""
        ...

    @property
    def key(self) -> str:
        """What an answer depends on besides the passage."""
        ...

    def rendered(self, chunk: Chunk) -> str:
        """Return a passage as the model reads it; "" where it has no sentence to
        quote.
        """
        ...

    def estimate(self, chunk: Chunk) -> Usage:
        """Return what one call will take, rather too much than too little."""
        ...

    async def write(self, chunk: Chunk) -> Proposals:
        """Return the questions of a passage; a provider that fails is no exception."""
        ...
