"""A file of questions in, a file of outcomes out: in order, one line each, resumable.

The outcomes file is its own journal. The question id of each line is a key over
everything that the answer depends on; a second run keeps the lines whose keys it asks
for, adds the rest at the end, and puts all in order when it is done: until then every
finished outcome stays in the file. A line that a crash tore is answered again, and so
is one for which the environment failed.
"""

import hashlib
import json
import os
import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO, Self

from pydantic import ValidationError

from bot.documents.writing import try_lock
from engine.model.codes import Reason
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.frozen import Frozen

# Nothing was found out about the question: the environment failed.
FAULTS = frozenset(
    {Reason.AUDIT_FAILED, Reason.BUSY, Reason.INTERNAL, Reason.PROVIDER_FAILED}
)
Record = Mapping[str, object]
LONGEST_LINE = 1_000_000  # bytes; a longer one is reported, not read into memory


class Item(Frozen):
    """One question of a batch: a line of the file, as docs/formats.md words it."""

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


def read_lines(file: BinaryIO) -> Iterator[Line]:
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
            yield _parse_line(raw, number, end)


def _skip_rest(file: BinaryIO) -> int:
    skipped = 0
    while raw := file.readline(LONGEST_LINE):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped


def _parse_line(raw: bytes, number: int, end: int) -> Line:
    try:
        read = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_refuse_twice)
        json.dumps(read, ensure_ascii=False).encode()
        item = (
            Item(question=read)
            if isinstance(read, str)
            else Item(**_check_object(read))
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        return Line(number, end, None, f"field {field}: {first['msg']}")
    except UnicodeEncodeError:
        told = "holds half a character (\\ud800 to \\udfff): write it whole"
        return Line(number, end, None, told)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        return Line(number, end, None, f"is no JSON ({error})")
    except ValueError as error:
        return Line(number, end, None, str(error))
    if not item.question.strip():
        return Line(number, end, None, "the question is empty")
    return Line(number, end, item.model_copy(update={"id": item.id or str(number)}))


def _refuse_twice(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Turn an object into a mapping; refuse a field that is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"has the field {twice!r} twice")
    return found


def _check_object(read: object) -> dict[str, object]:
    if isinstance(read, dict):
        return read
    raise ValueError('is neither a string nor an object with "question"')


def hash_item(item: Item, corpus: str) -> str:
    """Hash what an outcome depends on: the question, its pack and the corpus."""
    asked = item.model_dump_json()
    return hashlib.sha256(f"{asked}\n{corpus}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a line in the outcomes file, in bytes."""

    start: int
    length: int


class Outcomes:
    """The outcomes file of a batch, opened to go on where an earlier run stopped.

    A context manager. Call `next` with the key of each question in turn: it returns
    the record where the file already holds that outcome; otherwise answer the question
    and `append` it. The file only grows until `finish` puts another in its place.

    The file is locked while it is open, so that no two runs write to it.

    Raises:
        UsageError: the file holds something else than outcomes.
        EnvironmentFailed: another run holds the file, or it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no file: name another --out")
        self._path = path
        self._held: dict[str, deque[_Place]] = {}
        self._order: list[_Place] = []
        self._end = 0
        self.packs: set[str] = set()
        with ExitStack() as opened:
            try:
                # Unbuffered: what a full disk refused is not tried again by `close`.
                self._file = opened.enter_context(open(path, "a+b", buffering=0))
                self._lock()
                self._survey()
                self._file.truncate(self._end)
            except OSError as error:
                raise self._explain(error) from error
            opened.pop_all()  # closed by __exit__

    def next(self, wanted: str) -> Record | None:
        """Return the record with this key; None where the file holds none."""
        places = self._held.get(wanted)
        if not places:
            return None
        self._order.append(places.popleft())
        return _parse_outcome(self._read_line(self._order[-1]))

    def append(self, item: Item, record: Record) -> None:
        """Add an outcome under its item's id; once this returned it survives a crash.

        The record's `question_id` is the key that `next` was asked for.
        """
        text = json.dumps({**record, "id": item.id}, ensure_ascii=False)
        line = text.encode("utf-8", "replace") + b"\n"
        try:
            _write(self._file, line)
        except OSError as error:
            raise self._explain(error) from error
        self._order.append(_Place(self._end, len(line)))
        self._end += len(line)

    def finish(self) -> None:
        """Put the outcomes in the order of their questions and leave the others out.

        The new file takes the old one's place in one step.
        """
        at = 0
        for place in self._order:
            if place.start != at:
                break
            at += place.length
        else:
            if at == self._end:
                return
        try:
            self._replace()
        except OSError as error:
            raise self._explain(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file as it is."""
        self._file.close()

    def _lock(self) -> None:
        """Keep other runs out until this one closes the file, or is killed."""
        # A run that ends puts another file in the place of the one that it holds.
        if not try_lock(self._file) or not self._is_in_place():
            raise EnvironmentFailed(
                f"another run is writing {self._path}: wait until it is done, or name "
                "another --out"
            )

    def _is_in_place(self) -> bool:
        mine = os.fstat(self._file.fileno())
        return self._path.exists() and os.path.samestat(mine, self._path.stat())

    def _survey(self) -> None:
        """Find the outcomes in the file, up to a line that a crash tore."""
        with open(self._path, "rb") as file:
            for line in file:
                outcome = _parse_outcome(line)
                if outcome is None and not _is_torn(line):
                    raise UsageError(
                        f"{self._path} is no file of outcomes: name another --out"
                    )
                if outcome is not None:
                    self._hold(outcome, _Place(self._end, len(line)))

    def _hold(self, outcome: Record, place: _Place) -> None:
        self._end += place.length
        settled = _find_key(outcome)
        if settled is not None:
            self._held.setdefault(settled, deque()).append(place)
        if outcome.get("pack"):
            self.packs.add(str(outcome["pack"]))

    def _read_line(self, place: _Place) -> bytes:
        try:
            return os.pread(self._file.fileno(), place.length, place.start)
        except OSError as error:
            raise self._explain(error) from error

    def _replace(self) -> None:
        path = self._path.resolve()
        draft = path.with_name(f"{path.name}.new")
        try:
            with open(draft, "wb") as file:
                file.writelines(self._read_line(place) for place in self._order)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(path, draft)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)

    def _explain(self, error: OSError) -> EnvironmentFailed:
        return EnvironmentFailed(
            f"cannot write {self._path} ({error.strerror}): make room or name another "
            "--out, and run the same command again; it goes on where it stopped"
        )


def _write(file: RawIOBase, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[file.write(rest) or 0 :]
    os.fsync(file.fileno())


def _parse_outcome(line: bytes) -> Record | None:
    """Parse a complete line as the record that it is; None for anything else."""
    if not line.endswith(b"\n"):
        return None
    try:
        read = json.loads(line)
    except ValueError:
        return None
    return read if isinstance(read, dict) and "question_id" in read else None


def _is_torn(line: bytes) -> bool:
    """Tell whether a line can be the beginning of an outcome that a crash cut off."""
    if line.endswith(b"\n") or not line.startswith(b"{"):
        return False
    return _parse_outcome(line + b"\n") is not None or not _is_json(line)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _find_key(outcome: Record | None) -> str | None:
    """Return the key of a valid outcome; None where the environment had failed."""
    if outcome is None or outcome.get("reason_code") in FAULTS:
        return None
    return str(outcome["question_id"])
