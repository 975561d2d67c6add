"""The labelled set of a judge on disk: one JSON object a line, sorted by id."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from evals.advice.judges import Label, LabelsWrong, checked

# What comes with the project: claims over the demo corpora of its packs.
COMMITTED = Path(__file__).resolve().parents[1] / "labels" / "judged_support.jsonl"

_TEXTS = ("id", "metric", "by", "why", "question", "claim")
_NAMES = frozenset(field.name for field in fields(Label))


def read_labels(file: Path) -> tuple[Label, ...]:
    """The labels of a file.

    Raises:
        LabelsWrong: it cannot be read, a line is no label, or see `checked`.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LabelsWrong(f"{file}: cannot be read ({error})") from error
    return checked(
        _label(line, f"{file}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _label(line: str, place: str) -> Label:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise LabelsWrong(f"{place}: is no JSON ({error})") from error
    if not isinstance(data, dict):
        raise LabelsWrong(f"{place}: is no object")
    unknown = sorted(data.keys() - _NAMES)
    if unknown:
        raise LabelsWrong(f"{place}: {unknown[0]}: is no field of a label")
    for name, right in _checks(data).items():
        if not right:
            raise LabelsWrong(f"{place}: {name}: is missing, or of the wrong kind")
    return Label(**(data | {"passages": tuple(data.get("passages", ()))}))


def _checks(data: dict[str, Any]) -> dict[str, bool]:
    passages = data.get("passages", [])
    texts = {name: isinstance(data.get(name, ""), str) for name in _TEXTS}
    needed = {name: bool(data.get(name)) for name in ("id", "metric", "by", "why")}
    return {
        **texts,
        **{name: texts[name] and given for name, given in needed.items()},
        "good": isinstance(data.get("good"), bool),
        "part": data.get("part") in ("open", "sealed"),
        "canary": isinstance(data.get("canary", False), bool),
        "passages": isinstance(passages, list)
        and all(isinstance(text, str) for text in passages),
    }
