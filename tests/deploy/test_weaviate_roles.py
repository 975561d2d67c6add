"""Who may do what on a Weaviate server: the two roles of `deploy/weaviate/`."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from weaviate import WeaviateClient
from weaviate.classes.config import Configure, DataType, Property
from weaviate.exceptions import WeaviateBaseError

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_shelf import Names
from engine.model.errors import IndexFailed
from engine.model.question import Scope
from tests.adapters.index.crash_writer import IDENTITY
from tests.adapters.index.on_server import keys_of, open_ledger
from tests.contracts.index_entries import PACK, entries, find, texts
from tests.weaviate_server import LocalServer, connected

ROLES = Path(__file__).resolve().parents[2] / "deploy" / "weaviate"
USERS = ("admin", "ingester", "reader")
INGESTER = "groundrule-ingester"
COLLECTION = "Groundrule_trial_1"
TENANT = "shared"
VECTOR = {"text": [1.0, 0.0]}


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory, weaviate_program: Path
) -> Iterator[LocalServer]:
    """A server that wants keys, with both roles and one collection."""
    server = LocalServer(tmp_path_factory.mktemp("guarded"), weaviate_program, USERS)
    server.start()
    for user in ("reader", "ingester"):
        role = json.loads((ROLES / f"{user}.json").read_text(encoding="utf-8"))
        told(server, "roles", role)
        assigned = {"roles": [role["name"]], "userType": "db"}
        told(server, f"users/{user}/assign", assigned)
    with as_user(server, "ingester") as client:
        made(client, COLLECTION)
        kept = client.collections.use(COLLECTION)
        kept.tenants.create([TENANT])
        kept.with_tenant(TENANT).data.insert({"text": "fatigue"}, vector=VECTOR)
    yield server
    server.stop()


def told(server: LocalServer, path: str, body: object) -> None:
    """Tell the server about rights, as docs/weaviate.md does it with curl."""
    asked = Request(
        f"{server.url}/v1/authz/{path}",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {server.keys['admin']}",
            "Content-Type": "application/json",
        },
    )
    with urlopen(asked, timeout=60) as answer:
        assert answer.status in (200, 201)


def as_user(server: LocalServer, user: str) -> AbstractContextManager[WeaviateClient]:
    """A client with the key of a user."""
    return connected(server.address(user))


def made(client: WeaviateClient, name: str) -> None:
    """A collection as ours are."""
    client.collections.create(
        name,
        vector_config=[Configure.Vectors.self_provided(name="text")],
        multi_tenancy_config=Configure.multi_tenancy(enabled=True),
        properties=[Property(name="text", data_type=DataType.TEXT)],
    )


@pytest.mark.servers
def test_nobody_gets_in_without_a_key_R_S1(guarded: LocalServer) -> None:
    """A wrong key is no key, and neither is none."""
    for address in (guarded.address(), replace(guarded.address(), key="wrong")):
        with pytest.raises(WeaviateBaseError), connected(address) as client:
            client.collections.exists(COLLECTION)


@pytest.mark.servers
def test_a_reader_reads_R_S1(guarded: LocalServer) -> None:
    """And sees whether everything is as it should be."""
    with as_user(guarded, "reader") as client:
        kept = client.collections.use(COLLECTION)
        found = kept.with_tenant(TENANT).query.bm25("fatigue").objects
        assert [one.properties["text"] for one in found] == ["fatigue"]
        assert list(kept.tenants.get()) == [TENANT]


@pytest.mark.servers
@pytest.mark.parametrize("what", range(7))
def test_a_reader_changes_nothing_R_S1(guarded: LocalServer, what: int) -> None:
    """Objects, tenants, collections, users' rights: all refused."""
    with as_user(guarded, "reader") as client:
        kept = client.collections.use(COLLECTION)
        mine = kept.with_tenant(TENANT)
        attempts = (
            lambda: mine.data.insert({"text": "forged"}, vector=VECTOR),
            lambda: mine.data.insert_many([{"text": "forged"}]),
            lambda: kept.tenants.create(["forged"]),
            lambda: made(client, "Groundrule_forged"),
            lambda: kept.tenants.remove([TENANT]),
            lambda: client.collections.delete(COLLECTION),
            lambda: client.users.db.assign_roles(user_id="reader", role_names=INGESTER),
        )
        with pytest.raises(WeaviateBaseError, match=r"forbidden|insufficient"):
            attempts[what]()


@pytest.mark.servers
def test_an_ingester_writes_only_what_is_ours_R_S1(guarded: LocalServer) -> None:
    """Other collections of the same server are out of its reach."""
    with as_user(guarded, "ingester") as client:
        made(client, "Groundrule_second")
        client.collections.delete("Groundrule_second")
        with pytest.raises(WeaviateBaseError, match="forbidden"):
            made(client, "Payroll")
        with pytest.raises(WeaviateBaseError, match="forbidden"):
            client.roles.delete("groundrule-reader")


@pytest.mark.servers
async def test_a_bot_with_a_readers_key_answers_and_cannot_write_R_S1(
    guarded: LocalServer, tmp_path: Path
) -> None:
    """All that a question needs is allowed; a write is refused and changes nothing."""
    names, ledger = Names("guarded", IDENTITY), open_ledger(tmp_path)
    keys = keys_of(ledger)
    writer = WeaviateIndex(guarded.address("ingester"), names, keys)
    reader = WeaviateIndex(guarded.address("reader"), names, keys)
    put = entries("a", "fatigue", "rash")
    await writer.put(PACK, "a", put)
    found = await find(reader, "fatigue", like="rash")
    assert texts(found) == {"fatigue", "rash"}
    assert len(await reader.fetch_tokens(PACK, [one.chunk.id for one in found])) == 2
    assert await reader.neighbours(PACK, put[0].chunk) == (put[1].chunk,)
    assert (await reader.statistics(Scope(pack=PACK))).chunks == 2
    assert await reader.doubts() is None
    for write in (
        reader.put(PACK, "a", entries("a", "forged", version="v2")),
        reader.put(PACK, "b", entries("b", "forged"), tenant="mine"),
        reader.begin(fresh=True),
    ):
        with pytest.raises(IndexFailed, match=r"lacks the right|forbidden"):
            await write
    assert texts(await find(writer, "fatigue", "forged", like="rash")) == texts(found)
    assert await writer.begin(fresh=True) == 0
    await writer.put(PACK, "a", put)
    await writer.take_over()
    assert texts(await find(reader, "fatigue", like="rash")) == texts(found)
    for index in (writer, reader):
        await index.close()
    await ledger.close()
