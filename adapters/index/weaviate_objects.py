"""Chunks and versions as objects of a Weaviate server, written and read back.

An object never changes. All objects of one version have its key as their `owner`, and
the ledger decides which keys are in force.
"""

import base64
import binascii
import json
import threading
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID, uuid5

import numpy as np
from pydantic import ValidationError

from adapters.index.catalogue import StoredVersion
from adapters.index.lexical import Bools, weigh
from adapters.index.upkeep import IndexKey
from adapters.index.weaviate_shelf import FOREVER, HALVES, Kind
from adapters.index.written import count_words
from engine.model.errors import IndexFailed
from engine.model.passage import Chunk
from engine.model.ports import Entry, Floats, Int32s, TokenVectors

Properties: TypeAlias = dict[str, object]
Found: TypeAlias = Mapping[str, object]

SEARCH_FIELDS = ("body", "chunk", "owner", "ordinal", "stems", "length", "exact")
ASKED_FIELDS = ("owner", "ordinal", "body", "exact")
VERSION_FIELDS = ("source", "tags", "demo", "length", "counts")
FLOATS = np.dtype("<f4")  # of exact vectors
SIZES = np.dtype("<i4")  # of token vectors: rows, columns
SPREAD = 0.1  # length of the noise added to a unit vector; cosines differ by .005
COMPUTED = {"relevance", "parts", "picks", "question"}  # by retrieval, never stored


@dataclass(eq=False, slots=True)
class Terms:
    """A numbering of terms, which only grows."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def tally(self, counts: Mapping[str, int]) -> "Tally":
        """Convert counts to arrays; any thread may call it."""
        known = self._numbers
        with self._turn:
            numbers = [known.setdefault(term, len(known)) for term in counts]
        return Tally(
            self, np.array(numbers, np.int32), np.array([*counts.values()], np.int32)
        )

    def named(self, numbers: Int32s, counts: Int32s) -> dict[str, int]:
        """Map terms to counts, given their numbers."""
        with self._turn:
            names = list(self._numbers)
        pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
        return {names[number]: count for number, count in pairs}


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """For each term of one version the number of its chunks with it."""

    terms: Terms
    numbers: Int32s
    counts: Int32s


class Counted:
    """The tallies of several versions, with terms of one numbering.

    A version of 200 chunks has thousands of terms, and an index thousands of versions,
    so the terms are numbered and the counts kept in arrays.
    """

    def __init__(self, tallies: Sequence[Tally]) -> None:
        none = [np.zeros(0, np.int32)]
        self._terms = tallies[0].terms if tallies else Terms()
        self._number = np.concatenate([one.numbers for one in tallies] or none)
        self._count = np.concatenate([one.counts for one in tallies] or none)
        self._owner: Int32s = np.repeat(
            np.arange(len(tallies), dtype=np.int32), [len(t.numbers) for t in tallies]
        )

    def total(self, visible: Bools) -> Mapping[str, int]:
        """Map terms to the number of chunks of visible versions with them."""
        at = visible[self._owner]
        sums = np.bincount(self._number[at], weights=self._count[at])
        held = np.flatnonzero(sums).astype(np.int32)
        return self._terms.named(held, sums[held].astype(np.int32))


@dataclass(frozen=True, slots=True)
class Version:
    """One version in force: its row in the ledger, and the fields of its object.

    `stems` and `words` count its chunks with each, `asked` its chunks with questions
    that they answer, `length` is the sum of weighted stems.
    """

    row: IndexKey
    source: str
    tags: frozenset[str]
    demo: bool
    length: float
    stems: Tally
    words: Tally
    asked: int

    def stored(self, at: int) -> StoredVersion:
        """Convert to the embedded form, so that one rule decides who sees it."""
        row = self.row
        return StoredVersion(
            key=at,
            pack=row.pack,
            tenant=row.tenant,
            document=row.document,
            version=row.version,
            state=row.state,
            first_row=0,
            rows=row.chunks,
            in_force_from=row.in_force_from,
            in_force_to=row.in_force_to,
            tags=self.tags,
            demo=self.demo,
            source=self.source,
        )


def make_chunk_key(owner: UUID, at: int) -> UUID:
    """Make the name of a chunk's object from its place in its version."""
    return uuid5(owner, str(at))


