"""Passages that an index finds by meaning, as evidence of a repository (R-P8).

An index only points: a passage counts where its lines stand in the file as it is now.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from adapters.loaders.canonical import make_storable
from adapters.preflight.hits import OUT_OF_TIME, Hit, Look
from adapters.preflight.repository import NotRead
from engine.inspection.question_pack import Retrieval
from engine.model.errors import UsageError


@dataclass(frozen=True, slots=True)
class Passage:
    """Whole lines of a document, as they stood when it was taken in.

    `path` is the file's in its repository.
    """

    path: str
    first: int
    lines: tuple[str, ...]


# The passages for a query, best first; TimeoutError where so many seconds are over.
Retrieve = Callable[[str, float], Sequence[Passage]]


def no_index(query: str, seconds: float) -> Sequence[Passage]:
    """Stands for an index where none was named."""
    raise UsageError(
        f"a question retrieves {query[:80]!r} from an index: name the policy pack that "
        "has taken it in with --index PACK"
    )


def retrieval(look: Look, step: Retrieval, retrieve: Retrieve) -> Iterator[Hit]:
    """A hit for each passage; one that is another in its file by now is unread."""
    files = frozenset(look.repository.files)
    chosen = frozenset(look.repository.chosen(step.include, step.exclude))
    look.files = len(chosen)
    try:
        found = retrieve(step.query, step.seconds)
    except TimeoutError:
        look.miss("the index", OUT_OF_TIME)
        return
    for passage in found:
        if passage.path not in files:
            look.miss(passage.path, "in the index, and not among the files")
        elif passage.path in chosen and _stands(look, passage):
            last = passage.first + len(passage.lines) - 1
            yield Hit(passage.path, passage.first, last, around=step.context)


def _stands(look: Look, passage: Passage) -> bool:
    """Whether the file has these lines there; puts on record why not."""
    try:
        held = look.repository.content(passage.path).data.split(b"\n")
    except NotRead as error:
        look.miss(passage.path, str(error))
        return False
    first = passage.first - 1
    lines = (line.decode("utf-8", "replace") for line in held[first:])
    now = [
        make_storable(line).rstrip("\n") for line in islice(lines, len(passage.lines))
    ]
    if now == list(passage.lines):
        return True
    look.miss(passage.path, "is another in the index: take it in again")
    return False
