"""A file of questions in, a file of outcomes out: in order, one line each, resumable.

The outcomes file is its own journal. The question id of each line is a key over
everything that the answer depends on; a second run keeps the lines whose keys still
stand in the same place, reuses the others where it can, and answers the rest. A line
that a crash tore is answered again, and so is one for which the environment failed.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import BinaryIO, Self

from pydantic import ValidationError

from engine.corpus_records import Frozen
from engine.errors import EnvironmentFailed, UsageError
from engine.records import Reason

# Nothing was found out about the question: the environment failed.
FAULTS = frozenset(
    {Reason.AUDIT_FAILED, Reason.BUSY, Reason.INTERNAL, Reason.PROVIDER_FAILED}
)
Record = Mapping[str, object]
LONGEST_LINE = 1_000_000  # bytes; a longer one is reported, not read into memory


class Item(Frozen):
    """One question of a batch, as INTERFACES.md (Command line) words it."""

    id: str | int | None = None
    question: str
    pack: str | None = None
    as_of: date | None = None
    selection: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the questions file: its item, or what is wrong with it.

    `number` counts from 1; `end` is the offset in bytes after the line.
    """

    number: int
    end: int
    item: Item | None
    problem: str = ""


def lines(file: BinaryIO) -> Iterator[Line]:
    """Read a questions file line by line; blank lines are left out."""
    number = end = 0
    while raw := file.readline(LONGEST_LINE):
        number += 1
        end += len(raw)
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            end += _skip_rest(file)
            problem = f"longer than {LONGEST_LINE} bytes"
            yield Line(number, end, None, problem)
        elif raw.strip():
            yield _line(raw, number, end)


def _skip_rest(file: BinaryIO) -> int:
    skipped = 0
    while raw := file.readline(LONGEST_LINE):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped


def _line(raw: bytes, number: int, end: int) -> Line:
    try:
        read = json.loads(raw.decode("utf-8-sig"))
        item = Item(question=read) if isinstance(read, str) else Item(**_object(read))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        return Line(number, end, None, f"field {field}: {first['msg']}")
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        return Line(number, end, None, f"is no JSON ({error})")
    except ValueError as error:
        return Line(number, end, None, str(error))
    if not item.question.strip():
        return Line(number, end, None, "the question is empty")
    return Line(number, end, item.model_copy(update={"id": item.id or str(number)}))


def _object(read: object) -> dict[str, object]:
    if isinstance(read, dict):
        return read
    raise ValueError('is neither a string nor an object with "question"')


def key(item: Item, corpus: str) -> str:
    """Identifies what an outcome depends on: the question, its pack and the corpus."""
    asked = item.model_dump_json()
    return hashlib.sha256(f"{asked}\n{corpus}".encode()).hexdigest()[:32]


class Outcomes:
    """The outcomes file of a batch, opened to go on where an earlier run stopped.

    A context manager. Call `next` with the key of each question in turn: it returns
    the record where the file already holds that outcome; otherwise answer the question
    and `append` it.

    Raises:
        UsageError: the file holds something else than outcomes.
        EnvironmentFailed: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no file: name another --out")
        self._path = path
        self._spare: dict[str, bytes] = {}
        self._in_place = True
        try:
            # Unbuffered: what a full disk refused is not tried again by `close`.
            self._out = open(path, "ab", buffering=0)  # noqa: SIM115 (see __exit__)
            self._old = open(path, "rb")  # noqa: SIM115 (see __exit__)
        except OSError as error:
            raise self._failed(error) from error

    def next(self, wanted: str) -> Record | None:
        """The record with this key, at this place now; None where there is none."""
        if self._in_place:
            start = self._old.tell()
            line = self._old.readline()
            outcome = _outcome(line)
            if _settled(outcome) == wanted:
                return outcome
            self._leave_place(start, line)
        kept = self._spare.pop(wanted, None)
        if kept is None:
            return None
        self._write(kept)
        return _outcome(kept)

    def append(self, item: Item, record: Record) -> None:
        """Add an outcome under its item's id; once this returned it survives a crash.

        The record's `question_id` is the key that `next` was asked for.
        """
        line = json.dumps({**record, "id": item.id}, ensure_ascii=False)
        self._write(line.encode("utf-8", "replace") + b"\n")

    def finish(self) -> None:
        """Cut off outcomes that no question asked for any more."""
        if self._in_place:
            self._leave_place(self._old.tell(), self._old.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file as it stands."""
        self._old.close()
        self._out.close()

    def _leave_place(self, start: int, line: bytes) -> None:
        """Keep the lines from here on in memory and cut the file before them."""
        while line:
            outcome = _outcome(line)
            settled = _settled(outcome)
            if settled is not None:
                self._spare[settled] = line
            elif outcome is None and line.endswith(b"\n"):
                raise UsageError(
                    f"{self._path} is no file of outcomes: name another --out"
                )
            line = self._old.readline()
        self._cut(start)
        self._in_place = False

    def _cut(self, length: int) -> None:
        try:
            self._out.truncate(length)
        except OSError as error:
            raise self._failed(error) from error

    def _write(self, line: bytes) -> None:
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._out.write(rest) :]
            os.fsync(self._out.fileno())
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> EnvironmentFailed:
        return EnvironmentFailed(
            f"cannot write {self._path} ({error.strerror}): make room or name another "
            "--out, and run the same command again; it goes on where it stopped"
        )


def _outcome(line: bytes) -> Record | None:
    """A complete line as the record that it is; None for anything else."""
    if not line.endswith(b"\n"):
        return None
    try:
        read = json.loads(line)
    except ValueError:
        return None
    return read if isinstance(read, dict) and "question_id" in read else None


def _settled(outcome: Record | None) -> str | None:
    """The key of an outcome that stands; None where the environment had failed."""
    if outcome is None or outcome.get("reason_code") in FAULTS:
        return None
    return str(outcome["question_id"])
