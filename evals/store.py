"""The files of a run: canonical JSON lines, the same bytes for the same content.

A line is one object with sorted keys and no blanks, in UTF-8; lines are sorted by what
they are about. No file holds a time or a random id, except timings.jsonl. A file is
written beside its place and moved there, so that a file in its place is whole. Imports
the standard library alone.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from evals.forms import (
    AtMost,
    Case,
    Change,
    Expected,
    Json,
    Result,
    Row,
    Score,
    Shape,
    Shown,
    Source,
)

ANSWERS = "answers.jsonl"
SCORES = "scores.jsonl"
VERDICT = "verdict.jsonl"
SOURCES = "sources.jsonl"
CASES = "cases.jsonl"
TIMINGS = "timings.jsonl"
MANIFEST = "manifest.json"
HASH = 16  # hex digits of a hash in a row

Made = TypeVar("Made")
Key = tuple[str | int, ...]


class StoreFailed(Exception):
    """A file of a run is missing, damaged or cannot be written; it is named."""


def of_baseline(error: Exception) -> str:
    """Say what is wrong with a file of the baselines, which `record` does not write."""
    said = str(error).removesuffix(": record again").removesuffix(": record first")
    return f"{said}: take it back from git, or python -m evals oracle --pin"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record of a run: all that scoring needs.

    `cases` is by id, with the generated ones; `sources` by version.
    """

    cases: Mapping[str, Case]
    rows: tuple[Row, ...]
    sources: Mapping[str, Source]
    manifest: Json


def recorded(folder: Path) -> Recorded:
    """Read the record of a folder.

    Raises:
        StoreFailed: a file is missing or damaged, there is no row, or a row is of no
            case.
    """
    cases = {case.id: case for case in read_cases(folder)}
    rows = read_rows(folder)
    for row in rows:
        if row.case not in cases:
            raise StoreFailed(f"{folder / ANSWERS}: {row.case} is no case of {CASES}")
    missing = sorted(cases.keys() - {row.case for row in rows})
    if missing:
        raise StoreFailed(
            f"{folder / ANSWERS}: has no row of {missing[0]} ({len(missing)} cases "
            "have none): record again"
        )
    return Recorded(cases, rows, read_sources(folder), read_manifest(folder))


def canonical(content: object) -> str:
    """Write content as canonical JSON, on one line.

    Raises:
        ValueError: it holds a number that is none (NaN, infinite).
    """
    return json.dumps(
        content,
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
        default=_plain,
    )


def digest(text: str) -> str:
    """Hash a text, cut to the length that rows hold."""
    return sha256(text.encode()).hexdigest()[:HASH]


# --- rows -------------------------------------------------------------------------


def write_rows(folder: Path, rows: Iterable[Row]) -> None:
    """Write answers.jsonl, sorted by case and repeat.

    Raises:
        StoreFailed: a case has two rows with one repeat, or it cannot be written.
    """
    _write(folder / ANSWERS, rows, lambda row: (row.case, row.repeat))


def read_rows(folder: Path) -> tuple[Row, ...]:
    """Read the rows of a run, at least one.

    Raises:
        StoreFailed: the file is missing, empty or damaged.
    """
    return _read_filled(folder / ANSWERS, row_of_json)


def write_scores(folder: Path, scores: Iterable[Score]) -> None:
    """Write scores.jsonl, sorted by case, repeat and metric; see `write_rows`."""
    _write(folder / SCORES, scores, lambda s: (s.case, s.repeat, s.metric))


def read_scores(folder: Path) -> tuple[Score, ...]:
    """Read the scores of a run, at least one; see `read_rows`."""
    return _read_filled(folder / SCORES, _make_score)


def write_sources(folder: Path, sources: Iterable[Source]) -> None:
    """Write sources.jsonl, sorted by version; see `write_rows`."""
    _write(folder / SOURCES, sources, lambda source: (source.version,))


def read_sources(folder: Path) -> dict[str, Source]:
    """Read the documents of a run, by version; see `read_rows`. There may be none."""
    return {
        source.version: source for source in read_lines(folder / SOURCES, _make_source)
    }


def write_cases(folder: Path, cases: Iterable[Case]) -> None:
    """Write cases.jsonl, sorted by id; see `write_rows`."""
    _write(folder / CASES, cases, lambda case: (case.id,))


def read_cases(folder: Path) -> tuple[Case, ...]:
    """Read the cases that a run asked, as they were then; see `read_rows`."""
    return _read_filled(folder / CASES, _make_case)


def write_verdict(folder: Path, checks: Sequence[Json]) -> None:
    """Write verdict.jsonl, in the order given; see `write_rows`."""
    places = {id(line): (at,) for at, line in enumerate(checks)}
    _write(folder / VERDICT, checks, lambda line: places[id(line)])


def read_verdict(folder: Path) -> tuple[Json, ...]:
    """Read the checks of a verdict, in order; see `read_rows`."""
    return _read_filled(folder / VERDICT, dict)


def write_timings(folder: Path, timings: Iterable[Json]) -> None:
    """Write timings.jsonl, the one file that differs from run to run."""
    _write(folder / TIMINGS, timings, lambda line: (line["case"], line["repeat"]))


