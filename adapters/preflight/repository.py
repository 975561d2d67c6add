"""A repository as bytes of regular files: bounded, and none of its code is run.

No link is followed, neither to a file nor to a folder: every part of a path is opened
separately. `.gitignore` is ignored, because a repository could hide files with it;
folders that tools make are left out by their names. Contents are cached, so that all
preflights see the same version of a file that changes meanwhile; `fresh` reads it
again.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from adapters.preflight.content import Content
from engine.model.errors import UsageError

# Folders that tools make; a pack names more.
LEFT_OUT = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".tox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
    }
)
MOST_FILES = 200_000
LARGEST = 8 << 20  # bytes of a file that is read
KEPT = 160 << 20  # bytes of files that are cached between preflights
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


class NotRead(Exception):
    """A file cannot be read; the message gives the reason in a few words."""


@dataclass(slots=True)
class Repository:
    """The files below a folder, by their paths from it, sorted.

    Args:
        root: the folder.
        include: globs of a pack; all files where there is none.
        exclude: globs of a pack.

    Raises:
        UsageError: there is no such folder, or it holds too many files.
    """

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    files: tuple[str, ...] = field(init=False, default=())
    closed: tuple[str, ...] = field(init=False, default=())  # unreadable folders
    left_out: tuple[str, ...] = field(init=False, default=())  # see LEFT_OUT
    links: tuple[str, ...] = field(init=False, default=())  # not followed
    _kept: dict[str, Content | str] = field(init=False, default_factory=dict)
    _room: int = field(init=False, default=KEPT)
    _chosen: dict[object, tuple[str, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.root.is_dir():
            raise UsageError(f"--repo {self.root}: is no folder")
        self.root = self.root.resolve()
        walk = _Walk(self.root)
        found = sorted(walk.files(), key=os.fsencode)
        self.closed = tuple(sorted(walk.closed, key=os.fsencode))
        self.left_out = tuple(sorted(walk.left_out, key=os.fsencode))
        self.links = tuple(sorted(walk.links, key=os.fsencode))
        self.files = tuple(_match_globs(found, self.include, self.exclude))

    def chosen(
        self, include: tuple[str, ...], exclude: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Choose the files of a preflight by its globs (as in .gitignore)."""
        key = (include, exclude)
        if key not in self._chosen:
            self._chosen[key] = tuple(_match_globs(self.files, include, exclude))
        return self._chosen[key]

    def content(self, path: str) -> Content:
        """Return a file as it was when it was first read.

        Raises:
            NotRead: it is too large, gone, not a regular file, or may not be read.
        """
        kept = self._kept.get(path)
        if kept is None:
            try:
                kept = self.fresh(path)
            except NotRead as error:
                kept = str(error)
            size = kept.size if isinstance(kept, Content) else 0
            if size <= self._room:
                self._room -= size
                self._kept[path] = kept
        if isinstance(kept, str):
            raise NotRead(kept)
        return kept

    def fresh(self, path: str) -> Content:
        """Read a file as it is now; raise as `content` does."""
        try:
            data = _read_bytes(self.root, path)
        except OSError as error:
            raise NotRead(_describe_error(error)) from error
        if len(data) > LARGEST:
            raise NotRead(f"larger than {LARGEST >> 20} MiB")
        return Content(data)

    def not_followed(
        self, include: tuple[str, ...], exclude: tuple[str, ...]
    ) -> Iterator[str]:
        """List the links in a preflight's scope that may hide files from it.

        A link to a file that is in scope by its own path, with the same suffix, hides
        no file.
        """
        seen = frozenset(self.chosen(include, exclude))
        for link in self.links:
            behind = self._map_behind(link)
            if behind is None:  # unknown files
                wanted = tuple(
                    _match_globs((f"{link}/",), (), (*self.exclude, *exclude))
                )
                yield from (link for _ in wanted)
                continue
            named = tuple(_match_globs(behind, self.include, self.exclude))
            pairs = [
                (path, behind[path]) for path in _match_globs(named, include, exclude)
            ]
            if any(
                file not in seen or not _has_same_suffix(path, file)
                for path, file in pairs
            ):
                yield link

    def _map_behind(self, link: str) -> Mapping[str, str] | None:
        """Map the paths of files through a link to their own paths.

        Return None for a folder that is not walked: outside, or left out.
        """
        target = os.path.realpath(self.root / link)
        inside = Path(target).is_relative_to(self.root)
        below = os.path.relpath(target, self.root)
        if not os.path.isdir(target):
            return {link: below if inside else ""}
        if not inside or not LEFT_OUT.isdisjoint(below.split("/")):
            return None
        start = "" if below == "." else f"{below}/"
        held = [file for file in self.files if file.startswith(start)]
        return {f"{link}/{file[len(start) :]}": file for file in held}


def _has_same_suffix(path: str, other: str) -> bool:
    """Tell whether two paths have the same suffix, and so the same language."""
    return os.path.splitext(path)[1].lower() == os.path.splitext(other)[1].lower()


def _match_globs(
    files: Iterable[str], include: tuple[str, ...], exclude: tuple[str, ...]
) -> Iterator[str]:
    wanted = GitIgnoreSpec.from_lines(include, backend="re2") if include else None
    unwanted = GitIgnoreSpec.from_lines(exclude, backend="re2") if exclude else None
    for path in files:
        plain = os.fsencode(path).decode("utf-8", "replace")
        if wanted is not None and not wanted.match_file(plain):
            continue
        if unwanted is None or not unwanted.match_file(plain):
            yield path


@dataclass(slots=True)
class _Walk:
    """The walk of a folder's files, which collects folders that it does not enter."""

    root: Path
    closed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def files(self) -> Iterator[str]:
        """List every regular file by its path from the root, without links."""
        count = 0
        walk = os.walk(self.root, onerror=self._note_closed, followlinks=False)
        for folder, folders, names in walk:
            passed = [name for name in folders if name in LEFT_OUT]
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            self.left_out += [self._make_path(folder, name) for name in passed]
            self.links += [
                self._make_path(folder, name)
                for name in (*folders, *names)
                if os.path.islink(os.path.join(folder, name))
            ]
            for name in names:
                if _is_regular(os.path.join(folder, name)):
                    count += 1
                    yield self._make_path(folder, name)
            if count > MOST_FILES:
                raise UsageError(
                    f"--repo {self.root}: holds more than {MOST_FILES} files: name a "
                    "folder of it"
                )

    def _make_path(self, folder: str, name: str) -> str:
        below = os.path.relpath(folder, self.root)
        return name if below == "." else f"{below}/{name}"

    def _note_closed(self, error: OSError) -> None:
        with suppress(ValueError):
            self.closed.append(os.path.relpath(error.filename, self.root))


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _read_bytes(root: Path, path: str) -> bytes:
    """Read the first bytes of a file, at most one more than LARGEST.

    Raises:
        OSError: a part of the path is a link, is gone, or may not be read.
    """
    *folders, name = path.split("/")
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        with open(os.open(name, _FILE, dir_fd=at), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise OSError(errno.EINVAL, "is no file")
            return stream.read(LARGEST + 1)
    finally:
        os.close(at)


def _describe_error(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "became a link"
    if error.errno == errno.ENOENT:
        return "is gone"
    return (error.strerror or "cannot be read").lower()
