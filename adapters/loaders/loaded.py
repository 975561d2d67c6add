"""What one file gave: its documents, and the lines of it that could not be read."""

from engine.model.document import Parsed
from engine.model.frozen import Frozen


class Loaded(Frozen):
    """`problems` are messages for people; empty unless a JSONL line was bad."""

    documents: tuple[Parsed, ...]
    problems: tuple[str, ...] = ()
