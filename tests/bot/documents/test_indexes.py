"""Which index the settings choose, and what they may hold."""

import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from adapters.index.upkeep import IndexKeys
from adapters.index.weaviate import WeaviateIndex
from bot.documents.indexes import open_home
from config.settings import Settings, SettingsError, read
from engine.model.errors import IndexFailed, UsageError
from tests.contracts.index_entries import DIMENSION, PACK, REDUCED, entries

IDENTITY = Identity("hand-made", 4, 2, chunker="1")


def keys() -> IndexKeys:
    """What no folder needs, and no index on a server before its first search."""
    return cast(IndexKeys, None)


def settings(**changes: object) -> Settings:
    """Settings that differ from the defaults."""
    return Settings.model_validate(changes)


async def test_the_embedded_index_is_the_default(tmp_path: Path):
    """In a folder of its own; nothing has to be set."""
    chosen = open_home(settings(), tmp_path, IDENTITY, keys)
    assert isinstance(chosen.index, EmbeddedIndex)
    assert await chosen.describe() is None
    await chosen.close()


async def test_a_fresh_index_is_empty_and_others_are_deleted_in_the_end(tmp_path: Path):
    """An index of another embedder stays until the new one is complete."""
    old = open_home(settings(), tmp_path, IDENTITY, keys)
    assert old.index
    await old.close()
    other = Identity("other", 4, 2, chunker="1")
    new = open_home(settings(), tmp_path, other, keys)
    with pytest.raises(IndexFailed, match="reindex"):
        assert new.index
    await new.begin(fresh=True)
    folders = tmp_path / "index"
    assert len(list(folders.iterdir())) == 2
    assert new.index
    await new.finish()
    assert [path.name for path in folders.iterdir()] == ["other-1"]
    await new.close()


async def test_a_server_is_asked_nothing_before_it_is_needed(tmp_path: Path):
    """Nobody listens there, and that is no error yet."""
    chosen = open_home(
        settings(index="weaviate", WEAVIATE_URL="http://127.0.0.1:9"),
        tmp_path,
        IDENTITY,
        keys,
    )
    assert isinstance(chosen.index, WeaviateIndex)
    with pytest.raises(IndexFailed, match="WEAVIATE_URL"):
        await chosen.describe()
    await chosen.close()


def test_a_server_needs_an_address(tmp_path: Path):
    """The message names the variable."""
    with pytest.raises(UsageError, match="WEAVIATE_URL"):
        open_home(settings(index="weaviate"), tmp_path, IDENTITY, keys)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GROUNDRULE_INDEX", "other"),
        ("GROUNDRULE_WEAVIATE_GRPC", "http://localhost"),
        ("GROUNDRULE_WEAVIATE_QUANTIZER", "pq"),
        ("GROUNDRULE_WEAVIATE_DEADLINE", "0"),
        ("WEAVIATE_URL", "localhost:8080"),
        ("WEAVIATE_URL", "http://localhost:eighty"),
        ("WEAVIATE_URL", "http://localhost:8080/weaviate"),
        ("WEAVIATE_URL", "http://bot:hidden@localhost:8080"),
    ],
)
def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
):
    """Before anything is opened."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError, match=variable) as refused:
        read()
    assert "hidden" not in str(refused.value)


def test_the_client_is_imported_only_where_a_server_is_used(root: Path):
    """It takes a second."""
    asked = "import sys, bot.wiring; print('weaviate' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "False\n"


async def test_what_was_dropped_is_given_back_where_it_is_most_of_a_folder(
    tmp_path: Path,
):
    """Not for a little: the whole folder is written anew for it."""
    made_with = Identity("hand-made", DIMENSION, REDUCED, chunker="1")
    chosen = open_home(settings(), tmp_path, made_with, keys)
    assert await chosen.begin() == 0
    await chosen.index.put(PACK, "a", entries("a", "one", "two"))
    await chosen.index.put(PACK, "a", entries("a", "one", "two", version="v2"))
    assert await chosen.finish() == 0
    await chosen.index.withdraw(PACK, "a")
    await chosen.index.put(PACK, "b", entries("b", "three"))
    assert await chosen.finish() == 4
    assert (await chosen.index.sizes()).dropped_chunks == 0
    await chosen.close()
