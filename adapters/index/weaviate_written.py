"""Chunks, versions and their ends as objects for a Weaviate server."""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from uuid import UUID

import numpy as np

from adapters.index.lexical import weigh
from adapters.index.weaviate_counted import Terms
from adapters.index.weaviate_objects import FLOATS, SIZES, Properties, Version
from adapters.index.weaviate_schema import FOREVER, HALVES, Kind
from adapters.index.written import count
from engine.model.passage import Chunk
from engine.model.ports import Entry, TokenVectors

# Set by engine/rank, never stored.
_COMPUTED = {"relevance", "parts", "picks", "question"}


def new_version(
    entries: Sequence[Entry], key: UUID, pack: str, born: int
) -> tuple[Version, list[Properties]]:
    """A version with the properties of its chunks, in the order of the entries."""
    first = entries[0].chunk
    stems: Counter[str] = Counter()
    chunks: list[Properties] = []
    total = 0.0
    for entry in entries:
        weights = weigh(entry.chunk)
        length = float(sum(weights.values()))
        stems.update(weights.keys())
        total += length
        chunks.append(
            {
                **_described(entry.chunk, pack, born),
                "kind": Kind.CHUNK.value,
                "owner": str(key),
                "stems": _spelled(weights),
                "length": length,
                "exact": _text(entry.vector.astype(FLOATS).tobytes()),
            }
        )
    terms = Terms()
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
        came=born,
        chunks=len(entries),
        length=total,
        stems=terms.tally(stems),
        words=terms.tally(count(entry.chunk for entry in entries)),
        asked=sum(bool(entry.questions) for entry in entries),
    )
    return version, chunks


def token_properties(entry: Entry, version: Version) -> Properties:
    """What the object with the token vectors of a chunk holds.

    They stand apart from the chunk: a search reads whole objects, and with 22 kB of
    token vectors in each the lexical arm took 61 ms instead of 6 (2,000 chunks).
    """
    return _belonging(version, {"tokens": _packed(entry.tokens)}, Kind.TOKENS)


def asked_properties(entry: Entry, version: Version) -> Properties | None:
    """What the object with the questions of a chunk holds; None where it has none."""
    if not entry.questions:
        return None
    vectors = np.stack([question.vector for question in entry.questions])
    said: Properties = {
        "ordinal": entry.chunk.ordinal,
        "body": json.dumps([question.text for question in entry.questions]),
        "exact": _text(vectors.astype(FLOATS).tobytes()),
    }
    return _belonging(version, said, Kind.ASKED)


def version_properties(version: Version) -> Properties:
    """What the object of a new version holds."""
    asked = [version.asked] if version.asked else []
    terms = [version.stems.named(), version.words.named()]
    counts = json.dumps([*terms, *asked]).encode()
    said: Properties = {
        "pack": version.pack,
        "document": version.document,
        "version": version.version,
        "source": version.source,
        "tags": sorted(version.tags),
        "demo": version.demo,
        "force_from": _iso(version.force_from),
        "force_to": _iso(version.force_to),
        "came": version.came,
        "cut": _iso(version.ends),
        "chunks": version.chunks,
        "length": version.length,
        "counts": _text(zlib.compress(counts)),
    }
    return _belonging(version, said, Kind.VERSION)


def end_properties(version: Version, born: int, at: float) -> Properties:
    """What the object says that ends a version."""
    return {
        "kind": Kind.END.value,
        "owner": str(version.key),
        "pack": version.pack,
        "born": born,
        "chunks": version.chunks,
        "ended_at": at,
    }


def copied(version: Version, key: UUID, born: int, ends: date | None) -> Version:
    """The same version under another name, out of force after a day if one is given."""
    return replace(version, key=key, born=born, ends=ends)


def copied_chunk(stored: Mapping[str, object], version: Version) -> Properties:
    """The properties of a stored chunk, for a copy of its version."""
    kept = {name: value for name, value in stored.items() if value is not None}
    if version.ends is not None:
        kept |= {"past": True, "ends": version.ends.toordinal()}
    return _belonging(version, kept, Kind.CHUNK)


def copied_tokens(stored: Mapping[str, object], version: Version) -> Properties:
    """The same for a chunk's token vectors."""
    return _belonging(version, {"tokens": stored["tokens"]}, Kind.TOKENS)


def copied_asked(stored: Mapping[str, object], version: Version) -> Properties:
    """The same for the questions that a chunk answers."""
    said = {name: stored[name] for name in ("ordinal", "body", "exact")}
    return _belonging(version, said, Kind.ASKED)


def _belonging(version: Version, said: Properties, kind: Kind) -> Properties:
    return {
        **said,
        "kind": kind.value,
        "owner": str(version.key),
        "born": version.born,
    }


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
        "past": False,
    }


def _spelled(weights: Mapping[str, float]) -> str:
    """Each stem as often as its weight says, in half units, with a space around each.

    So " stem " stands in it exactly as often.
    """
    return "".join(
        f" {stem} " * round(weight * HALVES) for stem, weight in weights.items()
    )


def _packed(tokens: TokenVectors) -> str:
    sizes = np.array(tokens.values.shape, SIZES)
    return _text(
        sizes.tobytes()
        + tokens.values.astype(np.int8).tobytes()
        + tokens.spans.astype("<i4").tobytes()
    )


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
