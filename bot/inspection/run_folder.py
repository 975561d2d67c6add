"""The files of a run: a folder for each question, and what `--resume` reads.

RUN_LOG.txt  summary.json  summary.md  report.html  results.sarif  junit.xml
questions/ID/evidence.json  prompt.json  draft.txt  validation.json  answer.txt
             findings.json  result.json
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from adapters.inert import one_line
from engine.inspection.records import Result
from engine.model.errors import EnvironmentFailed, UsageError

QUESTIONS = "questions"
SUMMARY = "summary.json"
LOG = "RUN_LOG.txt"
LONGEST = 500  # characters of a value in the log


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run."""

    path: Path

    def keep(self, result: Result, key: str) -> None:
        """Write all artefacts of a question; `key` says what its answer depends on."""
        folder = self.path / QUESTIONS / result.question
        attempts = [each.model_dump(mode="json") for each in result.attempts]
        prompts = [each.pop("prompt") for each in attempts]
        findings = [each.model_dump(mode="json") for each in result.findings]
        evidence = [each.model_dump(mode="json") for each in result.gathered]
        self.write(f"{folder}/evidence.json", evidence)
        self.write(f"{folder}/prompt.json", prompts)
        drafts = "\n\n".join(each["text"] for each in attempts) or result.answer
        self.write(f"{folder}/draft.txt", drafts)
        validation = {
            "status": result.status,
            "verdict": result.verdict,
            "why": result.why,
            "diagnosis": result.diagnosis,
            "attempts": [each["problems"] for each in attempts],
        }
        self.write(f"{folder}/validation.json", validation)
        self.write(f"{folder}/answer.txt", result.answer)
        self.write(f"{folder}/findings.json", findings)
        held = {"key": key, "result": result.model_dump(mode="json")}
        self.write(f"{folder}/result.json", held)  # last: what it holds is whole

    def read_kept(self, question: str, key: str) -> Result | None:
        """Read what an earlier run kept for this question over the same evidence."""
        file = self.path / QUESTIONS / question / "result.json"
        try:
            held = json.loads(file.read_text(encoding="utf-8"))
            if held["key"] != key:
                return None
            return Result.model_validate(held["result"])
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            return None  # whatever is not whole is asked again

    def write(self, name: str, content: object) -> None:
        """Write a text, or data as JSON, to a file of the folder.

        Raises:
            EnvironmentFailed: it cannot be written.
        """
        file = self.path / name
        text = content if isinstance(content, str) else as_json(content)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            why = f"{file}: cannot be written ({error.strerror})"
            raise EnvironmentFailed(why) from error


def as_json(content: object) -> str:
    """Write data as JSON, the same for the same data."""
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def open_folder(out: Path, pack: str, now: datetime, *, resume: bool) -> RunFolder:
    """Make a new folder below `out`, or open the newest one of the pack.

    Raises:
        EnvironmentFailed: it cannot be made.
    """
    earlier = sorted(out.glob(f"{pack}-[0-9]*"), key=lambda p: (len(p.name), p.name))
    if resume and earlier:
        return RunFolder(earlier[-1])
    stamp = now.strftime("%Y%m%dT%H%M%S.%fZ")
    path = out / f"{pack}-{stamp}"
    try:
        path.mkdir(parents=True)
    except OSError as error:
        why = f"--out {out}: cannot be written ({error.strerror})"
        raise EnvironmentFailed(why) from error
    return RunFolder(path)


def read_summary(folder: Path, pack: str) -> Mapping[str, object]:
    """Read the summary of an earlier run of a pack.

    Raises:
        EnvironmentFailed: there is none that can be read.
        UsageError: it is of another pack.
    """
    file = folder / SUMMARY
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = f"--compare {folder}: holds no summary.json of a run"
        raise EnvironmentFailed(why) from error
    if not isinstance(held, dict):
        raise EnvironmentFailed(f"{file}: is no summary of a run")
    of = held["pack"].get("id") if isinstance(held.get("pack"), dict) else None
    if of != pack:
        raise UsageError(
            f"--compare {folder}: is a run of {of!r}; give one of the pack {pack!r}"
        )
    return held


# --- the log ---------------------------------------------------------------------


class RunLog:
    """The log of a run: a line an event, `event=… | key=value`.

    Events are written as they happen, so that a run that is cut off has its log.

    It holds no times: two runs of the same have the same events.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOG

    def write(self, event: str, fields: Mapping[str, object]) -> None:
        """Write one event; what would end a field or a line is taken out of a value."""
        told = [f"event={event}", *(f"{n}={_format(v)}" for n, v in fields.items())]
        try:
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(" | ".join(told) + "\n")
        except OSError as error:
            raise EnvironmentFailed(f"{self._file}: {error.strerror}") from error


def _format(value: object) -> str:
    return one_line(str(value)).replace(" | ", " / ")[:LONGEST]
