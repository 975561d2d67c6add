"""One call of a language model as the audit keeps it, and its cost."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from engine.model.frozen import Frozen


class Failure(StrEnum):
    """Why a call returned nothing that could be read."""

    TIMEOUT = "timeout"
    LIMITED = "rate_limited"
    KEY = "key_refused"  # for this and the next three an operator has to act
    UNPAID = "not_paid"
    NAME = "model_unknown"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    SERVER = "server_error"
    OPEN = "circuit_open"  # it failed so often that it is not called for a while
    STOPPED = "stopped"  # by somebody in the thread
    UNREADABLE = "unreadable"  # truncated, empty, too large, without what was asked


class Usage(Frozen):
    """The cost of model calls. `cost` is in US dollars; None without a price."""

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.answer_tokens

    def __add__(self, other: "Usage") -> "Usage":
        known = self.cost is not None and other.cost is not None
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            answer_tokens=self.answer_tokens + other.answer_tokens,
            seconds=self.seconds + other.seconds,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )


class Prompt(Frozen):
    """One model call as the audit keeps it: what was sent, to what, and the reply.

    `program` is the SHA-256 of the rendered messages, with names in place of the
    inputs; `failure` says why there is no `answer`.
    """

    module: str
    model: str
    program: str
    parameters: Mapping[str, str | int | float | None] = Field(default_factory=dict)
    messages: tuple[Mapping[str, str], ...] = ()
    answer: str = ""
    usage: Usage = Usage()
    failure: Failure | None = None
