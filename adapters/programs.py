"""A pack's own prompt programs on disk: JSON files in its folder `programs`.

JSON and nothing else: what holds objects of Python runs whatever it says when it is
read. What a file may hold stands in `engine.policy.programs`; adapters/packs.py reads
them with the pack, so that its hash and its lock cover them. A pack takes a program
only as it was compared (R-E10).
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.errors import EnvironmentFailed, UsageError
from engine.policy.pack import Violation, violations
from engine.policy.programs import Program

FOLDER = "programs"
SUFFIX = ".json"
LARGEST = 1_000_000  # bytes of a file
_COMPARE = (
    "move the file out of the pack and compare it: "
    "python -m evals optimise --pack PACK --program FILE"
)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of a folder by signature, and what is wrong with others, by file.

    `content` is what the files say, for the pack's hash.
    """

    valid: Mapping[str, Program] = field(default_factory=dict)
    content: Mapping[str, object] = field(default_factory=dict)
    wrong: Mapping[Path, tuple[Violation, ...]] = field(default_factory=dict)


def read(folder: Path, pack: str) -> Programs:
    """The programs in the folder of the pack with this id; it may have none."""
    valid: dict[str, Program] = {}
    content: dict[str, object] = {}
    wrong: dict[Path, tuple[Violation, ...]] = {}
    for file in _files(folder / FOLDER):
        try:
            content[file.stem] = _content(file)
            valid[file.stem] = _program(file, content[file.stem], pack)
        except _Wrong as error:
            wrong[file] = error.violations
    return Programs(valid, content, wrong)


def draft(file: Path) -> Program:
    """A program that is still to be compared, from a file outside of a pack.

    Raises:
        UsageError: the file holds none.
    """
    try:
        return _parsed(file, _content(file))
    except _Wrong as error:
        said = (f"{file}: {found.field}: {found.message}" for found in error.violations)
        raise UsageError("\n".join(said)) from error


def write(program: Program, folder: Path) -> Path:
    """Put a program into a folder in one step; its file.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    file = folder / f"{program.signature}{SUFFIX}"
    draft = file.with_name(f".{file.name}.new")
    text = json.dumps(program.model_dump(mode="json"), indent=2, ensure_ascii=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_text(f"{text}\n", encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error
    return file


class _Wrong(Exception):
    """What is wrong with one file."""

    def __init__(self, *found: Violation) -> None:
        super().__init__()
        self.violations = found


def _files(folder: Path) -> Iterator[Path]:
    """Every file in it but hidden ones, which are being written."""
    if folder.is_dir():
        yield from sorted(f for f in folder.iterdir() if not f.name.startswith("."))


def _content(file: Path) -> object:
    """The JSON of a file.

    Raises:
        _Wrong: it is something else, too large, or says a field twice.
    """
    if file.suffix != SUFFIX or file.is_symlink() or not file.is_file():
        raise _said("file", f"is no {SUFFIX} file: a program is JSON and nothing else")
    try:
        if file.stat().st_size > LARGEST:
            raise _said("file", f"is larger than {LARGEST} bytes")
        text = file.read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (OSError, ValueError, RecursionError) as error:
        raise _said("file", f"is no JSON that can be read: {error}") from error


def _program(file: Path, content: object, pack: str) -> Program:
    """The program of a file, as it was compared for this pack (R-E10)."""
    program = _parsed(file, content)
    origin = program.origin
    if not origin.compared:
        raise _said("origin.compared", f"names no case: {_COMPARE}")
    if origin.digest != program.digest_for(pack):
        raise _said(
            "origin.digest",
            "is not that of pack, signature, instructions and demonstrations: they "
            "were changed after the comparison, or it was compared for another pack. "
            f"Put them back as they were, or {_COMPARE}",
        )
    return program


def _parsed(file: Path, content: object) -> Program:
    try:
        # As JSON, so that a date is text and a tuple a list.
        program = Program.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise _Wrong(*map(_placed, violations(error))) from error
    if program.signature != file.stem:
        said = f"is {program.signature!r}, and the file is {file.name}"
        raise _said("signature", said)
    return program


def _placed(found: Violation) -> Violation:
    """What is wrong with the whole stands under the name of the whole."""
    return found if found.field else found.model_copy(update={"field": "program"})


def _said(name: str, message: str) -> _Wrong:
    return _Wrong(Violation(field=name, message=message))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice} stands twice")
    return found


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number")
