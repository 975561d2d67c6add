"""The documents of a corpus as their files have them, read when they are needed."""

from functools import cached_property
from pathlib import Path

import re2

from adapters.loaders.sandbox import SERVED, SERVED_CODE
from bot.documents.demo import ABOUT
from bot.documents.ingest import look
from engine.model.errors import UsageError
from evals.cases.changes import holds

_FRONT = re2.compile(r"(?s)\A---\n.*?\n---\n")
_NAMES = re2.compile(r"(?m)^names:\s*(.+)$")
_TEXTUAL = frozenset({".md", ".markdown", ".rst", ".txt"}) | SERVED_CODE


class Texts:
    """The files of a corpus folder; one that is no text is empty, and never changed.

    Args:
        folder: of the corpus.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, frozenset[str]] = {}

    def holding(self, wanted: str) -> frozenset[str]:
        """The paths of the documents in which a change would find a text.

        Raises:
            UsageError: a document cannot be read.
        """
        if wanted not in self._held:
            self._held[wanted] = frozenset(
                path for path, text in self._every.items() if holds(text, wanted)
            )
        return self._held[wanted]

    def of(self, path: str) -> str:
        """A document's file; empty where it is not there, or is no text."""
        return self._every.get(path, "")

    def versions(self, path: str) -> frozenset[str]:
        """The other documents of the same thing, in force at another time."""
        names = _names(self.of(path))
        return frozenset(
            other
            for other, text in self._every.items()
            if other != path and names and _names(text) == names
        )

    def textual(self, path: str) -> bool:
        """Whether a document is there and can be changed."""
        return bool(self.of(path))

    @cached_property
    def _every(self) -> dict[str, str]:
        found = look(self._folder, SERVED | SERVED_CODE)
        return {
            file.relative_to(found.root).as_posix(): _text(file)
            for file in found.files
            if file.name != ABOUT
        }


def _names(text: str) -> str:
    """What a text with a period of force says that it is called; else nothing."""
    front = _FRONT.match(text)
    found = _NAMES.search(front.group()) if front else None
    dated = front is not None and "\nin_force_from:" in front.group()
    return str(found.group(1)) if found and dated else ""


def _text(file: Path) -> str:
    if file.suffix.lower() not in _TEXTUAL:
        return ""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error})") from error
