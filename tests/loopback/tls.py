"""TLS in front of a loopback port, with a certificate that was made for it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOST = "127.0.0.1"
_PIECE = 65_536


def certificate(folder: Path, host: str = HOST) -> tuple[Path, Path]:
    """A certificate that vouches for itself, and its key, in files.

    Args:
        folder: where they are written.
        host: the address that it is for.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address(host))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return public, private


@asynccontextmanager
async def front(target: int, public: Path, private: Path) -> AsyncIterator[int]:
    """A port that speaks TLS and passes on to another one of this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    context.set_alpn_protocols(["h2", "http/1.1"])

    async def passed(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        inner, outer = await asyncio.open_connection(HOST, target)
        with suppress(OSError, asyncio.CancelledError):  # as the loop's own servers do
            await asyncio.gather(_copy(reader, outer), _copy(inner, writer))

    server = await asyncio.start_server(passed, HOST, 0, ssl=context)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes, until one side ends."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
