"""`python -m bot` and `groundrule`: errors become one sentence and an exit code."""

import errno
import os
import sys
from pathlib import Path

from bot.cli import command
from bot.console import explained
from engine.errors import (
    BudgetExceeded,
    DocumentError,
    EnvironmentFailed,
    GroundruleError,
    UsageError,
    VerificationFailed,
)

# R-P2; an error of our tree that is not listed is a failed check.
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
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def exit_code(error: GroundruleError) -> int:
    """The exit code of R-P2 for an error that ends a command."""
    for kind, code in EXIT_CODES:
        if isinstance(error, kind):
            return code
    return 1


def main() -> None:
    """Run the command line and exit.

    What is no `GroundruleError` is a bug of ours: Python prints it, so that it can be
    reported.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    name = "groundrule" if Path(sys.argv[0]).stem == "groundrule" else "python -m bot"
    stdout = sys.stdout
    code = _run(name)
    if sys.stdout is not stdout:  # the command line says so: its reader went away
        sys.exit(0)
    sys.exit(_written(code))


def _run(name: str) -> int | str | None:
    """Run the command line; its exit code."""
    try:
        command()(prog_name=name)
    except SystemExit as ended:
        return ended.code
    except GroundruleError as error:
        sys.stderr.write(f"groundrule: {explained(error)}\n")
        return exit_code(error)
    except OSError as error:
        if error.errno not in FULL:
            raise
        return _unwritten(error)
    return 0


def _written(code: int | str | None) -> int | str | None:
    """Flush standard output; the exit code, another where it took not everything."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    """Say that standard output takes no more; 0 where its reader went away."""
    # Python flushes once more as it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    said = f"cannot write to standard output ({error.strerror}): make room"
    sys.stderr.write(f"groundrule: {said}\n")
    return UNWRITTEN


if __name__ == "__main__":
    main()
