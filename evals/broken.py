"""How a release ends that broke: red, in its last line and in no report.

Nothing of ours is imported here, so that a wrong import anywhere ends in the same words
as a failed check. Python prints the error itself and exits with 1.
"""

import sys
from pathlib import Path
from types import TracebackType

RUNS = Path(__file__).resolve().parent.parent / "build" / "evals"
PAGE, SUMMARY, JUNIT = "report.html", "summary.md", "junit.xml"
VERB = "release"


def broken(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an error that nobody caught; of a release, the verdict below it."""
    sys.__excepthook__(kind, error, trace)
    if VERB in sys.argv[1:2]:
        for folder in RUNS.glob("*"):
            forget(folder)
        said = " ".join(str(error).split())
        sys.stdout.write(f"Must not be released: it broke, {kind.__name__}: {said}\n")


def forget(folder: Path) -> None:
    """Remove the reports of an earlier run, so that none is taken for this one's."""
    for name in (PAGE, SUMMARY, JUNIT):
        (folder / name).unlink(missing_ok=True)
