"""Whether an index that was killed while `crash_writer.versions` was put is whole."""

from collections.abc import Mapping

from engine.model.ports import Index
from engine.model.question import Scope
from tests.adapters.index.crash_writer import CHUNKS, TOKENS, versions
from tests.contracts.index_entries import PACK, REDUCED, find


async def assert_whole(index: Index, acknowledged: Mapping[str, int]) -> None:
    """Every document is whole, and no older than what was acknowledged."""
    current = {
        document: int(version.removeprefix("v"))
        for document, version in (await index.versions(PACK)).items()
    }
    for document, n in acknowledged.items():
        assert current[document] >= n
    found = await find(index, "number", limit=1_000)
    expected = {
        entry.chunk.id: (entry.chunk, n % 100)
        for n in current.values()
        for entry in versions(n)
    }
    assert {candidate.chunk.id for candidate in found} == set(expected)
    stored = await index.fetch_tokens(PACK, list(expected))
    for candidate in found:
        chunk, mark = expected[candidate.chunk.id]
        assert candidate.chunk == chunk
        assert candidate.bm25 is not None
        assert stored[chunk.id].values.shape == (TOKENS, REDUCED)
        assert (stored[chunk.id].values == mark).all()
    statistics = await index.statistics(Scope(pack=PACK))
    assert statistics.chunks == CHUNKS * len(current)
