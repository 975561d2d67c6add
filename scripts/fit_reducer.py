"""Fit a reducer of token vectors (to 128 columns) on passages of a folder of documents.

    python -m scripts.fit_reducer DOCUMENTS config/calibration/minilm-reducer.npy

The reducer holds the leading right singular vectors of the uncentred matrix of unit
token vectors: of all linear maps to 128 dimensions the one that keeps their dot
products best, which is all that late interaction uses. Provenance goes into a JSON
file beside it.
"""

import argparse
import json
import random
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np

from adapters.embedding import ContextualModel, load_minilm, normalise

EXTENSIONS = {".md", ".rst", ".jsonl", ".txt"}
PASSAGE = 1_000  # characters, about 200 word pieces
DIMENSIONS = 128
BATCH = 50  # passages whose token vectors are held at the same time
NAME = "all-MiniLM-L6-v2 (int8)"


def cut_passages(folder: Path) -> list[str]:
    """Cut every file below a folder into pieces of `PASSAGE` characters."""
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in EXTENSIONS:
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            text = "\n".join(json.loads(line)["text"] for line in text.splitlines())
        found += [text[at : at + PASSAGE] for at in range(0, len(text), PASSAGE)]
    return found


def draw_passages(documents: Path, each: int, seed: int) -> dict[str, list[str]]:
    """Draw up to `each` random passages of every folder directly below `documents`."""
    chance = random.Random(seed)
    drawn = {}
    for folder in sorted(path for path in documents.iterdir() if path.is_dir()):
        pool = cut_passages(folder)
        drawn[folder.name] = chance.sample(pool, min(each, len(pool)))
    return drawn


def sum_products(model: ContextualModel, texts: list[str]) -> tuple[np.ndarray, int]:
    """Sum the outer products of unit token vectors; count the tokens."""
    total = np.zeros(())
    tokens = 0
    for start in range(0, len(texts), BATCH):
        for text in model.encode(texts[start : start + BATCH]):
            rows = normalise(text.tokens).astype(np.float64)
            total = total + rows.T @ rows
            tokens += len(rows)
    return total, tokens


def fit(moment: np.ndarray) -> tuple[np.ndarray, float]:
    """Fit the reducer, float32 (dimension, 128); return the share of energy that it
    keeps."""
    values, vectors = np.linalg.eigh(moment)
    order = np.argsort(values)[::-1][:DIMENSIONS]
    leading = vectors[:, order]
    leading *= np.sign(leading[np.abs(leading).argmax(axis=0), range(DIMENSIONS)])
    return leading.astype(np.float32), float(values[order].sum() / values.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("reducer", type=Path)
    parser.add_argument("--each", type=int, default=500, help="passages per folder")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--date", type=date.fromisoformat, default=None)
    options = parser.parse_args()
    drawn = draw_passages(options.documents, options.each, options.seed)
    texts = [text for pool in drawn.values() for text in pool]
    moment, tokens = sum_products(load_minilm(), texts)
    matrix, kept = fit(moment)
    np.save(options.reducer, matrix, allow_pickle=False)
    fitted = options.date or datetime.now(UTC).date()
    provenance = {
        "what": f"linear reduction of unit token vectors of {NAME}",
        "method": "uncentred singular value decomposition, leading right vectors",
        "shape": list(matrix.shape),
        "fitted_on": "passages of 1,000 characters, drawn at random from each folder",
        "passages": {name: len(pool) for name, pool in drawn.items()},
        "tokens": tokens,
        "seed": options.seed,
        "energy_kept": round(kept, 4),
        "date": fitted.isoformat(),
    }
    options.reducer.with_suffix(".json").write_text(
        json.dumps(provenance, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
