"""What runs in the parser's child process: limits first, then file after file."""

import json
import os
import resource
import sys
from pathlib import Path
from typing import IO

from adapters.loaders.limits import Limits
from adapters.loaders.registry import load
from adapters.loaders.sandbox import PREFIX, write_frame
from engine.model.errors import DocumentError, DocumentTooLarge

# Audit events of CPython that no parser needs: connections, processes, writing files.
FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "shutil.",
    "ctypes.dlopen",
)


def _forbid(event: str, arguments: tuple[object, ...]) -> None:
    """Stop what a parser must not do, whatever a document talks it into."""
    if event.startswith(FORBIDDEN) or (event == "open" and _writes(*arguments)):
        raise PermissionError(f"a document parser must not: {event}")


def _writes(path: object, mode: object, flags: object) -> bool:
    """Whether an `open` event is for writing."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    return isinstance(flags, int) and bool(flags & writing)


def _bound(limits: Limits) -> None:
    """Give up memory, processes and file size for good."""
    bounds = {resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if sys.platform != "darwin":  # which refuses to bound address space
        bounds[resource.RLIMIT_AS] = limits.memory_bytes
    for kind, most in bounds.items():
        resource.setrlimit(kind, (most, most))
    sys.addaudithook(_forbid)


def _answer(request: bytes, limits: Limits) -> bytes:
    """Parse the file of one request: documents, or an error for people."""
    wanted = json.loads(request)
    file, path = Path(wanted["file"]), str(wanted["path"])
    try:
        loaded = load(file, path, limits)
    except DocumentTooLarge as error:
        return b"too large\n" + str(error).encode()
    except DocumentError as error:
        return b"error\n" + str(error).encode()
    except MemoryError:
        megabytes = limits.memory_bytes >> 20
        message = f"{path}: needs more than {megabytes} MiB to parse; split it"
        return b"too large\n" + message.encode()
    return b"loaded\n" + loaded.model_dump_json().encode()


def _read_frame(stream: IO[bytes]) -> bytes | None:
    prefix = stream.read(PREFIX.size)
    if len(prefix) < PREFIX.size:
        return None
    return stream.read(PREFIX.unpack(prefix)[0])


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    hello = _read_frame(requests)
    if hello is None:
        return
    limits = Limits(**json.loads(hello))
    _bound(limits)
    write_frame(replies, b"ready")
    while (request := _read_frame(requests)) is not None:
        write_frame(replies, _answer(request, limits))


if __name__ == "__main__":
    main()
