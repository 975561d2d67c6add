"""The demo corpus of a pack: taken in on first use, when the pack has no document."""

from pathlib import Path

from adapters.loaders.sandbox import SERVED, Parser
from bot.console import bar, say
from bot.ingest import Corpus, Job, ingest, look
from bot.writing import one_writer
from engine.corpus_records import VersionState

FOLDER = "corpus"
PATIENCE_S = 120.0  # another first question may be taking the same texts in


async def take_in_demo(corpus: Corpus, packs: Path, data: Path) -> None:
    """Ingest the demo corpus that came with a pack, unless it has real documents.

    A run that was cut off is completed by the next.

    Args:
        corpus: the pack's corpus.
        packs: the folder of packs.
        data: the data folder, for the writer's lock.
    """
    place = packs / corpus.pack.id / FOLDER
    if not place.is_dir() or not await _wanted(corpus, place):
        return
    say(f"The pack {corpus.pack.id} has no documents yet: taking in its demo texts.")
    folder = look(place, SERVED)
    progress = bar("demo texts", len(folder.files))
    with one_writer(data, PATIENCE_S), Parser() as parser, progress as steps:
        summary = await ingest(corpus, parser, Job(place), folder, steps)
    for failure in summary.failures:
        say(failure)


async def _wanted(corpus: Corpus, place: Path) -> bool:
    """Whether the pack holds nothing but an incomplete copy of the demo corpus."""
    members = await corpus.documents.memberships(corpus.pack.id)
    if any(not member.demo for member in members):
        return False
    indexed = await corpus.index.versions(corpus.pack.id)
    missing = [
        member
        for member in members
        if member.state is VersionState.CURRENT and member.document not in indexed
    ]
    known = {member.path for member in members}
    return bool(missing) or len(known) < len(look(place, SERVED).files)
