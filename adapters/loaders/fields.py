"""YAML and JSON as fields of text: scalars stay as written, and names are unique.

A version 3.10 is not 3.1, 8:30 is not a number of minutes, and 007 has three figures;
the reader of a field decides what it means. Of two equal names one would be dropped
silently, and it may be the one that limits access.
"""

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import yaml


class FieldsError(ValueError):
    """The text is not YAML or JSON; the message has the fault, without a path."""


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases: nine lines of them unfold to gigabytes."""

    # Every scalar is text. Of an instance, for types-PyYAML.
    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        fields = super().construct_mapping(node, deep)
        if len(fields) != len(node.value):
            raise _make_doubled([self.construct_object(name) for name, _ in node.value])
        return fields


def read_yaml(text: str) -> object:
    """Read a YAML or JSON document; return None for an empty one.

    Raises:
        FieldsError: it is neither, or a name occurs twice in a mapping.
    """
    if text.lstrip().startswith("{"):
        try:
            return read_json(text)
        except json.JSONDecodeError:
            pass  # it may be a YAML mapping in braces, with fewer quotation marks
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _make_error(error) from error


def read_json(text: str) -> Any:
    """Read JSON, with numbers as text, as they are written.

    Raises:
        JSONDecodeError: it is not JSON.
        FieldsError: a name occurs twice in an object, or it nests too deeply.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_refuse_doubles,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
    except RecursionError as error:
        raise _make_error(error) from error


def _refuse_doubles(pairs: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _make_doubled([name for name, _ in pairs])
    return fields


def _make_doubled(names: Sequence[object]) -> FieldsError:
    twice = next(name for name in names if names.count(name) > 1)
    return FieldsError(f"{str(twice)[:40]!r} stands twice, and one would be lost")


def _make_error(error: Exception) -> FieldsError:
    if isinstance(error, FieldsError):
        return error
    return FieldsError(" ".join(str(error).split())[:300])
