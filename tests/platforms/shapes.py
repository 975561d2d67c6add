"""Words to write a platform's documented limits down as a table of shapes."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic_core import PydanticCustomError

_CODES = {
    "string_too_long": "BASE_TYPE_MAX_LENGTH",
    "string_too_short": "BASE_TYPE_REQUIRED",
    "too_long": "BASE_TYPE_BAD_LENGTH",
    "too_short": "BASE_TYPE_BAD_LENGTH",
    "missing": "BASE_TYPE_REQUIRED",
    "literal_error": "BASE_TYPE_CHOICES",
    "union_tag_invalid": "BASE_TYPE_CHOICES",
    "extra_forbidden": "UNKNOWN_FIELD",
    "rule": "COMPONENT_VALIDATION_FAILED",
}
# A rule between fields: what it demands, and whether an object keeps it.
Rule = tuple[str, Callable[[Any], bool]]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in one place of a payload.

    `path` leads there, `code` is Discord's word for this kind of error where it has
    one, `text` says it to a person.
    """

    path: tuple[str | int, ...]
    code: str
    text: str

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path)) or 'payload'}: {self.text}"


def text(most: int, least: int = 1, like: str | None = None) -> Any:
    """A text of so many characters."""
    limits = StringConstraints(min_length=least, max_length=most, pattern=like)
    return Annotated[str, limits]


def number(least: int, most: int) -> Any:
    """A whole number between two others, both included."""
    return Annotated[int, Field(ge=least, le=most)]


def many(of: Any, most: int, least: int = 1) -> Any:
    """A list of so many."""
    return Annotated[list[of], Field(min_length=least, max_length=most)]


def maybe(of: Any) -> Any:
    """A field that may be left out; null is no value of it."""
    return (of, None)


def nullable(of: Any) -> Any:
    """A field that may be left out, or be null."""
    return (of | None, None)


def one_of(*shapes: Any) -> Any:
    """One of some shapes, told apart by their type."""
    return Annotated[reduce(or_, shapes), Field(discriminator="type")]


def ruled(of: Any, *rules: Rule) -> Any:
    """A shape that keeps rules between its fields."""
    return reduce(lambda made, rule: Annotated[made, _kept(*rule)], rules, of)


def shape(kind: str | int | None = None, **fields: Any) -> type[BaseModel]:
    """An object of a type with these fields and no others; a bare type is required."""
    given = {n: f if isinstance(f, tuple) else (f, ...) for n, f in fields.items()}
    if kind is not None:
        given["type"] = (Literal[kind], ...)
    strict = ConfigDict(strict=True, extra="forbid", arbitrary_types_allowed=True)
    return create_model(f"Shape_{kind}", __config__=strict, **given)


def misshapen(
    of: TypeAdapter[Any], value: Any, at: tuple[str, ...] = ()
) -> list[Problem]:
    """The problems of a value that is to have a shape."""
    try:
        of.validate_json(json.dumps(value))
    except ValidationError as error:
        return [
            Problem((*at, *_path(e["loc"], value)), _code(e["type"]), e["msg"])
            for e in error.errors(include_url=False, include_input=False)
        ]
    except (TypeError, ValueError) as error:
        return [Problem(at, "BASE_TYPE_INVALID", f"is no JSON: {error}")]
    return []


def nodes(node: object) -> Iterator[Mapping[str, Any]]:
    """Every object in a structure, the outer ones first."""
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from nodes(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from nodes(value)


def repeated(names: Iterable[object]) -> list[object]:
    """The names that stand more than once."""
    counted = Counter(n for n in names if isinstance(n, str | int) and n)
    return [name for name, times in counted.items() if times > 1]


def _kept(demand: str, keeps: Callable[[Any], bool]) -> AfterValidator:
    def check(value: Any) -> Any:
        if not keeps(value):
            raise PydanticCustomError("rule", "{demand}", {"demand": demand})
        return value

    return AfterValidator(check)


def _code(kind: str) -> str:
    return _CODES.get(kind, "BASE_TYPE_INVALID")


def _path(location: tuple[str | int, ...], value: Any) -> tuple[str | int, ...]:
    """A place in a value, without the types that a validator puts between."""
    kept: list[str | int] = []
    for number, part in enumerate(location, start=1):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and isinstance(part, int):
            value = value[part] if part < len(value) else None
        elif number < len(location) or not isinstance(value, Mapping):
            continue
        kept.append(part)
    return tuple(kept)
