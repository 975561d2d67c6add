"""What people say of rows: a verdict a line, with author and reason, never edited.

A label holds the hash of the text that was judged, so that it is not taken for one of
another answer to the same question.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Literal

from engine.errors import EnvironmentFailed, UsageError
from evals.deciding.finished import ROOT, Finished
from evals.store import canonical

LABELS = ROOT / "evals" / "labels"
Judgement = Literal["pass", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One person's verdict on one row.

    Attributes:
        metric: what it judges, a metric's name or any other question.
        served: SHA-256 of the text that was judged.
        written: the day.
    """

    case: str
    repeat: int = 0
    metric: str
    result: Judgement
    author: str
    reason: str
    served: str
    written: date


@dataclass(frozen=True, slots=True)
class Signed:
    """Who says so, why, and on which day."""

    author: str
    reason: str
    written: date


def label(
    run: Finished, case: str, metric: str, said: Judgement, signed: Signed
) -> Label:
    """A label of a case's first row.

    Raises:
        UsageError: there is no such row, or metric, author or reason are empty.
    """
    row = run.row(case)
    if row is None:
        raise UsageError(f"{run.name} has no case {case!r}: see cases.jsonl")
    if row.error is not None:
        raise UsageError(f"{case} could not run, so there is nothing to judge")
    needed = {"metric": metric, "author": signed.author, "reason": signed.reason}
    for name, text in needed.items():
        if not text.strip():
            raise UsageError(f"a label needs its {name}: give --{name}")
    return Label(
        case=case,
        metric=metric.strip(),
        result=said,
        author=signed.author.strip(),
        reason=" ".join(signed.reason.split()),
        served=digest(row.served),
        written=signed.written,
    )


def digest(served: str) -> str:
    """The hash that binds a label to a text."""
    return sha256(served.encode()).hexdigest()


def append(file: Path, made: Label) -> None:
    """Add a label at the end of a file.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(canonical(asdict(made)) + "\n")
    except OSError as error:
        why = f"{file}: cannot be written ({error.strerror})"
        raise EnvironmentFailed(why) from error


def read(file: Path) -> Iterator[Label]:
    """The labels of a file, oldest first; of no file none.

    Raises:
        UsageError: a line is no label.
        EnvironmentFailed: it cannot be read.
    """
    if not file.exists():
        return
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise EnvironmentFailed(f"{file}: cannot be read ({error.strerror})") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            found["written"] = date.fromisoformat(found["written"])
            yield Label(**found)
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(f"{file}:{number}: is no label ({error})") from error
