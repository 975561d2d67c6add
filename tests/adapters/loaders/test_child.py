"""What the child process may not do, whatever a document talks it into (R-S2)."""

import subprocess
import sys
from pathlib import Path

import pytest

PREAMBLE = """
import os, pathlib, resource, shutil, socket, subprocess
from adapters.loaders.child import _limit_process
from adapters.loaders.limits import Limits
_limit_process(Limits(memory_bytes=600_000_000))
try:
    {attempt}
except (PermissionError, MemoryError) as error:
    os._exit(0)
os._exit(7)
"""


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 80)",
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "open('/tmp/groundrule-child', 'w')",
        "os.open('/tmp/groundrule-child', os.O_WRONLY | os.O_CREAT)",
        "pathlib.Path('/tmp/groundrule-child').unlink()",
        "bytes(700_000_000)",
    ],
)
def test_a_parser_cannot_reach_out_R_S2(root: Path, attempt: str) -> None:
    """No network, no process, no writing, no more memory than allowed."""
    script = PREAMBLE.format(attempt=attempt)
    done = subprocess.run([sys.executable, "-c", script], cwd=root, check=False)
    assert done.returncode == 0
