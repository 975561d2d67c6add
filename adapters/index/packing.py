"""Entries of a document as the arrays that are stored, and the checks before that."""

from collections.abc import Mapping, Sequence

import numpy as np

from adapters.index.catalogue import Identity
from adapters.index.lexical import pack_terms
from adapters.index.segments import RECORD, Block, Widths
from engine.model.errors import IndexFailed
from engine.model.passage import Chunk
from engine.model.ports import Entry


def check(document: str, entries: Sequence[Entry], identity: Identity) -> None:
    """Refuse entries that would make a document half visible or unsearchable.

    Raises:
        IndexFailed: naming the document, the chunk and what is wrong with it.
    """
    if not entries:
        raise IndexFailed(
            f"there is nothing to store of {document}: withdraw it instead"
        )
    first = entries[0].chunk
    for entry in entries:
        if entry.chunk.document != document or _whole(entry.chunk) != _whole(first):
            raise IndexFailed(
                f"the chunks of {document} differ in document, version, tags, "
                "dates, source or demo mark; all of one document must agree"
            )
        problem = _shape_problem(entry, identity)
        if problem:
            raise IndexFailed(f"chunk {entry.chunk.id} of {document}: {problem}")


def pack(
    entries: Sequence[Entry],
    weights: Sequence[Mapping[str, float]],
    numbers: Mapping[str, int],
    widths: Widths,
) -> Block:
    """Put entries into arrays, in their order.

    Args:
        entries: checked by `check`.
        weights: the weighted stems of each entry.
        numbers: the number of every stem in `weights`.
        widths: of the vectors.
    """
    records = np.zeros(len(entries), RECORD)
    for name, counts in (
        ("token", [len(entry.tokens.values) for entry in entries]),
        ("term", [len(of_chunk) for of_chunk in weights]),
    ):
        records[f"{name}_count"] = counts
        records[f"{name}s"] = np.cumsum([0, *counts[:-1]])
    records["length"] = [sum(of_chunk.values()) for of_chunk in weights]
    tokens = np.empty(int(records["token_count"].sum()), widths.token)
    tokens["values"] = np.concatenate([entry.tokens.values for entry in entries])
    tokens["span"] = np.concatenate([entry.tokens.spans for entry in entries])
    asked = [question.vector for entry in entries for question in entry.questions]
    return Block(
        records,
        np.stack([entry.vector for entry in entries]).astype(np.float32),
        tokens,
        pack_terms(weights, numbers),
        np.stack(asked).astype(np.float32)
        if asked
        else np.empty((0, widths.vectors), np.float32),
    )


def _whole(chunk: Chunk) -> tuple[object, ...]:
    """What all chunks of a document must share, since search filters by document."""
    return (
        chunk.version,
        frozenset(chunk.tags),
        chunk.demo,
        chunk.source,
        chunk.in_force_from,
        chunk.in_force_to,
    )


def _shape_problem(entry: Entry, identity: Identity) -> str | None:
    tokens = entry.tokens
    count = len(tokens.values)
    if entry.vector.shape != (identity.dimension,):
        return f"the vector has shape {entry.vector.shape}"
    if not np.isfinite(entry.vector).all():
        return "the vector holds values that are no numbers"
    for question in entry.questions:
        shape = question.vector.shape
        if shape != (identity.dimension,) or not np.isfinite(question.vector).all():
            return f"the vector of a question has shape {shape} or holds no numbers"
    if tokens.values.shape != (count, identity.reduced):
        return f"the token vectors have shape {tokens.values.shape}"
    if tokens.spans.shape != (count, 2):
        return f"there are {len(tokens.spans)} spans for {count} token vectors"
    return None
