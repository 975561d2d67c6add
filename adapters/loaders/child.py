"""The parser's child process: it sets its limits, then parses file after file."""

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

# Audit events of CPython that no parser needs: connections, processes, file writes.
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
    """Raise PermissionError for an event that no parser needs."""
    if event.startswith(FORBIDDEN) or (event == "open" and _is_write(*arguments)):
        raise PermissionError(f"a document parser must not: {event}")


def _is_write(path: object, mode: object, flags: object) -> bool:
    """Tell whether an `open` event is for writing."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    return isinstance(flags, int) and bool(flags & writing)


def _limit_process(limits: Limits) -> None:
    """Limit memory, file size and core dumps for good, and forbid events."""
    bounds = {resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if sys.platform != "darwin":  # which refuses to bound address space
        bounds[resource.RLIMIT_AS] = limits.memory_bytes
    for kind, most in bounds.items():
        resource.setrlimit(kind, (most, most))
    sys.addaudithook(_forbid)


def _answer_request(request: bytes, limits: Limits) -> bytes:
    """Parse the file of one request; reply with documents or an error for people."""
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
    _limit_process(limits)
    write_frame(replies, b"ready")
    while (request := _read_frame(requests)) is not None:
        write_frame(replies, _answer_request(request, limits))


if __name__ == "__main__":
    main()
