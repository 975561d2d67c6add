"""Calls of language models on file, so that suites run without keys.

A cassette is JSON lines in plain text: a head with the models and the day, and a line
for each call, found again by its whole request: messages, model, parameters, repeat. No
part of a key is ever written. Play is strict: a request that is not on the cassette is
an error, never a call and never a skip.
"""

import json
import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Literal

from bot.models import LanguageModels
from config.settings import Settings
from engine.model.errors import GroundruleError, UsageError
from engine.policy.pack import Pack
from evals.forms import Json
from evals.record.manifest import hash_content
from evals.store import canonical, place_lines

FORM = 1
Mode = Literal["play", "tape"]
# The repeat of a case that is asked: two repeats are two calls.
REPEAT: ContextVar[int] = ContextVar("REPEAT", default=0)
HIDDEN = "(hidden)"
# Keys of providers and platforms, wherever they may have got to.
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|xox[a-z]|xapp|ghp|gho|hf|AIza|AKIA)[-_A-Za-z0-9]{16,}"
    r"|\bBearer\s+[-._~+/A-Za-z0-9]{8,}=*"
)


class CassetteMiss(GroundruleError):
    """A call is not on the cassette that is played; the case is an error."""

    code = "CASSETTE"


@dataclass(frozen=True, slots=True)
class Call:
    """One answer of a model; `usage` and `cost` are those of the original call."""

    outputs: tuple[str, ...]
    usage: Mapping[str, int] = field(default_factory=dict)
    cost: float | None = None


class Cassette:
    """The calls of one file.

    Args:
        file: of the cassette; a new one need not exist.
        secrets: texts that are never written.

    Raises:
        UsageError: the file is damaged.
    """

    def __init__(self, file: Path, secrets: Iterable[str] = ()) -> None:
        self._file = file
        self._secrets = tuple(secret for secret in secrets if secret)
        self._lines: dict[str, Json] = {}
        self._new = False
        self.head: Json = {}
        if file.exists():
            self._read()

    def get(self, request: Json) -> Call | None:
        """Return the answer to a request; None where it is not on the cassette."""
        line = self._lines.get(self._make_key(request))
        if line is None:
            return None
        return Call(tuple(line["outputs"]), line["usage"], line["cost"])

    def play(self, request: Json) -> Call:
        """Return the answer to a request.

        Raises:
            CassetteMiss: it is not on the cassette.
        """
        call = self.get(request)
        if call is None:
            raise CassetteMiss(
                f"{self._file.name} has no call {self._make_key(request)[:12]} to "
                f"{request.get('model')}: tape it with --tape"
            )
        return call

    def put(self, request: Json, call: Call) -> None:
        """Keep an answer; it is written by `save`."""
        clean = json.loads(self._scrub(canonical(request)))
        outputs = [self._scrub(output) for output in call.outputs]
        key = self._make_key(request)
        self._new = True
        self._lines[key] = {
            "key": key,
            "request": clean,
            "outputs": outputs,
            "usage": dict(call.usage),
            "cost": call.cost,
        }

    def save(self, writer: str | None, judge: str | None, today: date) -> None:
        """Write the file where something is new, with models and day in its head.

        A model that is not named did not speak this time, and stays in the head as it
        was.

        Raises:
            StoreFailed: it cannot be written.
        """
        if not self._new:
            return
        head = {
            "cassette": FORM,
            "writer": writer or self.head.get("writer"),
            "judge": judge or self.head.get("judge"),
            "taped": today.isoformat(),
        }
        calls = (self._lines[key] for key in sorted(self._lines))
        place_lines(self._file, (canonical(line) for line in (head, *calls)))
        self.head, self._new = head, False

    def _make_key(self, request: Json) -> str:
        """Hash the request without secrets, so that another key finds it too."""
        return hash_content(json.loads(self._scrub(canonical(request))))

    def _scrub(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _SECRET.sub(HIDDEN, text)

    def _read(self) -> None:
        try:
            text = self._file.read_text(encoding="utf-8")
            head, *lines = (json.loads(line) for line in text.rstrip("\n").split("\n"))
            if head["cassette"] != FORM:
                raise ValueError(f"its form is {head['cassette']}, not {FORM}")
            for line in lines:
                if hash_content(line["request"]) != line["key"]:
                    raise ValueError(f"the call {line['key'][:12]} was changed")
                self._lines[line["key"]] = line
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{self._file}: is no cassette ({error}): tape it again"
            ) from error
        self.head = head


class SharedModels(LanguageModels):
    """Models that outlive the application that asks them; `end` closes them."""

    taped = False  # true where their calls are played from a cassette, or kept on one

    async def close(self) -> None:
        """Do nothing: an application is closed, the models stay open for the next."""

    async def end(self) -> None:
        """Close the connections that were opened."""
        await super().close()

    def describe(self, pack: Pack) -> Json | None:
        """Describe what of the models shapes an answer; None where the pack asks
        none."""
        if not self.configured or pack.answer.mode != "llm":
            return None
        judge = self.judge
        return {
            "writer": self.writer.name,
            "parameters": dict(self.writer.parameters),
            "judge": judge.name if judge else None,
        }


@dataclass(frozen=True, slots=True)
class Tape:
    """The cassette of a run; None: models are asked, where some are configured."""

    file: Path | None
    mode: Mode

    @classmethod
    def of(cls, play: Path | None, tape: Path | None) -> "Tape":
        """Make the tape that the options name.

        Raises:
            UsageError: both were.
        """
        if play is not None and tape is not None:
            raise UsageError("--play and --tape: give one of them")
        return cls(play, "play") if play else cls(tape, "tape")

    def open_models(self, settings: Settings) -> SharedModels | None:
        """Open the models behind it.

        Raises:
            UsageError: there is no cassette to be played, or it is damaged.
            EnvironmentFailed: the packages of the model path are not installed.
        """
        if self.file is None:
            return None
        if self.mode == "play" and not self.file.is_file():
            raise UsageError(f"--play {self.file}: there is no such cassette")
        secrets = [s.get_secret_value() for s in (settings.model_key,) if s]
        cassette = Cassette(self.file, secrets)
        # DSPy takes seconds to import: only play and tape wait for it.
        taped = import_module("evals.record.taped")
        made: SharedModels = taped.TapedModels(settings, cassette, self.mode)
        return made
