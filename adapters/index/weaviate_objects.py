"""What an index on a Weaviate server is made of, and how its objects are read."""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
from pydantic import ValidationError

from adapters.index.catalogue import State, StoredVersion
from adapters.index.weaviate_counted import Tally, Terms
from engine.model.errors import IndexFailed
from engine.model.passage import Chunk
from engine.model.ports import Floats, TokenVectors

Properties: TypeAlias = dict[str, object]

SEARCH_FIELDS = ("body", "chunk", "owner", "ordinal", "stems", "length", "exact")
ASKED_FIELDS = ("owner", "ordinal", "body", "exact")
CATALOGUE_FIELDS = (
    *("kind", "pack", "document", "version", "source", "tags", "demo", "force_from"),
    *("force_to", "born", "came", "cut", "owner", "ended_at"),
    *("chunks", "length", "counts"),
)
END_FIELDS = ("kind", "owner", "pack", "born", "chunks", "ended_at")
HEAD = uuid5(NAMESPACE_URL, "groundrule/head")
FLOATS = np.dtype("<f4")  # of exact vectors
SPREAD = 0.1  # length of what is added to a vector of length 1: cosines differ by .005
SIZES = np.dtype("<i4")  # of token vectors: rows, columns


@dataclass(frozen=True, slots=True)
class Head:
    """What a tenant shows: everything up to a revision. `flip` names who set it.

    What was dropped by the revision `purged` may be deleted, so who has not read that
    it was dropped cannot read it any more.
    """

    revision: int = 0
    flip: str = ""
    purged: int = 0


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a document in a tenant, as its object says; it never changes.

    It came with revision `came`. `born` is that of this copy of it: a version that is
    put out of force is written anew, and then `ends` is the last day it is in force
    for. `stems` and `words` count its chunks that hold each, `asked` those with
    questions that they answer.
    """

    key: UUID
    pack: str
    document: str
    version: str
    source: str
    tags: frozenset[str]
    demo: bool
    force_from: date | None
    force_to: date | None
    born: int
    came: int
    chunks: int
    length: float
    stems: Tally
    words: Tally
    ends: date | None = None
    asked: int = 0

    @property
    def current(self) -> bool:
        """Whether no other version took its place."""
        return self.ends is None

    def row(self, key: int, tenant: str) -> StoredVersion:
        """The same as the embedded index has it, so that one rule says who sees it."""
        return StoredVersion(
            key=key,
            pack=self.pack,
            tenant=tenant,
            document=self.document,
            version=self.version,
            state=State.CURRENT if self.current else State.SUPERSEDED,
            first_row=0,
            rows=self.chunks,
            in_force_from=self.force_from,
            in_force_to=self.force_to if self.ends is None else self.ends,
            tags=self.tags,
            demo=self.demo,
            source=self.source,
        )

    def chunk_keys(self) -> list[UUID]:
        """The names of its chunks' objects, in order."""
        return [chunk_key(self.key, at) for at in range(self.chunks)]


@dataclass(frozen=True, slots=True)
class End:
    """That a version is seen by nobody from revision `born` on, as its object says.

    `at` is when that was, in seconds since 1970.
    """

    key: UUID
    owner: UUID
    pack: str
    born: int
    chunks: int
    at: float


def chunk_key(owner: UUID, at: int) -> UUID:
    """The name of a chunk's object, by its place in its version."""
    return uuid5(owner, str(at))


def token_key(chunk: UUID) -> UUID:
    """The name of the object with a chunk's token vectors."""
    return uuid5(chunk, "tokens")


def asked_key(chunk: UUID) -> UUID:
    """The name of the object with the questions that a chunk answers."""
    return uuid5(chunk, "asked")


def chunk_of(found: Mapping[str, object]) -> Chunk:
    """The chunk of an object.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return Chunk.model_validate_json(str(found["body"]))
    except (KeyError, ValidationError) as error:
        raise _unreadable("chunk") from error


def version_of(key: UUID, found: Mapping[str, object], terms: Terms) -> Version:
    """The version of an object, its terms numbered as `terms` has them.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        stems, written, *asked = json.loads(zlib.decompress(_raw(found["counts"])))
        return Version(
            key=key,
            pack=str(found["pack"]),
            document=str(found["document"]),
            version=str(found["version"]),
            source=str(found["source"]),
            tags=frozenset(map(str, _listed(found.get("tags")))),
            demo=bool(found["demo"]),
            force_from=_day(found.get("force_from")),
            force_to=_day(found.get("force_to")),
            born=_whole(found["born"]),
            came=_whole(found["came"]),
            chunks=_whole(found["chunks"]),
            length=float(str(found["length"])),
            stems=terms.tally(stems),
            words=terms.tally(written),
            ends=_day(found.get("cut")),
            asked=_whole(asked[0]) if asked else 0,
        )
    except (KeyError, ValueError, zlib.error) as error:
        raise _unreadable("version") from error


def end_of(key: UUID, found: Mapping[str, object]) -> End:
    """The end of a version.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return End(
            key=key,
            owner=UUID(str(found["owner"])),
            pack=str(found["pack"]),
            born=_whole(found["born"]),
            chunks=_whole(found["chunks"]),
            at=float(str(found["ended_at"])),
        )
    except (KeyError, ValueError) as error:
        raise _unreadable("end of a version") from error


def tokens_of(found: Mapping[str, object]) -> TokenVectors:
    """The token vectors of a chunk's object.

    Raises:
        IndexFailed: they cannot be read.
    """
    try:
        raw = _raw(found["tokens"])
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
        raise _unreadable("chunk's token vectors") from error


def asked_of(found: Mapping[str, object]) -> tuple[list[str], Floats]:
    """The texts and vectors of an object with questions.

    Raises:
        IndexFailed: they cannot be read.
    """
    try:
        texts = [str(text) for text in json.loads(str(found["body"]))]
        vectors = np.frombuffer(_raw(found["exact"]), FLOATS).reshape(len(texts), -1)
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable("chunk's questions") from error
    return texts, vectors


def vector_of(found: Mapping[str, object]) -> Floats:
    """The exact vector of a chunk's object.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return np.frombuffer(_raw(found["exact"]), FLOATS)
    except (KeyError, ValueError) as error:
        raise _unreadable("chunk's vector") from error


def spread(key: UUID, exact: Floats) -> Floats:
    """The vector by which a server finds a chunk: its own, moved a little.

    Equal vectors, of a licence that stands in every document, lead the graph of a
    server nowhere else: it loses the way to passages that have nothing to do with them
    (weaviate issue 7977). Moved by SPREAD, each by its name, they do not; scores are
    computed from the exact ones.
    """
    chance = np.random.default_rng(key.int).normal(size=exact.shape)
    moved = exact + SPREAD * chance / np.linalg.norm(chance)
    unit: Floats = (moved / np.linalg.norm(moved)).astype(np.float32)
    return unit


def head_of(found: Mapping[str, object]) -> Head:
    """The head of a tenant.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return Head(
            _whole(found["revision"]), str(found["flip"]), _whole(found["purged"])
        )
    except (KeyError, ValueError) as error:
        raise _unreadable("head") from error


def _whole(value: object) -> int:
    return int(str(value))


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _day(value: object) -> date | None:
    return date.fromisoformat(str(value)) if value else None


def _raw(value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except binascii.Error as error:
        raise ValueError("no base64") from error


def _unreadable(what: str) -> IndexFailed:
    return IndexFailed(
        f"a stored {what} cannot be read: run `groundrule reindex --fresh`"
    )