def make_token_key(chunk: UUID) -> UUID:
    """Make the name of the object with a chunk's token vectors."""
    return uuid5(chunk, "tokens")


# --- written --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredObjects:
    """The objects of a version by their names; `vectors` are those of its chunks."""

    version: Properties
    objects: Mapping[UUID, Properties]
    vectors: Mapping[UUID, Floats]
    asked: int


def make_objects(row: IndexKey, entries: Sequence[Entry]) -> StoredObjects:
    """Make all objects of a version from its entries in the order of their chunks.

    Token vectors are apart from their chunk, because a search reads whole objects: with
    22 kB of token vectors in each, lexical search took 61 ms instead of 6 (2,000
    chunks).
    """
    owner = row.uuid
    stems: Counter[str] = Counter()
    objects: dict[UUID, Properties] = {}
    vectors: dict[UUID, Floats] = {}
    total, asked = 0.0, 0
    for at, entry in enumerate(entries):
        weights, key = weigh(entry.chunk), make_chunk_key(owner, at)
        length = float(sum(weights.values()))
        stems.update(weights.keys())
        total += length
        exact = {
            "stems": _write_stems(weights),
            "exact": _encode(_to_bytes(entry.vector)),
        }
        own = _make_chunk_fields(entry.chunk, row.pack) | exact | {"length": length}
        objects[key] = own | _make_owner_fields(row, Kind.CHUNK)
        vectors[key] = spread_vector(key, entry.vector.astype(np.float32))
        tokens = {"tokens": _pack_tokens(entry.tokens)}
        objects[make_token_key(key)] = tokens | _make_owner_fields(row, Kind.TOKENS)
        if entry.questions:
            asked += 1
            objects[uuid5(key, "asked")] = _make_question_fields(
                entry
            ) | _make_owner_fields(row, Kind.ASKED)
    first, words = entries[0].chunk, count_words(entry.chunk for entry in entries)
    counts = json.dumps([stems, words, asked]).encode()
    version: Properties = {
        "pack": row.pack,
        "document": row.document,
        "version": row.version,
        "source": first.source,
        "tags": sorted(first.tags),
        "demo": first.demo,
        "length": total,
        "counts": _encode(zlib.compress(counts)),
    }
    return StoredObjects(
        version | _make_owner_fields(row, Kind.VERSION), objects, vectors, asked
    )


def _make_owner_fields(row: IndexKey, kind: Kind) -> Properties:
    return {"kind": kind.value, "owner": row.key}


def _make_question_fields(entry: Entry) -> Properties:
    vectors = np.stack([question.vector for question in entry.questions])
    return {
        "ordinal": entry.chunk.ordinal,
        "body": json.dumps([question.text for question in entry.questions]),
        "exact": _encode(_to_bytes(vectors)),
    }


def _make_chunk_fields(chunk: Chunk, pack: str) -> Properties:
    """Make the properties of a chunk: its JSON, and the fields that filters use.

    With every field as a property the client spent 7 of the 38 ms of one search on
    parsing properties.
    """
    begins, ends = chunk.in_force_from, chunk.in_force_to
    return {
        "body": chunk.model_dump_json(exclude=COMPUTED),
        "chunk": chunk.id,
        "document": chunk.document,
        "source": chunk.source,
        "ordinal": chunk.ordinal,
        "tags": list(chunk.tags),
        "restricted": bool(chunk.tags),
        "demo": chunk.demo,
        "pack": pack,
        "begins": begins.toordinal() if begins else 0,
        "ends": ends.toordinal() if ends else FOREVER,
    }


