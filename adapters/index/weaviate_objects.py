"""Chunks, versions and heads as a Weaviate server stores them, and back."""

import base64
import binascii
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
from pydantic import ValidationError

from adapters.index.catalogue import State, StoredVersion
from adapters.index.lexical import weigh
from adapters.index.weaviate_schema import FOREVER, HALVES, Kind
from engine.errors import IndexFailed
from engine.lexicon import words
from engine.ports import Entry, TokenVectors
from engine.records import Chunk

Properties: TypeAlias = dict[str, object]

SEARCH_FIELDS = ("body", "chunk", "owner", "ordinal", "stems", "length")
VERSION_FIELDS = (
    *("pack", "document", "version", "source", "tags", "demo", "force_from"),
    *("force_to", "born", "replaced", "replaced_ends", "died", "died_at"),
    *("chunks", "length", "counts"),
)
HEAD = uuid5(NAMESPACE_URL, "groundrule/head")
SEAL = uuid5(NAMESPACE_URL, "groundrule/seal")
_COMPUTED = {"relevance", "parts", "picks"}  # set by engine/retrieve, never stored
_SIZES = np.dtype("<i4")  # of token vectors: rows, columns, sentence rows, columns


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
    """One version of a document in a tenant, as its object says.

    It came with revision `born`, was current before revision `replaced`, and can be
    found before revision `died`. `ends` is the last day it is in force for, as far as
    a successor shortened it. `stems` and `words` count its chunks that hold each.
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
    chunks: int
    length: float
    stems: Mapping[str, int]
    words: Mapping[str, int]
    replaced: int = FOREVER
    died: int = FOREVER
    ends: date | None = None
    died_at: float = 0.0

    def state(self, revision: int) -> State:
        """What it is for a reader of a revision that it was born before."""
        if revision >= self.died:
            return State.DROPPED
        return State.SUPERSEDED if revision >= self.replaced else State.CURRENT

    def row(self, key: int, tenant: str, revision: int) -> StoredVersion:
        """The same as the embedded index has it, so that one rule says who sees it."""
        state = self.state(revision)
        superseded = state is State.SUPERSEDED and self.ends is not None
        return StoredVersion(
            key=key,
            pack=self.pack,
            tenant=tenant,
            document=self.document,
            version=self.version,
            state=state,
            first_row=0,
            rows=self.chunks,
            in_force_from=self.force_from,
            in_force_to=self.ends if superseded else self.force_to,
            tags=self.tags,
            demo=self.demo,
            source=self.source,
        )

    def chunk_keys(self) -> list[UUID]:
        """The names of its chunks' objects, in order."""
        return [chunk_key(self.key, at) for at in range(self.chunks)]


def version_key(tenant: str, chunk: Chunk, pack: str, born: int) -> UUID:
    """The name of a version's object: the same for the same write, done again."""
    said = json.dumps([tenant, pack, chunk.document, chunk.version, born])
    return uuid5(HEAD, said)


def chunk_key(owner: UUID, at: int) -> UUID:
    """The name of a chunk's object, by its place in its version."""
    return uuid5(owner, str(at))


def token_key(chunk: UUID) -> UUID:
    """The name of the object with a chunk's token vectors."""
    return uuid5(chunk, "tokens")


# --- to the server ----------------------------------------------------------------


def new_version(
    entries: Sequence[Entry], key: UUID, pack: str, born: int
) -> tuple[Version, list[Properties]]:
    """A version with the properties of its chunks, in the order of the entries."""
    first = entries[0].chunk
    stems: Counter[str] = Counter()
    written: Counter[str] = Counter()
    chunks: list[Properties] = []
    total = 0.0
    for entry in entries:
        weights = weigh(entry.chunk)
        length = float(sum(weights.values()))
        stems.update(weights.keys())
        total += length
        chunk = entry.chunk
        shown = (chunk.title, *chunk.section, chunk.text)
        written.update(set(words("\n".join(shown))))
        chunks.append(
            {
                **_described(chunk, pack, born),
                "kind": Kind.CHUNK.value,
                "owner": str(key),
                "stems": _spelled(weights),
                "length": length,
            }
        )
    version = Version(
        key=key,
        pack=pack,
        document=first.document,
        version=first.version,
        source=first.source,
        tags=frozenset(first.tags),
        demo=first.demo,
        force_from=first.in_force_from,
        force_to=first.in_force_to,
        born=born,
        chunks=len(entries),
        length=total,
        stems=stems,
        words=written,
    )
    return version, chunks


