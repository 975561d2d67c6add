"""Indexes on the session's Weaviate server, each under a name of its own."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from weaviate.classes.tenants import Tenant, TenantActivityStatus

from adapters.index.catalogue import Identity
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_shelf import Names, make_tenant_name
from adapters.ledger.database import sqlite_url
from adapters.ledger.index_keys import LedgerKeys
from adapters.ledger.store import SqlLedger
from tests.contracts.index_entries import DIMENSION, REDUCED

IDENTITY = Identity("hand-made", DIMENSION, REDUCED, chunker="1")
Open = Callable[..., WeaviateIndex]


async def switch(
    index: WeaviateIndex, tenant: str, status: TenantActivityStatus
) -> None:
    """Do to a tenant what an administrator of the server does."""
    name = (await index._shelf.needed()).name
    wanted = [Tenant(name=make_tenant_name(tenant), activity_status=status)]
    await index._calls.call(
        "switching", lambda c: c.collections.use(name).tenants.update(wanted), 10
    )


def open_ledger(folder: Path) -> SqlLedger:
    """The ledger that all processes of an installation share."""
    return SqlLedger(sqlite_url(folder / "ledger.db"))


def keys_of(ledger: SqlLedger) -> LedgerKeys:
    """What of an index is in force."""
    return LedgerKeys(ledger.transactions, ledger.clock)


@asynccontextmanager
async def opener(url: str, grpc: int, folder: Path) -> AsyncIterator[Open]:
    """Opens any number of indexes of one name; all are closed in the end."""
    installation = f"test {uuid4().hex}"
    ledger = open_ledger(folder)
    opened: list[WeaviateIndex] = []

    def make(
        identity: Identity = IDENTITY,
        *,
        deadline: float = 10.0,
        rest: int | None = None,
        calls: int | None = None,
    ) -> WeaviateIndex:
        """One more; `rest` and `calls` are other ports than the server's own."""
        names = Names(installation, identity)
        place = url if rest is None else f"http://127.0.0.1:{rest}"
        server = Server(place, str(calls or grpc), deadline=deadline, patience=deadline)
        opened.append(WeaviateIndex(server, names, keys_of(ledger)))
        return opened[-1]

    try:
        yield make
    finally:
        for index in opened:
            await index.close()
        await ledger.close()


@pytest.fixture
async def make(
    weaviate_url: str, weaviate_grpc: int, tmp_path: Path
) -> AsyncIterator[Open]:
    """Opens indexes of one name."""
    async with opener(weaviate_url, weaviate_grpc, tmp_path) as opened:
        yield opened


@pytest.fixture
async def index(make: Open) -> WeaviateIndex:
    """An empty index."""
    made = make()
    await made.prepare()
    return made
