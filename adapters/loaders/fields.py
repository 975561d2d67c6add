"""YAML and JSON as fields of text: a scalar is what is written, a name stands once.

A version 3.10 is not 3.1, 8:30 is no number of minutes, and 007 has three figures; what
a field means is for whoever reads it to say (R-A15). Of two equal names, one would be
dropped unseen, and it may be the one that keeps people out (R-S8).
"""

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import yaml


class FieldsError(ValueError):
    """The text is none; the message says what is wrong, without a path."""


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases: nine lines of them unfold to gigabytes."""

    # Every scalar is a text. Of an instance, for types-PyYAML.
    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        fields = super().construct_mapping(node, deep)
        if len(fields) != len(node.value):
            raise _doubled([self.construct_object(name) for name, _ in node.value])
        return fields


def read_yaml(text: str) -> object:
    """What a YAML document, or a JSON one, holds; nothing for an empty one.

    Raises:
        FieldsError: it is neither, or a name stands twice in a mapping.
    """
    if text.lstrip().startswith("{"):
        try:
            return read_json(text)
        except json.JSONDecodeError:
            pass  # YAML writes mappings in braces, too, with fewer quotation marks
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _error(error) from error


def read_json(text: str) -> Any:
    """What a JSON text holds: numbers as they are written, names once.

    Raises:
        JSONDecodeError: it is no JSON.
        FieldsError: a name stands twice in an object, or it nests too deeply.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
    except RecursionError as error:
        raise _error(error) from error


def _once(pairs: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _doubled([name for name, _ in pairs])
    return fields


def _doubled(names: Sequence[object]) -> FieldsError:
    twice = next(name for name in names if names.count(name) > 1)
    return FieldsError(f"{str(twice)[:40]!r} stands twice, and one would be lost")


def _error(error: Exception) -> FieldsError:
    if isinstance(error, FieldsError):
        return error
    return FieldsError(" ".join(str(error).split())[:300])
