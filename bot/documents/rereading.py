"""Texts that older loaders read, read again from their files.

A text that was read wrongly stays wrong until its file is read again, and its file
alone can say what stands in it. A document keeps its source and its tags. One whose
file is refused today, or gives it another name, is taken out, because what is held of
it is known to be wrong; it comes back with its file. A file of records that is refused
keeps what it held, and so does one that is gone: nobody knows what it says.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from adapters.loaders.readers import is_older
from bot.documents.corpus import Corpus
from bot.documents.folder import Folder
from bot.documents.holdings import file_of
from bot.documents.ingest import WHOLE, Job, Parser, Steps, Summary, ingest
from bot.documents.question_files import NAME
from bot.documents.reindex import current_members
from engine.model.document import Membership


def older(members: Iterable[Membership]) -> Sequence[Membership]:
    """The current documents that another loader read than would read them today."""
    return [member for member in members if is_older(member.loader)]


async def files_to_read(corpus: Corpus) -> Mapping[Path, Sequence[Membership]]:
    """The files of a corpus that older loaders read, with their documents."""
    found: dict[Path, list[Membership]] = defaultdict(list)
    for member in older((await current_members(corpus)).values()):
        found[file_of(member.path)].append(member)
    return dict(sorted(found.items()))


async def reread(corpus: Corpus, parser: Parser, steps: Steps) -> Summary:
    """Read again what older loaders read.

    Args:
        corpus: whose documents.
        parser: reads files.
        steps: told as it goes on.

    Raises:
        EnvironmentFailed: ledger, index or embedder failed; run it again to go on.
    """
    wanted = await files_to_read(corpus)
    summary = Summary()
    by_root: dict[Path, list[Path]] = defaultdict(list)
    for file, members in wanted.items():
        if file.is_file():
            by_root[_root(file)].append(file)
        else:
            steps.file()
            _gone(summary, file, members)
    for root, files in sorted(by_root.items()):
        beside = (root / NAME,) if (root / NAME).is_file() else ()
        folder = Folder(root, tuple(files), 0, questions=beside)
        job = Job(root, replace=True, held=True)
        summary.add(await ingest(corpus, parser, job, folder, steps))
    kept = {file for file in wanted if not file.is_file()}
    kept |= {file for file in wanted if file.suffix.lower() in WHOLE}
    for file, members in wanted.items():
        for member in members:
            registered = member.source in corpus.pack.register()
            if member.document in summary.taken or file in kept or not registered:
                continue
            await _take_out(corpus, summary, member)
    return summary


def _root(file: Path) -> Path:
    """The folder that it was taken in from, as far as a file of questions tells."""
    above = (folder for folder in file.parents if (folder / NAME).is_file())
    return next(above, file.parent)


def _gone(summary: Summary, file: Path, members: Sequence[Membership]) -> None:
    for member in members:
        summary.failed(
            f"{file}: is gone, and {member.document} was read by an older loader "
            f"({member.loader}): put the file back, or `sources withdraw` the document"
        )


async def _take_out(corpus: Corpus, summary: Summary, member: Membership) -> None:
    """The index goes first: what is still in the ledger is found again next time."""
    await corpus.index.withdraw(corpus.pack.id, member.document, corpus.tenant)
    await corpus.documents.withdraw(corpus.shelf, member.document, pruned=True)
    summary.actions["pruned"] += 1
    summary.notes.append(
        f"taken out: {member.document}: {member.path} gives it no more; once the file "
        "is mended, `ingest` takes it in again"
    )
