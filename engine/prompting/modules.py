"""DSPy at work: a draft for one order, and a judge's objections.

Every call takes one request and leaves one `Prompt` behind, whatever happens. Which
model it is, its key, its limits and its retries are the `Model`'s, which is handed in
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
from engine.prompting.asking import program
from engine.prompting.exchange import as_data, inputs, written
from engine.prompting.signatures import SIGNATURES, Judging

LONGEST_ANSWER = 100_000  # characters that are read; a draft has a few thousand
MOST_BRACKETS = 500  # in it: what reads JSON goes down one by one
_THOUGHT = "</think>"  # what some models write before their answer ends with it
LONGEST_KEPT = 20_000  # of an answer, in the audit
LONGEST_WHY = 300  # of an objection
ANSWER_TOKENS, JUDGING_TOKENS = 1_500, 8_000
PER_TOKEN = 3  # characters; low, so that estimates of prompts are high

# Any other error of a provider asks for a change of what it is sent.
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

# How a call ends that the provider took in, and counts: what came, or would have come.
_TAKEN = (None, Failure.UNREADABLE, Failure.TIMEOUT, Failure.STOPPED)

# What a draft may leave out without being unreadable.
_LENIENT: Mapping[str, object] = {
    "status": "answered",
    "not_found": [],
    "texts": [],
    "filled": {},
}


class Model(Protocol):
    """A language model, and how it may be asked.

    Attributes:
        name: provider and model, as configured.
        parameters: what every call is sent with.
    """

    name: str
    parameters: Mapping[str, str | int | float | None]

    def lm(self, answer_tokens: int) -> dspy.LM:
        """Return a fresh `dspy.LM`, whose history holds its last call alone."""
        ...

    async def calling(
        self, call: Callable[[], Awaitable[dspy.Prediction]], seconds: float
    ) -> dspy.Prediction:
        """Return the result of a call within so many seconds, waiting for its turn
        included.

        Raises:
            TimeoutError: it took longer.
            ModelFailed: the provider failed so often that it is left alone for now.
        """
        ...

    def cost(self, usage: Usage, known: float | None) -> float | None:
        """US dollars, `known` being what DSPy's price list says; None: no price."""
        ...


class ModelWriter:
    """The Writer port over DSPy: one `dspy.Predict` for each signature.

    Args:
        model: what drafts.
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
            (name, analysing): program(name, analyse_only=analysing)
            for name in SIGNATURES
            for analysing in (False, True)
        }

    async def write(self, order: Order) -> Written:
        """Return a draft by one model call; see `engine.model.ports.Writer`."""
        call = Call(self._model, order.signature, order.seconds, order.tokens)
        asked = self._programs[order.signature, order.analyse_only]
        said, prompt = await call.run(asked, inputs(order))
        return written(said, prompt, order)


class ModelJudge:
    """The Judge port over DSPy; a verdict that cannot be read objects to everything."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._program = dspy.Predict(Judging)

    async def judge(
        self, question: str, statements: Sequence[tuple[str, str]], seconds: float
    ) -> Judged:
        """Objections by one model call; see `engine.model.ports.Judge`."""
        listed = "\n\n".join(
            f"{number}. {as_data(above)}\n{as_data(text)}"
            for number, (text, above) in enumerate(statements, start=1)
        )
        call = Call(self._model, "judge", seconds, JUDGING_TOKENS)
        given: dict[str, object] = {"question": as_data(question), "quotations": listed}
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


class Reading(dspy.JSONAdapter):
    """Asks for JSON once, and reads it strictly, in time that grows with its length.

    DSPy's own reading repairs: 300 opening braces before 90,000 letters took it 55 s.
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
        """Return the messages, made once: what is on record is what is sent."""
        if self._messages is None:
            self._messages = super().format(signature, demos, inputs)
        return self._messages

    def format_assistant_message_content(
        self,
        signature: type[dspy.Signature],
        outputs: dict[str, object],
        missing_field_message: str | None = None,
    ) -> str:
        """Return an example's answer on one line: a model that writes as it is shown to
        spends no tokens on white space.
        """
        shown = super().format_assistant_message_content(
            signature, outputs, missing_field_message
        )
        return json.dumps(json.loads(shown), ensure_ascii=False)

    def parse(
        self, signature: type[dspy.Signature], completion: str
    ) -> dict[str, object]:
        """Return the fields of an answer.

        Raises:
            AdapterParseError: it holds no JSON object with these fields.
        """
        try:
            found = {**_LENIENT, **_object(completion)}
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


def read_by(signature: type[dspy.Signature], inputs: dict[str, object]) -> list[str]:
    """Return what a model is sent for these inputs, message by message."""
    return [message["content"] for message in Reading().format(signature, [], inputs)]


def version_of(program: dspy.Predict) -> str:
    """SHA-256 of the messages of a program, with names in place of what is asked.

    So it changes with whatever changes a message: instructions, fields and their types,
    examples, the adapter's own words.
    """
    fields = program.signature.input_fields
    named: dict[str, object] = {
        name: f"{{{name}}}" if field.annotation is str else [f"{{{name}}}"]
        for name, field in fields.items()
    }
    messages = Reading().format(program.signature, program.demos, named)
    told = json.dumps(messages, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()


def _object(text: str) -> dict[str, object]:
    """Return the JSON object in a text, with or without words around it.

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
        """Return what the model said, or None and why, with the prompt as it was
        sent.
        """
        adapter = Reading()
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
        said, failure = await self._within(ask)
        answer = _answered(lm)
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
            program=version_of(program),
            parameters={**self.model.parameters, "max_tokens": room},
            messages=tuple({"role": m["role"], "content": m["content"]} for m in sent),
            answer=answer[:LONGEST_KEPT],
            usage=self._told(lm, usage),
            failure=failure,
        )

    async def _within(
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

    def _told(self, lm: dspy.LM, usage: Usage) -> Usage:
        """Return what the provider counted, in place of our estimate, and what it
        costs.
        """
        last = lm.history[-1] if lm.history else {}
        told = last.get("usage") or {}
        names = {"prompt_tokens": "prompt_tokens", "completion_tokens": "answer_tokens"}
        counts = {ours: int(told.get(name) or 0) for name, ours in names.items()}
        known = {name: count for name, count in counts.items() if count > 0}
        usage = usage.model_copy(update=known)
        cost = self.model.cost(usage, last.get("cost")) if usage.tokens else 0.0
        return usage.model_copy(update={"cost": cost})


def _answered(lm: dspy.LM) -> str:
    """Return the raw answer; "" where there is none, as where a model refuses."""
    outputs = lm.history[-1]["outputs"] if lm.history else []
    first = outputs[0] if outputs else ""
    if isinstance(first, Mapping):
        first = first.get("text")
    return first if isinstance(first, str) else ""
