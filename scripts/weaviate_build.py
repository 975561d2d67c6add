"""Build the Weaviate server of the tests by name with Go, once a machine.

    python -m scripts.weaviate_build

The pinned version goes into the user's cache folder: about six minutes on two cores,
3.5 GB in Go's own caches, one file of 190 MB.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from config.settings import SettingsError, read
from engine.model.errors import EnvironmentFailed

VERSION = "v1.38.11"
PACKAGE = "github.com/weaviate/weaviate/cmd/weaviate-server"
NAME = "weaviate-server"
PATIENCE_S = 3_000.0  # for a build; six minutes were measured, on two cores


def program(cache: Path) -> Path:
    """Return the path of the pinned version."""
    return cache / "weaviate" / VERSION / NAME


def install(cache: Path, patience: float = PATIENCE_S) -> Path:
    """Build the pinned version unless it is there; return its path.

    Args:
        cache: the user's cache folder.
        patience: seconds after which a build is ended.

    Raises:
        EnvironmentFailed: there is no Go, or the build failed or took too long.
    """
    built = program(cache)
    if built.exists():
        return built
    go = shutil.which("go")
    if go is None:
        raise EnvironmentFailed("Go is not on the path: install Go 1.26 or later")
    _say(f"Building Weaviate {VERSION}: about 6 minutes, 3.5 GB in Go's caches ...")
    built.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".build-", dir=built.parent) as draft:
        _build(go, draft, patience)
        (Path(draft) / NAME).replace(built)
    return built


def _build(go: str, into: str, patience: float) -> None:
    """Run `go install`, which says itself what is wrong, and end it in time."""
    building = subprocess.Popen(
        [go, "install", f"{PACKAGE}@{VERSION}"],
        env={**os.environ, "GOBIN": into},
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # so that its compilers end with it
    )
    try:
        status = building.wait(patience)
    except subprocess.TimeoutExpired as error:
        said = f"the build was ended after {patience:.0f} s"
        raise EnvironmentFailed(said) from error
    finally:
        if building.poll() is None:
            os.killpg(building.pid, signal.SIGKILL)
            building.wait()
    if status:
        raise EnvironmentFailed(f"`go install {PACKAGE}@{VERSION}` failed")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main() -> None:
    """Run the command line and exit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--where-possible", action="store_true", help="no error where it cannot be"
    )
    parser.add_argument("--patience", type=float, default=PATIENCE_S, metavar="SECONDS")
    options = parser.parse_args()
    try:
        _say(f"Weaviate {VERSION}: {install(read().cache, options.patience)}")
    except EnvironmentFailed as error:
        if not options.where_possible:
            sys.exit(f"{error} (or set WEAVIATE_URL to a server: docs/weaviate.md)")
        _say(f"WEAVIATE NOT BUILT, its tests will be skipped: {error}")
    except SettingsError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
