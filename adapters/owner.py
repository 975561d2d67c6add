"""File permissions of data that only its owner may read, also of existing files."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
OTHERS = 0o077  # permission bits of everybody but the owner
HELD = ("ledger*", "events.jsonl*")  # files of a data folder


def close_to_others(place: Path) -> None:
    """Remove all permissions of others from a file or folder, where possible.

    It fails silently where the file has another owner; `doctor` reports that.
    """
    with suppress(OSError):
        mode = stat.S_IMODE(place.stat().st_mode)
        if mode & OTHERS:
            place.chmod(mode & ~OTHERS)


def list_open_to_others(data: Path) -> Iterator[Path]:
    """List the files of a data folder that others may read or write, and the folder."""
    for place in (data, *(found for name in HELD for found in data.glob(name))):
        if place.stat().st_mode & OTHERS:
            yield place
