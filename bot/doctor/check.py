"""One line of the report of `doctor`."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The result of a check, in the order of severity."""

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
