"""Question packs on disk: read, check, and the JSON Schema that editors use.

python -m adapters.question_packs    # writes config/question_packs/schema.json
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from adapters.strict_yaml import read
from engine.inspection.question_pack import QuestionPack
from engine.model.errors import PolicyError, UsageError
from engine.policy.pack import format_path

SCHEMA = Path(__file__).resolve().parent.parent / "config/question_packs/schema.json"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A question pack with the SHA-256 of its content, independent of layout."""

    pack: QuestionPack
    hash: str


def load(file: Path) -> Loaded:
    """Load the question pack of a file.

    Raises:
        PolicyError: it is unsafe or invalid; with file, line and field of each problem.
        UsageError: there is no such file.
    """
    if not file.is_file():
        raise UsageError(f"{file}: there is no such question pack")
    held = read(file)
    try:
        pack = QuestionPack.model_validate(held.data)
    except ValidationError as error:
        told = dict.fromkeys(
            _format_problem(file, held.lines, each) for each in _list_wrong(error)
        )
        raise PolicyError("\n".join(told)) from error
    canonical = json.dumps(
        pack.model_dump(mode="json", by_alias=True), sort_keys=True, ensure_ascii=False
    )
    return Loaded(pack, sha256(canonical.encode()).hexdigest())


@dataclass(frozen=True, slots=True)
class _Wrong:
    """One error of the model about a field."""

    field: tuple[str | int, ...]
    message: str


def _list_wrong(error: ValidationError) -> list[_Wrong]:
    """List every error, except empty lists whose items were invalid."""
    said = error.errors(include_url=False)
    places = [each["loc"] for each in said]
    found = []
    for each in said:
        place, message = each["loc"], each["msg"].removeprefix("Value error, ")
        inner = any(p[: len(place)] == place and p != place for p in places)
        if each["type"] == "too_short" and inner:
            continue
        if each["type"] == "string_type" and isinstance(each["input"], bool):
            message = "YAML reads YES, NO, ON and OFF as a boolean: put it in quotes"
        elif each["type"] == "extra_forbidden":
            message = "unknown field: remove it, or correct its name"
        found.append(_Wrong(_drop_kinds(place), message))
    return found


def _drop_kinds(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Drop the kinds of preflights, which the model adds to places."""
    return tuple(
        part
        for at, part in enumerate(place)
        if at < 2 or place[at - 2] != "preflights" or isinstance(part, int)
    )


def _format_problem(file: Path, lines: Mapping[str, int], wrong: _Wrong) -> str:
    """Format an error with the line of its field, or of the nearest parent."""
    known = wrong.field
    while known and format_path(known) not in lines:
        known = known[:-1]
    field = format_path(wrong.field) or "the pack"
    return f"{file}:{lines.get(format_path(known), 1)}: {field}: {wrong.message}"


def make_schema() -> str:
    """Make the JSON Schema of a question pack, in YAML's spelling."""
    made = QuestionPack.model_json_schema(by_alias=True)
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(make_schema(), encoding="utf-8")
