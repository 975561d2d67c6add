"""Language models on a cassette: their calls kept, or played in place of the provider.

They are between the engine and `dspy.LM`: the shipped code makes prompts and reads
answers, and only the provider is left out.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import dspy

from config.settings import Settings
from engine.model.errors import UsageError
from engine.model.prompt import Usage
from engine.policy.pack import Pack
from engine.prompting.modules import Model
from evals.forms import Json
from evals.record.cassettes import REPEAT, Call, Cassette, Mode, SharedModels

# The address of a server and its credentials shape no answer.
_REACHED = ("url", "api_base", "api_key")


class TapedModels(SharedModels):
    """The models of the settings, each behind one cassette.

    Args:
        settings: name the models; for one that they do not name, play takes the model
            that the cassette was taped with.
        cassette: of all of them.
        mode: "play" asks no provider; "tape" asks for what the cassette lacks.

    Raises:
        UsageError: no model is named.
    """

    taped = True

    def __init__(self, settings: Settings, cassette: Cassette, mode: Mode) -> None:
        head = cassette.head
        if mode == "play" and head:
            models = {
                "model": settings.model or head["writer"],
                "judge": settings.judge or head["judge"],
            }
            settings = settings.model_copy(update=models)
        if settings.model is None and settings.judge is None:
            raise UsageError("no model is named: set GROUNDRULE_MODEL, or give a tape")
        super().__init__(settings)
        self._cassette = cassette
        self._mode: Mode = mode

    def _open(self, name: str) -> Any:
        return _Taped(super()._open(name), self._cassette, self._mode)

    async def end(self) -> None:
        """Close connections, and write new calls."""
        await super().end()
        if self._mode == "tape":
            today = datetime.now(UTC).date()
            self._cassette.save(self._settings.model, self._settings.judge, today)

    def describe(self, pack: Pack) -> Json | None:
        """Describe what of the models shapes an answer, without their addresses."""
        found = super().describe(pack)
        if found is None:
            return None
        parameters = {k: v for k, v in found["parameters"].items() if k != "url"}
        return {**found, "parameters": parameters}


class _Taped:
    """`engine.prompting.modules.Model` over another one."""

    def __init__(self, model: Model, cassette: Cassette, mode: Mode) -> None:
        self._model = model
        self._cassette = cassette
        self._mode = mode
        self.name = model.name
        self.parameters: Mapping[str, str | int | float | None] = model.parameters

    def lm(self, answer_tokens: int) -> dspy.LM:
        """Return an `LM` whose calls go through the cassette."""
        return _TapedLM.over(self._model.lm(answer_tokens), self, answer_tokens)

    async def calling(
        self, call: Callable[[], Awaitable[dspy.Prediction]], seconds: float
    ) -> dspy.Prediction:
        """Call as the model itself does: one that fails is left alone."""
        return await self._model.calling(call, seconds)

    def cost(self, usage: Usage, get_known: float | None) -> float | None:
        """Price as the model itself does, with what the provider was paid for the
        original."""
        return self._model.cost(usage, get_known)

    def get_known(self, request: Json) -> Call | None:
        """Return the answer that the cassette holds; None: the provider is to be asked.

        Raises:
            CassetteMiss: it holds none, and is played.
        """
        if self._mode == "play":
            return self._cassette.play(request)
        return self._cassette.get(request)

    def keep(self, request: Json, call: Call) -> None:
        """Put an answer of the provider on the cassette."""
        self._cassette.put(request, call)


class _TapedLM(dspy.LM):
    """The model's own `LM`, with its calls through a cassette."""

    _taped: _Taped
    _room: int

    @classmethod
    def over(cls, inner: dspy.LM, taped: _Taped, room: int) -> "_TapedLM":
        """Wrap an `LM` as DSPy copies one: what is shared stays shared.

        It has to be an `LM` itself: DSPy knows by the object which messages it made for
        it.
        """
        made = object.__new__(cls)
        made.__dict__.update(inner.__dict__)
        made._taped, made._room = taped, room
        return made

    def update_history(self, entry: dict[str, Any]) -> None:
        """Keep the last call alone, as the model's own does."""
        self.history = [entry]

    async def acall(
        self, prompt: Any = None, *, messages: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Return the outputs of one call, as `dspy.LM` does."""
        request = {
            "model": self._taped.name,
            "parameters": _select_shaping(self._taped.parameters),
            "messages": prompt if messages is None else messages,
            "settings": {"max_tokens": self._room, **_select_shaping(kwargs)},
            "repeat": REPEAT.get(),
        }
        get_known = self._taped.get_known(request)
        if get_known is None:
            outputs = await super().acall(prompt, messages=messages, **kwargs)
            self._taped.keep(request, self._make_call(outputs))
            return list(outputs)
        usage = dict(get_known.usage)
        said = [*get_known.outputs]
        self.history = [{"outputs": said, "usage": usage, "cost": get_known.cost}]
        return said

    def _make_call(self, outputs: list[Any]) -> Call:
        last = self.history[-1]
        usage = last.get("usage") or {}
        return Call(
            tuple(map(_text, outputs)),
            {name: count for name, count in usage.items() if isinstance(count, int)},
            last.get("cost"),
        )


def _select_shaping(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Select what shapes an answer, as text: a schema is a class, and no JSON."""
    return {k: _write_value(v) for k, v in parameters.items() if k not in _REACHED}


def _write_value(value: Any) -> str:
    schema = getattr(value, "model_json_schema", None)
    return str(schema() if callable(schema) else value)


def _text(output: Any) -> str:
    return output if isinstance(output, str) else str(output.get("text") or "")
