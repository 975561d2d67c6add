"""The files of an ingestion: found below a path, never outside it."""

import errno
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bot.documents.question_files import NAME
from engine.errors import UsageError

# What people keep documents in and no loader reads.
OFFICE = frozenset(
    (".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".epub")
)
NAMED = 10  # files that an error names


@dataclass(frozen=True, slots=True)
class Folder:
    """The files below a path: those to parse, sorted, and how many were left out.

    `root` is the folder that paths and ids are relative to; `loops` are links that lead
    back to themselves, `unread` documents of a kind that no loader reads: both are
    among those left out. `questions` are files that say what the documents answer
    (R-Q1), and no documents.
    """

    root: Path
    files: tuple[Path, ...]
    skipped: int
    loops: tuple[Path, ...] = ()
    questions: tuple[Path, ...] = ()
    unread: tuple[Path, ...] = ()


def look(path: Path, extensions: Collection[str]) -> Folder:
    """Find the files of a job; neither hidden ones nor links that lead out of it.

    Raises:
        UsageError: the path does not exist, or holds nothing that a loader reads.
    """
    if _is_loop(path):
        raise UsageError(f"{path}: a link that leads back to itself; remove it")
    root = path.resolve()
    if root.is_file() and root.suffix.lower() in OFFICE:
        raise UsageError(f"{path}: {no_loader(root)}")
    if root.is_file():
        beside = root.with_name(NAME)
        asked = (beside,) if beside.is_file() else ()
        return Folder(root.parent, (root,), 0, questions=asked)
    if not root.is_dir():
        raise UsageError(f"{path}: no such file or folder")
    found: list[Path] = []
    loops: list[Path] = []
    lines: list[Path] = []
    unread: list[Path] = []
    skipped = 0
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith("."))
        skipped += sum(_leads_out(Path(folder, name), root) for name in below)
        for name in sorted(names):
            file = Path(folder, name)
            wanted = file.suffix.lower() in extensions and not name.startswith(".")
            if _is_loop(file):
                loops.append(file)
            elif wanted and not _leads_out(file, root):
                (lines if name == NAME else found).append(file)
            else:
                skipped += 1
                unread += [file][: file.suffix.lower() in OFFICE]
    if not found:
        kinds = ", ".join(sorted(extensions))
        left = "".join(f"\n{file}: {no_loader(file)}" for file in unread[:NAMED])
        raise UsageError(f"{path}: holds no document; read are {kinds}{left}")
    left_out = skipped + len(loops)
    return Folder(
        *(root, tuple(found), left_out, tuple(loops), tuple(lines), tuple(unread))
    )


def no_loader(file: Path) -> str:
    """Why a document of this kind is not read, and what to do."""
    return f"{file.suffix.lower()} is not read; save it as PDF, HTML or text"


def _is_loop(place: Path) -> bool:
    """Whether a link leads back to itself, so that nothing stands behind it."""
    try:
        place.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _leads_out(place: Path, root: Path) -> bool:
    return place.is_symlink() and not place.resolve().is_relative_to(root)
