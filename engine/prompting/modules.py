"""DSPy at work: a draft for one order, and a judge's objections.

Every call makes one request and leaves one `Prompt`, whatever happens. The provider,
its key, its limits and its retries belong to the `Model`, which is passed in
(adapters/language_model.py).
"""

import asyncio
import hashlib
import json
import time
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Protocol

import dspy
from dspy.utils.exceptions import (
    AdapterParseError,
    LMAuthError,
    LMBillingError,
    LMError,
    LMNotConfiguredError,
    LMRateLimitError,
    LMServerError,
    LMTimeoutError,
    LMTransportError,
    LMUnsupportedModelError,
)
from pydantic import TypeAdapter

from engine.model.draft import Judged, Objection, Order, Written
from engine.model.errors import ModelFailed, UsageError
from engine.model.prompt import Failure, Prompt, Usage
from engine.prompting.asking import make_program
from engine.prompting.exchange import escape_markers, make_inputs, read_reply
from engine.prompting.signatures import SIGNATURES, Judging

LONGEST_ANSWER = 100_000  # characters that are read; a draft has a few thousand
MOST_BRACKETS = 500  # in it: the JSON parser is recursive
_THOUGHT = "</think>"  # ends the reasoning that some models write before their answer
LONGEST_KEPT = 20_000  # of an answer, in the audit
LONGEST_WHY = 300  # of an objection
ANSWER_TOKENS, JUDGING_TOKENS = 1_500, 8_000
PER_TOKEN = 3  # characters; low, so that estimates of prompts are high

# Any other error of a provider requires another request.
_FAILURES: Mapping[type[LMError], Failure] = {
    LMAuthError: Failure.KEY,
    LMNotConfiguredError: Failure.KEY,
    LMBillingError: Failure.UNPAID,
    LMUnsupportedModelError: Failure.NAME,
    LMTimeoutError: Failure.TIMEOUT,
    LMRateLimitError: Failure.LIMITED,
    LMTransportError: Failure.UNREACHABLE,
    LMServerError: Failure.SERVER,
}

# The ends of a call that the provider accepted, and counts.
_TAKEN = (None, Failure.UNREADABLE, Failure.TIMEOUT, Failure.STOPPED)

# The fields that a draft may omit without being unreadable.
_LENIENT: Mapping[str, object] = {
    "status": "answered",
    "not_found": [],
    "texts": [],
    "filled": {},
}


class Model(Protocol):
    """A language model, and how it may be called.

    Attributes:
        name: provider and model, as configured.
        parameters: sent with every call.
    """

    name: str
    parameters: Mapping[str, str | int | float | None]

    def lm(self, answer_tokens: int) -> dspy.LM:
        """Make a fresh `dspy.LM`, whose history holds its last call alone."""
        ...

    async def calling(
        self, call: Callable[[], Awaitable[dspy.Prediction]], seconds: float
    ) -> dspy.Prediction:
        """Make a call within so many seconds, including the wait for its turn.

        Raises:
            TimeoutError: it took longer.
            ModelFailed: the provider failed so often that it is not called for now.
        """
        ...

    def cost(self, usage: Usage, known: float | None) -> float | None:
        """Return US dollars, `known` being DSPy's price; None without a price."""
        ...


class ModelWriter:
    """The Writer port over DSPy: one `dspy.Predict` for each signature.

    Args:
        model: the language model.
        wanted: the signatures that the packs name.

    Raises:
        UsageError: a pack names a signature that does not exist.
    """

    def __init__(self, model: Model, wanted: Collection[str]) -> None:
        missing = sorted(set(wanted) - set(SIGNATURES))
        if missing:
            raise UsageError(
                f"a pack names the signature {missing[0]!r}, which does not exist: "
                f"there are {', '.join(SIGNATURES)} (engine/prompting/signatures.py)"
            )
        self._model = model
        self._programs = {
            (name, analysing): make_program(name, analyse_only=analysing)
            for name in SIGNATURES
            for analysing in (False, True)
        }

    async def write(self, order: Order) -> Written:
        """Write a draft by one model call; see `engine.model.ports.Writer`."""
        call = Call(self._model, order.signature, order.seconds, order.tokens)
        asked = self._programs[order.signature, order.analyse_only]
        said, prompt = await call.run(asked, make_inputs(order))
        return read_reply(said, prompt, order)


