"""What a pack has taken in, laid out as files, so that run-pack reads it (R-P1).

Source code is the file that was ingested, path and lines; of another document it is the
stored text. Only what everybody may see is laid out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.documents.corpus import Corpus
from engine.corpus_records import Document, Membership, VersionState
from engine.errors import EnvironmentFailed, UsageError
from engine.inspection.places import unquoted

LONGEST = 200  # characters of one part of a path


@dataclass(frozen=True, slots=True)
class LaidOut:
    """How many documents were laid out, and how many have access tags and were not."""

    files: int
    withheld: int


async def lay_out(corpus: Corpus, root: Path) -> LaidOut:
    """Write the current documents of a corpus below an empty folder.

    Raises:
        UsageError: there is none, or two of them have one path.
        EnvironmentFailed: the ledger has lost one, or the folder cannot be written.
    """
    every = await corpus.documents.memberships(corpus.shelf)
    current = tuple(_searched(every))
    open_to_all = [member for member in current if not member.tags]
    for member in open_to_all:
        held = await corpus.documents.document(
            member.document, member.version, corpus.shelf
        )
        if held is None:
            raise EnvironmentFailed(f"{member.document} is not in the ledger")
        _write(root, held)
    if not open_to_all:
        raise UsageError(
            f"--index {corpus.pack.id}: holds no document for everybody: take some in "
            f"with `ingest DIR --pack {corpus.pack.id}`"
        )
    return LaidOut(len(open_to_all), len(current) - len(open_to_all))


def _searched(members: Sequence[Membership]) -> Iterator[Membership]:
    """The current ones; demo texts only where there is nothing else."""
    current = [m for m in members if m.state is VersionState.CURRENT]
    real = any(not member.demo for member in current)
    yield from (member for member in current if not (real and member.demo))


def _write(root: Path, document: Document) -> None:
    file = root.joinpath(*_parts(document))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="") as stream:
            stream.write(document.text)
    except FileExistsError as error:
        raise UsageError(
            f"two documents have the path {file.relative_to(root)}; {document.id} is "
            "one of them: withdraw the other"
        ) from error
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error


def _parts(document: Document) -> Iterable[str]:
    """The path of a document: of its file, else its id without a scheme."""
    if document.file is not None:
        path = unquoted(document.file)
    else:
        path = f"{document.id.rpartition('://')[2]}.txt"
    named = (part[:LONGEST] for part in path.split("/"))
    return [part for part in named if part not in ("", ".", "..")]
