"""What a model is asked about a repository, and what comes back (R-P7)."""

from engine.inspection.records import Block
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