class ModelJudge:
    """The Judge port over DSPy; a verdict that cannot be read objects to everything."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._program = dspy.Predict(Judging)

    async def judge(
        self, question: str, statements: Sequence[tuple[str, str]], seconds: float
    ) -> Judged:
        """Judge by one model call; see `engine.model.ports.Judge`."""
        listed = "\n\n".join(
            f"{number}. {escape_markers(above)}\n{escape_markers(text)}"
            for number, (text, above) in enumerate(statements, start=1)
        )
        call = Call(self._model, "judge", seconds, JUDGING_TOKENS)
        given: dict[str, object] = {
            "question": escape_markers(question),
            "quotations": listed,
        }
        said, prompt = await call.run(self._program, given)
        if said is None:
            why = f"the judge gave no verdict ({prompt.failure})"
            found = [Objection(text=text, explanation=why) for text, _ in statements]
        else:
            found = [
                Objection(
                    text=statements[doubt.number - 1][0],
                    explanation=doubt.why[:LONGEST_WHY],
                )
                for doubt in said.doubts
                if 0 < doubt.number <= len(statements)
            ]
        return Judged(objections=tuple(found), prompt=prompt)


# --- one call ---------------------------------------------------------------------


class StrictJSONAdapter(dspy.JSONAdapter):
    """Asks for JSON once, and parses it strictly, in time linear in its length.

    DSPy's own parser repairs: 300 opening braces before 90,000 letters took it 55 s.
    """

    def __init__(self) -> None:
        super().__init__()
        self._messages: list[dict[str, str]] | None = None

    def format(
        self,
        signature: type[dspy.Signature],
        demos: list[dspy.Example],
        inputs: dict[str, object],
    ) -> list[dict[str, str]]:
        """Make the messages once: the recorded ones are those sent."""
        if self._messages is None:
            self._messages = super().format(signature, demos, inputs)
        return self._messages

    def format_assistant_message_content(
        self,
        signature: type[dspy.Signature],
        outputs: dict[str, object],
        missing_field_message: str | None = None,
    ) -> str:
        """Format an example's answer on one line, so that models spend no tokens on
        white space.
        """
        shown = super().format_assistant_message_content(
            signature, outputs, missing_field_message
        )
        return json.dumps(json.loads(shown), ensure_ascii=False)

    def parse(
        self, signature: type[dspy.Signature], completion: str
    ) -> dict[str, object]:
        """Parse the fields of an answer.

        Raises:
            AdapterParseError: it holds no JSON object with these fields.
        """
        try:
            found = {**_LENIENT, **_parse_object(completion)}
            return {
                name: TypeAdapter(field.annotation).validate_python(found[name])
                for name, field in signature.output_fields.items()
            }
        except (KeyError, ValueError) as error:
            raise AdapterParseError(
                adapter_name="JSONAdapter",
                signature=signature,
                lm_response=completion[:LONGEST_KEPT],
                message=f"not as asked for ({type(error).__name__})",
            ) from error


def render_messages(
    signature: type[dspy.Signature], inputs: dict[str, object]
) -> list[str]:
    """Return the messages of a model for these inputs."""
    return [
        message["content"]
        for message in StrictJSONAdapter().format(signature, [], inputs)
    ]


def hash_program(program: dspy.Predict) -> str:
    """Return the SHA-256 of a program's messages, with names in place of the inputs.

    So it changes with everything that changes a message: instructions, fields and their
    types, examples, the adapter's own words.
    """
    fields = program.signature.input_fields
    named: dict[str, object] = {
        name: f"{{{name}}}" if field.annotation is str else [f"{{{name}}}"]
        for name, field in fields.items()
    }
    messages = StrictJSONAdapter().format(program.signature, program.demos, named)
    told = json.dumps(messages, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()


def _parse_object(text: str) -> dict[str, object]:
    """Parse the JSON object in a text, with or without words around it.

    Raises:
        ValueError: there is none, it is too large, or holds half of a character.
    """
    text = text.rpartition(_THOUGHT)[2]
    text = text[text.find("{") : text.rfind("}") + 1]
    brackets = sum(text.count(bracket) for bracket in "[{")
    if len(text) > LONGEST_ANSWER or brackets > MOST_BRACKETS:
        raise ValueError("too large")
    found = json.loads(text, strict=False)
    if not isinstance(found, dict):
        raise ValueError("no object")
    json.dumps(found, ensure_ascii=False).encode()  # half of a character is no text
    return found


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the model, and the record of it."""

    model: Model
    module: str
    seconds: float
    tokens: int

    async def run(
        self, program: dspy.Predict, inputs: dict[str, object]
    ) -> tuple[dspy.Prediction | None, Prompt]:
        """Return the reply, or None and why, with the prompt as it was sent."""
        adapter = StrictJSONAdapter()
        sent = adapter.format(program.signature, program.demos, inputs)
        prompted = sum(len(message["content"]) for message in sent) // PER_TOKEN
        room = max(1, min(self.tokens - prompted, ANSWER_TOKENS))
        lm = self.model.lm(room)
        tries = 0

        async def ask() -> dspy.Prediction:
            nonlocal tries
            tries += 1
            with dspy.context(lm=lm, adapter=adapter):
                return await program.acall(**inputs)

        began = time.monotonic()
        said, failure = await self._call(ask)
        answer = _find_answer(lm)
        taken = prompted if failure in _TAKEN else 0
        usage = Usage(
            calls=tries,
            prompt_tokens=taken,
            answer_tokens=len(answer) // PER_TOKEN,
            seconds=time.monotonic() - began,
        )
        return said, Prompt(
            module=self.module,
            model=self.model.name,
            program=hash_program(program),
            parameters={**self.model.parameters, "max_tokens": room},
            messages=tuple({"role": m["role"], "content": m["content"]} for m in sent),
            answer=answer[:LONGEST_KEPT],
            usage=self._add_counts(lm, usage),
            failure=failure,
        )

    async def _call(
        self, ask: Callable[[], Awaitable[dspy.Prediction]]
    ) -> tuple[dspy.Prediction | None, Failure | None]:
        try:
            return await self.model.calling(ask, self.seconds), None
        except TimeoutError:
            return None, Failure.TIMEOUT
        except asyncio.CancelledError as ended:
            if Failure.STOPPED not in ended.args:
                raise
            return None, Failure.STOPPED  # the task has nothing else to do
        except ModelFailed:
            return None, Failure.OPEN
        except AdapterParseError:
            return None, Failure.UNREADABLE
        except LMError as error:
            kinds = (kind for kind in type(error).__mro__ if kind in _FAILURES)
            return None, _FAILURES.get(next(kinds, LMError), Failure.REFUSED)

    def _add_counts(self, lm: dspy.LM, usage: Usage) -> Usage:
        """Replace our estimate by the provider's counts, and add the cost."""
        last = lm.history[-1] if lm.history else {}
        told = last.get("usage") or {}
        names = {"prompt_tokens": "prompt_tokens", "completion_tokens": "answer_tokens"}
        counts = {ours: int(told.get(name) or 0) for name, ours in names.items()}
        known = {name: count for name, count in counts.items() if count > 0}
        usage = usage.model_copy(update=known)
        cost = self.model.cost(usage, last.get("cost")) if usage.tokens else 0.0
        return usage.model_copy(update={"cost": cost})


def _find_answer(lm: dspy.LM) -> str:
    """Return the raw answer; "" where there is none, as where a model refuses."""
    outputs = lm.history[-1]["outputs"] if lm.history else []
    first = outputs[0] if outputs else ""
    if isinstance(first, Mapping):
        first = first.get("text")
    return first if isinstance(first, str) else ""
