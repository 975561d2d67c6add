"""`questions.jsonl`: which questions documents answer, a JSON object a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from engine.questions.records import LONGEST

NAME = "questions.jsonl"
LONGEST_LINE = 4_000  # characters
MOST_LINES = 100_000
_FIELDS = ("document", "section", "quote", "question")


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `place` names its file and number."""

    document: str
    question: str
    section: str | None
    quote: str | None
    place: str


class _Wrong(ValueError):
    """What is wrong with a line, its field first."""


def read_lines(file: Path, shown: str) -> tuple[list[Line], list[str]]:
    """Read the lines of a file, and what is wrong with others by number and field."""
    lines: list[Line] = []
    problems: list[str] = []
    try:
        with file.open(encoding="utf-8-sig") as opened:
            for number, text in enumerate(islice(opened, MOST_LINES), 1):
                if not text.strip():
                    continue
                place = f"{shown}:{number}"
                try:
                    lines.append(_parse_line(text, place))
                except _Wrong as wrong:
                    problems.append(f"{place}: {wrong}")
            if opened.readline():
                problems.append(f"{shown}: more than {MOST_LINES:,} lines; split it")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{shown}: cannot be read as UTF-8 ({error})")
    return lines, problems


def format_lines(lines: Iterable[Line]) -> str:
    """Write lines as a file holds them, without the fields that are None."""
    return "".join(
        json.dumps(
            {
                name: getattr(line, name)
                for name in _FIELDS
                if getattr(line, name) is not None
            },
            ensure_ascii=False,
        )
        + "\n"
        for line in lines
    )


def _parse_line(text: str, place: str) -> Line:
    """Parse one line.

    Raises:
        _Wrong: it is too long, no JSON object, or a field is missing, unknown or wrong.
    """
    if len(text) > LONGEST_LINE:
        raise _Wrong(f"line of more than {LONGEST_LINE:,} characters; shorten it")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Wrong(f"is not JSON ({error}); write one object a line") from error
    if not isinstance(found, dict):
        raise _Wrong('is no object; write {"document": …, "question": …}')
    for name in found:
        if name not in _FIELDS:
            raise _Wrong(f"{name[:40]}: unknown field; known are {', '.join(_FIELDS)}")
    question = _read_text(found, "question", needed=True)
    if len(question or "") > LONGEST:
        raise _Wrong(f"question: longer than {LONGEST} characters; shorten it")
    return Line(
        document=_read_text(found, "document", needed=True) or "",
        question=question or "",
        section=_read_text(found, "section"),
        quote=_read_text(found, "quote"),
        place=place,
    )


def _read_text(
    found: dict[str, object], name: str, *, needed: bool = False
) -> str | None:
    value = found.get(name)
    if value is None and not needed:
        return None
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(f"{name}: must be a text")
    return value.encode("utf-8", "replace").decode("utf-8").strip()
