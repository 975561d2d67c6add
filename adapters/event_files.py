"""Removal of the events of forgotten people from the event files.

A line is overwritten in place: other processes append to the same file, and replacing
it would lose their events.
"""

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from engine.model.errors import EnvironmentFailed

NAME = "events.jsonl"
SESSION = "sessionId"
GONE = b"{}"  # replaces an event, with blanks up to its end


def list_files(data: Path) -> list[Path]:
    """List the event files of a data folder, the newest first."""
    return sorted(data.glob(f"{NAME}*"))


def read_sessions(data: Path) -> set[str]:
    """Read the sessions in all events.

    Raises:
        EnvironmentFailed: a file cannot be read.
    """
    found: set[str] = set()
    for file in list_files(data):
        try:
            with file.open("rb") as lines:
                found |= {s for _, _, s in _list_sessions(lines) if s}
        except OSError as error:
            raise _make_failure(file, error) from error
    return found


def blank_events(data: Path, gone: Collection[str]) -> int:
    """Overwrite every event of these sessions and return their number.

    Raises:
        EnvironmentFailed: a file cannot be written.
    """
    number = 0
    for file in list_files(data) if gone else ():
        try:
            with file.open("r+b") as lines:
                places = [(at, n) for at, n, s in _list_sessions(lines) if s in gone]
                for at, length in places:
                    lines.seek(at)
                    lines.write(GONE.ljust(length))
                lines.flush()
                os.fsync(lines.fileno())
        except OSError as error:
            raise _make_failure(file, error) from error
        number += len(places)
    return number


def _list_sessions(lines: Iterator[bytes]) -> Iterator[tuple[int, int, str]]:
    """List start, length without line end, and session of each complete line."""
    at = 0
    for line in lines:
        length = len(line.rstrip(b"\n"))
        if line.endswith(b"\n"):
            yield at, length, _read_session(line)
        at += len(line)


def _read_session(line: bytes) -> str:
    try:
        event = json.loads(line)
    except ValueError:
        return ""  # torn by a crash, so unreadable for others too
    return str(event.get(SESSION, "")) if isinstance(event, dict) else ""


def _make_failure(file: Path, error: OSError) -> EnvironmentFailed:
    return EnvironmentFailed(f"cannot clean {file} ({error.strerror}): repeat it")
