"""A Weaviate server of this machine: its folder, its ports, its start and its end.

Everything lies in one folder: `data/`, `backups/`, `server.log`, `ports.json`,
`process.json` while it runs, and a file for each user under `keys/`. What can be bound
to loopback is; the server opens gRPC and its cluster's own port on every interface, so
it wants a key from everybody unless it was started as anonymous.
"""

import os
import secrets
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from adapters.index.weaviate_calls import Server
from engine.errors import EnvironmentFailed

HOST = "127.0.0.1"
USERS = ("admin", "ingester", "reader")
STARTING_S = 90.0  # measured: 8 s empty, 10 s after a kill with 20,000 chunks
STOPPING_S = 60.0
PAUSE_S = 0.1
LOG_SHOWN = 800  # characters of the log in an error

Model = TypeVar("Model", bound=BaseModel)


class Ports(BaseModel):
    """Where the server listens; they stay as they are from start to start."""

    http: int
    grpc: int
    gossip: int
    cluster: int
    raft: int
    raft_rpc: int


class Running(BaseModel):
    """What was started."""

    pid: int
    program: Path
    anonymous: bool


class LocalServer:
    """One server and its folder.

    Args:
        folder: holds everything of it.
        program: runs it.
        limits: settings of Weaviate's own, over what it is told anyway.
    """

    def __init__(
        self, folder: Path, program: Path, limits: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder.absolute()
        self.program = program
        self._limits = dict(limits or {})
        self._child: int | None = None  # until it has ended and that was noticed

    @property
    def ports(self) -> Ports:
        """Where it listens, or did last.

        Raises:
            EnvironmentFailed: it was never started here.
        """
        found = _read(Ports, self.folder / "ports.json")
        if found is None:
            raise EnvironmentFailed(f"no server was ever started in {self.folder}")
        return found

    @property
    def url(self) -> str:
        """The address for WEAVIATE_URL."""
        return f"http://{HOST}:{self.ports.http}"

    def key(self, user: str) -> str:
        """The API key of one of `USERS`; there are none for an anonymous server."""
        return (self.folder / "keys" / user).read_text(encoding="ascii")

    def address(self, user: str | None = None) -> Server:
        """How an index reaches it, as one of `USERS` or without a key."""
        key = None if user is None else self.key(user)
        return Server(self.url, str(self.ports.grpc), key)

    def start(
        self,
        http: int | None = None,
        grpc: int | None = None,
        *,
        anonymous: bool = False,
    ) -> None:
        """Start it and wait until it is ready; nothing where it runs already.

        Args:
            http: the port to listen on; as before, or any free one, where None.
            grpc: the same for gRPC.
            anonymous: whether everybody may do everything, without a key.

        Raises:
            EnvironmentFailed: it does not become ready; with the end of its log.
        """
        if self.running is None:
            self._launch(http, grpc, anonymous=anonymous)
        _until(lambda: self.ready or self.running is None, STARTING_S)
        if not self.ready:
            self.kill()
            log = (self.folder / "server.log").read_text("utf-8", "replace")
            raise EnvironmentFailed(
                f"the server in {self.folder} did not become ready; its log ends "
                f"with: {log[-LOG_SHOWN:].strip()}"
            )

    def stop(self) -> None:
        """End it in order and wait for that; nothing where it does not run.

        Raises:
            EnvironmentFailed: it goes on.
        """
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self._end(signal.SIGKILL)

    @property
    def running(self) -> Running | None:
        """The process, if it lives and is still that server."""
        self._reap()
        found = _read(Running, self.folder / "process.json")
        if found is None or found.pid == self._child:  # a child of ours is that one
            return found
        try:
            program = os.readlink(f"/proc/{found.pid}/exe")
        except OSError:
            return None
        same = program.removesuffix(" (deleted)") == str(found.program)
        return found if same else None

    @property
    def ready(self) -> bool:
        """Whether it answers that it is ready."""
        try:
            with urllib.request.urlopen(
                f"{self.url}/v1/.well-known/ready", timeout=2.0
            ) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError, EnvironmentFailed):
            return False

    def memory_mib(self) -> float:
        """Memory of the process, mapped files left out; 0 where it does not run."""
        found = self.running
        if found is None:
            return 0.0
        status = Path(f"/proc/{found.pid}/status").read_text("ascii")
        return int(status.partition("RssAnon:")[2].split()[0]) / 1024

    def _launch(self, http: int | None, grpc: int | None, *, anonymous: bool) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        given = _read(Ports, self.folder / "ports.json") or _free_ports()
        changed = {"http": http or given.http, "grpc": grpc or given.grpc}
        ports = given.model_copy(update=changed)
        _write(ports, self.folder / "ports.json")
        keys = {} if anonymous else self._keys()
        log, append = self.folder / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._child = os.posix_spawn(  # outlives us
            self.program,
            [
                *(str(self.program), "--host", HOST),
                *("--port", str(ports.http), "--scheme", "http"),
            ],
            _environment(self.folder, ports, keys) | self._limits,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(log), append, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
        program = Path(os.path.realpath(self.program))
        started = Running(pid=self._child, program=program, anonymous=anonymous)
        _write(started, self.folder / "process.json")

    def _reap(self) -> None:
        """Notice that a child of ours has ended; else it would stay in the table."""
        if self._child is not None and os.waitpid(self._child, os.WNOHANG)[0]:
            self._child = None

    def _keys(self) -> dict[str, str]:
        """The key of each user, made at the first start."""
        folder = self.folder / "keys"
        folder.mkdir(mode=0o700, exist_ok=True)
        for user in USERS:
            file = folder / user
            if not file.exists():
                file.touch(mode=0o600)
                file.write_text(secrets.token_urlsafe(32), encoding="ascii")
        return {user: self.key(user) for user in USERS}

    def _end(self, how: signal.Signals) -> None:
        found = self.running
        if found is not None:
            with suppress(ProcessLookupError):
                os.kill(found.pid, how)
            if not _until(lambda: self.running is None, STOPPING_S):
                raise EnvironmentFailed(
                    f"process {found.pid} does not end: see {self.folder}/server.log"
                )
        self._reap()
        (self.folder / "process.json").unlink(missing_ok=True)


def _environment(folder: Path, ports: Ports, keys: dict[str, str]) -> dict[str, str]:
    """What the server is told; nothing of ours leaks into it."""
    told = {
        "HOME": str(folder),
        "PATH": os.defpath,
        "PERSISTENCE_DATA_PATH": str(folder / "data"),
        "DEFAULT_VECTORIZER_MODULE": "none",
        "ENABLE_MODULES": "backup-filesystem",
        "BACKUP_FILESYSTEM_PATH": str(folder / "backups"),
        "AUTOSCHEMA_ENABLED": "false",
        "QUERY_DEFAULTS_LIMIT": "25",
        "LOG_LEVEL": "warning",
        "DISABLE_TELEMETRY": "true",
        "GO_PROFILING_DISABLE": "true",  # else it opens port 6060 on every interface
        "GRPC_PORT": str(ports.grpc),
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_BIND_ADDR": HOST,
        "CLUSTER_ADVERTISE_ADDR": HOST,
        "CLUSTER_GOSSIP_BIND_PORT": str(ports.gossip),
        "CLUSTER_DATA_BIND_PORT": str(ports.cluster),
        "CLUSTER_BASIC_AUTH_USERNAME": "node1",
        "CLUSTER_BASIC_AUTH_PASSWORD": secrets.token_urlsafe(32),
        "RAFT_PORT": str(ports.raft),
        "RAFT_INTERNAL_RPC_PORT": str(ports.raft_rpc),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false" if keys else "true",
    }
    if keys:
        told |= {
            "AUTHENTICATION_APIKEY_ENABLED": "true",
            "AUTHENTICATION_APIKEY_USERS": ",".join(keys),
            "AUTHENTICATION_APIKEY_ALLOWED_KEYS": ",".join(keys.values()),
            "AUTHORIZATION_RBAC_ENABLED": "true",
            "AUTHORIZATION_RBAC_ROOT_USERS": USERS[0],
        }
    return told


def _free_ports() -> Ports:
    """Six ports that nobody has at this moment."""
    with ExitStack() as stack:
        found = {}
        for name in Ports.model_fields:
            taken = stack.enter_context(socket.socket())
            taken.bind(("", 0))
            found[name] = int(taken.getsockname()[1])
        return Ports.model_validate(found)


def _until(done: Callable[[], bool], patience: float) -> bool:
    """Wait for something to come true; False where it does not in so many seconds."""
    deadline = time.monotonic() + patience
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE_S)
    return True


def _read(model: type[Model], file: Path) -> Model | None:
    try:
        return model.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise EnvironmentFailed(f"{file} is damaged: delete it") from error


def _write(what: BaseModel, file: Path) -> None:
    file.write_text(what.model_dump_json() + "\n", encoding="utf-8")
