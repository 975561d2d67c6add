"""Compare what the bot does with what it did: every case of the suites, and messages.

Two processes ask all of it again; each case that came otherwise than it is stored is
named. The stored rows are those of the baselines. Beside them are the rows of the
messages, the fields of the response record and the outlines of what replies are built
of.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from bot.wiring import read_settings
from config.settings import Settings
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.record import Record
from evals import store
from evals.cases import messages
from evals.cases.suites import Library
from evals.compare import runs as baseline
from evals.compare.runs import BASELINES, ROOT
from evals.compare.settle import pack_of, score, settle
from evals.compare.stored import (
    MESSAGES,
    ROWS,
    Kind,
    Moved,
    StoredRow,
    find_moved,
    read_stored,
    store_row,
    write_stored,
)
from evals.compare.trend import TREND, append, make_point
from evals.compare.verdict import list_names
from evals.forms import Shape
from evals.record import recorder as record
from evals.record.recorder import CACHE, Plan, Tools
from evals.store import StoreFailed

BUILD = ROOT / "build" / "oracle"
WORKERS = 2
FIELDS = "record.txt"  # beside the packs' folders
OUTLINES = "shapes.jsonl"
RECORD = "record"  # in place of a pack, of what moved in the record's fields
_PLAIN = {"model": None, "judge": None}  # the oracle asks no model


@dataclass(frozen=True, slots=True)
class Job:
    """The suites of a pack, or its messages."""

    pack: str
    messages: bool

    @property
    def place(self) -> str:
        """Return the file of its rows, below the folder of the baselines."""
        return f"{self.pack}/{MESSAGES if self.messages else ROWS}"

    @property
    def title(self) -> str:
        """Return its title."""
        return f"{'messages' if self.messages else 'suites'} of {self.pack}"


@dataclass(frozen=True, slots=True)
class Asking:
    """The packs to ask, and the folders of the results.

    Attributes:
        packs: their ids.
        library: where suites, messages and packs are.
        out: the folder of the runs.
        cache: answers and corpora of earlier runs.
        workers: processes; with one, this.
        fresh: ask what the cache holds too.
    """

    packs: Sequence[str]
    library: Library = field(default_factory=Library)
    out: Path = BUILD
    cache: Path = CACHE
    workers: int = WORKERS
    fresh: bool = False

    def list_jobs(self) -> Sequence[Job]:
        """List all suites before all messages, so that no two make one corpus at
        once."""
        told = [p for p in self.packs if messages.load(p, self.library)]
        return [
            *(Job(pack, messages=False) for pack in self.packs),
            *(Job(pack, messages=True) for pack in told),
        ]

    def folder(self, job: Job) -> Path:
        """Return the folder of a job's run."""
        return self.out / job.pack / ("messages" if job.messages else "suites")


