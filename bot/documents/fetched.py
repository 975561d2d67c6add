"""The files that `sources sync` has fetched of one feed, and what is known of each."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from adapters.fetching.records import Known
from engine.model.errors import FetchFailed

STATE = ".state.json"  # hidden, so that it is no document


@dataclass(slots=True)
class Fetched:
    """The folder of one feed. Each file is on record as soon as it is whole."""

    folder: Path

    def read_known(self) -> dict[str, Known]:
        """Read what is known of the files that are there, by name.

        A file is fetched again where its record is damaged or another version wrote it.
        """
        try:
            read = json.loads((self.folder / STATE).read_text("utf-8"))
            known = {name: Known(**told) for name, told in read.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, AttributeError):
            return {}
        return {
            name: told for name, told in known.items() if self._locate(name).is_file()
        }

    def keep(self, name: str, content: bytes) -> bool:
        """Write one file, whole or not at all; return False where it was the same."""
        file = self._locate(name)
        if file.is_file() and file.read_bytes() == content:
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.part")
        part.write_bytes(content)
        os.replace(part, file)
        return True

    def note(self, known: Mapping[str, Known]) -> None:
        """Put on record what is known of every file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f"{STATE}.part"
        told = {name: asdict(each) for name, each in known.items()}
        part.write_text(json.dumps(told, indent=1), "utf-8")
        os.replace(part, self.folder / STATE)

    def drop(self, name: str) -> None:
        """Take a file away whose document is gone."""
        self._locate(name).unlink(missing_ok=True)

    def count_free(self) -> int:
        """Count the bytes left on the disk."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return shutil.disk_usage(self.folder).free

    def _locate(self, name: str) -> Path:
        """Locate a file, never outside the folder.

        Raises:
            FetchFailed: the name would lead out of it.
        """
        file = (self.folder / name).resolve()
        inside = file.is_relative_to(self.folder.resolve())
        if not inside or any(part.startswith(".") for part in Path(name).parts):
            raise FetchFailed(f"{name!r} is no name of a file")
        return file


def folder_of(data: Path, pack: str, source: str, feed: str) -> Path:
    """Name the folder of a feed's files; each feed of a source has its own."""
    return (
        data
        / "sync"
        / pack
        / _make_safe(source)
        / sha256(feed.encode()).hexdigest()[:12]
    )


def _make_safe(name: str) -> str:
    plain = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:80]
    return f"{plain}-{sha256(name.encode()).hexdigest()[:6]}"