def write_manifest(folder: Path, manifest: Json) -> None:
    """Write manifest.json, for people to read as well.

    Raises:
        StoreFailed: it cannot be written.
    """
    text = json.dumps(manifest, sort_keys=True, ensure_ascii=False, indent=2)
    place_lines(folder / MANIFEST, [text])


def read_manifest(folder: Path) -> Json:
    """Read what a run was made from.

    Raises:
        StoreFailed: the file is missing or damaged.
    """
    file = folder / MANIFEST
    try:
        found = json.loads(_read_text(file))
    except ValueError as error:
        raise StoreFailed(f"{file}: is damaged ({error}): record again") from error
    if not isinstance(found, dict):
        raise StoreFailed(f"{file}: is no object: record again")
    return found


# --- lines ------------------------------------------------------------------------


def _write(file: Path, items: Iterable[Made], key: Callable[[Made], Key]) -> None:
    found: dict[Key, Made] = {}
    for item in items:
        if found.setdefault(key(item), item) is not item:
            raise StoreFailed(f"{file}: {key(item)} would stand there twice")
    try:
        lines = [canonical(found[place]) for place in sorted(found)]
    except ValueError as error:
        raise StoreFailed(f"{file}: cannot be written: {error}") from error
    place_lines(file, lines)


def place_lines(file: Path, lines: Iterable[str]) -> None:
    """Put a file of these lines in its place in one step.

    Raises:
        StoreFailed: it cannot be written.
    """
    draft = file.with_name(f"{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)
        os.replace(draft, file)
    except (OSError, UnicodeEncodeError) as error:
        raise StoreFailed(f"{file}: cannot be written ({error})") from error


@cache
def _list_fields(form: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(form))


def _plain(value: object) -> object:
    """Turn what JSON lacks into what it has: our records, and dates."""
    if is_dataclass(value) and not isinstance(value, type):
        # `asdict` would copy what it holds.
        return {name: getattr(value, name) for name in _list_fields(type(value))}
    if isinstance(value, date):
        return value.isoformat()
    raise ValueError(f"{type(value).__name__} is no JSON")


def _read_filled(
    file: Path, make: Callable[[dict[str, Any]], Made]
) -> tuple[Made, ...]:
    found = tuple(read_lines(file, make))
    if not found:
        raise StoreFailed(f"{file}: is empty: record again")
    return found


def read_lines(file: Path, make: Callable[[dict[str, Any]], Made]) -> Iterator[Made]:
    """Read objects of a form, one JSON object a line.

    Raises:
        StoreFailed: the file is missing or damaged.
    """
    text = _read_text(file)
    # `splitlines` would also cut at line ends inside texts.
    lines = text.removesuffix("\n").split("\n") if text else ()
    for number, line in enumerate(lines, start=1):
        try:
            yield make(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StoreFailed(
                f"{file}:{number}: is damaged ({error}): record again"
            ) from error


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise StoreFailed(f"{file}: is missing: record first") from error
    except (OSError, UnicodeDecodeError) as error:
        raise StoreFailed(f"{file}: cannot be read ({error})") from error


def row_of_json(data: dict[str, Any]) -> Row:
    """Make a row of what a file holds.

    Raises:
        KeyError, TypeError: it is none.
    """
    held: dict[str, Any] = {
        name: tuple(data[name]) for name in ("sections", "evidence")
    }
    shown = data.get("shown")
    held["shown"] = None if shown is None else _make_shown(shown)
    return Row(**(data | held))


def _make_shown(data: dict[str, Any]) -> Shown:
    shapes = {name: Shape(**shape) for name, shape in data["shapes"].items()}
    faults = tuple(data.get("faults", ()))
    return Shown(shapes=shapes, words=data["words"], faults=faults)


def _make_score(data: dict[str, Any]) -> Score:
    held = {"result": Result(data["result"]), "marks": tuple(data["marks"])}
    return Score(**(data | held))


def _make_source(data: dict[str, Any]) -> Source:
    held = data.get("sections")
    return Source(**data | {"sections": None if held is None else tuple(held)})


def _make_case(data: dict[str, Any]) -> Case:
    as_of = data["as_of"]
    held = {
        "expected": _make_expected(data["expected"]),
        "as_of": date.fromisoformat(as_of) if as_of else None,
        "changes": tuple(_make_change(change) for change in data["changes"]),
    }
    listed = {name: tuple(data[name]) for name in ("shows", "slices", "tags")}
    return Case(**(data | listed | held))


def _make_expected(data: dict[str, Any]) -> Expected:
    held: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data.items()
    }
    held["facts"] = tuple(tuple(wordings) for wordings in data["facts"])
    held["tiers"] = _key_by_tier(data["tiers"])
    most = data["at_most"]
    held["at_most"] = AtMost(**(most | {"tiers": _key_by_tier(most["tiers"])}))
    return Expected(**held)


def _key_by_tier(counts: dict[str, int]) -> dict[int, int]:
    return {int(tier): count for tier, count in counts.items()}


def _make_change(data: dict[str, Any]) -> Change:
    pair = data["replace"]
    return Change(**(data | {"replace": tuple(pair) if pair else None}))
