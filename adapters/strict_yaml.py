"""YAML as plain data: bounded, without aliases, tags or repeated keys.

`yaml.safe_load` builds plain values only, but lets a few lines expand without limit,
keeps the last of two equal keys, and forgets the lines of values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from engine.model.errors import PolicyError
from engine.policy.pack import format_path

LARGEST = 512 * 1024  # bytes of one file
DEEPEST = 16  # nested mappings and lists
MOST_NODES = 50_000

Value = object
Field = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """The mapping of a file, and the line of every field by its path."""

    data: Mapping[str, Value]
    lines: Mapping[str, int]


def read(file: Path) -> Read:
    """Read one YAML mapping.

    Raises:
        PolicyError: the file is missing, too large, not YAML, not a mapping, or has an
            alias, an anchor, a tag or a repeated key; with file and line.
    """
    text = _read_text(file)
    try:
        _refuse_unsafe(text, file)
        loader = yaml.CSafeLoader(text)
        node = loader.get_single_node()
        lines = {format_path(field): line for field, line in _walk(node, (), file)}
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _make_error(file, mark, f"is no YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise PolicyError(f"{file}: is no YAML: {error}") from error
    if not isinstance(data, dict):
        raise PolicyError(f"{file}: must hold fields (name: value), not a list or text")
    return Read(data=data, lines=lines)


def _read_text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise PolicyError(
            f"{file}: is missing; `groundrule start` makes one"
        ) from error
    except OSError as error:
        raise PolicyError(f"{file}: cannot be read: {error.strerror}") from error
    if len(content) > LARGEST:
        raise PolicyError(f"{file}: is larger than {LARGEST // 1024} KiB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PolicyError(f"{file}: is not UTF-8 (byte {error.start})") from error


def _refuse_unsafe(text: str, file: Path) -> None:
    """Refuse unsafe events in one pass, before any value is built."""
    depth = nodes = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _make_error(file, event.start_mark, "aliases (*name) are not allowed")
        if isinstance(event, yaml.NodeEvent):
            nodes += 1
            if event.anchor is not None:
                raise _make_error(
                    file, event.start_mark, "anchors (&name) are not allowed"
                )
            if getattr(event, "tag", None) is not None:
                raise _make_error(
                    file, event.start_mark, "tags (!name) are not allowed"
                )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise _make_error(
                file, event.start_mark, f"is nested more than {DEEPEST} deep"
            )
        if nodes > MOST_NODES:
            raise _make_error(
                file, event.start_mark, f"has more than {MOST_NODES} values"
            )


def _walk(node: object, field: Field, file: Path) -> Iterator[tuple[Field, int]]:
    """Walk every field with its line; refuse repeated keys and keys other than text."""
    if isinstance(node, yaml.Node):
        yield field, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            yield from _walk(item, (*field, at), file)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                raise _make_error(file, key.start_mark, f"key {key.value} needs quotes")
            if key.value in seen:
                raise _make_error(file, key.start_mark, f"key {key.value} stands twice")
            seen.add(key.value)
            yield from _walk(value, (*field, key.value), file)


def _make_error(file: Path, mark: object, message: str) -> PolicyError:
    line = getattr(mark, "line", None)
    where = f"{file}:{line + 1}" if isinstance(line, int) else str(file)
    return PolicyError(f"{where}: {message}")
