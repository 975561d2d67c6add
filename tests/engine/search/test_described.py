"""Passages are described as the ledger does it, never as an index does (R-V7)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pytest

from engine.model.document import Description
from engine.model.passage import Chunk
from engine.model.ports import Candidate, SearchQuery
from engine.model.question import Scope
from engine.search.described import DescribedIndex
from tests.engine.small_pack import small_pack, source

PACK = small_pack(
    sources=[
        source(
            "pages", url_prefixes=["https://example.org/"], publisher="The Publisher"
        )
    ]
)
CHUNK = Chunk(
    id="c",
    document="d",
    version="v",
    source="pages",
    title="Forged",
    section=(),
    ordinal=0,
    start=0,
    end=5,
    line_start=1,
    text="Text.",
    sentences=(),
    url="https://evil.example/",
    publisher="World Health Organization",
)
QUERY = SearchQuery((), np.zeros(2, np.float32), Scope(pack=PACK.id, tenant="shared"))


@dataclass
class Forged:
    """An index that somebody changed."""

    chunk: Chunk

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        return (Candidate(self.chunk, 1.0, 1.0),)

    async def neighbours(self, *given: object) -> tuple[Chunk, ...]:
        return (self.chunk,)


@dataclass
class Told:
    """A ledger that says one thing."""

    url: str | None

    async def described(
        self, scope: Scope, versions: Collection[tuple[str, str]]
    ) -> Mapping[tuple[str, str], Description]:
        said = Description(title="True", url=self.url, published=date(2026, 1, 2))
        return {} if self.url == "" else dict.fromkeys(versions, said)


async def found(url: str | None, chunk: Chunk = CHUNK) -> Chunk:
    index: Any = Forged(chunk)
    ledger: Any = Told(url)
    (one,) = await DescribedIndex(index, ledger, {PACK.id: PACK}).search(QUERY)
    return one.chunk


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("https://example.org/page", "https://example.org/page"),
        ("https://evil.example/page", None),
        ("https://example.org@evil.example/", None),
        (None, None),
        ("", None),  # the ledger holds no such version
    ],
)
async def test_a_link_is_the_ledgers_and_the_registers_R_V7(
    told: str | None, shown: str | None
) -> None:
    """Whatever stands in the index, and in documents of before."""
    assert (await found(told)).url == shown


async def test_title_and_publisher_are_no_matter_of_the_index_R_V7() -> None:
    """The title is the ledger's, the publisher the register's."""
    chunk = await found("https://example.org/page")
    assert (chunk.title, chunk.publisher) == ("True", "The Publisher")
    assert chunk.published == date(2026, 1, 2)


async def test_neighbours_are_described_as_their_passage_is_R_V7() -> None:
    """They are shown beside it."""
    chunk = await found("https://example.org/page")
    index: Any = Forged(CHUNK)
    ledger: Any = Told(None)
    described = DescribedIndex(index, ledger, {PACK.id: PACK})
    (beside,) = await described.neighbours(PACK.id, chunk)
    assert (beside.url, beside.title) == (chunk.url, chunk.title)


async def test_a_source_that_the_register_lacks_is_not_linked_R_V7() -> None:
    """Nor has it a publisher."""
    forged = CHUNK.model_copy(update={"source": "nowhere"})
    chunk = await found("https://example.org/page", forged)
    assert (chunk.url, chunk.publisher) == (None, None)
