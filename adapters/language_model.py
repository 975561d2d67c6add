"""A language model from one line of configuration, with limited calls and retries.

DSPy's own client supports OpenAI, Anthropic, Gemini, DeepSeek, Ollama and any
OpenAI-compatible server; an unknown provider is refused at start and never passed to
another library. No other host is contacted: no cache, no telemetry, no price list from
the network. The key is in no message, error or record, even where a provider repeats
it, and replies are bounded (adapters/model_transport.py).
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import dspy
from dspy.clients.backend_selection import select_backend
from dspy.lm15 import LM15Error
from dspy.utils.exceptions import (
    AdapterParseError,
    LMError,
    LMRateLimitError,
    LMServerError,
    LMTimeoutError,
    LMTransportError,
)

from adapters.breaker import Breaker
from adapters.model_transport import Engines
from adapters.retrying import Pauses, again
from engine.model.errors import ModelFailed, UsageError
from engine.model.prompt import Usage

ATTEMPTS = 2  # at one call, where the error is transient
PAUSES = Pauses(1.0, asked="retry_after")
LONGEST_S = 600.0  # of one answer; the pack limits the time of a question
THINKING_TOKENS = 4_000  # added to an answer's, where a model reasons first
MILLION = 1_000_000

_KEYS = "_API_KEY"  # suffix of the providers' variables
# Without it DSPy fetches its price list from the network.
_STAY_HERE = "LITELLM_LOCAL_MODEL_COST_MAP"

_PASSING = (LMTimeoutError, LMTransportError, LMServerError, LMRateLimitError)


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of a model, and how it is reached.

    Attributes:
        model: provider and name, "openai/gpt-5-mini", "ollama_chat/llama3.2".
        url: an OpenAI-compatible server (with /v1); None for the provider's own.
        key: None takes the provider's own variable (OPENAI_API_KEY, …), or no key where
            there is a `url`.
        secrets: further texts to remove from replies.
        at_once: calls that run at the same time.
        prices: US dollars for a million tokens, sent and answered; None takes DSPy's
            price list.
    """

    model: str
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    at_once: int = 8
    prices: tuple[float, float] | None = None


class LanguageModel:
    """`engine.prompting.modules.Model` over a `dspy.LM`.

    Args:
        choice: the model, and how it is reached.
        now: a monotonic clock in seconds.

    Raises:
        UsageError: DSPy does not know the provider.
    """

    def __init__(
        self, choice: Choice, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = choice.model
        self._prices = choice.prices
        self._lm = _make_lm(choice)
        self._thinking = THINKING_TOKENS if self._lm.supports_reasoning else 0
        self.parameters: Mapping[str, str | int | float | None] = MappingProxyType(
            {
                "temperature": self._lm.kwargs.get("temperature"),
                "thinking_tokens": self._thinking,
                "url": choice.url,
            }
        )
        self._turns = asyncio.Semaphore(choice.at_once)
        self._breaker = Breaker("the model", ModelFailed, now)

    def lm(self, answer_tokens: int) -> dspy.LM:
        """Make a copy with its own history and limit, over the same connections."""
        return self._lm.copy(max_tokens=answer_tokens + self._thinking)

    async def calling(
        self, call: Callable[[], Awaitable[dspy.Prediction]], seconds: float
    ) -> dspy.Prediction:
        """Make a call with retries; see `engine.prompting.modules.Model`.

        DSPy's own retries have no deadline, so they are made here. There is no retry
        where the provider asks for a longer wait than the time left, and a waiting
        call leaves its turn to others.
        """
        retrying = again(_PASSING, PAUSES, ATTEMPTS, within=seconds)
        async with asyncio.timeout(seconds) as limit:
            return await retrying(self._call_in_turn, call, limit, seconds)

    async def _call_in_turn(
        self,
        call: Callable[[], Awaitable[dspy.Prediction]],
        limit: asyncio.Timeout,
        seconds: float,
    ) -> dspy.Prediction:
        """Make one request.

        A timeout counts as a failure of the provider only where the request had at
        least half of the time, so not where it waited for its turn.
        """
        async with self._turns:
            self._breaker.check()
            left = (limit.when() or 0.0) - asyncio.get_running_loop().time()
            try:
                said = await call()
            except _PASSING:
                self._breaker.failed()
                raise
            except asyncio.CancelledError:
                # Where the limit has not expired, the caller cancelled the call.
                if limit.expired() and left >= seconds / 2:
                    self._breaker.failed()
                raise
            except (LMError, AdapterParseError):
                self._breaker.answered()
                raise
            self._breaker.answered()
            return said

    def cost(self, usage: Usage, known: float | None) -> float | None:
        """Compute the cost by the configured prices, or return DSPy's."""
        if self._prices is None:
            return known
        sent, answered = self._prices
        return (usage.prompt_tokens * sent + usage.answer_tokens * answered) / MILLION

    async def close(self) -> None:
        """Close the connections."""
        await self._lm.aclose()


class _Recorded(dspy.LM):
    """A language model that keeps its last call only.

    DSPy would keep ten thousand calls, with the questions of people.
    """

    def update_history(self, entry: dict[str, Any]) -> None:
        self.history = [entry]


def _make_lm(choice: Choice) -> dspy.LM:
    os.environ[_STAY_HERE] = "true"
    reached = {"api_base": choice.url, "api_key": choice.key}
    if choice.url and not choice.key:
        reached["api_key"] = "none"  # a local server needs some value
    try:
        lm = _Recorded(
            choice.model,
            engine="lm15",
            cache=False,
            num_retries=0,
            timeout=LONGEST_S,
            **{name: value for name, value in reached.items() if value},
        )
        native = select_backend(lm).native
    except (LM15Error, LMError, ValueError) as error:
        raise _make_unknown(choice) from error
    if not native:
        raise _make_unknown(choice)
    # The only place where DSPy's transports can be replaced; copies share it.
    lm._engine_store = Engines(_list_secrets(choice))
    # OpenAI's reasoning models, which have this option in DSPy, accept only their
    # default temperature.
    own = "max_completion_tokens" in lm.kwargs
    return lm if own else lm.copy(temperature=0.0)


def _list_secrets(choice: Choice) -> list[str]:
    """List the secrets to remove, with the values of the providers' variables."""
    keys = [value for name, value in os.environ.items() if name.endswith(_KEYS)]
    return [secret for secret in (choice.key, *choice.secrets, *keys) if secret]


def _make_unknown(choice: Choice) -> UsageError:
    return UsageError(
        f"{choice.model}: this provider is not known. Use openai/…, "
        "anthropic/…, gemini/…, deepseek/…, ollama_chat/…, or openai/NAME with "
        "GROUNDRULE_MODEL_URL for any OpenAI-compatible server"
    )
