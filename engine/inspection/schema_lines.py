"""The lines that a response contract asks for: `NAME=` and what may stand behind it.

`RISK=low|medium|high` names its values; `GAPS=what is missing` only that there is one.
"""

from dataclasses import dataclass

import re2

_LINE = re2.compile(r"\s*([A-Z][A-Z0-9_]{0,40})\s*[=:]\s*(.*?)\s*")


@dataclass(frozen=True, slots=True)
class SchemaLine:
    """One line; without `values` anything may stand in it, and it is never shown."""

    name: str
    values: tuple[str, ...]


def schema_lines(schema: str) -> tuple[SchemaLine, ...]:
    """The lines of a `response_schema`, in order; other text in it is explanation."""
    found = []
    for line in schema.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            values = tuple(each.strip() for each in match[2].split("|"))
            found.append(SchemaLine(match[1], values if len(values) > 1 else ()))
    return tuple(found)


def named_line(text: str) -> tuple[str, str] | None:
    """Name and value of a line `NAME=value` or `NAME: value`; None for other lines."""
    match = _LINE.fullmatch(text)
    return (match[1], match[2]) if match else None
