"""What a Weaviate server is given to find a passage by."""

from uuid import UUID

import numpy as np

from adapters.index.weaviate_objects import SPREAD, spread_vector

KEYS = [UUID(int=number) for number in range(200)]


def unit(size: int = 384) -> np.ndarray:
    vector = np.random.default_rng(1_001).normal(size=size)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def test_equal_vectors_are_moved_apart_and_their_scores_hardly_R_R1() -> None:
    """Each by its name, the same way every time; no two alike."""
    exact, question = unit(), np.random.default_rng(1_002).normal(size=384)
    moved = np.stack([spread_vector(key, exact) for key in KEYS])
    assert np.allclose(np.linalg.norm(moved, axis=1), 1, atol=1e-6)
    assert (spread_vector(KEYS[3], exact) == moved[3]).all()
    between = (moved @ moved.T)[~np.eye(len(KEYS), dtype=bool)]
    assert 1 - between.max() > SPREAD**2 / 2
    off = (moved - exact) @ (question / np.linalg.norm(question))
    assert np.abs(off).max() < 4 * SPREAD / np.sqrt(384)
