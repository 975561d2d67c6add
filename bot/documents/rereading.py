"""Read texts that older loaders read again from their files.

A text that was read wrongly stays wrong until its file is read again, and only the
file can say what it holds. A document keeps its source and its tags. One whose file
is refused today, or gives it another name, is taken out, because what is held of it is
known to be wrong; it comes back with its file. A file of records that is refused keeps
what it held, and so does one that is gone: what it says is not known.
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


def select_older(members: Iterable[Membership]) -> Sequence[Membership]:
    """Select the documents that another loader read than would read them today."""
    return [member for member in members if is_older(member.loader)]


async def list_files(corpus: Corpus) -> Mapping[Path, Sequence[Membership]]:
    """List the files of a corpus that older loaders read, with their documents."""
    found: dict[Path, list[Membership]] = defaultdict(list)
    for member in select_older((await current_members(corpus)).values()):
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
    wanted = await list_files(corpus)
    summary = Summary()
    by_root: dict[Path, list[Path]] = defaultdict(list)
    for file, members in wanted.items():
        if file.is_file():
            by_root[_find_root(file)].append(file)
        else:
            steps.file()
            for member in members:
                summary.note_failure(
                    f"{file}: is gone, and {member.document} was read by an older "
                    f"loader ({member.loader}): put the file back, or `sources "
                    "withdraw` the document"
                )
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


def _find_root(file: Path) -> Path:
    """Find the folder it was taken in from, as far as a file of questions tells."""
    above = (folder for folder in file.parents if (folder / NAME).is_file())
    return next(above, file.parent)


async def _take_out(corpus: Corpus, summary: Summary, member: Membership) -> None:
    """Withdraw a document.

    The index goes first: what is still in the ledger is found again next time.
    """
    await corpus.index.withdraw(corpus.pack.id, member.document, corpus.tenant)
    await corpus.documents.withdraw(corpus.shelf, member.document, pruned=True)
    summary.actions["pruned"] += 1
    summary.notes.append(
        f"taken out: {member.document}: {member.path} gives it no more; once the file "
        "is mended, `ingest` takes it in again"
    )
