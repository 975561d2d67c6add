"""What hears what a message is over the vectors of an embedder (R-M6)."""

import hashlib
import io
import json
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from config.settings import CALIBRATIONS
from engine import Urgency
from engine.errors import EmbedderFailed
from engine.ports import Embedder
from engine.urgency import Hashed, Weights


def urgency(embedder: Embedder) -> Urgency | None:
    """What hears emergencies over an embedder's vectors (R-M6).

    None where nothing was fitted for it: the packs' patterns alone hear them, and
    `doctor` says so.

    Raises:
        EmbedderFailed: a file is damaged.
    """
    for path in sorted(CALIBRATIONS.glob("*-urgency.json")):
        try:
            said = json.loads(path.read_bytes())
            if said["embedder"] == embedder.name:
                weights = _weights(path.with_suffix(".npz"), said["sha256"])
                return Urgency.model_validate({**said, "weights": weights})
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            raise EmbedderFailed(f"{path} is damaged: restore it") from error
    return None


def _weights(path: Path, sha256: str) -> Weights:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("the weights are not those that were fitted")
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        read = {name: np.asarray(found[name], dtype=np.float32) for name in found.files}
    rough = ("characters", "character_rarity", "words", "word_rarity")
    characters, rarity, words, word_rarity = (
        np.asarray(read[name] * step, dtype=np.float32)
        for name, step in zip(rough, read["steps"], strict=True)
    )
    return Weights(
        own=read["own"],
        characters=Hashed(characters, rarity),
        words=Hashed(words, word_rarity),
        near=read["near"],
        vectors=np.asarray(read["vectors"] / 127, dtype=np.float32),
        features=read["features"],
        kinds=read["kinds"],
        sorts=read["sorts"],
    )
