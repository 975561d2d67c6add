"""One writer at a time: locks that a killed process gives back."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from engine.model.errors import EnvironmentFailed

FILE = "ingest.lock"
PAUSE_S = 0.2  # between two tries


@contextmanager
def one_writer(data: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the data folder's lock for the block.

    Args:
        data: the data folder.
        patience: seconds to wait for another process.

    Raises:
        EnvironmentFailed: another process holds it, or the folder cannot be written.
    """
    try:
        file = open(data / FILE, "w", encoding="ascii")  # noqa: SIM115 (see with)
    except OSError as error:
        raise EnvironmentFailed(
            f"cannot write in {data} ({error.strerror}): choose another --data folder"
        ) from error
    with file:
        deadline = time.monotonic() + patience
        while not try_lock(file):
            if time.monotonic() >= deadline:
                raise EnvironmentFailed(
                    f"another process is ingesting into {data}: wait until it is done"
                )
            time.sleep(PAUSE_S)
        yield


def try_lock(file: IO[str] | IO[bytes]) -> bool:
    """Lock an open file until it is closed; False where another process holds it.

    Raises:
        OSError: the file's system has no locks.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
