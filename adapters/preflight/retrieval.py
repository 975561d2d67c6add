"""Passages that an index finds by meaning, as evidence of a repository.

An index only points to a place: a passage counts where its lines are in the current
file.
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
    """Whole lines of a document, as they were when it was ingested.

    `path` is the path of the file in its repository.
    """

    path: str
    first: int
    lines: tuple[str, ...]


# Finds the passages for a query, best first; raises TimeoutError after some seconds.
Retrieve = Callable[[str, float], Sequence[Passage]]


def refuse_retrieval(query: str, seconds: float) -> Sequence[Passage]:
    """Refuse a query, where no index was given."""
    raise UsageError(
        f"a question retrieves {query[:80]!r} from an index: name the policy pack that "
        "has taken it in with --index PACK"
    )


def find_passages(look: Look, step: Retrieval, retrieve: Retrieve) -> Iterator[Hit]:
    """Find a hit for each passage; record one that differs from its file as unread."""
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
        elif passage.path in chosen and _is_current(look, passage):
            last = passage.first + len(passage.lines) - 1
            yield Hit(passage.path, passage.first, last, around=step.context)


def _is_current(look: Look, passage: Passage) -> bool:
    """Tell whether the file has these lines there; record the reason if not."""
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
