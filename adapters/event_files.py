"""Events of people who were forgotten, taken out of the files that hold them (R-S5).

A line is overwritten where it stands: other processes go on writing at the end of the
same file, and one that was put in its place would lose what they write.
"""

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from engine.model.errors import EnvironmentFailed

NAME = "events.jsonl"
SESSION = "sessionId"
GONE = b"{}"  # what stands in place of an event, with blanks up to its end


def files(data: Path) -> list[Path]:
    """The events of a data folder, the newest file first."""
    return sorted(data.glob(f"{NAME}*"))


def sessions(data: Path) -> set[str]:
    """The sessions that any event names.

    Raises:
        EnvironmentFailed: a file cannot be read.
    """
    found: set[str] = set()
    for file in files(data):
        try:
            with file.open("rb") as lines:
                found |= {s for _, _, s in _named(lines) if s}
        except OSError as error:
            raise _failed(file, error) from error
    return found


def blank(data: Path, gone: Collection[str]) -> int:
    """Overwrite every event of these sessions; how many.

    Raises:
        EnvironmentFailed: a file cannot be written.
    """
    number = 0
    for file in files(data) if gone else ():
        try:
            with file.open("r+b") as lines:
                places = [(at, n) for at, n, s in _named(lines) if s in gone]
                for at, length in places:
                    lines.seek(at)
                    lines.write(GONE.ljust(length))
                lines.flush()
                os.fsync(lines.fileno())
        except OSError as error:
            raise _failed(file, error) from error
        number += len(places)
    return number


def _named(lines: Iterator[bytes]) -> Iterator[tuple[int, int, str]]:
    """Where each whole line begins, its length without its end, and its session."""
    at = 0
    for line in lines:
        length = len(line.rstrip(b"\n"))
        if line.endswith(b"\n"):
            yield at, length, _session(line)
        at += len(line)


def _session(line: bytes) -> str:
    try:
        event = json.loads(line)
    except ValueError:
        return ""  # torn by a crash: nobody reads it either
    return str(event.get(SESSION, "")) if isinstance(event, dict) else ""


def _failed(file: Path, error: OSError) -> EnvironmentFailed:
    return EnvironmentFailed(f"cannot clean {file} ({error.strerror}): repeat it")
