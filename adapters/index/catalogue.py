"""The catalogue of the embedded index: which chunks exist and who may see them.

One SQLite database in WAL mode. A write is one transaction that also holds SQLite's
write lock while the arrays are appended, so there is one writer at a time, a killed
writer leaves nothing behind, and no lock can become stale.
"""

import errno
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import Path

from adapters.index.segments import Extent
from adapters.index.upkeep import SHARED, State
from adapters.index.written import StoredWords
from engine.model.errors import IndexFailed, IndexFull
from engine.model.passage import Chunk
from engine.model.ports import StoredQuestion
from engine.text.words import VERSION as LEXICON

SCHEMA = 4
TABLES = """
CREATE TABLE identity (field TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE head (
    revision INTEGER NOT NULL, generation INTEGER NOT NULL, rows INTEGER NOT NULL,
    tokens INTEGER NOT NULL, terms INTEGER NOT NULL,
    questions INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE documents (
    key INTEGER PRIMARY KEY, pack TEXT NOT NULL, tenant TEXT NOT NULL,
    document TEXT NOT NULL, version TEXT NOT NULL, state INTEGER NOT NULL,
    first_row INTEGER NOT NULL, rows INTEGER NOT NULL, in_force_from TEXT,
    in_force_to TEXT, tags TEXT NOT NULL, demo INTEGER NOT NULL
);
CREATE INDEX documents_by_name ON documents (pack, tenant, document);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE INDEX chunks_by_id ON chunks (id);
CREATE INDEX chunks_by_place ON chunks (document, ordinal);
CREATE TABLE vocabulary (number INTEGER PRIMARY KEY, stem TEXT NOT NULL);
CREATE TABLE questions (
    number INTEGER PRIMARY KEY, row INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
CREATE TABLE counted (document INTEGER PRIMARY KEY, counts BLOB NOT NULL);
INSERT INTO head VALUES (0, 1, 0, 0, 0, 0);
"""


FILE = "catalogue.db"


# SQLite's codes of a full or nearly full disk: FULL, and IOERR in WRITE, TRUNCATE,
# SHMSIZE, SHMMAP.
_NO_ROOM = frozenset({13, 778, 1546, 4874, 5386})


@dataclass(frozen=True, slots=True)
class Identity:
    """The embedder, reducer and chunker of an index; others cannot use it.

    `embedder` is `Embedder.name`, which covers the reducer; `chunker` names the version
    of the chunker.
    """

    embedder: str
    dimension: int
    reduced: int
    chunker: str


