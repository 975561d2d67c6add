"""Data for their owner's eyes alone, also where they lay there before (R-S8)."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
OTHERS = 0o077  # permission bits of everybody but the owner
HELD = ("ledger*", "events.jsonl*")  # files of a data folder


def close_to_others(place: Path) -> None:
    """Take every right to a file or folder from others; `doctor` says where it fails.

    It fails where the place is another's, or cannot be written.
    """
    with suppress(OSError):
        mode = stat.S_IMODE(place.stat().st_mode)
        if mode & OTHERS:
            place.chmod(mode & ~OTHERS)


def open_to_others(data: Path) -> Iterator[Path]:
    """What of a data folder others may read or write, the folder first."""
    for place in (data, *(found for name in HELD for found in data.glob(name))):
        if place.stat().st_mode & OTHERS:
            yield place
