"""What a model proposes as questions of a passage, and who can be asked for them."""

from dataclasses import dataclass
from typing import Protocol

from engine.model.frozen import Frozen, Span
from engine.model.passage import Chunk
from engine.model.prompt import Prompt, Usage


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
        """A passage as the model reads it; "" where it has no sentence to quote."""
        ...

    def estimate(self, chunk: Chunk) -> Usage:
        """What one call will take, rather too much than too little."""
        ...

    async def write(self, chunk: Chunk) -> Proposals:
        """The questions of a passage; a provider that fails is no exception."""
        ...
