"""A process that stands in for one of the bot, which is forked where all is imported.

    python -I -S tests/scenarios/stand_in.py SOCKET …

It is ended with that one, and as that one; tests/scenarios/hatchery.py forks it. This
file imports little, because that is what it is for.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence

TERMINATE, KILL = b"T", b"K"


def ask(
    path: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    files: Sequence[int],
) -> socket.socket:
    """Ask for a process with these standard files.

    Its number comes back as a line, and how it ended as another; TERMINATE and KILL do
    that to it, and so does to close.
    """
    there = socket.socket(socket.AF_UNIX)
    there.connect(path)
    asked = json.dumps({"arguments": arguments, "environment": dict(environment)})
    socket.send_fds(there, [asked.encode() + b"\n"], list(files))
    return there


def main() -> int:
    """Wait for its end; the exit code."""
    there = ask(sys.argv[1], sys.argv[2:], os.environ, (0, 1, 2))
    signal.signal(signal.SIGTERM, lambda *_: there.sendall(TERMINATE))
    with there.makefile("r") as told:
        told.readline()
        return abs(int(told.readline() or 1))


if __name__ == "__main__":
    sys.exit(main())
