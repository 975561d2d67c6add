"""Changes to the text of a pack.yaml, so that its comments and its order stay."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import re2
import yaml

from adapters.packs import POLICY
from adapters.strict_yaml import read
from engine.errors import PolicyError

_NUMBER = re2.compile(r"^(\s*(?:- )?[\w]+:\s*)([\d.]+)")
_FIELD = "retrieval.glossary"


@dataclass(frozen=True, slots=True)
class Changes:
    """Glossary lines to add, and numbers by field (`gate.used`) to set."""

    glossary: Mapping[str, Sequence[str]]
    numbers: Mapping[str, float]

    def __bool__(self) -> bool:
        return bool(self.glossary or self.numbers)


def changed(folder: Path, changes: Changes) -> str:
    """The text of a folder's pack.yaml with changes; nothing is written.

    Raises:
        PolicyError: a field to change does not stand on a line of its own.
    """
    file = folder / POLICY
    found = read(file)
    lines = file.read_text(encoding="utf-8").split("\n")
    for field, value in changes.numbers.items():
        at = found.lines.get(field)
        match = None if at is None else _NUMBER.match(lines[at - 1])
        if at is None or match is None:
            raise PolicyError(f"{file}: {field}: write it as a line of its own")
        rest = lines[at - 1][match.end() :]
        lines[at - 1] = f"{match.group(1)}{value:g}{rest}"
    if changes.glossary:
        _add(lines, found.lines, file, changes.glossary)
    return "\n".join(lines)


def _add(
    lines: list[str],
    places: Mapping[str, int],
    file: Path,
    glossary: Mapping[str, Sequence[str]],
) -> None:
    """Put glossary lines above those of the glossary, or open one.

    What `places` says of a mapping is where its first field stands.
    """
    added = [
        f"    {_plain(word)}: [{', '.join(map(_plain, meanings))}]"
        for word, meanings in glossary.items()
    ]
    at, above = places.get(_FIELD), places.get("retrieval")
    if at is not None:
        if "glossary:" in lines[at - 1]:
            raise PolicyError(f"{file}: {_FIELD}: write one word on each line below it")
        lines[at - 1 : at - 1] = added
    elif above is not None:
        lines[above - 1 : above - 1] = ["  glossary:", *added]
    else:
        end = len(lines) - (not lines[-1])
        lines[end:end] = ["", "retrieval:", "  glossary:", *added]


def _plain(text: str) -> str:
    """A word as YAML writes it within a list, quoted where it must be."""
    flow = yaml.safe_dump([text], default_flow_style=True, width=1_000)
    return str(flow).strip().removeprefix("[").removesuffix("]")


def difference(folder: Path, text: str) -> str:
    """What a text changes in a folder's pack.yaml, as `patch` reads it."""
    file = folder / POLICY
    before = file.read_text(encoding="utf-8")
    return "".join(
        difflib.unified_diff(
            before.splitlines(keepends=True),
            text.splitlines(keepends=True),
            f"{file}",
            f"{file} (proposed)",
        )
    )
