"""Ingestion: a file or folder of documents into a pack, incremental and safe to repeat.

Files are parsed in the parser's child process and built into documents by one thread,
some files ahead, while passages are embedded. A version is stored in the ledger first
and put into the index after it: what a crash left between the two is found by comparing
both on the next run.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from bot.documents.asked import Gathering, Wanted
from bot.documents.copies import Same
from bot.documents.corpus import Corpus
from bot.documents.folder import Folder as Folder
from bot.documents.folder import explain_unread
from bot.documents.folder import look as look
from bot.documents.holdings import Holdings, file_of, is_same
from bot.documents.indexing import Indexer, cut_chunks
from bot.documents.limiting import TOPICS, Limiting
from bot.documents.register import Bound, Register, Rule
from engine.documents.corpus import build_document
from engine.model.document import Document, IngestAction, Parsed
from engine.model.errors import DocumentError
from engine.model.passage import Chunk
from engine.policy.links import find_page, permit_link
from engine.policy.names import add_titled_thing
from engine.text.legible import find_disguise

AHEAD = 4  # files parsed before their turn
WHOLE = frozenset({".json"})  # files of records that go in whole or not at all


def _today() -> date:
    return datetime.now(UTC).date()


class Parser(Protocol):
    """Reads the documents of one file, bounded."""

    def parse(
        self,
        path: Path,
        relative: str,
        report: Callable[[DocumentError], None],
    ) -> list[Parsed]: ...


@dataclass(frozen=True, slots=True)
class Job:
    """What to ingest: `path` is a file or a folder.

    `source` binds every file; `tags` are access tags for every document; `prune`
    withdraws what was ingested from below the folder and is gone; `replace` lets a file
    take over the id of another, `again` takes in what was withdrawn;
    `demo` says that these are the demo texts of the pack, `strict_links`
    refuses what names an address that its source does not have. `today` is the
    day that no document may have been published or fetched after. `held` reads again
    what is held and nothing else: it keeps its source and its tags.
    """

    path: Path
    source: str | None = None
    tags: tuple[str, ...] = ()
    prune: bool = False
    replace: bool = False
    again: bool = False
    demo: bool = False
    strict_links: bool = False
    today: date = field(default_factory=_today)
    held: bool = False


@dataclass(frozen=True, slots=True)
class Steps:
    """Told as ingestion goes on; files are counted as they are taken up.

    `questions` is told which of how many stored questions is being tried.
    """

    file: Callable[[], None] = lambda: None
    chunks: Callable[[int], None] = lambda number: None
    questions: Callable[[int, int], None] = lambda number, of: None


@dataclass(slots=True)
class Summary:
    """The result of an ingestion.

    `bound` counts the documents that are in by source and by the rule that found it,
    `globs` are those of the register that took some; `notes` name what was left out,
    and what moved, without being a failure. `remarks` are said of several documents,
    each of them with the first one. `taken` are the documents that are in.
    """

    actions: Counter[IngestAction] = field(default_factory=Counter)
    bound: Counter[tuple[str, Rule]] = field(default_factory=Counter)
    globs: dict[str, set[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: dict[str, list[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    chunks: int = 0

    def add(self, other: "Summary") -> None:
        """Add the result of another ingestion."""
        self.actions += other.actions
        self.bound += other.bound
        self.failures += other.failures
        self.notes += other.notes
        for remark, paths in other.remarks.items():
            self.remarks.setdefault(remark, []).extend(paths)
        self.taken |= other.taken
        self.chunks += other.chunks

    def note_failure(self, message: str) -> None:
        """Note a document that could not go in."""
        self.actions["failed"] += 1
        self.failures.append(message)

    def note_remarks(self, document: Document, remarks: Iterable[str]) -> None:
        """Note what is worth knowing of a document that went in."""
        for remark in remarks:
            self.remarks.setdefault(remark, []).append(document.path)

    def summarize_remarks(self) -> Iterator[str]:
        """Yield each remark with the first of its documents and their number."""
        for remark, paths in self.remarks.items():
            more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
            yield f"{paths[0]}{more}: {remark}"

    def note_skipped(self, message: str) -> None:  # on purpose
        self.actions["skipped"] += 1
        self.notes.append(message)


@dataclass(frozen=True, slots=True)
class _Built:
    """A document with its chunks; none where the index has them already.

    `bound` is how its source was found, `questions` what its front matter says,
    `unlinked` the address there that its source does not have, `remarks` what the
    summary should say of it.
    """

    document: Document
    bound: Bound
    chunks: tuple[Chunk, ...] = ()
    questions: tuple[str, ...] = ()
    unlinked: str | None = None
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class _File:
    """One parsed file: its documents and what was wrong with it."""

    path: Path
    built: list[_Built] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


async def ingest(
    corpus: Corpus, parser: Parser, job: Job, folder: Folder, steps: Steps
) -> Summary:
    """Take the documents of a folder into a pack.

    Args:
        corpus: the pack's corpus.
        parser: reads files.
        job: what was asked for.
        folder: `look` of its path.
        steps: told as it goes on.

    Raises:
        UsageError: the job names an unknown source.
        EnvironmentFailed: ledger, index or embedder failed; run it again to go on.
    """
    return await _Run(corpus, parser, job, folder, steps).run()


class _Run:
    """One ingestion."""

    def __init__(
        self, corpus: Corpus, parser: Parser, job: Job, folder: Folder, steps: Steps
    ) -> None:
        self._corpus = corpus
        self._parser = parser
        self._job = job
        self._folder = folder
        self._files = frozenset(folder.files)
        self._steps = steps
        self._register = Register(corpus.pack.sources, job.source, demo=job.demo)
        self._indexer = Indexer(corpus, self._count_chunks)
        self._summary = Summary()
        self._summary.actions["skipped"] = folder.skipped
        self._summary.notes += [
            f"skipped: {loop}: a link that leads back to itself; remove it"
            for loop in folder.loops
        ]
        self._summary.notes += [
            f"skipped: {line}" for line in explain_unread(folder.root, folder.unread)
        ]
        whole = job.path.is_dir() and not job.held
        self._asked = Gathering(
            corpus, folder, whole=whole, demo=job.demo, keep=job.held
        )
        self._seen: dict[str, str] = {}
        self._troubled: set[Path] = set()
        self._indexed: Mapping[str, str] = {}
        self._holdings = Holdings((), job.today)
        self._limits = Limiting(corpus.pack, job.tags, folder, ())
        self._same = Same(self._read)
        self._pruned: set[str] = set()

    async def run(self) -> Summary:
        corpus = self._corpus
        self._indexed = await corpus.index.versions(corpus.pack.id, corpus.tenant)
        members = await corpus.documents.memberships(corpus.shelf)
        self._holdings = Holdings(members, self._job.today)
        self._limits = Limiting(corpus.pack, self._job.tags, self._folder, members)
        async with aclosing(self._parse_ahead()) as files:
            async for file in files:
                await self._take_in(file)
        await self._indexer.finish()
        self._summary.notes += await self._asked.finish(
            self._indexer, self._steps.questions
        )
        for problem in self._asked.problems:
            self._summary.note_failure(problem)
        if self._job.prune:
            await self._prune()
        held = {} if self._job.held else self._holdings.current
        unread = {name: held[name] for name in held if name not in self._pruned}
        self._summary.notes += self._same.notes(unread)
        return self._summary

    def _count_chunks(self, number: int) -> None:
        self._summary.chunks += number
        self._steps.chunks(number)

    # --- files, in a thread -------------------------------------------------------

    async def _parse_ahead(self) -> AsyncGenerator[_File, None]:
        """Yield the files in order, each parsed while those before it are taken in."""
        loop = asyncio.get_running_loop()
        ahead: deque[asyncio.Future[_File]] = deque()
        pool = ThreadPoolExecutor(1)
        try:
            for path in self._folder.files:
                ahead.append(loop.run_in_executor(pool, self._parse, path))
                if len(ahead) > AHEAD:
                    yield await ahead.popleft()
            while ahead:
                yield await ahead.popleft()
        finally:
            pool.shutdown(cancel_futures=True)

    def _parse(self, path: Path) -> _File:
        file = _File(path)
        relative = path.relative_to(self._folder.root).as_posix()

        def report(error: DocumentError) -> None:
            file.problems.append(str(error))

        try:
            parsed = self._parser.parse(path, relative, report)
        except DocumentError as error:
            report(error)
            return file
        for document in parsed:
            try:
                built = self._build(document)
            except DocumentError as error:
                report(error)
            else:
                file.built += [built] if built is not None else []
        if file.problems and path.suffix.lower() in WHOLE:
            file.built.clear()
        return file

    def _build(self, parsed: Parsed) -> _Built | None:
        """Build a document under its full path, with its id or the one held.

        None where only what is held is read again, and it is not.

        Raises:
            DocumentError: it has no registered source, or no text, is of a day to come,
                or has tags that may be meant to keep people out.
        """
        _refuse_future(parsed, self._job.today)
        if parsed.topics:
            self._limits.refuse_topics(parsed.path)
        root = self._folder.root
        full = f"{root.as_posix().rstrip('/')}/{parsed.path}"
        bound, tags = self._find_source(parsed, full)
        if bound is None:
            return None
        source, known = bound.source, self._holdings.find_id(full)
        unlinked = parsed.url if permit_link(parsed.url, source) is None else None
        if unlinked is not None:
            name = parsed.id or self._take_for_id(unlinked)
            parsed = parsed.model_copy(update={"url": None, "id": name})
        if known is not None and parsed.id is None and parsed.url is None:
            parsed = parsed.model_copy(update={"id": known})
        document = build_document(
            parsed,
            source.id,
            publisher=source.publisher,
            tags=(*source.tags, *tags),
            demo=source.demo,
        ).model_copy(update={"path": full})
        if (flaw := find_disguise(document.id)) is not None:
            raise DocumentError(
                f"{parsed.path}: its id {document.id!r} {flaw}: it could be taken for "
                "another; name the file otherwise, or write a plain `id:` in it"
            )
        if document.url is None:
            document = document.model_copy(update={"url": find_page(full, source)})
        document = add_titled_thing(document, self._corpus.pack.things)
        known_version = self._indexed.get(document.id) == document.version
        chunks = () if known_version else cut_chunks(self._corpus.pack, document)
        remarks = (TOPICS, *parsed.remarks) if parsed.topics else parsed.remarks
        return _Built(document, bound, chunks, parsed.questions, unlinked, remarks)

    def _take_for_id(self, url: str) -> str | None:
        """Use an address that is no link as an id, unless it is another source's."""
        sources = self._corpus.pack.sources
        taken = any(permit_link(url, source) is not None for source in sources)
        return None if taken else url

    def _find_source(
        self, parsed: Parsed, full: str
    ) -> tuple[Bound | None, tuple[str, ...]]:
        """Return a document's source, and the tags that it has beside its own.

        Raises:
            DocumentError: it has no registered source.
        """
        if not self._job.held:
            root = self._folder.root
            bound = self._register.find_source(parsed, f"{root.name}/{parsed.path}")
            return bound, self._job.tags
        held = self._holdings.find_member(parsed.id or parsed.url or "", full)
        if held is None:
            return None, ()
        return self._register.find_held(held.source), tuple(held.tags)

    # --- into ledger and index ----------------------------------------------------

    async def _take_in(self, file: _File) -> None:
        self._steps.file()
        for problem in file.problems:
            self._troubled.add(file.path)
            self._summary.note_failure(problem)
        if not file.built and not file.problems:
            self._troubled.add(file.path)
            self._summary.note_skipped(f"skipped: {file.path}: holds no document")
        for built in file.built:
            await self._take_in_document(built, file.path)

    async def _take_in_document(self, built: _Built, path: Path) -> None:
        document = built.document
        try:
            if self._stays_withdrawn(document) or await self._is_older(document):
                return
            self._check_link(built)
            await self._check_home(document)
            first = self._seen.setdefault(document.id, document.path)
            if first != document.path:
                raise DocumentError(
                    f"{document.path}: has the same id as {first} ({document.id}); "
                    "give one of them another `id` or `url`"
                )
            await self._store(built)
            await self._same.add(document)
        except DocumentError as error:
            self._troubled.add(path)
            self._summary.note_failure(str(error))
        else:
            self._summary.bound[document.source, built.bound.rule] += 1
            if built.bound.glob is not None:
                globs = self._summary.globs.setdefault(document.source, set())
                globs.add(built.bound.glob)
            self._summary.taken.add(document.id)
            self._summary.note_remarks(document, built.remarks)

    def _check_link(self, built: _Built) -> None:
        """Name an address that its source does not have: it goes in without.

        Raises:
            DocumentError: it does so, and links are strict.
        """
        if built.unlinked is None:
            return
        document = built.document
        told = (
            f"{document.path}: url: {built.unlinked!r} lies below no address that "
            f"sources.yaml has for the source {document.source}"
        )
        if self._job.strict_links:
            raise DocumentError(f"{told}; correct it, or name it in url_prefixes")
        self._summary.notes.append(f"no link: {told}")

    def _stays_withdrawn(self, document: Document) -> bool:
        """Tell whether it was withdrawn and stays so, and note it then."""
        if self._job.again or not self._holdings.was_withdrawn(document.id):
            return False
        self._summary.note_skipped(
            f"left out: {document.path}: {document.id} was withdrawn; "
            "--again takes it in"
        )
        return True

    async def _is_older(self, document: Document) -> bool:
        """Tell whether a copy is older than the one held, and note it then."""
        if self._job.replace:
            return False
        store, shelf = self._corpus.documents, self._corpus.shelf
        held = await self._holdings.find_newer_day(document, store, shelf)
        if held:
            self._summary.note_skipped(
                f"left out: {document.path}: is of {document.retrieved}, and "
                f"{document.id} is held as of {held}; --replace takes the older one in"
            )
        return held is not None

    async def _check_home(self, document: Document) -> None:
        """Keep a file from replacing another one's document, unless that is wanted.

        A file that was only moved, and says the same of itself, replaces nothing.

        Raises:
            DocumentError: the id belongs to another file.
        """
        home = self._holdings.find_owner(document)
        if home is None:
            return
        if not self._job.replace:
            stored = None if home.exists() else await self._read_stored(document)
            if stored is None or not is_same(stored, document):
                raise DocumentError(
                    f"{document.path}: has the id of {home} ({document.id}), whose "
                    "document it would replace; give it an `id` of its own in its "
                    "front matter, or use another --source, or --replace if that is "
                    "wanted"
                )
        self._summary.notes.append(
            f"moved: {document.id} from {home} to {document.path}"
        )

    async def _store(self, built: _Built) -> None:
        """Store in the ledger first, then in the index.

        Where only the description of a version changed, the index goes first: after a
        crash between the two, the next run still sees the difference, and old access
        tags are not searched for good.
        """
        document = built.document
        wanted = await self._asked.gather(document, built.questions)
        if self._indexed.get(document.id) != document.version:
            await self._record(document, wanted)
            await self._indexer.add(
                document.id, built.chunks, questions=wanted.questions
            )
            return
        stored = None if wanted.changed else await self._read_stored(document)
        if stored == document:
            self._summary.actions["unchanged"] += 1
        elif stored is not None and is_same(stored, document):
            await self._record(document, wanted)
        else:
            chunks = cut_chunks(self._corpus.pack, document)
            record = partial(self._record, document, wanted)
            await self._indexer.add(document.id, chunks, record, wanted.questions)

    async def _read(self, document: str, version: str) -> Document | None:
        corpus = self._corpus
        return await corpus.documents.document(document, version, corpus.shelf)

    async def _record(self, document: Document, wanted: Wanted) -> None:
        corpus, version = self._corpus, document.version
        action = await corpus.documents.store_document(corpus.shelf, document)
        asked = await corpus.documents.store_questions(
            corpus.shelf, document.id, version, wanted.questions
        )
        if action == "unchanged":
            # In the ledger, and its questions changed or it is not in the index: an
            # earlier run was cut off between them.
            action = "changed" if asked else "added"
        self._summary.actions[action] += 1

    async def _read_stored(self, document: Document) -> Document | None:
        """Read the ledger's copy of this version where it is current in this pack."""
        member = self._holdings.current.get(document.id)
        if member is None or member.version != document.version:
            return None
        return await self._read(document.id, document.version)

    async def _prune(self) -> None:
        """Withdraw what came from below the folder and is there no more.

        The index goes first: what is still in the ledger is found again next time.
        """
        corpus = self._corpus
        every = ((m.document, m.path) for m in self._holdings.current.values())
        for gone, place in every:
            if gone not in self._seen and self._is_gone(place):
                await corpus.index.withdraw(corpus.pack.id, gone, corpus.tenant)
                await corpus.documents.withdraw(corpus.shelf, gone, pruned=True)
                self._summary.actions["pruned"] += 1
                self._pruned.add(gone)

    def _is_gone(self, place: str) -> bool:
        """Tell whether a document's file, or its line in it, is gone from the folder.

        A file that is there and was not, or not wholly, read keeps its documents.
        """
        file = file_of(place)
        read = file in self._files and file not in self._troubled
        inside = file.is_relative_to(self._folder.root)
        return inside and (read or not file.exists())


def _refuse_future(parsed: Parsed, today: date) -> None:
    """Refuse a document of a day to come: no later copy would take its place.

    A law may come into force later. Somewhere it is tomorrow already.

    Raises:
        DocumentError: with field and day.
    """
    for name, day in (("published", parsed.published), ("retrieved", parsed.retrieved)):
        if day is not None and day > today + timedelta(days=1):
            raise DocumentError(
                f"{parsed.path}: {name} is {day}, which is still to come"
            )
