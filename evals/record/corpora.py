"""Data folders that suites are asked of: made once for their content, copied for use.

A folder is named by a hash of what makes it: documents, pack, chunker, embedder and the
code that takes documents in. A changed corpus is a copy in which only the changed
documents are taken in again. Questions are never asked in the folder that is kept,
because asking writes.
"""

import asyncio
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from adapters.inert import many
from adapters.loaders.sandbox import Parser, list_served
from bot.console import bar, say
from bot.documents.corpus import Corpus
from bot.documents.demo import ABOUT
from bot.documents.indexing import CHUNKER
from bot.documents.ingest import Job, Steps, ingest, look
from bot.documents.writing import one_writer
from bot.wiring import Application
from config.settings import Settings
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.ports import Embedder
from engine.model.spans import Span
from engine.policy.pack import Pack
from evals.cases import changes as files
from evals.forms import Change
from evals.record import manifest
from evals.record.cassettes import SharedModels

CORPORA = "corpora"  # in the folder of what is kept from run to run
WHOLE = "whole"  # marks a folder that was made to the end; dated by its last use
UNUSED_S = 14 * 24 * 3600.0  # after which a folder is deleted
DATA = "data"
PATIENCE_S = 600.0  # another run may be making the same folder
MADE_ON = date(2026, 7, 1)  # no row depends on it


class FixedClock:
    """The Clock port at noon of one day, whose seconds do not pass.

    What a refusal offers is tried for a share of a question's time, and no row may
    depend on how busy the machine is. Seconds pass where a model is asked, because its
    answer is waited for.

    Args:
        today: the day, in any time zone of people.
        passing: true where seconds pass.
    """

    def __init__(self, today: date, *, passing: bool = False) -> None:
        self._passing = passing
        self._now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)

    def now(self) -> datetime:
        """Return noon of the day."""
        return self._now

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back."""
        return time.monotonic() if self._passing else 0.0


class Listener:
    """The Observer port: keeps what failed inside, by the session of its question."""

    def __init__(self) -> None:
        self._failures: dict[str, str] = {}

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        """Keep a failure, and nothing of any other event."""
        if name == "engine_failed":
            said = f"{fields.get('error')} ({fields.get('code')})"
            self._failures[str(fields.get("sessionId"))] = said

    def count(self, metric: str, labels: Mapping[str, str]) -> None:
        """Count nothing: metrics read rows."""

    def observe(self, metric: str, value: float) -> None:
        """Measure nothing: timings.jsonl has the times."""

    def trace(self, spans: Sequence[Span]) -> None:
        """Trace nothing."""

    def failure(self, session: str) -> str:
        """Return what failed in a session, empty where nothing did."""
        return self._failures.get(session, "")


@dataclass(frozen=True, slots=True)
class Place:
    """A corpus as it is kept: its data folder and the documents it was made from."""

    data: Path
    documents: Path


@dataclass(frozen=True, slots=True)
class Opened:
    """A corpus to be asked of; `roots` are folders that document paths lie in."""

    application: Application
    listener: Listener
    roots: tuple[Path, ...]

    def path(self, stored: str) -> str:
        """Return a document's path below its corpus folder."""
        for root in self.roots:
            lead = f"{root.as_posix()}/"
            if stored.startswith(lead):
                return stored.removeprefix(lead)
        return stored


