"""Fixtures that start real servers for the tests marked `servers`; a pytest plugin."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.settings import read
from scripts.weaviate_process import LocalServer
from scripts.weaviate_server import program


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
    server.start(anonymous=True)
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
