"""The parent of the parser's child process, which is bounded and without network.

Documents are parsed in one long-lived child, so that a folder costs one start. Both
sides speak length-prefixed JSON over pipes; nothing of the child's is ever unpickled.
"""

import json
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import ValidationError

from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge, EnvironmentFailed
from engine.policy.pack import Source

# The extensions of `registry`, here so that the parent need not import the parsers.
SERVED = frozenset(
    {
        ".md",
        ".markdown",
        ".mdx",
        ".html",
        ".htm",
        ".rst",
        ".adoc",
        ".asciidoc",
        ".txt",
        ".csv",
        ".tsv",
        ".pdf",
        ".docx",
        ".epub",
        ".pptx",
        ".xlsx",
        ".jsonl",
        ".json",
        ".xml",
    }
)
# Further extensions where the register has a source of code.
SERVED_CODE = frozenset(
    {
        *(".py", ".pyi", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"),
        *(".go", ".rs", ".java", ".toml", ".ini", ".cfg", ".yaml", ".yml"),
    }
)
ROOT = Path(__file__).resolve().parent.parent.parent
PREFIX = struct.Struct(">Q")
REPLY_BYTES = 512_000_000
START_SECONDS = 60.0
READ_BYTES = 1 << 20


def list_served(sources: Iterable[Source]) -> frozenset[str]:
    """List the extensions that are ingested, those of code where a source has code."""
    code = any(source.code is not None for source in sources)
    return SERVED | SERVED_CODE if code else SERVED


def _raise(problem: DocumentError) -> None:
    raise problem


class Parser:
    """A parser of files in a child process; use it as a context manager.

    A file that exceeds its bounds ends the child, and the next file gets a new one.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def parse(
        self,
        path: Path,
        relative: str,
        report: Callable[[DocumentError], None] = _raise,
    ) -> list[Parsed]:
        """Parse one file to its documents: one, or one a line of JSONL.

        Args:
            path: the file.
            relative: its name below the ingested folder, used in ids and messages.
            report: called with the problem of a single document of the file, so that
                the others are loaded; by default it is raised.

        Raises:
            DocumentError: the file cannot be read; the message names it and the fix.
            DocumentTooLarge: it passes a limit.
        """
        loaded = self._ask(path, relative)
        for problem in loaded.problems:
            report(DocumentError(problem))
        return list(loaded.documents)

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe:
                pipe.close()
        child.wait()

    def _ask(self, path: Path, relative: str) -> Loaded:
        request = json.dumps({"file": str(path.resolve()), "path": relative})
        try:
            child = self._running()
            deadline = time.monotonic() + self.limits.seconds
            reply = _exchange(child, request.encode(), deadline)
        except TimeoutError as error:
            self.close()
            raise DocumentTooLarge(
                f"{relative}: not parsed within {self.limits.seconds:g} seconds;"
                " split or simplify it"
            ) from error
        except OSError as error:
            self.close()
            raise DocumentTooLarge(
                f"{relative}: the parser crashed or ran out of memory"
                f" ({self.limits.memory_bytes >> 20} MiB); split or repair it"
            ) from error
        return _read_reply(reply, relative)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = self._start()
        return self._child

    def _start(self) -> subprocess.Popen[bytes]:
        """Start a child that inherits neither secrets nor descriptors.

        Raises:
            EnvironmentFailed: it does not start, for a reason outside the documents.
        """
        child = subprocess.Popen(
            [sys.executable, "-m", "adapters.loaders.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        )
        self._child = child
        hello = json.dumps(asdict(self.limits)).encode()
        try:
            _exchange(child, hello, time.monotonic() + START_SECONDS)
        except OSError as error:
            self.close()
            raise EnvironmentFailed(
                "the document parser does not start; run `groundrule doctor`"
            ) from error
        return child


def _read_reply(reply: bytes, relative: str) -> Loaded:
    """Read the child's reply: return its documents, or raise its error."""
    kind, _, body = reply.partition(b"\n")
    if kind == b"loaded":
        try:
            return Loaded.model_validate_json(body)
        except ValidationError as error:
            raise DocumentError(
                f"{relative}: the parser answered nonsense; report this file"
            ) from error
    message = body.decode("utf-8", "replace")
    if kind == b"too large":
        raise DocumentTooLarge(message)
    raise DocumentError(message)


def _exchange(child: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes:
    """Send one frame and wait for one until `deadline`, on the monotonic clock.

    Raises:
        TimeoutError: no complete frame came in time.
        OSError: the child is gone or its frame is too long.
    """
    if child.stdin is None or child.stdout is None:
        raise BrokenPipeError("the parser has no pipes")
    write_frame(child.stdin, request)
    descriptor = child.stdout.fileno()
    (length,) = PREFIX.unpack(_receive(descriptor, PREFIX.size, deadline))
    if length > REPLY_BYTES:
        raise OSError(f"the parser's reply is too long ({length:,} bytes)")
    return _receive(descriptor, length, deadline)


def _receive(descriptor: int, length: int, deadline: float) -> bytes:
    received = bytearray()
    while len(received) < length:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError
        part = os.read(descriptor, min(READ_BYTES, length - len(received)))
        if not part:
            raise BrokenPipeError("the parser ended")
        received += part
    return bytes(received)


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Write one frame: eight bytes of length, then the body."""
    stream.write(PREFIX.pack(len(body)))
    stream.write(body)
    stream.flush()
