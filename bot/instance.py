"""One serving process per data folder, and a name that its successors recognise."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bot.writing import taken
from engine.errors import EnvironmentFailed

FILE = "serve.lock"


@contextmanager
def one_server(data: Path) -> Iterator[str]:
    """Hold the right to serve from a data folder; its name, the same each time.

    Nobody else's workers have names that begin with it, so whatever such a worker had
    claimed can be given back: it ended with the process that served before.

    Raises:
        EnvironmentFailed: another process serves from it, or it cannot be written.
    """
    path = data / FILE
    try:
        file = open(path, "a+", encoding="ascii")  # noqa: SIM115 (see with)
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {path} ({error.strerror})") from error
    with file:
        if not taken(file):
            raise EnvironmentFailed(
                f"another process serves from {data}: end that one first, or choose "
                "another --data folder"
            )
        yield f"{_name(file)}/"


def _name(file: IO[str]) -> str:
    """What stands in the file, written there first where nothing does."""
    file.seek(0)
    held = file.read().strip()
    if held:
        return held
    made = uuid.uuid4().hex[:12]
    file.write(made)
    file.flush()
    return made
