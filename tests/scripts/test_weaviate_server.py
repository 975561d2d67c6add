"""The Weaviate server of this machine: built, started, stopped, and who may do what."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from weaviate import WeaviateClient
from weaviate.classes.config import Configure, DataType, Property
from weaviate.classes.rbac import Permissions
from weaviate.exceptions import WeaviateBaseError

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_schema import Names
from engine.errors import EnvironmentFailed, IndexFailed
from engine.records import Scope
from scripts import weaviate_server
from scripts.weaviate_process import LocalServer
from scripts.weaviate_roles import INGESTER, OURS, READER, connected, grant
from scripts.weaviate_server import NAME, install, program
from tests.adapters.index.crash_writer import IDENTITY
from tests.contracts.index_entries import PACK, entries, find, texts

FOLDER = "it's $HOME"  # a person's folder may be called anything
COLLECTION, ALIAS = "Groundrule_trial_1", "Groundrule_trial"
TENANT = "shared"


def tool(folder: Path, name: str, script: str) -> Path:
    """An executable of a few lines."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


# --- install ----------------------------------------------------------------------


def test_without_go_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And names the other way to a server."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFailed, match=r"install Go 1\.26.*WEAVIATE_URL"):
        install(tmp_path / "cache", lambda line: None)


def test_a_build_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name and version, into the cache; a second call needs no Go."""
    tools = tmp_path / "tools"
    tool(tools, "go", f'echo "$@" > "$GOBIN/{NAME}"')
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    built = install(tmp_path / "cache", lambda line: None)
    assert built == program(tmp_path / "cache")
    asked = built.read_text(encoding="utf-8")
    assert asked.startswith("install -v github.com/weaviate/weaviate/cmd/")
    assert asked.strip().endswith(f"@{weaviate_server.VERSION}")
    assert [path.name for path in built.parent.iterdir()] == [NAME]
    monkeypatch.setenv("PATH", str(tmp_path))
    said: list[str] = []
    assert install(tmp_path / "cache", said.append) == built
    assert "is there" in said[0]


def test_a_failed_build_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the last lines of what Go said, and nothing is left behind."""
    tools = tmp_path / "tools"
    tool(tools, "go", "echo proxy unreachable >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    with pytest.raises(EnvironmentFailed, match="proxy unreachable"):
        install(tmp_path / "cache", lambda line: None)
    assert not list(program(tmp_path / "cache").parent.iterdir())


def gone(number: str, patience: float = 60.0) -> bool:
    """Whether a process that was killed is gone: a busy machine needs a moment."""
    status, end = Path(f"/proc/{number}/status"), time.monotonic() + patience
    while time.monotonic() < end:
        try:
            if "Z (zombie)" in status.read_text("ascii"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_a_build_that_hangs_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that does not answer costs a bounded time, and that is said."""
    tools, child = tmp_path / "tools", tmp_path / "child"
    tool(
        tools,
        "go",
        f"echo 'go: downloading example.org v1' >&2; tail -f /dev/null & echo $! "
        f"> {child}; wait",
    )
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setattr(weaviate_server, "SAYING_S", 0.2)
    said: list[str] = []
    with pytest.raises(EnvironmentFailed, match=r"ended after 1 s:\n.*example\.org"):
        install(tmp_path / "cache", said.append, patience=1.0)
    assert any("1 modules fetched, 0 packages compiled" in line for line in said)
    assert not list(program(tmp_path / "cache").parent.iterdir())
    assert gone(child.read_text(encoding="ascii").strip())


@pytest.mark.parametrize("go", [None, "echo proxy unreachable >&2; exit 1"])
def test_where_it_cannot_be_built_its_tests_are_skipped_and_that_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    go: str | None,
) -> None:
    """What `make test-servers` does on a machine without Go, or without a network."""
    tools = tmp_path / "tools"
    tools.mkdir()
    if go is not None:
        tool(tools, "go", go)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin" if go else str(tools))
    monkeypatch.setenv("GROUNDRULE_CACHE", str(tmp_path / "cache"))
    for options, status in ([], 2), (["--where-possible"], 0):
        monkeypatch.setattr(sys, "argv", ["weaviate_server", "install", *options])
        with pytest.raises(SystemExit) as ended:
            weaviate_server.main()
        assert ended.value.code == status
    said = capsys.readouterr().err
    assert "WEAVIATE NOT BUILT, its tests will be skipped" in said
    assert ("proxy unreachable" if go else "install Go 1.26") in said


def test_the_command_line_tells_errors_from_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`start` before `install` is an error; `status` exits as an init script does."""
    monkeypatch.setenv("GROUNDRULE_CACHE", str(tmp_path))
    monkeypatch.setenv("GROUNDRULE_DATA", str(tmp_path / "data"))
    for command, status in (("start", 2), ("status", 3), ("stop", 0)):
        monkeypatch.setattr(sys, "argv", ["weaviate_server", command])
        with pytest.raises(SystemExit) as ended:
            weaviate_server.main()
        assert ended.value.code == status
    assert "install` first" in capsys.readouterr().err


# --- start and stop ---------------------------------------------------------------


def test_a_server_that_does_not_start_shows_its_log(tmp_path: Path) -> None:
    """Whoever reads the error need not look for the file."""
    broken = tool(tmp_path, "broken", "echo no space left on device; exit 1")
    with pytest.raises(EnvironmentFailed, match="no space left on device"):
        LocalServer(tmp_path / "server", broken).start()


def test_a_server_never_started_has_no_address(tmp_path: Path) -> None:
    """An address is not made up."""
    with pytest.raises(EnvironmentFailed, match="ever started"):
        _ = LocalServer(tmp_path, tmp_path / "none").url


def test_another_process_is_left_alone(tmp_path: Path) -> None:
    """A process id that now belongs to somebody else is not the server."""
    other = LocalServer(tmp_path, tmp_path / "none")
    (tmp_path / "process.json").write_text(
        '{"pid": 1, "program": "/none", "anonymous": true}', encoding="utf-8"
    )
    assert other.running is None
    other.stop()


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory, weaviate_program: Path
) -> Iterator[LocalServer]:
    """A server that wants keys, with both roles and one collection."""
    server = LocalServer(tmp_path_factory.mktemp("guarded") / FOLDER, weaviate_program)
    server.start()
    for _ in range(2):  # again at each start
        grant(server.address("admin"), {"reader": READER, "ingester": INGESTER})
    with as_user(server, "ingester") as client:
        made(client, COLLECTION)
        client.alias.create(alias_name=ALIAS, target_collection=COLLECTION)
        kept = client.collections.use(COLLECTION)
        kept.tenants.create([TENANT])
        kept.with_tenant(TENANT).data.insert({"text": "fatigue"}, vector=VECTOR)
    yield server
    server.stop()


VECTOR = {"text": [1.0, 0.0]}


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
def test_it_comes_back_where_it_was_R_R1(
    tmp_path: Path, weaviate_program: Path
) -> None:
    """After a stop and after a kill, on the same ports; REST is bound to loopback."""
    server = LocalServer(tmp_path, weaviate_program)
    server.start(anonymous=True)
    first, ports = server.running, server.ports
    try:
        server.start(anonymous=True)
        assert server.running == first
        for end in (server.stop, server.kill):
            end()
            assert server.running is None
            assert not server.ready
            server.start(anonymous=True)
            assert server.ready
            assert server.ports == ports
            assert server.memory_mib() > 10
        with socket.socket() as mine:  # not bound to every interface
            mine.bind(("127.0.0.2", ports.http))
    finally:
        server.kill()


# --- who may do what --------------------------------------------------------------


@pytest.mark.servers
def test_nobody_gets_in_without_a_key_R_S1(guarded: LocalServer) -> None:
    """A wrong key is an error that names the server."""
    with (
        pytest.raises(EnvironmentFailed, match=guarded.url),
        connected(replace(guarded.address(), key="wrong")) as client,
    ):
        client.collections.exists(ALIAS)


@pytest.mark.servers
def test_what_status_prints_is_for_a_shell(guarded: LocalServer, root: Path) -> None:
    """Also where the folder's name holds what a shell would read."""
    asked = [sys.executable, "-m", "scripts.weaviate_server", "--folder"]
    printed = subprocess.run(
        [*asked, str(guarded.folder), "status"],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    shown = f'{printed}printf "%s %s" "$WEAVIATE_URL" "$GROUNDRULE_WEAVIATE_KEY"'
    read = subprocess.run(["/bin/sh", "-c", shown], stdout=subprocess.PIPE, text=True)
    assert read.stdout == f"{guarded.url} {guarded.key('ingester')}"


@pytest.mark.servers
def test_a_reader_reads_R_S1(guarded: LocalServer) -> None:
    """Through the alias, and sees whether everything is as it should be."""
    with as_user(guarded, "reader") as client:
        kept = client.collections.use(ALIAS)
        found = kept.with_tenant(TENANT).query.bm25("fatigue").objects
        assert [one.properties["text"] for one in found] == ["fatigue"]
        assert client.alias.list_all()[ALIAS].collection == COLLECTION
        assert list(client.collections.use(COLLECTION).tenants.get()) == [TENANT]


@pytest.mark.servers
@pytest.mark.parametrize("what", range(7))
def test_a_reader_changes_nothing_R_S1(guarded: LocalServer, what: int) -> None:
    """Objects, tenants, collections, aliases, users' rights: all refused."""
    with as_user(guarded, "reader") as client:
        kept = client.collections.use(COLLECTION)
        mine = kept.with_tenant(TENANT)
        attempts = (
            lambda: mine.data.insert({"text": "forged"}, vector=VECTOR),
            lambda: mine.data.insert_many([{"text": "forged"}]),
            lambda: kept.tenants.create(["forged"]),
            lambda: made(client, "Groundrule_forged"),
            lambda: client.alias.delete(alias_name=ALIAS),
            lambda: client.collections.delete(COLLECTION),
            lambda: client.users.db.assign_roles(
                user_id="reader", role_names="groundrule-ingester"
            ),
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
    guarded: LocalServer,
) -> None:
    """All that a question needs is allowed; a write is refused and changes nothing."""
    names = Names("guarded", IDENTITY)
    writer = WeaviateIndex(guarded.address("ingester"), names)
    reader = WeaviateIndex(guarded.address("reader"), names)
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
        reader.withdraw(PACK, "a"),
    ):
        with pytest.raises(IndexFailed, match=r"lacks the right|forbidden"):
            await write
    assert texts(await find(writer, "fatigue", "forged", like="rash")) == texts(found)
    assert await writer.begin(fresh=True) == 0
    await writer.put(PACK, "a", put)
    await writer.take_over()
    for index in (writer, reader):
        await index.close()


@pytest.mark.servers
@pytest.mark.parametrize("rights", ["none", "its own"])
async def test_who_may_not_read_an_alias_deletes_no_index_R_S1(
    guarded: LocalServer, rights: str
) -> None:
    """What it may not see is not taken for something that nobody reads."""
    names = Names(f"kept {rights}", IDENTITY)
    later = replace(names, identity=replace(IDENTITY, chunker="2"))
    keeper = WeaviateIndex(guarded.address("ingester"), names)
    await keeper.put(PACK, "a", entries("a", "fatigue"))
    with as_user(guarded, "admin") as client:
        every = {"create": True, "read": True, "update": True, "delete": True}
        client.roles.remove_permissions(
            role_name="groundrule-ingester",
            permissions=Permissions.alias(alias=OURS, collection=OURS, **every),
        )
        if rights == "its own":
            client.roles.add_permissions(
                role_name="groundrule-ingester",
                permissions=Permissions.alias(
                    alias=later.alias, collection="*", **every
                ),
            )
    other = WeaviateIndex(guarded.address("ingester"), later)
    try:
        with pytest.raises(IndexFailed, match=r"lacks the right|forbidden"):
            await other.begin()
        reader = WeaviateIndex(guarded.address("reader"), names)
        assert texts(await find(reader, "fatigue")) == {"fatigue"}
        await reader.close()
    finally:
        grant(guarded.address("admin"), {"reader": READER, "ingester": INGESTER})
        for index in (keeper, other):
            await index.close()
