"""No committed file holds a path of somebody's machine: it leads nowhere on another."""

from collections.abc import Iterator
from pathlib import Path

import re2

from tests.shape.source import ROOT

# Homes and working folders of people and of build machines, by how a path begins.
# What containers and services are given (/app, /data, /var/lib, /tmp) is no such place.
_HOMES = "|".join(("root", "home", "work", "Users", "workspace"))
_PLACE = re2.compile(
    rf"(?:^|[^\w./~$}})-])(/(?:{_HOMES})/[\w.-]+|[A-Z]:\\\\?Users\\)".encode()
)
# What is made here and never committed.
MADE = {".git", ".hypothesis", ".venv", "build", "secrets", "__pycache__"}


def committed() -> Iterator[Path]:
    """Every file of the tree but what is made in it."""
    for path in ROOT.rglob("*"):
        inside = path.relative_to(ROOT).parts
        hidden = any(part.endswith(("_cache", ".egg-info")) for part in inside)
        if not (MADE.intersection(inside) or hidden) and path.is_file():
            yield path


def places(content: bytes) -> list[str]:
    """The paths of a machine in a text, line by line."""
    return [match.decode() for match in _PLACE.findall(content)]


def test_a_path_of_a_machine_is_seen() -> None:
    homes = ('"path": "/ho', 'me/anna/a.md"'), ("C:\\Us", "ers\\anna"), ("/wo", "rk/x")
    for text in map("".join, homes):  # in two parts, or this file would hold them
        assert places(text.encode()), text
    below = ("https://x.org/ho", "me/page"), ("docs/wo", "rk/a.md")
    for text in ("/var/lib/groundrule", *map("".join, below)):
        assert not places(text.encode()), text


def test_no_file_holds_a_path_of_a_machine() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): held[:3]
        for path in committed()
        if (held := places(path.read_bytes()))
    }
    assert found == {}
