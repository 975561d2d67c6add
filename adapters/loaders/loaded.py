"""The result of loading one file: its documents, and problems of its lines."""

from engine.model.document import Parsed
from engine.model.frozen import Frozen


class Loaded(Frozen):
    """The documents of a file; `problems` are messages for people about its lines."""

    documents: tuple[Parsed, ...]
    problems: tuple[str, ...] = ()
