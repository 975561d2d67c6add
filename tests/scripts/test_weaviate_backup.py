"""The server's own backups of the index: put aside, lost, brought back."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_schema import Names
from config.settings import Settings
from engine.errors import EnvironmentFailed, UsageError
from scripts import weaviate_backup
from scripts.weaviate_process import LocalServer
from scripts.weaviate_roles import configured, connected
from tests.adapters.index.crash_writer import IDENTITY
from tests.contracts.index_entries import PACK, documents, entries, find


@pytest.fixture(scope="module")
def kept(
    tmp_path_factory: pytest.TempPathFactory, weaviate_program: Path
) -> Iterator[LocalServer]:
    """A server of its own: a restore replaces all that is ours there."""
    server = LocalServer(tmp_path_factory.mktemp("kept"), weaviate_program)
    server.start(anonymous=True)
    yield server
    server.stop()


@pytest.mark.servers
async def test_a_lost_index_comes_back_R_U7(
    kept: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it was when it was put aside, also for a bot that has seen it since."""
    server = kept.address()
    index = WeaviateIndex(server, Names(uuid4().hex, IDENTITY))
    await index.put(PACK, "a", entries("a", "fatigue"))
    weaviate_backup.run("create", "before", server)
    await index.put(PACK, "b", entries("b", "fatigue too"))
    assert documents(await find(index, "fatigue")) == {"a", "b"}
    weaviate_backup.run("restore", "before", server)
    assert documents(await find(index, "fatigue")) == {"a"}
    with connected(server) as client:
        for name in client.collections.list_all():
            client.collections.delete(name)
    weaviate_backup.run("restore", "before", server)
    assert documents(await find(index, "fatigue")) == {"a"}
    await index.put(PACK, "b", entries("b", "fatigue too"))
    assert documents(await find(index, "fatigue")) == {"a", "b"}
    assert await index.versions(PACK) == {"a": "v1", "b": "v1"}
    await index.close()
    weaviate_backup.run("list", "", server)
    assert "before  SUCCESS" in capsys.readouterr().out


@pytest.mark.servers
def test_what_was_never_put_aside_replaces_nothing_R_U7(kept: LocalServer) -> None:
    """Nothing is deleted before there is something to bring back."""
    with connected(kept.address()) as client:
        before = set(client.collections.list_all())
    with pytest.raises(UsageError, match="no whole backup 'never'"):
        weaviate_backup.restore(kept.address(), "never")
    with pytest.raises(EnvironmentFailed):
        weaviate_backup.create(kept.address(), "NOT A NAME")
    with connected(kept.address()) as client:
        assert set(client.collections.list_all()) == before


def test_no_server_is_an_error_that_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The roles and the backups go by the same settings as the bot."""
    monkeypatch.delenv("WEAVIATE_URL", raising=False)
    with pytest.raises(UsageError, match="set WEAVIATE_URL"):
        configured(Settings())
    monkeypatch.setenv("WEAVIATE_URL", "https://weaviate.example.org")
    monkeypatch.setenv("GROUNDRULE_WEAVIATE_KEY", "secret")
    server = configured(Settings())
    assert (server.host, server.port, server.secure) == (
        "weaviate.example.org",
        443,
        True,
    )
    assert server.key == "secret"
