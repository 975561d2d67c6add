"""The demo corpus of a pack: taken in on first use, when the pack has no document."""

from collections.abc import Sequence
from pathlib import Path

from adapters.loaders.sandbox import Parser, list_served
from bot.console import bar, say
from bot.documents.corpus import Corpus
from bot.documents.ingest import Folder, Job, ingest, look
from bot.documents.reindex import current_members, reindex
from bot.documents.writing import one_writer
from engine.model.document import Membership

FOLDER = "corpus"
ABOUT = "README.md"  # says what belongs into the folder
PATIENCE_S = 120.0  # another first question may be taking the same texts in


async def take_in_demo(corpus: Corpus, packs: Path, data: Path) -> None:
    """Ingest the demo corpus that came with a pack, unless it has real documents.

    A run that was cut off is completed by the next. What the ledger knows is never
    taken in again, so that what was withdrawn stays withdrawn.

    Args:
        corpus: the pack's corpus.
        packs: the folder of packs.
        data: the data folder, for the writer's lock.
    """
    members = await corpus.documents.memberships(corpus.pack.id)
    if any(not member.demo for member in members):
        return
    new = _find_unknown(corpus, packs / corpus.pack.id / FOLDER, members)
    if new is not None:
        name = corpus.pack.id
        say(f"The pack {name} has no documents yet: taking in its demo texts.")
        with one_writer(data, PATIENCE_S):
            members = await corpus.documents.memberships(name)
            new = _find_unknown(
                corpus, packs / name / FOLDER, members
            )  # another may have done it
            if new is not None:
                await _ingest(corpus, new)
    if await _index_lacks(corpus):
        say(
            f"The index lacks demo texts of the pack {corpus.pack.id}: putting them in."
        )
        with one_writer(data, PATIENCE_S), bar("demo texts", len(members)) as steps:
            if await _index_lacks(corpus):
                await reindex(corpus, steps)


async def _ingest(corpus: Corpus, folder: Folder) -> None:
    with Parser() as parser, bar("demo texts", len(folder.files)) as steps:
        summary = await ingest(
            corpus, parser, Job(folder.root, demo=True), folder, steps
        )
    for failure in summary.failures:
        say(failure)


def _find_unknown(
    corpus: Corpus, place: Path, members: Sequence[Membership]
) -> Folder | None:
    """Find the demo texts that the ledger has never seen; None where it knows all."""
    if not place.is_dir() or not any(place.iterdir()):
        return None
    folder = look(place, list_served(corpus.pack.sources))
    known = tuple(member.path for member in members)
    files = tuple(
        file
        for file in folder.files
        if file.name != ABOUT and not _is_known(file, folder.root, known)
    )
    if not files:
        return None
    return Folder(folder.root, files, 0, questions=folder.questions)


def _is_known(file: Path, root: Path, known: Sequence[str]) -> bool:
    """Tell whether a path of the ledger ends like a file's, wherever packs lie."""
    relative = f"/{FOLDER}/{file.relative_to(root).as_posix()}"
    return any(path.partition("#")[0].endswith(relative) for path in known)


async def _index_lacks(corpus: Corpus) -> bool:
    """Tell whether the index lacks a current document of the ledger."""
    indexed = await corpus.index.versions(corpus.pack.id)
    members = await current_members(corpus)
    return any(indexed.get(m.document) != m.version for m in members.values())
