"""Pseudonyms: the same person, and nobody else, and no way back."""

import multiprocessing
from pathlib import Path

import pytest

from adapters.mail import Platform
from bot.messages.pseudonym import FILE, KEY, open_pseudonyms
from engine.model.errors import EnvironmentFailed


def made(folder: str) -> str:
    """A pseudonym in a process of its own."""
    return open_pseudonyms(Path(folder)).of_person(Platform.SLACK, "T1", "U1")


def test_a_person_keeps_a_pseudonym_that_tells_nothing_R_S5(tmp_path: Path) -> None:
    """Across restarts; another installation gives another one."""
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir(), second.mkdir()
    name = made(str(first))
    assert len(name) == 32
    assert "U1" not in name
    assert made(str(first)) == name
    assert made(str(second)) != name


def test_ids_are_apart_where_the_platform_has_them_apart(tmp_path: Path) -> None:
    """A Slack id belongs to its workspace, a Discord id to one person everywhere."""
    of = open_pseudonyms(tmp_path).of_person
    assert of(Platform.SLACK, "T1", "U1") != of(Platform.SLACK, "T2", "U1")
    assert of(Platform.DISCORD, "G1", "4") == of(Platform.DISCORD, "dm", "4")
    assert of(Platform.DISCORD, "T1", "U1") != of(Platform.SLACK, "T1", "U1")


def test_the_key_is_its_owners_alone_R_S1(tmp_path: Path) -> None:
    """One that others may read, or a damaged one, is refused with what to do."""
    open_pseudonyms(tmp_path)
    key = tmp_path / FILE
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_bytes()) == KEY
    key.chmod(0o640)
    with pytest.raises(EnvironmentFailed, match="chmod 600"):
        open_pseudonyms(tmp_path)
    key.chmod(0o600)
    key.write_bytes(b"short")
    with pytest.raises(EnvironmentFailed, match="damaged"):
        open_pseudonyms(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_processes_that_begin_together_share_one_key(tmp_path: Path) -> None:
    """Whoever comes first makes it."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(made, [str(tmp_path)] * 8))) == 1
