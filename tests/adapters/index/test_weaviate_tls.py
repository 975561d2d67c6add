"""A Weaviate server behind TLS: used where its certificate is trusted, else refused."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_shelf import Names
from engine.model.errors import IndexAway
from tests.adapters.index.crash_writer import IDENTITY, versions
from tests.adapters.index.on_server import keys_of, open_ledger
from tests.adapters.index.weaviate_crash_writer import opened
from tests.contracts.index_entries import PACK, find
from tests.loopback.tls import certificate, front

pytestmark = pytest.mark.servers

WRITER = "tests.adapters.index.weaviate_crash_writer"


@pytest.fixture
async def secured(
    tmp_path: Path, weaviate_url: str, weaviate_grpc: int
) -> AsyncIterator[tuple[str, str, Path]]:
    """Address and gRPC port of TLS before the server, and the certificate."""
    public, private = certificate(tmp_path)
    rest = int(weaviate_url.rpartition(":")[2])
    async with (
        front(rest, public, private) as http,
        front(weaviate_grpc, public, private) as grpc,
    ):
        yield f"https://127.0.0.1:{http}", str(grpc), public


async def test_https_is_tls_for_both_ports_R_S1(
    root: Path,
    secured: tuple[str, str, Path],
    weaviate_url: str,
    weaviate_grpc: int,
    tmp_path: Path,
) -> None:
    """With an authority of one's own, which gRPC reads once in a process."""
    url, grpc, public = secured
    installation, trusted = uuid4().hex, str(public)
    authority = {
        "SSL_CERT_FILE": trusted,
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": trusted,
    }
    writer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", WRITER, url, grpc, installation, tmp_path, "0"),
        cwd=root,
        env={**os.environ, **authority},
        stdout=asyncio.subprocess.PIPE,
    )
    assert writer.stdout is not None
    try:
        assert await writer.stdout.readline() == b"0\n"
    finally:
        writer.kill()
        await writer.wait()
    index = opened(weaviate_url, str(weaviate_grpc), installation, str(tmp_path))
    assert await find(index, "number")
    await index.close()


@pytest.mark.parametrize("trusted", [False, True])
async def test_a_certificate_that_nobody_vouches_for_is_refused_R_S1(
    secured: tuple[str, str, Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    trusted: bool,
) -> None:
    """Nothing is sent, and the error names the way out; also where gRPC alone does."""
    url, grpc, public = secured
    if trusted:  # by REST
        monkeypatch.setenv("SSL_CERT_FILE", str(public))
    names = Names(uuid4().hex, IDENTITY)
    index = WeaviateIndex(
        Server(url, grpc, patience=1.0), names, keys_of(open_ledger(tmp_path))
    )
    with pytest.raises(IndexAway, match=r"certificate .* not trusted .*SSL_CERT_FILE"):
        await index.put(PACK, "d0", versions(0))
    await index.close()


async def test_a_certificate_for_another_address_is_refused_R_S1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weaviate_grpc: int
) -> None:
    """Although its authority is trusted."""
    public, private = certificate(tmp_path, host="127.0.0.2")
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    async with front(weaviate_grpc, public, private) as port:
        server = Server(f"https://127.0.0.1:{port}", "1")
        keys = keys_of(open_ledger(tmp_path))
        index = WeaviateIndex(server, Names(uuid4().hex, IDENTITY), keys)
        with pytest.raises(IndexAway, match="certificate"):
            await index.put(PACK, "d0", versions(0))
        await index.close()
