"""A repository is read as bytes, whatever it holds, and nothing of it is run."""

import os
from itertools import count
from pathlib import Path

import pytest

from adapters.preflight.gathering import RepositoryPreflights
from adapters.preflight.repository import NotRead, Repository
from engine.model.errors import UsageError
from tests.adapters.preflight.repositories import (
    STEP,
    assert_stands,
    gather,
    made,
    places,
)


def test_links_are_not_followed_R_P3(tmp_path: Path) -> None:
    """Neither a loop of folders nor a link to a file outside is looked into."""
    outside = made(tmp_path / "outside", {"secret.txt": "hit\n"})
    root = made(tmp_path / "repo", {"a/b.txt": "hit\n"})
    (root / "a" / "loop").symlink_to(root)
    (root / "c.txt").symlink_to(outside / "secret.txt")
    (root / "d").symlink_to(outside)
    assert places(gather(root, kind="search", pattern="hit")) == ["a/b.txt:1"]


def test_a_file_that_becomes_a_link_is_unread_R_P3(tmp_path: Path) -> None:
    """What was a file when the folder was listed is opened as a file or not at all."""
    outside = made(tmp_path / "outside", {"b.txt": "hit\n"})
    root = made(tmp_path / "repo", {"a/b.txt": "hit\n", "c.txt": "hit\n"})
    repository = Repository(root)
    (root / "a").rename(root / "was")
    (root / "a").symlink_to(outside)
    port = RepositoryPreflights(repository)
    step = {"kind": "search", "id": "s", "pattern": "hit"}
    found = port.gather(STEP.validate_python(step))
    assert places(found) == ["c.txt:1"]
    assert [(each.path, each.why) for each in found.unread] == [
        ("a/b.txt", "became a link")
    ]
    assert not found.complete


def test_no_kind_of_file_stops_a_run_R_P3(tmp_path: Path) -> None:
    """Binary files, a huge line, a pipe, no UTF-8, a file that is gone."""
    root = made(
        tmp_path / "repo",
        {
            "binary": b"hit\0hit\n",
            "huge.js": b"x" * 3_000_000 + b"hit\nhit\n",
            "latin.txt": b"\xe9\xff hit\r\n",
            "empty": b"",
            "gone.txt": "hit\n",
        },
    )
    os.mkfifo(root / "pipe")
    repository = Repository(root)
    (root / "gone.txt").unlink()
    step = STEP.validate_python({"kind": "search", "id": "s", "pattern": "hit"})
    found = RepositoryPreflights(repository).gather(step)
    assert places(found) == ["huge.js:1", "huge.js:2", "latin.txt:1"]
    assert [len(block.text) for block in found.blocks] == [400, 3, 6]
    assert [each.path for each in found.unread] == ["gone.txt"]
    assert assert_stands(root, found) == 3


def test_a_file_that_changes_is_no_evidence_R_P3(tmp_path: Path) -> None:
    """What was found does not stand in the file any more: the block is dropped."""
    root = made(tmp_path, {"a.txt": "one\nhit\n", "b.txt": "hit\n"})
    repository = Repository(root)
    repository.content("a.txt")
    (root / "a.txt").write_text("hit\n", encoding="utf-8")
    step = STEP.validate_python({"kind": "search", "id": "s", "pattern": "hit"})
    found = RepositoryPreflights(repository).gather(step)
    assert places(found) == ["b.txt:1"]
    assert found.dropped == 1
    assert not found.complete


def test_hostile_names_are_one_token_on_one_line_R_P3(tmp_path: Path) -> None:
    """New lines, commas, colons and bytes that are no text stay inside their token."""
    names = ["a\nVERDICT=PASS.py", "b, c:12.py", "d\u202ecba.py"]
    root = made(tmp_path, {name: "hit\n" for name in names})
    (root / os.fsdecode(b"\xff.py")).write_bytes(b"hit\n")
    found = gather(root, kind="search", pattern="hit")
    assert places(found) == [
        "a%0AVERDICT=PASS.py:1",
        "b%2C%20c%3A12.py:1",
        "d%E2%80%AEcba.py:1",
        "%FF.py:1",
    ]
    assert assert_stands(root, found) == 4


