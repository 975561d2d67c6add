"""Hashes that say what a run was made from."""

import subprocess
from pathlib import Path

from evals.record import manifest


def tree(root: Path) -> None:
    """A checkout in small."""
    for name, text in {
        "engine/first.py": "one",
        "engine/deep/gate.py": "two",
        "engine/words.txt": "three",
        "config/packs/a/pack.yaml": "policy",
        "README.md": "prose",
    }.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_any_source_changes_the_hash_and_nothing_else_does(tmp_path: Path) -> None:
    """Code and its data count; compiled files, prose and policy packs do not."""
    tree(tmp_path)
    places = ("engine", "config")
    before = manifest.hash_code(*places, root=tmp_path)
    (tmp_path / "engine" / "__pycache__").mkdir()
    (tmp_path / "engine" / "__pycache__" / "first.pyc").write_text("compiled")
    (tmp_path / "engine" / "README.md").write_text("prose")
    (tmp_path / "config" / "packs" / "a" / "pack.yaml").write_text("other")
    assert manifest.hash_code(*places, root=tmp_path) == before
    for name in ("first.py", "deep/gate.py", "words.txt", "new.py"):
        file = tmp_path / "engine" / name
        file.write_text("changed")
        after = manifest.hash_code(*places, root=tmp_path)
        assert after != before, name
        before = after


def test_a_file_that_is_moved_changes_the_hash(tmp_path: Path) -> None:
    """Paths count, not only contents."""
    tree(tmp_path)
    before = manifest.hash_code("engine", root=tmp_path)
    (tmp_path / "engine" / "first.py").rename(tmp_path / "engine" / "second.py")
    assert manifest.hash_code("engine", root=tmp_path) != before


def test_patterns_and_single_files_are_places_too(tmp_path: Path) -> None:
    """A pattern takes the files of one folder alone."""
    tree(tmp_path)
    one = manifest.hash_files([tmp_path / "engine" / "first.py"], tmp_path)
    assert manifest.hash_code("engine/*.py", root=tmp_path) == one
    assert manifest.hash_code("engine/first.py", root=tmp_path) == one


def test_every_place_that_is_hashed_exists() -> None:
    """A file that was renamed would drop out of the hashes in silence."""
    for place in (*manifest.RECORDING, *manifest.INGESTING, *manifest.SHIPPED):
        assert list(manifest.ROOT.glob(place)), place
    assert all((manifest.ROOT / lock).is_file() for lock in manifest.LOCKS)
    hashes = {
        manifest.hash_shipped(),
        manifest.hash_requesting(),
        manifest.hash_ingesting(),
    }
    assert len(hashes) == 3


def test_the_commit_is_known_where_there_is_one(tmp_path: Path) -> None:
    """And whether the tree is as committed; without git nobody knows."""
    assert manifest.describe_git(tmp_path) == {"commit": None, "dirty": None}
    tree(tmp_path)
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")

    def git(*arguments: str) -> None:
        command = ["git", "-C", str(tmp_path), *settings, *arguments]
        subprocess.run(command, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    clean = manifest.describe_git(tmp_path)
    assert clean["dirty"] is False
    assert len(str(clean["commit"])) == 40
    (tmp_path / "engine" / "first.py").write_text("changed")
    assert manifest.describe_git(tmp_path) == {**clean, "dirty": True}
