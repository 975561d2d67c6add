"""Load what was fitted for an embedder and a reader, from config/calibration/."""

import hashlib
import io
import json
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from config.settings import CALIBRATIONS
from engine import Calibration, Urgency
from engine.model.errors import EmbedderFailed
from engine.model.ports import Embedder, Floats, Reader
from engine.parse.urgency import Hashed, Weights


def load_calibration(embedder: Embedder, reader: Reader) -> Calibration:
    """Load what config/calibration/ holds for a pair of embedder and reader.

    Raises:
        EmbedderFailed: nothing was fitted for the two, or a file is damaged.
    """
    for path in sorted(CALIBRATIONS.glob("*-relevance.json")):
        try:
            found = Calibration.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EmbedderFailed(f"{path} is damaged: restore it") from error
        if (found.embedder, found.reader) == (embedder.name, reader.name):
            return found
    raise EmbedderFailed(
        f"no calibration was fitted for the embedder {embedder.name} and the reader "
        f"{reader.name}: fit one on labelled questions with `python -m evals calibrate`"
    )


def load_urgency(embedder: Embedder) -> Urgency | None:
    """Load the classifier that detects emergencies over an embedder's vectors.

    None where nothing was fitted for it: the packs' patterns alone detect them, and
    `doctor` says so.

    Raises:
        EmbedderFailed: a file is damaged.
    """
    for path in sorted(CALIBRATIONS.glob("*-urgency.json")):
        try:
            said = json.loads(path.read_bytes())
            if said["embedder"] == embedder.name:
                weights = _load_weights(path.with_suffix(".npz"), said["sha256"])
                return Urgency.model_validate({**said, "weights": weights})
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            raise EmbedderFailed(f"{path} is damaged: restore it") from error
    return None


def _load_weights(path: Path, sha256: str) -> Weights:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("the weights are not those that were fitted")
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        read = {name: np.asarray(found[name], dtype=np.float32) for name in found.files}
    steps = read.pop("steps")
    fine = {"own": read.pop("own"), "pairs": _unfold(read.pop("pairs"))}
    rough = {
        name: np.asarray(read[name] * step, dtype=np.float32)
        for name, step in zip(sorted(read), steps, strict=True)
    }
    return Weights(
        own=fine["own"],
        characters=Hashed(rough["characters"], rough["character_rarity"]),
        words=Hashed(rough["words"], rough["word_rarity"]),
        pairs=fine["pairs"],
        kinds=rough["kinds"],
        sorts=rough["sorts"],
    )


def _unfold(upper: Floats) -> Floats:
    """Unfold a symmetric matrix from its upper half, row by row."""
    size = int((np.sqrt(8 * len(upper) + 1) - 1) / 2)
    made = np.zeros((size, size), dtype=np.float32)
    rows, columns = np.triu_indices(size)
    made[rows, columns] = made[columns, rows] = upper
    return made