@dataclass(frozen=True)
class Asked:
    """The results: the rows of each job, and what replies are built of."""

    rows: Mapping[Job, Sequence[StoredRow]]
    outlines: Mapping[str, str]
    fields: Sequence[str] = ()

    @cached_property
    def count(self) -> int:
        """Count the rows."""
        return sum(map(len, self.rows.values()))


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that moved, and the pack that it moved in."""

    pack: str
    moved: Moved


# --- asking -----------------------------------------------------------------------


def ask(asking: Asking, done: Callable[[str], None]) -> Asked:
    """Ask every case, in several processes.

    Args:
        asking: what.
        done: called for each job that is over.

    Raises:
        UsageError: a suite, a message or a pack is wrong.
        EnvironmentFailed: something cannot be opened or written.
    """
    rows: dict[Job, Sequence[StoredRow]] = {}
    outlines: dict[str, str] = {}
    for job in _record_jobs(asking):
        rows[job], found = read_outcome(asking.folder(job))
        done(f"{job.title}: {len(rows[job])} rows")
        outlines |= found
    return Asked(rows, outlines, list_record_fields())


def _record_jobs(asking: Asking) -> Iterator[Job]:
    """Yield each job when it is over."""
    jobs = asking.list_jobs()
    if asking.workers < 2:
        for job in jobs:
            record_job(asking, job)
            yield job
        return
    pool = start_processes(asking.workers)
    waiting = {pool.submit(record_job, asking, job): job for job in jobs}
    try:
        for over in as_completed(waiting):
            over.result()
            yield waiting[over]
    finally:
        pool.shutdown(cancel_futures=True)


def start_processes(count: int) -> ProcessPoolExecutor:
    """Start so many processes, which end with this one, even when it is killed."""
    context = get_context("spawn")
    return ProcessPoolExecutor(count, context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent says that it was stopped
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent.join,), daemon=True).start()


def _exit_after(waited: Callable[[], None]) -> None:
    waited()
    os._exit(1)


def record_job(asking: Asking, job: Job) -> None:
    """Ask the cases of one job, in this process."""
    plan = Plan(
        pack=job.pack,
        out=asking.folder(job),
        messages=job.messages,
        cache=asking.cache,
        fresh=asking.fresh,
    )
    settings: Settings = read_settings().model_copy(update=_PLAIN)
    asyncio.run(record.record(plan, settings, asking.library, Tools()))


def read_outcome(folder: Path) -> tuple[Sequence[StoredRow], Mapping[str, str]]:
    """Read the rows of a run, and the outlines of what their replies are built of."""
    try:
        found = store.recorded(folder)
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    shapes: list[Shape] = []
    for row in found.rows:
        shapes += row.shown.shapes.values() if row.shown else ()
    rows = [store_row(row, found.cases[row.case]) for row in found.rows]
    return rows, {shape.hash: shape.outline for shape in shapes}


def refuse_unstored(asking: Asking, stored: Path, *, whole: bool) -> None:
    """Refuse what could not be compared, before anything is asked.

    Args:
        asking: what is to be asked.
        stored: the folder of the baselines.
        whole: whether all packs are asked, so that what is stored of others is of none.

    Raises:
        UsageError: nothing is stored of a pack, or what is stored is of no pack.
    """
    names = (ROWS, MESSAGES)
    packs = {file.parent.name for name in names for file in stored.glob(f"*/{name}")}
    for pack in asking.packs:
        if pack not in packs:
            _refuse_missing(stored / Job(pack, messages=False).place)
    gone = sorted(packs.difference(asking.packs)) if whole else []
    if gone:
        raise UsageError(
            f"{list_names(gone)}: rows are stored in {stored}, but there is no such "
            "pack. Put it back, or delete its folder there"
        )


# --- comparing --------------------------------------------------------------------


def find_differences(asked: Asked, stored: Path = BASELINES) -> Iterator[Difference]:
    """Yield all that moved against what is stored; a stored job not asked is gone.

    Raises:
        UsageError: nothing is stored yet.
        EnvironmentFailed: a file is damaged.
    """
    known = {**_read_outlines(stored), **asked.outlines}
    packs = dict.fromkeys(job.pack for job in asked.rows)
    each = (Job(pack, said) for pack in packs for said in (False, True))
    gone = (job for job in each if (stored / job.place).is_file())
    for job, rows in {**dict.fromkeys(gone, ()), **asked.rows}.items():
        for moved in find_moved(_read_rows(stored / job.place), rows):
            yield Difference(job.pack, _spell_out(moved, known))
    for moved in _compare_fields(_read_lines(stored / FIELDS), asked.fields):
        yield Difference(RECORD, moved)


def _compare_fields(then: Iterable[str], now: Iterable[str]) -> Iterator[Moved]:
    old, new = set(then), set(now)
    for line in sorted(old ^ new):
        gone = line in old
        yield Moved(line, Kind.FIELDS, *(("there", "gone") if gone else ("", "new")))


def _spell_out(moved: Moved, outlines: Mapping[str, str]) -> Moved:
    """Replace the hashes of a moved shape by what moved of its outline."""
    if moved.kind not in (Kind.SLACK, Kind.DISCORD):
        return moved
    then, now = (
        outlines.get(held, held).split("; ") for held in (moved.then, moved.now)
    )
    gone = "; ".join(part for part in then if part not in now)
    new = "; ".join(part for part in now if part not in then)
    inside = "inside of the same blocks"
    return Moved(moved.case, moved.kind, gone or inside, new or inside)


def _refuse_missing(file: Path) -> None:
    if not file.is_file():
        raise UsageError(f"{file}: is not stored: python -m evals oracle --pin")


def _read_rows(file: Path) -> Sequence[StoredRow]:
    _refuse_missing(file)
    try:
        return read_stored(file)
    except StoreFailed as error:
        raise EnvironmentFailed(store.of_baseline(error)) from error


def _read_outlines(stored: Path) -> dict[str, str]:
    file = stored / OUTLINES
    if not file.is_file():
        return {}
    try:
        lines = store.read_lines(file, lambda line: (line["hash"], line["outline"]))
        return dict(lines)
    except StoreFailed as error:
        raise EnvironmentFailed(store.of_baseline(error)) from error


def _read_lines(file: Path) -> Sequence[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines() if file.is_file() else ()
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFailed(f"{file}: cannot be read ({error})") from error


# --- storing ----------------------------------------------------------------------


def pin(asking: Asking, asked: Asked, stored: Path = BASELINES) -> None:
    """Store the results in place of what was stored of the same packs.

    Rows of suites hold what metrics say; the trend of each pack grows by a point.

    Raises:
        UsageError: something could not be asked or judged; nothing of it is stored.
        EnvironmentFailed: a file cannot be written.
    """
    for job, rows in asked.rows.items():
        failed = [row.case for row in rows if row.outcome == "error"]
        if failed:
            raise UsageError(f"{job.title}: {list_names(failed)} could not be asked")
    try:
        for job, rows in asked.rows.items():
            if job.messages:
                write_stored(stored / job.place, rows)
            else:
                _pin_suites(asking.folder(job), stored)
        store.place_lines(stored / FIELDS, asked.fields)
        store.place_lines(stored / OUTLINES, _list_used(asked, stored))
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error


def _pin_suites(folder: Path, stored: Path) -> None:
    """Judge a run, decide it, and store its rows with what the metrics say."""
    score(folder)
    made = settle(folder, stored)
    to = stored / pack_of(made.run)
    baseline.write(to, made.run)
    append(to / TREND, make_point(made.run, made.verdict))


def _list_used(asked: Asked, stored: Path) -> Iterator[str]:
    """Yield the outlines that some stored row of any pack refers to, as lines."""
    known = {**_read_outlines(stored), **asked.outlines}
    files = [f for n in (ROWS, MESSAGES) for f in stored.glob(f"*/{n}")]
    rows = (row for file in files for row in read_stored(file))
    used = {shape for row in rows for shape in row.shapes.values()}
    for name in sorted(used & known.keys()):
        yield store.canonical({"hash": name, "outline": known[name]})


# --- fields of the record ---------------------------------------------------------

REF = "$ref"
DEFS = "$defs"


def list_record_fields() -> tuple[str, ...]:
    """List every field of a record by its path, with its type, sorted.

    A list is shown by [], a mapping by {}, as in "sources[].quotes[].start: integer".
    """
    schema = Record.model_json_schema(mode="serialization")
    return tuple(sorted(set(_walk_schema("", schema, schema[DEFS], frozenset()))))


def _walk_schema(
    path: str, schema: Mapping[str, Any], of: Mapping[str, Any], above: frozenset[str]
) -> Iterator[str]:
    if REF in schema:
        name = str(schema[REF]).rpartition("/")[2]
        if name in above:
            yield f"{path}: {name}"
        else:
            yield from _walk_schema(path, of[name], of, above | {name})
        return
    for kind in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(kind, ()):
            yield from _walk_schema(path, each, of, above)
    for name, each in schema.get("properties", {}).items():
        yield from _walk_schema(f"{path}.{name}".lstrip("."), each, of, above)
    for name, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(name), Mapping):
            yield from _walk_schema(f"{path}{mark}", schema[name], of, above)
    yield from _describe_leaf(path, schema)


def _describe_leaf(path: str, schema: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        yield f"{path}: {' | '.join(sorted(map(str, values)))}"
    elif schema.get("type") not in (None, "object", "array"):
        yield f"{path}: {schema['type']}"
    elif path:
        kind = schema.get("type")
        if kind is not None or len(schema) == 0:
            yield f"{path}: {kind or 'anything'}"
