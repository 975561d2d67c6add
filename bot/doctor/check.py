"""One line of what `doctor` reports."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What a check came to; the order is that of severity."""

    OK = "ok"
    NOTE = "note"
    CONFIGURATION = "configuration"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    state: State
    part: str
    found: str
