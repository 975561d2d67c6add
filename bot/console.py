"""What commands say beside their results: progress and remarks, on standard error."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from adapters.reply import inert, one_line
from adapters.terminal import make_console
from bot.documents.ingest import Steps
from engine.model.errors import GroundruleError, IndexAway, IndexFailed


def say(text: str) -> None:
    """One remark on standard error."""
    sys.stderr.write(inert(text) + "\n")


def explained(error: GroundruleError) -> str:
    """An error's sentence; of an index that may be damaged with what makes it anew."""
    said = str(error)
    damaged = isinstance(error, IndexFailed) and not isinstance(error, IndexAway)
    if damaged and "reindex" not in said:
        return f"{said}; `groundrule reindex --fresh` makes the index anew"
    return said


def tell(text: str) -> None:
    """One line of a result on standard output, tabs kept."""
    sys.stdout.write(inert(text) + "\n")


def rows(head: Sequence[str], lines: Iterable[Sequence[object]], nothing: str) -> None:
    """Lines with tabs on standard output, and on standard error what stands in them.

    So other programs read the lines alone. `nothing` is said where there is none.
    """
    told = ["\t".join(one_line(str(cell)) for cell in line) for line in lines]
    say("\t".join(head) if told else nothing)
    for line in told:
        tell(line)


def out() -> Console:
    """The console of results."""
    return make_console(sys.stdout)


@contextmanager
def bar(what: str, total: int) -> Iterator[Steps]:
    """A progress bar over files, with chunks a second; only on a terminal."""
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

        yield Steps(file=lambda: progress.advance(task), chunks=chunks)


@contextmanager
def byte_bar(total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar over a file of questions, told how many bytes were read."""
    errors = make_console(sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal
    ) as progress:
        task = progress.add_task("questions", total=total)
        yield lambda done: progress.update(task, completed=done)
