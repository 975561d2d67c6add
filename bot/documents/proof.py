"""Compare what an index says of documents with what the ledger says.

What an answer shows is read from the ledger, so that a changed index shows nothing
false; whoever verifies is told of it all the same.
"""

from collections.abc import AsyncIterator

from bot.documents.corpus import Corpus
from bot.documents.indexing import cut_chunks
from bot.documents.reindex import current_members, read_stored
from engine.model.document import Described, Document
from engine.model.passage import Chunk

SAID = ("source", "title", *Described.model_fields)


async def find_differences(corpus: Corpus) -> AsyncIterator[str]:
    """Yield each current document of which the index says something else, and what.

    A document that the index does not hold is no difference: `reindex` takes it in.

    Raises:
        EnvironmentFailed: ledger or index cannot be read.
    """
    pack, tenant = corpus.pack.id, corpus.tenant
    indexed = await corpus.index.versions(pack, tenant)
    for member in (await current_members(corpus)).values():
        if indexed.get(member.document) != member.version:
            continue
        document = await read_stored(corpus, member)
        chunks = cut_chunks(corpus.pack, document)
        if not chunks:
            continue
        before = chunks[0].model_copy(update={"ordinal": -1})
        reach = len(chunks) + 1
        found = await corpus.index.neighbours(pack, before, reach, tenant)
        what = sorted({name for chunk in found for name in _compare(chunk, document)})
        if what:
            yield f"{document.id}: {', '.join(what)}"


def _compare(chunk: Chunk, document: Document) -> list[str]:
    """Name the fields in which a passage of the index differs from its document."""
    names = [n for n in SAID if getattr(chunk, n) != getattr(document, n)]
    if chunk.text != document.text[chunk.start : chunk.end]:
        names.append("text")
    return names
