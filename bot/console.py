"""Output of the commands: results, and progress and remarks on standard error."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from adapters.reply import inert, many, one_line
from adapters.terminal import make_console
from bot.documents.ingest import Steps
from bot.pages.templates import write_page
from engine.model.errors import GroundruleError, IndexAway, IndexFailed

MANY = 20  # questions to try from which on somebody is told how long it takes


def say(text: str) -> None:
    """Write one remark on standard error."""
    sys.stderr.write(inert(text) + "\n")


def explain(error: GroundruleError) -> str:
    """Return an error's sentence; of a damaged index, with what makes it again."""
    said = str(error)
    damaged = isinstance(error, IndexFailed) and not isinstance(error, IndexAway)
    if damaged and "reindex" not in said:
        return f"{said}; `groundrule reindex --fresh` makes the index anew"
    return said


def tell(text: str) -> None:
    """Write one line of a result on standard output, tabs kept."""
    sys.stdout.write(inert(text) + "\n")


def print_rows(
    head: Sequence[str], lines: Iterable[Sequence[object]], nothing: str
) -> None:
    """Write lines with tabs on standard output, and the names of columns on standard
    error.

    So other programs read the lines alone. `nothing` is said where there is none.
    """
    told = ["\t".join(one_line(str(cell)) for cell in line) for line in lines]
    say("\t".join(head) if told else nothing)
    for line in told:
        tell(line)


def export_lines(
    lines: Sequence[str], what: str, to: Path | None, number: int | None = None
) -> None:
    """Print lines, or put them into a file and say how many things they are.

    Raises:
        EnvironmentFailed: the file cannot be written.
    """
    if to is None:
        for line in lines:
            tell(line)
        return
    write_page("".join(f"{line}\n" for line in lines), to)
    tell(f"{many(len(lines) if number is None else number, what)} in {to}")


def out() -> Console:
    """Open the console of results."""
    return make_console(sys.stdout)


@contextmanager
def bar(what: str, total: int) -> Iterator[Steps]:
    """Show a progress bar over files, with chunks a second; only on a terminal.

    Behind the files come the questions that they store, each tried on the gate.
    """
    errors = make_console(sys.stderr)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[chunks]} chunks, {task.fields[rate]:.0f}/s"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal
    ) as progress:
        task = progress.add_task(what, total=total, chunks=0, rate=0.0)

        def chunks(number: int) -> None:
            state = progress.tasks[0]
            done = int(state.fields["chunks"]) + number
            rate = done / max(state.elapsed or 0.0, 0.1)
            progress.update(task, chunks=done, rate=rate)

        def questions(number: int, of: int) -> None:
            if number == 1 and of >= MANY:
                say(
                    f"Trying {of} questions of files on the gate: about a second each"
                    " with the large reader."
                )
            said = f"{what}, question {number} of {of} on the gate"
            progress.update(task, description=said)

        yield Steps(
            file=lambda: progress.advance(task), chunks=chunks, questions=questions
        )


@contextmanager
def byte_bar(total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar over a file of questions, told how many bytes were read."""
    errors = make_console(sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal
    ) as progress:
        task = progress.add_task("questions", total=total)
        yield lambda done: progress.update(task, completed=done)