def _write_stems(weights: Mapping[str, float]) -> str:
    """Write each stem as often as its weight says, in half units.

    Each has a space on both sides, so that counting " stem " gives the weight back.
    """
    return "".join(
        f" {stem} " * round(weight * HALVES) for stem, weight in weights.items()
    )


def _pack_tokens(tokens: TokenVectors) -> str:
    sizes = np.array(tokens.values.shape, SIZES)
    return _encode(
        sizes.tobytes()
        + tokens.values.astype(np.int8).tobytes()
        + tokens.spans.astype("<i4").tobytes()
    )


def spread_vector(key: UUID, exact: Floats) -> Floats:
    """Move a chunk's vector a little, for the server's vector index.

    Equal vectors, such as of a licence in every document, form a cluster in the HNSW
    graph without edges to other nodes, so that unrelated passages are not found any
    more (weaviate issue 7977). Noise of length SPREAD, seeded by the name, prevents
    that. Scores are computed from the exact vectors.
    """
    chance = np.random.default_rng(key.int).normal(size=exact.shape)
    moved = exact + SPREAD * chance / np.linalg.norm(chance)
    unit: Floats = (moved / np.linalg.norm(moved)).astype(np.float32)
    return unit


# --- read -----------------------------------------------------------------------------


def read_chunk(found: Found) -> Chunk:
    """Read the chunk of an object.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return Chunk.model_validate_json(str(found["body"]))
    except (KeyError, ValidationError) as error:
        raise _make_unreadable("chunk") from error


def read_version(row: IndexKey, found: Found, terms: Terms) -> Version:
    """Read the version of a row, with its terms numbered by `terms`.

    Raises:
        IndexFailed: its object cannot be read.
    """
    try:
        stems, words, asked = json.loads(zlib.decompress(_decode(found["counts"])))
        tags = found.get("tags")
        return Version(
            row=row,
            source=str(found["source"]),
            tags=frozenset(map(str, tags if isinstance(tags, list | tuple) else ())),
            demo=bool(found["demo"]),
            length=float(str(found["length"])),
            stems=terms.tally(stems),
            words=terms.tally(words),
            asked=int(asked),
        )
    except (KeyError, ValueError, zlib.error) as error:
        raise _make_unreadable("version") from error


def read_tokens(found: Found) -> TokenVectors:
    """Read the token vectors of a chunk's object.

    Raises:
        IndexFailed: they cannot be read.
    """
    try:
        raw = _decode(found["tokens"])
        rows, reduced = np.frombuffer(raw, SIZES, 2).tolist()
        values, spans = rows * reduced, 2 * rows
        at = 2 * SIZES.itemsize
        return TokenVectors(
            np.frombuffer(raw, np.int8, values, at).reshape(rows, reduced).copy(),
            np.frombuffer(raw, SIZES, spans, at + values)
            .reshape(rows, 2)
            .astype(np.int32),
        )
    except (KeyError, ValueError) as error:
        raise _make_unreadable("chunk's token vectors") from error


def read_questions(found: Found) -> tuple[list[str], Floats]:
    """Read the texts and vectors of an object with questions.

    Raises:
        IndexFailed: they cannot be read.
    """
    try:
        texts = [str(text) for text in json.loads(str(found["body"]))]
        vectors = np.frombuffer(_decode(found["exact"]), FLOATS).reshape(len(texts), -1)
    except (KeyError, TypeError, ValueError) as error:
        raise _make_unreadable("chunk's questions") from error
    return texts, vectors


def read_vector(found: Found) -> Floats:
    """Read the exact vector of a chunk's object.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return np.frombuffer(_decode(found["exact"]), FLOATS)
    except (KeyError, ValueError) as error:
        raise _make_unreadable("chunk's vector") from error


def _to_bytes(vectors: Floats) -> bytes:
    return vectors.astype(FLOATS).tobytes()


def _encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _decode(value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except binascii.Error as error:
        raise ValueError("no base64") from error


def _make_unreadable(what: str) -> IndexFailed:
    return IndexFailed(
        f"a stored {what} cannot be read: run `groundrule reindex --fresh`"
    )
