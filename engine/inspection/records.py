"""The nouns of an inspection: evidence, decision, result."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from engine.model.frozen import Frozen
from engine.model.places import Place
from engine.model.prompt import Prompt

NOT_FOUND = "NOT FOUND"
INSUFFICIENT = "INSUFFICIENT EVIDENCE"
MASK = "•"  # replaces a character of a line that must not be repeated

Number = Annotated[int, Field(ge=1)]
Severity = Literal["note", "warning", "error"]


class Line(Frozen):
    """One line as in its file, without its end; a very long one is cut."""

    number: Number
    text: str
    cut: bool = False


class Block(Frozen):
    """Evidence with its place.

    `lines` are those shown, `first` and `last` the range that may be cited. `values`
    are what the preflight extracted: groups of a pattern, a name and a version.
    """

    path: str
    first: Number
    last: Number
    lines: Annotated[tuple[Line, ...], Field(min_length=1)]
    note: str = ""
    values: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return Place(self.path, self.first, self.last)

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


class Unread(Frozen):
    """A file of a preflight's scope that could not be read, and why."""

    path: str
    why: str


class Gathered(Frozen):
    """The evidence of one preflight.

    `files` were covered. `beyond` hits were left out at its limit. `unread` names the
    first files that could not be read; `missed` counts all of them. `dropped` blocks
    were no longer in their file when it was read again. `exhaustive` is False where
    there may be more than was found: a search by meaning.
    """

    preflight: str
    kind: str
    blocks: tuple[Block, ...] = ()
    files: int = 0
    beyond: int = 0
    unread: tuple[Unread, ...] = ()
    missed: int = 0
    dropped: int = 0
    exhaustive: bool = True

    @property
    def count(self) -> int:
        return len(self.blocks) + self.beyond

    @property
    def complete(self) -> bool:
        """True where nothing is there but what was found."""
        return self.exhaustive and not (self.missed or self.dropped)


class Decided(Frozen):
    """A verdict with the blocks that show it, and what a better one lacked."""

    verdict: str
    shown: tuple[Block, ...] = ()
    why: str = ""
    gaps: tuple[str, ...] = ()


class Problem(Frozen):
    """A reason why a draft may not be shown, in words that its author can act on."""

    rule: str
    explanation: str


class Finding(Frozen):
    """A message for readers of a code host at a place."""

    question: str
    rule: str
    severity: Severity
    message: str
    path: str
    first: Number
    last: Number


class Status(StrEnum):
    """The result of a question."""

    MET = "met"
    UNJUDGED = "unjudged"  # nothing is expected of its verdict
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"  # the environment: no model answered

    @property
    def harmless(self) -> bool:
        """True where the exit code stays 0."""
        return self in (Status.MET, Status.UNJUDGED)


class Attempt(Frozen):
    """One draft of a model with its problems."""

    text: str
    problems: tuple[Problem, ...] = ()
    prompt: Prompt | None = None


class Result(Frozen):
    """One question, answered or not: the content of all its artefacts."""

    question: str
    mode: Literal["deterministic", "llm"]
    analyse_only: bool
    status: Status
    verdict: str
    why: str
    answer: str
    decided: Decided
    gathered: tuple[Gathered, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    findings: tuple[Finding, ...] = ()
    diagnosis: str = ""

    @property
    def citations(self) -> tuple[str, ...]:
        return tuple(str(block.place) for block in self.decided.shown)


def collect_blocks(gathered: Iterable[Gathered]) -> tuple[Block, ...]:
    """Return all evidence of a question, each block once."""
    return tuple(dict.fromkeys(b for found in gathered for b in found.blocks))


def is_gate_open(gathered: Iterable[Gathered]) -> bool:
    """Return whether there is any evidence with a place."""
    return any(found.blocks for found in gathered)
