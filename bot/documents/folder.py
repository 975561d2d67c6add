"""The files of an ingestion: found below a path, never outside it."""

import errno
import mimetypes
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.documents.fetched import STATE
from bot.documents.question_files import NAME
from engine.model.errors import UsageError

# What people keep documents in and no loader reads.
DOCUMENTS = frozenset(
    {
        *(".doc", ".docm", ".odt", ".rtf", ".ppt", ".pptm", ".odp", ".xls", ".xlsm"),
        *(".ods", ".azw3", ".mobi", ".pages", ".numbers", ".key"),
        *(".xhtml", ".xht", ".mht", ".mhtml", ".org"),
        *(".tex", ".textile", ".wiki", ".ipynb", ".eml", ".msg", ".one", ".djvu"),
    }
)
NAMED = 10  # files that a message names of one kind


@dataclass(frozen=True, slots=True)
class Folder:
    """The files below a path: those to parse, sorted, and how many were left out.

    `root` is the folder that paths and ids are relative to; `loops` are links that lead
    back to themselves, `unread` all others among those left out. `questions` are files
    that say what the documents answer, and no documents.
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
    if root.is_file() and root.suffix.lower() in DOCUMENTS - set(extensions):
        raise UsageError(f"{path}: {explain_kind(root)}")
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
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith("."))
        outside = (Path(folder, name) for name in below)
        unread += [place for place in outside if _leads_out(place, root)]
        for name in sorted({*names} - {STATE}):
            file = Path(folder, name)
            wanted = file.suffix.lower() in extensions and not name.startswith(".")
            if _is_loop(file):
                loops.append(file)
            elif wanted and not _leads_out(file, root):
                (lines if name == NAME else found).append(file)
            else:
                unread.append(file)
    if not found:
        kinds = ", ".join(sorted(extensions))
        left = "".join(f"\n{line}" for line in explain_unread(root, unread))
        raise UsageError(f"{path}: holds no document; read are {kinds}{left}")
    return Folder(
        root,
        tuple(found),
        len(unread) + len(loops),
        tuple(loops),
        tuple(lines),
        tuple(unread),
    )


def explain_unread(root: Path, files: Sequence[Path]) -> Iterator[str]:
    """Say what was not read and why: a line a document, or a line a kind of file."""
    kinds: dict[str, list[Path]] = {}
    for file in files:
        kinds.setdefault(_explain_file(file, root), []).append(file)
    for reason, alike in kinds.items():
        if alike[0].suffix.lower() in DOCUMENTS:
            yield from (f"{file}: {reason}" for file in alike[:NAMED])
            if len(alike) > NAMED:
                yield f"{len(alike) - NAMED} more files: {reason}"
        else:
            names = ", ".join(str(file.relative_to(root)) for file in alike[:NAMED])
            more = len(alike) - NAMED
            yield f"{names}{f' and {more} more' if more > 0 else ''}: {reason}"


def _explain_file(file: Path, root: Path) -> str:
    if _leads_out(file, root):
        return "a link that leads out of the folder; copy what it leads to"
    if file.name.startswith("."):
        return "hidden; rename it if it is a document"
    kind = (mimetypes.guess_type(file.name)[0] or "").partition("/")[0]
    if kind in {"image", "audio", "video", "font"}:
        return f"{file.suffix.lower()} is no text"
    return explain_kind(file)


def explain_kind(file: Path) -> str:
    """Say why a file of this kind is not read, and what to do."""
    kind = file.suffix.lower()
    if kind in DOCUMENTS:
        return f"{kind} is not read; save it as PDF, HTML or text"
    if not kind:
        return "no extension says what it is; name it .txt or .md if it is a document"
    return f"{kind} is not read; save it as text if it is a document"


def _is_loop(place: Path) -> bool:
    """Tell whether a link leads back to itself, so that there is no file behind it."""
    try:
        place.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _leads_out(place: Path, root: Path) -> bool:
    return place.is_symlink() and not place.resolve().is_relative_to(root)