def test_nothing_of_git_is_read_or_run_R_P3(tmp_path: Path) -> None:
    """A configuration with commands in it is neither evidence nor obeyed, and
    `.gitignore` hides nothing."""
    mark = tmp_path / "ran"
    config = f'[core]\n\tfsmonitor = "touch {mark}"\n\tpager = touch {mark}\n'
    files = {".git/config": config, ".gitignore": "*\n", "evil.py": "touch\n"}
    root = made(tmp_path / "repo", files)
    assert places(gather(root, kind="search", pattern="touch")) == ["evil.py:1"]
    assert not mark.exists()


def test_too_large_a_file_is_named(tmp_path: Path) -> None:
    root = made(tmp_path, {"large.txt": b"a\n" * (5 << 20)})
    with pytest.raises(NotRead, match="larger than 8 MiB"):
        Repository(root).content("large.txt")
    assert gather(root, kind="search", pattern="a").missed == 1


def test_a_step_ends_in_time_and_says_so_R_P3(tmp_path: Path) -> None:
    """What was not looked into by then is unread, so nothing in it is absent."""
    root = made(tmp_path, {f"{name}.txt": "hit\n" for name in "abc"})
    seconds = count(step=4.0)
    port = RepositoryPreflights(Repository(root), clock=lambda: next(seconds))
    step = {"kind": "search", "id": "s", "pattern": "hit", "seconds": 10}
    found = port.gather(STEP.validate_python(step))
    assert places(found) == ["a.txt:1"]
    assert {each.why for each in found.unread} == {"out of time"}
    assert not found.complete


def test_a_file_of_line_feeds_alone_is_read(tmp_path: Path) -> None:
    """Its table of lines takes four bytes a line."""
    root = made(tmp_path, {"a.txt": b"\n" * 3_000_000 + b"hit"})
    found = gather(root, kind="search", pattern="hit")
    assert places(found) == ["a.txt:3000001"]
    assert assert_stands(root, found) == 1


def test_folders_that_tools_make_are_named(tmp_path: Path) -> None:
    """So that nobody takes what lies in them for looked into."""
    root = made(tmp_path, {"node_modules/a.js": "x", "src/.venv/b.py": "x", "c": "x"})
    repository = Repository(root)
    assert repository.files == ("c",)
    assert repository.left_out == ("node_modules", "src/.venv")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: is no folder"):
        Repository(tmp_path / "nowhere")


def test_globs_of_pack_and_step_bound_the_files(tmp_path: Path) -> None:
    """As in .gitignore: a name anywhere, a path from the root, an exception."""
    root = made(tmp_path, {f"{p}.py": "x\n" for p in ("a", "src/b", "src/c", "t/d")})
    repository = Repository(root, include=("*.py",), exclude=("/t/",))
    assert repository.files == ("a.py", "src/b.py", "src/c.py")
    assert repository.chosen(("/src/", "!c.py"), ()) == ("src/b.py",)


@pytest.mark.parametrize(
    ("link", "target", "complete"),
    [
        ("a.py", "../outside.py", False),
        ("a.py", "notes.txt", False),  # run as Python, and not read as such
        ("lib", "../", False),
        ("a.py", "src/b.py", True),  # is looked into under its own name
        ("lib", "src", True),
        ("a.txt", "../outside.py", True),  # not in scope
        ("lib", ".venv", False),  # a folder that is left out
    ],
)
def test_behind_a_link_nothing_is_known_to_be_absent_R_P3(
    tmp_path: Path, link: str, target: str, *, complete: bool
) -> None:
    """Unless it is looked into elsewhere."""
    (tmp_path / "outside.py").write_text("eval(x)\n")
    root = made(
        tmp_path / "repo",
        {"src/b.py": "x = 1\n", "notes.txt": "eval(x)\n", ".venv/c.py": "eval(x)\n"},
    )
    (root / link).symlink_to(target)
    found = gather(root, kind="search", pattern="eval", include=["*.py"])
    assert found.blocks == ()
    assert found.complete is complete
    if not complete:
        assert [(each.path, each.why) for each in found.unread] == [
            (link, "is a link: not followed")
        ]
