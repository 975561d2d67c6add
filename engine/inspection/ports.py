"""What an inspection needs from outside: who gathers evidence, and a model that picks
of it, with what that is asked and what comes back.
"""

from typing import Protocol

from engine.inspection.question_pack import Step
from engine.inspection.records import Block, Gathered
from engine.model.frozen import Frozen
from engine.model.prompt import Prompt


class Request(Frozen):
    """A question with the evidence to choose from; every shown line has a number."""

    question: str
    blocks: tuple[Block, ...]
    verdicts: tuple[str, ...]
    schema_text: str
    analyse_only: bool
    feedback: tuple[str, ...] = ()
    seconds: float = 120.0


class Drafted(Frozen):
    """A draft as text of the contract, whatever form the model gave it.

    `text` is "" where the model did not answer; `prompt.failure` says why.
    """

    text: str
    prompt: Prompt


class Preflight(Protocol):
    """Evidence with its places, gathered before any model is asked."""

    def gather(self, step: Step) -> Gathered:
        """Return what one step of a question finds.

        Every block stood in its file when that was read for the last time. A file that
        cannot be read is named in what comes back, and ends nothing.

        Raises:
            UsageError: the step asks for what this repository may not be asked.
        """
        ...


class Inspector(Protocol):
    """A language model that picks lines of evidence and a verdict."""

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        ...

    async def inspect(self, request: Request) -> Drafted:
        """Return one draft, by one call. A provider that fails is no exception."""
        ...
