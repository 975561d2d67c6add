"""How much one document may cost to parse (R-S2)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file; what passes one is refused with its name, never cut short.

    `seconds` is wall-clock time and `memory_bytes` address space of the child process.
    `depth` is how deeply lists, quotes and elements may nest. `line_bytes` and
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
