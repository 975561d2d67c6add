"""The end of a release that broke: red, in its last line and in no report.

Nothing of ours is imported here, so that a wrong import anywhere ends in the same words
as a failed check. Python prints the error itself and exits with 1.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

RUNS = Path(__file__).resolve().parent.parent / "build" / "evals"
PAGE, SUMMARY, JUNIT = "report.html", "summary.md", "junit.xml"
VERB, OUT = "release", "--out"


def end_broken(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an error that was not caught, and below it the verdict of a release."""
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("Stopped.\n")
    else:
        sys.__excepthook__(kind, error, trace)
    if VERB in sys.argv[1:2]:
        for folder in (
            found for out in (RUNS, *_list_folders()) for found in out.glob("*")
        ):
            forget(folder)
        said = " ".join(str(error).split())
        sys.stdout.write(f"Must not be released: it broke, {kind.__name__}: {said}\n")


def _list_folders() -> Iterator[Path]:
    """List the folders that --out names on the command line, in either form."""
    given = sys.argv[2:]
    for at, each in enumerate(given):
        if each == OUT and given[at + 1 :]:
            yield Path(given[at + 1])
        elif each.startswith(f"{OUT}="):
            yield Path(each.removeprefix(f"{OUT}="))


def forget(folder: Path) -> None:
    """Remove the reports of an earlier run, so that none is taken for this one's."""
    for name in (PAGE, SUMMARY, JUNIT):
        (folder / name).unlink(missing_ok=True)
