"""The ports of an inspection: preflights that gather evidence, and a model that selects
from it, with its request and its reply.
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
    """Gathers evidence with its places, before any model is asked."""

    def gather(self, step: Step) -> Gathered:
        """Gather the evidence of one step of a question.

        Every block was in its file when the file was last read. A file that cannot be
        read is named in the result, and stops nothing.

        Raises:
            UsageError: the step asks for what this repository may not be asked.
        """
        ...


class Inspector(Protocol):
    """A language model that selects lines of evidence and a verdict."""

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        ...

    async def inspect(self, request: Request) -> Drafted:
        """Write one draft, by one call. A provider that fails raises nothing."""
        ...
