"""`groundrule` and `python -m bot`: errors become one sentence and an exit code."""

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from bot.cli import make_command
from bot.console import explain
from engine.model.errors import (
    BudgetExceeded,
    DocumentError,
    EnvironmentFailed,
    GroundruleError,
    UsageError,
    VerificationFailed,
)

# An error of our tree that is not listed is a failed check.
EXIT_CODES: tuple[tuple[type[GroundruleError], int], ...] = (
    (UsageError, 2),
    (DocumentError, 1),
    (VerificationFailed, 1),
    (EnvironmentFailed, 4),
    (BudgetExceeded, 3),
)

UNWRITTEN = 4
# Files of our own that cannot be written are errors of our tree: what is left is
# standard output.
UNWRITABLE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE}
)


def find_exit_code(error: GroundruleError) -> int:
    """Return the exit code for an error that ends a command."""
    for kind, code in EXIT_CODES:
        if isinstance(error, kind):
            return code
    return 1


def main() -> None:
    """Run the command line and exit."""
    name = "groundrule" if Path(sys.argv[0]).stem == "groundrule" else "python -m bot"
    run(partial(make_command(), prog_name=name))


def run(work: Callable[[], int | None]) -> NoReturn:
    """Do the work of a program and exit with the code that it returns.

    An error of our tree becomes one sentence and its exit code, and so does a standard
    output that takes no more; a reader that went away is no error. Anything else is a
    bug of ours: Python prints it, so that it can be reported.
    """
    if sys.stdout is None or sys.stderr is None:
        _remark("standard output and standard error must be open")
        sys.exit(UNWRITTEN)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    stdout = sys.stdout
    code = _do(work)
    if sys.stdout is not stdout:  # the command line says so: its reader went away
        sys.exit(0)
    sys.exit(_flush(code))


def _do(work: Callable[[], int | None]) -> int | str | None:
    """Do the work, and return its exit code."""
    try:
        return work()
    except SystemExit as ended:
        return ended.code
    except GroundruleError as error:
        _remark(explain(error))
        return find_exit_code(error)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        return _report_unwritten(error)


def _flush(code: int | str | None) -> int | str | None:
    """Flush standard output; return the exit code, another where a part was lost."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _report_unwritten(error)
    return code


def _report_unwritten(error: OSError) -> int:
    """Say that standard output takes no more; return 0 where its reader went away."""
    # Python flushes once more as it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    _remark(f"cannot write to standard output ({error.strerror}): make room")
    return UNWRITTEN


def _remark(text: str) -> None:
    """Write one line on standard error, where that takes one."""
    with suppress(OSError):
        if sys.stderr is not None:
            sys.stderr.write(f"groundrule: {text}\n")


if __name__ == "__main__":
    main()
