"""Hashes of what a run was made from: two runs with the same ones are the same run.

Imports the standard library alone, beside the form of canonical JSON.
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
# Code that shapes a row, or makes the corpora that it is asked of.
RECORDING = (
    *("evals/record/recorder.py", "evals/record/runner.py", "evals/record/asking.py"),
    *("evals/record/rows.py", "evals/record/platforms.py", "evals/record/corpora.py"),
    "evals/cases/changes.py",
)
# Code that a document passes on its way into ledger and index.
INGESTING = (
    *("engine/model", "engine/text", "engine/policy", "engine/documents"),
    *("engine/questions", "adapters/*.py", "adapters/index", "adapters/ledger"),
    *("adapters/loaders", "bot/documents", "config/calibration"),
    "evals/record/corpora.py",
)
_UNREAD = frozenset({".pyc", ".svg", ".md", ".new"})
GIT_S = 10.0


def hash_content(content: object) -> str:
    """Hash content as canonical JSON (SHA-256)."""
    return sha256(canonical(content).encode()).hexdigest()


def hash_files(files: Iterable[Path], root: Path) -> str:
    """Hash files by their paths below a folder, in any order (SHA-256).

    Raises:
        OSError: one cannot be read.
        ValueError: one does not lie below the folder.
    """
    return hash_content(
        {
            file.relative_to(root).as_posix(): sha256(file.read_bytes()).hexdigest()
            for file in files
        }
    )


def hash_code(*places: str, root: Path = ROOT) -> str:
    """Hash sources of the checkout: files, folders, patterns (SHA-256).

    Policy packs are left out: they have hashes of their own.
    """
    files = {file for place in places for file in _list_sources(root, place)}
    return hash_files(files, root)


def hash_shipped(root: Path = ROOT) -> str:
    """Hash all that answers a question, with the versions of its libraries
    (SHA-256)."""
    return hash_code(*SHIPPED, *LOCKS, root=root)


def hash_requesting(root: Path = ROOT) -> str:
    """Hash all that a row depends on beside its request (SHA-256)."""
    return hash_code(*SHIPPED, *LOCKS, *RECORDING, root=root)


def hash_ingesting(root: Path = ROOT) -> str:
    """Hash all that makes a corpus searchable (SHA-256)."""
    return hash_code(*INGESTING, LOCKS[0], root=root)


def describe_git(root: Path = ROOT) -> Json:
    """Return the commit, and whether the tree differs from it; None where unknown."""
    commit = _run_git(root, "rev-parse", "HEAD")
    status = _run_git(root, "status", "--porcelain")
    dirty = None if commit is None or status is None else bool(status)
    return {"commit": commit, "dirty": dirty}


def _run_git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _list_sources(root: Path, place: str) -> Iterator[Path]:
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
