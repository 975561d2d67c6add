"""The log of a run: a line an event, `event=… | key=value`."""

from collections.abc import Mapping
from pathlib import Path

from adapters.inert import one_line
from engine.model.errors import EnvironmentFailed

NAME = "RUN_LOG.txt"
LONGEST = 500  # characters of a value


class RunLog:
    """Writes events as they happen, so that a run that is cut off has its log.

    It holds no times: two runs of the same have the same events.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME

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
