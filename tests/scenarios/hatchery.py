"""Forks processes of the bot, so that each need not import everything anew.

    python -m tests.scenarios.hatchery SOCKET

Importing is most of what a process of the bot costs until it hears; in a thousand lives
that is hours. Whatever comes after the imports is as it is without this.
"""

import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from tests.scenarios.small_bot import main
from tests.scenarios.stand_in import TERMINATE

LONGEST = 1_000_000  # bytes of what is asked for
LOOK_S = 0.01  # between two looks for who has ended


class Hatchery:
    """Forks what is asked for (see stand_in.py) and tells how it ended.

    It has no thread but this one, so that a fork has all there is.
    """

    def __init__(self, path: str) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen(100)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._living: dict[int, socket.socket] = {}

    def run(self) -> None:
        """Until it is ended; everybody ends with it."""
        try:
            while True:
                self._look()
        finally:
            for number in self._living:
                os.kill(number, signal.SIGKILL)

    def _look(self) -> None:
        for key, _ in self._selector.select(LOOK_S):
            if key.fileobj is self._listening:
                self._fork(self._listening.accept()[0])
            elif key.data in self._living:
                self._do(key.data)
        while self._living:
            number, status = os.waitpid(-1, os.WNOHANG)
            if number == 0:
                return
            self._tell(number, os.waitstatus_to_exitcode(status))

    def _fork(self, asker: socket.socket) -> None:
        said, files, _, _ = socket.recv_fds(asker, LONGEST, 3)
        while said and not said.endswith(b"\n"):
            said += asker.recv(LONGEST)
        asked = json.loads(said)
        number = os.fork()
        if number == 0:
            for ours in (self._listening, asker, *self._living.values()):
                ours.close()
            self._selector.close()
            _become(asked["arguments"], asked["environment"], files)
        for file in files:
            os.close(file)
        self._living[number] = asker
        self._selector.register(asker, selectors.EVENT_READ, number)
        with suppress(OSError):
            asker.sendall(b"%d\n" % number)

    def _do(self, number: int) -> None:
        """What is said to be done to a process; nobody there any more is its end."""
        word = b""
        with suppress(OSError):
            word = self._living[number].recv(1)
        os.kill(number, signal.SIGTERM if word == TERMINATE else signal.SIGKILL)
        if not word:
            self._selector.unregister(self._living[number])

    def _tell(self, number: int, code: int) -> None:
        asker = self._living.pop(number)
        with suppress(KeyError):
            self._selector.unregister(asker)
        with suppress(OSError):
            asker.sendall(b"%d\n" % code)
        asker.close()


def _become(
    arguments: Sequence[str], environment: Mapping[str, str], files: Sequence[int]
) -> NoReturn:
    """Be a process of the bot."""
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[1:] = arguments
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    hatchery = Hatchery(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    hatchery.run()
