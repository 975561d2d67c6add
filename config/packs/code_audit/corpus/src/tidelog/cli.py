"""The command line of tidelog."""

import argparse
import sys
from pathlib import Path

from tidelog.readings import ReadingError, parse_line
from tidelog.store import Store

DEFAULT_DATABASE = Path("/var/lib/tidelog/readings.sqlite")
EXIT_BAD_LINE = 3
EXIT_NO_FILE = 4


def import_file(file: Path, store: Store, *, keep_going: bool) -> int:
    """Import the lines of one log file into the store.

    Empty lines and lines that begin with a hash are skipped. The first bad line stops
    the import with exit code 3, unless the option `--keep-going` is given. A log file
    that does not exist ends the command with exit code 4.
    """
    readings = []
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            readings.append(parse_line(line, number))
        except ReadingError as error:
            if not keep_going:
                sys.exit(EXIT_BAD_LINE)
            print(error, file=sys.stderr)
    return store.add(readings)


def ask_before_pruning(count: int) -> bool:
    """Ask the operator to confirm before readings are pruned.

    Up to one hundred readings are pruned without a question. The answer has to be the
    word `prune`; anything else cancels.
    """
    if count <= 100:
        return True
    return input(f"delete {count} readings? type prune: ") == "prune"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="tidelog")
    made.add_argument("--database", type=Path, default=DEFAULT_DATABASE)
    made.add_argument("--keep-going", action="store_true")
    return made
