"""Small made-up chunks with vectors for any index, and a short way to search."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from engine.model.document import BlockKind, Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.model.ports import Candidate, Entry, Index, SearchQuery, TokenVectors
from engine.model.question import Scope

DIMENSION = 16
REDUCED = 4
PACK = "oncology"


def direction(seed: str) -> np.ndarray:
    """A unit vector that depends on a text; those of two texts are far apart."""
    chance = np.random.default_rng(list(seed.encode()))
    vector = chance.normal(size=DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def chunk(document: str, ordinal: int, text: str, **fields: object) -> Chunk:
    """A chunk of one sentence with every stored field set."""
    version = str(fields.pop("version", "v1"))
    start = ordinal * 1_000
    sentence = Sentence(
        start=start,
        end=start + len(text),
        kind=BlockKind.LIST_ITEM,
        section=("Guide", "Part"),
        lead_in=Span(start=0, end=3),
        anchor=4,
    )
    plain: dict[str, object] = {
        "id": f"{document}:{version}:{ordinal}",
        "document": document,
        "version": version,
        "source": "nci",
        "title": "Leaflet",
        "section": ("Guide", "Part"),
        "ordinal": ordinal,
        "start": start,
        "end": start + len(text),
        "line_start": ordinal + 1,
        "text": text,
        "sentences": (sentence,),
        "url": f"https://example.org/{document}",
        "publisher": "Institute",
        "published": date(2024, 1, 2),
        "retrieved": date(2025, 3, 4),
    }
    return Chunk.model_validate({**plain, **fields})


def entry(of: Chunk, seed: str | None = None) -> Entry:
    """A chunk with the vector of `seed` (its text) and some token vectors."""
    chance = np.random.default_rng(list(of.id.encode()))
    count = len(of.text.split())
    values = chance.integers(-127, 128, size=(count, REDUCED), dtype=np.int8)
    spans = np.array([[at, at + 1] for at in range(count)], np.int32).reshape(-1, 2)
    return Entry(of, direction(seed or of.text), TokenVectors(values, spans))


def entries(document: str, *texts: str, **fields: object) -> list[Entry]:
    """The chunks of a document, one a text."""
    return [entry(chunk(document, at, text, **fields)) for at, text in enumerate(texts)]


async def find(
    index: Index,
    *terms: str,
    like: str | None = None,
    limit: int = 30,
    sources: frozenset[str] | None = None,
    document: str | None = None,
    **scope: object,
) -> tuple[Candidate, ...]:
    """Search by words, and by the direction of `like` (or of the words)."""
    vector = direction(like or " ".join(terms))
    plain = Scope.model_validate({"pack": PACK, **scope})
    return await index.search(
        SearchQuery(terms, vector, plain, limit, sources, document)
    )


def documents(found: Sequence[Candidate]) -> set[str]:
    """The documents that candidates come from."""
    return {candidate.chunk.document for candidate in found}


def texts(found: Sequence[Candidate]) -> set[str]:
    """The texts of candidates."""
    return {candidate.chunk.text for candidate in found}
