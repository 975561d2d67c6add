"""What a run was made from, as hashes: two runs with the same ones are the same run.

Standard library alone, but for what it is handed.
"""

import subprocess
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from evals.forms import Json
from evals.store import canonical

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("engine", "adapters", "bot", "config")
LOCKS = ("requirements/runtime.lock", "requirements/model.lock")
PACKS = "config/packs"
# What shapes a row, or makes the corpora that it is asked of.
RECORDING = (
    *("evals/record/recorder.py", "evals/record/runner.py", "evals/record/asking.py"),
    *("evals/record/rows.py", "evals/record/platforms.py", "evals/record/corpora.py"),
    "evals/cases/changes.py",
)
# What a document passes on its way into ledger and index.
INGESTING = (
    *("engine/model", "engine/text", "engine/policy", "engine/documents"),
    *("engine/questions", "adapters/*.py", "adapters/index", "adapters/ledger"),
    *("adapters/loaders", "bot/documents", "config/calibration"),
    "evals/record/corpora.py",
)
_UNREAD = frozenset({".pyc", ".svg", ".md", ".new"})
GIT_S = 10.0


def hashed(content: object) -> str:
    """SHA-256 of content as canonical JSON."""
    return sha256(canonical(content).encode()).hexdigest()


def of_files(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over files by their paths below a folder, in any order.

    Raises:
        OSError: one cannot be read.
        ValueError: one does not lie below the folder.
    """
    return hashed(
        {
            file.relative_to(root).as_posix(): sha256(file.read_bytes()).hexdigest()
            for file in files
        }
    )


def of_code(*places: str, root: Path = ROOT) -> str:
    """SHA-256 over sources of the checkout: files, folders, patterns.

    Policy packs are left out: they have hashes of their own.
    """
    files = {file for place in places for file in _sources(root, place)}
    return of_files(files, root)


def shipped(root: Path = ROOT) -> str:
    """SHA-256 over all that answers a question, with the versions of its libraries."""
    return of_code(*SHIPPED, *LOCKS, root=root)


def requesting(root: Path = ROOT) -> str:
    """SHA-256 over all that a row depends on beside its request."""
    return of_code(*SHIPPED, *LOCKS, *RECORDING, root=root)


def ingesting(root: Path = ROOT) -> str:
    """SHA-256 over all that makes a corpus searchable."""
    return of_code(*INGESTING, LOCKS[0], root=root)


def git(root: Path = ROOT) -> Json:
    """The commit, and whether the tree differs from it; None where nobody knows."""
    commit = _git(root, "rev-parse", "HEAD")
    status = _git(root, "status", "--porcelain")
    dirty = None if commit is None or status is None else bool(status)
    return {"commit": commit, "dirty": dirty}


def _git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _sources(root: Path, place: str) -> Iterator[Path]:
    named = root / place
    if named.is_file():
        yield named
        return
    found = named.rglob("*") if named.is_dir() else root.glob(place)
    for file in found:
        inside = file.relative_to(root).as_posix()
        packs = inside.startswith(f"{PACKS}/")
        if file.is_file() and file.suffix not in _UNREAD and not packs:
            yield file
