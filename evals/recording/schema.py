"""The fields of the response record, a line each: what readers of records rely on."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.model.record import Record

REF = "$ref"
DEFS = "$defs"


def record_fields() -> tuple[str, ...]:
    """Every field of a record by its path, with its type, sorted.

    A list is shown by [], a mapping by {}, as in "sources[].quotes[].start: integer".
    """
    schema = Record.model_json_schema(mode="serialization")
    return tuple(sorted(set(_fields("", schema, schema[DEFS], frozenset()))))


def _fields(
    path: str, schema: Mapping[str, Any], of: Mapping[str, Any], above: frozenset[str]
) -> Iterator[str]:
    if REF in schema:
        name = str(schema[REF]).rpartition("/")[2]
        if name in above:
            yield f"{path}: {name}"
        else:
            yield from _fields(path, of[name], of, above | {name})
        return
    for kind in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(kind, ()):
            yield from _fields(path, each, of, above)
    for name, each in schema.get("properties", {}).items():
        yield from _fields(f"{path}.{name}".lstrip("."), each, of, above)
    for name, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(name), Mapping):
            yield from _fields(f"{path}{mark}", schema[name], of, above)
    yield from _leaf(path, schema)


def _leaf(path: str, schema: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        yield f"{path}: {' | '.join(sorted(map(str, values)))}"
    elif schema.get("type") not in (None, "object", "array"):
        yield f"{path}: {schema['type']}"
    elif path:
        kind = schema.get("type")
        if kind is not None or len(schema) == 0:
            yield f"{path}: {kind or 'anything'}"
