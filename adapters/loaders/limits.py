"""Limits of the cost of parsing one document."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file; a file beyond one is refused, never truncated.

    `seconds` is wall-clock time and `memory_bytes` address space of the child process.
    `depth` bounds the nesting of lists, quotes and elements. `line_bytes` and
    `characters` bound one JSONL line and one canonical text.
    """

    file_bytes: int = 20_000_000
    line_bytes: int = 2_000_000
    characters: int = 20_000_000
    blocks: int = 200_000
    depth: int = 100
    pages: int = 2_000
    seconds: float = 20.0
    memory_bytes: int = 1 << 30
