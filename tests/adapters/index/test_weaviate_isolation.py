"""No asker of a Weaviate index sees another tenant's passage, whatever he sends."""

import asyncio
import random
from dataclasses import dataclass

import pytest

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_shelf import make_tenant_name
from engine.model.errors import IndexFailed
from engine.model.ports import SearchQuery
from engine.model.question import Scope
from tests.adapters.index.on_server import index, make
from tests.contracts.index_contract import HOSTILE
from tests.contracts.index_entries import PACK, direction, entries

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

QUERIES = 500
PROOF = 100_000  # issue 5
CALLERS = 8  # queries in flight, so that views of several tenants are read at once
PACKS = (PACK, "textbook")
WARD = "ward"
# Names that differ in what a careless mapping would drop, or mean something elsewhere.
TENANTS = (
    "team",
    "Team",
    "team ",
    "tea\N{COMBINING ACUTE ACCENT}m",
    "te\N{LATIN SMALL LETTER A WITH ACUTE}m",
    "team\x00",
    "../shared",
    "Shared",
    "shared ",
    "",
    make_tenant_name("team"),
    make_tenant_name("shared"),
    "*",
    "te" * 5_000,
    "\N{GRINNING FACE}",
    "\ud800",
)
STRANGE = (*TENANTS, *HOSTILE, "shared", "nobody", WARD, "who", "nci")


@dataclass(frozen=True)
class Canary:
    """A passage, and who may see it: a tenant's askers, some only with a tag."""

    tenant: str
    tagged: bool


async def nest(index: WeaviateIndex) -> dict[str, Canary]:
    """Put canaries everywhere, all alike but for one word; by their text."""
    canaries: dict[str, Canary] = {}
    for at, tenant in enumerate(("shared", *TENANTS)):
        for pack in PACKS:
            for tagged in (False, True):
                text = f"fatigue canary {at} {pack} {'tagged' if tagged else 'open'}"
                document = "page" if tagged else HOSTILE[at % len(HOSTILE)]
                put = entries(document, text, tags=(WARD,) if tagged else ())
                await index.put(pack, document, put, tenant)
                canaries[text] = Canary(tenant, tagged)
    return canaries


def hostile_query(chance: random.Random, canaries: list[str]) -> SearchQuery:
    """Any tenant, tags and sources; close to a canary of anybody."""
    wanted = chance.choice(canaries)
    terms = tuple(
        chance.choice((*STRANGE, *wanted.split())) for _ in range(chance.randint(0, 6))
    )
    sources = frozenset(chance.sample(STRANGE, chance.randint(0, 4))) | {"nci"}
    return SearchQuery(
        terms,
        direction(wanted),
        Scope(
            pack=chance.choice((chance.choice(PACKS), chance.choice(STRANGE))),
            tenant=chance.choice((chance.choice(TENANTS), chance.choice(STRANGE))),
            tags=frozenset(chance.sample(STRANGE, chance.randint(0, 5))),
        ),
        chance.choice((1, 5, 30, 1_000)),
        chance.choice((None, sources)),
    )


async def search_all(index: WeaviateIndex, queries: int, seed: int) -> int:
    """Ask so many; how many passages came back, each of them permitted."""
    canaries = await nest(index)
    names = sorted(canaries)
    chance = random.Random(seed)
    waiting = (hostile_query(chance, names) for _ in range(queries))
    seen = 0

    async def ask() -> None:
        nonlocal seen
        for query in waiting:
            for candidate in await index.search(query):
                canary = canaries[candidate.chunk.text]
                assert canary.tenant in {"shared", query.scope.tenant}
                assert not canary.tagged or WARD in query.scope.tags
                assert query.scope.pack in candidate.chunk.text
                seen += 1

    await asyncio.gather(*(ask() for _ in range(CALLERS)))
    assert index.refused == 0  # nothing was left to the last barrier
    return seen


async def test_no_tenant_sees_anothers_canary_R_C5(index: WeaviateIndex):
    """Hostile names, ids, tags and sources: none is seen, and what may be seen is."""
    assert await search_all(index, QUERIES, seed=1) > QUERIES // 2


@pytest.mark.prove
async def test_no_tenant_sees_anothers_canary_in_100_000_queries_R_C5(
    index: WeaviateIndex,
):
    """The same, long."""
    assert await search_all(index, PROOF, seed=2) > PROOF // 2


async def test_ids_of_others_get_nothing_R_C5(index: WeaviateIndex):
    """Statistics, versions and token vectors are a tenant's own as well."""
    canaries = await nest(index)
    for tenant in ("nobody", "TEAM", "team\x00\x00"):
        statistics = await index.statistics(Scope(pack=PACK, tenant=tenant))
        assert statistics.documents == 1
        assert await index.versions(PACK, tenant) == {}
    shown = {canary.tenant for canary in canaries.values()}
    assert shown == {"shared", *TENANTS}
    with pytest.raises(IndexFailed, match="no chunk"):
        await index.fetch_tokens(PACK, ["page:v1:0", f"{HOSTILE[3]}:v1:0"])
