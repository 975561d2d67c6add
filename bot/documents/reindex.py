"""Bring the index to what the ledger holds: after a restore, a new embedder, a loss.

The ledger is the truth, and the index can always be made from it again.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from bot.documents.corpus import Corpus
from bot.documents.indexing import Indexer, cut_chunks
from bot.documents.ingest import Steps
from engine.documents.anchors import AnchorReport, measure_coverage
from engine.model.document import Document, Membership, VersionState
from engine.model.errors import DocumentError, VerificationFailed
from engine.model.passage import Chunk


async def reindex(corpus: Corpus, steps: Steps, wanted: Collection[str] = ()) -> int:
    """Bring a pack's index to the current versions of its ledger; safe to repeat.

    Args:
        corpus: the pack's corpus.
        steps: told as it goes on.
        wanted: documents to put in again even where the index has their version. What
            the index lacks is always put in, and what the ledger lacks taken out.

    Returns:
        How many documents were put in.

    Raises:
        DocumentError: a version cannot be indexed and is left out; all else is done.
        VerificationFailed: the ledger names a version that it does not hold.
        EnvironmentFailed: ledger, index or embedder failed; run it again to go on.
    """
    pack, tenant = corpus.pack.id, corpus.tenant
    indexed = await corpus.index.versions(pack, tenant)
    current = await current_members(corpus)
    earlier = await superseded_members(corpus)
    indexer = Indexer(corpus, steps.chunks)
    done, left_out = 0, list[str]()
    for member in current.values():
        steps.file()
        lacking = indexed.get(member.document) != member.version
        if lacking or member.document in wanted:
            history = await _read_in_force(
                corpus, [*earlier.get(member.document, ()), member]
            )
            made = _cut_versions(corpus, history, left_out)
            if len(history) > 1 or not made:
                # The index may hold a later version than the one put in.
                await corpus.index.withdraw(pack, member.document, tenant)
            for chunks in made:
                asked = await corpus.documents.questions(
                    corpus.shelf, member.document, chunks[0].version
                )
                await indexer.add(member.document, chunks, questions=asked)
            done += bool(made)
    await indexer.finish()
    for document_id in indexed:
        if document_id not in current:
            await corpus.index.withdraw(pack, document_id, tenant)
    if left_out:
        raise DocumentError(f"{'; '.join(left_out)}; left out of the index")
    return done


async def measure_anchors(corpus: Corpus) -> AnchorReport:
    """Measure how many passages of a corpus have the anchors that packs ask for.

    Raises:
        VerificationFailed: the ledger names a version that it does not hold.
    """
    chunks: list[Chunk] = []
    for member in (await current_members(corpus)).values():
        chunks += cut_chunks(corpus.pack, await read_stored(corpus, member))
    return measure_coverage(chunks, corpus.pack.anchors_per_item)


async def current_members(corpus: Corpus) -> Mapping[str, Membership]:
    """Return the current documents of a pack by id."""
    return {
        member.document: member
        for member in await corpus.documents.memberships(corpus.shelf)
        if member.state is VersionState.CURRENT
    }


async def superseded_members(corpus: Corpus) -> Mapping[str, Sequence[Membership]]:
    """Return the superseded versions of a pack's documents by id, oldest first."""
    found: defaultdict[str, list[Membership]] = defaultdict(list)
    for member in await corpus.documents.memberships(corpus.shelf):
        if member.state is VersionState.SUPERSEDED:
            found[member.document].append(member)
    return found


async def _read_in_force(
    corpus: Corpus, members: Sequence[Membership]
) -> list[Document]:
    """Read the last of these versions, and before it those whose force has an end."""
    versions = [await read_stored(corpus, member) for member in members]
    ended = [
        version
        for version, successor in pairwise(versions)
        if version.in_force_to or successor.in_force_from
    ]
    return [*ended, versions[-1]]


def _cut_versions(
    corpus: Corpus, history: Sequence[Document], left_out: list[str]
) -> list[tuple[Chunk, ...]]:
    """Cut each version into chunks; none where the last cannot be indexed."""
    made: list[tuple[Chunk, ...]] = []
    for document in history:
        try:
            made.append(cut_chunks(corpus.pack, document))
        except DocumentError as error:
            left_out.append(str(error))
            if document is history[-1]:
                return []
    return made


async def read_stored(corpus: Corpus, member: Membership) -> Document:
    """Read the stored version of a membership."""
    document = await corpus.documents.document(
        member.document, member.version, corpus.shelf
    )
    if document is None:
        raise VerificationFailed(
            f"{member.document}: the ledger names version {member.version[:12]} "
            "and does not hold it; restore a backup"
        )
    return document
