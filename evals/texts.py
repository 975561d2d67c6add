"""The documents of a corpus as their files have them, read when they are needed."""

from pathlib import Path

from engine.errors import UsageError
from evals.changes import holds


class Texts:
    """The files of a corpus folder.

    Args:
        folder: of the corpus.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, str] = {}

    def of(self, path: str) -> str:
        """A document's file; empty where it is no text, and so cannot be changed.

        Raises:
            UsageError: it cannot be read.
        """
        if path not in self._read:
            try:
                self._read[path] = (self._folder / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                self._read[path] = ""
            except OSError as error:
                raise UsageError(f"{path}: cannot be read ({error})") from error
        return self._read[path]

    def holds(self, path: str, wanted: str) -> bool:
        """Whether a change would find a text in a document."""
        return holds(self.of(path), wanted)