def token_properties(entry: Entry, version: Version) -> Properties:
    """What the object with the token vectors of a chunk holds.

    They stand apart from the chunk: a search reads whole objects, and with 22 kB of
    token vectors in each the lexical arm took 61 ms instead of 6 (2,000 chunks).
    """
    return {
        "kind": Kind.TOKENS.value,
        "owner": str(version.key),
        "born": version.born,
        "tokens": _packed(entry.tokens),
    }


def version_properties(version: Version) -> Properties:
    """What the object of a new version holds."""
    counts = json.dumps([dict(version.stems), dict(version.words)]).encode()
    return {
        "kind": Kind.VERSION.value,
        "pack": version.pack,
        "document": version.document,
        "version": version.version,
        "source": version.source,
        "tags": sorted(version.tags),
        "demo": version.demo,
        "force_from": _iso(version.force_from),
        "force_to": _iso(version.force_to),
        "born": version.born,
        "chunks": version.chunks,
        "length": version.length,
        "counts": _text(zlib.compress(counts)),
        **living(),
    }


def living() -> Properties:
    """The marks of what nobody has replaced or taken out."""
    return {"replaced": FOREVER, "replaced_ends": FOREVER, "died": FOREVER}


def _described(chunk: Chunk, pack: str, born: int) -> Properties:
    """A chunk as JSON, and of its fields those that something is filtered by.

    Each field as a property of its own made the client spend 7 of 38 ms on taking the
    properties of one search apart.
    """
    begins, ends = chunk.in_force_from, chunk.in_force_to
    return {
        "body": chunk.model_dump_json(exclude=_COMPUTED),
        "chunk": chunk.id,
        "document": chunk.document,
        "version": chunk.version,
        "source": chunk.source,
        "ordinal": chunk.ordinal,
        "tags": list(chunk.tags),
        "restricted": bool(chunk.tags),
        "demo": chunk.demo,
        "pack": pack,
        "born": born,
        "begins": begins.toordinal() if begins else 0,
        "ends": ends.toordinal() if ends else FOREVER,
        **living(),
    }


def _spelled(weights: Mapping[str, float]) -> str:
    """Each stem as often as its weight says, in half units, with a space around each.

    So " stem " stands in it exactly as often.
    """
    return "".join(
        f" {stem} " * round(weight * HALVES) for stem, weight in weights.items()
    )


def _packed(tokens: TokenVectors) -> str:
    sentences = tokens.sentences
    if sentences is None:
        sentences = np.empty((0, 0), np.int8)
    sizes = np.array([*tokens.values.shape, *sentences.shape], _SIZES)
    return _text(
        sizes.tobytes()
        + tokens.values.astype(np.int8).tobytes()
        + tokens.spans.astype("<i4").tobytes()
        + sentences.astype(np.int8).tobytes()
    )


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


# --- from the server --------------------------------------------------------------


def chunk_of(found: Mapping[str, object]) -> Chunk:
    """The chunk of an object.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        return Chunk.model_validate_json(str(found["body"]))
    except (KeyError, ValidationError) as error:
        raise _unreadable("chunk") from error


def version_of(key: UUID, found: Mapping[str, object]) -> Version:
    """The version of an object.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        stems, written = json.loads(zlib.decompress(_raw(found["counts"])))
        ends = _whole(found["replaced_ends"])
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
            chunks=_whole(found["chunks"]),
            length=float(str(found["length"])),
            stems=stems,
            words=written,
            replaced=_whole(found["replaced"]),
            died=_whole(found["died"]),
            ends=None if ends == FOREVER else date.fromordinal(ends),
            died_at=float(str(found.get("died_at") or 0)),
        )
    except (KeyError, ValueError, zlib.error) as error:
        raise _unreadable("version") from error


def tokens_of(found: Mapping[str, object]) -> TokenVectors:
    """The token vectors of a chunk's object.

    Raises:
        IndexFailed: they cannot be read.
    """
    try:
        raw = _raw(found["tokens"])
        rows, reduced, kept, wide = np.frombuffer(raw, _SIZES, 4).tolist()
        values, spans = rows * reduced, 2 * rows
        at = 4 * _SIZES.itemsize
        sentences = at + values + spans * _SIZES.itemsize
        return TokenVectors(
            np.frombuffer(raw, np.int8, values, at).reshape(rows, reduced).copy(),
            np.frombuffer(raw, _SIZES, spans, at + values)
            .reshape(rows, 2)
            .astype(np.int32),
            np.frombuffer(raw, np.int8, kept * wide, sentences)
            .reshape(kept, wide)
            .copy()
            if wide
            else None,
        )
    except (KeyError, ValueError) as error:
        raise _unreadable("chunk's token vectors") from error


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
        f"a stored {what} cannot be read: run `python -m bot reindex --fresh`"
    )
