"""A real Weaviate server on this machine, without a container: built by name with Go.

    python -m scripts.weaviate_server install
    python -m scripts.weaviate_server start
    python -m scripts.weaviate_server status
    python -m scripts.weaviate_server stop

`install` builds the pinned version into the user's cache folder, once a machine: about
six minutes on two cores, 3.5 GB in Go's own caches, one file of 190 MB. `start` keeps
documents in the folder `weaviate` of the data folder, waits until the server is ready
and makes its users: `reader` for the bot, `ingester` for taking documents in.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from config.settings import SettingsError, read
from engine.errors import EnvironmentFailed, GroundruleError, UsageError
from scripts.weaviate_process import LocalServer
from scripts.weaviate_roles import INGESTER, READER, grant

VERSION = "v1.38.11"
PACKAGE = "github.com/weaviate/weaviate/cmd/weaviate-server"
NAME = "weaviate-server"
SAYING_S = 30.0  # between two lines of progress
PATIENCE_S = 3_000.0  # for a build; six minutes were measured, on two cores
REMARKS = 12  # last lines of a failed build that are shown
NOT_RUNNING = 3  # exit status of `status`, as of an init script


def program(cache: Path) -> Path:
    """Where the pinned version is built to."""
    return cache / "weaviate" / VERSION / NAME


def install(
    cache: Path, say: Callable[[str], None], patience: float = PATIENCE_S
) -> Path:
    """Build the pinned version unless it is there; its path.

    Args:
        cache: the user's cache folder.
        say: told how far it is.
        patience: seconds after which a build is ended.

    Raises:
        EnvironmentFailed: there is no Go, or the build failed or took too long.
    """
    built = program(cache)
    if built.exists():
        say(f"Weaviate {VERSION} is there: {built}")
        return built
    go = shutil.which("go")
    if go is None:
        raise EnvironmentFailed(
            "Go is not on the path: install Go 1.26 or later, or set WEAVIATE_URL to "
            "a server that you have (docs/weaviate.md)"
        )
    say(f"Building Weaviate {VERSION}: about 6 minutes, 3.5 GB in Go's caches ...")
    built.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".build-", dir=built.parent) as draft:
        _build(go, Path(draft), say, patience)
        (Path(draft) / NAME).replace(built)
    say(f"Weaviate {VERSION} is built: {built}")
    return built


def _build(go: str, into: Path, say: Callable[[str], None], patience: float) -> None:
    """Run `go install`; says every half minute how far it is, and ends it in time."""
    began = time.monotonic()
    log = into / "go.log"
    with log.open("wb") as said:
        building = subprocess.Popen(
            [go, "install", "-v", f"{PACKAGE}@{VERSION}"],
            env={**os.environ, "GOBIN": str(into)},
            stdin=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # so that its compilers end with it
        )
    try:
        while (spent := time.monotonic() - began) < patience:
            with suppress(subprocess.TimeoutExpired):
                building.wait(min(SAYING_S, patience - spent))
                break
            say(f"  {_progress(log)}, {time.monotonic() - began:.0f} s")
    finally:
        ended = building.poll()
        if ended is None:
            os.killpg(building.pid, signal.SIGKILL)
            building.wait()
    if ended != 0:
        how = "failed" if ended else f"was ended after {patience:.0f} s"
        last = log.read_text("utf-8", "replace").splitlines()[-REMARKS:]
        raise EnvironmentFailed(
            f"`go install {PACKAGE}@{VERSION}` {how}:\n  " + "\n  ".join(last)
        )


def _progress(log: Path) -> str:
    """What Go has said so far: a line for each package, "go: " before each download."""
    lines = log.read_text("utf-8", "replace").splitlines()
    fetched = sum(line.startswith("go: downloading") for line in lines)
    compiled = sum(not line.startswith("go: ") for line in lines)
    return f"{fetched} modules fetched, {compiled} packages compiled"


def _start(options: argparse.Namespace, server: LocalServer) -> int:
    if not server.program.exists():
        raise UsageError("run `python -m scripts.weaviate_server install` first")
    server.start(options.port, options.grpc_port, anonymous=options.anonymous)
    running = server.running
    if running is not None and not running.anonymous:
        grant(server.address("admin"), {"reader": READER, "ingester": INGESTER})
    return _status(options, server)


def _stop(options: argparse.Namespace, server: LocalServer) -> int:
    server.stop()
    _say(f"stopped; the documents stay in {server.folder}")
    return 0


def _status(options: argparse.Namespace, server: LocalServer) -> int:
    running = server.running
    if running is None or not server.ready:
        _say(f"no server is ready in {server.folder}")
        return NOT_RUNNING
    _say(
        f"ready: process {running.pid}, {server.memory_mib():.0f} MiB, {server.folder}"
    )
    sys.stdout.write(
        "export GROUNDRULE_INDEX=weaviate\n"
        f"export WEAVIATE_URL={server.url}\n"
        f"export GROUNDRULE_WEAVIATE_GRPC={server.ports.grpc}\n"
    )
    if not running.anonymous:
        key = shlex.quote(str(server.folder / "keys" / "ingester"))
        sys.stdout.write(f'export GROUNDRULE_WEAVIATE_KEY="$(cat {key})"\n')
    return 0


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where the server keeps everything")
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("install", help="build the pinned version")
    building.add_argument(
        "--where-possible", action="store_true", help="no error where it cannot be"
    )
    building.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_S,
        metavar="SECONDS",
        help=f"after which a build is ended; {PATIENCE_S:.0f} by default",
    )
    starting = commands.add_parser("start", help="start it, wait until it is ready")
    starting.add_argument("--port", type=int, help="any free one by default")
    starting.add_argument("--grpc-port", type=int, help="any free one by default")
    starting.add_argument(
        "--anonymous", action="store_true", help="everybody may do everything"
    )
    commands.add_parser("stop", help="stop it")
    commands.add_parser("status", help="whether it is ready, and what to set")
    return parser.parse_args()


def run(options: argparse.Namespace) -> int:
    """Do what the command line asks; the exit status.

    Raises:
        GroundruleError: it cannot be done.
    """
    settings = read()
    if options.command == "install":
        try:
            install(settings.cache, _say, options.patience)
        except EnvironmentFailed as error:
            if not options.where_possible:
                raise
            _say(f"WEAVIATE NOT BUILT, its tests will be skipped: {error}")
        return 0
    folder = options.folder or settings.data / "weaviate"
    server = LocalServer(folder, program(settings.cache))
    commands = {"start": _start, "stop": _stop, "status": _status}
    return commands[options.command](options, server)


def main() -> None:
    """Run the command line and exit."""
    try:
        sys.exit(run(_parsed()))
    except (GroundruleError, SettingsError) as error:
        _say(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
