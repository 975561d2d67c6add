"""`python -m bot` and `groundrule`: errors become one sentence and an exit code."""

import sys
from pathlib import Path

from bot.cli import command
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
    try:
        command()(prog_name=name)
    except GroundruleError as error:
        sys.stderr.write(f"groundrule: {error}\n")
        sys.exit(exit_code(error))


if __name__ == "__main__":
    main()