@dataclass(frozen=True, slots=True)
class Head:
    """The state of the whole index: `revision` grows by one with every write."""

    revision: int
    extent: Extent


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of a document in a pack, as rows `first_row` to `first_row + rows`.

    `tenant` owns it. `tags` are its access tags; none means that everybody sees it.
    `source` is read from its chunks.
    """

    key: int
    pack: str
    tenant: str
    document: str
    version: str
    state: State
    first_row: int
    rows: int
    in_force_from: date | None
    in_force_to: date | None
    tags: frozenset[str]
    demo: bool
    source: str


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """One chunk without its vectors; `body` is its JSON."""

    row: int
    id: str
    document: int
    ordinal: int
    body: str


@dataclass(frozen=True, slots=True)
class StoredQuestions:
    """The stored questions by number, which is the row of the vector in its array."""

    db: sqlite3.Connection

    def add(self, first: int, asked: Iterable[tuple[int, StoredQuestion]]) -> None:
        """Number questions from `first` on, each with the row of its chunk."""
        self.db.executemany(
            "INSERT INTO questions VALUES (?, ?, ?)",
            (
                (number, row, question.text)
                for number, (row, question) in enumerate(asked, first)
            ),
        )

    def read_rows(self, beyond: int) -> list[int]:
        """Read the chunk's row of each question numbered `beyond` and up, in order."""
        found = self.db.execute(
            "SELECT row FROM questions WHERE number >= ? ORDER BY number", (beyond,)
        )
        return [row for (row,) in found]

    def read_texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Map question numbers to texts."""
        marks = ",".join("?" * len(numbers))
        found = self.db.execute(
            f"SELECT number, text FROM questions WHERE number IN ({marks})", numbers
        )
        return dict(found.fetchall())

    def read_within(self, rows: range) -> list[tuple[int, int, str]]:
        """Read number, row and text of the questions of these rows, in order."""
        return self.db.execute(
            "SELECT number, row, text FROM questions WHERE row >= ? AND row < ? "
            "ORDER BY number",
            (rows.start, rows.stop),
        ).fetchall()

    def replace(self, kept: Iterable[tuple[int, int, str]]) -> None:
        """Replace all questions by these."""
        rows = list(kept)
        self.db.execute("DELETE FROM questions")
        self.db.executemany("INSERT INTO questions VALUES (?, ?, ?)", rows)


class Catalogue:
    """One connection to the database, for one caller at a time.

    Raises IndexFailed when the database cannot be used: locked by another writer for
    longer than `patience` seconds, full disk, damage, other identity, other schema.
    """

    def __init__(self, folder: Path, identity: Identity, patience: float) -> None:
        self._folder = folder
        # Several threads search, and each transaction belongs to one of them.
        self._turn = threading.Lock()
        with self._translate_errors():
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                folder / FILE,
                timeout=patience,
                isolation_level=None,
                check_same_thread=False,
            )
            self._db.row_factory = sqlite3.Row
            with ExitStack() as undo:
                undo.callback(self._db.close)
                self._prepare(identity)
                undo.pop_all()

    def close(self) -> None:
        with self._turn, self._translate_errors():
            self._db.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Open a transaction in which all reads see the same state."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open a transaction that becomes visible as a whole, or not at all."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    def read_head(self) -> Head:
        revision, *extent = self._db.execute("SELECT * FROM head").fetchone()
        return Head(revision, Extent(*extent))

    def advance(self, extent: Extent) -> None:
        """Set the committed extent and increment the revision, within `writing`."""
        self._db.execute(
            "UPDATE head SET revision = revision + 1, generation = ?, rows = ?, "
            "tokens = ?, terms = ?, questions = ?",
            astuple(extent),
        )

    def list_versions(self) -> list[StoredVersion]:
        """List every stored version in the order of its rows."""
        return self._select_versions("ORDER BY first_row, key", ())

    def list_searchable(
        self, pack: str, tenant: str, document: str
    ) -> list[StoredVersion]:
        """List the versions of a document that a search may still return."""
        return self._select_versions(
            "WHERE pack = ? AND tenant = ? AND document = ? AND state < ?",
            (pack, tenant, document, State.DROPPED),
        )

    def map_current(self, pack: str, tenant: str) -> dict[str, str]:
        """Map document ids to their current versions."""
        return dict(
            self._db.execute(
                "SELECT document, version FROM documents "
                "WHERE pack = ? AND tenant = ? AND state = ? ORDER BY document",
                (pack, tenant, State.CURRENT),
            ).fetchall()
        )

    def add_version(self, version: StoredVersion) -> int:
        """Store a version under a new key (its own is ignored) and return the key."""
        cursor = self._db.execute(
            "INSERT INTO documents VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                version.pack,
                version.tenant,
                version.document,
                version.version,
                version.state,
                version.first_row,
                version.rows,
                version.in_force_from and version.in_force_from.isoformat(),
                version.in_force_to and version.in_force_to.isoformat(),
                pack_tags(version.tags),
                version.demo,
            ),
        )
        return int(cursor.lastrowid or 0)

    def retire(self, key: int, state: State, in_force_to: date | None = None) -> None:
        """End a version: superseded until a date, or dropped."""
        self._db.execute(
            "UPDATE documents SET state = ?, in_force_to = coalesce(?, in_force_to) "
            "WHERE key = ?",
            (state, in_force_to and in_force_to.isoformat(), key),
        )

    def add_chunks(self, chunks: Iterable[StoredChunk]) -> None:
        self._db.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
            ((c.row, c.id, c.document, c.ordinal, c.body) for c in chunks),
        )

    def read_bodies(self, rows: Iterable[int]) -> dict[int, str]:
        """Map rows to the JSON of their chunks."""
        wanted = list(rows)
        marks = ",".join("?" * len(wanted))
        return dict(
            self._db.execute(
                f"SELECT row, body FROM chunks WHERE row IN ({marks})", wanted
            ).fetchall()
        )

    def find_rows(self, pack: str, ids: Sequence[str], tenant: str) -> dict[str, int]:
        """Map the chunk ids that a tenant's askers may see in a pack to their rows.

        The tenant's own chunk wins over a shared one, and then the newest.
        """
        marks = ",".join("?" * len(ids))
        return dict(
            self._db.execute(
                "SELECT c.id, c.row FROM chunks c "
                "CROSS JOIN documents d ON d.key = c.document "
                f"WHERE c.id IN ({marks}) AND d.pack = ? AND d.tenant IN (?, ?) "
                "ORDER BY d.tenant = ?, c.row",
                (*ids, pack, SHARED, tenant, tenant),
            ).fetchall()
        )

    def read_around(
        self, pack: str, chunk: Chunk, ordinals: range, tenant: str
    ) -> list[str]:
        """Read the JSON of a version's chunks at these ordinals, in order."""
        version = (pack, chunk.document, chunk.version, State.DROPPED)
        return [
            body
            for (body,) in self._db.execute(
                "SELECT body FROM chunks WHERE ordinal BETWEEN ? AND ? AND document = ("
                "SELECT key FROM documents WHERE pack = ? AND document = ? "
                "AND version = ? AND state < ? AND tenant IN (?, ?) "
                "ORDER BY tenant = ? DESC, key DESC LIMIT 1) ORDER BY ordinal",
                (ordinals[0], ordinals[-1], *version, SHARED, tenant, tenant),
            )
        ]

    def read_stems(self, beyond: int) -> list[str]:
        """Read the stems numbered `beyond` and up, in order."""
        asked = "SELECT stem FROM vocabulary WHERE number >= ? ORDER BY number"
        return [stem for (stem,) in self._db.execute(asked, (beyond,))]

    def add_stems(self, numbered: Mapping[str, int]) -> None:
        self._db.executemany(
            "INSERT INTO vocabulary VALUES (?, ?)",
            ((number, stem) for stem, number in numbered.items()),
        )

    @property
    def questions(self) -> StoredQuestions:
        """Return the store of questions, in the same transactions."""
        return StoredQuestions(self._db)

    @property
    def words(self) -> StoredWords:
        """Return the store of word counts, in the same transactions."""
        return StoredWords(self._db)

    def move_version(self, version: StoredVersion, first_row: int) -> None:
        """Note that compaction moved the rows of a version down, within `writing`."""
        shift = version.first_row - first_row
        if shift:
            self._db.execute(
                "UPDATE chunks SET row = row - ? WHERE document = ?",
                (shift, version.key),
            )
            self._db.execute(
                "UPDATE documents SET first_row = ? WHERE key = ?",
                (first_row, version.key),
            )

    def delete_dropped(self) -> None:
        """Delete dropped versions and their chunks, within `writing`.

        Compaction deletes their questions, because it renumbers the others.
        """
        for table in ("chunks", "counted"):
            self._db.execute(
                f"DELETE FROM {table} WHERE document IN "
                "(SELECT key FROM documents WHERE state = ?)",
                (State.DROPPED,),
            )
        self._db.execute("DELETE FROM documents WHERE state = ?", (State.DROPPED,))

    def _select_versions(
        self, where: str, values: Sequence[object]
    ) -> list[StoredVersion]:
        found = self._db.execute(
            "SELECT *, (SELECT json_extract(body, '$.source') FROM chunks "
            f"WHERE row = first_row) AS source FROM documents {where}",
            values,
        )
        return [
            StoredVersion(
                key=row["key"],
                pack=row["pack"],
                tenant=row["tenant"],
                document=row["document"],
                version=row["version"],
                state=State(row["state"]),
                first_row=row["first_row"],
                rows=row["rows"],
                in_force_from=_parse_day(row["in_force_from"]),
                in_force_to=_parse_day(row["in_force_to"]),
                tags=unpack_tags(row["tags"]),
                demo=bool(row["demo"]),
                source=row["source"],
            )
            for row in found
        ]

    def _prepare(self, identity: Identity) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        expected = {
            **{name: str(getattr(identity, name)) for name in Identity.__slots__},
            "lexicon": LEXICON,
        }
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        if schema == 0:
            self._create(expected)
        elif schema != SCHEMA:
            raise IndexFailed(
                f"the index in {self._folder} was made by another version of this "
                f"program (schema {schema}, this one reads {SCHEMA}): make it anew "
                "with `groundrule reindex --fresh`"
            )
        stored = dict(self._db.execute("SELECT field, value FROM identity"))
        for field, value in expected.items():
            if stored.get(field) != value:
                raise IndexFailed(
                    f"the index in {self._folder} was made with {field} "
                    f"{stored.get(field)}, this program uses {value}; the two cannot "
                    "be mixed: run `groundrule reindex` to make a second index "
                    "beside it, or put the old setting back"
                )

    def _create(self, identity: Mapping[str, str]) -> None:
        with self.writing():
            (schema,) = self._db.execute("PRAGMA user_version").fetchone()
            if schema:
                return  # another process was faster
            for statement in TABLES.split(";"):
                self._db.execute(statement)
            self._db.executemany("INSERT INTO identity VALUES (?, ?)", identity.items())
            self._db.execute(f"PRAGMA user_version = {SCHEMA}")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._turn, self._translate_errors():
            self._db.execute(begin)
            with ExitStack() as undo:
                undo.callback(self._roll_back)
                yield
                self._db.execute("COMMIT")

    def _make_full(self, error: Exception) -> IndexFull:
        return IndexFull(
            f"the index in {self._folder} finds no room on the disk ({error}): free "
            "some space; nothing of it is lost"
        )

    def _roll_back(self) -> None:
        """Roll a transaction back, unless it was committed."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if error.__class__ is sqlite3.OperationalError and "locked" in str(error):
                raise IndexFailed(
                    f"another process is writing to the index in {self._folder}: "
                    "wait until it is done, or stop it"
                ) from error
            if getattr(error, "sqlite_errorcode", None) in _NO_ROOM:
                raise self._make_full(error) from error
            raise IndexFailed(f"the index in {self._folder} failed: {error}") from error
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._make_full(error) from error
            raise IndexFailed(
                f"the index in {self._folder} failed: {error.strerror or error} "
                f"({error.filename or self._folder}); is there space on the disk?"
            ) from error


def _parse_day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def pack_tags(tags: Iterable[str]) -> str:
    """Write tags as a column value; it is empty only where there is none."""
    listed = sorted(tags)
    return json.dumps(listed, ensure_ascii=False) if listed else ""


def unpack_tags(stored: str) -> frozenset[str]:
    """Read the tags of a column; an older index holds one a line."""
    if not stored:
        return frozenset()
    try:
        listed = json.loads(stored)
    except ValueError:
        listed = None
    lines = listed if isinstance(listed, list) else stored.split("\n")
    return frozenset(map(str, lines))
