"""Messages as people type them: nothing is expected of them, they pin what comes.

A line of `evals/suites/messages/PACK.jsonl` is one message. It has an `id` and what a
person `says`, and may have the question before it in the thread (`after`), a selected
text (`selects`), a day (`as_of`) and the number of the choice that is taken of those
that a refusal offers (`takes`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import ClassVar

from pydantic import TypeAdapter, ValidationError

from engine.model.errors import UsageError
from engine.policy.pack import list_violations
from evals.cases import suites
from evals.cases.suites import Library
from evals.forms import Case, Expected, Suite

MESSAGES = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """A line of a file."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    id: str
    says: str
    after: str | None = None
    selects: str | None = None
    as_of: date | None = None
    takes: int = 0


_FORM = TypeAdapter(_Message)


def load(pack: str, library: Library | None = None) -> tuple[Suite, ...]:
    """Read the messages of a pack as a suite; none where it has no file.

    Raises:
        UsageError: a line is wrong, an id comes twice, or there is no message.
    """
    file = (library or Library()).suites / MESSAGES / f"{pack}.jsonl"
    if not file.is_file():
        return ()
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: is no UTF-8: {error.reason}") from error
    cases = tuple(
        _read_case(file, number, line, pack)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )
    if not cases:
        raise UsageError(f"{file}: holds no message: write one, or delete the file")
    suite = Suite(name=MESSAGES, pack=pack, title="Messages as typed", cases=cases)
    suites.index_cases([suite])
    return (suite,)


def _read_case(file: Path, number: int, line: str, pack: str) -> Case:
    try:
        said = _FORM.validate_json(line)
    except ValidationError as error:
        wrong = "; ".join(
            f"{each.field}: {each.message}" for each in list_violations(error)
        )
        raise UsageError(f"{file}:{number}: {wrong}") from error
    if not said.says.strip() or said.takes < 0:
        raise UsageError(f"{file}:{number}: says nothing, or takes no choice")
    return Case(
        id=said.id,
        question=said.says,
        expected=Expected(outcome="either"),
        previous=said.after,
        selection=said.selects,
        as_of=said.as_of,
        chooses=said.takes,
        suite=MESSAGES,
        pack=pack,
        file=f"evals/suites/{MESSAGES}/{file.name}",
        line=number,
    )
