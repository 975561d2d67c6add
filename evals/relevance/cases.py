"""Labelled questions: the question, its kind, and the places that answer it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from engine.model.errors import UsageError
from engine.model.frozen import Frozen

SUITES = Path(__file__).resolve().parent.parent / "suites"


class Gold(Frozen):
    """A place that holds the answer: offsets in the canonical text of a version.

    The text itself is not stored: it belongs to its document, which is read from the
    ledger when the case is scored.
    """

    path: str
    version: str
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(gt=0)]


class Case(Frozen):
    """One question with its label.

    `gold` lists alternatives; each is a set of places that answer together. `half`
    keeps questions for tuning apart from those for reports. `wording` says how close
    the words of an answerable question are to the source's.
    """

    id: str
    question: str
    kind: Literal["answerable", "near_miss", "off_corpus"]
    wording: Literal["plain", "everyday", "paraphrased"] | None
    half: Literal["tune", "test", "exam"]
    gold: tuple[tuple[Gold, ...], ...] = ()
    answer: str = ""

    @property
    def answerable(self) -> bool:
        return self.kind == "answerable"


def load(pack: str, suite: str = "development") -> tuple[Case, ...]:
    """Read the cases of a suite of a pack, in order.

    Raises:
        UsageError: the file is missing or a line of it is wrong.
    """
    path = SUITES / pack / f"{suite}.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from error
    return tuple(_parse_lines(path, lines))


def _parse_lines(path: Path, lines: list[str]) -> Iterator[Case]:
    for number, line in enumerate(lines, start=1):
        try:
            yield Case.model_validate(json.loads(line))
        except (ValueError, ValidationError) as error:
            raise UsageError(f"{path}, line {number}: {error}") from error