class Corpora:
    """The corpora of one pack; use it as a context manager.

    Args:
        settings: of the process; its data folder is never touched.
        pack: whose documents they are.
        embedder: of questions and passages.
        models: that draft, where the settings name some.
        cache: where they are kept.
    """

    def __init__(
        self,
        settings: Settings,
        pack: Pack,
        embedder: Embedder,
        models: SharedModels,
        cache: Path,
    ) -> None:
        # Evaluations write neither into an installation's ledger nor into its index.
        own = {"index": "embedded", "database_url": None, "debug": False}
        self._settings = settings.model_copy(update=own)
        self._pack = pack
        self._embedder = embedder
        self.models = models
        self._cache = cache
        self._parser = Parser()
        # The parser's child answers one request at a time, and a lock of files blocks.
        self._turn = asyncio.Lock()
        self._code = manifest.hash_ingesting()
        self._served = list_served(pack.sources)
        self._keys: dict[Path, str] = {}
        self._places: dict[Path, Place] = {}

    def __enter__(self) -> "Corpora":
        return self

    def __exit__(self, *_: object) -> None:
        self._parser.close()

    def key(self, folder: Path) -> str:
        """Return the content address of a folder's corpus.

        Raises:
            UsageError: the folder holds no document.
        """
        if folder not in self._keys:
            self._keys[folder] = self._hash_corpus(folder)
        return self._keys[folder]

    def _hash_corpus(self, folder: Path) -> str:
        return manifest.hash_content(
            {
                "documents": manifest.hash_files(self._list_documents(folder), folder),
                "folder": folder.name,  # the register's globs see it
                "pack": [self._pack.id, self._pack.hash],
                "embedder": self._embedder.name,
                "chunker": CHUNKER,
                "code": self._code,
            }
        )

    async def place(self, folder: Path) -> Place:
        """Return the place of a folder's corpus, made where it is not there yet.

        Raises:
            UsageError: a document of it cannot be taken in.
            EnvironmentFailed: the folder cannot be written, or another process makes it
                and does not come to an end.
        """
        async with self._turn:
            if folder not in self._places:
                self._places[folder] = await self._keep(folder)
            return self._places[folder]

    @asynccontextmanager
    async def opened(
        self, folder: Path, changes: Sequence[Change], today: date
    ) -> AsyncIterator[Opened]:
        """Copy a folder's corpus and make changes to it, to be asked on a day.

        Raises:
            UsageError: a change names a document or a text that is not there.
            EnvironmentFailed: the copy cannot be made.
        """
        place = await self.place(folder)
        with tempfile.TemporaryDirectory(prefix="groundrule-evals-") as name:
            work = _copy(place.data, Path(name))
            changed = work / folder.name
            listener = Listener()
            async with self._application(work / DATA, today, listener) as application:
                if changes:
                    corpus = application.corpus(self._pack)
                    async with self._turn:
                        await self._change(corpus, place.documents, changed, changes)
                yield Opened(application, listener, (changed, place.documents))

    def _application(self, data: Path, today: date, listener: Listener) -> Application:
        application = Application(
            self._settings.model_copy(update={"data": data}),
            embedder=self._embedder,
            clock=FixedClock(today, passing=self.models.configured),
            observer=listener,
        )
        application.models = self.models
        return application

    # --- making -------------------------------------------------------------------

    async def _keep(self, folder: Path) -> Place:
        home = (self._cache / self.key(folder)[:32]).resolve()
        place = Place(home / DATA, home / folder.name)
        try:
            home.mkdir(parents=True, exist_ok=True)
            with one_writer(home, PATIENCE_S):
                if not (home / WHOLE).exists():
                    await self._make(folder, place)
                (home / WHOLE).touch()
            self._forget()
        except OSError as error:
            raise EnvironmentFailed(
                f"cannot write in {self._cache} ({error.strerror})"
            ) from error
        return place

    def _list_documents(self, folder: Path) -> list[Path]:
        found = look(folder, self._served)
        root = folder.resolve()
        every = (*found.files, *found.questions)
        return [folder / file.relative_to(root) for file in every if file.name != ABOUT]

    def _forget(self) -> None:
        """Delete the corpora that were not used for a long time."""
        oldest = time.time() - UNUSED_S
        for mark in self._cache.glob(f"*/{WHOLE}"):
            if mark.stat().st_mtime < oldest:
                shutil.rmtree(mark.parent, ignore_errors=True)

    async def _make(self, folder: Path, place: Place) -> None:
        for old in (place.data, place.documents):
            shutil.rmtree(old, ignore_errors=True)
        for file in self._list_documents(folder):
            copy = place.documents / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        began = time.monotonic()
        found = look(place.documents, self._served)
        title = f"corpus {folder.name} of {self._pack.id}"
        async with self._application(place.data, MADE_ON, Listener()) as application:
            with bar(title, len(found.files)) as steps:
                corpus = application.corpus(self._pack)
                await self._ingest(corpus, place.documents, steps)
        took = time.monotonic() - began
        say(f"{title}: {many(len(found.files), 'file')} taken in, {took:.0f} s")

    async def _ingest(self, corpus: Corpus, root: Path, steps: Steps) -> None:
        job = Job(root, again=True, demo=True)
        summary = await ingest(
            corpus, self._parser, job, look(root, self._served), steps
        )
        if summary.failures:
            raise UsageError("\n".join(summary.failures))

    async def _change(
        self, corpus: Corpus, documents: Path, changed: Path, wanted: Sequence[Change]
    ) -> None:
        """Take the changed documents out, and in again as they are now."""
        wrote = False
        for path, changes in _group_by_path(wanted).items():
            before = documents / path
            text = files.apply_changes(_read_text(before, path), changes)
            await _withdraw(corpus, before)
            if text is not None:
                after = changed / path
                after.parent.mkdir(parents=True, exist_ok=True)
                after.write_text(text, encoding="utf-8", newline="")
                wrote = True
        if wrote:
            await self._ingest(corpus, changed, Steps())


async def _withdraw(corpus: Corpus, file: Path) -> None:
    """Take the documents of a file out of ledger and index."""
    place = file.as_posix()
    for member in await corpus.documents.memberships(corpus.pack.id):
        if member.path.partition("#")[0] == place:
            await corpus.index.withdraw(corpus.pack.id, member.document)
            await corpus.documents.withdraw(corpus.pack.id, member.document)


def _group_by_path(changes: Iterable[Change]) -> Mapping[str, Sequence[Change]]:
    found: defaultdict[str, list[Change]] = defaultdict(list)
    for change in changes:
        found[change.path].append(change)
    return found


def _read_text(file: Path, path: str) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise UsageError(
            f"{path}: a case changes this document, and the corpus has none of it"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be changed ({error})") from error


def _copy(data: Path, work: Path) -> Path:
    """Copy a data folder and return the folder that holds it, as ledgers name it.

    Raises:
        EnvironmentFailed: it cannot be copied.
    """
    try:
        shutil.copytree(data, work / DATA)
    except (OSError, shutil.Error) as error:
        raise EnvironmentFailed(f"cannot copy {data}: {error}") from error
    return work.resolve()
