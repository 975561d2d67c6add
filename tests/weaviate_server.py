"""A Weaviate server of a test: its folder, its ports, its keys, its start and end."""

import os
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from weaviate import WeaviateClient, connect_to_custom
from weaviate.classes.init import Auth

from adapters.index.weaviate_calls import Server

HOST = "127.0.0.1"
STARTING_S = 90.0  # measured: 8 s empty, 10 s after a kill with 20,000 chunks
STOPPING_S = 60.0
PAUSE_S = 0.1
LOG_SHOWN = 800  # characters of the log in an error


class Ports(NamedTuple):
    """Where the server listens; they stay as they are from start to start."""

    http: int
    grpc: int
    gossip: int
    cluster: int
    raft: int
    raft_rpc: int


class LocalServer:
    """One server and its folder.

    Args:
        folder: holds everything of it.
        program: runs it.
        users: who gets a key; the first may do everything. Everybody may without any.
    """

    def __init__(self, folder: Path, program: Path, users: Sequence[str] = ()) -> None:
        self.folder = folder
        self.ports = _free_ports()
        self.keys = {user: secrets.token_urlsafe(32) for user in users}
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for WEAVIATE_URL."""
        return f"http://{HOST}:{self.ports.http}"

    def address(self, user: str | None = None) -> Server:
        """How an index reaches it, as one of its users or without a key."""
        key = None if user is None else self.keys[user]
        return Server(self.url, str(self.ports.grpc), key)

    def start(self, **limits: str) -> None:
        """Start it and wait until it is ready.

        Args:
            limits: settings of Weaviate's own, over what it is told anyway.
        """
        self.folder.mkdir(exist_ok=True)
        log = self.folder / "server.log"
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                [
                    *(self._program, "--host", HOST),
                    *("--port", str(self.ports.http), "--scheme", "http"),
                ],
                env=self._environment() | limits,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        process = self._process
        _until(lambda: self.ready or process.poll() is not None, STARTING_S)
        if not self.ready:
            self.kill()
            end = log.read_text("utf-8", "replace")[-LOG_SHOWN:]
            raise AssertionError(f"the server did not become ready: {end.strip()}")

    def stop(self) -> None:
        """End it in order and wait for that; nothing where it does not run."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(STOPPING_S)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(STOPPING_S)

    @property
    def ready(self) -> bool:
        """Whether it answers that it is ready."""
        try:
            with urllib.request.urlopen(
                f"{self.url}/v1/.well-known/ready", timeout=60.0
            ) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _environment(self) -> dict[str, str]:
        """What the server is told; nothing of ours leaks into it."""
        ports = self.ports
        told = {
            "HOME": str(self.folder),
            "PATH": os.defpath,
            "PERSISTENCE_DATA_PATH": str(self.folder / "data"),
            "DEFAULT_VECTORIZER_MODULE": "none",
            "AUTOSCHEMA_ENABLED": "false",
            "LOG_LEVEL": "warning",
            "DISABLE_TELEMETRY": "true",
            "GO_PROFILING_DISABLE": "true",  # else it opens port 6060 everywhere
            "GRPC_PORT": str(ports.grpc),
            "CLUSTER_HOSTNAME": "node1",
            "CLUSTER_BIND_ADDR": HOST,
            "CLUSTER_ADVERTISE_ADDR": HOST,
            "CLUSTER_GOSSIP_BIND_PORT": str(ports.gossip),
            "CLUSTER_DATA_BIND_PORT": str(ports.cluster),
            "RAFT_PORT": str(ports.raft),
            "RAFT_INTERNAL_RPC_PORT": str(ports.raft_rpc),
            "RAFT_BOOTSTRAP_EXPECT": "1",
            "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": str(not self.keys).lower(),
        }
        if self.keys:
            told |= {
                "AUTHENTICATION_APIKEY_ENABLED": "true",
                "AUTHENTICATION_APIKEY_USERS": ",".join(self.keys),
                "AUTHENTICATION_APIKEY_ALLOWED_KEYS": ",".join(self.keys.values()),
                "AUTHORIZATION_RBAC_ENABLED": "true",
                "AUTHORIZATION_RBAC_ROOT_USERS": next(iter(self.keys)),
            }
        return told


@contextmanager
def connected(server: Server) -> Iterator[WeaviateClient]:
    """A client of a server for the block."""
    with connect_to_custom(
        http_host=server.host,
        http_port=server.port,
        http_secure=server.secure,
        grpc_host=server.grpc_host,
        grpc_port=server.grpc_port,
        grpc_secure=server.secure,
        auth_credentials=Auth.api_key(server.key) if server.key else None,
    ) as client:
        yield client


def _free_ports() -> Ports:
    """Six ports that nobody has at this moment."""
    with ExitStack() as stack:
        found = []
        for _ in Ports._fields:
            taken = stack.enter_context(socket.socket())
            taken.bind(("", 0))
            found.append(int(taken.getsockname()[1]))
        return Ports(*found)


def _until(done: Callable[[], bool], patience: float) -> None:
    """Wait for something to come true, so many seconds at most."""
    deadline = time.monotonic() + patience
    while not done() and time.monotonic() < deadline:
        time.sleep(PAUSE_S)
