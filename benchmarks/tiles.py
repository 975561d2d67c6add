"""Indexes of any size from some passages: texts as they are, vectors with some noise.

The noise turns each copy of a passage by about 20 degrees, as far as passages about the
same thing stand apart, so that the nearest ten are ten of many that come close. Copies
come out the same in every process.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.ports import Entry, Floats, TokenVectors
from engine.records import Chunk

NOISE = 0.02  # of each number; 384 of them turn a unit vector by about 21 degrees
NEAREST = 10
SEED = 7


@dataclass(frozen=True, slots=True)
class Question:
    """What a search is given: some words of a passage, and a vector like its own."""

    terms: tuple[str, ...]
    vector: Floats


@dataclass(frozen=True, slots=True)
class Tiles:
    """Encoded passages, to be copied."""

    passages: tuple[Entry, ...]

    def documents(self, chunks: int, size: int, tokens: bool) -> Iterator[list[Entry]]:
        """Documents of `size` chunks each, `chunks` in all, with or without tokens."""
        for first in range(0, chunks, size):
            document = f"d{first}"
            count = min(size, chunks - first)
            vectors = self._vectors(first, count)
            yield [
                _copy(self._passage(first + at), document, at, vectors[at], tokens)
                for at in range(count)
            ]

    def questions(self, count: int) -> list[Question]:
        """Six to twelve running words out of passages, as a person's would be."""
        chance = np.random.default_rng(SEED + 1)
        made = []
        for _ in range(count):
            entry = self.passages[int(chance.integers(len(self.passages)))]
            words = entry.chunk.text.split()
            start = int(chance.integers(max(1, len(words) - 12)))
            terms = tuple(words[start : start + int(chance.integers(6, 13))])
            made.append(Question(terms, _noisy(entry.vector[None], chance)[0]))
        return made

    def nearest(
        self, questions: Sequence[Question], chunks: int, size: int
    ) -> list[set[str]]:
        """The ids of the chunks nearest to each question, by comparing all."""
        asked = np.stack([question.vector for question in questions])
        best = np.full((len(questions), NEAREST), -2, np.float32)
        where = np.zeros((len(questions), NEAREST), np.int64)
        for first in range(0, chunks, size):
            count = min(size, chunks - first)
            scores = asked @ self._vectors(first, count).T
            joined = np.concatenate([best, scores], axis=1)
            rows = np.broadcast_to(np.arange(first, first + count), scores.shape)
            places = np.concatenate([where, rows], axis=1)
            keep = np.argpartition(-joined, NEAREST - 1, axis=1)[:, :NEAREST]
            best = np.take_along_axis(joined, keep, axis=1)
            where = np.take_along_axis(places, keep, axis=1)
        return [
            {f"d{at - at % size}:{at % size}" for at in row.tolist()} for row in where
        ]

    def save(self, folder: Path) -> None:
        """Write the passages for other processes."""
        chunks = [one.chunk.model_dump_json() for one in self.passages]
        (folder / "chunks.jsonl").write_text("\n".join(chunks), encoding="utf-8")
        tokens = [one.tokens for one in self.passages]
        np.savez(
            folder / "arrays.npz",
            vectors=np.stack([one.vector for one in self.passages]),
            values=np.concatenate([one.values for one in tokens]),
            spans=np.concatenate([one.spans for one in tokens]),
            ends=np.cumsum([len(one.values) for one in tokens]),
        )

    @classmethod
    def load(cls, folder: Path) -> "Tiles":
        """Read what `save` wrote."""
        lines = (folder / "chunks.jsonl").read_text(encoding="utf-8").split("\n")
        with np.load(folder / "arrays.npz") as arrays:
            vectors, ends = arrays["vectors"], arrays["ends"][:-1]
            values = np.split(arrays["values"], ends)
            spans = np.split(arrays["spans"], ends)
        return cls(
            tuple(
                Entry(Chunk.model_validate_json(line), *rest)
                for line, *rest in zip(
                    lines, vectors, map(TokenVectors, values, spans), strict=True
                )
            )
        )

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return int(self.passages[0].vector.size)

    @property
    def reduced(self) -> int:
        """Of the token vectors."""
        return int(self.passages[0].tokens.values.shape[1])

    def _passage(self, at: int) -> Entry:
        return self.passages[at % len(self.passages)]

    def _vectors(self, first: int, count: int) -> Floats:
        """The vectors of so many copies, from one on."""
        chance = np.random.default_rng((SEED, first))
        vectors = [self._passage(first + at).vector for at in range(count)]
        return _noisy(np.stack(vectors), chance)


def _noisy(vectors: Floats, chance: np.random.Generator) -> Floats:
    noise = chance.normal(scale=NOISE, size=vectors.shape).astype(np.float32)
    turned = vectors + noise
    unit: Floats = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return unit


def _copy(
    entry: Entry, document: str, ordinal: int, vector: Floats, tokens: bool
) -> Entry:
    chunk = entry.chunk.model_copy(
        update={
            "id": f"{document}:{ordinal}",
            "document": document,
            "version": document,
            "ordinal": ordinal,
        }
    )
    kept = entry.tokens
    if not tokens:
        kept = replace(kept, values=kept.values[:0], spans=kept.spans[:0])
    return Entry(chunk, vector, kept)
